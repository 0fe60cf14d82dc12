//! The retry studio's model in a browser and natively, over the same inputs: what
//! `cargo xtask bench retry` measures and compares. No part of the product.

use model::outage::{HerdInputs, Herds, OutageInputs, Outages};
use model::retry::answers::Answers;
use model::retry::form::Form;
use wasm_bindgen::prelude::wasm_bindgen;

/// Herds by their number of clients. The server could serve all of them in a second
/// and has room for a tenth in its queue.
const HERDS: [u32; 4] = [1000, 10_000, 100_000, 1_000_000];

/// Outages: what they are called, requests a second, seconds, attempts.
const OUTAGES: [(&str, u32, u32, u32); 2] = [
    ("outage, as the page opens", 70, 60, 4),
    ("outage, 100000 requests, 10 attempts", 1000, 100, 10),
];

/// Changes of the calculator's form: what they are called, and the pairs.
const CHANGES: [(&str, &[(&str, &str)]); 5] = [
    ("calculator, as the page opens", &[("p", "0.1")]),
    (
        "calculator, 20 attempts, full jitter",
        &[("attempts", "20"), ("p", "0.5")],
    ),
    (
        "calculator, 100 attempts, full jitter",
        &[("attempts", "100"), ("p", "0.9")],
    ),
    (
        "calculator, decorrelated jitter, sampled",
        &[("attempts", "6"), ("jitter", "decorrelated"), ("p", "0.5")],
    ),
    (
        "calculator, with a deadline, sampled",
        &[("deadline", "900"), ("p", "0.5")],
    ),
];

/// How many cases there are.
#[wasm_bindgen]
#[must_use]
pub fn cases() -> usize {
    HERDS.len() + OUTAGES.len() + CHANGES.len()
}

enum Work {
    Herds(Box<Herds>),
    Outages(Outages),
    Change(&'static [(&'static str, &'static str)], String),
}

/// A case that is run in slices, as a page runs it.
#[wasm_bindgen]
pub struct Case {
    name: String,
    work: Work,
}

#[wasm_bindgen]
impl Case {
    /// The case of that number; the last one where there is none.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(case: usize) -> Self {
        if let Some(clients) = HERDS.get(case).copied() {
            let inputs = HerdInputs {
                clients,
                capacity: clients,
                queue: clients / 10,
                ..HerdInputs::default()
            };
            return Self {
                name: format!("herd, {clients} clients, four kinds"),
                work: Work::Herds(Box::new(Herds::new(&inputs))),
            };
        }
        let rest = case - HERDS.len();
        if let Some((name, rate, seconds, attempts)) = OUTAGES.get(rest).copied() {
            let capacity = rate * 10 / 7;
            let inputs = OutageInputs {
                rate,
                seconds,
                attempts,
                capacity,
                queue: capacity * 2,
                ..OutageInputs::default()
            };
            return Self {
                name: name.to_owned(),
                work: Work::Outages(Outages::new(&inputs)),
            };
        }
        let last = CHANGES.len() - 1;
        let (name, pairs) = CHANGES[(rest - OUTAGES.len()).min(last)];
        Self {
            name: name.to_owned(),
            work: Work::Change(pairs, String::new()),
        }
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Does so many steps; a change of the calculator is one. Whether it is done.
    pub fn step(&mut self, steps: u32) -> bool {
        match &mut self.work {
            Work::Herds(herds) => herds.run(steps).done,
            Work::Outages(outages) => outages.run(steps).done,
            Work::Change(pairs, said) => {
                let inputs = Form::read(pairs.iter().copied()).inputs;
                let answers = Answers::of(&inputs.plan, inputs.p, 1);
                // Logarithms and powers are those of the platform, so the last digits
                // may differ: figures as a page would show them.
                *said = [
                    answers.success,
                    answers.expected_attempts,
                    answers.expected_wait,
                    answers.worst_total,
                    answers.wait_p50,
                    answers.wait_p99,
                ]
                .map(|figure| format!("{:.6e}", figure.value))
                .join(" ");
                true
            }
        }
    }

    /// What came of it: of a simulation the digest over every bin and total.
    #[must_use]
    pub fn verdict(&self) -> String {
        match &self.work {
            Work::Herds(herds) => {
                let calls: u64 = herds.all().iter().map(|it| it.summary().calls).sum();
                format!("{:016x} {calls} calls", herds.digest())
            }
            Work::Outages(outages) => {
                let calls: u64 = outages.all().iter().map(|it| it.summary().sent).sum();
                format!("{:016x} {calls} calls", outages.digest())
            }
            Work::Change(_, said) => said.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_case_has_a_name_and_comes_to_something() {
        for case in (0..cases()).filter(|case| *case != 3) {
            let mut it = Case::new(case);
            while !it.step(1_000_000) {}
            assert!(!it.name().is_empty());
            assert!(it.verdict().len() > 16, "{}", it.verdict());
        }
    }
}
