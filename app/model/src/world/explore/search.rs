//! Breadth first through all states, in slices.

use super::super::moves::Move;
use super::super::state::{Budget, Rules, State};
use super::super::trace::Trace;
use super::canon::MOST_TROUBLE;
use super::index::Index;
use super::lives::{Live, lives};
use super::packed::{ATTEMPTS, CLIENTS, FLIGHTS, Packed};
use super::property::{Properties, Property};
use super::table::Table;
use super::tell::tell;

/// States that a search looks at unless it is told otherwise.
pub const DEFAULT_BOUND: usize = 250_000;

/// The world is larger than a search can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// So many clients, or none.
    #[error("1 to {CLIENTS} clients can be searched, not {0}")]
    Clients(usize),
    /// So many attempts for each of them, or none.
    #[error("{0} attempts for each client are none, or more than {FLIGHTS} in all")]
    Attempts(u32),
    /// So much trouble of one kind.
    #[error("at most {MOST_TROUBLE} of each kind of trouble can be searched, not {0}")]
    Trouble(u8),
    /// A key with this number.
    #[error("keys are numbered from 0 to 7, and there would be one with the number {0}")]
    Key(u32),
}

/// How far a search has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// There is more to look at.
    Searching {
        /// States found so far.
        states: usize,
        /// Moves from the start to the states that are looked at.
        depth: usize,
    },
    /// It is over.
    Finished(Verdict),
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Every state was looked at, and everything that was asked for holds in it.
    Holds {
        /// How many there are, in their canonical form.
        states: usize,
        /// Moves between them.
        transitions: u64,
        /// Moves from the start to the farthest of them.
        depth: usize,
    },
    /// Something does not hold.
    Broken(Box<Counterexample>),
    /// The bound was met first. Nothing broke within this depth.
    NotFinished {
        /// States found.
        states: usize,
        /// Every state within so many moves was looked at.
        depth: usize,
    },
}

/// A shortest way from the start to a state in which something does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// What does not hold.
    pub property: Property,
    /// The moves.
    pub moves: Vec<Move>,
    /// The same as facts.
    pub trace: Trace,
    /// States that were found until then.
    pub states: usize,
}

/// A search.
pub struct Search {
    pub(super) table: Table,
    start: Budget,
    asked: Properties,
    bound: usize,
    pub(super) states: Vec<Packed>,
    parents: Vec<u32>,
    index: Index,
    /// The next state to look at.
    next: usize,
    /// Where the states at the depth after the next one's begin.
    level_end: usize,
    depth: usize,
    transitions: u64,
    verdict: Option<Verdict>,
    found: Vec<Packed>,
    live: Live,
}

impl Search {
    /// A search through everything that these rules and this budget allow, for a
    /// state in which one of the properties does not hold.
    ///
    /// # Errors
    /// [`TooLarge`] when a state would not fit into the packed form.
    pub fn new(rules: &Rules, budget: Budget, asked: Properties) -> Result<Self, TooLarge> {
        check(rules, budget)?;
        let mut table = Table::new(rules);
        let start = table.pack(&State::start(rules, budget));
        let mut search = Self {
            table,
            start: budget,
            asked,
            bound: DEFAULT_BOUND,
            states: Vec::new(),
            parents: Vec::new(),
            index: Index::new(),
            next: 0,
            level_end: 1,
            depth: 0,
            transitions: 0,
            verdict: None,
            found: Vec::new(),
            live: Live::new(),
        };
        search.meet(start, 0);
        Ok(search)
    }

    /// Looks at so many states at the most.
    #[must_use]
    pub const fn bound(mut self, states: usize) -> Self {
        self.bound = states;
        self
    }

    /// Looks at the next `budget` states.
    pub fn step(&mut self, budget: usize) -> Progress {
        for _ in 0..budget {
            if self.verdict.is_some() {
                break;
            }
            self.look();
        }
        match &self.verdict {
            Some(verdict) => Progress::Finished(verdict.clone()),
            None => Progress::Searching {
                states: self.states.len(),
                depth: self.depth,
            },
        }
    }

    /// Searches to the end.
    pub fn run(&mut self) -> Verdict {
        loop {
            if let Progress::Finished(verdict) = self.step(usize::MAX) {
                return verdict;
            }
        }
    }

    /// Looks at one state: everything that can follow.
    fn look(&mut self) {
        if self.next == self.level_end {
            if self.next == self.states.len() {
                self.verdict = Some(Verdict::Holds {
                    states: self.states.len(),
                    transitions: self.transitions,
                    depth: self.depth,
                });
                return;
            }
            self.depth += 1;
            self.level_end = self.states.len();
        }
        let Some(state) = self.states.get(self.next).copied() else {
            return;
        };
        let mut found = std::mem::take(&mut self.found);
        successors(&mut self.table, state, &mut found);
        self.transitions += found.len() as u64;
        for state in found.drain(..) {
            self.meet(state, self.next);
            if self.verdict.is_some() {
                break;
            }
        }
        self.found = found;
        self.next += 1;
        let fits = self.states.len() <= self.bound && !self.table.is_full();
        if self.verdict.is_none() && !fits {
            self.verdict = Some(Verdict::NotFinished {
                states: self.states.len(),
                depth: self.depth,
            });
        }
    }

