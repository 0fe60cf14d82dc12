//! From a request to an attempt: the rows of the precedence table that need no
//! store, and the faults of the network on the way in and out.

use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use model::fault::Fault;
use model::protocol::admission::{self, Admission, Front, KeyHeader, admit};
use model::protocol::{Fingerprint, IdempotencyKey, Keyless, Reply};
use model::world::{Answered, Asked, What};

use super::body;
use super::driver::{Ending, Job};
use super::grace::grace;
use super::key_header::{self, Malformed};
use super::order::{Order, Work};
use super::prefer;
use super::receive::{self, Received, receive};
use super::reply::{FULL, full};
use super::store::{Charge, Intent, StoreError};
use super::wish::{POD, Wish};
use crate::accounts::{Known, over_rate};
use crate::id::{ChargeId, RequestId};
use crate::lab::live::Scribe;
use crate::problem::{Kind, Problem};
use crate::serve::Abort;
use crate::state::App;

/// A body as it stands in the precedence table, with what is to be said about it.
struct Read {
    body: admission::Body,
    work: Option<Work>,
    canonical: Vec<u8>,
    problem: Option<Problem>,
}

impl Read {
    fn bad(body: admission::Body, problem: Problem) -> Self {
        Self {
            body,
            work: None,
            canonical: Vec::new(),
            problem: Some(problem),
        }
    }
}

/// Submits a charge or, with the id of one, its refund.
pub(super) async fn submit(app: App, request: Request, of: Option<String>) -> Response {
    let (metrics, start) = (app.metrics.clone(), Instant::now());
    let response = submitted(app, request, of).await;
    metrics.took(start.elapsed());
    response
}

async fn submitted(app: App, request: Request, of: Option<String>) -> Response {
    let (parts, body) = request.into_parts();
    let account = match app.identify(&parts.headers).await {
        Ok(Some(account)) => match app.flow.over(&account.id) {
            None => account,
            Some(seconds) => {
                app.metrics.request("refused");
                return unread(over_rate(seconds), &parts, body).await;
            }
        },
        Ok(None) => return unread(unauthorized(), &parts, body).await,
        Err(error) => return unread(error.into(), &parts, body).await,
    };
    let wish = match Wish::read(&parts.headers) {
        Ok(wish) => wish,
        Err(problem) => return unread(problem, &parts, body).await,
    };
    let request = parts
        .extensions
        .get()
        .cloned()
        .unwrap_or_else(RequestId::random);
    let (subject, scribe, fault) = match of {
        // One fault for each attempt that arrives, whatever becomes of the attempt.
        None => match next_fault(&app, &account).await {
            Ok(fault) => (
                None,
                Scribe::new(app.live.channel(&account.id), request),
                fault,
            ),
            Err(error) => return unread(error.into(), &parts, body).await,
        },
        Some(id) => match app.store.charge(&account.id, &id).await {
            Ok(Some(charge)) => (Some(charge), Scribe::silent(request), Fault::None),
            Ok(None) => return unread(Problem::not_found(), &parts, body).await,
            Err(error) => return unread(error.into(), &parts, body).await,
        },
    };
    let read = match read_body(&parts, body, subject).await {
        Ok(read) => read,
        Err(problem) => return problem.into_response(),
    };
    let key = key_header::read(&parts.headers);
    let asked = asked(read.work.as_ref(), &key);
    if fault == Fault::LoseRequest {
        // The service never sees it: no key is claimed, no trace but this one.
        app.metrics.request("lost");
        scribe.begin(asked, What::RequestLost);
        return lose(&app, &account).await;
    }
    scribe.begin(asked, What::Arrived);
    let grace = match grace(&app, &account, &key).await {
        Ok(grace) => grace,
        Err(error) => return Problem::from(error).into_response(),
    };
    let place = app.pods.enter(&account.id, account.settings.pods, wish.pod);
    let meant = wish.intent.clone().zip(read.work.as_ref().and_then(paid));
    let mut response = match front(&account, read, key, &parts, grace.is_some()) {
        Err(problem) => {
            app.metrics.request("refused");
            scribe.tell(What::Replied(answered(&problem)));
            if fault == Fault::LoseReply {
                scribe.tell(What::ReplyLost);
            }
            problem.into_response()
        }
        Ok((work, fingerprint, key)) => {
            let room = match app.room.take(&*app.store, &account.id).await {
                Ok(room) => room,
                Err(error) => return Problem::from(error).into_response(),
            };
            if let Some((intent, order)) = &meant
                && let Err(error) = app
                    .store
                    .intend(account.id.clone(), intended(intent, order, None))
                    .await
            {
                return Problem::from(error).into_response();
            }
            let (key, settings, generation) =
                wish.scope(key, &fingerprint, account.settings.clone(), place.pod);
            if key.is_none() && !room {
                scribe.tell(What::Replied(FULL));
                app.metrics.request("full");
                return full().into_response();
            }
            let job = Job {
                account: account.id.clone(),
                settings,
                key,
                fingerprint,
                work,
                fault,
                scribe,
                wait: prefer::wait(&parts.headers),
                room,
                intent: wish.intent.clone(),
                generation,
                life: place.life,
            };
            match app.driver.start(&app.shutdown, job).await {
                Ok(ending) => {
                    if let Some((intent, order)) = &meant
                        && fault != Fault::LoseReply
                        && let Ending::Reply { reply, .. } = &ending
                    {
                        let told = intended(intent, order, Some(reply));
                        if let Err(error) = app.store.intend(account.id.clone(), told).await {
                            tracing::warn!(%error, "what a client was told is not noted");
                        }
                    }
                    ending.into_response()
                }
                // It crashed, and a dead process sends nothing.
                Err(_) => return abort(),
            }
        }
    };
    if let Some(grace) = grace {
        grace.announce(response.headers_mut());
    }
    if account.settings.pods > 1 {
        response.headers_mut().insert(POD, place.pod.into());
    }
    if fault == Fault::LoseReply {
        return lose(&app, &account).await;
    }
    response
}

