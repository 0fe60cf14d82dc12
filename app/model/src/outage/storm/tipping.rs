//! From which load on a system does not come back.

use super::{Outage, OutageInputs, Recovery, Strategy};

/// Looks for the least offered load (requests a second, below the capacity) at which
/// this outage is survived by its failure: the cause is gone and the system does not
/// come back within the run. Each load that is tried is a whole run; they go in
/// slices.
///
/// Found by halving, so it takes for granted that what does not come back at one
/// load does not at a higher one. Near the point that also depends on the seed.
#[derive(Clone, Debug)]
pub struct Tipping {
    inputs: OutageInputs,
    strategy: Strategy,
    /// A load at which it comes back, and one at which it does not, once that has
    /// been seen.
    good: u32,
    bad: Option<u32>,
    trying: Option<(u32, Outage)>,
    tried: u32,
}

impl Tipping {
    /// Before the first run, with the inputs [bounded](OutageInputs::bounded). Their
    /// rate is not used.
    #[must_use]
    pub fn new(inputs: &OutageInputs, strategy: Strategy) -> Self {
        let inputs = inputs.bounded();
        // So that every load is run for the same time.
        let most = (OutageInputs::MOST_REQUESTS / inputs.seconds).min(10_000);
        let highest = inputs.capacity.saturating_sub(1).min(most);
        let mut it = Self {
            inputs,
            strategy,
            good: 0,
            bad: None,
            trying: None,
            tried: 0,
        };
        if highest > 0 {
            it.attempt(highest);
        }
        it
    }

    fn attempt(&mut self, rate: u32) {
        let inputs = OutageInputs {
            rate,
            ..self.inputs
        };
        self.trying = Some((rate, Outage::new(&inputs, self.strategy)));
    }

    /// Handles up to `budget` events of the run that is tried. Whether nothing is
    /// left to do.
    pub fn run(&mut self, budget: u32) -> bool {
        let Some((rate, outage)) = &mut self.trying else {
            return true;
        };
        if !outage.run(budget).done {
            return false;
        }
        let (rate, recovery) = (*rate, outage.summary().recovery);
        self.trying = None;
        self.tried += 1;
        let bad = match (recovery, self.bad) {
            (Recovery::Never, _) => rate,
            // It comes back at the highest load: there is no such point.
            (_, None) => return true,
            (_, Some(bad)) => {
                self.good = rate;
                bad
            }
        };
        self.bad = Some(bad);
        if bad - self.good > 1 {
            self.attempt(u32::midpoint(self.good, bad));
            return false;
        }
        true
    }

    /// How many loads have been tried.
    #[must_use]
    pub const fn tried(&self) -> u32 {
        self.tried
    }

    /// The load, once nothing is left to do. `None` if it comes back at every load
    /// that it could carry, or if the run is too short to tell.
    #[must_use]
    pub const fn rate(&self) -> Option<u32> {
        self.bad
    }
}

/// Finds the load of [`Tipping`] at once. On a page go in slices.
#[must_use]
pub fn tipping_rate(inputs: &OutageInputs, strategy: Strategy) -> Option<u32> {
    let mut tipping = Tipping::new(inputs, strategy);
    while !tipping.run(u32::MAX) {}
    tipping.rate()
}
