//! Clients that are slow, rude or gone: the server's own limits end what they began,
//! what was asked for completely is done all the same, and others notice nothing.
//!
//! The limits are those of the real service: 15 s for the head of a request, 10 s
//! for its body. These tests wait for them, side by side.

// Helpers outside of test functions fail the test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{ORDER, Sandbox, Service, client, exchange, until};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Far more than any limit: a test that gets here has failed.
const NEVER: Duration = Duration::from_secs(60);

async fn open(sandbox: &Sandbox) -> TcpStream {
    TcpStream::connect(&sandbox.address).await.unwrap()
}

/// Reads until the server closes.
async fn rest(stream: &mut TcpStream) -> String {
    let mut back = Vec::new();
    let read = stream.read_to_end(&mut back);
    // A reset is an end as well.
    let _ = tokio::time::timeout(NEVER, read)
        .await
        .expect("the server closes");
    String::from_utf8_lossy(&back).into_owned()
}

/// Sends bytes one by one, again and again, until the server has had enough.
async fn drip(stream: &mut TcpStream, bytes: &[u8]) -> String {
    let (mut from, mut to) = stream.split();
    let dripping = async {
        for byte in bytes.iter().cycle() {
            if to.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    let mut back = Vec::new();
    let reading = async {
        let _ = from.read_to_end(&mut back).await;
    };
    let one_of_them = async {
        tokio::select! {
            () = dripping => {}
            () = reading => {}
        }
    };
    tokio::time::timeout(NEVER, one_of_them)
        .await
        .expect("the server closes");
    String::from_utf8_lossy(&back).into_owned()
}

async fn keys(sandbox: &Sandbox) -> Vec<Value> {
    let keys = sandbox.get("/lab/keys").await;
    keys["keys"].as_array().unwrap().clone()
}

/// Nothing was stored and nothing charged, and the key is still new.
async fn untouched(sandbox: &Sandbox, key: &str) {
    assert!(sandbox.taken().await.is_empty());
    assert!(keys(sandbox).await.is_empty());
    let retry = sandbox.charge(key, ORDER).send().await.unwrap();
    assert_eq!(retry.status(), 201);
    assert!(!retry.headers().contains_key("idempotency-replayed"));
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn a_head_that_never_ends_is_cut_off() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let mut stream = open(&sandbox).await;
    stream
        .write_all(b"POST /charges HTTP/1.1\r\n")
        .await
        .unwrap();
    let back = drip(&mut stream, b"X-A: b\r\n").await;
    assert!(
        back.is_empty() || back.starts_with("HTTP/1.1 408"),
        "{back}"
    );
    untouched(&sandbox, "k").await;
}

#[tokio::test]
async fn a_body_that_drips_is_cut_off_and_stores_nothing() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let whole = sandbox.raw("k", &" ".repeat(2000));
    let (head, _) = whole.split_once("\r\n\r\n").unwrap();
    let mut stream = open(&sandbox).await;
    stream
        .write_all(format!("{head}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let back = drip(&mut stream, b" ").await;
    assert!(back.starts_with("HTTP/1.1 408"), "{back}");
    assert!(back.contains("request-timeout"), "{back}");
    assert!(back.to_lowercase().contains("connection: close"), "{back}");
    untouched(&sandbox, "k").await;
}

#[tokio::test]
async fn a_body_that_never_comes_is_not_waited_for() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let whole = sandbox.raw("k", ORDER);
    let (head, _) = whole.split_once("\r\n\r\n").unwrap();
    let asks = format!("{head}\r\nExpect: 100-continue\r\n\r\n");
    for head in [format!("{head}\r\n\r\n"), asks] {
        let mut stream = open(&sandbox).await;
        stream.write_all(head.as_bytes()).await.unwrap();
        let back = rest(&mut stream).await;
        let back = back.trim_start_matches("HTTP/1.1 100 Continue\r\n\r\n");
        assert!(back.starts_with("HTTP/1.1 408"), "{back}");
    }
    untouched(&sandbox, "k").await;
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let mut never_used = open(&sandbox).await;
    let mut used = open(&sandbox).await;
    used.write_all(sandbox.raw("k", ORDER).as_bytes())
        .await
        .unwrap();
    let (first, second) = tokio::join!(rest(&mut never_used), rest(&mut used));
    assert!(
        first.is_empty() || first.starts_with("HTTP/1.1 408"),
        "{first}"
    );
    assert!(second.starts_with("HTTP/1.1 201"), "{second}");
}

#[tokio::test]
async fn half_a_body_and_then_nothing_more_stores_nothing() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let whole = sandbox.raw("k", ORDER);
    for missing in [1, 10, ORDER.len()] {
        let mut stream = open(&sandbox).await;
        let sent = &whole.as_bytes()[..whole.len() - missing];
        stream.write_all(sent).await.unwrap();
        stream.shutdown().await.unwrap();
        let back = rest(&mut stream).await;
        assert!(back.is_empty() || back.starts_with("HTTP/1.1 4"), "{back}");
    }
    untouched(&sandbox, "k").await;
}

/// Ends a connection, orderly or not.
fn hang_up(stream: TcpStream, rudely: bool) {
    if rudely {
        // A reset instead of an orderly end.
        stream.set_zero_linger().unwrap();
    }
    drop(stream);
}

#[tokio::test]
async fn who_hangs_up_before_the_request_is_complete_has_asked_for_nothing() {
    let service = Service::start().await;
    for rudely in [false, true] {
        let sandbox = service.sandbox().await;
        let whole = sandbox.raw("k", ORDER);
        let head = whole.find("\r\n\r\n").unwrap() + 4;
        for sent in [0, 1, 20, head - 2, head, head + 1, whole.len() - 1] {
            let mut stream = open(&sandbox).await;
            stream.write_all(&whole.as_bytes()[..sent]).await.unwrap();
            hang_up(stream, rudely);
        }
        // The server has seen them all: this one came after them.
        untouched(&sandbox, "k").await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(keys(&sandbox).await.len(), 1);
    }
}

#[tokio::test]
async fn who_hangs_up_while_the_processor_works_gets_the_answer_later() {
    let service = Service::start().await;
    for rudely in [false, true] {
        let sandbox = service.sandbox().await;
        sandbox.faults(json!([{"fault":"slow","ms":800}])).await;
        let mut stream = open(&sandbox).await;
        stream
            .write_all(sandbox.raw("k", ORDER).as_bytes())
            .await
            .unwrap();
        until("the money is taken", || async {
            !sandbox.taken().await.is_empty()
        })
        .await;
        hang_up(stream, rudely);
        let early = sandbox.charge("k", ORDER).send().await.unwrap();
        assert_eq!(early.status(), 409);
        until("it is done", || async {
            keys(&sandbox).await[0]["state"] == "done"
        })
        .await;
        let retry = sandbox.charge("k", ORDER).send().await.unwrap();
        assert_eq!(retry.headers()["idempotency-replayed"], "true");
        assert_eq!(sandbox.taken().await, [4000]);
    }
}

#[tokio::test]
async fn who_hangs_up_while_the_reply_is_held_gets_the_answer_later() {
    let service = Service::start().await;
    for rudely in [false, true] {
        let sandbox = service.sandbox().await;
        sandbox.settings(json!({"hold_ms": 60_000})).await;
        sandbox.faults(json!([{"fault":"lose_reply"}])).await;
        let mut stream = open(&sandbox).await;
        stream
            .write_all(sandbox.raw("k", ORDER).as_bytes())
            .await
            .unwrap();
        until("it is done", || async {
            keys(&sandbox)
                .await
                .iter()
                .any(|key| key["state"] == "done")
        })
        .await;
        hang_up(stream, rudely);
        let retry = sandbox.charge("k", ORDER).send().await.unwrap();
        assert_eq!(retry.headers()["idempotency-replayed"], "true");
        assert_eq!(sandbox.taken().await, [4000]);
    }
}

#[tokio::test]
async fn who_hangs_up_while_waiting_for_another_takes_nothing_with_it() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    sandbox.faults(json!([{"fault":"slow","ms":1200}])).await;
    let first = tokio::spawn(sandbox.charge("k", ORDER).send());
    until("the money is taken", || async {
        !sandbox.taken().await.is_empty()
    })
    .await;
    let waiting = sandbox
        .raw("k", ORDER)
        .replace("Host: x", "Host: x\r\nPrefer: wait=10");
    for rudely in [false, true] {
        let mut stream = open(&sandbox).await;
        stream.write_all(waiting.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        hang_up(stream, rudely);
    }
    assert_eq!(first.await.unwrap().unwrap().status(), 201);
    let retry = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(retry.headers()["idempotency-replayed"], "true");
    assert_eq!(sandbox.taken().await, [4000]);
}

/// Statuses of all answers in what came back.
fn statuses(back: &str) -> Vec<&str> {
    let heads = back.split("HTTP/1.1 ").skip(1);
    heads
        .map(|head| head.get(..3).unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn requests_that_come_together_are_answered_in_their_order() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let last = sandbox
        .raw("b", ORDER)
        .replace("Host: x", "Host: x\r\nConnection: close");
    let bytes = [
        sandbox.raw("a", ORDER),
        sandbox.raw("a", ORDER),
        sandbox.raw("a b", ORDER),
        sandbox.raw("a", r#"{"amount":1,"currency":"usd"}"#),
        sandbox.raw("c", "{"),
        last,
    ];
    let back = exchange(&sandbox.address, bytes.concat().as_bytes()).await;
    let back = String::from_utf8(back).unwrap();
    assert_eq!(
        statuses(&back),
        ["201", "201", "400", "422", "400", "201"],
        "{back}"
    );
    assert_eq!(
        back.matches("idempotency-replayed: true").count(),
        1,
        "{back}"
    );
    assert_eq!(sandbox.taken().await, [4000, 4000]);
}

/// The same request with its body in chunks.
fn chunked(request: &str, chunk: usize) -> String {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let lines = head
        .lines()
        .filter(|line| !line.starts_with("Content-Length"));
    let mut text: String = lines.map(|line| format!("{line}\r\n")).collect();
    text.push_str("Transfer-Encoding: chunked\r\n\r\n");
    for piece in body.as_bytes().chunks(chunk) {
        let piece = std::str::from_utf8(piece).unwrap();
        text.push_str(&format!("{:x}\r\n{piece}\r\n", piece.len()));
    }
    text + "0\r\n\r\n"
}

#[tokio::test]
async fn a_refusal_does_not_end_the_connection_however_its_body_came() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let big = "x".repeat(200_000);
    let nobody = sandbox
        .raw("k", ORDER)
        .replace(&sandbox.token, "tok_nobody");
    let route = |method: &str, path: &str| {
        let from = "POST /charges";
        sandbox
            .raw("k", ORDER)
            .replace(from, &format!("{method} {path}"))
    };
    let last = sandbox
        .raw("k", ORDER)
        .replace("Host: x", "Host: x\r\nConnection: close");
    let bytes = [
        chunked(&nobody, 5),
        chunked(&route("POST", "/nothing"), 5),
        chunked(&route("PUT", "/charges"), 5),
        chunked(&route("GET", "/lab/keys"), 5),
        chunked(&nobody.replace("POST /charges", "GET /lab/keys"), 5),
        chunked(&route("POST", "/healthz"), 5),
        chunked(&sandbox.raw("k", &big), 10_000),
        sandbox.raw("k", &big),
        last,
    ];
    let back = exchange(&sandbox.address, bytes.concat().as_bytes()).await;
    let back = String::from_utf8(back).unwrap();
    let want = [
        "401", "404", "405", "200", "401", "405", "413", "413", "201",
    ];
    assert_eq!(statuses(&back), want, "{back}");
    assert_eq!(sandbox.taken().await, [4000]);
}

#[tokio::test]
async fn a_body_without_end_is_not_read_without_end() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let head = chunked(&sandbox.raw("k", ""), 1);
    let head = head.trim_end_matches("0\r\n\r\n");
    let mut stream = open(&sandbox).await;
    stream
        .write_all(format!("{head}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 100_000, "x".repeat(100_000));
    let mut taken = 0;
    // The server stops reading, answers, and closes.
    while taken < 1000 && stream.write_all(chunk.as_bytes()).await.is_ok() {
        taken += 1;
    }
    assert!(taken < 1000, "it took {taken} chunks of 100 kB");
    untouched(&sandbox, "k").await;
}

#[tokio::test]
async fn heads_that_are_too_much_or_contradict_themselves_are_refused() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let good = sandbox.raw("k", ORDER);
    let with = |line: &str| good.replace("Host: x\r\n", &format!("Host: x\r\n{line}"));
    let many: String = (0..500).map(|n| format!("X-{n}: 1\r\n")).collect();
    let long = format!("X-Long: {}\r\n", "x".repeat(2_000_000));
    let requests = [
        with(&many),
        with(&long),
        with("Content-Length: 5\r\n"),
        with("Content-Length: -1\r\n"),
        with("Content-Length: 99999999999999999999\r\n"),
        with("Transfer-Encoding: gzip\r\n"),
        with("X : y\r\n"),
        with(" folded\r\n"),
        with("X-Nul: a\0b\r\n"),
        good.replace("HTTP/1.1", "HTTP/3.0"),
        good.replace("POST /charges", "POST charges"),
        good.replace("POST /charges", "POST /char\u{1}ges"),
    ];
    let all = requests.iter().map(|request| async {
        let mut stream = open(&sandbox).await;
        // The server may close before it has read all of it.
        let _ = stream.write_all(request.as_bytes()).await;
        let back = rest(&mut stream).await;
        let shown = &request[..request.len().min(200)];
        let refused = back.is_empty() || back.starts_with("HTTP/1.1 4");
        assert!(refused, "{shown}\n{back}");
    });
    futures::future::join_all(all).await;
    untouched(&sandbox, "k").await;
}

#[tokio::test]
async fn connections_that_do_nothing_do_not_keep_others_waiting() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let mut idle = Vec::new();
    for n in 0..600 {
        let mut stream = open(&sandbox).await;
        // Some are silent, some began a head, some wait for a body of their own.
        match n % 3 {
            0 => {}
            1 => stream
                .write_all(b"POST /charges HTTP/1.1\r\nHos")
                .await
                .unwrap(),
            _ => {
                let whole = sandbox.raw("idle", ORDER);
                stream
                    .write_all(&whole.as_bytes()[..whole.len() - 1])
                    .await
                    .unwrap();
            }
        }
        idle.push(stream);
    }
    for n in 0..20 {
        let answer = sandbox
            .charge(&format!("k-{n}"), ORDER)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 201);
    }
    drop(idle);
    assert_eq!(sandbox.taken().await.len(), 20);
}

