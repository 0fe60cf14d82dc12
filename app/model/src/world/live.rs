//! A live run against the server, as a trace.
//!
//! Two witnesses tell it: the browser knows what it sent, waited for and heard;
//! the server knows what it did. Neither sees all, and their clocks differ.

use super::fact::{Call, Fact, LiveFact, What};
use crate::Ms;
use std::collections::VecDeque;

/// What the client has seen, by its own clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFact {
    /// When, in ms since the Unix epoch.
    pub at: Ms,
    /// Of which attempt, from 1.
    pub attempt: u32,
    /// What.
    pub what: What,
}

/// Puts what both witnesses say into one order.
///
/// `attempt_of` names the attempt that a request id belongs to; facts of others
/// are left out. `ahead_ms` is how far the server's clock is ahead of the
/// client's. Clocks decide, except where they contradict what caused what: a
/// request does not arrive before it was sent, and a reply is not received
/// before it was written.
#[must_use]
pub fn merge(
    client: &[ClientFact],
    server: &[LiveFact],
    ahead_ms: i64,
    attempt_of: impl Fn(&str) -> Option<u32>,
) -> Vec<Fact> {
    let start = client.first().map_or(0, |fact| fact.at);
    let from_start = |at: Ms| at.saturating_sub(start);
    let by_client = |at: Ms| from_start(at.saturating_add_signed(-ahead_ms));
    let mut heard: VecDeque<Fact> = client
        .iter()
        .map(|fact| Fact {
            at: from_start(fact.at),
            call: None,
            attempt: fact.attempt,
            what: fact.what.clone(),
        })
        .collect();
    let mut done: VecDeque<Fact> = server
        .iter()
        .filter_map(|fact| {
            Some(Fact {
                at: by_client(fact.at),
                call: fact.call.map(|call| Call {
                    sent: by_client(call.sent),
                    back: by_client(call.back),
                }),
                attempt: attempt_of(&fact.request)?,
                what: fact.what.clone(),
            })
        })
        .collect();

    let mut merged: Vec<Fact> = Vec::with_capacity(heard.len() + done.len());
    loop {
        let next = match (heard.front(), done.front()) {
            (None, None) => return merged,
            (Some(_), None) => heard.pop_front(),
            (None, Some(_)) => done.pop_front(),
            (Some(mine), Some(theirs)) => {
                let must_wait = needs_reply(mine, &done);
                let too_soon = heard
                    .iter()
                    .any(|it| it.attempt == theirs.attempt && matches!(it.what, What::Sent { .. }));
                if !must_wait && (too_soon || mine.at <= theirs.at) {
                    heard.pop_front()
                } else {
                    done.pop_front()
                }
            }
        };
        if let Some(mut fact) = next {
            let twice = |it: &Fact| it.attempt == fact.attempt && it.what == What::Arrived;
            if fact.what == What::Arrived && merged.iter().any(twice) {
                fact.what = What::Resent;
            }
            // An order that the clocks contradict is shown as simultaneous.
            let before = merged.last().map_or(0, |last| last.at);
            let late = before.saturating_sub(fact.at);
            fact.at += late;
            if let Some(call) = &mut fact.call {
                call.sent += late;
                call.back += late;
            }
            merged.push(fact);
        }
    }
}

/// Whether the client has received what the server is yet to be heard writing.
fn needs_reply(mine: &Fact, done: &VecDeque<Fact>) -> bool {
    matches!(mine.what, What::Received(_))
        && done
            .iter()
            .any(|it| it.attempt == mine.attempt && matches!(it.what, What::Replied(_)))
}

#[cfg(test)]
mod tests {
    use super::super::{Answered, Frame, Setup, run};
    use super::*;
    use crate::fault::Fault;
    use proptest::prelude::*;

