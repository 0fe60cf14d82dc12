//! JavaScript.

/// On fetch.
pub(super) const BY_HAND: &str = r#"
{{HEADER}}
//
// send(url, body) resolves to { status, headers, text } of the last reply, whatever its
// status, or rejects with the last network error. Node 20 or newer, Deno, Bun, browsers.

const ATTEMPTS = {{ATTEMPTS}}; // the first call counts: {{RETRIES_WORD}}
const BASE_MS = {{BASE}};
%!decorrelated|const FACTOR = {{FACTOR}};
const CAP_MS = {{CAP}};
%share|const SHARE = {{SHARE}};
const TIMEOUT_MS = {{TIMEOUT}};
%deadline|const DEADLINE_MS = {{DEADLINE}};
%after|const RETRY_AFTER_MOST_MS = {{AFTER}};
const RETRIED = new Set([{{STATUSES}}]);
const LONGEST_TIMER_MS = {{TIMER}}; // a longer one would fire at once

export async function send(url, body, key = crypto.randomUUID()) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
%deadline|  const started = performance.now();
%!decorrelated|  let nominal = Math.min(CAP_MS, BASE_MS);
%decorrelated|  let previous = Math.min(CAP_MS, BASE_MS);
  for (let attempt = 1; ; attempt += 1) {
    let reply, failure;
    try {
      reply = await once(url, text, key);
    } catch (error) {
      failure = error; // no reply: nobody knows whether the work was done
    }
    const giveUp = () => {
      if (reply) return reply;
      throw failure;
    };
    if (reply && !RETRIED.has(reply.status)) return reply;
    if (attempt >= ATTEMPTS) return giveUp();

%none|    const drawn = nominal;
%full|    const drawn = nominal * Math.random();
%equal|    const drawn = nominal / 2 + (nominal / 2) * Math.random();
%share|    const drawn = nominal * (1 - SHARE + 2 * SHARE * Math.random());
%decorrelated|    previous = Math.min(CAP_MS, BASE_MS + (3 * previous - BASE_MS) * Math.random());
%decorrelated|    const drawn = previous;
%after|    const asked = reply ? retryAfterMs(reply.headers.get("Retry-After")) : 0;
%after|    if (asked > RETRY_AFTER_MOST_MS) return giveUp();
%after|    const wait = Math.min(Math.max(drawn, asked), LONGEST_TIMER_MS);
%!after|    const wait = Math.min(drawn, LONGEST_TIMER_MS);
%deadline|    if (performance.now() - started + wait > DEADLINE_MS) return giveUp();
    await new Promise((resolve) => setTimeout(resolve, wait));
%!decorrelated|    nominal = Math.min(CAP_MS, nominal * FACTOR);
  }
}

// One attempt; its time-out covers the body as well.
async function once(url, body, key) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
%after|
%after|// Whole seconds or an HTTP-date; anything else counts as not sent.
%after|function retryAfterMs(value) {
%after|  const text = (value ?? "").trim();
%after|  if (/^[0-9]+$/.test(text)) return Number(text) * 1000;
%after|  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return 0; // Date.parse guesses
%after|  const at = Date.parse(text);
%after|  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
%after|}
"#;

/// p-retry.
pub(super) const LIBRARY: &str = r#"
{{HEADER}}
//
// By p-retry 7 (npm install p-retry), which counts retries. Its own jitter only makes waits
// longer, and it knows no Retry-After: so its waits are 0, and ours are in onFailedAttempt,
// which it waits for.
//
// send(url, body) resolves to { status, headers, text } of the last reply, whatever its
// status, or rejects with the last network error. Node 20 or newer.

import pRetry from "p-retry";

const BASE_MS = {{BASE}};
%!decorrelated|const FACTOR = {{FACTOR}};
const CAP_MS = {{CAP}};
%share|const SHARE = {{SHARE}};
const TIMEOUT_MS = {{TIMEOUT}};
%deadline|const DEADLINE_MS = {{DEADLINE}};
%after|const RETRY_AFTER_MOST_MS = {{AFTER}};
const RETRIED = new Set([{{STATUSES}}]);
const LONGEST_TIMER_MS = {{TIMER}}; // a longer one would fire at once

class Unavailable extends Error {
  constructor(reply) {
    super(`status ${reply.status}`);
    this.reply = reply;
  }
}

export async function send(url, body, key = crypto.randomUUID()) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
%deadline|  const started = performance.now();
%!decorrelated|  let nominal = Math.min(CAP_MS, BASE_MS);
%decorrelated|  let previous = Math.min(CAP_MS, BASE_MS);
  try {
    return await pRetry(() => once(url, text, key), {
      retries: {{RETRIES}}, // {{ATTEMPTS}} attempts
      minTimeout: 0,
      async onFailedAttempt({ error, retriesLeft }) {
        if (retriesLeft === 0) return; // no wait after the last one
%none|        const drawn = nominal;
%full|        const drawn = nominal * Math.random();
%equal|        const drawn = nominal / 2 + (nominal / 2) * Math.random();
%share|        const drawn = nominal * (1 - SHARE + 2 * SHARE * Math.random());
%decorrelated|        previous = Math.min(CAP_MS, BASE_MS + (3 * previous - BASE_MS) * Math.random());
%decorrelated|        const drawn = previous;
%after|        const asked = retryAfterMs(error.reply?.headers.get("Retry-After"));
%after|        if (asked > RETRY_AFTER_MOST_MS) throw error; // ends the retries
%after|        const wait = Math.min(Math.max(drawn, asked), LONGEST_TIMER_MS);
%!after|        const wait = Math.min(drawn, LONGEST_TIMER_MS);
%deadline|        if (performance.now() - started + wait > DEADLINE_MS) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
%!decorrelated|        nominal = Math.min(CAP_MS, nominal * FACTOR);
      },
    });
  } catch (error) {
    if (error instanceof Unavailable) return error.reply;
    throw error;
  }
}

// One attempt; its time-out covers the body as well.
async function once(url, body, key) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const reply = { status: response.status, headers: response.headers, text: await response.text() };
  if (RETRIED.has(reply.status)) throw new Unavailable(reply);
  return reply;
}
%after|
%after|// Whole seconds or an HTTP-date; anything else counts as not sent.
%after|function retryAfterMs(value) {
%after|  const text = (value ?? "").trim();
%after|  if (/^[0-9]+$/.test(text)) return Number(text) * 1000;
%after|  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return 0; // Date.parse guesses
%after|  const at = Date.parse(text);
%after|  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
%after|}
"#;
