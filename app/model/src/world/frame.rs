//! What is to be seen after a number of facts: the counters, what the client
//! believes, what is true, and what the store and the ledger hold.
//!
//! This is the one place that reads facts. A scripted run, a counterexample and
//! a live run against the server all pass through it.

use super::fact::{Fact, Found, Said, What};
use crate::Ms;
use crate::money::Currency;
use crate::protocol::Paid;

/// What a client knows of its payment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Belief {
    /// It has not asked.
    #[default]
    Nothing,
    /// It has asked once and waits.
    Asked,
    /// It has stopped waiting, and does not know.
    Unknown,
    /// It has asked again, and does not know yet.
    AskedAgain,
    /// It was told that an attempt is still running.
    ToldToWait,
    /// It was told that it did not work this time.
    ToldToRetry(u16),
    /// It was told that the payment was made.
    Paid(String),
    /// It was told that the card was declined.
    Declined,
    /// It was refused for good.
    Refused(u16),
}

/// What became of the last reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// There is none yet.
    #[default]
    None,
    /// It is on its way.
    OnItsWay,
    /// The network lost the reply.
    Lost(Ms),
    /// The network lost the request, so there will be none.
    RequestLost(Ms),
    /// It had nobody to go to.
    Unheard(Ms),
    /// The process died before it.
    Crashed(Ms),
    /// The client has it.
    Received(Ms),
}

/// The state of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyStage {
    /// Claimed.
    Running,
    /// Given back without an answer.
    Released,
    /// Answered.
    Done {
        /// The status.
        status: u16,
        /// The charge.
        charge: String,
        /// When that was saved.
        at: Ms,
    },
}

/// One record of the store of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLine {
    /// The key.
    pub key: String,
    /// Its state.
    pub stage: KeyStage,
    /// The attempt that owns or owned it.
    pub owner: u32,
    /// When that claimed it.
    pub since: Ms,
    /// For how long, in ms; `None` without leases.
    pub lease_ms: Option<Ms>,
    /// The fencing token.
    pub token: u32,
    /// How often it was asked for.
    pub asked: u32,
}

/// One line of the processor's ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerLine {
    /// The charge.
    pub charge: String,
    /// Which attempt caused it.
    pub attempt: u32,
    /// When.
    pub at: Ms,
    /// How much, in minor units.
    pub amount: u64,
    /// In which currency.
    pub currency: Currency,
}

/// The client's patience with an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// With which attempt.
    pub attempt: u32,
    /// Since when.
    pub since: Ms,
}

/// What is to be seen after a number of facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Payments that were intended: presses of Pay.
    pub intended: u32,
    /// Attempts that were sent.
    pub attempts: u32,
    /// What the client believes of its latest intent.
    pub belief: Belief,
    /// What became of the last reply.
    pub fate: Fate,
    /// The store of keys.
    pub keys: Vec<KeyLine>,
    /// What the processor took.
    pub ledger: Vec<LedgerLine>,
    /// Attempts that a process works on.
    pub working: Vec<u32>,
    /// The client waits for a reply.
    pub waiting: Option<Waiting>,
    /// The key that the last attempt carried.
    pub key: Option<String>,
    /// What the last attempt asks for.
    pub order: Option<(u64, Currency)>,
    /// The intents that something was sent for.
    intents: Vec<u32>,
}

impl Frame {
    /// What is to be seen after these facts.
    #[must_use]
    pub fn after(facts: &[Fact]) -> Self {
        let mut frame = Self::default();
        for fact in facts {
            frame.take(fact);
        }
        frame
    }

    /// How often money was taken.
    #[must_use]
    pub fn charged(&self) -> usize {
        self.ledger.len()
    }

    /// More money was taken than was intended.
    #[must_use]
    pub fn overcharged(&self) -> bool {
        self.charged() > self.intended as usize
    }

    fn take(&mut self, fact: &Fact) {
        let (at, attempt) = (fact.at, fact.attempt);
        match &fact.what {
            What::Sent {
                intent,
                key,
                amount,
                currency,
            } => {
                let again = self.intents.contains(intent);
                self.intents.push(*intent);
                self.intended = self.intended.max(*intent);
                self.attempts = self.attempts.max(attempt);
                self.belief = if again {
                    Belief::AskedAgain
                } else {
                    Belief::Asked
                };
                self.fate = Fate::None;
                self.key.clone_from(key);
                self.order = Some((*amount, *currency));
                self.waiting = Some(Waiting { attempt, since: at });
            }
            What::Arrived | What::Resent => self.working.push(attempt),
            What::RequestLost => self.fate = Fate::RequestLost(at),
            What::Claimed { key, found } => self.claimed(at, attempt, key, found),
            What::Charged { said, .. } => {
                if let Said::Final {
                    paid: Paid::Succeeded,
                    charge,
                } = said
                {
                    let (amount, currency) = self.order.unwrap_or((0, Currency::Usd));
                    self.ledger.push(LedgerLine {
                        charge: charge.clone(),
                        attempt,
                        at,
                        amount,
                        currency,
                    });
                }
            }
            What::Saved {
                key,
                status,
                charge,
                written: true,
            } => {
                if let Some(line) = self.line(key) {
                    line.stage = KeyStage::Done {
                        status: *status,
                        charge: charge.clone(),
                        at,
                    };
                }
            }
            What::Saved { written: false, .. } => {}
            What::Released { key } => {
                if let Some(line) = self.line(key) {
                    line.stage = KeyStage::Released;
                }
            }
            What::Crashed => {
                self.ends(attempt);
                self.fate = Fate::Crashed(at);
            }
            What::Replied(_) => {
                self.ends(attempt);
                self.fate = Fate::OnItsWay;
            }
            What::ReplyLost => self.fate = Fate::Lost(at),
            What::Unheard(_) => {
                self.ends(attempt);
                self.fate = Fate::Unheard(at);
            }
            What::Received(answered) => {
                self.fate = Fate::Received(at);
                self.waiting = None;
                self.belief = match (answered.status, &answered.charge) {
                    (200..=299, Some(charge)) => Belief::Paid(charge.clone()),
                    (402, _) => Belief::Declined,
                    (409, _) => Belief::ToldToWait,
                    (status @ (408 | 429 | 500..=599), _) => Belief::ToldToRetry(status),
                    (status, _) => Belief::Refused(status),
                };
            }
            What::TimedOut { .. } | What::Broke { .. } => {
                self.waiting = None;
                self.belief = Belief::Unknown;
            }
            What::Waits { .. } | What::GaveUp => {}
        }
    }

    fn line(&mut self, key: &str) -> Option<&mut KeyLine> {
        self.keys.iter_mut().find(|line| line.key == key)
    }

    fn ends(&mut self, attempt: u32) {
        self.working.retain(|it| *it != attempt);
    }

    fn claimed(&mut self, at: Ms, owner: u32, key: &str, found: &Found) {
        let asked = self.line(key).map_or(0, |line| line.asked) + 1;
        match found {
            Found::New { lease_ms, token } | Found::TakenOver { lease_ms, token } => {
                let line = KeyLine {
                    key: key.to_owned(),
                    stage: KeyStage::Running,
                    owner,
                    since: at,
                    lease_ms: *lease_ms,
                    token: *token,
                    asked,
                };
                match self.line(key) {
                    Some(old) => *old = line,
                    None => self.keys.push(line),
                }
            }
            Found::InProgress { .. }
            | Found::Done { .. }
            | Found::Reused
            | Found::Expired
            | Found::Nothing => {
                if let Some(line) = self.line(key) {
                    line.asked = asked;
                }
            }
        }
    }
}
