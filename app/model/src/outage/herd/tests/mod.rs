mod figures;
mod form;
mod laws;

use super::*;
use crate::outage::kind::Kind;

fn run(inputs: &HerdInputs, kind: Kind) -> Herd {
    let mut herd = Herd::new(inputs, kind);
    while !herd.run(1000).done {}
    herd
}
