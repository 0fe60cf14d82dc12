//! The policy, as text.

/// A section of the page. `text` and `lines` are HTML of our own.
pub(super) struct Section {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) text: &'static str,
    pub(super) lines: &'static [&'static str],
}

/// The sections before the table of answers.
pub(super) static SECTIONS: &[Section] = &[
    Section {
        id: "sandbox",
        title: "Accounts are sandboxes",
        text: "<code>POST /sandboxes</code> makes one and returns its bearer token. Nothing of one \
               sandbox is visible from another.",
        lines: &[
            "Send <code>Authorization: Bearer tok_…</code>. The pages of this site use a cookie instead.",
            "<code>POST /charges</code> makes a charge, <code>GET /charges/{id}</code> reads its state \
             now, <code>GET /charges?limit=20&amp;after=ch_…</code> lists them, newest first.",
            "<code>POST /charges/{id}/refunds</code> gives one back, and takes a key as well.",
        ],
    },
    Section {
        id: "key",
        title: "The key",
        text: "<code>Idempotency-Key: \"k-7f3\"</code>, a structured-field string, and the bare \
               <code>k-7f3</code> are the same key: 1 to 255 bytes of visible ASCII.",
        lines: &[
            "One new random key for each payment, and the same key with each retry of it.",
            "A key is unique within its sandbox. On another method or path it is another request.",
            "The card processor is handed a key that is derived from the sandbox and the key, never \
             the client's own.",
        ],
    },
    Section {
        id: "fingerprint",
        title: "The fingerprint",
        text: "SHA-256 over method, path and the body in canonical JSON (RFC 8785), each with its \
               length before it. Another order of members or other white space is the same request; \
               a changed value is not.",
        lines: &[
            "It is compared before the state of the key: a running key with another body is \
                  refused with 422 as well.",
        ],
    },
    Section {
        id: "final",
        title: "What is final",
        text: "201 and 402 are saved and replayed: the same status, the same bytes, \
               <code>Location</code>, <code>Content-Type</code> and <code>Link</code>, with \
               <code>Idempotency-Replayed: true</code>. A fault of the processor is not final: send \
               the same again with the same key, and the next attempt carries on.",
        lines: &[
            "A lease (30 s unless set otherwise) with a heartbeat holds the key while its owner \
             lives. When it is over, a retry takes over with a higher fencing token, and a late \
             owner's writes fail.",
            "<code>Location</code> is where the state <em>now</em> can be read; a replay tells what \
             was answered then.",
        ],
    },
    Section {
        id: "retention",
        title: "Retention",
        text: "A key replays its answer for 24 hours unless set otherwise, counted from its claim. \
               After that it answers 410 for another 30 days, and charges nothing.",
        lines: &["Only the clock of the store judges leases and retention."],
    },
    Section {
        id: "waiting",
        title: "Waiting for the first attempt",
        text: "A retry that meets a running key may send <code>Prefer: wait=5</code> (RFC 7240). The \
               service then waits for the first attempt's answer, 10 s at most, and replays it with \
               <code>Preference-Applied: wait</code>.",
        lines: &["When the time is up, the answer is 409 as without it."],
    },
    Section {
        id: "limits",
        title: "Limits",
        text: "A sandbox may send 200 requests a second and 2,000 at once, and store 100,000 keys and \
               as many charges, unless set otherwise. Over the rate the answer is 429 with \
               <code>Retry-After</code>; a full sandbox answers known keys and refuses new ones with \
               403 <a href=\"#sandbox-full\">sandbox-full</a>.",
        lines: &["A sandbox that nobody used for 7 days is deleted with all that it stored."],
    },
    Section {
        id: "processor-without-keys",
        title: "A card processor without keys",
        text: "Such a processor may not simply be asked again. A key whose owner died stays 409 until \
               the sweeper has searched the processor's books for the payment's reference; then the \
               answer is saved, or the key given back.",
        lines: &[
            "In the lab: <code>{\"processor_keys\":false}</code>, and with \
                  <code>\"sweeper\":false</code> the unsafe form.",
        ],
    },
    Section {
        id: "other-ways",
        title: "Other ways to be safe",
        text: "Not everything needs a key. Each of these runs for real, and each has an unsafe twin \
               among the settings of the sandbox.",
        lines: &[
            "<code>PUT /orders/{id}/status</code> sets a status: the same again changes nothing. \
             Twin: <code>\"order_status\":\"step\"</code>, where a retry goes two steps.",
            "<code>PATCH /orders/{id}</code> changes the version that <code>If-Match</code> names, and \
             answers 412 when somebody else's change came first. With an \
             <code>Idempotency-Key</code> a retry is told from a conflict: 200 and \
             <code>Idempotency-Replayed: true</code>. Twin: <code>\"order_patch\":\"blind\"</code>.",
            "<code>POST /queue</code> delivers at least once, and the consumer notes the message in \
             the transaction of its effect. Twins: <code>\"consumer\":\"separate\"</code> and \
             <code>\"blind\"</code>.",
        ],
    },
    Section {
        id: "lab",
        title: "The lab",
        text: "<code>PATCH /lab/settings</code> switches mechanisms off, <code>POST /lab/faults</code> \
               queues what goes wrong, <code>POST /lab/clock</code> moves the sandbox's clock, and \
               <code>GET /lab/ledger</code> says what the card processor really did.",
        lines: &[
            "<code>GET /lab/settlement</code> compares the payments that were meant with the ledger: \
             duplicates, missing and orphaned ones, as JSON or (<code>?format=csv</code>) CSV.",
            "<code>X-Lab-Intent</code> names the payment that is meant, whatever the key; \
             <code>X-Lab-User</code> a customer of the sandbox; <code>X-Lab-Pod</code> a pod.",
        ],
    },
    Section {
        id: "keyless",
        title: "Requests without a key",
        text: "A policy of the deployment, which a sandbox can change for itself.",
        lines: &[
            "<code>require</code>, the default: 400 <a href=\"#idempotency-key-missing\">\
             idempotency-key-missing</a>.",
            "<code>allow</code>: each request is a charge of its own. A retry charges again.",
            "<code>grace</code>: as <code>allow</code> until a date, with <code>Deprecation</code> \
             (RFC 9745) and <code>Sunset</code> (RFC 8594); then as <code>require</code>.",
            "<code>fingerprint</code>: equal requests within a window, 10 s unless set otherwise, are \
             one. It catches the double tap and nothing else: two payments that happen to be equal \
             become one, and a retry after the window charges again. A key does neither.",
        ],
    },
];

