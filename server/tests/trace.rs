//! The live trace: order, resuming, gaps, endings.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use common::stream::Stream;
use common::{ORDER, Sandbox, Service, database, problem};
use model::protocol::Paid;
use model::world::{Found, Said, What};
use serde_json::json;

async fn send(sandbox: &Sandbox, id: &str) -> bool {
    sandbox
        .charge("k", ORDER)
        .header("X-Request-Id", id)
        .send()
        .await
        .is_ok()
}

#[tokio::test]
async fn facts_come_in_order_while_they_happen() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let mut stream = Stream::open(&sandbox, None).await;
    let hello = stream.hello().await;
    assert!(hello["now"].as_u64().unwrap() > 1_700_000_000_000);
    sandbox
        .faults(json!([{"fault":"lose_reply"},{"fault":"lose_request"}]))
        .await;
    assert!(!send(&sandbox, "first").await);
    assert!(!send(&sandbox, "second").await);
    assert!(send(&sandbox, "third").await);
    let facts = stream.facts(10).await;
    let last = hello["last"].as_u64().unwrap();
    assert!(facts[0].id > last);
    // Where several servers share them, the first id is known with the first fact.
    assert!(facts[0].id == last + 1 || database::on_postgres());
    let told: Vec<_> = facts
        .iter()
        .map(|fact| (fact.request.as_str(), &fact.what))
        .collect();
    let charge = match told[2].1 {
        What::Charged {
            keyed: true,
            said:
                Said::Final {
                    paid: Paid::Succeeded,
                    charge,
                },
        } => charge,
        other => panic!("{other:?}"),
    };
    assert_eq!(told[0], ("first", &What::Arrived));
    let asked = facts[0].asked.as_ref().unwrap();
    assert_eq!((asked.key.as_deref(), asked.amount), (Some("k"), 4000));
    let key = || String::from("k");
    assert_eq!(
        *told[1].1,
        What::Claimed {
            key: key(),
            found: Found::New {
                lease_ms: Some(30_000),
                token: 1
            }
        }
    );
    assert_eq!(
        *told[3].1,
        What::Saved {
            key: key(),
            status: 201,
            charge: charge.clone(),
            written: true
        }
    );
    assert!(matches!(told[4].1, What::Replied(a) if a.status == 201 && !a.replayed));
    assert_eq!(told[5], ("first", &What::ReplyLost));
    assert_eq!(told[6], ("second", &What::RequestLost));
    assert_eq!(told[7], ("third", &What::Arrived));
    assert_eq!(
        *told[8].1,
        What::Claimed {
            key: key(),
            found: Found::Done {
                status: 201,
                charge: charge.clone()
            }
        }
    );
    assert!(matches!(told[9].1, What::Replied(a) if a.status == 201 && a.replayed));
    for fact in &facts {
        let calls = matches!(
            fact.what,
            What::Claimed { .. } | What::Charged { .. } | What::Saved { .. }
        );
        assert_eq!(fact.call.is_some(), calls, "{fact:?}");
        assert!(
            fact.call
                .is_none_or(|call| call.sent <= fact.at && fact.at <= call.back)
        );
    }
}

#[tokio::test]
async fn who_has_the_reply_finds_the_facts_and_a_dropped_stream_resumes() {
    let service = Service::start().await;
    let (sandbox, other) = (service.sandbox().await, service.sandbox().await);
    assert!(send(&other, "theirs").await);
    assert!(send(&sandbox, "ours").await);
    let mut stream = Stream::open(&sandbox, None).await;
    let hello = stream.hello().await;
    let facts = stream.facts(5).await;
    assert_eq!(hello["last"].as_u64(), Some(facts[4].id));
    assert!(facts.iter().all(|fact| fact.request == "ours"));
    drop(stream);
    assert!(send(&sandbox, "later").await);
    let mut stream = Stream::open(&sandbox, Some(facts[2].id)).await;
    stream.hello().await;
    let rest = stream.facts(5).await;
    assert_eq!(rest[0], facts[3]);
    assert_eq!(rest[1], facts[4]);
    assert_eq!(rest[2].request, "later");
    // What is no longer kept is said to be missing.
    let mut stream = Stream::open(&sandbox, Some(facts[0].id - 8)).await;
    stream.hello().await;
    let gap = stream.next().await.unwrap();
    assert_eq!(
        (gap.kind.as_str(), gap.data.as_str()),
        ("gap", r#"{"dropped":7}"#)
    );
    assert_eq!(stream.facts(8).await[0], facts[0]);
    let bad = sandbox
        .request("GET", "/lab/trace")
        .header("Last-Event-ID", "x")
        .send()
        .await;
    assert_eq!(problem(bad.unwrap()).await.0, 400);
}

#[tokio::test]
async fn crashes_refusals_and_clients_that_left_are_told() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let mut stream = Stream::open(&sandbox, None).await;
    stream.hello().await;
    sandbox
        .faults(json!([{"fault":"crash_before_charge"}]))
        .await;
    assert!(!send(&sandbox, "a").await);
    let facts = stream.facts(3).await;
    assert_eq!(facts[2].what, What::Crashed);
    assert!(send(&sandbox, "b").await);
    let facts = stream.facts(3).await;
    assert!(matches!(
        &facts[1].what,
        What::Claimed {
            found: Found::InProgress { .. },
            ..
        }
    ));
    assert!(
        matches!(&facts[2].what, What::Replied(a) if a.status == 409 && a.retry_after_s >= Some(1))
    );
    sandbox.charge("a b", ORDER).send().await.unwrap();
    let facts = stream.facts(2).await;
    assert!(matches!(&facts[1].what, What::Replied(a) if a.status == 400));
    sandbox
        .faults(json!([{"fault":"processor_500"},{"fault":"slow","ms":400}]))
        .await;
    sandbox.charge("r", ORDER).send().await.unwrap();
    let facts = stream.facts(5).await;
    assert!(matches!(
        &facts[2].what,
        What::Charged {
            said: Said::Trouble { status: 500 },
            ..
        }
    ));
    assert!(matches!(&facts[3].what, What::Released { key } if key == "r"));
    let left = sandbox
        .charge("r", ORDER)
        .timeout(Duration::from_millis(150))
        .send()
        .await;
    assert!(left.is_err());
    let facts = stream.facts(5).await;
    assert!(matches!(
        &facts[1].what,
        What::Claimed {
            found: Found::TakenOver { token: 2, .. },
            ..
        }
    ));
    assert!(
        facts[2]
            .call
            .is_some_and(|call| call.back >= facts[2].at + 400)
    );
    assert!(matches!(&facts[4].what, What::Unheard(a) if a.status == 201));
}

#[tokio::test]
async fn a_shutdown_ends_the_streams() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let mut stream = Stream::open(&sandbox, None).await;
    stream.hello().await;
    let stopped = tokio::time::timeout(Duration::from_secs(3), service.stop());
    let (stopped, end) = tokio::join!(stopped, stream.next());
    assert!(stopped.is_ok(), "the stream held the shutdown up");
    assert!(end.is_none());
}