#[tokio::test]
async fn who_does_not_read_what_it_asked_for_keeps_nobody_waiting_and_is_cut_off() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let ask = "GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(50);
    let mut deaf = Vec::new();
    for _ in 0..8 {
        let mut stream = open(&sandbox).await;
        // Until neither side's buffers hold any more.
        for _ in 0..400 {
            let sent = stream.write_all(ask.as_bytes());
            let full = Duration::from_millis(200);
            if tokio::time::timeout(full, sent).await.is_err() {
                break;
            }
        }
        deaf.push(stream);
    }
    for n in 0..20 {
        let answer = sandbox
            .charge(&format!("k-{n}"), ORDER)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 201);
    }
    // Its connection is full in both directions until the server ends it.
    let cut_off = deaf
        .iter_mut()
        .map(|stream| async { while stream.write_all(ask.as_bytes()).await.is_ok() {} });
    let cut_off = futures::future::join_all(cut_off);
    tokio::time::timeout(NEVER, cut_off)
        .await
        .expect("the server closes");
}

#[tokio::test]
async fn streams_that_are_dropped_make_room_for_others() {
    let service = Service::start().await;
    let sandbox = service.sandbox().await;
    let mut streams = Vec::new();
    for _ in 0..64 {
        let stream = sandbox.request("GET", "/lab/trace").send().await.unwrap();
        assert_eq!(stream.status(), 200);
        streams.push(stream);
    }
    let full = sandbox.request("GET", "/lab/trace").send().await.unwrap();
    assert_eq!(full.status(), 429);
    drop(streams);
    until("there is room again", || async {
        let stream = sandbox.request("GET", "/lab/trace").send().await.unwrap();
        stream.status() == 200
    })
    .await;
}