/// The order of precedence.
pub(super) static RULES: &[(&str, &str)] = &[
    ("No or unknown token", "401"),
    (
        "Over the sandbox's rate",
        "429 <code>rate-limited</code> with <code>Retry-After</code>",
    ),
    ("Body over 64 KiB", "413, never processed"),
    ("Not JSON by its content type", "415"),
    ("Does not parse", "400 <code>not-json</code>"),
    (
        "Key malformed",
        "400 <code>idempotency-key-malformed</code>",
    ),
    ("No key", "what <a href=\"#keyless\">the policy</a> says"),
    (
        "Not a valid charge",
        "422 <code>invalid-charge</code>; nothing is stored under the key",
    ),
    (
        "Key known, another fingerprint",
        "422 <code>idempotency-key-reused</code>",
    ),
    (
        "Key known, retention over",
        "410 <code>idempotency-key-expired</code>",
    ),
    (
        "Key known, running, lease alive",
        "409 <code>idempotency-key-in-progress</code> with <code>Retry-After</code>, never past the lease",
    ),
    (
        "Key known, done",
        "the original answer with <code>Idempotency-Replayed: true</code>",
    ),
    (
        "Key known, running, lease over",
        "take over, and carry on from the recorded point",
    ),
    (
        "The same, at a processor without keys",
        "409 until <a href=\"#processor-without-keys\">the sweeper</a> has settled it",
    ),
    (
        "New key, and the sandbox is full",
        "403 <code>sandbox-full</code>",
    ),
    ("New key", "charge, save, 201 with <code>Location</code>"),
];
