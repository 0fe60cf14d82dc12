//! One request with `fetch`, written down as it went.

use super::state::{Asked, End, Exchange, Lab};
use crate::islands::http::fetch;
pub(super) use crate::islands::http::{now, random_seed, sleep, uuid};
use crate::parts::words;
use js_sys::Reflect;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// Sends a request and writes it into the log, at once and again when it ends.
pub(super) async fn send(lab: Lab, asked: Asked, attempt: Option<u32>) -> End {
    let request_id = asked
        .headers
        .iter()
        .find(|(name, _)| name == "X-Request-Id")
        .map(|(_, value)| value.clone())
        .unwrap_or_default();
    let sent = now();
    let at = lab.log.with_untracked(Vec::len);
    lab.log.update(|log| {
        log.push(Exchange {
            attempt,
            request_id,
            asked: asked.clone(),
            end: End::Open,
            sent,
            ended: None,
        });
    });
    let end = fetch(&asked).await;
    lab.log.update(|log| {
        if let Some(exchange) = log.get_mut(at) {
            exchange.end = end.clone();
            exchange.ended = Some(now());
        }
    });
    end
}

/// The request as a command for a shell.
pub(super) fn curl(asked: &Asked, origin: &str) -> String {
    let mut text = String::from("curl -i");
    if let Some(ms) = asked.timeout_ms {
        text.push_str(&format!(" --max-time {}", words::decimal_seconds(ms)));
    }
    if asked.method != "GET" {
        text.push_str(&format!(" -X {}", asked.method));
    }
    text.push(' ');
    text.push_str(&quoted(&format!("{origin}{}", asked.path)));
    for (name, value) in &asked.headers {
        // The id belongs to the browser's own request.
        if name != "X-Request-Id" {
            text.push_str(&format!(
                " \\\n  -H {}",
                quoted(&format!("{name}: {value}"))
            ));
        }
    }
    if let Some(body) = &asked.body {
        text.push_str(&format!(" \\\n  -d {}", quoted(body)));
    }
    text
}

/// A text that a POSIX shell takes as one word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Copies a text, where the browser allows it.
pub(super) async fn copy(text: &str) -> bool {
    let navigator: JsValue = window().navigator().into();
    // Not there at all outside secure contexts.
    let missing = Reflect::get(&navigator, &JsValue::from_str("clipboard"))
        .map_or(true, |clipboard| clipboard.is_undefined());
    !missing
        && JsFuture::from(window().navigator().clipboard().write_text(text))
            .await
            .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curl_command_survives_a_shell() {
        let asked = Asked {
            method: "POST",
            path: "/charges".to_owned(),
            headers: vec![
                ("Idempotency-Key".to_owned(), "\"k'1\"".to_owned()),
                ("X-Request-Id".to_owned(), "r1".to_owned()),
            ],
            body: Some(r#"{"description":"it's $HOME `id`"}"#.to_owned()),
            timeout_ms: Some(2500),
        };
        let text = curl(&asked, "http://127.0.0.1:3000");
        // A shell reads it back as the same words.
        let script = format!("curl() {{ printf '%s\\n' \"$@\"; }}; {text}");
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .unwrap();
        let words: Vec<_> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        assert_eq!(
            words,
            [
                "-i",
                "--max-time",
                "2.5",
                "-X",
                "POST",
                "http://127.0.0.1:3000/charges",
                "-H",
                "Idempotency-Key: \"k'1\"",
                "-d",
                r#"{"description":"it's $HOME `id`"}"#,
            ]
        );
    }
}