/// Out of file descriptors, the server neither ends nor spins; when there are some
/// again, it goes on.
#[cfg(unix)]
#[tokio::test]
async fn out_of_file_descriptors_it_waits_and_goes_on() {
    let folder = tempfile::TempDir::new().unwrap();
    let database = format!("sqlite://{}", folder.path().join("few.db").display());
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_charge-once"))
        .args(["--listen", "127.0.0.1:0", "--database", &database])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("Charge Once is at ").unwrap();
    let url = url.trim_end_matches('/').to_owned();
    let address = url.trim_start_matches("http://").to_owned();
    let made = client()
        .post(format!("{url}/sandboxes"))
        .send()
        .await
        .unwrap();
    let made: Value = made.json().await.unwrap();
    let sandbox = Sandbox {
        token: made["token"].as_str().unwrap().to_owned(),
        client: client(),
        address,
        url,
    };
    let mut idle = Vec::new();
    for _ in 0..100 {
        idle.push(open(&sandbox).await);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(child.try_wait().unwrap(), None, "it ended");
    drop(idle);
    let answer = sandbox.charge("k", ORDER).send().await.unwrap();
    assert_eq!(answer.status(), 201);
    assert_eq!(sandbox.taken().await, [4000]);
    child.kill().unwrap();
    child.wait().unwrap();
}
