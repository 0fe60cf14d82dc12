//! What the critic knows of the surroundings, and the seed, as they stand in an
//! address.

use super::number::{decimal, whole};
use crate::Ms;
use crate::retry::critic::{Surroundings, Trouble};
use crate::retry::plan::{Bound, Plan, Why, ranged};

/// A field beside those of the plan. Each may be left empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SceneField {
    /// The p99 of the service, in ms.
    P99,
    /// How long a key is kept, in hours.
    Retention,
    /// How many layers retry.
    Layers,
    /// What goes wrong.
    Trouble,
    /// For how long the service is away, in ms.
    Away,
    /// The seed of the sample.
    Seed,
}

impl SceneField {
    /// All of them, in the order of the form; the trouble comes before its length.
    pub const ALL: [Self; 6] = [
        Self::P99,
        Self::Retention,
        Self::Layers,
        Self::Trouble,
        Self::Away,
        Self::Seed,
    ];

    /// Its name in an address.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::P99 => "p99",
            Self::Retention => "retention",
            Self::Layers => "layers",
            Self::Trouble => "trouble",
            Self::Away => "away",
            Self::Seed => "seed",
        }
    }
}

const LOST: &str = "lost-replies";
const OVERLOAD: &str = "overload";
const AWAY: &str = "away";
const TROUBLES: &str = "lost-replies, overload, away";
/// How long the service is away where that is not said.
const AWAY_MS: Ms = 30_000;
const HOUR_MS: f64 = 3_600_000.0;
/// Ten years and more.
const MOST_HOURS: f64 = 100_000.0;
const MOST_LAYERS: u64 = 8;

/// The surroundings of a policy and the seed of its sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    /// What is known of them.
    pub around: Surroundings,
    /// The seed.
    pub seed: u64,
}

impl Scene {
    /// Nothing is known; one layer retries.
    pub const START: Self = Self {
        around: Surroundings {
            p99_ms: None,
            retention_ms: None,
            layers: 1,
            trouble: None,
        },
        seed: 1,
    };

    /// The value of a field as it is written; empty where nothing is known.
    #[must_use]
    pub fn text(&self, field: SceneField) -> String {
        let around = &self.around;
        match field {
            SceneField::P99 => around.p99_ms.map_or_else(String::new, |ms| ms.to_string()),
            SceneField::Retention => around
                .retention_ms
                .map_or_else(String::new, |ms| (ms as f64 / HOUR_MS).to_string()),
            SceneField::Layers => around.layers.to_string(),
            SceneField::Trouble => match around.trouble {
                None => "",
                Some(Trouble::LostReplies) => LOST,
                Some(Trouble::Overload) => OVERLOAD,
                Some(Trouble::Away(_)) => AWAY,
            }
            .to_owned(),
            SceneField::Away => match around.trouble {
                Some(Trouble::Away(ms)) => ms,
                _ => AWAY_MS,
            }
            .to_string(),
            SceneField::Seed => self.seed.to_string(),
        }
    }

    fn set(&mut self, field: SceneField, text: &str) -> Result<(), Why> {
        let text = text.trim();
        let ms = |least: Ms| -> Result<Ms, Why> {
            match whole(text, Bound::Ms(least))? {
                ms if ms < least => Err(Why::TooSmall(Bound::Ms(least))),
                ms if ms > Plan::LONGEST_TIMER => {
                    Err(Why::TooLarge(Bound::Ms(Plan::LONGEST_TIMER)))
                }
                ms => Ok(ms),
            }
        };
        let around = &mut self.around;
        match field {
            SceneField::P99 => around.p99_ms = if text.is_empty() { None } else { Some(ms(1)?) },
            SceneField::Retention => {
                around.retention_ms = if text.is_empty() {
                    None
                } else {
                    let hours = decimal(text)?;
                    if let Some(why) = ranged(hours, 0.0, MOST_HOURS) {
                        return Err(why);
                    }
                    Some((hours * HOUR_MS).round() as Ms)
                };
            }
            SceneField::Layers => {
                around.layers = match whole(text, Bound::Layers(1))? {
                    0 => return Err(Why::TooSmall(Bound::Layers(1))),
                    layers if layers > MOST_LAYERS => {
                        return Err(Why::TooLarge(Bound::Layers(MOST_LAYERS as usize)));
                    }
                    layers => layers as u32,
                };
            }
            SceneField::Trouble => {
                around.trouble = match text {
                    "" => None,
                    LOST => Some(Trouble::LostReplies),
                    OVERLOAD => Some(Trouble::Overload),
                    AWAY => Some(Trouble::Away(AWAY_MS)),
                    _ => return Err(Why::UnknownWord(TROUBLES)),
                };
            }
            // Nothing to set, and nothing wrong with it, for other kinds of trouble.
            SceneField::Away => {
                if let Some(Trouble::Away(away)) = &mut around.trouble {
                    *away = ms(1)?;
                }
            }
            SceneField::Seed => self.seed = whole(text, Bound::Number(0.0))?,
        }
        Ok(())
    }
}

