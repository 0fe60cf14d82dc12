//! What moves change, found by making them in small states.

use super::super::canon::{MOST_TROUBLE, OWNER, STALE, Stand, pack_budget};
use super::super::packed::{sent_of, view_of};
use super::numbers::{Span, put};
use super::{Change, Table};
use crate::protocol::{Attempt, Claim, Outcome, RecoveryPoint};
use crate::world::moves::Move;
use crate::world::state::{Budget, Client, Flight, Phase, Place, State};
use std::ops::Range;

impl Table {
    /// A state with these things shared, no attempt, and clients that do nothing.
    pub(super) fn scene(&self, shared: u16) -> State {
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
    pub(super) fn scene_with(&self, shared: u16, client: u16) -> Option<(State, u8)> {
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
    pub(in crate::world::explore) fn orphan_changes(
        &mut self,
        shared: u16,
        orphan: u8,
    ) -> Range<usize> {
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
    pub(super) fn fill_orphan(&mut self, shared: u16, orphan: u8) -> Range<usize> {
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
    pub(in crate::world::explore) fn client_changes(
        &mut self,
        shared: u16,
        client: u16,
    ) -> Range<usize> {
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
    pub(super) fn fill_client(&mut self, shared: u16, client: u16) -> Range<usize> {
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
    pub(in crate::world::explore) fn lease_changes(
        &mut self,
        shared: u16,
        owners: u8,
    ) -> Range<usize> {
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
    pub(super) fn fill_leases(&mut self, shared: u16, owners: u8) -> Range<usize> {
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

    pub(super) fn span(&self, from: usize) -> Span {
        Span {
            from: from as u32,
            count: (self.changes.len() - from) as u32,
        }
    }

    /// Makes a move in a scene.
    pub(super) fn change(&mut self, before: &State, made: Move) -> Option<(Change, State)> {
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
