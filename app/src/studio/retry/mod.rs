//! The calculator: what a retry policy comes to.

mod answers;
mod code;
mod distribution;
mod fields;
mod file;
mod findings;
mod spike;
#[cfg(test)]
mod tests;
mod timeline;

pub use code::{download, target};
pub use file::csv;

use super::{Drawn, Pairs, borrowed, words};
use crate::parts::chart::{Chart, draw as chart};
use maud::html;
use model::retry::answers::Answers;
use model::retry::form::{Form, SceneForm};
use model::retry::presets::PRESETS;

/// What an address asks for.
struct Asked {
    form: Form,
    scene: SceneForm,
}

impl Asked {
    fn read(pairs: &Pairs) -> Self {
        Self {
            form: Form::read(borrowed(pairs)),
            scene: SceneForm::read(borrowed(pairs)),
        }
    }

    fn answers(&self) -> Answers {
        let inputs = &self.form.inputs;
        Answers::of(&inputs.plan, inputs.p, self.scene.scene.seed)
    }
}

/// Draws the calculator.
#[must_use]
pub fn draw(pairs: &Pairs) -> Drawn {
    let asked = Asked::read(pairs);
    let inputs = &asked.form.inputs;
    let (plan, scene) = (&inputs.plan, &asked.scene.scene);
    let answers = asked.answers();
    let known = PRESETS.iter().find(|preset| preset.plan == *plan);
    let results = html! {
        (answers::draw(inputs, &answers))
        @if let Some(preset) = known {
            p class="studio__is" { "This is " b { (preset.name) } ". " (preset.odd) }
        }
        (findings::draw(plan, &scene.around))
        (timeline::draw(plan))
        (distribution::draw(inputs, &answers, scene.seed))
        (spike::draw(plan, scene.seed))
        (code::draw(plan, &inputs.query()))
    };
    Drawn {
        query: format!("{}{}", inputs.query(), asked.scene.query()),
        fields: fields::fields(&asked.form, &asked.scene),
        results,
        said: said(&asked, &answers),
    }
}

/// The charts, in the order of the page.
#[must_use]
pub fn charts(pairs: &Pairs) -> Vec<Chart> {
    let asked = Asked::read(pairs);
    let inputs = &asked.form.inputs;
    let answers = asked.answers();
    let mut charts = vec![timeline::picture(&inputs.plan)];
    charts.extend(distribution::added(inputs, &answers));
    charts.extend(distribution::total(inputs, &answers));
    charts.extend(spike::picture(&inputs.plan, asked.scene.scene.seed));
    charts
}

fn said(asked: &Asked, answers: &Answers) -> String {
    let wrong = asked.form.problems.len();
    let wrong = match wrong {
        0 => String::new(),
        wrong => format!(
            "{} not understood, see beside {}. ",
            words::counted(wrong as u64, "field is", "fields are"),
            if wrong == 1 { "it" } else { "them" }
        ),
    };
    format!(
        "{wrong}Succeeds with probability {}, after {} attempts and a wait of {} on average.",
        answers::probability(answers.success.value),
        words::number(answers.expected_attempts.value, 4),
        words::duration(answers.expected_wait.value),
    )
}
