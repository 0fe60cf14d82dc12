//! What the sandbox is set to, and how that is changed: one change after the other.

use super::http::sleep;
use super::service::call;
use super::state::Lab;
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::Ms;
use model::protocol::{ClaimRule, ExpiredRule, Keyless};
use serde::Deserialize;

/// Where the service keeps keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Store {
    Shared,
    PodMemory,
}

/// The settings in effect, as far as the lab shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Settings {
    pub(super) keyless: Keyless,
    pub(super) retention_ms: Ms,
    pub(super) store: Store,
    pub(super) pods: u32,
    pub(super) claim: ClaimRule,
    pub(super) lease: bool,
    pub(super) heartbeat: bool,
    pub(super) fencing: bool,
    pub(super) processor_keys: bool,
    pub(super) fingerprint: bool,
    pub(super) account_scope: bool,
    pub(super) expired: ExpiredRule,
}

impl Settings {
    /// What the service starts with unless its operator says otherwise. Shown until
    /// it has said what holds.
    pub(super) const SAFE: Self = Self {
        keyless: Keyless::Require,
        retention_ms: 86_400_000,
        store: Store::Shared,
        pods: 1,
        claim: ClaimRule::UniqueInsert,
        lease: true,
        heartbeat: true,
        fencing: true,
        processor_keys: true,
        fingerprint: true,
        account_scope: true,
        expired: ExpiredRule::Refuse,
    };

    /// A request without a key is charged, each time.
    pub(super) fn lets_keyless_through(&self) -> bool {
        matches!(self.keyless, Keyless::Allow | Keyless::Grace)
    }
}

/// Asks what the sandbox is set to.
pub(super) async fn read(lab: Lab) {
    if let Some(got) = call(lab, "GET", "/lab/settings", None).await
        && let Ok(settings) = serde_json::from_str(&got.body)
    {
        lab.settings.set(settings);
    }
}

/// Changes settings: shown at once, and taken back if the service refuses.
pub(super) fn change(lab: Lab, body: String, apply: impl FnOnce(&mut Settings)) {
    lab.problem.set(None);
    let before = lab.settings.get_untracked();
    lab.settings.update(apply);
    send(lab, body, before);
}

fn send(lab: Lab, body: String, before: Settings) {
    lab.changes.update(|changes| *changes += 1);
    spawn_local(async move {
        // Two at once could each be based on what was there before the other.
        while lab.changing.get_untracked() {
            sleep(10).await;
        }
        lab.changing.set(true);
        let got = call(lab, "PATCH", "/lab/settings", Some(body)).await;
        lab.changing.set(false);
        lab.changes.update(|changes| *changes -= 1);
        let now = got.and_then(|got| serde_json::from_str(&got.body).ok());
        // The answer to a change is out of date when another one waits.
        if lab.changes.get_untracked() == 0 || now.is_none() {
            lab.settings.set(now.unwrap_or(before));
        }
    });
}

/// Waits until every change has arrived.
pub(super) async fn settled(lab: Lab) {
    while lab.changes.get_untracked() > 0 {
        sleep(10).await;
    }
}
