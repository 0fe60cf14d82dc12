//! `GET /api/openapi.json`: the service for programs.

use std::collections::BTreeSet;

use axum::Json;
use serde::Serialize;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, ParameterBuilder, ParameterIn, PathItem, PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, Required,
    ResponseBuilder,
};
use utoipa::{PartialSchema, ToSchema};

/// A method of an address, and every status that it answers with besides those
/// that many of them can: see [`Route::always`].
struct Route {
    method: HttpMethod,
    path: &'static str,
    summary: &'static str,
    statuses: &'static [u16],
    /// The schema of its body, and whether it takes one.
    takes: Option<&'static str>,
    /// The schema of what it gives.
    gives: Option<&'static str>,
    /// It takes an idempotency key.
    keyed: bool,
    /// It needs a token.
    token: bool,
    /// The store is asked, or somebody's rate is counted.
    limited: bool,
}

/// A route with a token and without a key.
const fn route(
    method: HttpMethod,
    path: &'static str,
    summary: &'static str,
    statuses: &'static [u16],
) -> Route {
    Route {
        method,
        path,
        summary,
        statuses,
        takes: None,
        gives: None,
        keyed: false,
        token: true,
        limited: true,
    }
}

impl Route {
    const fn takes(mut self, schema: &'static str) -> Self {
        self.takes = Some(schema);
        self
    }

    const fn gives(mut self, schema: &'static str) -> Self {
        self.gives = Some(schema);
        self
    }

    const fn keyed(mut self) -> Self {
        self.keyed = true;
        self
    }

    const fn open(mut self) -> Self {
        self.token = false;
        self
    }

    const fn free(mut self) -> Self {
        self.token = false;
        self.limited = false;
        self
    }

    /// Statuses that follow from what the route is.
    fn always(&self) -> impl Iterator<Item = u16> {
        let changes = self.method != Get;
        let reads = self.takes.is_some() || self.keyed;
        [
            (401, self.token),
            // A browser sent it from another site.
            (403, changes),
            (408, reads),
            (413, reads),
            (429, self.limited),
            (500, true),
            (503, self.limited),
        ]
        .into_iter()
        .filter_map(|(status, can)| can.then_some(status))
    }
}

use HttpMethod::{Delete, Get, Patch, Post, Put};

static ROUTES: &[Route] = &[
    route(Post, "/sandboxes", "Makes a sandbox", &[201])
        .gives("Sandbox")
        .open(),
    route(
        Post,
        "/lab/session",
        "The sandbox of the cookie, or a new one with a cookie",
        &[200, 201],
    )
    .gives("Sandbox")
    .open(),
    route(
        Post,
        "/charges",
        "Makes a charge, once for each key",
        &[201, 400, 402, 403, 409, 410, 415, 422, 502],
    )
    .takes("NewCharge")
    .gives("Charge")
    .keyed(),
    route(
        Get,
        "/charges",
        "The charges, newest first, in pages",
        &[200, 400],
    )
    .gives("Charges"),
    route(
        Get,
        "/charges/{id}",
        "A charge with its state now",
        &[200, 404],
    )
    .gives("Charge"),
    route(
        Post,
        "/charges/{id}/refunds",
        "Gives a charge back, once for each key",
        &[201, 400, 403, 404, 409, 410, 415, 422, 502],
    )
    .gives("Refund")
    .keyed(),
    route(Get, "/orders/{id}", "An order and its ETag", &[200, 404]).gives("Order"),
    route(
        Patch,
        "/orders/{id}",
        "Adds to an order, if it has the version of If-Match",
        &[200, 400, 403, 412, 415, 422, 428],
    )
    .takes("Added")
    .gives("Order")
    .keyed(),
    route(
        Put,
        "/orders/{id}/status",
        "Sets the status of an order",
        &[200, 400, 403, 415, 422],
    )
    .takes("Wanted")
    .gives("Order"),
    route(Get, "/queue", "The last messages", &[200]).gives("Messages"),
    route(
        Post,
        "/queue",
        "Sends a message, which is delivered at least once",
        &[202, 400, 403, 415, 422],
    )
    .takes("Sent")
    .gives("Queued"),
    route(
        Get,
        "/lab/faults",
        "What the next attempts will meet",
        &[200],
    )
    .gives("Faults"),
    route(
        Post,
        "/lab/faults",
        "Queues faults, one for each attempt",
        &[200, 400, 415, 422],
    )
    .takes("Faults")
    .gives("Faults"),
    route(Delete, "/lab/faults", "Clears the queue of faults", &[204]),
    route(
        Post,
        "/lab/clock",
        "Moves the clock of the sandbox forward",
        &[200, 400, 415, 422],
    )
    .takes("Advance")
    .gives("Clock"),
    route(Get, "/lab/settings", "The settings in effect", &[200]).gives("Settings"),
    route(
        Patch,
        "/lab/settings",
        "Changes settings",
        &[200, 400, 415, 422],
    )
    .takes("Settings")
    .gives("Settings"),
    route(
        Post,
        "/lab/pods/{pod}/restart",
        "Restarts a pod",
        &[204, 422],
    ),
    route(
        Get,
        "/lab/ledger",
        "What the card processor really did",
        &[200],
    )
    .gives("Ledger"),
    route(Get, "/lab/keys", "The key records as stored", &[200]).gives("Keys"),
    route(
        Get,
        "/lab/settlement",
        "Intended payments against the ledger, as JSON or CSV",
        &[200, 400],
    )
    .gives("Settlement"),
    route(
        Get,
        "/lab/trace",
        "The live trace, as server-sent events",
        &[200, 400],
    ),
    route(Post, "/lab/reset", "Empties the sandbox", &[204]),
    route(Get, "/healthz", "The process runs", &[200]).free(),
    route(Get, "/readyz", "The store answers", &[200, 503]).free(),
    route(Get, "/metrics", "Counters, as OpenMetrics text", &[200]).free(),
    route(Get, "/api/openapi.json", "This description", &[200]).free(),
];

