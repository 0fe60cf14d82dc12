//! The routes of charges.

use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing};
use model::fault::Fault;
use model::protocol::admission::{self, Admission, Front, KeyHeader, admit};
use model::protocol::{Fingerprint, IdempotencyKey, Keyless};
use model::world::{Answered, Asked, What};
use serde::{Deserialize, Serialize};

use super::driver::Job;
use super::key_header::{self, Malformed};
use super::order::Order;
use super::receive::{self, Received};
use super::reply::ChargeBody;
use super::{body, receive::receive};
use crate::accounts::Known;
use crate::id::{ChargeId, RequestId};
use crate::lab::live::Scribe;
use crate::problem::{Kind, Problem};
use crate::serve::Abort;
use crate::state::App;

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/charges", routing::post(create).get(list))
        .route("/charges/{id}", routing::get(read))
}

/// A body as it stands in the precedence table, with what is to be said about it.
struct Read {
    body: admission::Body,
    order: Option<Order>,
    canonical: Vec<u8>,
    problem: Option<Problem>,
}

impl Read {
    fn bad(body: admission::Body, problem: Problem) -> Self {
        Self {
            body,
            order: None,
            canonical: Vec::new(),
            problem: Some(problem),
        }
    }
}

async fn create(State(app): State<App>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let account = match app.identify(&parts.headers).await {
        Ok(Some(account)) => account,
        Ok(None) => {
            let problem = unauthorized();
            let drained = receive::discard(&parts.headers, body).await;
            return if drained { problem } else { problem.closing() }.into_response();
        }
        Err(error) => return Problem::from(error).closing().into_response(),
    };
    let request = parts
        .extensions
        .get()
        .cloned()
        .unwrap_or_else(RequestId::random);
    let scribe = Scribe::new(app.live.channel(&account.id), request);
    // One fault for each attempt that arrives, whatever becomes of the attempt.
    let fault = app.faults.take(&account.id);
    let read = match read_body(&parts, body).await {
        Ok(read) => read,
        Err(problem) => return problem.into_response(),
    };
    let key = key_header::read(&parts.headers);
    let asked = asked(read.order.as_ref(), &key);
    if fault == Fault::LoseRequest {
        // The service never sees it: no key is claimed, no trace but this one.
        scribe.begin(asked, What::RequestLost);
        return lose(&app, &account).await;
    }
    scribe.begin(asked, What::Arrived);
    let response = match front(&account, read, key, &parts) {
        Err(problem) => {
            scribe.tell(What::Replied(answered(&problem)));
            if fault == Fault::LoseReply {
                scribe.tell(What::ReplyLost);
            }
            problem.into_response()
        }
        Ok((order, fingerprint, key)) => {
            let job = Job {
                account: account.id.clone(),
                settings: account.settings.clone(),
                key,
                fingerprint,
                order,
                fault,
                scribe,
            };
            match app.driver.start(&app.shutdown, job).await {
                Ok(ending) => ending.into_response(),
                // It crashed, and a dead process sends nothing.
                Err(_) => return abort(),
            }
        }
    };
    if fault == Fault::LoseReply {
        return lose(&app, &account).await;
    }
    response
}

type Admitted = (Order, Fingerprint, Option<IdempotencyKey>);

/// The rows of the precedence table that need no store.
fn front(
    account: &Known,
    read: Read,
    key: Result<Option<IdempotencyKey>, Malformed>,
    parts: &Parts,
) -> Result<Admitted, Problem> {
    let front = Front {
        known: true,
        over_rate_s: None,
        body: read.body,
        key: match &key {
            Ok(Some(_)) => KeyHeader::Valid,
            Ok(None) => KeyHeader::Missing,
            Err(_) => KeyHeader::Malformed,
        },
        keyless_allowed: account.settings.keyless == Keyless::Allow,
    };
    let refusal = match admit::<(), ChargeId>(&front, None, &account.settings.design) {
        Admission::Fresh => None,
        Admission::Unauthorized => Some(unauthorized()),
        Admission::OverRate { retry_after_s } => Some(
            Problem::new(Kind::OverRate, "This sandbox sends too much.")
                .retry_after(Some(retry_after_s)),
        ),
        Admission::KeyMalformed => Some(Problem::new(
            Kind::KeyMalformed,
            match &key {
                Err(why) => format!("The Idempotency-Key header is no key: {why}."),
                Ok(_) => String::from("The Idempotency-Key header is no key."),
            },
        )),
        Admission::KeyMissing => Some(Problem::new(
            Kind::KeyMissing,
            "Send an Idempotency-Key header: a new random key for each payment, and the same key \
             again with each retry of it.",
        )),
        // What is wrong with the body was found when it was read.
        _ => read.problem,
    };
    match (refusal, read.order, key) {
        (None, Some(order), Ok(key)) => {
            let fingerprint =
                Fingerprint::of(parts.method.as_str(), parts.uri.path(), &read.canonical);
            Ok((order, fingerprint, key))
        }
        (Some(problem), ..) => Err(problem),
        (None, ..) => Err(Problem::new(
            Kind::Internal,
            "The request could not be judged.",
        )),
    }
}

async fn read_body(parts: &Parts, body: Body) -> Result<Read, Problem> {
    use admission::Body as Row;
    let bytes = match receive(&parts.headers, body).await {
        Received::Whole(bytes) => bytes,
        Received::TooLarge { drained } => {
            return Ok(Read::bad(Row::TooLarge, receive::too_large(drained)));
        }
        // There is nobody to whom an order of precedence would matter.
        Received::Broken => return Err(receive::broken()),
    };
    if !body::is_json(
        parts
            .headers
            .get(CONTENT_TYPE)
            .map(|value| value.as_bytes()),
    ) {
        let problem = Problem::new(Kind::OtherType, "Send Content-Type: application/json.");
        return Ok(Read::bad(Row::OtherType, problem));
    }
    let parsed = body::parse(&bytes).and_then(|value| Ok((body::canonical(&value)?, value)));
    let (canonical, value) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let problem = Problem::new(Kind::NotJson, error.to_string());
            return Ok(Read::bad(Row::NotJson, problem));
        }
    };
    Ok(match Order::read(&value) {
        Ok(order) => Read {
            body: Row::Valid,
            order: Some(order),
            canonical,
            problem: None,
        },
        Err(detail) => Read::bad(Row::Invalid, Problem::new(Kind::InvalidCharge, detail)),
    })
}

fn asked(order: Option<&Order>, key: &Result<Option<IdempotencyKey>, Malformed>) -> Option<Asked> {
    let key = key.as_ref().ok()?;
    order.map(|order| Asked {
        key: key.as_ref().map(ToString::to_string),
        amount: order.amount.into(),
        currency: order.currency,
    })
}

fn answered(problem: &Problem) -> Answered {
    Answered {
        status: problem.kind().status(),
        retry_after_s: problem.retry_after_s(),
        ..Answered::default()
    }
}

pub(crate) fn unauthorized() -> Problem {
    Problem::new(
        Kind::Unauthorized,
        "Send Authorization: Bearer with the token of a sandbox. POST /sandboxes makes one.",
    )
}

/// Loses a message: the connection is held without a byte, then closed.
async fn lose(app: &App, account: &Known) -> Response {
    let hold = std::time::Duration::from_millis(account.settings.hold_ms);
    tokio::select! {
        () = tokio::time::sleep(hold) => {}
        () = app.shutdown.begun() => {}
    }
    abort()
}

fn abort() -> Response {
    let mut response = Response::default();
    response.extensions_mut().insert(Abort);
    response
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
