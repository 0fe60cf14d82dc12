//! The routes of charges.

use axum::extract::{Path, Query, Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing};
use serde::{Deserialize, Serialize};

use super::reply::ChargeBody;
use super::submit::submit;
use crate::accounts::Known;
use crate::id::ChargeId;
use crate::problem::{Kind, Problem};
use crate::state::App;

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/charges", routing::post(create).get(list))
        .route("/charges/{id}", routing::get(read))
        .route("/charges/{id}/refunds", routing::post(refund))
}

async fn create(State(app): State<App>, request: Request) -> Response {
    submit(app, request, None).await
}

async fn refund(State(app): State<App>, Path(id): Path<String>, request: Request) -> Response {
    submit(app, request, Some(id)).await
}

async fn read(
    State(app): State<App>,
    account: Known,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let charge = app
        .store
        .charge(&account.id, &id)
        .await?
        .ok_or_else(Problem::not_found)?;
    Ok(Json(ChargeBody::now(&charge)).into_response())
}

#[derive(Debug, Deserialize)]
struct Page {
    #[serde(default = "Page::usual")]
    limit: u32,
    after: Option<String>,
}

impl Page {
    const MOST: u32 = 100;

    const fn usual() -> u32 {
        20
    }
}

#[derive(Serialize)]
struct List<'a> {
    data: Vec<ChargeBody<'a>>,
    next: Option<ChargeId>,
}

async fn list(
    State(app): State<App>,
    account: Known,
    page: Result<Query<Page>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Problem> {
    let bad = |detail: &str| Problem::new(Kind::BadRequest, detail);
    let wanted = "`limit` has to be a whole number from 1 to 100.";
    let Query(page) = page.map_err(|_| bad(wanted))?;
    if !(1..=Page::MOST).contains(&page.limit) {
        return Err(bad(wanted));
    }
    // One more than asked for tells whether there is a next page.
    let mut charges = app
        .store
        .charges(&account.id, page.limit + 1, page.after.as_deref())
        .await?
        .ok_or_else(|| bad("`after` has to be the id of a charge of this sandbox."))?;
    let more = charges.len() > page.limit as usize;
    charges.truncate(page.limit as usize);
    let next = charges
        .last()
        .filter(|_| more)
        .map(|charge| charge.id.clone());
    let data = charges.iter().map(ChargeBody::now).collect();
    Ok(Json(List { data, next }).into_response())
}
