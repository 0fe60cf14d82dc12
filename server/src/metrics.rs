//! What is counted, and `GET /metrics`.

use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The content type of what [`Metrics::text`] gives.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper ends of the latency's buckets, in seconds: from a replay out of the
/// cache to the longest wait that is granted.
const BUCKETS: [f64; 13] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

type Label = [(&'static str, &'static str); 1];
type Counters = Family<Label, Counter>;

/// The counters of this process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Counters,
    seconds: Histogram,
    takeovers: Counter,
    released: Counter,
    deleted: Counters,
    swept: Counters,
    streams: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let (requests, deleted, swept) = (
            Counters::default(),
            Counters::default(),
            Counters::default(),
        );
        let (takeovers, released, streams) =
            (Counter::default(), Counter::default(), Gauge::default());
        let seconds = Histogram::new(BUCKETS);
        let mut registry = Registry::with_prefix("charge_once");
        registry.register(
            "requests",
            "Charges and refunds that were asked for, by how they ended",
            requests.clone(),
        );
        registry.register(
            "request_seconds",
            "From the head of such a request to its reply",
            seconds.clone(),
        );
        registry.register(
            "takeovers",
            "Keys taken over from an owner that was gone",
            takeovers.clone(),
        );
        registry.register(
            "released",
            "Keys given back without a final answer",
            released.clone(),
        );
        registry.register(
            "deleted",
            "Rows and sandboxes whose time was over",
            deleted.clone(),
        );
        registry.register(
            "swept",
            "Stuck keys settled by asking the processor, by what it said",
            swept.clone(),
        );
        registry.register("streams", "Live traces that are open", streams.clone());
        Self {
            registry,
            requests,
            seconds,
            takeovers,
            released,
            deleted,
            swept,
            streams,
        }
    }
}

impl Metrics {
    /// A request ended with this outcome.
    pub fn request(&self, outcome: &'static str) {
        self.requests.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// A request took this long.
    pub fn took(&self, time: Duration) {
        self.seconds.observe(time.as_secs_f64());
    }

    /// A key was taken over.
    pub fn takeover(&self) {
        self.takeovers.inc();
    }

    /// A key was given back.
    pub fn released(&self) {
        self.released.inc();
    }

    /// So many of these are gone.
    pub fn deleted(&self, what: &'static str, count: u64) {
        if count > 0 {
            self.deleted.get_or_create(&[("what", what)]).inc_by(count);
        }
    }

    /// A stuck key was settled.
    pub fn swept(&self, how: &'static str) {
        self.swept.get_or_create(&[("how", how)]).inc();
    }

    /// Counts an open stream for as long as the value lives.
    #[must_use]
    pub fn stream(&self) -> OpenStream {
        self.streams.inc();
        OpenStream(self.streams.clone())
    }

    /// All of it as OpenMetrics text, which Prometheus reads.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// An open stream.
#[derive(Debug)]
pub struct OpenStream(Gauge);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.dec();
    }
}
