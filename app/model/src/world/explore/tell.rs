//! A sequence of moves as a trace.

use super::super::fact::{Call, Fact, What};
use super::super::moves::{Effect, Move};
use super::super::narrate::{self, Terms};
use super::super::state::{Budget, ClientNo, FlightNo, Phase, Rules, State};
use super::super::trace::Trace;
use crate::Ms;
use crate::money::Currency;
use crate::retry::{Jitter, Policy};

/// Between two moves, in ms. The search knows no time; a picture needs some.
pub const STEP_MS: Ms = 100;
/// From an attempt to the store or the processor, or back, in ms.
const WIRE_MS: Ms = STEP_MS * 3 / 10;
/// What each client pays, in minor units: the lesson's $40.
const AMOUNT: u64 = 4000;

/// Makes these moves from the start and tells them as a trace. It ends before the
/// first of them that is not possible.
///
/// Each move takes [`STEP_MS`], but for the end of a lease: that comes when the
/// lease is over, counted from its claim.
#[must_use]
pub fn tell(rules: &Rules, budget: Budget, moves: &[Move]) -> Trace {
    let mut teller = Teller {
        rules,
        state: State::start(rules, budget),
        now: 0,
        sent_at: Vec::new(),
        claimed_at: Vec::new(),
        facts: Vec::new(),
    };
    for made in moves {
        if teller.make(*made).is_none() {
            break;
        }
    }
    Trace {
        seed: 0,
        policy: Policy {
            attempts: rules.attempts,
            jitter: Jitter::None,
            // A client may stop waiting at any moment.
            timeout_ms: 0,
            ..Policy::LESSON
        },
        facts: teller.facts,
        aside: None,
    }
}

struct Teller<'a> {
    rules: &'a Rules,
    state: State,
    now: Ms,
    /// For each attempt.
    sent_at: Vec<Ms>,
    /// For each key.
    claimed_at: Vec<Ms>,
    facts: Vec<Fact>,
}

impl Teller<'_> {
    /// Makes a move, or gives `None` when it is not possible.
    fn make(&mut self, made: Move) -> Option<()> {
        let entries = self.state.ledger.len();
        let effect = self.state.apply(self.rules, made).ok()?;
        let new_entry = self.state.ledger.len() > entries;
        if let Move::LeaseEnds(key) = made {
            let claimed = self.claimed_at.get(usize::from(key)).copied();
            let over = claimed.unwrap_or(0) + self.rules.lease_ms;
            self.now = self.now.max(over.saturating_sub(STEP_MS));
        }
        if !self.facts.is_empty() {
            self.now += STEP_MS;
        }
        let Some((flight, client)) = narrate::concerned(&self.state, made, &effect) else {
            return Some(());
        };
        if matches!(effect, Effect::Sent(_)) {
            self.sent_at.push(self.now);
        }
        let sent = self.sent_at.get(usize::from(flight)).copied();
        let terms = Terms {
            intent: u32::from(self.rules.intent(client)) + 1,
            amount: AMOUNT,
            currency: Currency::Usd,
            waited_ms: self.now - sent.unwrap_or(self.now),
        };
        let what = narrate::what(&self.state, flight, &effect, new_entry, terms)?;
        if let Effect::Done(..) = effect {
            self.note_claim(flight, &what);
        }
        let called = matches!(
            what,
            What::Claimed { .. }
                | What::Charged { .. }
                | What::Saved { .. }
                | What::Released { .. }
        );
        let call = called.then(|| Call {
            sent: self.now - WIRE_MS,
            back: self.now + WIRE_MS,
        });
        self.note(flight, call, what);
        if narrate::heard(&effect).is_some() && self.has_stopped(client) {
            self.note(flight, None, What::GaveUp);
        }
        Some(())
    }

    fn note_claim(&mut self, flight: FlightNo, what: &What) {
        use super::super::fact::Found;
        let What::Claimed {
            found: Found::New { .. } | Found::TakenOver { .. },
            ..
        } = what
        else {
            return;
        };
        let key = self.state.flight(flight).and_then(|it| it.key);
        let at = key.map_or(0, usize::from);
        if self.claimed_at.len() <= at {
            self.claimed_at.resize(at + 1, 0);
        }
        if let Some(slot) = self.claimed_at.get_mut(at) {
            *slot = self.now;
        }
    }

    /// It got no answer and does not try again.
    fn has_stopped(&self, client: ClientNo) -> bool {
        let client = self.state.clients.get(usize::from(client));
        client.is_some_and(|it| matches!(it.phase, Phase::GaveUp | Phase::Refused))
    }

    fn note(&mut self, flight: FlightNo, call: Option<Call>, what: What) {
        self.facts.push(Fact {
            at: self.now,
            call,
            attempt: u32::from(flight) + 1,
            what,
        });
    }
}
