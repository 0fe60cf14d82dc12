//! One request with `fetch`, and what a client in the browser needs beside it.

use js_sys::{Array, Date, Promise, Uint8Array};
use leptos::prelude::*;
use model::Ms;
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A request as the browser sends it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<String>,
    /// How long the client waits for the answer.
    pub(crate) timeout_ms: Option<Ms>,
}

/// A reply as the browser got it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It has not.
    // Only the lab keeps a log of requests under way.
    #[allow(dead_code)]
    Open,
    /// With a reply.
    Reply(Got),
    /// The client stopped waiting.
    TimedOut,
    /// The connection ended without a byte.
    Broke,
}

/// Now, by the browser's clock, in ms since the Unix epoch.
pub(crate) fn now() -> Ms {
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
pub(crate) fn random_seed() -> u64 {
    u64::from(u32::from_le_bytes(random()))
}

/// A random UUID (version 4, RFC 9562).
///
/// `crypto.randomUUID` would do, but is there in secure contexts only, and a
/// class reaches the teacher's machine over plain HTTP.
pub(crate) fn uuid() -> String {
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
pub(crate) async fn sleep(ms: Ms) {
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

/// Sends a request and waits for how it ends.
pub(crate) async fn fetch(asked: &Asked) -> End {
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
