//! The results of the studio's tools as files.

use app::parts::chart::picture;
use app::studio::{Tool, charts, csv, pairs};
use axum::Router;
use axum::extract::RawQuery;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
};
use axum::response::IntoResponse;
use axum::routing::get;

/// A picture may colour itself and do nothing else.
const PICTURE: &str =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/// `/retry.csv`, `/retry.svg` and so on.
pub(crate) fn router() -> Router {
    let mut router = Router::new();
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
                    let charts = charts(tool, &pairs(query.as_deref().unwrap_or_default()));
                    let svg = file(slug, "svg", "image/svg+xml", picture(&charts));
                    ([(CONTENT_SECURITY_POLICY, PICTURE)], svg)
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
    let disposition = format!("attachment; filename=\"{slug}.{extension}\"");
    (
        [
            (CONTENT_TYPE, kind.to_owned()),
            (CONTENT_DISPOSITION, disposition),
            (CACHE_CONTROL, "no-cache".to_owned()),
        ],
        text,
    )
}
