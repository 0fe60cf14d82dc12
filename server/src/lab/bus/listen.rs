//! The listener: hears what all servers tell, this one among them.

use std::sync::Arc;

use model::world::What;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use uuid::Uuid;

use super::publish::Asked;
use super::word::{Word, words};
use super::{AGAIN, CHANNEL, HEARTBEAT};
use crate::accounts::Room;
use crate::charges::settled::Settled;
use crate::lab::live::Live;
use crate::lab::pods::Pods;
use crate::shutdown::Shutdown;

/// Who is told what was heard.
#[derive(Clone, Debug)]
pub struct Ears {
    /// Keeps facts for readers.
    pub live: Arc<Live>,
    /// Wakes who waits for an answer that another server saves.
    pub settled: Arc<Settled>,
    /// Ends what runs on a pod.
    pub pods: Arc<Pods>,
    /// Forgets how full an emptied account was.
    pub room: Arc<Room>,
}

/// Listens until the shutdown begins.
pub(super) struct Listener {
    pub(super) pool: PgPool,
    pub(super) asked: Arc<Asked>,
    pub(super) server: Uuid,
    pub(super) ears: Ears,
}

impl Listener {
    /// A connection that listens.
    pub(super) async fn connect(&self) -> Result<PgListener, sqlx::Error> {
        let mut connection = PgListener::connect_with(&self.pool).await?;
        // A loss has to be noticed here, not mended in silence.
        connection.eager_reconnect(false);
        connection.listen(CHANNEL).await?;
        Ok(connection)
    }

    pub(super) async fn run(self, first: PgListener, quit: Shutdown) {
        let mut connection = first;
        loop {
            tokio::select! {
                () = quit.begun() => return,
                () = self.listen(&mut connection) => {}
            }
            tracing::warn!("live traces of other servers are not heard");
            connection = tokio::select! {
                () = quit.begun() => return,
                connection = self.connect_again() => connection,
            };
            self.ears.live.interrupt();
            tracing::info!("live traces of other servers are heard again");
        }
    }

    /// Listens until the connection is lost.
    async fn listen(&self, connection: &mut PgListener) {
        loop {
            let heard = tokio::time::timeout(HEARTBEAT * 3, connection.try_recv()).await;
            match heard {
                Ok(Ok(Some(said))) => words(said.payload()).for_each(|word| self.hear(word)),
                Ok(Ok(None)) => return,
                Ok(Err(error)) => return tracing::debug!(%error, "the listener stops"),
                Err(_) => return tracing::debug!("not even this server itself is heard"),
            }
        }
    }

    async fn connect_again(&self) -> PgListener {
        loop {
            tokio::time::sleep(AGAIN).await;
            match self.connect().await {
                Ok(connection) => return connection,
                Err(error) => tracing::debug!(%error, "the listener cannot connect"),
            }
        }
    }

    fn hear(&self, word: Word) {
        let Ears {
            live,
            settled,
            pods,
            room,
        } = &self.ears;
        match word {
            Word::Fact(account, fact) => {
                if let What::Saved { key, .. } | What::Released { key } = &fact.what {
                    settled.ring(&account, key);
                }
                live.hear(&account, fact);
            }
            Word::LeftOut(account, id) => live.skip_to(&account, id),
            Word::Reset(account) => {
                room.forget(&account);
                live.forget(&account);
            }
            Word::Restart(server, account, pod) => {
                // Twice would end what began since the first time.
                if server != self.server {
                    pods.restart(&account, pod);
                }
            }
            Word::Echo(server, batch) => {
                if server == self.server {
                    self.asked.heard(batch);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt;
    use model::world::LiveFact;

    use super::*;
    use crate::id::AccountId;

    fn listener() -> Listener {
        Listener {
            // Nothing here connects.
            pool: PgPool::connect_lazy("postgres://nobody@127.0.0.1:1/nothing").unwrap(),
            asked: Arc::default(),
            server: Uuid::new_v4(),
            ears: Ears {
                live: Arc::default(),
                settled: Arc::default(),
                pods: Arc::default(),
                room: Arc::new(Room::new(1)),
            },
        }
    }

    #[tokio::test]
    async fn an_answer_saved_elsewhere_wakes_who_waits_here() {
        let (listener, account) = (listener(), AccountId::random());
        let what = |what| {
            let fact = LiveFact {
                id: u64::MAX / 2,
                request: String::from("r"),
                at: 1,
                call: None,
                asked: None,
                what,
            };
            Word::Fact(account.clone(), fact)
        };
        let mut waits = pin!(listener.ears.settled.next(&account, "k"));
        waits.as_mut().enable();
        listener.hear(what(What::Arrived));
        assert_eq!(waits.as_mut().now_or_never(), None);
        let key = String::from("k");
        listener.hear(what(What::Released { key }));
        assert_eq!(waits.now_or_never(), Some(()));
    }

    #[tokio::test]
    async fn a_pod_that_restarts_elsewhere_ends_here_and_not_twice() {
        let (listener, account) = (listener(), AccountId::random());
        let life = listener.ears.pods.enter(&account, 2, Some(1)).life;
        listener.hear(Word::Restart(listener.server, account.clone(), 1));
        assert!(
            !life.is_cancelled(),
            "this server did that before it said so"
        );
        listener.hear(Word::Restart(Uuid::new_v4(), account, 1));
        assert!(life.is_cancelled());
    }
}
