//! Carries out a plan against a real sandbox, and reads what really happened out of
//! its live trace.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::fault::Fault;
use model::protocol::Design;
use model::world::{Fact, Found, KeyUse, LiveFact, Rules, Said, What};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::common::{Sandbox, Service};
use super::plan::Act;

/// What a client got: a status, or no answer.
type Heard = Option<u16>;

/// A sandbox in which a plan is carried out.
pub struct Stage {
    pub sandbox: Sandbox,
    facts: Arc<Mutex<Vec<LiveFact>>>,
    reading: JoinHandle<()>,
    sent: HashMap<u8, JoinHandle<Heard>>,
    /// Attempts whose clients hung up: their answers are nobody's.
    pub heard: HashMap<u8, Heard>,
}

/// What the ledger holds: charges taken, cards declined.
pub type Books = (usize, usize);

impl Stage {
    pub async fn new(service: &Service, design: Design, keyed: bool) -> Self {
        let sandbox = service.sandbox().await;
        let mut settings = serde_json::to_value(design).unwrap();
        settings["sweeper"] = json!(false);
        settings["keyless"] = json!(if keyed { "require" } else { "allow" });
        sandbox.settings(settings).await;
        let facts = Arc::<Mutex<Vec<LiveFact>>>::default();
        let mut stream = sandbox.request("GET", "/lab/trace").send().await.unwrap();
        let into = facts.clone();
        let reading = tokio::spawn(async move {
            let mut text = String::new();
            while let Ok(Some(chunk)) = stream.chunk().await {
                text.push_str(std::str::from_utf8(&chunk).unwrap());
                while let Some((event, rest)) = text.split_once("\n\n") {
                    let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                    let fact = data.and_then(|data| serde_json::from_str(data).ok());
                    into.lock().unwrap().extend(fact);
                    text = rest.to_owned();
                }
            }
        });
        Self {
            sandbox,
            facts,
            reading,
            sent: HashMap::new(),
            heard: HashMap::new(),
        }
    }

    /// The facts of an attempt, in their order.
    pub fn of(&self, flight: u8) -> Vec<What> {
        let request = format!("flight-{flight}");
        let facts = self.facts.lock().unwrap();
        let own = facts.iter().filter(|fact| fact.request == request);
        own.map(|fact| fact.what.clone()).collect()
    }

    async fn until(&self, flight: u8, wanted: impl Fn(&What) -> bool) {
        for _ in 0..4000 {
            if self.of(flight).iter().any(&wanted) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("flight {flight} never got there: {:?}", self.of(flight));
    }

    /// Carries out the acts. An attempt that meets another design than the plan was
    /// made for ends as it ends there.
    pub async fn act(&mut self, rules: &Rules, keys: KeyUse, acts: &[Act]) {
        for act in acts {
            match act {
                Act::Send {
                    flight,
                    client,
                    fault,
                    hold,
                    between,
                } => {
                    if *fault != Fault::None {
                        self.sandbox.faults(json!([fault])).await;
                    }
                    let key = match keys {
                        KeyUse::Without => None,
                        KeyUse::Same => Some(rules.first_keys[usize::from(*client)]),
                        KeyUse::NewEachTime => Some(100 + flight),
                    };
                    let amount = 4000 + u32::from(rules.body(*client));
                    let body = json!({"amount": amount, "currency": "usd"}).to_string();
                    let request = match key {
                        Some(key) => self.sandbox.charge(&format!("key-{key}"), &body),
                        None => self.sandbox.keyless(&body),
                    };
                    let request = request.header("X-Request-Id", format!("flight-{flight}"));
                    let sent = tokio::spawn(async move {
                        let answer = request.send().await.ok()?;
                        Some(answer.status().as_u16())
                    });
                    self.sent.insert(*flight, sent);
                    let arrived = |what: &What| matches!(what, What::Arrived | What::RequestLost);
                    self.until(*flight, arrived).await;
                    if !between {
                        self.wait(*flight, *hold).await;
                    }
                }
                Act::Wait { flight, hold } => self.wait(*flight, *hold).await,
                Act::Read { flight, .. } => {
                    let sent = self.sent.remove(flight).expect("it was sent");
                    self.heard.insert(*flight, sent.await.unwrap());
                }
                Act::HangUp { flight } => {
                    if let Some(sent) = self.sent.remove(flight) {
                        sent.abort();
                        let _ = sent.await;
                    }
                }
                Act::EndLease => self.sandbox.advance(rules.lease_ms + 1).await,
            }
        }
    }

    /// Waits until an attempt is at its hold, or at its end.
    async fn wait(&self, flight: u8, hold: bool) {
        self.until(flight, |what| match what {
            What::Charged { .. } => hold,
            What::Crashed | What::RequestLost | What::Replied(_) | What::Unheard(_) => true,
            _ => false,
        })
        .await;
    }

    /// Lets everything that still runs come to its end.
    pub async fn drain(&mut self) {
        let requests: Vec<String> = {
            let facts = self.facts.lock().unwrap();
            facts.iter().map(|fact| fact.request.clone()).collect()
        };
        let flights = requests.iter().filter_map(|request| {
            let number = request.strip_prefix("flight-")?;
            number.parse().ok()
        });
        let flights: std::collections::BTreeSet<u8> = flights.collect();
        for (flight, sent) in self.sent.drain() {
            self.heard.insert(flight, sent.await.unwrap());
        }
        for flight in flights {
            self.wait(flight, false).await;
        }
    }

    pub async fn books(&self) -> Books {
        let books = self.sandbox.get("/lab/ledger").await;
        let count = |page: &str| books[page].as_array().unwrap().len();
        (count("charges"), count("declined"))
    }

    pub async fn keys(&self) -> Value {
        self.sandbox.get("/lab/keys").await["keys"].clone()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

/// What an attempt did, in words that the trace and the live trace share. What is
/// heard on the way in and out is not among them: the plan may send later, and
/// loses a reply where the explorer kills a process that has only its reply left.
pub fn deeds(facts: impl Iterator<Item = What>) -> Vec<String> {
    facts
        .filter_map(|what| {
            Some(match what {
                What::Claimed { found, .. } => match found {
                    Found::New { token, .. } => format!("claimed new, token {token}"),
                    Found::TakenOver { token, .. } => format!("took over, token {token}"),
                    Found::InProgress { .. } => String::from("found it in progress"),
                    Found::Done { status, .. } => format!("found it done, {status}"),
                    Found::Reused => String::from("found it reused"),
                    Found::Expired => String::from("found it expired"),
                    // The server tells only what it acts upon.
                    Found::Nothing => return None,
                },
                What::Charged { keyed, said } => match said {
                    Said::Final { paid, .. } => format!("charged, keyed {keyed}: {paid:?}"),
                    Said::Repeated { paid, .. } => {
                        format!("charged again, keyed {keyed}: {paid:?}")
                    }
                    Said::Trouble { status } => format!("the processor failed: {status}"),
                },
                What::Saved {
                    status, written, ..
                } => format!("saved {status}: {written}"),
                What::Released { .. } => String::from("released"),
                _ => return None,
            })
        })
        .collect()
}

/// The same of a trace, for one attempt.
pub fn deeds_of_trace(facts: &[Fact], flight: u8) -> Vec<String> {
    let own = facts
        .iter()
        .filter(|fact| fact.attempt == u32::from(flight) + 1);
    deeds(own.map(|fact| fact.what.clone()))
}
