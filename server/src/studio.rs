//! The results of the studio's tools as files.

use app::studio::{Tool, csv, pairs, retry, svg};
use axum::Router;
use axum::extract::{Path, RawQuery};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::problem::Problem;

/// A picture may colour itself and do nothing else.
const PICTURE: &str =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/// `/retry.csv`, `/retry.svg` and so on.
pub(crate) fn router() -> Router {
    let mut router = Router::new().route("/retry/code/{language}/{style}", get(code));
    for tool in Tool::ALL {
        let slug = tool.slug();
        router = router
            .route(
                &format!("/{slug}.csv"),
                get(async move |RawQuery(query): RawQuery| {
                    let text = csv(tool, &pairs(query.as_deref().unwrap_or_default()));
                    file(slug, "csv", "text/csv; charset=utf-8", text)
                }),
            )
            .route(
                &format!("/{slug}.svg"),
                get(async move |RawQuery(query): RawQuery| {
                    let text = svg(tool, &pairs(query.as_deref().unwrap_or_default()));
                    let file = file(slug, "svg", "image/svg+xml", text);
                    ([(CONTENT_SECURITY_POLICY, PICTURE)], file)
                }),
            );
    }
    router
}

fn file(
    slug: &str,
    extension: &str,
    kind: &'static str,
    text: String,
) -> impl IntoResponse + use<> {
    named(&format!("{slug}.{extension}"), kind, text)
}

/// The policy as code.
async fn code(
    Path((language, style)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Response {
    let Some(target) = retry::target(&language, &style) else {
        return Problem::not_found().into_response();
    };
    let text = retry::download(&pairs(query.as_deref().unwrap_or_default()), target);
    named(target.file_name(), "text/plain; charset=utf-8", text).into_response()
}

fn named(name: &str, kind: &'static str, text: String) -> impl IntoResponse + use<> {
    let disposition = format!("attachment; filename=\"{name}\"");
    (
        [
            (CONTENT_TYPE, kind.to_owned()),
            (CONTENT_DISPOSITION, disposition),
            (CACHE_CONTROL, "no-cache".to_owned()),
        ],
        text,
    )
}
