//! The store itself, reached from two servers at once: what must hold whichever
//! database it is.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::database::Database;
use futures::future::join_all;
use model::fault::Fault;
use model::money::Currency;
use model::protocol::{
    Answer, Claim, Design, ExpiredRule, Fingerprint, IdempotencyKey, Outcome, Paid, ProcessorKey,
    RecoveryPoint, Refusal, Token,
};
use server::charges::scoped_key::ScopedKey;
use server::charges::store::{
    ChangeSettings, Charge, ClaimKey, Claimed, CompleteKey, Made, Opened, Purged, Refund,
    ReleaseKey, RenewLease, TakeMoney, open,
};
use server::config::Database as Url;
use server::id::{AccountId, ChargeId};
use server::lab::settings::{Changes, ConsumerRule, PatchRule};
use server::orders::{Change, Changed, Message};

const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

/// Two servers on one database.
struct Pair {
    servers: [Opened; 2],
    account: AccountId,
    database: Database,
}

impl Pair {
    async fn start() -> Self {
        Self::on(Database::new()).await
    }

    async fn on(database: Database) -> Self {
        let url = Url::read(database.url()).unwrap();
        let servers = match url {
            // They start together, and one of them makes the schema.
            Url::Postgres(_) => {
                let (one, two) = tokio::join!(open(&url), open(&url));
                [one.unwrap(), two.unwrap()]
            }
            // A new file has no lock for that.
            Url::Sqlite(_) => [open(&url).await.unwrap(), open(&url).await.unwrap()],
        };
        let account = account(&servers[0]).await;
        Self {
            servers,
            account,
            database,
        }
    }

    /// One of the two, in turn.
    fn server(&self, number: usize) -> &Opened {
        &self.servers[number % 2]
    }

    fn ask(&self, key: &str) -> ClaimKey {
        ClaimKey {
            account: self.account.clone(),
            key: ScopedKey::of_stored(key.to_owned()),
            fingerprint: Fingerprint::of("POST", "/charges", b"{}"),
            lease_ms: 30_000,
            retention_ms: DAY,
            tombstone_ms: DAY,
            design: Design::default(),
            sweeps: false,
            room: true,
            intent: None,
            generation: 0,
        }
    }

    async fn claim(&self, number: usize, ask: ClaimKey) -> Claimed {
        self.server(number).store.claim(ask).await.unwrap()
    }

    async fn advance(&self, by_ms: u64) {
        let store = &self.servers[0].store;
        store.advance(self.account.clone(), by_ms).await.unwrap();
    }

    fn complete(&self, key: &str, token: Token, made: Made) -> CompleteKey {
        CompleteKey {
            account: self.account.clone(),
            key: ScopedKey::of_stored(key.to_owned()),
            token,
            answer: Answer {
                paid: Paid::Succeeded,
                charge: made.id().clone(),
            },
            made,
            fencing: true,
        }
    }

    async fn charges(&self) -> Vec<Charge> {
        let store = &self.servers[0].store;
        let charges = store.charges(&self.account, 100, None).await.unwrap();
        charges.unwrap()
    }

    async fn close(self) {
        for server in &self.servers {
            server.close().await;
        }
    }
}

async fn account(server: &Opened) -> AccountId {
    let id = AccountId::random();
    let hash = Fingerprint::of("", id.as_str(), b"");
    let made = server.store.create_account(id.clone(), *hash.as_bytes());
    made.await.unwrap();
    id
}

fn charge() -> Charge {
    Charge {
        id: ChargeId::random(),
        amount: 4000,
        currency: Currency::from_code("usd").unwrap(),
        description: Some(String::from("tea")),
        paid: Paid::Succeeded,
        created_at: 1,
        refunded_at: None,
    }
}

fn refund(charge: &Charge) -> Refund {
    Refund {
        id: ChargeId::random_refund(),
        charge: charge.id.clone(),
        amount: charge.amount,
        currency: charge.currency,
        created_at: 2,
    }
}

