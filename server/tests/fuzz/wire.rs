//! A connection that takes several requests at once and tells their answers apart.

use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::mpsc;

/// An answer, as far as it is looked at.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub replayed: bool,
    pub closes: bool,
    pub body: Vec<u8>,
}

pub struct Connection {
    stream: BufReader<OwnedReadHalf>,
    /// Writes beside the reading: neither waits for the other's buffers.
    write: mpsc::UnboundedSender<Vec<u8>>,
    since: Instant,
}

impl Connection {
    pub async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (from, mut to) = stream.into_split();
        let (write, mut waiting) = mpsc::unbounded_channel::<Vec<u8>>();
        tokio::spawn(async move {
            while let Some(bytes) = waiting.recv().await {
                // A server that closes may not read to the end.
                if to.write_all(&bytes).await.is_err() {
                    break;
                }
            }
        });
        Self {
            stream: BufReader::new(from),
            write,
            since: Instant::now(),
        }
    }

    pub fn send(&mut self, bytes: Vec<u8>) {
        self.since = Instant::now();
        let _ = self.write.send(bytes);
    }

    /// How long ago something was sent, and how the connection ended.
    pub async fn epitaph(&mut self) -> String {
        let end = self.stream.read_u8().await;
        format!("{end:?}, {:?} after it was sent", self.since.elapsed())
    }

    /// The next answer, or `None` when the connection ended before one.
    pub async fn answer(&mut self) -> Option<Answer> {
        loop {
            let head = self.head().await?;
            let mut lines = head.lines();
            let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
            if (100..200).contains(&status) {
                continue;
            }
            let mut answer = Answer {
                status,
                replayed: false,
                closes: false,
                body: Vec::new(),
            };
            let (mut length, mut chunked) = (0, false);
            for line in lines {
                let (name, value) = line.split_once(": ").unwrap_or((line, ""));
                match name {
                    "content-length" => length = value.parse().ok()?,
                    "transfer-encoding" => chunked = true,
                    "connection" => answer.closes = value == "close",
                    "idempotency-replayed" => answer.replayed = true,
                    _ => {}
                }
            }
            if chunked {
                answer.body = self.chunks().await?;
            } else if status != 204 && status != 304 {
                answer.body = vec![0; length];
                self.stream.read_exact(&mut answer.body).await.ok()?;
            }
            return Some(answer);
        }
    }

    async fn head(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.stream.read_u8().await.ok()?);
        }
        String::from_utf8(head).ok()
    }

    async fn chunks(&mut self) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut line = Vec::new();
            while !line.ends_with(b"\r\n") {
                line.push(self.stream.read_u8().await.ok()?);
            }
            let size = std::str::from_utf8(&line).ok()?.trim();
            let size = usize::from_str_radix(size, 16).ok()?;
            let mut chunk = vec![0; size + 2];
            self.stream.read_exact(&mut chunk).await.ok()?;
            if size == 0 {
                return Some(body);
            }
            body.extend(&chunk[..size]);
        }
    }
}
