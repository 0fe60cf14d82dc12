//! The settings of a sandbox.

use model::Ms;
use model::protocol::{Design, Keyless};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Limits of a lease, in ms: to the store's clock ticks, and a human's patience.
pub const LEASES: (Ms, Ms) = (100, 3_600_000);
/// Limits of a retention, in ms: up to a year.
pub const RETENTIONS: (Ms, Ms) = (100, 366 * 86_400_000);
/// Limits of a hold, in ms.
pub const HOLDS: (Ms, Ms) = (0, 60_000);
/// Limits of the window in which equal requests without a key are one, in ms.
pub const WINDOWS: (Ms, Ms) = (100, 3_600_000);
/// How many pods a sandbox can have.
pub const PODS: (Ms, Ms) = (1, 8);

/// Where keys are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreRule {
    /// In one store that all pods share.
    #[default]
    Shared,
    /// In the memory of each pod: another pod knows nothing, and a restart forgets.
    PodMemory,
}

/// What `PUT /orders/{id}/status` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusRule {
    /// Sets the status that the request names: the same again changes nothing.
    #[default]
    Set,
    /// Goes one status further, whatever the request names: a retry goes two.
    Step,
}

/// What `PATCH /orders/{id}` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchRule {
    /// Changes only the version that `If-Match` names.
    #[default]
    IfMatch,
    /// Changes whatever is there.
    Blind,
}

/// How the consumer of the queue knows what it has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsumerRule {
    /// The message's id is written in the transaction of its effect.
    #[default]
    SameTransaction,
    /// It is written in a transaction afterwards.
    Separate,
    /// It is not written.
    Blind,
}

/// The settings in effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// What happens to a charge without a key.
    pub keyless: Keyless,
    /// Since when charges without a key are deprecated.
    #[serde(with = "date")]
    pub grace_from: Option<Ms>,
    /// Until when they are let through.
    #[serde(with = "date")]
    pub grace_until: Option<Ms>,
    /// For how long equal requests without a key are one.
    pub window_ms: Ms,
    /// How long a claim holds without a sign of life.
    pub lease_ms: Ms,
    /// How long a key replays its answer.
    pub retention_ms: Ms,
    /// How much longer an expired key is still known.
    pub tombstone_ms: Ms,
    /// How long the connection of a lost message is held.
    pub hold_ms: Ms,
    /// For a processor without keys: stuck records are settled by asking its books.
    pub sweeper: bool,
    /// Where keys are kept.
    pub store: StoreRule,
    /// How many servers there seem to be.
    pub pods: u32,
    /// What `PUT /orders/{id}/status` does.
    pub order_status: StatusRule,
    /// What `PATCH /orders/{id}` does.
    pub order_patch: PatchRule,
    /// How the consumer knows what it has done.
    pub consumer: ConsumerRule,
    /// Which mechanisms are on.
    #[serde(flatten)]
    pub design: Design,
}

/// The settings that a sandbox changed, as they are stored: each was checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Changes(Map<String, Value>);

/// Why a change of settings is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such setting.
    #[error("there is no setting {0:?}")]
    Unknown(String),
    /// The value is of the wrong kind or out of its limits.
    #[error("{name}: {want}")]
    Value {
        /// The setting.
        name: String,
        /// What it takes.
        want: String,
    },
}

impl Settings {
    /// These settings with what a sandbox changed.
    #[must_use]
    pub fn with(&self, changes: &Changes) -> Self {
        if changes.0.is_empty() {
            return self.clone();
        }
        let Ok(Value::Object(mut all)) = serde_json::to_value(self) else {
            return self.clone();
        };
        all.extend(changes.0.clone());
        Self::deserialize(Value::Object(all)).unwrap_or_else(|error| {
            tracing::error!(%error, "stored settings cannot be read");
            self.clone()
        })
    }

    /// Stuck records wait for the sweeper.
    #[must_use]
    pub const fn sweeps(&self) -> bool {
        self.sweeper && !self.design.processor_keys
    }
}

impl Changes {
    /// Takes the members of a PATCH; `null` goes back to the default.
    ///
    /// # Errors
    /// [`SettingError`] for the first member that cannot be taken. Nothing is
    /// changed then.
    pub fn merge(&self, members: &Map<String, Value>) -> Result<Self, SettingError> {
        let mut next = self.0.clone();
        for (name, value) in members {
            if let Some(want) = check(name, value)? {
                return Err(SettingError::Value {
                    name: name.clone(),
                    want,
                });
            }
            if value.is_null() {
                next.remove(name);
            } else {
                next.insert(name.clone(), value.clone());
            }
        }
        Ok(Self(next))
    }

    /// A grace has to begin and to end: now, and in 90 days where nothing is said.
    #[must_use]
    pub fn graced(mut self, settings: &Settings, now: Ms) -> Self {
        const USUAL: Ms = 90 * 86_400_000;
        if settings.keyless == Keyless::Grace {
            let mut fill = |name: &str, at| {
                self.0
                    .entry(name)
                    .or_insert_with(|| Value::String(date::text(at)));
            };
            if settings.grace_from.is_none() {
                fill("grace_from", now);
            }
            if settings.grace_until.is_none() {
                fill("grace_until", now.saturating_add(USUAL));
            }
        }
        self
    }
}

