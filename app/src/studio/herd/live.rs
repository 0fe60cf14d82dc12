//! The herd in the browser.

use super::player::Player;
use super::{Asked, draw, fields};
use crate::studio::sim::alive::{Alive, Simulation, Step};
use crate::studio::sim::count;
use crate::studio::{Field, borrowed};
use model::outage::Herds;
use std::rc::Rc;
use web_sys::Element;

/// A run of all four kinds for what stands in the form.
pub(super) struct Run {
    asked: Asked,
    herds: Herds,
}

impl Run {
    pub(super) const fn herds(&self) -> &Herds {
        &self.herds
    }

    pub(super) const fn bin_ms(&self) -> u64 {
        self.asked.form.inputs.bin_ms
    }

    pub(super) fn clients(&self) -> u64 {
        self.asked.form.inputs.clients.into()
    }
}

impl Simulation for Run {
    fn begin(pairs: &[(String, String)]) -> Self {
        let asked = Asked::read(borrowed(pairs));
        let herds = Herds::new(&asked.form.inputs);
        Self { asked, herds }
    }

    fn step(&mut self, steps: u32) -> Step {
        let it = self.herds.run(steps);
        Step {
            done: it.done,
            words: format!(
                "Running: {} calls so far, {} clients of all four herds still wait.",
                count(it.calls),
                count(it.waiting)
            ),
        }
    }

    fn query(&self) -> String {
        self.asked.query()
    }

    fn fields(&self) -> Vec<Field> {
        fields::fields(&self.asked)
    }

    fn results(&self) -> String {
        draw::results(&self.asked, &self.herds, "browser").into_string()
    }

    fn said(&self) -> String {
        draw::said(&self.asked, &self.herds)
    }
}

/// Wakes the form, its results and the film.
pub(crate) fn wake(root: &Element) {
    let alive = Alive::<Run>::wake(root.clone());
    Player::wake(Rc::clone(&alive));
    alive.first();
}
