//! From a state to its packed form.

use super::super::canon::{Stand, View, ousted, owned, pack_budget};
use super::super::packed::{CODES, Open, Packed, SHAREDS, code};
use super::super::property::broken;
use super::{Hold, Row, Table};
use crate::world::state::{Flight, State};

impl Table {
    /// Packs a state in its canonical form.
    pub(in crate::world::explore) fn pack(&mut self, state: &State) -> Packed {
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
    pub(super) fn order(&self, open: &mut Open) {
        for (a, b) in &self.pairs {
            if open.clients.get(*a) > open.clients.get(*b) {
                open.clients.swap(*a, *b);
            }
        }
    }

    pub(super) fn shared(&mut self, state: &State) -> u16 {
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

    pub(super) fn orphan(&mut self, flight: Flight) -> u8 {
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
    pub(super) fn client(&mut self, sent: u32, view: View) -> u16 {
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

    pub(super) fn view(&mut self, view: View) -> u8 {
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
}
