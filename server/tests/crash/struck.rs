//! Strikes under load, and what is left when they are over.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use serde_json::Value;

use crate::common::{Sandbox, client};
use crate::fleet::{Fleet, On, Prey};
use crate::load::{Deed, Draw, Load, Try, attempt, seed};
use crate::process::LEASE;

/// Clients that pay at the same time.
const CLIENTS: u64 = 16;
/// How many tries it may need when one lease has passed since the last strike.
const TRIES: u32 = 1;
/// How long there is peace at least under load, and how much longer at most, in ms.
const PEACE: (u64, u64) = (100, 500);

/// A sandbox after the strikes, with servers that run.
pub(crate) struct Struck {
    pub(crate) fleet: Fleet,
    pub(crate) load: Arc<Load>,
    pub(crate) account: String,
    pub(crate) seed: u64,
    /// Strikes that broke at least one request.
    pub(crate) hits: u32,
    last: Instant,
}

impl Struck {
    /// Waits until every lease is over that a strike left behind.
    pub(crate) async fn lease_over(&self) {
        let over = self.last + LEASE + Duration::from_millis(50);
        tokio::time::sleep_until(over.into()).await;
    }

    /// Brings about what is unfinished.
    pub(crate) async fn finish(&self) -> Vec<(Deed, Result<Vec<u8>, String>)> {
        let sandbox = &self.load.reach(0).await;
        let unfinished = std::mem::take(&mut *self.load.unfinished.lock().unwrap());
        stream::iter(unfinished)
            .map(async |deed| {
                let end = finish(sandbox, &deed).await;
                (deed, end)
            })
            .buffer_unordered(16)
            .collect()
            .await
    }
}

/// Strikes so often while all clients pay.
pub(crate) async fn strike_under_load(
    on: On,
    prey: Prey,
    strikes: u32,
    settings: Value,
    mixed: bool,
) -> Struck {
    let seed = seed();
    println!("CRASH_SEED={seed}");
    let mut draw = Draw(seed);
    let mut fleet = Fleet::start(on);
    let addresses = fleet.addresses();

    let http = client();
    let url = addresses.borrow()[0].clone().unwrap();
    let made = http.post(format!("{url}/sandboxes")).send().await;
    let made: Value = made.unwrap().json().await.unwrap();
    let account = made["account"].as_str().unwrap().to_owned();
    let sandbox = Sandbox {
        url: String::new(),
        address: String::new(),
        client: http,
        token: made["token"].as_str().unwrap().to_owned(),
    };
    let load = Arc::new(Load::new(sandbox, addresses, mixed));
    load.reach(0).await.settings(settings).await;
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| tokio::spawn(load.clone().client(Draw(draw.below(u64::MAX)))))
        .collect();

    // One that broke no request hit nothing, and does not count. On a slow machine
    // that may be many; were it all, that is for the caller to see.
    let mut hits = 0;
    for _ in 0..3 * strikes {
        if hits == strikes {
            break;
        }
        let peace = PEACE.0 + draw.below(PEACE.1);
        tokio::time::sleep(Duration::from_millis(peace)).await;
        let before = load.broken.load(SeqCst);
        fleet.strike(prey, draw.below(64));
        hits += u32::from(load.broken.load(SeqCst) > before);
    }
    let last = Instant::now();
    load.stop.store(true, SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    let wrong = std::mem::take(&mut *load.wrong.lock().unwrap());
    assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
    Struck {
        fleet,
        load,
        account,
        seed,
        hits,
        last,
    }
}

/// Brings about what a strike left unfinished, in at most [`TRIES`] tries.
async fn finish(sandbox: &Sandbox, deed: &Deed) -> Result<Vec<u8>, String> {
    let mut last = String::new();
    for _ in 0..TRIES {
        last = match attempt(sandbox, deed).await {
            Try::Done(body, _) => return Ok(body),
            Try::Busy => String::from("409"),
            Try::Away => String::from("503"),
            Try::Broken | Try::Refused => String::from("no answer"),
            Try::Wrong(what) => what,
        };
    }
    Err(format!("{}: {last}", deed.key()))
}
