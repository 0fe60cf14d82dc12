//! What a file of cases may say. The words are explained at the head of `cases.toml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The rows of the contract's table, in its order of precedence. `new` is no row
/// here: it is what is left when none of them applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    Token,
    Rate,
    Size,
    Type,
    Json,
    Key,
    Keyless,
    Charge,
    Reused,
    Expired,
    Running,
    Wait,
    Done,
    LeaseOver,
}

impl Row {
    pub const ALL: [Self; 14] = [
        Self::Token,
        Self::Rate,
        Self::Size,
        Self::Type,
        Self::Json,
        Self::Key,
        Self::Keyless,
        Self::Charge,
        Self::Reused,
        Self::Expired,
        Self::Running,
        Self::Wait,
        Self::Done,
        Self::LeaseOver,
    ];
}

/// What a service has to offer for some cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// `POST /sandboxes` gives an account of its own to each case.
    Sandboxes,
    /// `POST /lab/faults`.
    Faults,
    /// `POST /lab/clock`.
    Clock,
    /// `PATCH /lab/settings`.
    Settings,
    /// `GET /lab/ledger`.
    Ledger,
    /// Errors are `application/problem+json` with the contract's types.
    Problems,
    /// `GET {path}/{id}` reads what was made.
    Read,
    /// `POST {path}/{id}/refunds`.
    Refunds,
    /// It answers 429 after less than 500 requests in a row.
    Rate,
}

impl Capability {
    pub const ALL: [Self; 9] = [
        Self::Sandboxes,
        Self::Faults,
        Self::Clock,
        Self::Settings,
        Self::Ledger,
        Self::Problems,
        Self::Read,
        Self::Refunds,
        Self::Rate,
    ];
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Pairs of rows that no request can meet at once.
    #[serde(default)]
    pub cannot: Vec<Cannot>,
    pub case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cannot {
    pub row: Row,
    pub with: Vec<Row>,
    pub why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    pub rests_on: String,
    #[serde(default)]
    pub needs: BTreeSet<Capability>,
    pub steps: Vec<Step>,
    /// Charges in the ledger when it is over.
    pub ledger: Option<usize>,
    /// Refunds in the ledger when it is over.
    pub refunds: Option<usize>,
}

/// One step. Which members belong together is checked by [`Step::action`].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    // Instead of a request.
    pub faults: Option<Vec<serde_json::Value>>,
    pub advance_ms: Option<u64>,
    pub set: Option<serde_json::Map<String, serde_json::Value>>,
    pub until_charged: Option<usize>,
    pub pause_ms: Option<u64>,
    pub join: Option<String>,
    // The request.
    pub method: Option<String>,
    pub path: Option<String>,
    pub token: Token,
    pub key: Option<String>,
    pub raw_key: Option<String>,
    pub keys: Option<Vec<String>>,
    pub r#type: Option<String>,
    pub headers: BTreeMap<String, String>,
    pub body: Option<String>,
    pub at_once: Option<usize>,
    pub background: Option<String>,
    pub repeat: bool,
    // What is expected.
    pub status: Option<u16>,
    pub statuses: Vec<u16>,
    pub lost: bool,
    pub problem: Option<String>,
    pub replayed: Option<bool>,
    pub has: Vec<String>,
    pub lacks: Vec<String>,
    pub header: BTreeMap<String, String>,
    pub seconds: BTreeMap<String, [u64; 2]>,
    pub json: BTreeMap<String, serde_json::Value>,
    pub same_body_as: Option<String>,
    pub other_body_than: Option<String>,
    pub same_headers_as: Option<String>,
    pub fresh: Option<usize>,
    // What is remembered of it.
    pub save: Option<String>,
    pub rows: Vec<Row>,
}

/// Whose token a request carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Token {
    #[default]
    Own,
    /// Of a second account.
    Other,
    Unknown,
    None,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Request,
    Faults,
    Advance,
    Set,
    UntilCharged,
    Pause,
    Join,
}

impl Step {
    pub fn action(&self) -> Result<Action, String> {
        let others = [
            (self.faults.is_some(), Action::Faults),
            (self.advance_ms.is_some(), Action::Advance),
            (self.set.is_some(), Action::Set),
            (self.until_charged.is_some(), Action::UntilCharged),
            (self.pause_ms.is_some(), Action::Pause),
            (self.join.is_some(), Action::Join),
        ];
        let mut actions = others.iter().filter(|(is, _)| *is).map(|(_, it)| *it);
        match (actions.next(), actions.next()) {
            (None, _) => Ok(Action::Request),
            (Some(action), None) => Ok(action),
            _ => Err(format!("a step does one thing: {self:?}")),
        }
    }

    /// Whether it looks at an answer.
    pub fn expects(&self) -> bool {
        self.status.is_some() || !self.statuses.is_empty() || self.lost
    }
}

impl Suite {
    /// Reads a suite, and refuses one that checks less than it seems to.
    pub fn read(text: &str) -> Result<Self, String> {
        let suite: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut names = BTreeSet::new();
        for case in &suite.case {
            let wrong = |what: String| format!("{}: {what}", case.name);
            if !names.insert(&case.name) {
                return Err(wrong(String::from("there are two of that name")));
            }
            for step in &case.steps {
                let action = step.action().map_err(wrong)?;
                let answered = match action {
                    Action::Request => step.background.is_none(),
                    Action::Join => true,
                    _ => false,
                };
                if answered != step.expects() {
                    return Err(wrong(format!("what is expected? {step:?}")));
                }
                if !matches!(step.rows.len(), 0..=2) || !step.rows.is_sorted() {
                    return Err(wrong(format!(
                        "one row, or the winner and the loser: {step:?}"
                    )));
                }
            }
        }
        Ok(suite)
    }
}

impl Case {
    /// What it cannot do without, said or used.
    pub fn needed(&self) -> BTreeSet<Capability> {
        let mut needed = self.needs.clone();
        for step in &self.steps {
            match step.action() {
                Ok(Action::Faults) => drop(needed.insert(Capability::Faults)),
                Ok(Action::Advance) => drop(needed.insert(Capability::Clock)),
                Ok(Action::Set) => drop(needed.insert(Capability::Settings)),
                Ok(Action::UntilCharged) => drop(needed.insert(Capability::Ledger)),
                _ => {}
            }
            if step.token == Token::Other {
                needed.insert(Capability::Sandboxes);
            }
        }
        if self.refunds.is_some() {
            needed.insert(Capability::Refunds);
        }
        needed
    }
}
