//! Fields: a label, what is typed, and what is to be said about it.

use maud::{Markup, html};

/// How a field is filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Typed. A number keyboard where there is one; letters are refused by the model,
    /// not here.
    Text,
    /// One of several: the value in the address and the words for it.
    Choice(Vec<(&'static str, &'static str)>),
}

/// A field as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the address.
    pub name: &'static str,
    /// What it asks for.
    pub label: &'static str,
    /// The unit after it, if it has one.
    pub unit: &'static str,
    /// How it is filled in.
    pub input: Input,
    /// What stands in it.
    pub value: String,
    /// What to say under it: a hint, or what is wrong.
    pub note: String,
    /// Whether the note says what is wrong.
    pub is_wrong: bool,
    /// Whether it has nothing to say for what else was chosen.
    pub is_idle: bool,
    /// The heading that it stands under; fields with the same one follow each other.
    pub group: &'static str,
}

impl Field {
    /// A field to type in, without a note.
    #[must_use]
    pub fn text(
        name: &'static str,
        label: &'static str,
        unit: &'static str,
        value: String,
    ) -> Self {
        Self {
            name,
            label,
            unit,
            input: Input::Text,
            value,
            note: String::new(),
            is_wrong: false,
            is_idle: false,
            group: "",
        }
    }

    /// A choice, without a note.
    #[must_use]
    pub fn choice(
        name: &'static str,
        label: &'static str,
        choices: Vec<(&'static str, &'static str)>,
        value: String,
    ) -> Self {
        Self {
            input: Input::Choice(choices),
            ..Self::text(name, label, "", value)
        }
    }

    /// The same under a heading.
    #[must_use]
    pub fn under(self, group: &'static str) -> Self {
        Self { group, ..self }
    }

    /// The same with a note that explains.
    #[must_use]
    pub fn noted(self, note: impl Into<String>) -> Self {
        Self {
            note: note.into(),
            ..self
        }
    }

    /// The same with what is wrong, if something is; else as it was.
    #[must_use]
    pub fn wrong(self, problem: Option<String>) -> Self {
        match problem {
            Some(note) => Self {
                note,
                is_wrong: true,
                ..self
            },
            None => self,
        }
    }

    /// The same, out of the way unless it matters.
    #[must_use]
    pub fn idle(self, is_idle: bool) -> Self {
        Self { is_idle, ..self }
    }

    pub(super) fn draw(&self) -> Markup {
        let id = format!("f-{}", self.name);
        let note = format!("n-{}", self.name);
        html! {
            div class="field" data-field=(self.name) hidden[self.is_idle] {
                label for=(id) { (self.label) }
                @match &self.input {
                    Input::Text => {
                        div class="field__in" {
                            input type="text" inputmode="decimal" autocomplete="off" id=(id) name=(self.name)
                                value=(self.value) aria-describedby=(note) aria-invalid=[self.is_wrong.then_some("true")];
                            @if !self.unit.is_empty() { span { (self.unit) } }
                        }
                    }
                    Input::Choice(choices) => {
                        select class="sel" id=(id) name=(self.name) aria-describedby=(note)
                            aria-invalid=[self.is_wrong.then_some("true")] {
                            // What was asked for and is not known stays, with its problem.
                            @if choices.iter().all(|(value, _)| *value != self.value) {
                                option value=(self.value) selected { (self.value) }
                            }
                            @for (value, words) in choices {
                                option value=(value) selected[*value == self.value] { (words) }
                            }
                        }
                    }
                }
                p class=(self.note_class()) id=(note) { (self.note) }
            }
        }
    }

    /// The class of the note.
    #[must_use]
    pub const fn note_class(&self) -> &'static str {
        if self.is_wrong {
            "field__n field__n--wrong"
        } else {
            "field__n"
        }
    }
}
