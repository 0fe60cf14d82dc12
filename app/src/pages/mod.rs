//! Pages: text rendered on the server.

pub mod api;
pub mod lab;
pub mod lesson;
pub mod not_found;
pub mod play;
pub mod studio;

use crate::islands::address::Address;
use crate::islands::story::Story;
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

/// What the address of this request says about a player. `None` when it names a
/// story that there is none of.
fn asked_for() -> Option<Address> {
    let params = use_params_map().get_untracked();
    let query = use_query_map().get_untracked();
    let slug = params.get("story");
    if let Some(slug) = &slug {
        Story::from_slug(slug)?;
    }
    Some(Address::read(slug.as_deref(), |name| query.get(name)))
}
