//! The routes of the lab. All of it is for one sandbox.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing};
use model::Ms;
use model::fault::Fault;
use model::money::Currency;
use model::protocol::Paid;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::settlement::settlement;
use super::trace;
use crate::accounts::Known;
use crate::charges::body;
use crate::charges::receive::{self, Received, receive};
use crate::charges::store::{ChangeSettings, Entry, KeyRow, MOST_FAULTS, StoreError};
use crate::charges::submit::unauthorized;
use crate::id::ChargeId;
use crate::problem::{Kind, Problem};
use crate::state::App;

/// The longest that a processor can be slow, in ms.
const SLOWEST: Ms = 60_000;
/// The most key records that are shown.
const SHOWN: u32 = 200;

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route(
            "/lab/faults",
            routing::get(faults).post(queue).delete(clear),
        )
        .route("/lab/clock", routing::post(clock))
        .route("/lab/settings", routing::get(settings).patch(change))
        .route("/lab/ledger", routing::get(ledger))
        .route("/lab/keys", routing::get(keys))
        .route("/lab/settlement", routing::get(settlement))
        .route("/lab/reset", routing::post(reset))
        .route("/lab/pods/{pod}/restart", routing::post(restart))
        .route("/lab/trace", routing::get(trace::stream))
}

/// Reads the JSON body of a request that takes no key of its own accord.
pub(crate) async fn json(request: Request) -> Result<Value, Problem> {
    let (parts, body) = request.into_parts();
    let bytes = match receive(&parts.headers, body).await {
        Received::Whole(bytes) => bytes,
        Received::TooLarge { drained } => return Err(receive::too_large(drained)),
        Received::Broken => return Err(receive::broken()),
    };
    if !body::is_json(
        parts
            .headers
            .get(CONTENT_TYPE)
            .map(|value| value.as_bytes()),
    ) {
        return Err(Problem::new(
            Kind::OtherType,
            "Send Content-Type: application/json.",
        ));
    }
    body::parse(&bytes).map_err(|error| Problem::new(Kind::NotJson, error.to_string()))
}

pub(crate) fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Kind::InvalidLab, detail)
}

pub(crate) fn read<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, Problem> {
    T::deserialize(value).map_err(|error| invalid(format!("The body is not valid: {error}.")))
}

async fn queued(app: &App, account: &Known) -> Result<Json<Value>, Problem> {
    let next = app.store.queued_faults(&account.id).await?;
    Ok(Json(json!({ "next": next })))
}

async fn faults(State(app): State<App>, account: Known) -> Result<Json<Value>, Problem> {
    queued(&app, &account).await
}

async fn queue(
    State(app): State<App>,
    account: Known,
    request: Request,
) -> Result<Json<Value>, Problem> {
    #[derive(Deserialize)]
    struct Next {
        next: Vec<Fault>,
    }
    let Next { next } = read(json(request).await?)?;
    if next
        .iter()
        .any(|fault| matches!(fault, Fault::Slow { ms } if *ms > SLOWEST))
    {
        return Err(invalid(format!("`slow` takes at most {SLOWEST} ms.")));
    }
    if !next.is_empty() && !app.store.queue_faults(account.id.clone(), next).await? {
        return Err(invalid(format!(
            "At most {MOST_FAULTS} faults can be queued."
        )));
    }
    queued(&app, &account).await
}

