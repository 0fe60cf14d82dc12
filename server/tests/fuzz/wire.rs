//! A connection that takes several requests at once and tells their answers apart.

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// An answer, as far as it is looked at.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub replayed: bool,
    pub closes: bool,
    pub body: Vec<u8>,
}

pub struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream: BufReader::new(stream),
        }
    }

    pub async fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes).await
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
