//! Whether every client can still be told.

use super::packed::{Open, Packed};
use super::table::Table;

/// States of which it is known that every client can still be told. It holds one
/// for each place, the last that was met: forgetting costs time and nothing else.
pub(super) struct Live {
    slots: Vec<Packed>,
    path: Vec<Packed>,
}

impl Live {
    const SLOTS: usize = 1 << 14;

    pub(super) fn new() -> Self {
        Self {
            // No state is all ones.
            slots: vec![Packed(u128::MAX); Self::SLOTS],
            path: Vec::new(),
        }
    }

    fn slot(&mut self, state: Packed) -> Option<&mut Packed> {
        let at = state.hash() as usize % Self::SLOTS;
        self.slots.get_mut(at)
    }
}

/// Whether every client can still be told, if nothing goes wrong any more and
/// those whose attempts are used up try once more.
///
/// It goes one way to the end: the work is brought forward as long as anything
/// moves, and then the next client tries. The tests compare this with the exact
/// answer, which looks at all ways.
pub(super) fn lives(table: &mut Table, live: &mut Live, mut open: Open) -> bool {
    let mut tried = 0;
    live.path.clear();
    loop {
        let state = open.close();
        let known = live.slot(state).is_some_and(|slot| *slot == state);
        if known || table.all_told(&open) {
            break;
        }
        live.path.push(state);
        if let Some(next) = forward(table, &open) {
            open = next;
            continue;
        }
        let trying = (0..table.clients()).find_map(|at| {
            let client = open.clients.get(at).copied()?;
            Some((at, table.keep_trying(client)?))
        });
        let (Some((at, client)), true) = (trying, tried <= table.clients()) else {
            return false;
        };
        tried += 1;
        if let Some(slot) = open.clients.get_mut(at) {
            *slot = client;
        }
    }
    let path = std::mem::take(&mut live.path);
    for state in &path {
        if let Some(slot) = live.slot(*state) {
            *slot = *state;
        }
    }
    live.path = path;
    true
}

/// The first move that brings the work forward.
fn forward(table: &mut Table, open: &Open) -> Option<Open> {
    if let Some(orphan) = open.orphans.first().copied().filter(|it| *it != 0) {
        for change in table.orphan_changes(open.shared, orphan) {
            if let Some(change) = table.get(change).filter(|it| it.forward) {
                return Some(table.after_orphan(*open, 0, &change));
            }
        }
    }
    for at in 0..table.clients() {
        let client = open.clients.get(at).copied().unwrap_or_default();
        for change in table.client_changes(open.shared, client) {
            if let Some(change) = table.get(change).filter(|it| it.forward) {
                return Some(table.after_client(*open, at, &change));
            }
        }
    }
    let owners = table.owners(open);
    for change in table.lease_changes(open.shared, owners) {
        if let Some(change) = table.get(change).filter(|it| it.forward) {
            return Some(table.after_lease(*open, &change));
        }
    }
    None
}