async fn clear(State(app): State<App>, account: Known) -> Result<StatusCode, Problem> {
    app.store.clear_faults(account.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn clock(
    State(app): State<App>,
    account: Known,
    request: Request,
) -> Result<Json<Value>, Problem> {
    #[derive(Deserialize)]
    struct Advance {
        advance_ms: Ms,
    }
    let Advance { advance_ms } = read(json(request).await?)?;
    let ahead_ms = app.store.advance(account.id.clone(), advance_ms).await?;
    let now = app.store.now(&account.id).await?;
    Ok(Json(json!({ "ahead_ms": ahead_ms, "now": now })))
}

/// How often a change of settings is tried that others come between.
const TRIES: usize = 16;

async fn settings(account: Known) -> Response {
    Json(account.settings).into_response()
}

async fn change(
    State(app): State<App>,
    mut account: Known,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, Problem> {
    let body = json(request).await?;
    let members = body
        .as_object()
        .ok_or_else(|| invalid("The body has to be a JSON object."))?;
    for _ in 0..TRIES {
        let to = account
            .changes
            .merge(members)
            .map_err(|error| invalid(format!("{error}.")))?;
        let now = app.store.now(&account.id).await?;
        let to = to.clone().graced(&app.defaults.with(&to), now);
        let settings = app.defaults.with(&to);
        let ask = ChangeSettings {
            account: account.id,
            from: account.changes,
            to,
            sweeps: settings.sweeps(),
        };
        if app.store.change(ask).await? {
            return Ok(Json(settings).into_response());
        }
        // Another change came in between: this one goes on top of it.
        account = app.identify(&headers).await?.ok_or_else(unauthorized)?;
    }
    Err(StoreError::Crowded.into())
}

#[derive(Serialize)]
struct Line {
    id: ChargeId,
    amount: u32,
    currency: Currency,
    processor_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund_of: Option<String>,
    at: Ms,
}

impl From<Entry> for Line {
    fn from(entry: Entry) -> Self {
        Self {
            id: entry.id,
            amount: entry.amount,
            currency: entry.currency,
            processor_key: entry.processor_key,
            refund_of: entry.refund_of,
            at: entry.created_at,
        }
    }
}

/// What the card processor really did: money taken, cards declined, money given back.
async fn ledger(State(app): State<App>, account: Known) -> Result<Response, Problem> {
    #[derive(Default, Serialize)]
    struct Books {
        charges: Vec<Line>,
        declined: Vec<Line>,
        refunds: Vec<Line>,
    }
    let mut books = Books::default();
    for entry in app.ledger.entries(&account.id).await? {
        let page = match (entry.paid, &entry.refund_of) {
            (Paid::Declined, _) => &mut books.declined,
            (Paid::Succeeded, Some(_)) => &mut books.refunds,
            (Paid::Succeeded, None) => &mut books.charges,
        };
        page.push(entry.into());
    }
    Ok(Json(books).into_response())
}

#[derive(Serialize)]
struct KeyLine {
    key: String,
    state: String,
    point: String,
    token: u32,
    lease_left_ms: Option<Ms>,
    status: Option<u16>,
    charge: Option<String>,
    fingerprint: String,
    claimed_at: Ms,
    expires_at: Ms,
    expired: bool,
}

impl KeyLine {
    fn new(row: KeyRow, now: Ms) -> Self {
        Self {
            key: row.key,
            state: row.state,
            point: row.point,
            token: row.token,
            lease_left_ms: row.lease_until.map(|until| until.saturating_sub(now)),
            status: row.status,
            charge: row.charge,
            fingerprint: row.fingerprint.to_string(),
            claimed_at: row.claimed_at,
            expires_at: row.expires_at,
            expired: now >= row.expires_at,
        }
    }
}

/// The key records as stored, the last claimed first.
async fn keys(State(app): State<App>, account: Known) -> Result<Response, Problem> {
    #[derive(Serialize)]
    struct Keys {
        now: Ms,
        keys: Vec<KeyLine>,
    }
    let rows = app.store.keys(&account.id, SHOWN).await?;
    let now = app.store.now(&account.id).await?;
    let keys = rows.into_iter().map(|row| KeyLine::new(row, now)).collect();
    Ok(Json(Keys { now, keys }).into_response())
}

/// Ends what runs on a pod, and forgets what only its memory knew.
async fn restart(
    State(app): State<App>,
    account: Known,
    pod: Result<Path<u32>, PathRejection>,
) -> Result<StatusCode, Problem> {
    let pod = pod.map_or(0, |Path(pod)| pod);
    let pods = account.settings.pods;
    if !(1..=pods).contains(&pod) {
        return Err(invalid(format!(
            "The pods of this sandbox are 1 to {pods}."
        )));
    }
    app.pods.restart(&account.id, pod);
    if let Some(outbox) = &app.outbox {
        outbox.restart(account.id.clone(), pod);
    }
    app.store.forget_pod(account.id, pod).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Empties the sandbox. Its settings and its clock stay.
async fn reset(State(app): State<App>, account: Known) -> Result<StatusCode, Problem> {
    app.store.reset(account.id.clone()).await?;
    app.ledger.clear(account.id.clone()).await?;
    app.room.forget(&account.id);
    app.live.clear(&account.id).await;
    Ok(StatusCode::NO_CONTENT)
}