fn held(claimed: &Claimed) -> Option<Claim> {
    match claimed.outcome {
        Outcome::Claimed(claim) => Some(claim),
        _ => None,
    }
}

fn in_progress(claimed: &Claimed) -> bool {
    matches!(
        claimed.outcome,
        Outcome::Refused(Refusal::InProgress { .. })
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_that_claim_a_new_key_one_has_it() {
    let pair = Pair::start().await;
    for round in 0..10 {
        let key = format!("key-{round}");
        let claims = (0..24).map(|number| pair.claim(number, pair.ask(&key)));
        let claims = join_all(claims).await;
        let have: Vec<_> = claims.iter().filter_map(held).collect();
        assert_eq!(have.len(), 1, "{claims:?}");
        assert_eq!(have[0].token, Token::FIRST);
        assert_eq!(claims.iter().filter(|claim| in_progress(claim)).count(), 23);
        assert!(claims.iter().all(|claim| !claim.takeover));
    }
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_that_find_a_lease_over_one_takes_over() {
    let pair = Pair::start().await;
    let first = pair.claim(0, pair.ask("k")).await;
    let mut token = held(&first).unwrap().token;
    for _ in 0..10 {
        pair.advance(30_001).await;
        let claims = join_all((0..24).map(|number| pair.claim(number, pair.ask("k")))).await;
        let have: Vec<_> = claims.iter().filter_map(held).collect();
        assert_eq!(have.len(), 1, "{claims:?}");
        assert_eq!(have[0].token, token.next(), "raised once");
        assert_eq!(claims.iter().filter(|claim| claim.takeover).count(), 1);
        assert_eq!(claims.iter().filter(|claim| in_progress(claim)).count(), 23);
        token = have[0].token;
    }
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_owner_writes_nothing_unless_fencing_is_off() {
    let pair = Pair::start().await;
    let store = &pair.servers[0].store;
    let old = held(&pair.claim(0, pair.ask("k")).await).unwrap().token;
    pair.advance(30_001).await;
    let new = held(&pair.claim(1, pair.ask("k")).await).unwrap().token;
    let (late, mine) = (charge(), charge());
    let key = || ScopedKey::of_stored(String::from("k"));
    let renew = |token| {
        store.renew(RenewLease {
            account: pair.account.clone(),
            key: key(),
            token,
            lease_ms: 30_000,
        })
    };
    let release = |token, point| {
        store.release(ReleaseKey {
            account: pair.account.clone(),
            key: key(),
            token,
            point,
        })
    };
    let complete = |token, charge: &Charge, fencing| {
        store.complete(CompleteKey {
            fencing,
            ..pair.complete("k", token, Made::Charge(charge.clone()))
        })
    };
    assert!(!renew(old).await.unwrap());
    assert!(renew(new).await.unwrap());
    let fenced = Outcome::Fenced(None);
    assert_eq!(
        release(old, RecoveryPoint::Asked).await.unwrap(),
        fenced,
        "nothing saved yet"
    );
    assert_eq!(complete(old, &late, true).await.unwrap(), fenced);
    assert!(pair.charges().await.is_empty());
    assert_eq!(complete(new, &mine, true).await.unwrap(), Outcome::Written);
    let saved = Answer {
        paid: Paid::Succeeded,
        charge: mine.id.clone(),
    };
    assert_eq!(
        complete(old, &late, true).await.unwrap(),
        Outcome::Fenced(Some(saved.clone())),
        "what is saved by now"
    );
    assert_eq!(pair.charges().await, [mine]);
    let replay = pair.claim(1, pair.ask("k")).await;
    assert_eq!(replay.outcome, Outcome::Known(saved));
    // The unsafe form: the last one wins, and both charges stand.
    assert_eq!(complete(old, &late, false).await.unwrap(), Outcome::Written);
    assert_eq!(pair.charges().await.len(), 2);
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_released_key_goes_on_from_its_point() {
    let pair = Pair::start().await;
    let claim = held(&pair.claim(0, pair.ask("k")).await).unwrap();
    assert_eq!(claim.point, RecoveryPoint::Claimed);
    let released = pair.servers[1].store.release(ReleaseKey {
        account: pair.account.clone(),
        key: ScopedKey::of_stored(String::from("k")),
        token: claim.token,
        point: RecoveryPoint::Asked,
    });
    assert_eq!(released.await.unwrap(), Outcome::Written);
    let claims = join_all((0..12).map(|number| pair.claim(number, pair.ask("k")))).await;
    let have: Vec<_> = claims.iter().filter_map(held).collect();
    assert_eq!(have.len(), 1);
    assert_eq!(have[0].point, RecoveryPoint::Asked);
    assert_eq!(have[0].token, claim.token.next());
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_requests_full_sandboxes_and_sweepers_are_judged_alike() {
    let pair = Pair::start().await;
    let full = |key| ClaimKey {
        room: false,
        ..pair.ask(key)
    };
    assert!(pair.claim(0, full("k")).await.full);
    assert!(held(&pair.claim(0, pair.ask("k")).await).is_some());
    // A known key is answered in a full sandbox as well.
    assert!(in_progress(&pair.claim(1, full("k")).await));
    let other = ClaimKey {
        fingerprint: Fingerprint::of("POST", "/charges", b"[]"),
        ..pair.ask("k")
    };
    assert_eq!(
        pair.claim(1, other).await.outcome,
        Outcome::Refused(Refusal::Reused)
    );
    pair.advance(30_001).await;
    let swept = ClaimKey {
        sweeps: true,
        ..pair.ask("k")
    };
    assert_eq!(
        pair.claim(0, swept).await.outcome,
        Outcome::Refused(Refusal::InProgress { retry_after_s: 1 })
    );
    assert!(pair.claim(0, full("k")).await.takeover);
    // Without leases nobody ever takes over.
    let forever = ClaimKey {
        design: Design {
            lease: false,
            ..Design::default()
        },
        ..pair.ask("forever")
    };
    let claim = held(&pair.claim(0, forever.clone()).await).unwrap();
    assert_eq!(claim.lease_until, None);
    pair.advance(HOUR).await;
    assert!(in_progress(&pair.claim(1, forever).await));
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expired_key_is_refused_or_taken_for_a_new_one() {
    let pair = Pair::start().await;
    let token = held(&pair.claim(0, pair.ask("k")).await).unwrap().token;
    let charge = charge();
    let complete = pair.complete("k", token, Made::Charge(charge));
    let done = pair.servers[0].store.complete(complete).await.unwrap();
    assert_eq!(done, Outcome::Written);
    pair.advance(DAY).await;
    let expired = Outcome::Refused(Refusal::Expired);
    assert_eq!(pair.claim(0, pair.ask("k")).await.outcome, expired);
    assert_eq!(pair.servers[1].store.bury(100).await.unwrap(), 1);
    assert_eq!(pair.servers[0].store.bury(100).await.unwrap(), 0);
    assert_eq!(pair.claim(0, pair.ask("k")).await.outcome, expired);
    let accepting = ClaimKey {
        design: Design {
            expired: ExpiredRule::Accept,
            ..Design::default()
        },
        ..pair.ask("k")
    };
    let again = pair.claim(1, accepting).await;
    assert_eq!((again.generation, again.takeover), (1, false));
    assert_eq!(held(&again).unwrap().token, token.next());
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_that_are_forgotten_under_a_claim_are_new_again() {
    let pair = Pair::start().await;
    let short = || ClaimKey {
        lease_ms: 1,
        retention_ms: 1,
        tombstone_ms: 1,
        design: Design {
            expired: ExpiredRule::Accept,
            ..Design::default()
        },
        ..pair.ask("k")
    };
    let claims = async {
        for round in 0..150 {
            let claims = (0..4).map(|number| pair.claim(number + round, short()));
            for claimed in join_all(claims).await {
                assert!(held(&claimed).is_some() || in_progress(&claimed));
            }
        }
    };
    let upkeep = async {
        let mut gone = 0;
        for round in 0..300 {
            let store = &pair.server(round).store;
            store.bury(10).await.unwrap();
            gone += store.forget(10).await.unwrap();
        }
        gone
    };
    let ((), gone) = tokio::join!(claims, upkeep);
    assert!(gone > 0, "some were forgotten meanwhile");
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_unsafe_form_writes_over_what_is_there() {
    let pair = Pair::start().await;
    let looks = join_all((0..8).map(|number| {
        let store = &pair.server(number).store;
        let ask = pair.ask("k");
        async move { store.look_up(&ask).await.unwrap() }
    }));
    assert!(looks.await.iter().all(|found| *found == Outcome::Absent));
    let force = |number: usize, ask| pair.server(number).store.force(ask);
    let forced = join_all((0..8).map(|number| force(number, pair.ask("k")))).await;
    for claimed in forced {
        let claim = held(&claimed.unwrap()).unwrap();
        assert_eq!(
            claim.token,
            Token::FIRST,
            "each believes that it is the first"
        );
    }
    let full = |key| ClaimKey {
        room: false,
        ..pair.ask(key)
    };
    assert!(force(0, full("new")).await.unwrap().full);
    assert!(held(&force(0, full("k")).await.unwrap()).is_some());
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_goes_back_once_whichever_keys_ask() {
    let pair = Pair::start().await;
    for round in 0..10 {
        let charge = charge();
        let store = &pair.servers[0].store;
        let made = Made::Charge(charge.clone());
        store.insert(pair.account.clone(), made).await.unwrap();
        let refunds = (0..8).map(|number| {
            let (pair, key) = (&pair, format!("refund-{round}-{number}"));
            let refund = refund(&charge);
            async move {
                let token = held(&pair.claim(number, pair.ask(&key)).await)
                    .unwrap()
                    .token;
                let complete = pair.complete(&key, token, Made::Refund(refund.clone()));
                let store = &pair.server(number).store;
                assert_eq!(store.complete(complete).await.unwrap(), Outcome::Written);
                store
                    .refund(&pair.account, refund.id.as_str())
                    .await
                    .unwrap()
            }
        });
        let kept = join_all(refunds).await;
        assert_eq!(kept.iter().flatten().count(), 1);
        let charge = store.charge(&pair.account, charge.id.as_str()).await;
        assert_eq!(charge.unwrap().unwrap().refunded_at, Some(2));
    }
    // Two resets at once, with claims in between.
    let reset = |number: usize| pair.server(number).store.reset(pair.account.clone());
    let claims = join_all((0..8).map(|number| pair.claim(number, pair.ask("between"))));
    let (one, two, _) = tokio::join!(reset(0), reset(1), claims);
    one.unwrap();
    two.unwrap();
    assert!(pair.charges().await.is_empty());
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_books_take_money_once_for_a_key() {
    let pair = Pair::start().await;
    let key = ProcessorKey::derive("account", &IdempotencyKey::new("key").unwrap());
    let take = |processor_key| TakeMoney {
        account: pair.account.clone(),
        processor_key,
        amount: 4000,
        currency: Currency::from_code("usd").unwrap(),
        paid: Paid::Succeeded,
        refund_of: None,
        id: ChargeId::random(),
        reference: String::from("r"),
        intent: None,
        description: Some(String::from("tea")),
    };
    let taken = |number: usize, ask| pair.server(number).ledger.take(ask);
    let all = join_all((0..12).map(|number| taken(number, take(Some(key.clone()))))).await;
    let all: Vec<_> = all.into_iter().map(Result::unwrap).collect();
    assert_eq!(all.iter().filter(|taken| !taken.repeated).count(), 1);
    let ids: BTreeSet<_> = all.iter().map(|taken| taken.entry.id.to_string()).collect();
    assert_eq!(ids.len(), 1);
    // Without a key each call is an entry, and the first is found by its reference.
    let first = taken(0, take(None)).await.unwrap();
    assert!(!first.repeated && !taken(1, take(None)).await.unwrap().repeated);
    let ledger = &pair.servers[1].ledger;
    let found = ledger.by_reference(&pair.account, "r").await.unwrap();
    assert_eq!(found.unwrap().id, first.entry.id);
    assert_eq!(ledger.entries(&pair.account).await.unwrap().len(), 3);
    // Money goes back once, whichever key asks.
    let back = |number: usize| {
        let ask = TakeMoney {
            refund_of: Some(first.entry.id.clone()),
            processor_key: Some(ProcessorKey::derive(
                "account",
                &IdempotencyKey::new(&format!("back-{number}")).unwrap(),
            )),
            id: ChargeId::random_refund(),
            ..take(None)
        };
        taken(number, ask)
    };
    let backs = join_all((0..8).map(back)).await;
    let backs = backs.into_iter().map(Result::unwrap);
    assert_eq!(backs.filter(|taken| !taken.repeated).count(), 1);
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_is_met_once_and_the_queue_has_an_end() {
    let pair = Pair::start().await;
    let queue = |number: usize, count: u64| {
        let faults = (0..count).map(|ms| Fault::Slow { ms }).collect();
        let store = &pair.server(number).store;
        store.queue_faults(pair.account.clone(), faults)
    };
    let (one, two) = tokio::join!(queue(0, 60), queue(1, 60));
    assert!(
        one.unwrap() != two.unwrap(),
        "all or none, and not over 100"
    );
    assert!(!queue(0, 41).await.unwrap());
    let store = &pair.servers[1].store;
    let queued = store.queued_faults(&pair.account).await.unwrap();
    let wanted: Vec<_> = (0..60).map(|ms| Fault::Slow { ms }).collect();
    assert_eq!(queued, wanted, "in order");
    let hash = *Fingerprint::of("", pair.account.as_str(), b"").as_bytes();
    assert!(store.account(hash).await.unwrap().unwrap().faults);
    let taken = (0..70).map(|number| {
        let store = &pair.server(number).store;
        store.take_fault(pair.account.clone())
    });
    let mut met = BTreeSet::new();
    for fault in join_all(taken).await {
        if let Fault::Slow { ms } = fault.unwrap() {
            assert!(met.insert(ms), "{ms} twice");
        }
    }
    assert_eq!(met.len(), 60);
    assert!(!store.account(hash).await.unwrap().unwrap().faults);
    assert!(queue(0, 3).await.unwrap());
    store.clear_faults(pair.account.clone()).await.unwrap();
    assert!(store.queued_faults(&pair.account).await.unwrap().is_empty());
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_note_the_same_accounts_at_once() {
    let pair = Pair::start().await;
    let mut accounts = Vec::new();
    for _ in 0..30 {
        accounts.push(account(&pair.servers[0]).await);
    }
    let rounds = (0..40).map(|round| {
        let mut accounts = accounts.clone();
        if round % 2 == 1 {
            accounts.reverse();
        }
        pair.server(round).store.seen(accounts)
    });
    for seen in join_all(rounds).await {
        seen.unwrap();
    }
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_delete_idle_accounts_together() {
    let pair = Pair::start().await;
    for number in 0..25 {
        let key = format!("k{number}");
        let token = held(&pair.claim(0, pair.ask(&key)).await).unwrap().token;
        let complete = pair.complete(&key, token, Made::Charge(charge()));
        pair.servers[0].store.complete(complete).await.unwrap();
    }
    let delete = |number: usize| {
        let (store, id) = (pair.server(number).store.clone(), pair.account.clone());
        async move {
            store.close_idle(0, 10).await.unwrap();
            let mut gone = 0;
            for _ in 0..40 {
                match store.purge(id.clone(), 10).await.unwrap() {
                    Purged::Gone => gone += 1,
                    // The other one is at it, or it is done.
                    Purged::Elsewhere => tokio::task::yield_now().await,
                    Purged::More => {}
                }
            }
            gone
        }
    };
    let (one, two) = tokio::join!(delete(0), delete(1));
    assert_eq!(one + two, 1, "one of them counts it");
    let store = &pair.servers[0].store;
    assert_eq!(store.count_accounts().await.unwrap(), 0);
    assert!(store.closed(10).await.unwrap().is_empty());
    assert_eq!(store.records(&pair.account).await.unwrap(), 0);
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_name_is_one_change_also_on_two_orders() {
    let pair = Pair::start().await;
    let fingerprint = |order: &str| Fingerprint::of("PATCH", order, b"{}");
    let add = |order: &str, name: &str| Change::Add {
        amount: 100,
        version: Some(0),
        name: Some((name.to_owned(), fingerprint(order))),
        rule: PatchRule::IfMatch,
    };
    for round in 0..15 {
        let name = format!("name-{round}");
        let change = |number: usize, order: String| {
            let change = add(&order, &name);
            let orders = &pair.server(number).orders;
            orders.change_order(pair.account.clone(), order, change)
        };
        let (one, two, again) = tokio::join!(
            change(0, format!("a{round}")),
            change(1, format!("b{round}")),
            change(1, format!("a{round}"))
        );
        let all = [one.unwrap(), two.unwrap(), again.unwrap()];
        let done = all.iter().filter(|it| matches!(it, Changed::Done(_)));
        assert_eq!(done.count(), 1, "{all:?}");
        let reused = all.iter().filter(|it| matches!(it, Changed::Reused));
        assert!(reused.count() >= 1, "{all:?}");
    }
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_message_takes_effect_once_whoever_gets_it() {
    let pair = Pair::start().await;
    let message = |number: usize, rule| Message {
        id: format!("m{number}"),
        order: String::from("o"),
        add: 100,
        deliveries: 0,
        done: false,
        lost_acks: 0,
        crash_after_effect: false,
        rule,
        account: None,
        number: 0,
    };
    let rule = ConsumerRule::SameTransaction;
    for number in 0..40 {
        let message = message(number, rule);
        let orders = &pair.servers[0].orders;
        orders.publish(pair.account.clone(), message).await.unwrap();
    }
    let consume = |number: usize| {
        let orders = pair.server(number).orders.clone();
        async move {
            let mut fresh = 0;
            while orders.due().await.unwrap() {
                let Some(message) = orders.deliver().await.unwrap() else {
                    continue;
                };
                // As if it had been delivered twice at the same time.
                let (one, two) = tokio::join!(
                    orders.consume(message.clone()),
                    orders.consume(message.clone())
                );
                fresh += usize::from(one.unwrap()) + usize::from(two.unwrap());
                orders.acknowledge(message).await.unwrap();
            }
            fresh
        }
    };
    let (one, two) = tokio::join!(consume(0), consume(1));
    assert_eq!(one + two, 40);
    let orders = &pair.servers[0].orders;
    let order = orders.order(&pair.account, "o").await.unwrap().unwrap();
    assert_eq!((order.total, order.version), (4000, 40));
    let messages = orders.messages(&pair.account).await.unwrap();
    assert!(messages.iter().all(|message| message.done));
    assert_eq!(messages[0].id, "m39", "newest first");
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stuck_key_is_seized_once() {
    let pair = Pair::start().await;
    let store = &pair.servers[0].store;
    let change = ChangeSettings {
        account: pair.account.clone(),
        from: Changes::default(),
        to: Changes::default(),
        sweeps: true,
    };
    assert!(store.change(change).await.unwrap());
    assert!(held(&pair.claim(0, pair.ask("k")).await).is_some());
    assert!(store.stuck(10).await.unwrap().is_empty());
    pair.advance(30_001).await;
    let stuck = store.stuck(10).await.unwrap();
    assert_eq!(stuck.len(), 1);
    let seized = (0..8).map(|number| {
        let store = &pair.server(number).store;
        store.seize(stuck[0].clone(), 5_000)
    });
    let seized = join_all(seized).await;
    let tokens: Vec<_> = seized.into_iter().filter_map(Result::unwrap).collect();
    assert_eq!(tokens, [stuck[0].token.next()]);
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_no_text_can_hold_are_unknown() {
    let pair = Pair::start().await;
    let (store, name) = (&pair.servers[0].store, "ch_\0");
    let charge = store.charge(&pair.account, name).await.unwrap();
    assert!(charge.is_none());
    assert!(store.refund(&pair.account, name).await.unwrap().is_none());
    let after = store.charges(&pair.account, 10, Some(name)).await.unwrap();
    assert!(after.is_none());
    let orders = &pair.servers[0].orders;
    assert!(orders.order(&pair.account, name).await.unwrap().is_none());
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pods_forget_their_own_keys_only() {
    let pair = Pair::start().await;
    for key in ["pod=1 k", "pod=1;user=u k", "pod=11 k", "pod=2 k", "k"] {
        pair.claim(0, pair.ask(key)).await;
    }
    let store = &pair.servers[1].store;
    store.forget_pod(pair.account.clone(), 1).await.unwrap();
    let keys = store.keys(&pair.account, 10).await.unwrap();
    let left: BTreeSet<_> = keys.iter().map(|row| row.key.as_str()).collect();
    assert_eq!(left, BTreeSet::from(["k", "pod=11 k", "pod=2 k"]));
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_clock_of_the_database_judges_on_postgres() {
    let pair = Pair::on(Database::postgres()).await;
    assert!(held(&pair.claim(0, pair.ask("k")).await).is_some());
    assert!(in_progress(&pair.claim(1, pair.ask("k")).await));
    let before = pair.servers[0].store.now(&pair.account).await.unwrap();
    // The database's clock goes on by a minute, and nobody else's.
    pair.database
        .execute(
            "CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS \
             $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 60000 $$",
        )
        .await;
    let now = pair.servers[0].store.now(&pair.account).await.unwrap();
    assert!(now >= before + 60_000);
    assert!(pair.claim(1, pair.ask("k")).await.takeover);
    let message = Message {
        id: String::from("m"),
        order: String::from("o"),
        add: 1,
        deliveries: 0,
        done: false,
        lost_acks: 0,
        crash_after_effect: false,
        rule: ConsumerRule::Blind,
        account: None,
        number: 0,
    };
    let orders = &pair.servers[0].orders;
    orders.publish(pair.account.clone(), message).await.unwrap();
    assert!(orders.due().await.unwrap(), "by the same clock");
    pair.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_waits_for_a_lock_is_judged_by_the_time_after_it_on_postgres() {
    use sqlx::{Connection, PgConnection, query};

    let pair = Arc::new(Pair::on(Database::postgres()).await);
    let ask = || ClaimKey {
        lease_ms: 200,
        ..pair.ask("k")
    };
    let first = held(&pair.claim(0, ask()).await).unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(250)).await;
    // Somebody holds the row, and gives it back with a lease that goes on.
    let mut other = PgConnection::connect(pair.database.url()).await.unwrap();
    let mut tx = other.begin().await.unwrap();
    query("UPDATE keys SET lease_until = now_ms() + 60000 WHERE key = 'k'")
        .execute(&mut *tx)
        .await
        .unwrap();
    let waiting = tokio::spawn({
        let (pair, ask) = (pair.clone(), ask());
        async move { pair.claim(1, ask).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert!(!waiting.is_finished(), "a takeover waits for the lock");
    tx.commit().await.unwrap();
    let late = waiting.await.unwrap();
    assert!(in_progress(&late), "judged again: {late:?}");
    let keys = pair.servers[0].store.keys(&pair.account, 1).await.unwrap();
    assert_eq!(keys[0].token, first.token.0);
    other.close().await.unwrap();
}
