//! The pages: rendered by Leptos, compressed, each under a policy with its own nonce.

use app::studio::Place;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use leptos::nonce::use_nonce;
use leptos::prelude::{LeptosOptions, use_context};
use leptos_axum::{LeptosRoutes, ResponseOptions, generate_route_list};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use crate::assets;
use crate::problem::Problem;
use crate::security::{Ancestors, page_policy};
use crate::studio;

/// The first segments of addresses that belong to programs.
const API: [&str; 7] = [
    "charges",
    "sandboxes",
    "orders",
    "queue",
    "healthz",
    "readyz",
    "metrics",
];

/// The options that the pages are rendered with: where the client bundle is.
#[must_use]
pub fn leptos_options() -> LeptosOptions {
    LeptosOptions::builder()
        .output_name("charge-once")
        .site_pkg_dir(assets::folder())
        .build()
}

/// The routes of the pages, and the answer for what is not there.
pub(crate) fn router() -> Router {
    let options = leptos_options();
    let routes = generate_route_list(app::App);
    Router::new()
        .leptos_routes_with_context(&options, routes, page_headers, {
            let options = options.clone();
            move || app::shell(options.clone())
        })
        .fallback(missing)
        .with_state(options)
        .merge(studio::router())
        .layer(
            CompressionLayer::new()
                .br(true)
                .gzip(true)
                .quality(CompressionLevel::Precise(5)),
        )
}

/// Runs with each page, when its nonce is made.
fn page_headers() {
    let (Some(response), Some(nonce)) = (use_context::<ResponseOptions>(), use_nonce()) else {
        return;
    };
    let anywhere = use_context::<Parts>()
        .and_then(|request| Place::of(request.uri.path()))
        .is_some_and(|place| place.embedded);
    let ancestors = if anywhere {
        Ancestors::Any
    } else {
        Ancestors::None
    };
    if let Ok(policy) = HeaderValue::try_from(page_policy(&nonce, ancestors)) {
        response.insert_header(CONTENT_SECURITY_POLICY, policy);
    }
    response.insert_header(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
}

/// Nothing is here: the page without its slash, a page that says so, or a problem.
async fn missing(State(options): State<LeptosOptions>, request: Request) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if !reads || is_api(request.uri().path()) {
        return Problem::not_found().into_response();
    }
    if let Some(address) = without_slash(request.uri()) {
        return (StatusCode::PERMANENT_REDIRECT, [(LOCATION, address)]).into_response();
    }
    if !wants_html(request.headers()) {
        return Problem::not_found().into_response();
    }
    let render = leptos_axum::render_app_to_stream_with_context(page_headers, move || {
        app::shell(options.clone())
    });
    let mut response = render(request).await;
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

fn is_api(path: &str) -> bool {
    let mut segments = path.split('/').skip(1);
    match segments.next() {
        // `/lab` and `/api` are pages, and what is under them is not.
        Some("lab" | "api") => segments.next().is_some_and(|segment| !segment.is_empty()),
        Some(first) => API.contains(&first),
        None => false,
    }
}

/// The same address without slashes at its end, if it has some.
fn without_slash(uri: &Uri) -> Option<HeaderValue> {
    let path = uri.path();
    let short = path.trim_end_matches('/');
    if short.len() == path.len() || path == "/" {
        return None;
    }
    // Two slashes at the front would lead to another host.
    let mut address = format!("/{}", short.trim_start_matches('/'));
    if let Some(query) = uri.query() {
        address.push('?');
        address.push_str(query);
    }
    HeaderValue::try_from(address).ok()
}

fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("text/html"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_end_is_taken_off_without_leaving_the_host() {
        let of = |uri: &str| {
            without_slash(&uri.parse().unwrap()).map(|to| to.to_str().unwrap().to_owned())
        };
        assert_eq!(of("/"), None);
        assert_eq!(of("/lab"), None);
        assert_eq!(of("/lab/").as_deref(), Some("/lab"));
        assert_eq!(of("/play/x/?step=5").as_deref(), Some("/play/x?step=5"));
        assert_eq!(of("//evil.example/").as_deref(), Some("/evil.example"));
        assert_eq!(of("//").as_deref(), Some("/"));
    }

    #[test]
    fn the_lab_is_a_page_and_what_is_under_it_is_not() {
        for api in [
            "/charges",
            "/charges/ch_1/x",
            "/sandboxes",
            "/lab/keys",
            "/lab/nothing",
        ] {
            assert!(is_api(api), "{api}");
        }
        for page in ["/", "/lab", "/lab/", "/chargesheet", "/play/x"] {
            assert!(!is_api(page), "{page}");
        }
    }
}
