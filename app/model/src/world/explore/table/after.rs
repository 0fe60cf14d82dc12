//! The states after a move, put together from what it changes.

use super::super::packed::{Open, code, sent_of, view_of};
use super::{Change, Table};

impl Table {
    /// The keys that have a living owner, as bits.
    #[inline]
    pub(in crate::world::explore) fn owners(&self, open: &Open) -> u8 {
        let orphans = open.orphans.iter().take_while(|it| **it != 0);
        let orphans = orphans.filter_map(|it| self.orphan_holds.get(usize::from(*it)));
        let clients = open.clients.iter().take(self.clients());
        let clients = clients.filter_map(|it| self.view_holds.get(usize::from(view_of(*it))));
        orphans.chain(clients).fold(0, |all, hold| all | hold.key)
    }

    /// The state after a client's move.
    #[inline]
    pub(in crate::world::explore) fn after_client(
        &self,
        mut open: Open,
        at: usize,
        change: &Change,
    ) -> Open {
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
    pub(in crate::world::explore) fn after_orphan(
        &self,
        mut open: Open,
        at: usize,
        change: &Change,
    ) -> Open {
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
    pub(in crate::world::explore) fn after_lease(&self, mut open: Open, change: &Change) -> Open {
        self.settle(&mut open, change);
        open
    }

    /// What a move changes for all: the budget, what is shared, whose token counts.
    #[inline]
    pub(super) fn settle(&self, open: &mut Open, change: &Change) {
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
}
