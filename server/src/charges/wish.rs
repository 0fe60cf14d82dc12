//! What a request of the lab wants besides the charge: for whom, on which pod, and
//! for which press of the button.

use axum::http::{HeaderMap, HeaderName};
use model::protocol::{ExpiredRule, Fingerprint, IdempotencyKey, Keyless};

use super::scoped_key::ScopedKey;
use crate::clock;
use crate::id::RequestId;
use crate::lab::settings::{Settings, StoreRule};
use crate::problem::{Kind, Problem};

/// Names a customer within the sandbox. Keys of two customers never meet, unless
/// the setting `account_scope` is off.
pub const USER: HeaderName = HeaderName::from_static("x-lab-user");
/// Names the payment that the client means, whatever key it sends: the settlement
/// compares by it.
pub const INTENT: HeaderName = HeaderName::from_static("x-lab-intent");
/// Asks for a pod, and says which one answered.
pub const POD: HeaderName = HeaderName::from_static("x-lab-pod");

/// The headers of the lab.
#[derive(Clone, Debug, Default)]
pub(super) struct Wish {
    user: Option<String>,
    pub(super) intent: Option<String>,
    pub(super) pod: Option<u32>,
}

impl Wish {
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, Problem> {
        let text = |name: HeaderName| match headers.get(&name) {
            None => Ok(None),
            Some(value) => RequestId::from_client(value.as_bytes())
                .map(|text| Some(text.to_string()))
                .ok_or_else(|| {
                    let detail = format!("`{name}` has to be 1 to 64 of A-Z, a-z, 0-9, _ and -.");
                    Problem::new(Kind::BadRequest, detail)
                }),
        };
        let pod = text(POD)?.map(|pod| pod.parse()).transpose();
        Ok(Self {
            user: text(USER)?,
            intent: text(INTENT)?,
            pod: pod
                .map_err(|_| Problem::new(Kind::BadRequest, "`x-lab-pod` has to be a number."))?,
        })
    }

    /// The key in its scope, the settings that count for it, and its generation.
    pub(super) fn scope(
        &self,
        key: Option<IdempotencyKey>,
        fingerprint: &Fingerprint,
        mut settings: Settings,
        pod: u32,
    ) -> (Option<ScopedKey>, Settings, u32) {
        let user = self
            .user
            .as_deref()
            .filter(|_| settings.design.account_scope);
        let pod = (settings.store == StoreRule::PodMemory).then_some(pod);
        match key {
            Some(key) => (Some(ScopedKey::new(&key, user, pod)), settings, 0),
            None if settings.keyless == Keyless::Fingerprint => {
                settings.retention_ms = settings.window_ms;
                settings.tombstone_ms = 0;
                // After the window the same request is a new payment, to the processor
                // as well: seconds tell the windows apart.
                settings.design.expired = ExpiredRule::Accept;
                let generation = u32::try_from(clock::now() / 1000).unwrap_or(u32::MAX);
                let key = ScopedKey::temporary(fingerprint, user, pod);
                (Some(key), settings, generation)
            }
            None => (None, settings, 0),
        }
    }
}
