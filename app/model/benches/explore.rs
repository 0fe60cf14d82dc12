//! How fast the explorer is, beside stateright on one thread in the same run:
//! `cargo bench -p model --bench explore`.
//!
//! stateright runs the second writing of the protocol that the tests compare with,
//! as one would write it for stateright, without a canonical form. So there are two
//! ratios: of states a second, and of the time to a verdict on the same world.

#[path = "../src/world/explore/tests/peer.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod peer;

use model::world::explore::{Properties, Search, Verdict};
use model::world::{Budget, Rules};
use peer::Peer;
use stateright::{Checker, Model};
use std::time::{Duration, Instant};

/// Clients, attempts of each, crashes, losses.
type Space = (u8, u8, u8, u8);
const DEFAULT: Space = (2, 3, 2, 2);
const SMALL: Space = (2, 2, 1, 1);
const RUNS: usize = 7;

fn ours((clients, attempts, crashes, losses): Space) -> (usize, Duration) {
    let rules = Rules {
        first_keys: vec![0; clients.into()],
        ..Rules::one_client(attempts.into())
    };
    let budget = Budget {
        crashes,
        losses,
        slow_owners: 0,
        processor: 0,
    };
    let start = Instant::now();
    let verdict = Search::new(&rules, budget, Properties::ALL).map(|mut search| search.run());
    let took = start.elapsed();
    match verdict {
        Ok(Verdict::Holds { states, .. }) => (states, took),
        other => {
            eprintln!("the correct design should hold: {other:?}");
            std::process::exit(1)
        }
    }
}

fn theirs((clients, tries, crashes, losses): Space) -> (usize, Duration) {
    let peer = Peer {
        clients,
        tries,
        crashes,
        losses,
        slow: 0,
        trouble: 0,
        with_key: true,
        unique: true,
        leases: true,
        heartbeats: true,
        fences: true,
        bank_keys: true,
        only: None,
    };
    let start = Instant::now();
    let checker = peer.checker().threads(1).spawn_bfs().join();
    (checker.unique_state_count(), start.elapsed())
}

/// The shorter of two runs.
fn best(so_far: Option<(usize, Duration)>, next: (usize, Duration)) -> Option<(usize, Duration)> {
    Some(so_far.filter(|it| it.1 <= next.1).unwrap_or(next))
}

fn line(name: &str, space: Space, (states, took): (usize, Duration)) -> f64 {
    let rate = states as f64 / took.as_secs_f64();
    println!(
        "{name:<12} {space:?}  {states:>9} states  {:>9.2} ms  {:>6.2} M states/s",
        took.as_secs_f64() * 1e3,
        rate / 1e6
    );
    rate
}

fn main() {
    let (mut large, mut small, mut peer) = (None, None, None);
    for _ in 0..RUNS {
        large = best(large, ours(DEFAULT));
        small = best(small, ours(SMALL));
        peer = best(peer, theirs(SMALL));
    }
    let (Some(large), Some(small), Some(peer)) = (large, small, peer) else {
        return;
    };
    let rate = line("explorer", DEFAULT, large);
    line("explorer", SMALL, small);
    let other = line("stateright", SMALL, peer);
    println!("states a second: {:.2} times stateright's", rate / other);
    println!(
        "time to the verdict on {SMALL:?}: stateright takes {:.0} times as long",
        peer.1.as_secs_f64() / small.1.as_secs_f64()
    );
}
