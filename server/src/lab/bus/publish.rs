//! The publisher: numbers what waits in the outbox and tells it to all servers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::outbox::{Batch, Line, Outbox};
use super::word::{Word, payloads};
use super::{AGAIN, CHANNEL, HEARTBEAT};
use crate::shutdown::Shutdown;

/// For how long facts are collected that go out together.
const COLLECT: Duration = Duration::from_millis(5);
/// How long one batch may take. The database does not answer then.
const PATIENCE: Duration = Duration::from_secs(5);

/// Gives each account as many ids as it has facts, and holds its row until the end of
/// the transaction: batches of one account follow each other in the order of their
/// ids. By account, so that no two servers wait for each other. A first id is the
/// time in microseconds, so that ids rise also after a crash has emptied the table.
const NUMBER: &str = "
    INSERT INTO live_ids AS old (account, last, step)
    SELECT account, floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint + count, count
    FROM unnest($1::text[], $2::bigint[]) AS told (account, count)
    JOIN accounts ON id = account
    ORDER BY account
    ON CONFLICT (account) DO UPDATE SET last = old.last + excluded.step, step = excluded.step
    RETURNING account, last";

/// What was asked for and is not heard yet.
#[derive(Debug, Default)]
pub(super) struct Asked(Mutex<VecDeque<(u64, Vec<Answer>)>>);

/// Somebody to be told, and what.
type Answer = (oneshot::Sender<Option<u64>>, Option<u64>);

