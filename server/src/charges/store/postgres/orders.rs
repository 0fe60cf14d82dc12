//! Orders and the queue in PostgreSQL.

use async_trait::async_trait;
use sqlx::{PgPool, query, query_as};

use super::{Postgres, common, no_name};
use crate::charges::store::StoreError;
use crate::charges::store::orders::{AGAIN_MS, MessageRow, rule_name};
use crate::charges::store::rows::int;
use crate::id::AccountId;
use crate::orders::{Change, Changed, Message, Order, Orders};

async fn change(
    db: &PgPool,
    account: &AccountId,
    id: &str,
    change: &Change,
) -> Result<Changed, StoreError> {
    let mut tx = db.begin().await?;
    let changed = common::change_order(&mut tx, account.as_str(), id, change).await?;
    tx.commit().await?;
    Ok(changed)
}

async fn publish(db: &PgPool, account: &AccountId, message: &Message) -> Result<(), StoreError> {
    query(
        "INSERT INTO messages (account, message, order_id, amount, rule, lost_acks, crash, due_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, now_ms())",
    )
    .bind(account.as_str())
    .bind(&message.id)
    .bind(&message.order)
    .bind(message.add)
    .bind(rule_name(message.rule))
    .bind(i64::from(message.lost_acks))
    .bind(message.crash_after_effect)
    .execute(db)
    .await?;
    Ok(())
}

async fn due(db: &PgPool) -> Result<bool, StoreError> {
    // A time in a sub-select is read once, and the index can be used for it.
    let due =
        query("SELECT 1 FROM messages WHERE NOT done AND due_at <= (SELECT now_ms()) LIMIT 1")
            .fetch_optional(db)
            .await?;
    Ok(due.is_some())
}

/// Of several consumers each gets a message of its own.
async fn deliver(db: &PgPool) -> Result<Option<Message>, StoreError> {
    query_as::<_, MessageRow>(
        "UPDATE messages SET deliveries = deliveries + 1, due_at = now_ms() + $1 \
         WHERE number = (SELECT number FROM messages \
         WHERE NOT done AND due_at <= (SELECT now_ms()) \
         ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED) \
         RETURNING number, account, message, order_id, amount, rule, lost_acks, crash, \
         deliveries, done",
    )
    .bind(int(AGAIN_MS))
    .fetch_optional(db)
    .await?
    .map(Message::try_from)
    .transpose()
}

async fn consume(db: &PgPool, message: &Message) -> Result<bool, StoreError> {
    let mut tx = db.begin().await?;
    let fresh = common::consume(&mut tx, message).await?;
    tx.commit().await?;
    Ok(fresh)
}

#[async_trait]
impl Orders for Postgres {
    async fn order(&self, account: &AccountId, id: &str) -> Result<Option<Order>, StoreError> {
        if no_name(id) {
            return Ok(None);
        }
        let order = || common::order(self.pool(), account, id);
        self.ours.read(order).await
    }

    async fn change_order(
        &self,
        account: AccountId,
        id: String,
        asked: Change,
    ) -> Result<Changed, StoreError> {
        let change = || change(self.pool(), &account, &id, &asked);
        self.ours.run(change).await
    }

    async fn publish(&self, account: AccountId, message: Message) -> Result<(), StoreError> {
        let publish = || publish(self.pool(), &account, &message);
        self.ours.run(publish).await
    }

    async fn messages(&self, account: &AccountId) -> Result<Vec<Message>, StoreError> {
        let messages = || common::messages(self.pool(), account);
        self.ours.read(messages).await
    }

    async fn due(&self) -> Result<bool, StoreError> {
        self.ours.read(|| due(self.pool())).await
    }

    async fn deliver(&self) -> Result<Option<Message>, StoreError> {
        self.ours.run(|| deliver(self.pool())).await
    }

    async fn consume(&self, message: Message) -> Result<bool, StoreError> {
        self.ours.run(|| consume(self.pool(), &message)).await
    }

    async fn note_consumed(&self, message: Message) -> Result<(), StoreError> {
        let note = async || {
            let mut db = self.pool().acquire().await?;
            common::note_consumed(&mut db, &message).await.map(drop)
        };
        self.ours.run(note).await
    }

    async fn acknowledge(&self, message: Message) -> Result<(), StoreError> {
        let acknowledge = async || {
            let mut db = self.pool().acquire().await?;
            common::acknowledge(&mut db, &message).await
        };
        self.ours.run(acknowledge).await
    }
}
