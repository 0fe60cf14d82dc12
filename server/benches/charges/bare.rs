//! The limit: one bare durable insert for each request, through the same store and
//! its group commit, behind the same HTTP library.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::post;
use model::money::Currency;
use model::protocol::Paid;
use server::charges::store::{Charge, Made, Store};
use server::id::{AccountId, ChargeId};

use super::Failure;
use super::stores;

struct Bare {
    store: Arc<dyn Store>,
    account: AccountId,
}

/// Serves until the process is ended, and says where.
pub(crate) async fn serve(database: &str) -> Result<(), Failure> {
    let store = stores::open(database).await?;
    let account = AccountId::random();
    store.create_account(account.clone(), [7; 32]).await?;
    let state = Arc::new(Bare { store, account });
    let app = Router::new()
        .route("/charges", post(insert))
        .with_state(state);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("Charge Once is at http://{}/", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}

async fn insert(
    State(bare): State<Arc<Bare>>,
    body: Bytes,
) -> Result<impl IntoResponse, StatusCode> {
    let asked: serde_json::Value =
        serde_json::from_slice(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    let amount = asked["amount"]
        .as_u64()
        .and_then(|amount| u32::try_from(amount).ok())
        .ok_or(StatusCode::BAD_REQUEST)?;
    let charge = Charge {
        id: ChargeId::random(),
        amount,
        currency: Currency::from_code("usd").ok_or(StatusCode::BAD_REQUEST)?,
        description: None,
        paid: Paid::Succeeded,
        created_at: server::clock::now(),
        refunded_at: None,
    };
    let id = charge.id.to_string();
    bare.store
        .insert(bare.account.clone(), Made::Charge(charge))
        .await
        .map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok((StatusCode::CREATED, id))
}
