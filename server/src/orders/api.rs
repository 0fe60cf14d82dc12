//! The routes of orders and of the queue.

use axum::extract::{Path, Request, State};
use axum::http::header::{ETAG, IF_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing};
use model::protocol::Fingerprint;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Change, Changed, Message, Order, Status};
use crate::accounts::Known;
use crate::charges::reply::{REPLAYED, full};
use crate::charges::{body, key_header};
use crate::id::RequestId;
use crate::lab::api::{invalid, json, read};
use crate::lab::settings::PatchRule;
use crate::problem::{Kind, Problem};
use crate::state::App;

/// The most that one change adds or takes, in minor units.
const MOST: i64 = 99_999_999;

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/orders/{id}", routing::get(show).patch(patch))
        .route("/orders/{id}/status", routing::put(put_status))
        .route("/queue", routing::get(messages).post(publish))
}

fn name(text: &str) -> Result<String, Problem> {
    RequestId::from_client(text.as_bytes())
        .map(|name| name.to_string())
        .ok_or_else(|| invalid("A name has to be 1 to 64 of A-Z, a-z, 0-9, _ and -."))
}

fn amount(add: i64) -> Result<i64, Problem> {
    if add != 0 && (-MOST..=MOST).contains(&add) {
        return Ok(add);
    }
    Err(invalid(format!(
        "`add` has to be a whole number from -{MOST} to {MOST}, but not 0."
    )))
}

async fn room(app: &App, account: &Known) -> Result<(), Problem> {
    if app.room.take(&*app.store, &account.id).await? {
        return Ok(());
    }
    Err(full())
}

fn tag(order: &Order) -> String {
    format!("\"v{}\"", order.version)
}

fn shown(order: &Order, already: bool) -> Response {
    let mut response = Json(order).into_response();
    if let Ok(tag) = HeaderValue::try_from(tag(order)) {
        response.headers_mut().insert(ETAG, tag);
    }
    if already {
        response
            .headers_mut()
            .insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

fn answer(changed: Changed) -> Response {
    match changed {
        Changed::Done(order) => shown(&order, false),
        Changed::Already(order) => shown(&order, true),
        Changed::Reused => Problem::new(
            Kind::Reused,
            "This key came first with another change. Nothing was done.",
        )
        .into_response(),
        Changed::Conflict(order) => {
            let detail = format!(
                "The order is {} by now. Read it, decide again, and send the change for that version.",
                tag(&order)
            );
            let mut response = Problem::new(Kind::PreconditionFailed, detail).into_response();
            if let Ok(tag) = HeaderValue::try_from(tag(&order)) {
                response.headers_mut().insert(ETAG, tag);
            }
            response
        }
    }
}

async fn show(
    State(app): State<App>,
    account: Known,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let order = app.orders.order(&account.id, &id).await?;
    Ok(shown(&order.ok_or_else(Problem::not_found)?, false))
}

async fn put_status(
    State(app): State<App>,
    account: Known,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    #[derive(Deserialize)]
    struct Wanted {
        status: Status,
    }
    let id = name(&id)?;
    let Wanted { status } = read(json(request).await?)?;
    room(&app, &account).await?;
    let change = Change::Status {
        to: status,
        rule: account.settings.order_status,
    };
    let changed = app.orders.change_order(account.id, id, change).await?;
    Ok(answer(changed))
}

/// The version that `If-Match` names, if it names one of ours.
fn if_match(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get(IF_MATCH) else {
        return Ok(None);
    };
    let version = value.to_str().ok().and_then(|text| {
        let text = text.trim().strip_prefix("\"v")?.strip_suffix('"')?;
        text.parse().ok()
    });
    version.map(Some).ok_or_else(|| {
        Problem::new(
            Kind::BadRequest,
            "`If-Match` has to be one ETag of this order, as \"v3\".",
        )
    })
}

async fn patch(
    State(app): State<App>,
    account: Known,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    #[derive(Deserialize)]
    struct Added {
        add: i64,
    }
    let id = name(&id)?;
    let rule = account.settings.order_patch;
    let version = if_match(request.headers());
    let key = key_header::read(request.headers());
    let path = request.uri().path().to_owned();
    let value = json(request).await?;
    let version = version?;
    let key = key.map_err(|why| {
        let detail = format!("The Idempotency-Key header is no key: {why}.");
        Problem::new(Kind::KeyMalformed, detail)
    })?;
    let canonical =
        body::canonical(&value).map_err(|error| Problem::new(Kind::NotJson, error.to_string()))?;
    let Added { add } = read(value)?;
    let amount = amount(add)?;
    if version.is_none() && rule == PatchRule::IfMatch {
        return Err(Problem::new(
            Kind::PreconditionRequired,
            "Send If-Match with the ETag of the order that the change is meant for.",
        ));
    }
    room(&app, &account).await?;
    let fingerprint = Fingerprint::of("PATCH", &path, &canonical);
    let change = Change::Add {
        amount,
        version,
        name: key.map(|key| (key.to_string(), fingerprint)),
        rule,
    };
    let changed = app.orders.change_order(account.id, id, change).await?;
    Ok(answer(changed))
}

async fn publish(
    State(app): State<App>,
    account: Known,
    request: Request,
) -> Result<Response, Problem> {
    #[derive(Deserialize)]
    struct Sent {
        id: String,
        order: String,
        add: i64,
        #[serde(default)]
        lost_acks: u32,
        #[serde(default)]
        crash_after_effect: bool,
    }
    let sent: Sent = read(json(request).await?)?;
    if sent.lost_acks > 10 {
        return Err(invalid("`lost_acks` can be 10 at most."));
    }
    let message = Message {
        id: name(&sent.id)?,
        order: name(&sent.order)?,
        add: amount(sent.add)?,
        deliveries: 0,
        done: false,
        lost_acks: sent.lost_acks,
        crash_after_effect: sent.crash_after_effect,
        rule: account.settings.consumer,
        account: None,
        number: 0,
    };
    room(&app, &account).await?;
    let queued = json!({ "id": message.id, "state": "queued" });
    app.orders.publish(account.id, message).await?;
    app.bell.notify_one();
    Ok((StatusCode::ACCEPTED, Json(queued)).into_response())
}

async fn messages(State(app): State<App>, account: Known) -> Result<Json<Value>, Problem> {
    let messages = app.orders.messages(&account.id).await?;
    Ok(Json(json!({ "messages": messages })))
}
