//! The pages of the studio: a head, the tool, and what stands under it.

pub mod amplify;
pub mod embed;
pub mod herd;
pub mod outage;
mod presets;
pub mod retry;

pub use amplify::AmplifyPage;
pub use embed::Embedded;
pub use herd::HerdPage;
pub use outage::OutagePage;
pub use retry::RetryPage;

use crate::studio::{Place, Tool};
use maud::html;

/// The heading of a tool's page and the ways to the others.
fn head(tool: Tool, title: &str, lead: &str) -> String {
    html! {
        nav class="studio__nav" aria-label="Studio" {
            @for it in Tool::ALL {
                a href=(Place { tool: it, embedded: false }.path()) aria-current=[(it == tool).then_some("page")] {
                    (it.name())
                }
            }
        }
        div class="labhead" {
            h1 { (title) }
            p { (lead) }
        }
    }
    .0
}
