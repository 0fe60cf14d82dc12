//! `GET /api/openapi.json`: the service for programs.

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
/// that all of them can: 401, 408, 413, 429, 500, 503.
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
    ),
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
    route(Get, "/queue", "The last messages", &[200]),
    route(
        Post,
        "/queue",
        "Sends a message, which is delivered at least once",
        &[202, 400, 403, 415, 422],
    )
    .takes("Sent"),
    route(
        Get,
        "/lab/faults",
        "What the next attempts will meet",
        &[200],
    ),
    route(
        Post,
        "/lab/faults",
        "Queues faults, one for each attempt",
        &[200, 400, 415, 422],
    ),
    route(Delete, "/lab/faults", "Clears the queue of faults", &[204]),
    route(
        Post,
        "/lab/clock",
        "Moves the clock of the sandbox forward",
        &[200, 400, 415, 422],
    ),
    route(Get, "/lab/settings", "The settings in effect", &[200]),
    route(
        Patch,
        "/lab/settings",
        "Changes settings",
        &[200, 400, 415, 422],
    ),
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
    ),
    route(Get, "/lab/keys", "The key records as stored", &[200]),
    route(
        Get,
        "/lab/settlement",
        "Intended payments against the ledger, as JSON or CSV",
        &[200, 400],
    ),
    route(
        Get,
        "/lab/trace",
        "The live trace, as server-sent events",
        &[200, 400],
    ),
    route(Post, "/lab/reset", "Empties the sandbox", &[204]),
    route(Get, "/healthz", "The process runs", &[200]).open(),
    route(Get, "/readyz", "The store answers", &[200]).open(),
    route(Get, "/metrics", "Counters, as OpenMetrics text", &[200]).open(),
    route(Get, "/api/openapi.json", "This description", &[200]).open(),
];

/// Statuses that every route can answer with.
const ALWAYS: [u16; 6] = [401, 408, 413, 429, 500, 503];

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
        let always = ALWAYS.iter().filter(|_| route.token);
        for status in route.statuses.iter().chain(always) {
            let reason = axum::http::StatusCode::from_u16(*status)
                .ok()
                .and_then(|status| status.canonical_reason())
                .unwrap_or_default();
            let mut response = ResponseBuilder::new().description(reason);
            match route.gives {
                _ if *status >= 400 => {
                    response = response.content("application/problem+json", content("Problem"));
                }
                Some(schema) => response = response.content("application/json", content(schema)),
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
