//! Making sandboxes.

use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing};
use serde::Serialize;

use super::rate::Full;
use super::token::{COOKIE_NAME, Token};
use crate::charges::receive;
use crate::id::AccountId;
use crate::problem::{Kind, Problem};
use crate::serve::Peer;
use crate::state::App;

/// How long a browser keeps its sandbox, in seconds: 30 days.
const COOKIE_AGE: u32 = 30 * 86_400;

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/sandboxes", routing::post(create))
        .route("/lab/session", routing::post(session))
}

#[derive(Debug, Serialize)]
struct Sandbox<'a> {
    account: &'a AccountId,
    token: &'a str,
}

async fn create(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let (peer, _) = open(request).await;
    let (account, token) = make(&app, peer).await?;
    let sandbox = Sandbox {
        account: &account,
        token: token.as_str(),
    };
    Ok((StatusCode::CREATED, Json(sandbox)).into_response())
}

/// The sandbox of the visitor's cookie, or a new one with a new cookie.
async fn session(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let (peer, headers) = open(request).await;
    if let Some(token) = Token::of_cookie(&headers)
        && let Some(known) = app.holder(&token).await?
    {
        let sandbox = Sandbox {
            account: &known.id,
            token: token.as_str(),
        };
        return Ok(Json(sandbox).into_response());
    }
    let (account, token) = make(&app, peer).await?;
    let sandbox = Sandbox {
        account: &account,
        token: token.as_str(),
    };
    let mut response = (StatusCode::CREATED, Json(sandbox)).into_response();
    let cookie = format!(
        "{COOKIE_NAME}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={COOKIE_AGE}",
        token.as_str()
    );
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Takes a request whose body says nothing to us.
async fn open(request: Request) -> (Option<Peer>, HeaderMap) {
    let (parts, body): (_, Body) = request.into_parts();
    receive::discard(&parts.headers, body).await;
    (parts.extensions.get().copied(), parts.headers)
}

async fn make(app: &App, peer: Option<Peer>) -> Result<(AccountId, Token), Problem> {
    if let Some(Peer(address)) = peer {
        app.sandboxes
            .admit(address, Instant::now())
            .map_err(|full| match full {
                Full::Rate { retry_after_s } => Problem::new(
                    Kind::OverRate,
                    "This address made too many sandboxes in a minute.",
                )
                .retry_after(Some(retry_after_s)),
                Full::All => {
                    Problem::new(Kind::Unavailable, "There is no room for more sandboxes.")
                }
            })?;
    }
    let (account, token) = (AccountId::random(), Token::random());
    app.store
        .create_account(account.clone(), token.hash())
        .await?;
    Ok((account, token))
}
