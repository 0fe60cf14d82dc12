//! Requests that are nearly right, and requests that are not at all.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A request as it goes over the wire. Its framing is right, whatever is in it.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(&'static str, Vec<u8>)>,
    pub body: Vec<u8>,
    pub chunked: bool,
}

impl Request {
    /// Whether its address is one: what is in the headers always is.
    pub fn is_http(&self, charge: &str) -> bool {
        let path = self.path.replace("{charge}", charge);
        path.parse::<axum::http::uri::PathAndQuery>().is_ok()
    }

    /// Its bytes. `{token}` in a header stands for the token, `{charge}` in the path
    /// for the id of a charge.
    pub fn bytes(&self, token: &str, charge: &str) -> Vec<u8> {
        let path = self.path.replace("{charge}", charge);
        let mut bytes = format!("{} {path} HTTP/1.1\r\nHost: x\r\n", self.method).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend(name.as_bytes());
            bytes.extend(b": ");
            match value.strip_suffix(b"{token}") {
                Some(before) => {
                    bytes.extend(before);
                    bytes.extend(token.as_bytes());
                }
                None => bytes.extend(value),
            }
            bytes.extend(b"\r\n");
        }
        if self.chunked {
            bytes.extend(b"Transfer-Encoding: chunked\r\n\r\n");
            for chunk in self.body.chunks(self.body.len().div_ceil(2).max(1)) {
                bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
                bytes.extend(chunk);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\n\r\n");
        } else {
            bytes.extend(format!("Content-Length: {}\r\n\r\n", self.body.len()).into_bytes());
            bytes.extend(&self.body);
        }
        bytes
    }
}

/// Pieces that mean something to one of the parsers.
const PIECES: &[&str] = &[
    "\"",
    "\\",
    ",",
    ";",
    "=",
    " ",
    "\t",
    "k",
    "k-7f3",
    "a b",
    "é",
    "\u{2028}",
    "wait",
    "wait=",
    "5",
    "-1",
    "1e9",
    "99999999999999999999",
    "respond-async",
    ":",
    "?1",
    "*",
    "(",
    ")",
    "\"a\"",
    "tok_",
    "Bearer",
    "W/",
    "\"v1\"",
    "../",
    "%00",
    "%ff",
    "'",
    "<",
    "&",
    "\u{7f}",
];

/// A text that a header may carry: no line ends, no control characters but the tab.
pub fn header_value() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![0x20_u8..=0x7e, 0x80_u8..=0xff, Just(b'\t')];
    prop_oneof![
        2 => vec(byte, 0..40),
        4 => vec(select(PIECES), 0..6).prop_map(|all| all.concat().into_bytes()),
        1 => (250_usize..260).prop_map(|length| vec![b'k'; length]),
        1 => (120_usize..130).prop_map(|length| "é".repeat(length).into_bytes()),
        1 => Just(Vec::new()),
    ]
    .prop_map(|mut bytes| {
        bytes.retain(|byte| *byte == b'\t' || (*byte >= 0x20 && *byte != 0x7f));
        bytes
    })
}

/// Keys: a few good ones that come again, and whatever a header may carry.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => (0_u8..6).prop_map(|n| format!("key-{n}").into_bytes()),
        2 => (0_u8..6).prop_map(|n| format!("\"key-{n}\"").into_bytes()),
        1 => "[!-~]{1,12}".prop_map(String::into_bytes),
        4 => header_value(),
    ]
}

const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    " ",
    "\n",
    "\"amount\"",
    "\"currency\"",
    "\"description\"",
    "\"usd\"",
    "\"EUR\"",
    "\"\"",
    "\"next\"",
    "\"fault\"",
    "\"none\"",
    "\"advance_ms\"",
    "\"add\"",
    "\"status\"",
    "\"paid\"",
    "\"id\"",
    "\"order\"",
    "4000",
    "0",
    "-0",
    "1e999",
    "1E-7",
    "4000.0",
    "0.1",
    "9007199254740993",
    "-9007199254740993",
    "00",
    "+1",
    "nan",
    "null",
    "true",
    "false",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "\"\u{7f}\"",
    "\\",
    "\u{feff}",
    "//",
    "'a'",
];