    /// Keeps a state, if it is new, and judges it.
    fn meet(&mut self, state: Packed, parent: usize) {
        if !self.index.insert(&self.states, state) {
            return;
        }
        self.states.push(state);
        self.parents.push(parent as u32);
        if self.table.is_full() {
            return;
        }
        let open = state.open();
        let mut broken = self.table.broken(&open);
        if self.asked.contains(Property::NeverStuck)
            && !lives(&mut self.table, &mut self.live, open)
        {
            broken = broken.with(Property::NeverStuck);
        }
        if let Some(property) = broken.and(self.asked).first() {
            self.verdict = Some(Verdict::Broken(Box::new(self.explain(property))));
        }
    }

    /// How it came to the last state.
    fn explain(&mut self, property: Property) -> Counterexample {
        let states = self.states.len();
        let mut path = Vec::new();
        let mut at = states - 1;
        while at > 0 {
            path.extend(self.states.get(at).copied());
            at = self.parents.get(at).map_or(0, |parent| *parent as usize);
        }
        path.reverse();
        let moves = self.moves(&path);
        let trace = tell(self.table.rules(), self.start, &moves);
        Counterexample {
            property,
            moves,
            trace,
            states,
        }
    }

    /// The moves that lead through these states.
    fn moves(&mut self, path: &[Packed]) -> Vec<Move> {
        let rules = self.table.rules().clone();
        let mut state = State::start(&rules, self.start);
        let mut moves = Vec::with_capacity(path.len());
        for wanted in path {
            let step = state.moves(&rules).into_iter().find_map(|made| {
                let mut after = state.clone();
                after.apply(&rules, made).ok()?;
                (self.table.pack(&after) == *wanted).then_some((made, after))
            });
            let Some((made, after)) = step else { break };
            moves.push(made);
            state = after;
        }
        moves
    }
}

/// Everything that can follow a state, each as often as a move leads to it.
#[inline]
pub(super) fn successors(table: &mut Table, state: Packed, found: &mut Vec<Packed>) {
    let open = state.open();
    let affordable = |cost: u8| {
        let kind = cost | cost << 1;
        cost == 0 || open.budget & kind != 0
    };
    let mut before = None;
    for at in 0..table.clients() {
        let client = open.clients.get(at).copied().unwrap_or_default();
        // Equal clients in one place have the same moves. Their views name them.
        if before == Some(client) {
            continue;
        }
        before = Some(client);
        for change in table.client_changes(open.shared, client) {
            if let Some(change) = table.get(change)
                && affordable(change.cost)
            {
                found.push(table.after_client(open, at, &change).close());
            }
        }
    }
    let mut before = 0;
    for (at, orphan) in open.orphans.into_iter().enumerate() {
        if orphan == 0 {
            break;
        }
        if orphan == before {
            continue;
        }
        before = orphan;
        for change in table.orphan_changes(open.shared, orphan) {
            if let Some(change) = table.get(change)
                && affordable(change.cost)
            {
                found.push(table.after_orphan(open, at, &change).close());
            }
        }
    }
    // With no owner alive the most leases can end.
    if !table.lease_changes(open.shared, 0).is_empty() {
        let owners = table.owners(&open);
        for change in table.lease_changes(open.shared, owners) {
            if let Some(change) = table.get(change)
                && affordable(change.cost)
            {
                found.push(table.after_lease(open, &change).close());
            }
        }
    }
}

fn check(rules: &Rules, budget: Budget) -> Result<(), TooLarge> {
    let clients = rules.first_keys.len();
    if clients == 0 || clients > CLIENTS {
        return Err(TooLarge::Clients(clients));
    }
    let attempts = rules.attempts;
    if attempts == 0 || attempts > ATTEMPTS || attempts as usize * clients > FLIGHTS {
        return Err(TooLarge::Attempts(attempts));
    }
    let trouble = [
        budget.crashes,
        budget.losses,
        budget.slow_owners,
        budget.processor,
    ];
    if let Some(most) = trouble.into_iter().max().filter(|it| *it > MOST_TROUBLE) {
        return Err(TooLarge::Trouble(most));
    }
    let more = match rules.key_use {
        super::super::state::KeyUse::NewEachTime => (attempts - 1) * clients as u32,
        _ => 0,
    };
    let most = rules.first_keys.iter().map(|key| u32::from(*key) + more);
    match most.max().filter(|it| *it > 7) {
        Some(most) => Err(TooLarge::Key(most)),
        None => Ok(()),
    }
}
