//! TypeScript.

/// On fetch.
pub(super) const BY_HAND: &str = r#"
{{HEADER}}
//
// send(url, body) resolves to the last reply, whatever its status, or rejects with the last
// network error. Node 20 or newer, Deno, Bun, browsers.

const ATTEMPTS = {{ATTEMPTS}}; // the first call counts: {{RETRIES_WORD}}
const BASE_MS = {{BASE}};
%!decorrelated|const FACTOR = {{FACTOR}};
const CAP_MS = {{CAP}};
%share|const SHARE = {{SHARE}};
const TIMEOUT_MS = {{TIMEOUT}};
%deadline|const DEADLINE_MS = {{DEADLINE}};
%after|const RETRY_AFTER_MOST_MS = {{AFTER}};
const RETRIED: ReadonlySet<number> = new Set([{{STATUSES}}]);
const LONGEST_TIMER_MS = {{TIMER}}; // a longer one would fire at once

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

export async function send(
  url: string,
  body: unknown,
  key: string = crypto.randomUUID(),
): Promise<Reply> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
%deadline|  const started = performance.now();
%!decorrelated|  let nominal = Math.min(CAP_MS, BASE_MS);
%decorrelated|  let previous = Math.min(CAP_MS, BASE_MS);
  for (let attempt = 1; ; attempt += 1) {
    let reply: Reply | undefined;
    let failure: unknown;
    try {
      reply = await once(url, text, key);
    } catch (error) {
      failure = error; // no reply: nobody knows whether the work was done
    }
    const giveUp = (): Reply => {
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
async function once(url: string, body: string, key: string): Promise<Reply> {
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
%after|function retryAfterMs(value: string | null): number {
%after|  const text = (value ?? "").trim();
%after|  if (/^[0-9]+$/.test(text)) return Number(text) * 1000;
%after|  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return 0; // Date.parse guesses
%after|  const at = Date.parse(text);
%after|  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
%after|}
"#;

/// axios-retry.
pub(super) const LIBRARY: &str = r#"
{{HEADER}}
//
// By axios-retry 4 (npm install axios axios-retry), which counts retries. The wait is drawn
// in retryCondition, so that it can end the retries, and handed on in retryDelay.
//
// send(url, body) resolves to the last response, whatever its status, or rejects with the
// last network error.

import axios, { AxiosError, type AxiosResponse } from "axios";
import axiosRetry from "axios-retry";

const BASE_MS = {{BASE}};
%!decorrelated|const FACTOR = {{FACTOR}};
const CAP_MS = {{CAP}};
%share|const SHARE = {{SHARE}};
const TIMEOUT_MS = {{TIMEOUT}};
%deadline|const DEADLINE_MS = {{DEADLINE}};
%after|const RETRY_AFTER_MOST_MS = {{AFTER}};
const RETRIED: ReadonlySet<number> = new Set([{{STATUSES}}]);
const LONGEST_TIMER_MS = {{TIMER}}; // a longer one would fire at once

export async function send(
  url: string,
  body: unknown,
  key: string = crypto.randomUUID(),
): Promise<AxiosResponse> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
%deadline|  const started = performance.now();
%!decorrelated|  let nominal = Math.min(CAP_MS, BASE_MS);
%decorrelated|  let previous = Math.min(CAP_MS, BASE_MS);
  let wait = 0;
  // Over fetch the time-out covers the body as well: axios's own adapter for Node takes a
  // body that stalls for a whole one.
  const client = axios.create({ timeout: TIMEOUT_MS, adapter: "fetch" });
  axiosRetry(client, {
    retries: {{RETRIES}}, // {{ATTEMPTS}} attempts
    shouldResetTimeout: true, // the time-out is for each attempt
    retryCondition: (error: AxiosError) => {
      if (error.response && !RETRIED.has(error.response.status)) return false;
%none|      const drawn = nominal;
%full|      const drawn = nominal * Math.random();
%equal|      const drawn = nominal / 2 + (nominal / 2) * Math.random();
%share|      const drawn = nominal * (1 - SHARE + 2 * SHARE * Math.random());
%decorrelated|      previous = Math.min(CAP_MS, BASE_MS + (3 * previous - BASE_MS) * Math.random());
%decorrelated|      const drawn = previous;
%after|      const asked = retryAfterMs(error.response?.headers["retry-after"]);
%after|      if (asked > RETRY_AFTER_MOST_MS) return false;
%after|      wait = Math.min(Math.max(drawn, asked), LONGEST_TIMER_MS);
%!after|      wait = Math.min(drawn, LONGEST_TIMER_MS);
%deadline|      if (performance.now() - started + wait > DEADLINE_MS) return false;
%!decorrelated|      nominal = Math.min(CAP_MS, nominal * FACTOR);
      return true;
    },
    retryDelay: () => wait,
  });
  try {
    return await client.post(url, text, {
      headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    });
  } catch (error) {
    if (error instanceof AxiosError && error.response) return error.response;
    throw error;
  }
}
%after|
%after|// Whole seconds or an HTTP-date; anything else counts as not sent.
%after|function retryAfterMs(value: unknown): number {
%after|  const text = typeof value === "string" ? value.trim() : "";
%after|  if (/^[0-9]+$/.test(text)) return Number(text) * 1000;
%after|  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return 0; // Date.parse guesses
%after|  const at = Date.parse(text);
%after|  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
%after|}
"#;
