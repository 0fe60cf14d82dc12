//! The problems, as text. A test of the server compares them with what it sends.

/// A kind of problem.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// What its `type` ends in, and the id of its section.
    pub slug: &'static str,
    /// Its status.
    pub status: u16,
    /// Its title.
    pub title: &'static str,
    /// What a client is to do.
    pub text: &'static str,
}

/// All of them, by status.
pub static PROBLEMS: &[Described] = &[
    Described {
        slug: "bad-request",
        status: 400,
        title: "The request is malformed",
        text: "The address or its query is malformed. Repair the request; the same again fails again.",
    },
    Described {
        slug: "not-json",
        status: 400,
        title: "The body is not JSON",
        text: "The body does not parse, repeats a member, or holds an integer beyond 2^53, which is not the same number everywhere.",
    },
    Described {
        slug: "idempotency-key-malformed",
        status: 400,
        title: "The Idempotency-Key header is malformed",
        text: "Send exactly one key of 1 to 255 bytes of visible ASCII, as \"k-7f3\" or k-7f3: no list, no parameters, no second header.",
    },
    Described {
        slug: "idempotency-key-missing",
        status: 400,
        title: "The Idempotency-Key header is missing",
        text: "This service requires a key. Make a new random one for each payment and send it again with each retry.",
    },
    Described {
        slug: "unauthorized",
        status: 401,
        title: "A known token is needed",
        text: "Send Authorization: Bearer with the token of a sandbox.",
    },
    Described {
        slug: "card-declined",
        status: 402,
        title: "The card was declined",
        text: "Final, and saved under the key: the same key replays it. Another try needs a new key.",
    },
    Described {
        slug: "cross-site",
        status: 403,
        title: "Requests from other sites are refused",
        text: "A browser sent this from another site, with our cookie. Nothing was done.",
    },
    Described {
        slug: "sandbox-full",
        status: 403,
        title: "The sandbox is full",
        text: "It stores as many keys or charges as it may. Known keys are still answered; nothing new is done. POST /lab/reset empties it.",
    },
    Described {
        slug: "not-found",
        status: 404,
        title: "There is nothing here",
        text: "There is no such address, or no such object in this sandbox.",
    },
    Described {
        slug: "method-not-allowed",
        status: 405,
        title: "The method is not allowed here",
        text: "The Allow header names the methods of this address.",
    },
    Described {
        slug: "request-timeout",
        status: 408,
        title: "The body did not arrive in time",
        text: "The body did not arrive within 10 seconds. Nothing was done; send it again with the same key.",
    },
    Described {
        slug: "idempotency-key-in-progress",
        status: 409,
        title: "A request with this key is still running",
        text: "An earlier attempt with this key is at work. Wait for as long as Retry-After says and send the same again, or send Prefer: wait=10.",
    },
    Described {
        slug: "idempotency-key-expired",
        status: 410,
        title: "The key is expired",
        text: "The answer under this key is no longer kept. Nothing was charged. Find out whether the payment was made; if it is still wanted, send it with a new key.",
    },
    Described {
        slug: "precondition-failed",
        status: 412,
        title: "The order has changed",
        text: "Somebody else's change came first: the ETag says which version there is now. A change that was yours is told as such, if you gave it an Idempotency-Key.",
    },
    Described {
        slug: "body-too-large",
        status: 413,
        title: "The body is too large",
        text: "At most 65,536 bytes. The request was not processed, with or without its key.",
    },
    Described {
        slug: "unsupported-media-type",
        status: 415,
        title: "The body has to be application/json",
        text: "Send Content-Type: application/json.",
    },
    Described {
        slug: "invalid-charge",
        status: 422,
        title: "This is not a valid charge",
        text: "The detail names the member. Nothing is stored under the key, so the repaired request may use it.",
    },
    Described {
        slug: "invalid-request",
        status: 422,
        title: "The request is not valid",
        text: "The detail says what this address takes.",
    },
    Described {
        slug: "idempotency-key-reused",
        status: 422,
        title: "The key belongs to another request",
        text: "The key came first with another method, path or body. A new payment needs a new key; a retry has to be the same request.",
    },
    Described {
        slug: "precondition-required",
        status: 428,
        title: "If-Match is missing",
        text: "Read the order first, and send its ETag as If-Match with the change.",
    },
    Described {
        slug: "rate-limited",
        status: 429,
        title: "Too many requests",
        text: "Wait for as long as Retry-After says.",
    },
    Described {
        slug: "internal-error",
        status: 500,
        title: "Something went wrong here",
        text: "A fault of this server. Send the same request with the same key again: it is charged once.",
    },
    Described {
        slug: "processor-failed",
        status: 502,
        title: "The card processor failed",
        text: "Not final, and nothing was charged. Send the same request with the same key again.",
    },
    Described {
        slug: "processor-busy",
        status: 503,
        title: "The card processor is busy",
        text: "Not final, and nothing was charged. Send the same request with the same key again, after Retry-After if there is one.",
    },
    Described {
        slug: "unavailable",
        status: 503,
        title: "The service cannot answer now",
        text: "The store does not answer, and whether money was taken is not known. Send the same request with the same key again: it is charged once.",
    },
];
