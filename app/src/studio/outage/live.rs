//! The outage in the browser.

use super::{Asked, Tip, draw, fields};
use crate::studio::sim::alive::{Alive, Simulation, Step};
use crate::studio::sim::count;
use crate::studio::{Field, borrowed};
use model::outage::{Outages, Tipping};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlSelectElement};

/// A run of all strategies for what stands in the form, and the search for the
/// tipping point where it is asked for.
struct Run {
    asked: Asked,
    outages: Outages,
    ran: bool,
    tipping: Option<Tipping>,
}

impl Simulation for Run {
    fn begin(pairs: &[(String, String)]) -> Self {
        let asked = Asked::read(borrowed(pairs));
        let inputs = &asked.form.inputs;
        Self {
            outages: Outages::new(inputs),
            ran: false,
            tipping: asked.tip.map(|strategy| Tipping::new(inputs, strategy)),
            asked,
        }
    }

    fn step(&mut self, steps: u32) -> Step {
        if !self.ran {
            let it = self.outages.run(steps);
            self.ran = it.done;
            return Step {
                done: it.done && self.tipping.is_none(),
                words: format!(
                    "Running: {} calls so far, {} requests of all nine runs still to come.",
                    count(it.calls),
                    count(it.waiting)
                ),
            };
        }
        let Some(tipping) = &mut self.tipping else {
            return Step {
                done: true,
                words: String::new(),
            };
        };
        Step {
            done: tipping.run(steps),
            words: format!(
                "Looking for the tipping point: {} loads tried.",
                tipping.tried()
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
        let tip = match (self.asked.tip, &self.tipping) {
            (Some(strategy), Some(it)) => Tip::Found(strategy, it.rate(), it.tried()),
            _ => Tip::NotAsked,
        };
        draw::results(&self.asked, &self.outages, tip, "browser").into_string()
    }

    fn said(&self) -> String {
        draw::said(&self.outages)
    }
}

/// Wakes the form and its results.
pub(crate) fn wake(root: &Element) {
    let alive = Alive::<Run>::wake(root.clone());
    alive.listen("click", |alive, event| {
        let link = event
            .target()
            .and_then(|it| it.dyn_into::<Element>().ok())
            .and_then(|it| it.closest("[data-tip]").ok().flatten());
        let Some(link) = link else { return };
        let select = alive
            .one("#f-tip")
            .and_then(|it| it.dyn_into::<HtmlSelectElement>().ok());
        if let (Some(select), Some(name)) = (select, link.get_attribute("data-tip")) {
            event.prevent_default();
            select.set_value(&name);
            alive.begin(true);
        }
    });
    // Nothing to film here: a run is needed only where the server left it.
    if alive.one("[data-pending]").is_some() {
        alive.begin(true);
    }
}
