//! Which tool an address asks for.

/// A tool of the studio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// The calculator.
    Retry,
    /// Attempts that multiply over layers.
    Amplify,
    /// Clients that failed together.
    Herd,
    /// Strategies in the same outage.
    Outage,
}

impl Tool {
    /// All of them, in the order of their navigation.
    pub const ALL: [Self; 4] = [Self::Retry, Self::Amplify, Self::Herd, Self::Outage];

    /// Its name in addresses and of its files.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Amplify => "amplify",
            Self::Herd => "herd",
            Self::Outage => "outage",
        }
    }

    /// What it is called where there is a choice of them.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retry => "Calculator",
            Self::Amplify => "Amplification",
            Self::Herd => "Herd",
            Self::Outage => "Outage",
        }
    }
}

/// Where a tool stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which tool.
    pub tool: Tool,
    /// In a narrow frame on another page.
    pub embedded: bool,
}

impl Place {
    /// Reads a path.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let rest = path.strip_prefix('/')?;
        let (slug, embedded) = match rest.strip_prefix("embed/") {
            Some(slug) => (slug, true),
            None => (rest, false),
        };
        let slug = slug.trim_end_matches('/');
        let tool = Tool::ALL.into_iter().find(|tool| tool.slug() == slug)?;
        Some(Self { tool, embedded })
    }

    /// The path.
    #[must_use]
    pub fn path(self) -> String {
        let embed = if self.embedded { "/embed" } else { "" };
        format!("{embed}/{}", self.tool.slug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tools_have_a_place() {
        for tool in Tool::ALL {
            for embedded in [false, true] {
                let place = Place { tool, embedded };
                assert_eq!(Place::of(&place.path()), Some(place));
            }
        }
        for path in [
            "/",
            "/retry.csv",
            "/embed",
            "/embed/",
            "/embed/lab",
            "/lab",
            "retry",
        ] {
            assert_eq!(Place::of(path), None, "{path}");
        }
    }
}
