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

/// The settings in effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// What happens to a charge without a key.
    pub keyless: Keyless,
    /// How long a claim holds without a sign of life.
    pub lease_ms: Ms,
    /// How long a key replays its answer.
    pub retention_ms: Ms,
    /// How much longer an expired key is still known.
    pub tombstone_ms: Ms,
    /// How long the connection of a lost message is held.
    pub hold_ms: Ms,
    /// Which mechanisms are on.
    #[serde(flatten)]
    pub design: Design,
}

/// The settings that a sandbox changed, as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Changes {
    #[serde(skip_serializing_if = "Option::is_none")]
    keyless: Option<Keyless>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_ms: Option<Ms>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retention_ms: Option<Ms>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hold_ms: Option<Ms>,
    #[serde(skip_serializing_if = "Option::is_none")]
    processor_keys: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heartbeat: Option<bool>,
}

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
    /// It is in the contract, but not built.
    #[error("{name} can only be {only} so far")]
    NotAvailable {
        /// The setting.
        name: String,
        /// The values that it can have.
        only: &'static str,
    },
}

impl Settings {
    /// These settings with what a sandbox changed.
    #[must_use]
    pub fn with(&self, changes: &Changes) -> Self {
        Self {
            keyless: changes.keyless.unwrap_or(self.keyless),
            lease_ms: changes.lease_ms.unwrap_or(self.lease_ms),
            retention_ms: changes.retention_ms.unwrap_or(self.retention_ms),
            hold_ms: changes.hold_ms.unwrap_or(self.hold_ms),
            tombstone_ms: self.tombstone_ms,
            design: Design {
                processor_keys: changes.processor_keys.unwrap_or(self.design.processor_keys),
                heartbeat: changes.heartbeat.unwrap_or(self.design.heartbeat),
                ..self.design
            },
        }
    }
}

impl Changes {
    /// Takes the members of a PATCH; `null` goes back to the default.
    ///
    /// # Errors
    /// [`SettingError`] for the first member that cannot be taken. Nothing is
    /// changed then.
    pub fn merge(&self, members: &Map<String, Value>) -> Result<Self, SettingError> {
        let mut next = self.clone();
        for (name, value) in members {
            match name.as_str() {
                "keyless" => next.keyless = keyless(name, value)?,
                "lease_ms" => next.lease_ms = span(name, value, LEASES)?,
                "retention_ms" => next.retention_ms = span(name, value, RETENTIONS)?,
                "hold_ms" => next.hold_ms = span(name, value, HOLDS)?,
                "processor_keys" => next.processor_keys = switch(name, value)?,
                "heartbeat" => next.heartbeat = switch(name, value)?,
                "claim" => only(name, value, "unique_insert")?,
                "store" => only(name, value, "shared")?,
                "expired" => only(name, value, "refuse")?,
                "lease" | "fencing" | "fingerprint" | "account_scope" => only(name, value, "true")?,
                "pods" => only(name, value, "1")?,
                _ => return Err(SettingError::Unknown(name.clone())),
            }
        }
        Ok(next)
    }
}

fn wants(name: &str, want: impl Into<String>) -> SettingError {
    SettingError::Value {
        name: name.to_owned(),
        want: want.into(),
    }
}

fn span(name: &str, value: &Value, (least, most): (Ms, Ms)) -> Result<Option<Ms>, SettingError> {
    match value {
        Value::Null => Ok(None),
        value => value
            .as_u64()
            .filter(|ms| (least..=most).contains(ms))
            .map(Some)
            .ok_or_else(|| wants(name, format!("a whole number from {least} to {most}"))),
    }
}

fn switch(name: &str, value: &Value) -> Result<Option<bool>, SettingError> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(on) => Ok(Some(*on)),
        _ => Err(wants(name, "true or false")),
    }
}

fn keyless(name: &str, value: &Value) -> Result<Option<Keyless>, SettingError> {
    match Option::<Keyless>::deserialize(value) {
        Ok(Some(Keyless::Grace | Keyless::Fingerprint)) => Err(SettingError::NotAvailable {
            name: name.to_owned(),
            only: "\"require\" or \"allow\"",
        }),
        Ok(keyless) => Ok(keyless),
        Err(_) => Err(wants(name, "\"require\" or \"allow\"")),
    }
}

/// For what is in the contract, but has one value so far.
fn only(name: &str, value: &Value, only: &'static str) -> Result<(), SettingError> {
    let given = match value {
        Value::Null => return Ok(()),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if given == only {
        return Ok(());
    }
    Err(SettingError::NotAvailable {
        name: name.to_owned(),
        only,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merge(value: Value) -> Result<Changes, String> {
        let members = value.as_object().cloned().unwrap_or_default();
        Changes::default()
            .merge(&members)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn changes_are_taken_or_refused_with_a_reason() {
        let changes = merge(json!({"keyless":"allow","lease_ms":500,"pods":1})).unwrap();
        assert_eq!(changes.keyless, Some(Keyless::Allow));
        assert_eq!(changes.lease_ms, Some(500));
        for (value, reason) in [
            (json!({"keyless":"grace"}), "so far"),
            (json!({"keyless":"never"}), "require"),
            (json!({"lease_ms":"30s"}), "whole number"),
            (json!({"lease_ms":0}), "whole number"),
            (json!({"claim":"lookup_then_insert"}), "so far"),
            (json!({"fencing":false}), "so far"),
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
}
