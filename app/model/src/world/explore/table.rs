//! The transition tables, filled by running the protocol.
//!
//! Nothing here knows what a claim or a lease is. For a value of what is shared
//! and one attempt (or one client with the attempt that it waits for) the table
//! builds a small [`State`], asks it for its moves, makes each of them with
//! [`State::apply`], and keeps what came out. It does so when a pair is first met.

use super::super::moves::Move;
use super::super::state::{Budget, Client, Flight, Phase, Place, Rules, State};
use super::canon::{
    Equals, MOST_TROUBLE, OWNER, STALE, Shared, Stand, View, ousted, owned, pack_budget,
};
use super::packed::{CLIENTS, CODES, Open, Packed, SHAREDS, code, sent_of, view_of};
use super::property::{Properties, broken};
use crate::protocol::{Attempt, Claim, Outcome, RecoveryPoint};
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

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

/// Numbers for values, in the order in which they are met.
struct Numbers<T> {
    of: HashMap<T, usize>,
    all: Vec<T>,
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn new() -> Self {
        Self {
            of: HashMap::new(),
            all: Vec::new(),
        }
    }

    /// The number of a value, and whether it is new.
    fn number(&mut self, value: T) -> (usize, bool) {
        if let Some(known) = self.of.get(&value) {
            return (*known, false);
        }
        let number = self.all.len();
        self.all.push(value.clone());
        self.of.insert(value, number);
        (number, true)
    }
}

/// A run of [`Change`]s in the table.
#[derive(Clone, Copy)]
struct Span {
    from: u32,
    count: u32,
}

impl Span {
    const UNKNOWN: Self = Self {
        from: u32::MAX,
        count: 0,
    };

    const fn range(self) -> Range<usize> {
        self.from as usize..(self.from + self.count) as usize
    }
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

    /// Packs a state in its canonical form.
    pub(super) fn pack(&mut self, state: &State) -> Packed {
        let mut open = Packed(0).open();
        open.budget = pack_budget(state.budget);
        open.shared = self.shared(state);
        for (slot, (no, client)) in open.clients.iter_mut().zip((0..).zip(&state.clients)) {
            let view = self.equals.view(state, no, client);
            *slot = self.client(client.sent, view);
        }
        for (no, flight) in (0..).zip(&state.flights) {
            if !state.is_awaited(no)
                && let Some(orphan) = self.equals.orphan(state, flight)
            {
                let orphan = self.orphan(orphan);
                open.insert(orphan);
            }
        }
        self.order(&mut open);
        open.close()
    }

    /// Puts equal clients into order.
    #[inline]
    fn order(&self, open: &mut Open) {
        for (a, b) in &self.pairs {
            if open.clients.get(*a) > open.clients.get(*b) {
                open.clients.swap(*a, *b);
            }
        }
    }

    fn shared(&mut self, state: &State) -> u16 {
        let shared = self.equals.shared(state);
        let (number, new) = self.shareds.number(shared);
        if number >= SHAREDS {
            self.full = true;
            return 0;
        }
        if new {
            let broken = broken(&self.rules, &self.scene(number as u16));
            self.rows.push(Row {
                broken,
                orphans: Vec::new(),
                clients: Vec::new(),
                leases: Vec::new(),
                told: Vec::new(),
            });
        }
        number as u16
    }

    fn orphan(&mut self, flight: Flight) -> u8 {
        let (number, new) = self.orphans.number(flight.clone());
        if number >= CODES {
            self.full = true;
            return 0;
        }
        if new {
            self.orphan_holds.push(Hold::default());
            let hold = Hold {
                key: owned(&flight).map_or(0, |key| 1 << key),
                ousted: match owned(&flight) {
                    Some(_) => self.orphan(ousted(&flight)),
                    None => number as u8,
                },
                ..Hold::default()
            };
            if let Some(slot) = self.orphan_holds.get_mut(number) {
                *slot = hold;
            }
        }
        number as u8
    }

    /// A client's code. Whoever has been told sends no more: how often it has
    /// sent does not matter.
    fn client(&mut self, sent: u32, view: View) -> u16 {
        let view = self.view(view);
        let told = self.view_holds.get(usize::from(view));
        code(
            if told.is_some_and(|it| it.told) {
                0
            } else {
                sent
            },
            view,
        )
    }

    fn view(&mut self, view: View) -> u8 {
        let (number, new) = self.views.number(view.clone());
        if number >= CODES {
            self.full = true;
            return 0;
        }
        if new {
            self.view_holds.push(Hold::default());
            let mut hold = Hold {
                ousted: number as u8,
                told: matches!(view.stand, Stand::Settled { .. } | Stand::Refused),
                gave_up: view.stand == Stand::GaveUp,
                ..Hold::default()
            };
            if let Stand::Waiting(flight) = &view.stand
                && let Some(key) = owned(flight)
            {
                hold.key = 1 << key;
                hold.ousted = self.view(View {
                    client: view.client,
                    stand: Stand::Waiting(ousted(flight)),
                });
            }
            if let Some(slot) = self.view_holds.get_mut(number) {
                *slot = hold;
            }
        }
        number as u8
    }

