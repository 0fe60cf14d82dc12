//! Python.

/// On the standard library.
pub(super) const BY_HAND: &str = r#"
{{HEADER}}
#
# send(url, body) returns the last Reply, whatever its status, or raises the last network
# error. Python 3.9 or newer, nothing to install. urllib's time-out holds for each wait on the
# connection, so a reply that trickles in can take longer.

import http.client
import json
%!none|import random
import time
import urllib.error
import urllib.request
import uuid
%after|from datetime import datetime, timezone
%after|from email.utils import parsedate_to_datetime
from typing import NamedTuple

ATTEMPTS = {{ATTEMPTS}}  # the first call counts: {{RETRIES_WORD}}
BASE_MS = {{BASE}}
%!decorrelated|FACTOR = {{FACTOR}}
CAP_MS = {{CAP}}
%share|SHARE = {{SHARE}}
TIMEOUT_MS = {{TIMEOUT}}
%deadline|DEADLINE_MS = {{DEADLINE}}
%after|RETRY_AFTER_MOST_MS = {{AFTER}}
RETRIED = frozenset([{{STATUSES}}])
LONGEST_TIMER_MS = {{TIMER}}


class Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


def send(url, body, key=None):
    key = key or str(uuid.uuid4())
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
%deadline|    started = time.monotonic()
%!decorrelated|    nominal = min(CAP_MS, BASE_MS)
%decorrelated|    previous = min(CAP_MS, BASE_MS)
    attempt = 1
    while True:
        reply, failure = None, None
        try:
            reply = once(url, data, key)
        except (OSError, http.client.HTTPException) as error:
            failure = error  # no reply: nobody knows whether the work was done
        if reply and reply.status not in RETRIED:
            return reply
        last = attempt >= ATTEMPTS

%none|        wait = nominal
%full|        wait = nominal * random.random()
%equal|        wait = nominal / 2 + nominal / 2 * random.random()
%share|        wait = nominal * (1 - SHARE + 2 * SHARE * random.random())
%decorrelated|        previous = min(CAP_MS, BASE_MS + (3 * previous - BASE_MS) * random.random())
%decorrelated|        wait = previous
%after|        asked = retry_after_ms(reply.headers.get("Retry-After")) if reply else 0
%after|        last = last or asked > RETRY_AFTER_MOST_MS
%after|        wait = max(wait, asked)
        wait = min(wait, LONGEST_TIMER_MS)
%deadline|        last = last or (time.monotonic() - started) * 1000 + wait > DEADLINE_MS
        if last:
            if reply:
                return reply
            raise failure
        time.sleep(wait / 1000)
%!decorrelated|        nominal = min(CAP_MS, nominal * FACTOR)
        attempt += 1


def once(url, data, key):
    request = urllib.request.Request(
        url,
        data=data,
        method="POST",
        headers={"Content-Type": "application/json", "Idempotency-Key": key},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_MS / 1000) as response:
            return Reply(response.status, response.headers, response.read())
    except urllib.error.HTTPError as error:  # a reply that is no success
        with error:
            return Reply(error.code, error.headers, error.read())
%after|
%after|
%after|def retry_after_ms(value):
%after|    """Whole seconds or an HTTP-date; anything else counts as not sent."""
%after|    value = (value or "").strip()
%after|    if value.isascii() and value.isdigit():
%after|        return int(value) * 1000
%after|    if not value.startswith(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")):
%after|        return 0
%after|    try:
%after|        at = parsedate_to_datetime(value)
%after|    except (TypeError, ValueError):
%after|        return 0
%after|    if at.tzinfo is None:
%after|        at = at.replace(tzinfo=timezone.utc)
%after|    return max(0, (at - datetime.now(timezone.utc)).total_seconds() * 1000)
"#;

/// tenacity over requests.
pub(super) const LIBRARY: &str = r#"
{{HEADER}}
#
# By tenacity 9 over requests (pip install tenacity requests). tenacity counts attempts.
#
# send(url, body) returns the last requests.Response, whatever its status, or raises the last
# network error. The time-out of requests holds for each wait on the connection.

import json
%share|import random
%decorrelated|import random
import uuid
%after|from datetime import datetime, timezone
%after|from email.utils import parsedate_to_datetime

import requests
import tenacity

ATTEMPTS = {{ATTEMPTS}}  # the first call counts: {{RETRIES_WORD}}
BASE_S = {{BASE}} / 1000
%!decorrelated|FACTOR = {{FACTOR}}
CAP_S = {{CAP}} / 1000
%share|SHARE = {{SHARE}}
TIMEOUT_S = {{TIMEOUT}} / 1000
%deadline|DEADLINE_S = {{DEADLINE}} / 1000
%after|RETRY_AFTER_MOST_S = {{AFTER}} / 1000
RETRIED = frozenset([{{STATUSES}}])
NO_REPLY = (
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
)


def drawn_wait():
%none|    return tenacity.wait_exponential(multiplier=BASE_S, exp_base=FACTOR, max=CAP_S)
%full|    return tenacity.wait_random_exponential(multiplier=BASE_S, exp_base=FACTOR, max=CAP_S)
%equal|    half = {"multiplier": BASE_S / 2, "exp_base": FACTOR, "max": CAP_S / 2}
%equal|    return tenacity.wait_exponential(**half) + tenacity.wait_random_exponential(**half)
%share|    nominal = tenacity.wait_exponential(multiplier=BASE_S, exp_base=FACTOR, max=CAP_S)
%share|    return lambda state: nominal(state) * random.uniform(1 - SHARE, 1 + SHARE)
%decorrelated|    previous = BASE_S
%decorrelated|
%decorrelated|    def wait(_state):
%decorrelated|        nonlocal previous
%decorrelated|        previous = min(CAP_S, random.uniform(BASE_S, 3 * previous))
%decorrelated|        return previous
%decorrelated|
%decorrelated|    return wait


def send(url, body, key=None):
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": key or str(uuid.uuid4()),
    }
    drawn = drawn_wait()
    stop = tenacity.stop_after_attempt(ATTEMPTS)
%deadline|    stop = stop | tenacity.stop_before_delay(DEADLINE_S)
%after|    stop = stop | (lambda state: asked_s(state) > RETRY_AFTER_MOST_S)
    retrying = tenacity.Retrying(
        stop=stop,
%after|        wait=lambda state: max(drawn(state), asked_s(state)),
%!after|        wait=drawn,
        retry=tenacity.retry_if_exception_type(NO_REPLY)
        | tenacity.retry_if_result(lambda response: response.status_code in RETRIED),
        retry_error_callback=lambda state: state.outcome.result(),
    )
    return retrying(requests.post, url, data=data, headers=headers, timeout=TIMEOUT_S)
%after|
%after|
%after|def asked_s(state):
%after|    """Retry-After of the last reply: whole seconds or an HTTP-date, else 0."""
%after|    if state.outcome.failed:
%after|        return 0
%after|    value = state.outcome.result().headers.get("Retry-After", "").strip()
%after|    if value.isascii() and value.isdigit():
%after|        return int(value)
%after|    if not value.startswith(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")):
%after|        return 0
%after|    try:
%after|        at = parsedate_to_datetime(value)
%after|    except (TypeError, ValueError):
%after|        return 0
%after|    if at.tzinfo is None:
%after|        at = at.replace(tzinfo=timezone.utc)
%after|    return max(0, (at - datetime.now(timezone.utc)).total_seconds())
"#;
