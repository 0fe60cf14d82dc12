//! Two servers on one PostgreSQL: what one has done holds at the other.
//!
//! That each row is deleted once although both delete is in `upkeep.rs`, which runs
//! with two servers on either store.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::cluster::Cluster;
use common::database::Database;
use common::stream::Stream;
use common::{ORDER, Sandbox, Service, problem, until};
use futures::future::join_all;
use model::world::{LiveFact, What};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Barrier;

/// Both servers, and one sandbox reached through either.
struct Two {
    a: Service,
    b: Service,
    at_a: Sandbox,
    at_b: Sandbox,
}

impl Two {
    async fn start() -> Self {
        Self::on(Database::postgres()).await
    }

    async fn on(database: Database) -> Self {
        let args = ["--rate", "1000000", "--upkeep", "50ms"];
        let a = Service::on(database, &args).await;
        let b = a.beside(&args).await;
        let at_a = a.sandbox().await;
        let at_b = b.reach(&at_a);
        Self { a, b, at_a, at_b }
    }
}

/// One request on a connection of its own, sent when all are connected: status and
/// body.
async fn sent_at_once(address: String, bytes: String, all: Arc<Barrier>) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    all.wait().await;
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut back = String::new();
    stream.read_to_string(&mut back).await.unwrap();
    let (head, body) = back.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_connections_on_one_key_make_one_charge_on_postgres() {
    const EACH: usize = 500;
    // Both ends of each connection are in this process.
    rlimit::increase_nofile_limit(4_096).unwrap();
    let two = Two::start().await;
    let request = two.at_a.raw("one", ORDER);
    let request = request.replacen("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1);
    let all = Arc::new(Barrier::new(2 * EACH));
    let sent = (0..2 * EACH).map(|n| {
        let address = [&two.at_a, &two.at_b][n % 2].address.clone();
        tokio::spawn(sent_at_once(address, request.clone(), all.clone()))
    });
    let mut answers = BTreeMap::<u16, Vec<String>>::new();
    for sent in sent.collect::<Vec<_>>() {
        let (status, body) = sent.await.unwrap();
        answers.entry(status).or_default().push(body);
    }
    let counts: Vec<_> = answers
        .iter()
        .map(|(status, all)| (*status, all.len()))
        .collect();
    println!("{counts:?}");
    // The charge, its replays, and 409 for who came while it was made.
    let paid = &answers[&201];
    assert!(paid.iter().all(|body| *body == paid[0]));
    let busy = answers.get(&409).map_or(0, Vec::len);
    assert_eq!(paid.len() + busy, 2 * EACH, "{counts:?}");
    for sandbox in [&two.at_a, &two.at_b] {
        let replay = sandbox.charge("one", ORDER).send().await.unwrap();
        assert_eq!(replay.headers()["idempotency-replayed"], "true");
        assert_eq!(replay.text().await.unwrap(), paid[0]);
        assert_eq!(sandbox.taken().await, [4000]);
        assert_eq!(
            sandbox.get("/lab/keys").await["keys"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
    }
}

#[tokio::test]
async fn what_is_set_at_one_holds_at_the_other_on_postgres() {
    let two = Two::start().await;
    two.at_a.settings(json!({"keyless": "allow"})).await;
    assert_eq!(two.at_b.get("/lab/settings").await["keyless"], "allow");
    let charge = two.at_b.keyless(ORDER).send().await.unwrap();
    assert_eq!(charge.status(), 201);
    // Faults are taken in the order in which they were queued, by whichever server.
    let next = json!([{"fault": "declined"}, {"fault": "processor_503"}, {"fault": "none"}]);
    two.at_a.faults(next.clone()).await;
    assert_eq!(two.at_b.get("/lab/faults").await["next"], next);
    let mut statuses = Vec::new();
    for (n, sandbox) in [&two.at_b, &two.at_a, &two.at_b, &two.at_a]
        .iter()
        .enumerate()
    {
        let sent = sandbox.charge(&format!("f-{n}"), ORDER).send();
        statuses.push(sent.await.unwrap().status().as_u16());
    }
    assert_eq!(statuses, [402, 503, 201, 201]);
    // The clock that is moved at one runs out at the other.
    two.at_a.advance(86_400_001).await;
    let late = two.at_b.charge("f-0", ORDER).send().await.unwrap();
    assert_eq!(problem(late).await.1, "idempotency-key-expired");
    two.at_b
        .lab("POST", "/lab/clock", json!({"advance_ms": 5}))
        .await;
    let ahead = two
        .at_a
        .lab("POST", "/lab/clock", json!({"advance_ms": 0}))
        .await;
    assert_eq!(ahead["ahead_ms"], 86_400_006);
}

#[tokio::test]
async fn each_fault_is_met_once_whoever_takes_it_on_postgres() {
    let two = Two::start().await;
    let faults = vec![json!({"fault": "declined"}); 20];
    two.at_a.faults(Value::Array(faults)).await;
    let sent = (0..40).map(|n| {
        let sandbox = [&two.at_a, &two.at_b][n % 2];
        sandbox.charge(&format!("k-{n}"), ORDER).send()
    });
    let statuses: Vec<_> = join_all(sent).await;
    let declined = statuses
        .iter()
        .filter(|sent| sent.as_ref().unwrap().status() == 402);
    assert_eq!(declined.count(), 20);
    assert_eq!(two.at_b.get("/lab/faults").await["next"], json!([]));
}

#[tokio::test]
async fn what_one_left_behind_the_other_takes_over_on_postgres() {
    let two = Two::start().await;
    for fault in [
        "crash_before_charge",
        "crash_after_charge",
        "crash_before_save",
    ] {
        two.at_a.faults(json!([{ "fault": fault }])).await;
        assert!(two.at_a.charge(fault, ORDER).send().await.is_err());
        let early = two.at_b.charge(fault, ORDER).send().await.unwrap();
        assert_eq!(problem(early).await.1, "idempotency-key-in-progress");
    }
    two.at_a.advance(30_001).await;
    for fault in [
        "crash_before_charge",
        "crash_after_charge",
        "crash_before_save",
    ] {
        // Both at once: one takes over, and the other is told to come back or replays.
        let both = [&two.at_a, &two.at_b].map(|sandbox| sandbox.charge(fault, ORDER).send());
        let both: Vec<_> = join_all(both)
            .await
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert!(both.iter().any(|reply| reply.status() == 201));
        assert!(
            both.iter()
                .all(|reply| [201, 409].contains(&reply.status().as_u16()))
        );
        let replay = two.at_b.charge(fault, ORDER).send().await.unwrap();
        assert_eq!(replay.headers()["idempotency-replayed"], "true");
    }
    assert_eq!(two.at_b.taken().await, [4000; 3]);
    let takeovers = two.a.metric("charge_once_takeovers_total").await
        + two.b.metric("charge_once_takeovers_total").await;
    assert_eq!(takeovers, 3);
    assert_eq!(two.at_a.get("/lab/settlement").await["clean"], true);
}

#[tokio::test]
async fn a_retry_waits_at_one_for_the_attempt_at_the_other_on_postgres() {
    let two = Two::start().await;
    two.at_a.faults(json!([{"fault": "slow", "ms": 800}])).await;
    let first = tokio::spawn(two.at_a.charge("k", ORDER).send());
    until("the key is claimed", || async {
        two.at_b.get("/lab/keys").await["keys"][0]["state"] == "running"
    })
    .await;
    let retry = two.at_b.charge("k", ORDER).header("Prefer", "wait=8");
    let retry = retry.send().await.unwrap();
    assert_eq!(retry.status(), 201);
    assert_eq!(retry.headers()["preference-applied"], "wait");
    assert_eq!(retry.headers()["idempotency-replayed"], "true");
    let first = first.await.unwrap().unwrap();
    assert_eq!(retry.text().await.unwrap(), first.text().await.unwrap());
    assert_eq!(two.at_a.taken().await, [4000]);
}

#[tokio::test]
async fn a_charge_is_given_back_once_by_both_on_postgres() {
    let two = Two::start().await;
    let charge = two.at_a.charge("c", ORDER).send().await.unwrap();
    let charge = charge.json::<Value>().await.unwrap()["id"].clone();
    let path = format!("/charges/{}/refunds", charge.as_str().unwrap());
    // Each key at both servers, all at once.
    let sent = (0..16).map(|n| {
        let sandbox = [&two.at_a, &two.at_b][n % 2];
        let refund = sandbox.request("POST", &path);
        refund
            .header("Idempotency-Key", format!("r-{}", n / 2))
            .send()
    });
    let mut ids = Vec::new();
    for reply in join_all(sent).await {
        let reply = reply.unwrap();
        match reply.status().as_u16() {
            201 => ids.push(reply.json::<Value>().await.unwrap()["id"].clone()),
            status => assert_eq!(status, 409),
        }
    }
    assert!(
        ids.len() >= 8 && ids.iter().all(|id| *id == ids[0]),
        "{ids:?}"
    );
    let ledger = two.at_b.get("/lab/ledger").await;
    assert_eq!(ledger["refunds"].as_array().unwrap().len(), 1);
    assert_eq!(two.at_a.get("/lab/settlement").await["clean"], true);
}

#[tokio::test]
async fn what_runs_on_a_pod_ends_wherever_it_is_restarted_on_postgres() {
    let two = Two::start().await;
    two.at_a.settings(json!({"pods": 2})).await;
    two.at_a
        .faults(json!([{"fault": "slow", "ms": 15_000}]))
        .await;
    let slow = two.at_a.charge("k", ORDER).header("X-Lab-Pod", "1");
    let slow = tokio::spawn(slow.send());
    until("the key is claimed", || async {
        two.at_b.get("/lab/keys").await["keys"][0]["state"] == "running"
    })
    .await;
    let restart = two.at_b.request("POST", "/lab/pods/1/restart").send().await;
    assert_eq!(restart.unwrap().status(), 204);
    assert!(slow.await.unwrap().is_err(), "no reply from a dead pod");
}

/// Sends a charge by this name.
async fn send(sandbox: &Sandbox, name: &str) {
    let charge = sandbox.charge(name, ORDER).header("X-Request-Id", name);
    assert_eq!(charge.send().await.unwrap().status(), 201);
}

/// The names in the facts, each once for facts that follow each other.
fn names(facts: &[LiveFact]) -> Vec<&str> {
    let mut names: Vec<_> = facts.iter().map(|fact| fact.request.as_str()).collect();
    names.dedup();
    names
}

#[tokio::test]
async fn both_tell_the_same_facts_under_the_same_ids_on_postgres() {
    let two = Two::start().await;
    let mut b = Stream::open(&two.at_b, None).await;
    b.hello().await;
    let mut a = Stream::open(&two.at_a, None).await;
    a.hello().await;
    send(&two.at_a, "first").await;
    send(&two.at_b, "second").await;
    let first_ten = a.facts(10).await;
    assert_eq!(first_ten, b.facts(10).await);
    // Which server tells first is open; what each tells keeps its order.
    for name in ["first", "second"] {
        let own: Vec<_> = first_ten
            .iter()
            .filter(|fact| fact.request == name)
            .collect();
        assert!(matches!(own[0].what, What::Arrived));
        assert!(matches!(own[3].what, What::Saved { .. }));
        assert!(matches!(own[4].what, What::Replied(_)));
    }
    // Many at once: one order, without a gap, at both.
    let many = (0..40).map(|n| {
        let sandbox = [&two.at_a, &two.at_b][n % 2].clone();
        async move { send(&sandbox, &format!("many-{n}")).await }
    });
    join_all(many).await;
    let (at_a, at_b) = (a.facts(200).await, b.facts(200).await);
    assert_eq!(at_a, at_b);
    // A browser that was at A goes on at B, where it stopped reading.
    drop(a);
    let mut resumed = Stream::open(&two.at_b, Some(at_a[150].id)).await;
    resumed.hello().await;
    assert_eq!(resumed.facts(49).await, at_a[151..]);
    // Who comes late finds what is kept, also at a server that starts late.
    let late = two.a.beside(&[]).await;
    send(&two.at_a, "last").await;
    let mut late_at_b = Stream::open(&two.at_b, None).await;
    late_at_b.hello().await;
    assert_eq!(late_at_b.facts(215).await[..10], first_ten);
    let mut at_late = Stream::open(&late.reach(&two.at_a), Some(at_a[199].id)).await;
    at_late.hello().await;
    assert_eq!(names(&at_late.facts(5).await), ["last"]);
}

#[tokio::test]
async fn who_has_the_reply_finds_the_facts_of_the_other_as_well_on_postgres() {
    let two = Two::start().await;
    send(&two.at_a, "one").await;
    // At the server that replied they are there already.
    let mut a = Stream::open(&two.at_a, None).await;
    let hello = a.hello().await;
    let facts = a.facts(5).await;
    assert_eq!(hello["last"], facts[4].id);
    let mut b = Stream::open(&two.at_b, None).await;
    b.hello().await;
    assert_eq!(b.facts(5).await, facts);
}

#[tokio::test]
async fn a_reset_forgets_the_facts_of_all_on_postgres() {
    let two = Two::start().await;
    send(&two.at_a, "before").await;
    let mut b = Stream::open(&two.at_b, None).await;
    b.hello().await;
    let before = b.facts(5).await;
    let reset = two.at_a.request("POST", "/lab/reset").send().await.unwrap();
    assert_eq!(reset.status(), 204);
    assert!(two.at_b.taken().await.is_empty());
    send(&two.at_b, "after").await;
    for sandbox in [&two.at_a, &two.at_b] {
        let mut stream = Stream::open(sandbox, None).await;
        stream.hello().await;
        let facts = stream.facts(5).await;
        assert_eq!(names(&facts), ["after"]);
        // Ids go on, so that a reader who was there goes on as well.
        assert_eq!(facts[0].id, before[4].id + 1);
    }
    assert_eq!(names(&b.facts(5).await), ["after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_of_the_database_is_a_gap_and_no_more_on_postgres() {
    let cluster = Cluster::start(false);
    let two = Two::on(Database::at(&cluster.url())).await;
    two.at_a.settings(json!({"lease_ms": 400})).await;
    let mut b = Stream::open(&two.at_b, None).await;
    b.hello().await;
    send(&two.at_a, "before").await;
    let before = b.facts(5).await;
    tokio::task::block_in_place(|| cluster.crash());
    let gap = b.next().await.unwrap();
    // How many facts are gone, if any, nobody can tell.
    let gone = ("gap", r#"{"dropped":null}"#);
    assert_eq!((gap.kind.as_str(), gap.data.as_str()), gone);
    // Connections of both are broken. A client does what it does then: it tries again,
    // also when a lease has to run out that was left behind.
    until("a charge is answered again", || async {
        let charge = two.at_a.charge("after", ORDER);
        let charge = charge.header("X-Request-Id", "after").send();
        charge.await.unwrap().status() == 201
    })
    .await;
    assert_eq!(two.at_a.taken().await, [4000, 4000]);
    let after = until_paid(&mut b).await;
    assert!(after.iter().all(|fact| fact.id > before[4].id));
    let mut resumed = Stream::open(&two.at_b, Some(before[4].id)).await;
    resumed.hello().await;
    let gap = resumed.next().await.unwrap();
    assert_eq!((gap.kind.as_str(), gap.data.as_str()), gone);
    assert_eq!(until_paid(&mut resumed).await, after);
}

/// Whoever asks first when the database is back finds connections that look fine and
/// are lost. That is the server's own affair, as long as nothing was in flight.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_to_ask_after_a_restart_are_served_on_postgres() {
    let cluster = Cluster::start(false);
    let two = Two::on(Database::at(&cluster.url())).await;
    let all = async |round: &str| {
        join_all((0..12).map(async |at| {
            let charge = two.at_a.charge(&format!("{round}-{at}"), ORDER).send();
            charge.await.unwrap().status().as_u16()
        }))
        .await
    };
    assert_eq!(all("before").await, [201; 12]);
    for round in ["first", "second"] {
        tokio::task::block_in_place(|| cluster.crash());
        let settlement = two.at_a.get("/lab/settlement").await;
        assert_eq!(settlement["clean"], true);
        assert_eq!(all(round).await, [201; 12]);
    }
    tokio::task::block_in_place(|| cluster.crash());
    assert_eq!(all("third").await, [201; 12]);
    assert_eq!(two.at_b.taken().await.len(), 4 * 12);
}

/// The facts up to the reply that a charge was made.
async fn until_paid(stream: &mut Stream) -> Vec<LiveFact> {
    let mut facts = Vec::<LiveFact>::new();
    let paid = |what: &What| matches!(what, What::Replied(reply) if reply.status == 201);
    while !facts.last().is_some_and(|fact| paid(&fact.what)) {
        let event = stream.next().await.unwrap();
        if event.kind == "message" {
            facts.push(serde_json::from_str(&event.data).unwrap());
        }
    }
    facts
}