    /// A state with these things shared, no attempt, and clients that do nothing.
    fn scene(&self, shared: u16) -> State {
        let trouble = MOST_TROUBLE;
        let mut state = State::start(
            &self.rules,
            Budget {
                crashes: trouble,
                losses: trouble,
                slow_owners: trouble,
                processor: trouble,
            },
        );
        for client in &mut state.clients {
            client.phase = Phase::GaveUp;
        }
        if let Some(it) = self.shareds.all.get(usize::from(shared)) {
            state.keys.clone_from(&it.keys);
            state.ledger.clone_from(&it.ledger);
        }
        state
    }

    /// The same with one client as its code says.
    fn scene_with(&self, shared: u16, client: u16) -> Option<(State, u8)> {
        let mut state = self.scene(shared);
        let view = self.views.all.get(usize::from(view_of(client)))?;
        let phase = match &view.stand {
            Stand::Ready => Phase::Ready,
            Stand::Waiting(flight) => {
                state.flights.push(flight.clone());
                Phase::Waiting(0)
            }
            Stand::Settled { paid, charge } => Phase::Settled {
                paid: *paid,
                charge: *charge,
            },
            Stand::Refused => Phase::Refused,
            Stand::GaveUp => Phase::GaveUp,
        };
        *state.clients.get_mut(usize::from(view.client))? = Client {
            sent: sent_of(client),
            phase,
        };
        Some((state, view.client))
    }

    /// What an orphan's moves change.
    #[inline]
    pub(super) fn orphan_changes(&mut self, shared: u16, orphan: u8) -> Range<usize> {
        let known = self
            .rows
            .get(usize::from(shared))
            .and_then(|row| row.orphans.get(usize::from(orphan)));
        match known {
            Some(span) if span.from != u32::MAX => span.range(),
            _ => self.fill_orphan(shared, orphan),
        }
    }

    #[cold]
    fn fill_orphan(&mut self, shared: u16, orphan: u8) -> Range<usize> {
        let mut before = self.scene(shared);
        let flight = self.orphans.all.get(usize::from(orphan));
        before.flights.extend(flight.cloned());
        let from = self.changes.len();
        for made in before.moves(&self.rules) {
            if !matches!(made, Move::LeaseEnds(_))
                && let Some((mut change, after)) = self.change(&before, made)
            {
                let left = after.flights.first();
                let left = left.and_then(|flight| self.equals.orphan(&after, flight));
                change.orphan = left.map_or(0, |flight| self.orphan(flight));
                self.changes.push(change);
            }
        }
        let span = self.span(from);
        let row = self.rows.get_mut(usize::from(shared));
        put(row.map(|row| &mut row.orphans), usize::from(orphan), span);
        span.range()
    }

    /// What the moves of a client, and of the attempt that it waits for, change.
    #[inline]
    pub(super) fn client_changes(&mut self, shared: u16, client: u16) -> Range<usize> {
        let known = self
            .rows
            .get(usize::from(shared))
            .and_then(|row| row.clients.get(usize::from(client)));
        match known {
            Some(span) if span.from != u32::MAX => span.range(),
            _ => self.fill_client(shared, client),
        }
    }

    #[cold]
    fn fill_client(&mut self, shared: u16, client: u16) -> Range<usize> {
        let from = self.changes.len();
        if let Some((before, no)) = self.scene_with(shared, client) {
            let mut moves = before.moves(&self.rules);
            moves.sort_by_key(|made| rank(*made));
            for made in moves {
                if !matches!(made, Move::LeaseEnds(_))
                    && let Some((mut change, after)) = self.change(&before, made)
                    && let Some(it) = after.clients.get(usize::from(no))
                {
                    let view = self.equals.view(&after, no, it);
                    change.client = self.client(it.sent, view);
                    if let Some(left) = after.flights.first()
                        && !after.is_awaited(0)
                        && let Some(left) = self.equals.orphan(&after, left)
                    {
                        change.orphan = self.orphan(left);
                    }
                    self.changes.push(change);
                }
            }
        }
        let span = self.span(from);
        let row = self.rows.get_mut(usize::from(shared));
        put(row.map(|row| &mut row.clients), usize::from(client), span);
        span.range()
    }

    /// What the end of a lease changes, where these keys have living owners.
    #[inline]
    pub(super) fn lease_changes(&mut self, shared: u16, owners: u8) -> Range<usize> {
        let known = self
            .rows
            .get(usize::from(shared))
            .and_then(|row| row.leases.iter().find(|it| it.0 == owners));
        match known {
            Some((_, span)) => span.range(),
            None => self.fill_leases(shared, owners),
        }
    }

