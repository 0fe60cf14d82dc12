//! The pages: their policy, their form, and what is not there.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Service, problem};
use model::world::Frame;
use model::world::explore::{Verdict, Weakened};

const HTML: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

async fn page(service: &Service, path: &str) -> reqwest::Response {
    service
        .get(path)
        .header("Accept", HTML)
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn each_page_has_a_nonce_of_its_own() {
    let service = Service::start().await;
    let mut nonces = Vec::new();
    for _ in 0..2 {
        let response = page(&service, "/").await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["cache-control"], "no-cache");
        assert!(
            response.headers()["content-type"]
                .to_str()
                .unwrap()
                .starts_with("text/html")
        );
        let policy = response.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .to_owned();
        for part in [
            "'strict-dynamic'",
            "'wasm-unsafe-eval'",
            "connect-src 'self'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe-inline"), "{policy}");
        let nonce = policy
            .split("'nonce-")
            .nth(1)
            .unwrap()
            .split('\'')
            .next()
            .unwrap()
            .to_owned();
        assert!(nonce.len() >= 22, "{nonce}");
        let body = response.text().await.unwrap();
        // Every script of the page carries it; data blocks do not run.
        for script in body.split("<script").skip(1) {
            let tag = script.split('>').next().unwrap();
            assert!(
                tag.contains(&format!("nonce=\"{nonce}\"")) || tag.contains("application/"),
                "<script{tag}>"
            );
        }
        nonces.push(nonce);
    }
    assert_ne!(nonces[0], nonces[1]);
}

#[tokio::test]
async fn pages_are_compressed_for_who_can_read_it() {
    let service = Service::start().await;
    let encoding = async |accept: &str| {
        let response = service
            .get("/")
            .header("Accept", HTML)
            .header("Accept-Encoding", accept)
            .send()
            .await
            .unwrap();
        assert!(
            response.headers()["vary"]
                .to_str()
                .unwrap()
                .contains("accept-encoding")
        );
        response
            .headers()
            .get("content-encoding")
            .map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(encoding("gzip, br").await.as_deref(), Some("br"));
    assert_eq!(encoding("gzip").await.as_deref(), Some("gzip"));
    assert_eq!(encoding("identity").await, None);
}

#[tokio::test]
async fn a_missing_page_is_a_page_for_people_and_a_problem_for_programs() {
    let service = Service::start().await;
    let response = page(&service, "/nothing").await;
    assert_eq!(response.status(), 404);
    assert!(
        response.headers()["content-type"]
            .to_str()
            .unwrap()
            .starts_with("text/html")
    );
    assert!(
        response.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .contains("nonce-")
    );
    assert!(response.text().await.unwrap().contains("<html"));
    assert_eq!(
        problem(service.get("/nothing").send().await.unwrap())
            .await
            .0,
        404
    );
    // Under the API even a browser gets the problem.
    assert_eq!(problem(page(&service, "/lab/nothing").await).await.0, 404);
}

#[tokio::test]
async fn a_slash_at_the_end_redirects() {
    let service = Service::start().await;
    let response = page(&service, "/nothing/?step=5").await;
    assert_eq!(response.status(), 308);
    assert_eq!(response.headers()["location"], "/nothing?step=5");
    let response = page(&service, "//example.com/").await;
    assert!(
        response
            .headers()
            .get("location")
            .is_none_or(|to| to == "/example.com")
    );
}

#[tokio::test]
async fn every_problem_has_a_section_of_the_reference() {
    let service = Service::start().await;
    let response = page(&service, "/api").await;
    assert_eq!(response.status(), 200);
    let html = response.text().await.unwrap();
    for kind in server::problem::Kind::ALL {
        assert!(
            html.contains(&format!("id=\"{}\"", kind.slug())),
            "no section for {}",
            kind.slug()
        );
        let described = app::pages::api::PROBLEMS
            .iter()
            .find(|problem| problem.slug == kind.slug())
            .unwrap();
        assert_eq!(described.status, kind.status(), "{}", kind.slug());
        assert_eq!(described.title, kind.title(), "{}", kind.slug());
    }
    assert_eq!(
        app::pages::api::PROBLEMS.len(),
        server::problem::Kind::ALL.len()
    );
}

/// What a page says in a named output.
fn output<'a>(html: &'a str, name: &str) -> &'a str {
    let at = html
        .split_once(&format!("<output name=\"{name}\""))
        .unwrap_or_else(|| panic!("no output {name}: {html}"))
        .1;
    let from = at.find('>').unwrap() + 1;
    at[from..].split("</output>").next().unwrap()
}

/// The text of an output without its tags and markers.
fn text(html: &str, name: &str) -> String {
    let mut text = String::new();
    for part in output(html, name).split('<') {
        let part = part.split_once('>').map_or(part, |(_, after)| after);
        text.push_str(part);
    }
    text
}

#[tokio::test]
async fn a_counterexample_is_drawn_by_the_server_at_its_step() {
    let service = Service::start().await;
    for weakened in Weakened::ALL {
        let slug = weakened.slug();
        let found = match weakened.search() {
            Ok(Verdict::Broken(found)) => found,
            other => panic!("{slug}: {other:?}"),
        };
        let steps = found.trace.steps().len();
        for step in [1, 2, steps] {
            let response = page(&service, &format!("/play/{slug}?step={step}")).await;
            assert_eq!(response.status(), 200, "{slug}");
            let html = response.text().await.unwrap();
            assert_eq!(text(&html, "step"), step.to_string(), "{slug}");
            assert_eq!(text(&html, "steps"), steps.to_string(), "{slug}");
            assert_eq!(text(&html, "moves"), found.moves.len().to_string());
            assert_eq!(text(&html, "states"), found.states.to_string());
            let (facts, _) = found.trace.until(&found.trace.steps()[step - 1]);
            let frame = Frame::after(&facts);
            for (name, number) in [
                ("intended", frame.intended as usize),
                ("charged", frame.charged()),
                ("attempts", frame.attempts as usize),
            ] {
                assert_eq!(
                    text(&html, name),
                    number.to_string(),
                    "{slug} {step} {name}"
                );
            }
            let broken = format!("data-property=\"{}\"", found.property.slug());
            assert!(html.contains(&broken), "{slug}");
            let moves: Vec<_> = found.moves.iter().map(ToString::to_string).collect();
            let moves = format!("data-moves=\"{}\"", moves.join(" "));
            assert!(
                html.contains(&moves),
                "{slug}: the browser is handed the moves"
            );
        }
        // Past the end is the end.
        let html = page(&service, &format!("/play/{slug}?step=99")).await;
        let html = html.text().await.unwrap();
        assert_eq!(text(&html, "step"), steps.to_string());
    }
    for nothing in ["/play/no-luck", "/play/No-Lease", "/play/no-heartbeat"] {
        assert_eq!(page(&service, nothing).await.status(), 404, "{nothing}");
    }
}
