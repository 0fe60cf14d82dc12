//! The document around every page.

use crate::islands::theme::{EARLY, ThemeSwitch};
use crate::pages::api::ApiPage;
use crate::pages::lab::LabPage;
use crate::pages::lesson::LessonPage;
use crate::pages::not_found::NotFound;
use crate::pages::play::PlayPage;
use crate::pages::studio::{AmplifyPage, Embedded, HerdPage, OutagePage, RetryPage};
use crate::parts::icons;
use crate::studio::Place;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::{MetaTags, provide_meta_context};
use leptos_router::components::{Route, Router, Routes};
use leptos_router::hooks::use_location;
use leptos_router::path;

/// The whole HTML document. `options` names the folder of the client bundle.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let mut client = options.clone();
    client.output_name = client_name(&options.output_name).into();
    let assets = format!("/{}", options.site_pkg_dir);
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <script nonce=use_nonce() inner_html=EARLY></script>
                <link rel="icon" type="image/svg+xml" href="/favicon.svg"/>
                <link rel="stylesheet" href=format!("{assets}/{}.css", options.output_name)/>
                <HydrationScripts options=client islands=true/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// The client that holds the islands of the page that is asked for.
fn client_name(lesson: &str) -> String {
    let request = use_context::<http::request::Parts>();
    match request.as_ref().map(|request| request.uri.path()) {
        Some(path) if path.starts_with("/lab") => format!("{lesson}-lab"),
        Some(path) if Place::of(path).is_some() => format!("{lesson}-studio"),
        _ => lesson.to_owned(),
    }
}

/// The routes, between the masthead and the foot.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    view! {
        <Router>
            <Head/>
            <Routes fallback=NotFound>
                <Route path=path!("/") view=LessonPage/>
                <Route path=path!("/play/:story") view=PlayPage/>
                <Route path=path!("/lab") view=LabPage/>
                <Route path=path!("/api") view=ApiPage/>
                <Route path=path!("/retry") view=RetryPage/>
                <Route path=path!("/amplify") view=AmplifyPage/>
                <Route path=path!("/herd") view=HerdPage/>
                <Route path=path!("/outage") view=OutagePage/>
                <Route path=path!("/embed/retry") view=Embedded/>
                <Route path=path!("/embed/amplify") view=Embedded/>
                <Route path=path!("/embed/herd") view=Embedded/>
                <Route path=path!("/embed/outage") view=Embedded/>
            </Routes>
            <Foot/>
        </Router>
    }
}

/// Whether this is a narrow frame on somebody else's page.
fn is_embedded() -> bool {
    let path = use_location().pathname.get_untracked();
    Place::of(&path).is_some_and(|place| place.embedded)
}

/// What stands over every page that is not embedded.
#[component]
fn Head() -> impl IntoView {
    (!is_embedded()).then(|| {
        view! {
            <a class="skip" href="#main">
                "Skip to the content"
            </a>
            <Masthead/>
        }
    })
}

/// What stands under it.
#[component]
fn Foot() -> impl IntoView {
    (!is_embedded()).then(|| {
        view! {
            <footer class="foot">
                <div class="page">
                    <p>"Simulated money, real requests. No card is ever charged."</p>
                    <p>"What you see is computed by the code that it teaches."</p>
                </div>
            </footer>
        }
    })
}

/// The mark, the ways through the site, and the theme.
#[component]
fn Masthead() -> impl IntoView {
    let path = use_location().pathname;
    let current = move |this: fn(&str) -> bool| path.with(|path| this(path)).then_some("page");
    view! {
        <header class="mast">
            <div class="page mast__in">
                <a class="mark" href="/">
                    {icons::mark()}
                    <span>"Charge Once"</span>
                </a>
                <nav class="mast__nav" aria-label="Site">
                    <a
                        href="/"
                        aria-current=move || current(|path| path == "/" || path.starts_with("/play"))
                    >
                        "Lesson"
                    </a>
                    <a href="/lab" aria-current=move || current(|path| path == "/lab")>
                        "Lab"
                    </a>
                    <a
                        href="/retry"
                        aria-current=move || current(|path| Place::of(path).is_some())
                    >
                        "Studio"
                    </a>
                    <a href="/api" aria-current=move || current(|path| path == "/api")>
                        "API"
                    </a>
                </nav>
                <ThemeSwitch/>
            </div>
        </header>
    }
}