/// What was typed about the surroundings. A field with a problem is reckoned with as
/// if it had been left alone.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneForm {
    /// What was understood.
    pub scene: Scene,
    typed: Vec<(SceneField, String)>,
    problems: Vec<(SceneField, Why)>,
}

impl SceneForm {
    /// Reads pairs as [`Form::read`](super::Form::read) does.
    #[must_use]
    pub fn read<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut typed: Vec<(SceneField, String)> = Vec::new();
        for (name, value) in pairs {
            if let Some(field) = SceneField::ALL.into_iter().find(|it| it.name() == name) {
                typed.retain(|(it, _)| *it != field);
                typed.push((field, value.to_owned()));
            }
        }
        typed.sort_by_key(|(field, _)| *field);
        let mut scene = Scene::START;
        let mut problems = Vec::new();
        for (field, text) in &typed {
            if let Err(why) = scene.set(*field, text) {
                problems.push((*field, why));
            }
        }
        Self {
            scene,
            typed,
            problems,
        }
    }

    /// What is wrong with a field.
    #[must_use]
    pub fn problem(&self, field: SceneField) -> Option<&Why> {
        self.problems
            .iter()
            .find(|(it, _)| *it == field)
            .map(|(_, why)| why)
    }

    /// What stands in a field: what was typed where there is a problem with it, else
    /// the value as it was understood.
    #[must_use]
    pub fn text(&self, field: SceneField) -> String {
        match self.typed.iter().find(|(it, _)| *it == field) {
            Some((_, text)) if self.problem(field).is_some() => text.clone(),
            _ => self.scene.text(field),
        }
    }

    /// What differs from where everything starts, to be put after the query of the
    /// plan: empty, or it begins with &.
    #[must_use]
    pub fn query(&self) -> String {
        SceneField::ALL
            .into_iter()
            .filter(|field| match field {
                SceneField::Away => matches!(self.scene.around.trouble, Some(Trouble::Away(_))),
                field => self.scene.text(*field) != Scene::START.text(*field),
            })
            .map(|field| format!("&{}={}", field.name(), self.scene.text(field)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> SceneForm {
        SceneForm::read(query.split('&').filter_map(|pair| pair.split_once('=')))
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(read("").scene, Scene::START);
        assert_eq!(read("").query(), "");
        for query in [
            "&p99=120&retention=24&layers=3&trouble=away&away=60000&seed=7",
            "&retention=0.5",
            "&trouble=overload",
        ] {
            assert_eq!(read(query).query(), query);
        }
        assert_eq!(
            read("retention=0,5").scene.around.retention_ms,
            Some(1_800_000)
        );
        assert_eq!(
            read("trouble=away").scene.around.trouble,
            Some(Trouble::Away(30_000))
        );
        // Its order does not matter.
        let scene = read("away=5&trouble=away").scene;
        assert_eq!(scene.around.trouble, Some(Trouble::Away(5)));
    }

    #[test]
    fn what_is_wrong_leaves_the_rest_alone() {
        for (query, field, text) in [
            ("p99=0", SceneField::P99, "0"),
            ("p99=-3", SceneField::P99, "-3"),
            ("p99=1e99", SceneField::P99, "1e99"),
            ("retention=NaN", SceneField::Retention, "NaN"),
            ("retention=1e9", SceneField::Retention, "1e9"),
            ("layers=0", SceneField::Layers, "0"),
            ("layers=9", SceneField::Layers, "9"),
            ("layers=", SceneField::Layers, ""),
            ("trouble=rain", SceneField::Trouble, "rain"),
            ("trouble=away&away=x", SceneField::Away, "x"),
            ("seed=1.5", SceneField::Seed, "1.5"),
        ] {
            let form = SceneForm::read(
                format!("{query}&x=y")
                    .split('&')
                    .filter_map(|pair| pair.split_once('=')),
            );
            assert!(form.problem(field).is_some(), "{query}");
            assert_eq!(form.text(field), text);
            let others = SceneField::ALL.into_iter().filter(|it| *it != field);
            assert!(others.into_iter().all(|it| form.problem(it).is_none()));
        }
    }
}
