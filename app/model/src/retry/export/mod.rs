//! A plan as code: by hand, and as configuration of a library that is much used.
//!
//! Each is a complete file whose entry is `send(url, body)`. It gives back the last
//! reply, whatever its status, or fails with the last network error; a time-out and
//! a broken connection are tried again like the statuses that
//! [`advice`](super::advice) sends back. All attempts carry the same key, there is no
//! wait after the last one, and Retry-After follows the plan.

mod go;
mod java;
mod javascript;
mod python;
mod rust;
mod template;
#[cfg(test)]
mod tests;
mod typescript;

use super::plan::Plan;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// JavaScript, as a module.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// Python 3.
    Python,
    /// Go.
    Go,
    /// Java 17 or newer.
    Java,
    /// Rust, asynchronous, on reqwest.
    Rust,
}

/// How the policy is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// Every step in sight.
    ByHand,
    /// By a library for retries.
    Library,
}

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// In which language.
    pub language: Language,
    /// How.
    pub style: Style,
}

/// A library for retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// Its name and the version that the code is written for.
    pub name: &'static str,
    /// How it calls its limit.
    pub limit: &'static str,
    /// Whether that counts attempts; else it counts retries, one fewer.
    pub counts_attempts: bool,
}

impl Library {
    /// What the plan's attempts are in this library's count.
    #[must_use]
    pub const fn limit_for(&self, plan: &Plan) -> u32 {
        if self.counts_attempts {
            plan.attempts
        } else {
            plan.retries()
        }
    }
}

impl Language {
    /// Every language, in the order of the tabs.
    pub const ALL: [Self; 6] = [
        Self::JavaScript,
        Self::TypeScript,
        Self::Python,
        Self::Go,
        Self::Java,
        Self::Rust,
    ];

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::JavaScript => "JavaScript",
            Self::TypeScript => "TypeScript",
            Self::Python => "Python",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::Rust => "Rust",
        }
    }

    /// The library that is written for.
    #[must_use]
    pub const fn library(self) -> Library {
        let (name, limit, counts_attempts) = match self {
            Self::JavaScript => ("p-retry 7", "retries", false),
            Self::TypeScript => ("axios-retry 4", "retries", false),
            Self::Python => ("tenacity 9", "stop_after_attempt", true),
            Self::Go => ("go-retryablehttp 0.7", "RetryMax", false),
            Self::Java => ("resilience4j 2", "maxAttempts", true),
            Self::Rust => ("backon 1", "with_max_times", false),
        };
        Library {
            name,
            limit,
            counts_attempts,
        }
    }
}

impl Target {
    /// Every target.
    #[must_use]
    pub fn all() -> Vec<Self> {
        Language::ALL
            .into_iter()
            .flat_map(|language| {
                [Style::ByHand, Style::Library].map(|style| Self { language, style })
            })
            .collect()
    }

    /// What the file is called.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self.language {
            Language::JavaScript => "send.mjs",
            Language::TypeScript => "send.ts",
            Language::Python => "send.py",
            Language::Go => "send.go",
            // Java wants the name of the class.
            Language::Java => "Send.java",
            Language::Rust => "send.rs",
        }
    }
}

/// Writes the plan as a file in the target's language. The plan should have passed
/// its check.
#[must_use]
pub fn export(plan: &Plan, target: Target) -> String {
    let template = match (target.language, target.style) {
        (Language::JavaScript, Style::ByHand) => javascript::BY_HAND,
        (Language::JavaScript, Style::Library) => javascript::LIBRARY,
        (Language::TypeScript, Style::ByHand) => typescript::BY_HAND,
        (Language::TypeScript, Style::Library) => typescript::LIBRARY,
        (Language::Python, Style::ByHand) => python::BY_HAND,
        (Language::Python, Style::Library) => python::LIBRARY,
        (Language::Go, Style::ByHand) => go::BY_HAND,
        (Language::Go, Style::Library) => go::LIBRARY,
        (Language::Java, Style::ByHand) => java::BY_HAND,
        (Language::Java, Style::Library) => java::LIBRARY,
        (Language::Rust, Style::ByHand) => rust::BY_HAND,
        (Language::Rust, Style::Library) => rust::LIBRARY,
    };
    template::fill(template, plan, target.language)
}
