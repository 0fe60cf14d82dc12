//! The server's side of a move: carrying out the commands of an attempt.

use super::moves::Effect;
use super::state::{BodyNo, ChargeNo, ClientNo, Entry, FlightNo, Place, Rules, State};
use crate::protocol::admission::{Admission, Front, Stored, admit};
use crate::protocol::{
    Answer, Claim, Command, KeyState, Outcome, Paid, Record, RecoveryPoint, Token, Trouble,
};

impl State {
    /// Carries out the next command of an attempt. `verdict` makes the processor
    /// fail or decline; without it the processor says yes.
    pub(super) fn work(
        &mut self,
        rules: &Rules,
        no: FlightNo,
        verdict: Option<Result<Trouble, Paid>>,
    ) -> Option<Effect> {
        let flight = self.flight(no)?.clone();
        let Place::Working(mut attempt) = flight.place else {
            return None;
        };
        let command = attempt.command()?;
        if verdict.is_some() {
            if !matches!(command, Command::Charge { .. }) {
                return None;
            }
            self.budget.processor = self.budget.processor.checked_sub(1)?;
        }
        let body = rules.body(flight.client);
        let outcome = match &command {
            Command::LookUp => self.look_up(rules, flight.key?, body),
            Command::Claim => self.claim(rules, flight.key?, body),
            Command::Insert => self.insert(
                rules,
                flight.key?,
                body,
                Token::FIRST,
                RecoveryPoint::Claimed,
            ),
            Command::Charge { keyed } => match verdict {
                Some(Ok(trouble)) => Outcome::NotCharged(trouble),
                verdict => self.charge(
                    flight.key.filter(|_| *keyed),
                    flight.client,
                    verdict.is_none(),
                )?,
            },
            Command::Complete { token, answer } => {
                self.write(rules, flight.key?, *token, KeyState::Done(answer.clone()))
            }
            Command::Release { token, point } => self.write(
                rules,
                flight.key?,
                *token,
                KeyState::Released { point: *point },
            ),
            Command::Reply(_) => Outcome::Sent,
        };
        attempt.feed(outcome.clone()).ok()?;
        *self.place(no)? = match &command {
            Command::Reply(reply) if self.is_awaited(no) => Place::Inbound(reply.clone()),
            Command::Reply(_) => Place::Over,
            _ => Place::Working(attempt),
        };
        Some(Effect::Done(command, outcome))
    }

    fn judge(&self, rules: &Rules, key: u8, body: BodyNo) -> Admission<ChargeNo> {
        let record = self.keys.get(usize::from(key)).and_then(Option::as_ref);
        let stored = record.map(|record| Stored {
            record,
            asked: &body,
            now: self.now,
        });
        admit(&Front::GOOD, stored, &rules.design)
    }

    fn look_up(&self, rules: &Rules, key: u8, body: BodyNo) -> Outcome<ChargeNo> {
        Outcome::of_admission(self.judge(rules, key, body)).unwrap_or(Outcome::Absent)
    }

    fn claim(&mut self, rules: &Rules, key: u8, body: BodyNo) -> Outcome<ChargeNo> {
        let admission = self.judge(rules, key, body);
        if let Admission::TakeOver { from, point } = admission {
            return self.insert(rules, key, body, from.next(), point);
        }
        match Outcome::of_admission(admission) {
            Some(known) => known,
            None => self.insert(rules, key, body, Token::FIRST, RecoveryPoint::Claimed),
        }
    }

    fn insert(
        &mut self,
        rules: &Rules,
        key: u8,
        body: BodyNo,
        token: Token,
        point: RecoveryPoint,
    ) -> Outcome<ChargeNo> {
        let at = usize::from(key);
        if self.keys.len() <= at {
            self.keys.resize(at + 1, None);
        }
        let lease_until = rules.design.lease.then_some(self.now + rules.lease_ms);
        if let Some(slot) = self.keys.get_mut(at) {
            *slot = Some(Record {
                fingerprint: body,
                token,
                claimed_at: self.now,
                expires_at: self.now + rules.retention_ms,
                state: KeyState::Running { lease_until, point },
            });
        }
        Outcome::Claimed(Claim {
            token,
            point,
            lease_until,
        })
    }

    fn charge(
        &mut self,
        key: Option<u8>,
        client: ClientNo,
        taken: bool,
    ) -> Option<Outcome<ChargeNo>> {
        let known = key.and_then(|_| self.ledger.iter().find(|entry| entry.key == key));
        let entry = match known {
            Some(entry) => *entry,
            None => {
                let entry = Entry {
                    charge: ChargeNo::try_from(self.ledger.len()).ok()?,
                    key,
                    client,
                    taken,
                };
                self.ledger.push(entry);
                entry
            }
        };
        Some(Outcome::Charged(Answer {
            paid: if entry.taken {
                Paid::Succeeded
            } else {
                Paid::Declined
            },
            charge: entry.charge,
        }))
    }

    fn write(
        &mut self,
        rules: &Rules,
        key: u8,
        token: Token,
        state: KeyState<ChargeNo>,
    ) -> Outcome<ChargeNo> {
        let Some(Some(record)) = self.keys.get_mut(usize::from(key)) else {
            return Outcome::Fenced(None);
        };
        if rules.design.fencing && record.token != token {
            return Outcome::Fenced(match &record.state {
                KeyState::Done(answer) => Some(answer.clone()),
                _ => None,
            });
        }
        record.state = state;
        Outcome::Written
    }
}
