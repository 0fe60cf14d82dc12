//! The transition tables, filled by running the protocol.
//!
//! Nothing here knows what a claim or a lease is. For a value of what is shared
//! and one attempt (or one client with the attempt that it waits for) the table
//! builds a small [`State`](crate::world::state::State), asks it for its moves, makes each of them with
//! [`State::apply`](crate::world::state::State::apply), and keeps what came out. It does so when a pair is first met.

mod after;
mod fill;
mod numbers;
mod pack;

use self::numbers::{Numbers, Span};
use super::canon::{Equals, Shared, Stand, View};
use super::packed::{CLIENTS, Open, code, view_of};
use super::property::{Properties, broken};
use crate::world::state::{Flight, Place, Rules};

/// What a move changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// What it takes from the packed budget: nothing or one of one kind.
    pub(super) cost: u8,
    /// What is shared afterwards.
    pub(super) shared: u16,
    /// Of whom it is a move: the client's code afterwards.
    pub(super) client: u16,
    /// The orphan afterwards: what became of it, or what the client left behind.
    pub(super) orphan: u8,
    /// The key that was taken over from its owner, plus one, or 0.
    pub(super) raised: u8,
    /// It brings the work forward and nothing goes wrong.
    pub(super) forward: bool,
}

/// What there is to one value of what is shared.
struct Row {
    broken: Properties,
    orphans: Vec<Span>,
    clients: Vec<Span>,
    /// By which keys have a living owner, as bits.
    leases: Vec<(u8, Span)>,
    /// What is broken for a client with this view.
    told: Vec<Option<Properties>>,
}

/// What there is to an attempt or a view, whatever is shared.
#[derive(Clone, Copy, Default)]
struct Hold {
    /// The key that it owns, as a bit.
    key: u8,
    /// Its number once that was taken over.
    ousted: u8,
    /// It is a client that was told for good.
    told: bool,
    /// It is a client whose attempts are used up.
    gave_up: bool,
}

/// The tables of one set of rules.
pub(super) struct Table {
    rules: Rules,
    equals: Equals,
    /// Pairs of clients that are put into order by exchanging them.
    pairs: Vec<(usize, usize)>,
    shareds: Numbers<Shared>,
    orphans: Numbers<Flight>,
    views: Numbers<View>,
    orphan_holds: Vec<Hold>,
    view_holds: Vec<Hold>,
    rows: Vec<Row>,
    changes: Vec<Change>,
    /// Something did not fit: nothing that comes out can be relied on.
    full: bool,
}

impl Table {
    pub(super) fn new(rules: &Rules) -> Self {
        let equals = Equals::of(rules);
        let count = rules.first_keys.len();
        let mut pairs = Vec::new();
        // One pass fewer than there are clients sorts them.
        for _ in 1..count {
            for b in 1..count {
                for a in 0..b {
                    let first = |at: usize| u8::try_from(at).map(|no| equals.first(no)).ok();
                    if first(a) == first(b) {
                        pairs.push((a, b));
                    }
                }
            }
        }
        let mut table = Self {
            rules: rules.clone(),
            equals,
            pairs,
            shareds: Numbers::new(),
            orphans: Numbers::new(),
            views: Numbers::new(),
            orphan_holds: Vec::new(),
            view_holds: Vec::new(),
            rows: Vec::new(),
            changes: Vec::new(),
            full: false,
        };
        // Number 0 is no orphan at all.
        table.orphan(Flight {
            client: 0,
            key: None,
            place: Place::Over,
        });
        table
    }

    pub(super) const fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn clients(&self) -> usize {
        self.rules.first_keys.len().min(CLIENTS)
    }

    pub(super) const fn rules(&self) -> &Rules {
        &self.rules
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> Option<Change> {
        self.changes.get(at).copied()
    }

    /// What is broken in a state, but for what can follow.
    pub(super) fn broken(&mut self, open: &Open) -> Properties {
        let row = self.rows.get(usize::from(open.shared));
        let mut all = row.map_or(Properties::NONE, |row| row.broken);
        for at in 0..self.clients() {
            let client = open.clients.get(at).copied().unwrap_or_default();
            let view = usize::from(view_of(client));
            if self.view_holds.get(view).is_some_and(|hold| hold.told) {
                all = all.or(self.told(open.shared, client));
            }
        }
        all
    }

    fn told(&mut self, shared: u16, client: u16) -> Properties {
        let view = usize::from(view_of(client));
        let row = self.rows.get(usize::from(shared));
        if let Some(Some(known)) = row.and_then(|row| row.told.get(view)) {
            return *known;
        }
        let scene = self.scene_with(shared, client);
        let found = scene.map_or(Properties::NONE, |(state, _)| broken(&self.rules, &state));
        if let Some(row) = self.rows.get_mut(usize::from(shared)) {
            if row.told.len() <= view {
                row.told.resize(view + 1, None);
            }
            if let Some(slot) = row.told.get_mut(view) {
                *slot = Some(found);
            }
        }
        found
    }

    /// Whether all clients have been told for good.
    pub(super) fn all_told(&self, open: &Open) -> bool {
        let mut clients = open.clients.iter().take(self.clients());
        clients.all(|it| {
            let hold = self.view_holds.get(usize::from(view_of(*it)));
            hold.is_some_and(|hold| hold.told)
        })
    }

    /// One more attempt for a client that gave up, or `None` for any other.
    pub(super) fn keep_trying(&mut self, client: u16) -> Option<u16> {
        let view = usize::from(view_of(client));
        if !self.view_holds.get(view)?.gave_up {
            return None;
        }
        let ready = View {
            client: self.views.all.get(view)?.client,
            stand: Stand::Ready,
        };
        let sent = self.rules.attempts.checked_sub(1)?;
        Some(code(sent, self.view(ready)))
    }
}