/// Takes the next fault off the queue, where there is one.
async fn next_fault(app: &App, account: &Known) -> Result<Fault, StoreError> {
    if account.faults {
        return app.store.take_fault(account.id.clone()).await;
    }
    Ok(Fault::None)
}

type Admitted = (Work, Fingerprint, Option<IdempotencyKey>);

/// The rows of the precedence table that need no store.
fn front(
    account: &Known,
    read: Read,
    key: Result<Option<IdempotencyKey>, Malformed>,
    parts: &Parts,
    graced: bool,
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
        keyless_allowed: match account.settings.keyless {
            Keyless::Allow | Keyless::Fingerprint => true,
            Keyless::Grace => graced,
            Keyless::Require => false,
        },
    };
    let refusal = match admit::<(), ChargeId>(&front, None, &account.settings.design) {
        Admission::Fresh => None,
        Admission::Unauthorized => Some(unauthorized()),
        Admission::OverRate { retry_after_s } => Some(over_rate(retry_after_s)),
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
    match (refusal, read.work, key) {
        (None, Some(work), Ok(key)) => {
            let fingerprint =
                Fingerprint::of(parts.method.as_str(), parts.uri.path(), &read.canonical);
            Ok((work, fingerprint, key))
        }
        (Some(problem), ..) => Err(problem),
        (None, ..) => Err(Problem::new(
            Kind::Internal,
            "The request could not be judged.",
        )),
    }
}

async fn read_body(parts: &Parts, body: Body, subject: Option<Charge>) -> Result<Read, Problem> {
    use admission::Body as Row;
    let bytes = match receive(&parts.headers, body).await {
        Received::Whole(bytes) => bytes,
        Received::TooLarge { drained } => {
            return Ok(Read::bad(Row::TooLarge, receive::too_large(drained)));
        }
        // There is nobody to whom an order of precedence would matter.
        Received::Broken => return Err(receive::broken()),
    };
    // There is nothing that a refund has to say.
    let bytes = match &subject {
        Some(_) if bytes.is_empty() => Bytes::from_static(b"{}"),
        _ => {
            let content_type = parts.headers.get(CONTENT_TYPE);
            if !body::is_json(content_type.map(|value| value.as_bytes())) {
                let problem = Problem::new(Kind::OtherType, "Send Content-Type: application/json.");
                return Ok(Read::bad(Row::OtherType, problem));
            }
            bytes
        }
    };
    let parsed = body::parse(&bytes).and_then(|value| Ok((body::canonical(&value)?, value)));
    let (canonical, value) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let problem = Problem::new(Kind::NotJson, error.to_string());
            return Ok(Read::bad(Row::NotJson, problem));
        }
    };
    let work = match subject {
        None => Order::read(&value).map(Work::Charge),
        Some(charge) => Work::refund(charge, &value),
    };
    Ok(match work {
        Ok(work) => Read {
            body: Row::Valid,
            work: Some(work),
            canonical,
            problem: None,
        },
        Err(detail) => Read::bad(Row::Invalid, Problem::new(Kind::InvalidCharge, detail)),
    })
}

fn asked(work: Option<&Work>, key: &Result<Option<IdempotencyKey>, Malformed>) -> Option<Asked> {
    let key = key.as_ref().ok()?;
    match work {
        Some(Work::Charge(order)) => Some(Asked {
            key: key.as_ref().map(ToString::to_string),
            amount: order.amount.into(),
            currency: order.currency,
        }),
        _ => None,
    }
}

fn paid(work: &Work) -> Option<Order> {
    match work {
        Work::Charge(order) => Some(order.clone()),
        Work::Refund(_) => None,
    }
}

/// A payment that the client named, with what it is told of it.
fn intended(intent: &str, order: &Order, reply: Option<&Reply<ChargeId>>) -> Intent {
    Intent {
        intent: intent.to_owned(),
        amount: order.amount.minor(),
        currency: order.currency,
        status: reply.map(Reply::status),
        charge: match reply {
            Some(Reply::Final { answer, .. }) => Some(answer.charge.to_string()),
            _ => None,
        },
    }
}

/// Refuses a request whose body is not looked at.
async fn unread(problem: Problem, parts: &Parts, body: Body) -> Response {
    let drained = receive::discard(&parts.headers, body).await;
    if drained { problem } else { problem.closing() }.into_response()
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