/// Numbers as bodies spell them.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => (1_u32..=99_999_999).prop_map(|n| n.to_string()),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => any::<f64>().prop_map(|n| format!("{n:e}")),
        1 => any::<f64>().prop_map(|n| n.to_string()),
        1 => (1_u32..1000).prop_map(|n| format!("{n}.0e1")),
        1 => select(TOKENS).prop_map(str::to_owned),
    ]
}

/// A charge that is nearly right.
fn charge() -> impl Strategy<Value = String> {
    let currency = prop_oneof![
        4 => select(&["usd", "EUR", "jpy", "gbp"][..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let more = prop_oneof![
        4 => Just(String::new()),
        1 => any::<String>().prop_map(|text| {
            let text = serde_json::Value::from(text);
            format!(",\"description\":{text}")
        }),
        1 => (495_usize..505).prop_map(|n| format!(",\"description\":\"{}\"", "é".repeat(n))),
        1 => (any::<String>(), number()).prop_map(|(name, n)| {
            format!(",{}:{n}", serde_json::Value::from(name))
        }),
        1 => Just(String::from(",\"amount\":1")),
    ];
    (number(), currency, more).prop_map(|(amount, currency, more)| {
        let currency = serde_json::Value::from(currency);
        format!("{{\"amount\":{amount},\"currency\":{currency}{more}}}")
    })
}

/// A body of any kind.
pub fn body() -> impl Strategy<Value = Vec<u8>> {
    let plain = Just(br#"{"amount":4000,"currency":"usd"}"#.to_vec());
    let broken =
        (charge(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(text, at, to)| {
            let mut bytes = text.into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = to;
            bytes
        });
    let cut = (charge(), any::<prop::sample::Index>()).prop_map(|(text, at)| {
        let mut bytes = text.into_bytes();
        bytes.truncate(at.index(bytes.len()));
        bytes
    });
    let deep = (1_usize..400, select(&["[", "{\"a\":"][..]))
        .prop_map(|(depth, open)| open.repeat(depth).into_bytes());
    prop_oneof![
        3 => plain,
        8 => charge().prop_map(String::into_bytes),
        4 => broken,
        2 => cut,
        4 => vec(select(TOKENS), 0..24).prop_map(|all| all.concat().into_bytes()),
        2 => vec(any::<u8>(), 0..80),
        1 => deep,
    ]
}

fn authorization() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        12 => Just(b"Bearer {token}".to_vec()),
        1 => Just(b"bearer {token}".to_vec()),
        1 => Just(b"Basic {token}".to_vec()),
        2 => header_value(),
    ]
}

fn content_type() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        10 => Just(b"application/json".to_vec()),
        1 => Just(b"Application/JSON; charset=utf-8".to_vec()),
        1 => Just(b"application/problem+json".to_vec()),
        1 => Just(b"text/plain".to_vec()),
        2 => header_value(),
    ]
}

/// Headers that some part of the service reads.
fn other_headers() -> impl Strategy<Value = Vec<(&'static str, Vec<u8>)>> {
    const NAMES: &[&str] = &[
        "Prefer",
        "X-Request-Id",
        "X-Lab-User",
        "X-Lab-Intent",
        "X-Lab-Pod",
        "If-Match",
        "Accept",
        "Accept-Encoding",
        "Last-Event-ID",
        "Content-Language",
        "Traceparent",
        "Idempotency-Key",
    ];
    prop_oneof![
        3 => Just(Vec::new()),
        1 => vec((select(NAMES), header_value()), 1..4),
    ]
}

/// Charges and refunds: what stores something when it is right.
fn paying() -> impl Strategy<Value = (String, String)> {
    let path = prop_oneof![
        16 => Just(String::from("/charges")),
        2 => Just(String::from("/charges/{charge}/refunds")),
        1 => Just(String::from("/charges?x=1&y=%ff")),
        1 => "[!-~&&[^?#{} ]]{0,12}".prop_map(|id| format!("/charges/{id}/refunds")),
    ];
    path.prop_map(|path| (String::from("POST"), path))
}

/// Everything else. Nothing of it changes what a charge does: no valid setting and
/// no valid fault but `none` comes out of the tokens.
fn elsewhere() -> impl Strategy<Value = (String, String)> {
    const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "FETCH"];
    const PATHS: &[&str] = &[
        "/charges",
        "/charges/{charge}",
        "/charges/",
        "/orders/o-1",
        "/orders/o-1/status",
        "/queue",
        "/lab/faults",
        "/lab/clock",
        "/lab/settings",
        "/lab/ledger",
        "/lab/keys",
        "/lab/settlement",
        "/lab/pods/1/restart",
        "/lab/nothing",
        "/sandboxes/x",
        "/healthz",
        "/api/openapi.json",
        "/nothing",
    ];
    let query = prop_oneof![
        3 => Just(String::new()),
        1 => "\\?(limit|after|format)=[!-~&&[^#{}]]{0,12}",
        1 => "\\?[!-~&&[^#{}]]{0,20}",
    ];
    (select(METHODS), select(PATHS), query)
        .prop_map(|(method, path, query)| (method.to_owned(), format!("{path}{query}")))
}