macro_rules! schemas {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Serialize, ToSchema)]
            struct $name { $($(#[$field_doc])* $field: $type,)* }
        )*

        fn components() -> ComponentsBuilder {
            ComponentsBuilder::new()
                $(.schema(stringify!($name), <$name as PartialSchema>::schema()))*
        }
    };
}

schemas! {
    /// A sandbox with its bearer token.
    Sandbox {
        /// Its name.
        account: String,
        /// Send it as `Authorization: Bearer …`.
        token: String,
    }
    /// A charge that is wanted.
    NewCharge {
        /// A whole number of minor units, 1 to 99,999,999.
        amount: u32,
        /// An ISO 4217 code.
        currency: String,
        /// Up to 500 characters.
        description: Option<String>,
    }
    /// A charge.
    Charge {
        /// Its name: `ch_…`.
        id: String,
        /// In minor units.
        amount: u32,
        /// An ISO 4217 code.
        currency: String,
        /// `succeeded`, `declined` or `refunded`.
        status: String,
        /// RFC 3339.
        created: String,
        /// The client's words.
        description: Option<String>,
    }
    /// Money that was given back.
    Refund {
        /// Its name: `re_…`.
        id: String,
        /// Of which charge.
        charge: String,
        /// In minor units.
        amount: u32,
        /// An ISO 4217 code.
        currency: String,
        /// `succeeded`.
        status: String,
        /// RFC 3339.
        created: String,
    }
    /// An order.
    Order {
        /// The client's name for it.
        id: String,
        /// `new`, `paid`, `shipped` or `delivered`.
        status: String,
        /// Rises with each change; the ETag is `"v…"` with it.
        version: u64,
        /// In minor units.
        total: i64,
        /// How often something was sent off.
        parcels: u64,
    }
    /// A status that an order is to have.
    Wanted {
        /// `new`, `paid`, `shipped` or `delivered`.
        status: String,
    }
    /// What is to be added to an order.
    Added {
        /// In minor units.
        add: i64,
    }
    /// A message for the queue.
    Sent {
        /// The sender's name for it.
        id: String,
        /// The order that it is about.
        order: String,
        /// What is to be added to its total, in minor units.
        add: i64,
        /// For learning: the first deliveries whose acknowledgement gets lost.
        lost_acks: Option<u32>,
        /// For learning: in the first delivery the consumer dies after the effect.
        crash_after_effect: Option<bool>,
    }
    /// Charges, newest first.
    Charges {
        /// At most as many as were asked for.
        data: Vec<Charge>,
        /// The charge after which the next page begins; null on the last one.
        next: Option<String>,
    }
    /// A message that was taken.
    Queued {
        /// The sender's name for it.
        id: String,
        /// `queued`.
        state: String,
    }
    /// The last messages.
    Messages {
        /// Newest first.
        messages: Vec<Message>,
    }
    /// A message of the queue.
    Message {
        /// The sender's name for it.
        id: String,
        /// The order that it is about.
        order: String,
        /// What is to be added to its total, in minor units.
        add: i64,
        /// How often it was delivered.
        deliveries: u32,
        /// It was acknowledged.
        done: bool,
        /// The first deliveries whose acknowledgement gets lost.
        lost_acks: u32,
        /// In the first delivery the consumer dies after the effect.
        crash_after_effect: bool,
    }
    /// Faults, one for each attempt that arrives.
    Faults {
        /// In the order in which attempts will meet them.
        next: Vec<Fault>,
    }
    /// What one attempt meets.
    Fault {
        /// `none`, `lose_request`, `lose_reply`, `slow`, `processor_500`,
        /// `processor_503`, `processor_429`, `declined`, `crash_before_charge`,
        /// `crash_after_charge` or `crash_before_save`.
        fault: String,
        /// For `slow`: how much later the processor answers, up to 60,000.
        ms: Option<u64>,
    }
    /// How far a clock is to be moved.
    Advance {
        /// In ms.
        advance_ms: u64,
    }
    /// Where a clock stands.
    Clock {
        /// How far it is ahead of the server's in all, in ms.
        ahead_ms: u64,
        /// Now, in ms since the Unix epoch.
        now: u64,
    }
    /// The settings of a sandbox. An answer gives all of them; a change names some,
    /// and null goes back to the default.
    Settings {
        /// `require`, `allow`, `grace` or `fingerprint`.
        keyless: Option<String>,
        /// RFC 3339: since when charges without a key are deprecated.
        grace_from: Option<String>,
        /// RFC 3339: until when they are let through.
        grace_until: Option<String>,
        /// For how long equal requests without a key are one.
        window_ms: Option<u64>,
        /// How long a claim holds without a sign of life.
        lease_ms: Option<u64>,
        /// How long a key replays its answer.
        retention_ms: Option<u64>,
        /// How much longer an expired key is still known.
        tombstone_ms: Option<u64>,
        /// How long the connection of a lost message is held.
        hold_ms: Option<u64>,
        /// Stuck records of a processor without keys are settled by its books.
        sweeper: Option<bool>,
        /// `shared` or `pod_memory`.
        store: Option<String>,
        /// 1 to 8.
        pods: Option<u32>,
        /// `set` or `step`.
        order_status: Option<String>,
        /// `if_match` or `blind`.
        order_patch: Option<String>,
        /// `same_transaction`, `separate` or `blind`.
        consumer: Option<String>,
        /// `unique_insert` or `lookup_then_insert`.
        claim: Option<String>,
        /// A claim ends by itself when its owner is gone.
        lease: Option<bool>,
        /// A living owner renews its lease.
        heartbeat: Option<bool>,
        /// A late owner's writes fail.
        fencing: Option<bool>,
        /// The processor takes a key and charges once for it.
        processor_keys: Option<bool>,
        /// The same key with another body is refused.
        fingerprint: Option<bool>,
        /// Keys are unique together with the customer.
        account_scope: Option<bool>,
        /// `refuse` or `accept`.
        expired: Option<String>,
    }
    /// The card processor's books.
    Ledger {
        /// Money that was taken.
        charges: Vec<LedgerEntry>,
        /// Cards that were declined.
        declined: Vec<LedgerEntry>,
        /// Money that was given back.
        refunds: Vec<LedgerEntry>,
    }
    /// One line of the books.
    LedgerEntry {
        /// The charge or the refund.
        id: String,
        /// In minor units.
        amount: u32,
        /// An ISO 4217 code.
        currency: String,
        /// The key that the processor was handed.
        processor_key: Option<String>,
        /// Of which charge.
        refund_of: Option<String>,
        /// In ms since the Unix epoch.
        at: u64,
    }
    /// The last key records.
    Keys {
        /// Now, by the sandbox's clock, in ms since the Unix epoch.
        now: u64,
        /// The last claimed first.
        keys: Vec<KeyRecord>,
    }
    /// A key record as stored.
    KeyRecord {
        /// The key in its scope.
        key: String,
        /// `running`, `released`, `done` or `tombstone`.
        state: String,
        /// The recovery point: `claimed` or `asked`.
        point: String,
        /// The fencing token.
        token: u32,
        /// What is left of the lease.
        lease_left_ms: Option<u64>,
        /// The status that a replay has.
        status: Option<u16>,
        /// The charge or refund that a replay speaks of.
        charge: Option<String>,
        /// SHA-256, in hex.
        fingerprint: String,
        /// In ms since the Unix epoch, by the sandbox's clock.
        claimed_at: u64,
        /// The same: when its retention is over.
        expires_at: u64,
        /// Its retention is over.
        expired: bool,
    }
    /// Intended payments against the ledger.
    Settlement {
        /// No duplicate, nothing missing, nothing orphaned.
        clean: bool,
        /// How many there are of each.
        totals: Totals,
        /// Each payment.
        payments: Vec<Payment>,
    }
    /// Counts of payments.
    Totals {
        /// Payments that were meant.
        intended: u64,
        /// Times that money was taken.
        taken: u64,
        /// Meant once, taken once, and our books say so.
        settled: u64,
        /// The card was declined.
        declined: u64,
        /// Nothing is taken, and nobody was told that it is.
        pending: u64,
        /// Taken more than once.
        duplicates: u64,
        /// Told as paid, and not taken.
        missing: u64,
        /// Taken, and our books do not know of it.
        orphaned: u64,
    }
    /// One payment.
    Payment {
        /// The client's name for it, or its key.
        intent: String,
        /// In minor units.
        amount: Option<u32>,
        /// An ISO 4217 code.
        currency: Option<String>,
        /// `settled`, `declined`, `pending`, `duplicate`, `missing` or `orphaned`.
        verdict: String,
        /// What the client was told.
        told_status: Option<u16>,
        /// The charge that it was told of.
        told_charge: Option<String>,
        /// The charges in the ledger.
        taken: Vec<String>,
    }
    /// One event of the live trace, as its `data`.
    LiveFact {
        /// Its number, which is the event's id as well.
        id: u64,
        /// The request id of the attempt.
        request: String,
        /// In ms since the Unix epoch.
        at: u64,
    }
    /// An error, RFC 9457.
    Problem {
        /// Ends in a stable word, which is also a section of the reference.
        r#type: String,
        /// The same words for every problem of this kind.
        title: String,
        /// The status.
        status: u16,
        /// What a client should know about this one.
        detail: String,
        /// The charge that it speaks of.
        charge: Option<String>,
    }
}

