//! The grace for requests without a key: let through until a date, and told so.

use std::time::{Duration, UNIX_EPOCH};

use axum::http::header::LINK;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use model::Ms;
use model::protocol::{IdempotencyKey, Keyless};

use super::key_header::Malformed;
use super::store::StoreError;
use crate::accounts::Known;
use crate::state::App;

/// RFC 9745: since when it is deprecated.
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// RFC 8594: until when it works.
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// A grace that is not over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grace {
    from: Ms,
    until: Ms,
}

/// The grace that a request without a key has, by the clock of the store.
pub(super) async fn grace(
    app: &App,
    account: &Known,
    key: &Result<Option<IdempotencyKey>, Malformed>,
) -> Result<Option<Grace>, StoreError> {
    let settings = &account.settings;
    let (Ok(None), Keyless::Grace, Some(until)) = (key, settings.keyless, settings.grace_until)
    else {
        return Ok(None);
    };
    let now = app.store.now(&account.id).await?;
    let from = settings.grace_from.unwrap_or(now).min(until);
    Ok((now < until).then_some(Grace { from, until }))
}

impl Grace {
    /// Tells the client.
    pub(super) fn announce(self, headers: &mut HeaderMap) {
        let sunset = UNIX_EPOCH + Duration::from_millis(self.until);
        let seconds = self.from / 1000;
        for (name, value) in [
            (DEPRECATION, format!("@{seconds}")),
            (SUNSET, httpdate::fmt_http_date(sunset)),
            (
                LINK,
                String::from("</api#keyless>; rel=\"deprecation\", </api#keyless>; rel=\"sunset\""),
            ),
        ] {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.append(name, value);
            }
        }
    }
}
