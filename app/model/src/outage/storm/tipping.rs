//! From which load on a system does not come back.

use super::{Outage, OutageInputs, Recovery, Strategy};

/// The least offered load (requests a second, below the capacity) at which this
/// outage is survived by its failure: the cause is gone and the system does not come
/// back within the run. `None` if it comes back at every load that it could carry,
/// or if the run is too short to tell.
///
/// Found by halving, so it takes for granted that what does not come back at one
/// load does not at a higher one. Near the point that also depends on the seed.
#[must_use]
pub fn tipping_rate(inputs: &OutageInputs, strategy: Strategy) -> Option<u32> {
    let inputs = inputs.bounded();
    let comes_back = |rate: u32| {
        let mut outage = Outage::new(&OutageInputs { rate, ..inputs }, strategy);
        while !outage.run(u32::MAX).done {}
        !matches!(outage.summary().recovery, Recovery::Never)
    };
    // So that every load is run for the same time.
    let most = (OutageInputs::MOST_REQUESTS / inputs.seconds).min(10_000);
    let (mut good, mut bad) = (0, inputs.capacity.saturating_sub(1).min(most));
    if bad == 0 || comes_back(bad) {
        return None;
    }
    while bad - good > 1 {
        let middle = u32::midpoint(good, bad);
        if comes_back(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(bad)
}