/// A request of any kind.
pub fn request() -> impl Strategy<Value = Request> {
    let target = prop_oneof![6 => paying(), 2 => elsewhere()];
    let key = prop_oneof![
        12 => key().prop_map(Some),
        1 => Just(None),
    ];
    let big = prop_oneof![
        400 => Just(0_usize),
        1 => 60_000_usize..70_000,
    ];
    (
        target,
        authorization(),
        key,
        content_type(),
        other_headers(),
        body(),
        prop::bool::weighted(0.05),
        big,
    )
        .prop_map(
            |((method, path), authorization, key, kind, other, mut body, chunked, big)| {
                let mut headers = vec![("Authorization", authorization), ("Content-Type", kind)];
                headers.extend(key.map(|key| ("Idempotency-Key", key)));
                headers.extend(other);
                body.extend(vec![b' '; big]);
                Request {
                    method,
                    path,
                    headers,
                    body,
                    chunked,
                }
            },
        )
}

/// What is done to the bytes of a request.
#[derive(Clone, Debug)]
pub enum Damage {
    Cut(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Twice(prop::sample::Index, prop::sample::Index),
    Replace(Vec<u8>),
}

pub fn damage() -> impl Strategy<Value = Damage> {
    const INTO: &[&[u8]] = &[
        b"\0",
        b"\r",
        b"\n",
        b"\r\n",
        b"\r\n\r\n",
        b" ",
        b"Content-Length: 5\r\n",
        b"Content-Length: -1\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Expect: 100-continue\r\n",
        b"Connection: upgrade\r\nUpgrade: h2c\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ];
    let index = any::<prop::sample::Index>;
    prop_oneof![
        index().prop_map(Damage::Cut),
        (index(), any::<u8>()).prop_map(|(at, to)| Damage::Flip(at, to)),
        (index(), select(INTO)).prop_map(|(at, what)| Damage::Insert(at, what.to_vec())),
        (index(), vec(any::<u8>(), 1..20)).prop_map(|(at, what)| Damage::Insert(at, what)),
        (index(), index()).prop_map(|(from, to)| Damage::Twice(from, to)),
        vec(any::<u8>(), 0..200).prop_map(Damage::Replace),
    ]
}

impl Damage {
    pub fn to(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        let at = |index: &prop::sample::Index| match length {
            0 => 0,
            length => index.index(length),
        };
        match self {
            Self::Cut(to) => bytes.truncate(at(to)),
            Self::Flip(index, to) => {
                if let Some(byte) = bytes.get_mut(at(index)) {
                    *byte = *to;
                }
            }
            Self::Insert(index, what) => {
                let at = at(index);
                bytes.splice(at..at, what.iter().copied());
            }
            Self::Twice(from, to) => {
                let (from, to) = (at(from).min(at(to)), at(from).max(at(to)));
                let piece = bytes[from..to].to_vec();
                bytes.splice(to..to, piece);
            }
            Self::Replace(with) => *bytes = with.clone(),
        }
    }
}
