//! Checks what authors edit in `content/` and writes it into the program, so
//! that a mistake stops the build and no parser goes to the browser.

#[path = "build/lesson.rs"]
mod lesson;

use model::learn::{Choice, Question, Show, check};
use serde::Deserialize;
use std::error::Error;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    question: Vec<Asked>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    id: String,
    revision: u32,
    prompt: String,
    option: Vec<Opt>,
    show: Option<Place>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opt {
    text: String,
    #[serde(default)]
    right: bool,
    why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    scenario: String,
    step: usize,
    label: String,
}

impl From<Asked> for Question {
    fn from(asked: Asked) -> Self {
        Self {
            id: asked.id.into(),
            revision: asked.revision,
            prompt: asked.prompt.into(),
            choices: asked
                .option
                .into_iter()
                .map(|it| Choice {
                    text: it.text.into(),
                    right: it.right,
                    why: it.why.into(),
                })
                .collect(),
            show: asked.show.map(|it| Show {
                scenario: it.scenario.into(),
                step: it.step,
                label: it.label.into(),
            }),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = "content/questions.toml";
    println!("cargo::rerun-if-changed={path}");
    let text = std::fs::read_to_string(path)?;
    let file: File = toml::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
    let questions: Vec<Question> = file.question.into_iter().map(Into::into).collect();
    let faults = check(&questions);
    if !faults.is_empty() {
        let list: Vec<String> = faults.iter().map(ToString::to_string).collect();
        return Err(format!("{path}:\n{}", list.join("\n")).into());
    }
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("questions.rs"), source(&questions))?;

    let path = "content/lesson.md";
    println!("cargo::rerun-if-changed={path}");
    let text = std::fs::read_to_string(path)?;
    let lesson = lesson::parse(&text).map_err(|error| format!("{path}: {error}"))?;
    std::fs::write(Path::new(&out).join("lesson.rs"), lesson.source())?;
    Ok(())
}

/// The questions as Rust source.
fn source(questions: &[Question]) -> String {
    let text = |it: &str| format!("Cow::Borrowed({it:?})");
    let mut out = String::from("&[\n");
    for question in questions {
        let choices: String = question
            .choices
            .iter()
            .map(|it| {
                let Choice {
                    text: said,
                    right,
                    why,
                } = it;
                format!(
                    "Choice {{ text: {}, right: {right}, why: {} }}, ",
                    text(said),
                    text(why)
                )
            })
            .collect();
        let show = question.show.as_ref().map_or_else(
            || "None".to_owned(),
            |it| {
                format!(
                    "Some(Show {{ scenario: {}, step: {}, label: {} }})",
                    text(&it.scenario),
                    it.step,
                    text(&it.label)
                )
            },
        );
        out.push_str(&format!(
            "Question {{ id: {}, revision: {}, prompt: {}, choices: Cow::Borrowed(&[{choices}]), show: {show} }},\n",
            text(&question.id),
            question.revision,
            text(&question.prompt),
        ));
    }
    out.push(']');
    out
}
