//! `Prefer: wait=N` (RFC 7240).

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName};

/// The most that is granted.
pub const MOST: Duration = Duration::from_secs(10);

/// The name of the header.
pub const PREFER: HeaderName = HeaderName::from_static("prefer");
/// Says which preference was honoured.
pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// For how long a client is willing to wait for an answer, as far as it is granted.
///
/// The first `wait` counts. One that does not parse is ignored, as every
/// preference that is not understood has to be.
#[must_use]
pub fn wait(headers: &HeaderMap) -> Option<Duration> {
    headers
        .get_all(PREFER)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(preferences)
        .find_map(|preference| {
            // Parameters behind a semicolon say nothing to us.
            let (name, value) = preference.split(';').next()?.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("wait")
                .then(|| value.trim().trim_matches('"').parse::<u64>().ok())
        })
        .flatten()
        .map(|seconds| Duration::from_secs(seconds).min(MOST))
        .filter(|wait| !wait.is_zero())
}

/// The members of a list, whose commas may stand in quoted strings as well.
fn preferences(value: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    value.split(move |character| {
        if escaped {
            escaped = false;
        } else if quoted && character == '\\' {
            escaped = true;
        } else if character == '"' {
            quoted = !quoted;
        }
        character == ',' && !quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn of(values: &[&'static str]) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(PREFER, HeaderValue::from_static(value));
        }
        wait(&headers).map(|wait| wait.as_secs())
    }

    #[test]
    fn the_first_wait_counts_and_ten_seconds_are_granted() {
        for (values, want) in [
            (&["wait=5"][..], Some(5)),
            (&["respond-async, WAIT = \"7\"; x=y"], Some(7)),
            (&["handling=lenient", "wait=3, wait=9"], Some(3)),
            (&["note=\"a, wait=9\", wait=2"], Some(2)),
            (&["wait=86400"], Some(10)),
            (&["wait=0"], None),
            (&["wait=-1"], None),
            (&["wait"], None),
            (&["waiting=4"], None),
            (&["wait=1.5, wait=4"], None),
            (&[], None),
        ] {
            assert_eq!(of(values), want, "{values:?}");
        }
    }
}
