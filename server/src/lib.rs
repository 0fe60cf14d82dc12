//! The server of Charge Once.

pub mod assets;

use axum::Router;
use leptos::prelude::LeptosOptions;
use leptos_axum::{LeptosRoutes, generate_route_list};

/// The options that the pages are rendered with: where the client bundle is.
#[must_use]
pub fn leptos_options() -> LeptosOptions {
    LeptosOptions::builder()
        .output_name("charge-once")
        .site_pkg_dir(assets::folder())
        .build()
}

/// Every route of the server.
pub fn router() -> Router {
    let options = leptos_options();
    let routes = generate_route_list(app::App);
    let pages = Router::new()
        .leptos_routes(&options, routes, {
            let options = options.clone();
            move || app::shell(options.clone())
        })
        .with_state(options);
    Router::new().merge(assets::router()).merge(pages)
}
