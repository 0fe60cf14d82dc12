//! Every route and every layer around them.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::{Router, middleware, routing};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::trace::TraceLayer;

use crate::problem::Problem;
use crate::state::App;
use crate::{
    accounts, assets, charges, lab, metrics, openapi, orders, pages, request_id, security, unread,
};

/// The whole service.
pub(crate) fn router(app: App) -> Router {
    let api = Router::new()
        .merge(accounts::api::router())
        .merge(charges::api::router())
        .merge(lab::api::router())
        .merge(orders::api::router())
        .route("/api/openapi.json", routing::get(openapi::openapi))
        .route("/healthz", routing::get(|| async { "ok" }))
        .route("/readyz", routing::get(ready))
        .route("/metrics", routing::get(counted))
        .with_state(app)
        .layer(middleware::map_response(no_store));
    // The first layer is the innermost.
    api.merge(assets::router())
        .merge(pages::router())
        .layer(middleware::from_fn(security::problems))
        .layer(security::csrf())
        .layer(middleware::from_fn(unread::finish))
        .layer(CatchPanicLayer::custom(security::panicked))
        .layer(middleware::from_fn(security::headers))
        .layer(TraceLayer::new_for_http().make_span_with(request_id::span))
        .layer(middleware::from_fn(request_id::name))
}

async fn counted(State(app): State<App>) -> impl IntoResponse {
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], app.metrics.text())
}

async fn ready(State(app): State<App>) -> Result<&'static str, Problem> {
    app.store.ready().await?;
    Ok("ok")
}

/// Answers of the API are about now and about one sandbox: no cache may keep them.
async fn no_store(mut response: axum::response::Response) -> axum::response::Response {
    use axum::http::HeaderValue;
    use axum::http::header::CACHE_CONTROL;
    response
        .headers_mut()
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::extract::Request;
    use axum::routing::get;
    use http_body_util::BodyExt;
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    use crate::security;

    /// The one documented status that nothing outside can bring about.
    #[tokio::test]
    async fn a_handler_that_panics_is_a_problem() {
        let broken: Router = Router::new()
            .route("/", get(async || -> &str { panic!("broken") }))
            .layer(CatchPanicLayer::custom(security::panicked));
        let request = Request::builder().uri("/").body(Body::empty()).unwrap();
        let response = broken.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 500);
        assert_eq!(
            response.headers()["content-type"],
            "application/problem+json"
        );
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["type"], "/api#internal-error");
        assert!(!body.to_string().contains("broken"), "{body}");
    }
}
