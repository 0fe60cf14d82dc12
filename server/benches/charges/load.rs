//! Load over plain connections: requests made beforehand as far as they can be, and
//! replies read only as far as needed, so that the client costs little.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Failure;

/// Which key the request with this number carries; `None` for none.
pub(crate) type Keys = Arc<dyn Fn(u64) -> Option<String> + Send + Sync>;

/// What is sent.
#[derive(Clone)]
pub(crate) struct Load {
    /// Of the server: `127.0.0.1:3000`.
    pub(crate) address: String,
    /// Of the sandbox.
    pub(crate) token: String,
    /// The keys.
    pub(crate) keys: Keys,
    /// Connections, each with one request at a time.
    pub(crate) connections: usize,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// So long after the start.
    Time(Duration),
    /// After so many requests.
    Count(u64),
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// How long each request took, in µs, sorted.
    pub(crate) micros: Vec<u32>,
    /// 201s that were not replays.
    pub(crate) made: u64,
    /// Replays.
    pub(crate) replayed: u64,
    /// 409s.
    pub(crate) running: u64,
    /// From the first request to the last reply.
    pub(crate) took: Duration,
}

impl Outcome {
    /// Requests a second.
    pub(crate) fn rate(&self) -> f64 {
        self.micros.len() as f64 / self.took.as_secs_f64()
    }

    /// The time that so large a share of the requests stayed under, in ms.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let last = self.micros.len().saturating_sub(1);
        let at = (last as f64 * share).round() as usize;
        self.micros
            .get(at)
            .map_or(f64::NAN, |&micros| f64::from(micros) / 1e3)
    }
}

impl Load {
    /// Sends until it is over.
    pub(crate) async fn run(&self, until: Until) -> Result<Outcome, Failure> {
        let mut streams = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            let stream = TcpStream::connect(&self.address).await?;
            stream.set_nodelay(true)?;
            streams.push(stream);
        }
        let next = Arc::new(AtomicU64::new(0));
        let start = Instant::now();
        let tasks: Vec<_> = streams
            .into_iter()
            .map(|stream| tokio::spawn(self.clone().one(stream, next.clone(), start, until)))
            .collect();
        let mut all = Outcome::default();
        for task in tasks {
            let one = task.await??;
            all.micros.extend(one.micros);
            all.made += one.made;
            all.replayed += one.replayed;
            all.running += one.running;
        }
        all.took = start.elapsed();
        all.micros.sort_unstable();
        Ok(all)
    }

    async fn one(
        self,
        mut stream: TcpStream,
        next: Arc<AtomicU64>,
        start: Instant,
        until: Until,
    ) -> Result<Outcome, Failure> {
        let mut mine = Outcome::default();
        let mut buffer = Vec::with_capacity(4096);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            match until {
                Until::Time(time) if start.elapsed() >= time => return Ok(mine),
                Until::Count(count) if number >= count => return Ok(mine),
                _ => {}
            }
            let request = request(&self.token, (self.keys)(number).as_deref());
            let sent = Instant::now();
            stream.write_all(request.as_bytes()).await?;
            let (status, replayed) = reply(&mut stream, &mut buffer).await?;
            let micros = u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX);
            mine.micros.push(micros);
            match (status, replayed) {
                (201, true) => mine.replayed += 1,
                (201, false) => mine.made += 1,
                (409, _) => mine.running += 1,
                (status, _) => {
                    let said = String::from_utf8_lossy(&buffer);
                    return Err(format!("the server answered {status}: {said}").into());
                }
            }
        }
    }
}

fn request(token: &str, key: Option<&str>) -> String {
    const BODY: &str = r#"{"amount":4000,"currency":"usd"}"#;
    let key = key.map_or_else(String::new, |key| format!("Idempotency-Key: {key}\r\n"));
    format!(
        "POST /charges HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n{key}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{BODY}",
        BODY.len()
    )
}

/// Reads one whole reply: its status, and whether it is a replay.
async fn reply(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<(u16, bool), Failure> {
    buffer.clear();
    loop {
        if let Some(head) = find(buffer, b"\r\n\r\n") {
            let text = std::str::from_utf8(&buffer[..head])?.to_ascii_lowercase();
            let length = text
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"))
                .ok_or("a reply has no length")?
                .trim()
                .parse::<usize>()?;
            let missing = (head + 4 + length).saturating_sub(buffer.len());
            if missing > 0 {
                let from = buffer.len();
                buffer.resize(from + missing, 0);
                stream.read_exact(&mut buffer[from..]).await?;
            }
            let status = text.get(9..12).ok_or("a reply has no status")?.parse()?;
            return Ok((status, text.contains("idempotency-replayed: true")));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Err("the server closed a connection".into());
        }
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|part| part == what)
}
