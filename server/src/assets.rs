//! The client bundle, embedded in the binary.

use axum::Router;

/// One embedded file and its precompressed forms.
struct Embedded {
    name: &'static str,
    plain: &'static [u8],
    brotli: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/site.rs"));

/// The folder of the bundle as `LeptosOptions::site_pkg_dir` wants it: no slash
/// at either end.
#[must_use]
pub fn folder() -> String {
    format!("assets/{HASH}")
}

/// The routes of the bundle and the favicon.
pub fn router() -> Router {
    Router::new()
}
