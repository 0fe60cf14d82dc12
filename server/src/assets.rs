//! The client bundle, embedded in the binary and served from memory.
//!
//! Files are at `/assets/<hash>/…`, where the hash is over their content: such an
//! address never means anything else, so browsers may keep it for good. `build.rs`
//! lists the files; without a built client the list is empty.

use axum::Router;
use axum::extract::Path;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, VARY,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// One embedded file and its precompressed forms.
#[derive(Debug)]
struct Embedded {
    name: &'static str,
    plain: &'static [u8],
    brotli: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/site.rs"));

const FOREVER: &str = "public, max-age=31536000, immutable";
/// For addresses without a hash.
const A_DAY: &str = "public, max-age=86400";

/// The folder of the bundle as `LeptosOptions::site_pkg_dir` wants it: no slash at
/// either end.
#[must_use]
pub fn folder() -> String {
    // An address without a hash would have an empty segment.
    let hash = if HASH.is_empty() { "none" } else { HASH };
    format!("assets/{hash}")
}

/// The routes of the bundle and of the icon.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/assets/{hash}/{name}", get(asset))
        .route("/favicon.svg", get(icon))
}

async fn asset(Path((hash, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let current = !HASH.is_empty() && hash == HASH;
    match FILES.iter().find(|file| current && file.name == name) {
        Some(file) => send(file, FOREVER, &headers),
        None => not_found(),
    }
}

async fn icon(headers: HeaderMap) -> Response {
    match FILES.iter().find(|file| file.name == "favicon.svg") {
        Some(file) => send(file, A_DAY, &headers),
        None => not_found(),
    }
}

fn not_found() -> Response {
    let problem = r#"{"type":"about:blank","title":"Not Found","status":404}"#;
    (
        StatusCode::NOT_FOUND,
        [(CONTENT_TYPE, "application/problem+json")],
        problem,
    )
        .into_response()
}

fn send(file: &Embedded, cache: &'static str, headers: &HeaderMap) -> Response {
    let accepted = accepted(headers);
    let (encoding, body) = [("br", file.brotli), ("gzip", file.gzip)]
        .into_iter()
        .filter_map(|(coding, body)| Some((coding, body?, quality(&accepted, coding)?)))
        .filter(|(.., quality)| *quality >= quality_of_identity(&accepted))
        // The first of equals: brotli is the smaller.
        .reduce(|best, next| if next.2 > best.2 { next } else { best })
        .map_or((None, file.plain), |(coding, body, _)| (Some(coding), body));

    let mut fields: Vec<(HeaderName, &str)> = vec![
        (CONTENT_TYPE, content_type(file.name)),
        (CACHE_CONTROL, cache),
        (VARY, "accept-encoding"),
    ];
    fields.extend(encoding.map(|coding| (CONTENT_ENCODING, coding)));
    let mut response = body.into_response();
    for (name, value) in fields {
        if let Ok(value) = value.parse() {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        // Browsers compile it while it arrives only under this very type.
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// The codings of `Accept-Encoding` with their weights in thousandths (RFC 9110,
/// section 12.5.3). What does not parse has weight 0: it is not asked for.
fn accepted(headers: &HeaderMap) -> Vec<(String, u16)> {
    headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|item| {
            let mut parts = item.split(';').map(str::trim);
            let coding = parts.next().unwrap_or_default().to_ascii_lowercase();
            let weight = parts
                .find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
                .map_or(1000, thousandths);
            (coding, weight)
        })
        .filter(|(coding, _)| !coding.is_empty())
        .collect()
}

fn thousandths(weight: &str) -> u16 {
    match weight.parse::<f32>() {
        // In this range the cast is exact to the three digits that the RFC allows.
        Ok(weight) if (0.0..=1.0).contains(&weight) => (weight * 1000.0).round() as u16,
        _ => 0,
    }
}

/// The weight of a coding, if it is acceptable: its own, else that of `*`.
fn quality(accepted: &[(String, u16)], coding: &str) -> Option<u16> {
    let weight = |name: &str| {
        accepted
            .iter()
            .find(|(listed, _)| listed == name)
            .map(|(_, weight)| *weight)
    };
    weight(coding)
        .or_else(|| weight("*"))
        .filter(|weight| *weight > 0)
}

/// The plain form counts only where the client names it: unnamed it is acceptable,
/// but the smaller is meant.
fn quality_of_identity(accepted: &[(String, u16)]) -> u16 {
    accepted
        .iter()
        .find(|(coding, _)| coding == "identity")
        .map_or(0, |(_, weight)| *weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Embedded = Embedded {
        name: "a.css",
        plain: b"plain",
        brotli: Some(b"br"),
        gzip: Some(b"gz"),
    };

    /// The coding that is sent for this `Accept-Encoding`.
    fn chosen(accept: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(ACCEPT_ENCODING, value.parse().unwrap());
        }
        let response = send(&FILE, FOREVER, &headers);
        assert_eq!(response.headers()[VARY], "accept-encoding");
        assert_eq!(response.headers()[CACHE_CONTROL], FOREVER);
        response
            .headers()
            .get(CONTENT_ENCODING)
            .map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn browsers_get_brotli() {
        assert_eq!(chosen(&["gzip, deflate, br, zstd"]).as_deref(), Some("br"));
        assert_eq!(chosen(&["gzip", "br"]).as_deref(), Some("br"));
        assert_eq!(chosen(&["BR"]).as_deref(), Some("br"));
        assert_eq!(chosen(&["*"]).as_deref(), Some("br"));
    }

    #[test]
    fn the_weights_decide() {
        assert_eq!(chosen(&["br;q=0.5, gzip"]).as_deref(), Some("gzip"));
        assert_eq!(chosen(&["br;q=0, gzip ; q=0.001"]).as_deref(), Some("gzip"));
        assert_eq!(chosen(&["br;q=0, *"]).as_deref(), Some("gzip"));
        assert_eq!(chosen(&["identity, br;q=0.9"]), None);
        assert_eq!(chosen(&["identity;q=0.5, br;q=0.9"]).as_deref(), Some("br"));
    }

    #[test]
    fn the_rest_gets_the_plain_form() {
        assert_eq!(chosen(&[]), None);
        assert_eq!(chosen(&[""]), None);
        assert_eq!(chosen(&["deflate"]), None);
        assert_eq!(chosen(&["br;q=0, gzip;q=0"]), None);
        assert_eq!(chosen(&["br;q=nonsense"]), None);
    }

    #[tokio::test]
    async fn another_hash_is_not_found() {
        let path = Path((
            String::from("0000000000000000"),
            String::from("charge-once.css"),
        ));
        let response = asset(path, HeaderMap::new()).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
    }
}