    /// Tears a run of the world into what each witness saw.
    fn torn(facts: &[Fact], start: Ms, ahead: i64) -> (Vec<ClientFact>, Vec<LiveFact>) {
        let (mut client, mut server) = (Vec::new(), Vec::new());
        let there = |at: Ms| (start + at).saturating_add_signed(ahead);
        for fact in facts {
            match fact.what {
                What::Sent { .. }
                | What::Received(_)
                | What::TimedOut { .. }
                | What::Waits { .. }
                | What::GaveUp => client.push(ClientFact {
                    at: start + fact.at,
                    attempt: fact.attempt,
                    what: fact.what.clone(),
                }),
                _ => server.push(LiveFact {
                    id: server.len() as u64,
                    request: format!("r{}", fact.attempt),
                    at: there(fact.at),
                    call: fact.call.map(|call| Call {
                        sent: there(call.sent),
                        back: there(call.back),
                    }),
                    asked: None,
                    what: fact.what.clone(),
                }),
            }
        }
        (client, server)
    }

    fn attempt_of(request: &str) -> Option<u32> {
        request.strip_prefix('r')?.parse().ok()
    }

    fn lost_reply(seed: u64) -> Vec<Fact> {
        let mut setup = Setup::lesson();
        setup.faults = vec![Fault::LoseReply];
        run(&setup, seed)
    }

    #[test]
    fn what_two_witnesses_saw_is_what_happened() {
        let facts = lost_reply(1);
        for ahead in [0, 5000, -5000] {
            let (client, server) = torn(&facts, 1_000_000, ahead);
            assert_eq!(merge(&client, &server, ahead, attempt_of), facts);
        }
    }

    #[test]
    fn other_requests_are_left_out() {
        let facts = lost_reply(1);
        let (client, mut server) = torn(&facts, 1_000_000, 0);
        let mut other = server.first().unwrap().clone();
        other.request = "somebody-else".into();
        server.insert(0, other);
        assert_eq!(merge(&client, &server, 0, attempt_of), facts);
    }

    proptest! {
        /// However wrong the guess about the clocks is, cause comes before effect
        /// and the end is the same.
        #[test]
        fn a_wrong_clock_never_turns_cause_and_effect_round(wrong in -3000_i64..3000, seed: u64) {
            let facts = lost_reply(seed);
            let (client, server) = torn(&facts, 1_000_000, 0);
            let merged = merge(&client, &server, wrong, attempt_of);
            prop_assert_eq!(merged.len(), facts.len());
            prop_assert!(merged.windows(2).all(|two| two[0].at <= two[1].at));
            let place = |test: &dyn Fn(&Fact) -> bool| merged.iter().position(test).unwrap();
            for attempt in [1, 2] {
                let sent = place(&|it| it.attempt == attempt && matches!(it.what, What::Sent { .. }));
                let arrived = place(&|it| it.attempt == attempt && it.what == What::Arrived);
                prop_assert!(sent < arrived);
            }
            let replied = place(&|it| it.attempt == 2 && matches!(it.what, What::Replied(_)));
            let received = place(&|it| matches!(it.what, What::Received(_)));
            prop_assert!(replied < received);
            let (seen, real) = (Frame::after(&merged), Frame::after(&facts));
            prop_assert_eq!(seen.charged(), real.charged());
            prop_assert_eq!(seen.belief, real.belief);
        }
    }

    #[test]
    fn what_arrives_twice_was_sent_again_by_the_network_stack() {
        let facts = lost_reply(1);
        let (client, mut server) = torn(&facts, 1_000_000, 0);
        let again = server.first().unwrap().clone();
        assert_eq!(again.what, What::Arrived);
        server.insert(1, again);
        let merged = merge(&client, &server, 0, attempt_of);
        let count = |what: &What| merged.iter().filter(|it| it.what == *what).count();
        assert_eq!((count(&What::Arrived), count(&What::Resent)), (2, 1));
    }

    #[test]
    fn a_reply_is_shown_even_when_the_server_is_not_heard() {
        let received = ClientFact {
            at: 5,
            attempt: 1,
            what: What::Received(Answered::default()),
        };
        assert_eq!(merge(&[received], &[], 0, attempt_of).len(), 1);
    }
}