/// The description of the service.
fn describe() -> OpenApi {
    let mut paths = PathsBuilder::new();
    for route in ROUTES {
        let mut operation = OperationBuilder::new().summary(Some(route.summary));
        if route.token {
            operation = operation.security(SecurityRequirement::new("token", [""; 0]));
        }
        for name in route.path.split(['{', '}']).skip(1).step_by(2) {
            operation = operation.parameter(
                ParameterBuilder::new()
                    .name(name)
                    .parameter_in(ParameterIn::Path)
                    .required(Required::True)
                    .schema(Some(String::schema())),
            );
        }
        if route.keyed {
            operation = operation.parameter(
                ParameterBuilder::new()
                    .name("Idempotency-Key")
                    .parameter_in(ParameterIn::Header)
                    .description(Some("1 to 255 bytes of visible ASCII, quoted or bare"))
                    .schema(Some(String::schema())),
            );
        }
        if let Some(schema) = route.takes {
            operation = operation.request_body(Some(
                RequestBodyBuilder::new()
                    .required(Some(Required::True))
                    .content("application/json", content(schema))
                    .build(),
            ));
        }
        let statuses: BTreeSet<u16> = route
            .statuses
            .iter()
            .copied()
            .chain(route.always())
            .collect();
        for status in statuses {
            let reason = axum::http::StatusCode::from_u16(status)
                .ok()
                .and_then(|status| status.canonical_reason())
                .unwrap_or_default();
            let mut response = ResponseBuilder::new().description(reason);
            match route.gives {
                _ if status >= 400 => {
                    response = response.content("application/problem+json", content("Problem"));
                }
                Some(schema) => response = response.content("application/json", content(schema)),
                None if route.path == "/lab/trace" => {
                    response = response.content("text/event-stream", content("LiveFact"));
                }
                None => {}
            }
            operation = operation.response(status.to_string(), response.build());
        }
        paths = paths.path(
            route.path,
            PathItem::new(route.method.clone(), operation.build()),
        );
    }
    let token = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Charge Once")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(
                    "A charge service that is safe to retry. The policy is at /api.",
                ))
                .build(),
        )
        .paths(paths.build())
        .components(Some(components().security_scheme("token", token).build()))
        .build()
}

fn content(schema: &str) -> utoipa::openapi::Content {
    ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(schema)))
        .build()
}

/// The handler.
pub(crate) async fn openapi() -> Json<OpenApi> {
    Json(describe())
}