impl Asked {
    /// All up to this batch was heard.
    pub(super) fn heard(&self, batch: u64) {
        let mut asked = self.lock();
        while asked.front().is_some_and(|(number, _)| *number <= batch) {
            for (ask, last) in asked.pop_front().into_iter().flat_map(|(_, asks)| asks) {
                // Who does not wait any more need not know.
                let _ = ask.send(last);
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(u64, Vec<Answer>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells what waits, batch after batch, until the shutdown begins.
pub(super) struct Publisher {
    pub(super) pool: PgPool,
    pub(super) outbox: Arc<Outbox>,
    pub(super) asked: Arc<Asked>,
    pub(super) server: Uuid,
    pub(super) batch: u64,
}

impl Publisher {
    pub(super) async fn run(mut self, shutdown: Shutdown) {
        let mut works = true;
        loop {
            let last = tokio::select! {
                () = shutdown.begun() => true,
                () = self.outbox.bell.notified() => false,
                () = tokio::time::sleep(HEARTBEAT) => false,
            };
            if !last {
                tokio::time::sleep(COLLECT).await;
            }
            let told = self.round().await;
            match &told {
                Err(error) if works => tracing::warn!(%error, "live traces are not shared"),
                Ok(()) if !works => tracing::info!("live traces are shared again"),
                _ => {}
            }
            works = told.is_ok();
            if last {
                return;
            }
            if !works {
                tokio::time::sleep(AGAIN).await;
            }
        }
    }

    /// Tells what waits, or only that this server is there.
    async fn round(&mut self) -> Result<(), sqlx::Error> {
        self.batch += 1;
        let mut batch = self.outbox.take();
        let told = tokio::time::timeout(PATIENCE, self.tell(&mut batch)).await;
        let told = told.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        if told.is_err() {
            // The asks go with the batch: nobody waits for what does not come.
            self.outbox.leave_out(batch);
        }
        told
    }

    async fn tell(&mut self, batch: &mut Batch) -> Result<(), sqlx::Error> {
        let mut tx = self.pool.begin().await?;
        let (names, counts): (Vec<_>, Vec<_>) = batch
            .lots
            .iter()
            .filter(|(_, lot)| lot.ids() > 0)
            .map(|(account, lot)| (account.as_str().to_owned(), lot.ids().cast_signed()))
            .unzip();
        let mut numbered: Vec<(String, i64)> = Vec::new();
        if !names.is_empty() {
            numbered = sqlx::query_as(NUMBER)
                .bind(names)
                .bind(counts)
                .fetch_all(&mut *tx)
                .await?;
        }
        let words = words(self.server, batch, numbered);
        let mut answers = Vec::new();
        for ask in batch.asks.drain(..) {
            let last: Option<i64> =
                sqlx::query_scalar("SELECT last FROM live_ids WHERE account = $1")
                    .bind(ask.account.as_str())
                    .fetch_optional(&mut *tx)
                    .await?;
            answers.push((ask.heard, last.map(i64::cast_unsigned)));
        }
        let echo = [Word::Echo(self.server, self.batch)];
        let (mut texts, too_long) = payloads(&words);
        texts.extend(payloads(&echo).0);
        if too_long > 0 {
            tracing::warn!(too_long, "facts that are too long to be told are left out");
        }
        sqlx::query("SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text")
            .bind(CHANNEL)
            .bind(texts)
            .execute(&mut *tx)
            .await?;
        if !answers.is_empty() {
            // Before the commit: the echo may be faster than it.
            self.asked.lock().push_back((self.batch, answers));
        }
        tx.commit().await
    }
}

/// What a batch says, once its facts have ids.
fn words(server: Uuid, batch: &mut Batch, numbered: Vec<(String, i64)>) -> Vec<Word> {
    let mut words = Vec::new();
    for (account, lot) in &batch.lots {
        if lot.reset {
            words.push(Word::Reset(account.clone()));
        }
    }
    for (account, last) in numbered {
        let account = account.into();
        let Some(lot) = batch.lots.get(&account) else {
            continue;
        };
        let mut id = last.cast_unsigned().saturating_sub(lot.ids());
        for line in &lot.lines {
            id += line.count();
            if let Line::Fact(fact) = line {
                let mut fact = fact.clone();
                fact.id = id;
                words.push(Word::Fact(account.clone(), fact));
            }
        }
        if let Some(Line::LeftOut(_)) = lot.lines.last() {
            words.push(Word::LeftOut(account.clone(), id));
        }
    }
    let pods = batch.pods.drain(..);
    words.extend(pods.map(|(account, pod)| Word::Restart(server, account, pod)));
    words
}

#[cfg(test)]
mod tests {
    use model::world::What;

    use super::*;
    use crate::id::{AccountId, RequestId};
    use crate::lab::live::{Live, Scribe};

    #[test]
    fn ids_count_what_is_left_out() {
        let outbox = Arc::<Outbox>::default();
        let live = Live::shared(outbox.clone());
        let account = AccountId::random();
        let scribe = Scribe::new(live.channel(&account), RequestId::random());
        scribe.tell(What::Arrived);
        scribe.tell(What::Crashed);
        outbox.tell(&account, None);
        scribe.tell(What::ReplyLost);
        outbox.tell(&account, None);
        outbox.restart(account.clone(), 2);
        let server = Uuid::new_v4();
        let said = words(
            server,
            &mut outbox.take(),
            vec![(account.as_str().to_owned(), 1_005)],
        );
        let ids: Vec<_> = said
            .iter()
            .filter_map(|word| match word {
                Word::Fact(of, fact) => Some((*of == account).then_some(fact.id)),
                _ => None,
            })
            .collect();
        assert_eq!(ids, [Some(1_001), Some(1_002), Some(1_004)]);
        let rest = [
            Word::LeftOut(account.clone(), 1_005),
            Word::Restart(server, account, 2),
        ];
        assert_eq!(said[3..], rest);
    }

    /// A load test must not turn into a flood of facts.
    #[test]
    fn an_account_tells_so_many_facts_in_a_second_and_the_rest_is_counted() {
        let outbox = Arc::<Outbox>::default();
        let live = Live::shared(outbox.clone());
        let account = AccountId::random();
        let scribe = Scribe::new(live.channel(&account), RequestId::random());
        (0..20_000).for_each(|_| scribe.tell(What::Arrived));
        let batch = outbox.take();
        let lot = &batch.lots[&account];
        assert_eq!(lot.ids(), 20_000);
        assert!(matches!(lot.lines.last(), Some(Line::LeftOut(_))));
        // Somebody else's are not affected.
        let other = AccountId::random();
        Scribe::new(live.channel(&other), RequestId::random()).tell(What::Arrived);
        assert!(matches!(
            outbox.take().lots[&other].lines[..],
            [Line::Fact(_)]
        ));
    }
}