/// What a setting wants, if the value is not that. `null` is always right.
fn check(name: &str, value: &Value) -> Result<Option<String>, SettingError> {
    let span = |(least, most): (Ms, Ms)| {
        let fits = value
            .as_u64()
            .is_some_and(|ms| (least..=most).contains(&ms));
        (!fits).then(|| format!("a whole number from {least} to {most}"))
    };
    let one_of = |words: &[&str]| {
        let fits = value.as_str().is_some_and(|word| words.contains(&word));
        (!fits).then(|| format!("one of {}", words.join(", ")))
    };
    let wrong = match name {
        "keyless" => one_of(&["require", "allow", "grace", "fingerprint"]),
        "claim" => one_of(&["unique_insert", "lookup_then_insert"]),
        "expired" => one_of(&["refuse", "accept"]),
        "store" => one_of(&["shared", "pod_memory"]),
        "order_status" => one_of(&["set", "step"]),
        "order_patch" => one_of(&["if_match", "blind"]),
        "consumer" => one_of(&["same_transaction", "separate", "blind"]),
        "lease_ms" => span(LEASES),
        "retention_ms" | "tombstone_ms" => span(RETENTIONS),
        "hold_ms" => span(HOLDS),
        "window_ms" => span(WINDOWS),
        "pods" => span(PODS),
        "lease" | "heartbeat" | "fencing" | "processor_keys" | "sweeper" | "fingerprint"
        | "account_scope" => (!value.is_boolean()).then(|| String::from("true or false")),
        "grace_until" | "grace_from" => {
            let fits = value.as_str().and_then(date::read).is_some();
            (!fits).then(|| String::from("a time like 2027-06-30T00:00:00Z"))
        }
        _ => return Err(SettingError::Unknown(name.to_owned())),
    };
    Ok(wrong.filter(|_| !value.is_null()))
}

/// Times as RFC 3339.
pub(crate) mod date {
    use std::time::{Duration, UNIX_EPOCH};

    use model::Ms;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn text(at: Ms) -> String {
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(at)).to_string()
    }

    pub(crate) fn read(text: &str) -> Option<Ms> {
        let at = humantime::parse_rfc3339(text).ok()?;
        let since = at.duration_since(UNIX_EPOCH).ok()?;
        Ms::try_from(since.as_millis()).ok()
    }

    pub(super) fn serialize<S: Serializer>(at: &Option<Ms>, to: S) -> Result<S::Ok, S::Error> {
        at.map(text).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Ms>, D::Error> {
        Ok(Option::<String>::deserialize(from)?.and_then(|text| read(&text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use serde_json::json;

    fn merge(value: Value) -> Result<Changes, String> {
        let members = value.as_object().cloned().unwrap_or_default();
        Changes::default()
            .merge(&members)
            .map_err(|error| error.to_string())
    }

    fn defaults() -> Settings {
        crate::config::Config::try_parse_from(["charge-once"])
            .unwrap()
            .settings()
    }

    #[test]
    fn changes_are_taken_or_refused_with_a_reason() {
        let changes = merge(json!({
            "keyless":"allow","lease_ms":500,"pods":2,"claim":"lookup_then_insert",
            "fencing":false,"store":"pod_memory"
        }))
        .unwrap();
        let settings = defaults().with(&changes);
        assert_eq!(settings.keyless, Keyless::Allow);
        assert_eq!((settings.lease_ms, settings.pods), (500, 2));
        assert_eq!(settings.store, StoreRule::PodMemory);
        assert!(!settings.design.fencing && settings.design.heartbeat);
        for (value, reason) in [
            (json!({"keyless":"never"}), "require"),
            (json!({"lease_ms":"30s"}), "whole number"),
            (json!({"lease_ms":0}), "whole number"),
            (json!({"pods":9}), "from 1 to 8"),
            (json!({"fencing":1}), "true or false"),
            (json!({"grace_until":"soon"}), "a time like"),
            (json!({"colour":"red"}), "no setting"),
        ] {
            let error = merge(value.clone()).unwrap_err();
            assert!(error.contains(reason), "{value}: {error}");
        }
    }

    #[test]
    fn null_goes_back_to_the_default() {
        let changed = merge(json!({"hold_ms":5})).unwrap();
        let members = json!({"hold_ms":null}).as_object().cloned().unwrap();
        assert_eq!(changed.merge(&members).unwrap(), Changes::default());
    }

    #[test]
    fn a_grace_begins_and_ends() {
        let changes = merge(json!({"keyless":"grace"})).unwrap();
        let changes = changes.clone().graced(&defaults().with(&changes), 1_000);
        let settings = defaults().with(&changes);
        assert_eq!(settings.grace_from, Some(1_000));
        assert_eq!(settings.grace_until, Some(90 * 86_400_000 + 1_000));
    }
}
