//! The protocol written a second time, from the wire contract, for `stateright`.
//!
//! It shares no code with the model: other types, other names, one record, all
//! clients on one key or on none. What both say can be compared.

use stateright::{Model, Property};

/// The mechanisms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub(crate) clients: u8,
    pub(crate) tries: u8,
    pub(crate) crashes: u8,
    pub(crate) losses: u8,
    pub(crate) slow: u8,
    pub(crate) trouble: u8,
    pub(crate) with_key: bool,
    pub(crate) unique: bool,
    pub(crate) leases: bool,
    pub(crate) heartbeats: bool,
    pub(crate) fences: bool,
    pub(crate) bank_keys: bool,
    /// The one property to look for, or all of them.
    pub(crate) only: Option<&'static str>,
}

/// The number of a charge, and whether money was taken.
type Final = (u8, bool);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Buyer {
    Idle,
    Waits(u8),
    Told(Final),
    OutOfTries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Said {
    Answer(Final, bool),
    Busy,
    BankDown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Doing {
    OnTheWay,
    Looking,
    Claiming,
    Inserting,
    Charging,
    Saving(Final),
    GivingBack,
    Saying(Said),
    ComingBack(Said),
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Job {
    buyer: u8,
    fence: u8,
    doing: Doing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Row {
    Empty,
    Busy { lapsed: bool, asked: bool },
    GivenBack,
    Answered(Final),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Snapshot {
    buyers: Vec<(u8, Buyer)>,
    jobs: Vec<Job>,
    row: Row,
    fence: u8,
    charges: Vec<bool>,
    crashes: u8,
    losses: u8,
    slow: u8,
    trouble: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Event {
    Pay(u8),
    Arrive(u8),
    Work(u8),
    Decline(u8),
    BankFails(u8),
    Die(u8),
    DropRequest(u8),
    DropReply(u8),
    Hear(u8),
    Impatient(u8),
    LeaseLapses,
}

impl Peer {
    /// Somebody alive still has to write under this claim.
    fn owner_lives(&self, s: &Snapshot) -> bool {
        s.jobs.iter().any(|job| {
            job.fence == s.fence
                && matches!(
                    job.doing,
                    Doing::Charging | Doing::Saving(_) | Doing::GivingBack
                )
        })
    }

    /// Nobody will ever write, and nobody may take over.
    fn locked_for_ever(&self, s: &Snapshot) -> bool {
        !self.leases && matches!(s.row, Row::Busy { .. }) && !self.owner_lives(s)
            // The unsafe form may still be on its way to insert over it.
            && !s.jobs.iter().any(|job| job.doing == Doing::Inserting)
    }

    /// What the row says to somebody who asks, or `None` when the work is theirs.
    fn verdict(&self, s: &Snapshot) -> Option<Said> {
        match s.row {
            Row::Empty | Row::GivenBack => None,
            Row::Busy { lapsed: true, .. } => None,
            Row::Busy { lapsed: false, .. } => Some(Said::Busy),
            Row::Answered(answer) => Some(Said::Answer(answer, true)),
        }
    }

    fn take(&self, s: &mut Snapshot, at: usize, fence: u8) {
        let asked = match s.row {
            Row::GivenBack => true,
            Row::Busy { asked, .. } => asked,
            _ => false,
        };
        s.row = Row::Busy {
            lapsed: false,
            asked: asked && self.unique,
        };
        s.fence = fence;
        s.jobs[at].fence = fence;
        s.jobs[at].doing = Doing::Charging;
    }

    /// The bank's final word: an old one, if it knows the key.
    fn bank(&self, s: &mut Snapshot, taken: bool) -> Final {
        if self.with_key && self.bank_keys && !s.charges.is_empty() {
            return (0, s.charges[0]);
        }
        s.charges.push(taken);
        (s.charges.len() as u8 - 1, taken)
    }

    fn charged(&self, s: &mut Snapshot, at: usize, taken: bool) {
        let word = self.bank(s, taken);
        s.jobs[at].doing = if self.with_key {
            Doing::Saving(word)
        } else {
            Doing::Saying(Said::Answer(word, false))
        };
    }

    fn work(&self, s: &mut Snapshot, at: usize) {
        let Job {
            buyer,
            fence,
            doing,
        } = s.jobs[at];
        let ousted = self.fences && fence != s.fence;
        let too_late = match s.row {
            Row::Answered(answer) => Said::Answer(answer, true),
            _ => Said::Busy,
        };
        match doing {
            Doing::Looking => {
                s.jobs[at].doing = self.verdict(s).map_or(Doing::Inserting, Doing::Saying);
            }
            Doing::Claiming => match self.verdict(s) {
                Some(said) => s.jobs[at].doing = Doing::Saying(said),
                None if s.row == Row::Empty => self.take(s, at, 1),
                None => self.take(s, at, s.fence + 1),
            },
            Doing::Inserting => self.take(s, at, 1),
            Doing::Charging => self.charged(s, at, true),
            Doing::Saving(word) => {
                s.jobs[at].doing = Doing::Saying(if ousted {
                    too_late
                } else {
                    s.row = Row::Answered(word);
                    Said::Answer(word, false)
                });
            }
            Doing::GivingBack => {
                s.jobs[at].doing = Doing::Saying(if ousted {
                    too_late
                } else {
                    s.row = Row::GivenBack;
                    Said::BankDown
                });
            }
            Doing::Saying(said) => {
                let heard = s.buyers[buyer as usize].1 == Buyer::Waits(at as u8);
                s.jobs[at].fence = 0;
                s.jobs[at].doing = if heard {
                    Doing::ComingBack(said)
                } else {
                    Doing::Gone
                };
            }
            Doing::OnTheWay | Doing::ComingBack(_) | Doing::Gone => {}
        }
    }

    fn again(&self, tries: u8) -> Buyer {
        if tries < self.tries {
            Buyer::Idle
        } else {
            Buyer::OutOfTries
        }
    }
}

impl Model for Peer {
    type State = Snapshot;
    type Action = Event;

    fn init_states(&self) -> Vec<Snapshot> {
        vec![Snapshot {
            buyers: vec![(0, Buyer::Idle); self.clients as usize],
            jobs: Vec::new(),
            row: Row::Empty,
            fence: 0,
            charges: Vec::new(),
            crashes: self.crashes,
            losses: self.losses,
            slow: self.slow,
            trouble: self.trouble,
        }]
    }

    fn actions(&self, s: &Snapshot, out: &mut Vec<Event>) {
        for (at, (tries, buyer)) in s.buyers.iter().enumerate() {
            match buyer {
                Buyer::Idle if *tries < self.tries => out.push(Event::Pay(at as u8)),
                Buyer::Waits(_) => out.push(Event::Impatient(at as u8)),
                _ => {}
            }
        }
        for (at, job) in s.jobs.iter().enumerate() {
            let at = at as u8;
            match job.doing {
                Doing::Gone => {}
                Doing::OnTheWay => {
                    out.push(Event::Arrive(at));
                    out.extend((s.losses > 0).then_some(Event::DropRequest(at)));
                }
                Doing::ComingBack(_) => {
                    out.push(Event::Hear(at));
                    out.extend((s.losses > 0).then_some(Event::DropReply(at)));
                }
                doing => {
                    out.push(Event::Work(at));
                    out.extend((s.crashes > 0).then_some(Event::Die(at)));
                    if doing == Doing::Charging && s.trouble > 0 {
                        out.extend([Event::Decline(at), Event::BankFails(at)]);
                    }
                }
            }
        }
        if self.leases && matches!(s.row, Row::Busy { lapsed: false, .. }) {
            let slow = !self.heartbeats && s.slow > 0;
            if slow || !self.owner_lives(s) {
                out.push(Event::LeaseLapses);
            }
        }
    }

    fn next_state(&self, before: &Snapshot, event: Event) -> Option<Snapshot> {
        let mut next = before.clone();
        let s = &mut next;
        match event {
            Event::Pay(buyer) => {
                let (tries, stand) = &mut s.buyers[buyer as usize];
                *tries += 1;
                *stand = Buyer::Waits(s.jobs.len() as u8);
                s.jobs.push(Job {
                    buyer,
                    fence: 0,
                    doing: Doing::OnTheWay,
                });
            }
            Event::Arrive(at) => {
                s.jobs[at as usize].doing = match (self.with_key, self.unique) {
                    (false, _) => Doing::Charging,
                    (true, true) => Doing::Claiming,
                    (true, false) => Doing::Looking,
                }
            }
            Event::Work(at) => self.work(s, at as usize),
            Event::Decline(at) => {
                s.trouble -= 1;
                self.charged(s, at as usize, false);
            }
            Event::BankFails(at) => {
                s.trouble -= 1;
                s.jobs[at as usize].doing = if self.with_key {
                    Doing::GivingBack
                } else {
                    Doing::Saying(Said::BankDown)
                };
            }
            Event::Die(at) => {
                s.crashes -= 1;
                s.jobs[at as usize].fence = 0;
                s.jobs[at as usize].doing = Doing::Gone;
            }
            Event::DropRequest(at) | Event::DropReply(at) => {
                s.losses -= 1;
                s.jobs[at as usize].doing = Doing::Gone;
            }
            Event::Hear(at) => {
                let job = &mut s.jobs[at as usize];
                let Doing::ComingBack(said) = job.doing else {
                    return None;
                };
                job.doing = Doing::Gone;
                let (tries, stand) = &mut s.buyers[job.buyer as usize];
                *stand = match said {
                    Said::Answer(word, _) => Buyer::Told(word),
                    Said::Busy | Said::BankDown => self.again(*tries),
                };
            }
            Event::Impatient(buyer) => {
                let (tries, stand) = &mut s.buyers[buyer as usize];
                let Buyer::Waits(at) = *stand else {
                    return None;
                };
                *stand = self.again(*tries);
                let job = &mut s.jobs[at as usize];
                if matches!(job.doing, Doing::ComingBack(_)) {
                    job.doing = Doing::Gone;
                }
            }
            Event::LeaseLapses => {
                if self.owner_lives(s) {
                    s.slow -= 1;
                }
                let Row::Busy { lapsed, .. } = &mut s.row else {
                    return None;
                };
                *lapsed = true;
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn told(s: &Snapshot) -> impl Iterator<Item = Final> + '_ {
            s.buyers.iter().filter_map(|(_, buyer)| match buyer {
                Buyer::Told(word) => Some(*word),
                _ => None,
            })
        }
        fn taken(s: &Snapshot) -> usize {
            s.charges.iter().filter(|taken| **taken).count()
        }
        let mut all = vec![
            Property::<Self>::always("one-charge", |_, s| taken(s) <= 1),
            Property::<Self>::always("never-stuck", |m, s| {
                let all = |(_, buyer): &(u8, Buyer)| matches!(buyer, Buyer::Told(_));
                s.buyers.iter().all(all) || !m.locked_for_ever(s)
            }),
            Property::<Self>::always("own-answer", |_, s| {
                told(s).all(|(_, paid)| paid == (taken(s) > 0))
            }),
            Property::<Self>::always("nobody-elses", |_, s| {
                told(s).all(|(no, _)| (no as usize) < s.charges.len())
            }),
            Property::<Self>::always("saved-answer", |m, s| {
                !m.with_key || told(s).all(|word| s.row == Row::Answered(word))
            }),
            Property::<Self>::always("agreement", |m, s| {
                let row_is_true = match s.row {
                    Row::Answered((no, paid)) => s.charges.get(no as usize) == Some(&paid),
                    _ => true,
                };
                let in_a_row =
                    |no: usize| matches!(s.row, Row::Answered((it, _)) if it as usize == no);
                let all_recorded = told(s).next().is_none()
                    || (0..s.charges.len()).all(|no| !s.charges[no] || in_a_row(no));
                !m.with_key || row_is_true && all_recorded
            }),
        ];
        all.retain(|it| self.only.is_none_or(|only| it.name == only));
        all
    }
}
