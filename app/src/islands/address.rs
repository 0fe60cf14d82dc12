//! Where a player is in the address bar, and how it gets there.

use super::story::Story;
use model::world::Scenario;

/// What the address says about a player. It wins over anything that is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// What is told.
    pub story: Story,
    /// With which seed.
    pub seed: u64,
    /// At which step, from 1.
    pub step: usize,
}

impl Default for Address {
    fn default() -> Self {
        Self {
            story: Story::default(),
            seed: 1,
            step: 1,
        }
    }
}

/// Which page the player stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In the lesson, where the scenario is a parameter.
    Lesson,
    /// On a page of its own, where it is the path.
    Play,
}

impl Home {
    /// The page that the browser shows.
    #[must_use]
    pub fn current() -> Self {
        let path = web_sys::window().and_then(|window| window.location().pathname().ok());
        match path {
            Some(path) if path.starts_with("/play/") => Self::Play,
            _ => Self::Lesson,
        }
    }
}

impl Address {
    /// Reads the parameters. What is missing or makes no sense is the default;
    /// a step past the end is the last one, which the player sees to.
    pub fn read(path: Option<&str>, get: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| get(name).and_then(|text| text.trim().parse::<u64>().ok());
        let story = match path {
            Some(slug) => Story::from_slug(slug),
            // The lesson's own player has the lesson's scenarios.
            None => get("scenario")
                .and_then(|slug| Scenario::from_slug(&slug))
                .map(Story::Scenario),
        };
        Self {
            story: story.unwrap_or_default(),
            seed: number("seed").unwrap_or(1),
            step: number("step")
                .and_then(|step| usize::try_from(step).ok())
                .unwrap_or(1)
                .max(1),
        }
    }

    /// The address of this place.
    #[must_use]
    pub fn href(&self, home: Home) -> String {
        let Self { story, seed, step } = self;
        let slug = story.slug();
        match (home, story) {
            // Nothing in it is drawn by lot.
            (Home::Play, Story::Weakened(_)) => format!("/play/{slug}?step={step}"),
            (Home::Play, Story::Scenario(_)) => format!("/play/{slug}?seed={seed}&step={step}"),
            (Home::Lesson, _) => {
                let mut href = String::from("/?");
                if *story != Story::default() {
                    href.push_str(&format!("scenario={slug}&"));
                }
                if *seed != 1 {
                    href.push_str(&format!("seed={seed}&"));
                }
                href.push_str(&format!("step={step}#lost"));
                href
            }
        }
    }

    /// Reads the browser's address bar.
    #[must_use]
    pub fn current(home: Home) -> Option<Self> {
        let location = web_sys::window()?.location();
        let path = location.pathname().ok()?;
        let slug = match home {
            Home::Play => path.strip_prefix("/play/"),
            Home::Lesson => None,
        };
        let search = web_sys::UrlSearchParams::new_with_str(&location.search().ok()?).ok()?;
        Some(Self::read(slug, |name| search.get(name)))
    }

    /// Writes it into the address bar: in place, or as a new entry of the history.
    pub fn write(&self, home: Home, new_entry: bool) {
        let Some(history) = web_sys::window().and_then(|window| window.history().ok()) else {
            return;
        };
        let (state, href) = (wasm_bindgen::JsValue::NULL, self.href(home));
        // Browsers refuse when there are too many in a short time; the address
        // is then a little late, and nothing is lost.
        let _ = if new_entry {
            history.push_state_with_url(&state, "", Some(&href))
        } else {
            history.replace_state_with_url(&state, "", Some(&href))
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::world::explore::Weakened;

    fn read(scenario: Option<&str>, query: &[(&str, &str)]) -> Address {
        Address::read(scenario, |name| {
            query
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn an_address_survives_the_round_trip() {
        for scenario in Scenario::ALL {
            let address = Address {
                story: Story::Scenario(scenario),
                seed: 7,
                step: 5,
            };
            let query = [("scenario", scenario.slug()), ("seed", "7"), ("step", "5")];
            assert_eq!(read(None, &query), address);
            assert_eq!(read(Some(scenario.slug()), &query[1..]), address);
            assert!(address.href(Home::Lesson).ends_with("step=5#lost"));
            assert_eq!(
                address.href(Home::Play),
                format!("/play/{}?seed=7&step=5", scenario.slug())
            );
        }
    }

    #[test]
    fn a_counterexample_has_a_page_of_its_own_and_no_seed() {
        for weakened in Weakened::ALL {
            let slug = weakened.slug();
            let address = read(Some(slug), &[("step", "3")]);
            assert_eq!(address.story, Story::Weakened(weakened));
            assert_eq!(address.href(Home::Play), format!("/play/{slug}?step=3"));
            assert_eq!(read(None, &[("scenario", slug)]).story, Story::default());
        }
    }

    #[test]
    fn nonsense_is_the_default() {
        for bad in ["", "-3", "five", "1e3", "99999999999999999999999"] {
            assert_eq!(
                read(None, &[("step", bad), ("seed", bad), ("scenario", bad)]),
                Address::default()
            );
        }
        assert_eq!(read(None, &[("step", "0")]).step, 1);
    }
}
