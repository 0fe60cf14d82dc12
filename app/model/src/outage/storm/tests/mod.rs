mod form;
mod laws;
mod rows;
mod story;

use super::*;

fn run(inputs: &OutageInputs, strategy: Strategy) -> Outage {
    let mut outage = Outage::new(inputs, strategy);
    while !outage.run(1000).done {}
    outage
}

/// Completed in the bins (of a second) from `from` to `to`.
fn completed(outage: &Outage, from: usize, to: usize) -> u32 {
    outage
        .bins()
        .iter()
        .take(to)
        .skip(from)
        .map(|bin| bin.completed)
        .sum()
}