    #[cold]
    fn fill_leases(&mut self, shared: u16, owners: u8) -> Range<usize> {
        let mut before = self.scene(shared);
        for key in (0..8).filter(|key| owners & 1 << key != 0) {
            let mut owner = Attempt::new(true, &self.rules.design);
            let claimed = Outcome::Claimed(Claim {
                token: OWNER,
                point: RecoveryPoint::Claimed,
                lease_until: None,
            });
            if owner.feed(claimed).is_ok() {
                before.flights.push(Flight {
                    client: 0,
                    key: Some(key),
                    place: Place::Working(owner),
                });
            }
        }
        let from = self.changes.len();
        for made in before.moves(&self.rules) {
            if matches!(made, Move::LeaseEnds(_))
                && let Some((change, _)) = self.change(&before, made)
            {
                self.changes.push(change);
            }
        }
        let span = self.span(from);
        if let Some(row) = self.rows.get_mut(usize::from(shared)) {
            row.leases.push((owners, span));
        }
        span.range()
    }

    fn span(&self, from: usize) -> Span {
        Span {
            from: from as u32,
            count: (self.changes.len() - from) as u32,
        }
    }

    /// Makes a move in a scene.
    fn change(&mut self, before: &State, made: Move) -> Option<(Change, State)> {
        let mut after = before.clone();
        after.apply(&self.rules, made).ok()?;
        let cost = pack_budget(before.budget) - pack_budget(after.budget);
        let raised = (1..).zip(before.keys.iter().zip(&after.keys));
        let raised = raised.filter_map(|(no, (old, new))| {
            let token = old.as_ref().and(new.as_ref())?.token;
            (token != OWNER && token != STALE).then_some(no)
        });
        let over = |flight: &Flight| flight.place == Place::Over;
        let forward = cost == 0
            && match made {
                // Who waits for nothing has to stop waiting.
                Move::TimeOut(_) => before.flights.first().is_none_or(over),
                _ => true,
            };
        let change = Change {
            cost,
            shared: self.shared(&after),
            client: 0,
            orphan: 0,
            raised: raised.last().unwrap_or(0),
            forward,
        };
        Some((change, after))
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> Option<Change> {
        self.changes.get(at).copied()
    }

    /// The keys that have a living owner, as bits.
    #[inline]
    pub(super) fn owners(&self, open: &Open) -> u8 {
        let orphans = open.orphans.iter().take_while(|it| **it != 0);
        let orphans = orphans.filter_map(|it| self.orphan_holds.get(usize::from(*it)));
        let clients = open.clients.iter().take(self.clients());
        let clients = clients.filter_map(|it| self.view_holds.get(usize::from(view_of(*it))));
        orphans.chain(clients).fold(0, |all, hold| all | hold.key)
    }

    /// The state after a client's move.
    #[inline]
    pub(super) fn after_client(&self, mut open: Open, at: usize, change: &Change) -> Open {
        self.settle(&mut open, change);
        if let Some(slot) = open.clients.get_mut(at) {
            *slot = change.client;
        }
        open.insert(change.orphan);
        self.order(&mut open);
        open
    }

    /// The state after an orphan's move.
    #[inline]
    pub(super) fn after_orphan(&self, mut open: Open, at: usize, change: &Change) -> Open {
        open.remove(at);
        self.settle(&mut open, change);
        open.insert(change.orphan);
        if change.raised != 0 {
            self.order(&mut open);
        }
        open
    }

    /// The state after a lease has ended.
    #[inline]
    pub(super) fn after_lease(&self, mut open: Open, change: &Change) -> Open {
        self.settle(&mut open, change);
        open
    }

    /// What a move changes for all: the budget, what is shared, whose token counts.
    #[inline]
    fn settle(&self, open: &mut Open, change: &Change) {
        open.budget -= change.cost;
        open.shared = change.shared;
        if change.raised == 0 {
            return;
        }
        let key = 1_u8 << (change.raised - 1);
        for orphan in open.orphans.iter_mut().take_while(|it| **it != 0) {
            if let Some(hold) = self.orphan_holds.get(usize::from(*orphan))
                && hold.key == key
            {
                *orphan = hold.ousted;
            }
        }
        open.sort();
        for client in &mut open.clients {
            if let Some(hold) = self.view_holds.get(usize::from(view_of(*client)))
                && hold.key == key
            {
                *client = code(sent_of(*client), hold.ousted);
            }
        }
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

/// The order in which a client's moves are tried. The first of the shortest ways
/// is the one that is shown: it should read like a story, the work before the
/// trouble and a time-out only where it is needed.
const fn rank(made: Move) -> u8 {
    match made {
        Move::Send(_) | Move::Deliver(_) | Move::Step(_) | Move::Receive(_) => 0,
        Move::Decline(_) | Move::Fail(..) => 1,
        Move::LoseRequest(_) | Move::LoseReply(_) | Move::Crash(_) | Move::LeaseEnds(_) => 2,
        Move::TimeOut(_) => 3,
    }
}

fn put(spans: Option<&mut Vec<Span>>, at: usize, span: Span) {
    if let Some(spans) = spans {
        if spans.len() <= at {
            spans.resize(at + 1, Span::UNKNOWN);
        }
        if let Some(slot) = spans.get_mut(at) {
            *slot = span;
        }
    }
}
