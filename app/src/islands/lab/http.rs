//! One request with `fetch`, written down as it went.

use super::state::{Asked, End, Exchange, Got, Lab};
use crate::parts::words;
use js_sys::{Array, Date, Promise, Reflect, Uint8Array};
use leptos::prelude::*;
use model::Ms;
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Now, by the browser's clock, in ms since the Unix epoch.
pub(super) fn now() -> Ms {
    Date::now() as Ms
}

/// Random bytes from the browser. The model never asks for any.
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if let Ok(crypto) = window().crypto() {
        let array = Uint8Array::new_with_length(N as u32);
        if crypto
            .get_random_values_with_array_buffer_view(&array)
            .is_ok()
        {
            array.copy_to(&mut bytes);
        }
    }
    bytes
}

/// A random seed, short enough to be typed.
pub(super) fn random_seed() -> u64 {
    u64::from(u32::from_le_bytes(random()))
}

/// A random UUID (version 4, RFC 9562).
///
/// `crypto.randomUUID` would do, but is there in secure contexts only, and a
/// class reaches the teacher's machine over plain HTTP.
pub(super) fn uuid() -> String {
    let mut bytes = random::<16>();
    let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
    *version = *version & 0x0f | 0x40;
    *variant = *variant & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    text
}

/// Waits.
pub(super) async fn sleep(ms: Ms) {
    let promise = Promise::new(&mut |resolve, _| {
        set_timeout(
            move || {
                let _ = resolve.call0(&JsValue::NULL);
            },
            Duration::from_millis(ms),
        );
    });
    let _ = JsFuture::from(promise).await;
}

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

async fn fetch(asked: &Asked) -> End {
    let timed_out = StoredValue::new(false);
    let controller = web_sys::AbortController::new().ok();
    let timer = match (&controller, asked.timeout_ms) {
        (Some(controller), Some(ms)) => {
            let controller = controller.clone();
            let stop = move || {
                timed_out.set_value(true);
                controller.abort();
            };
            set_timeout_with_handle(stop, Duration::from_millis(ms)).ok()
        }
        _ => None,
    };
    let got = exchange(
        asked,
        controller.as_ref().map(web_sys::AbortController::signal),
    )
    .await;
    if let Some(timer) = timer {
        timer.clear();
    }
    match got {
        Ok(got) => End::Reply(got),
        Err(_) if timed_out.get_value() => End::TimedOut,
        Err(_) => End::Broke,
    }
}

async fn exchange(asked: &Asked, signal: Option<web_sys::AbortSignal>) -> Result<Got, JsValue> {
    let headers = web_sys::Headers::new()?;
    for (name, value) in &asked.headers {
        headers.append(name, value)?;
    }
    let init = web_sys::RequestInit::new();
    init.set_method(asked.method);
    init.set_headers(&headers);
    init.set_signal(signal.as_ref());
    init.set_cache(web_sys::RequestCache::NoStore);
    if let Some(body) = &asked.body {
        init.set_body(&JsValue::from_str(body));
    }
    let answer = window().fetch_with_str_and_init(&asked.path, &init);
    let response: web_sys::Response = JsFuture::from(answer).await?.dyn_into()?;
    let mut headers = Vec::new();
    for pair in js_sys::try_iter(&response.headers())?.into_iter().flatten() {
        let pair = Array::from(&pair?);
        let part = |i| pair.get(i).as_string().unwrap_or_default();
        headers.push((part(0), part(1)));
    }
    let body = JsFuture::from(response.text()?).await?;
    Ok(Got {
        status: response.status(),
        headers,
        body: body.as_string().unwrap_or_default(),
    })
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
