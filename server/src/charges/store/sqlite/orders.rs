//! Orders and the queue in SQLite.

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnection;
use sqlx::{query, query_as};

use super::writer::Write;
use super::{Sqlite, common};
use crate::charges::store::StoreError;
use crate::charges::store::orders::{AGAIN_MS, MessageRow, rule_name};
use crate::charges::store::rows::int;
use crate::clock;
use crate::id::AccountId;
use crate::orders::{Change, Changed, Message, Order, Orders};

struct ChangeOrder {
    account: AccountId,
    id: String,
    change: Change,
}

#[async_trait]
impl Write for ChangeOrder {
    type Out = Changed;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Changed, StoreError> {
        common::change_order(db, self.account.as_str(), &self.id, &self.change).await
    }
}

struct Publish {
    account: AccountId,
    message: Message,
}

#[async_trait]
impl Write for Publish {
    type Out = ();

    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        let message = &self.message;
        query(
            "INSERT INTO messages (account, message, order_id, amount, rule, lost_acks, crash, due_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(self.account.as_str())
        .bind(&message.id)
        .bind(&message.order)
        .bind(message.add)
        .bind(rule_name(message.rule))
        .bind(message.lost_acks)
        .bind(message.crash_after_effect)
        .bind(int(clock::now()))
        .execute(db)
        .await?;
        Ok(())
    }
}

struct Deliver;

#[async_trait]
impl Write for Deliver {
    type Out = Option<Message>;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Option<Message>, StoreError> {
        query_as::<_, MessageRow>(
            "UPDATE messages SET deliveries = deliveries + 1, due_at = ?1 + ?2 WHERE number = \
             (SELECT number FROM messages WHERE done = 0 AND due_at <= ?1 ORDER BY due_at LIMIT 1) \
             RETURNING number, account, message, order_id, amount, rule, lost_acks, crash, \
             deliveries, done",
        )
        .bind(int(clock::now()))
        .bind(int(AGAIN_MS))
        .fetch_optional(db)
        .await?
        .map(Message::try_from)
        .transpose()
    }
}

struct Consume(Message);

#[async_trait]
impl Write for Consume {
    type Out = bool;

    async fn run(&self, db: &mut SqliteConnection) -> Result<bool, StoreError> {
        common::consume(db, &self.0).await
    }
}

struct Note(Message);

#[async_trait]
impl Write for Note {
    type Out = ();

    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        common::note_consumed(db, &self.0).await.map(drop)
    }
}

struct Acknowledge(Message);

#[async_trait]
impl Write for Acknowledge {
    type Out = ();

    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        common::acknowledge(db, &self.0).await
    }
}

#[async_trait]
impl Orders for Sqlite {
    async fn order(&self, account: &AccountId, id: &str) -> Result<Option<Order>, StoreError> {
        common::order(&self.readers, account, id).await
    }

    async fn change_order(
        &self,
        account: AccountId,
        id: String,
        change: Change,
    ) -> Result<Changed, StoreError> {
        let change = ChangeOrder {
            account,
            id,
            change,
        };
        self.writer.run(change).await
    }

    async fn publish(&self, account: AccountId, message: Message) -> Result<(), StoreError> {
        self.writer.run(Publish { account, message }).await
    }

    async fn messages(&self, account: &AccountId) -> Result<Vec<Message>, StoreError> {
        common::messages(&self.readers, account).await
    }

    async fn due(&self) -> Result<bool, StoreError> {
        let due = query("SELECT 1 FROM messages WHERE done = 0 AND due_at <= ? LIMIT 1")
            .bind(int(clock::now()))
            .fetch_optional(&self.readers)
            .await?;
        Ok(due.is_some())
    }

    async fn deliver(&self) -> Result<Option<Message>, StoreError> {
        self.writer.run(Deliver).await
    }

    async fn consume(&self, message: Message) -> Result<bool, StoreError> {
        self.writer.run(Consume(message)).await
    }

    async fn note_consumed(&self, message: Message) -> Result<(), StoreError> {
        self.writer.run(Note(message)).await
    }

    async fn acknowledge(&self, message: Message) -> Result<(), StoreError> {
        self.writer.run(Acknowledge(message)).await
    }
}
