//! Orders and the queue in SQLite.

use async_trait::async_trait;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{Row, query, query_scalar};

use super::Sqlite;
use super::writer::Write;
use crate::charges::store::StoreError;
use crate::charges::store::rows::int;
use crate::clock;
use crate::id::AccountId;
use crate::lab::settings::{ConsumerRule, PatchRule, StatusRule};
use crate::orders::{Change, Changed, Message, Order, Orders, Status};

/// After how long a message that was not acknowledged comes again, in ms.
const AGAIN_MS: i64 = 300;
/// The most messages that are shown.
const SHOWN: u32 = 100;

fn order(row: &SqliteRow) -> Result<Order, StoreError> {
    let status: &str = row.try_get("status")?;
    Ok(Order {
        id: row.try_get("id")?,
        status: Status::ALL
            .into_iter()
            .find(|known| known.name() == status)
            .ok_or(StoreError::Corrupt("status"))?,
        version: row.try_get::<i64, _>("version")?.unsigned_abs(),
        total: row.try_get("total")?,
        parcels: row.try_get::<i64, _>("parcels")?.unsigned_abs(),
    })
}

async fn make(db: &mut SqliteConnection, account: &str, id: &str) -> Result<Order, StoreError> {
    query(
        "INSERT INTO orders (account, id, status, version, total, parcels) \
         VALUES (?, ?, 'new', 0, 0, 0) ON CONFLICT DO NOTHING",
    )
    .bind(account)
    .bind(id)
    .execute(&mut *db)
    .await?;
    let row = query(
        "SELECT id, status, version, total, parcels FROM orders WHERE account = ? AND id = ?",
    )
    .bind(account)
    .bind(id)
    .fetch_one(db)
    .await?;
    order(&row)
}

async fn save(db: &mut SqliteConnection, account: &str, order: &Order) -> Result<(), StoreError> {
    query(
        "UPDATE orders SET status = ?, version = ?, total = ?, parcels = ? \
         WHERE account = ? AND id = ?",
    )
    .bind(order.status.name())
    .bind(int(order.version))
    .bind(order.total)
    .bind(int(order.parcels))
    .bind(account)
    .bind(&order.id)
    .execute(db)
    .await?;
    Ok(())
}

struct ChangeOrder {
    account: AccountId,
    id: String,
    change: Change,
}

#[async_trait]
impl Write for ChangeOrder {
    type Out = Changed;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Changed, StoreError> {
        let account = self.account.as_str();
        let mut order = make(db, account, &self.id).await?;
        match &self.change {
            Change::Status { to, rule } => {
                let next = match rule {
                    StatusRule::Set => *to,
                    StatusRule::Step => order.status.next(),
                };
                if next == order.status {
                    return Ok(Changed::Done(order));
                }
                order.parcels += u64::from(next == Status::Shipped);
                order.status = next;
            }
            Change::Add {
                amount,
                version,
                name,
                rule,
            } => {
                // The name before the version: whoever reads the new version and sends
                // the same change again must not have it twice.
                if let (Some((name, fingerprint)), PatchRule::IfMatch) = (name, rule) {
                    let known: Option<Vec<u8>> = query_scalar(
                        "SELECT fingerprint FROM order_changes WHERE account = ? AND name = ?",
                    )
                    .bind(account)
                    .bind(name)
                    .fetch_optional(&mut *db)
                    .await?;
                    match known {
                        Some(known) if known == fingerprint.as_bytes() => {
                            return Ok(Changed::Already(order));
                        }
                        Some(_) => return Ok(Changed::Reused),
                        None => {}
                    }
                }
                if *rule == PatchRule::IfMatch && *version != Some(order.version) {
                    return Ok(Changed::Conflict(order));
                }
                if let (Some((name, fingerprint)), PatchRule::IfMatch) = (name, rule) {
                    query(
                        "INSERT INTO order_changes (account, name, fingerprint) VALUES (?, ?, ?)",
                    )
                    .bind(account)
                    .bind(name)
                    .bind(&fingerprint.as_bytes()[..])
                    .execute(&mut *db)
                    .await?;
                }
                order.total = order.total.saturating_add(*amount);
            }
        }
        order.version += 1;
        save(db, account, &order).await?;
        Ok(Changed::Done(order))
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

const fn rule_name(rule: ConsumerRule) -> &'static str {
    match rule {
        ConsumerRule::SameTransaction => "same_transaction",
        ConsumerRule::Separate => "separate",
        ConsumerRule::Blind => "blind",
    }
}

fn message(row: &SqliteRow) -> Result<Message, StoreError> {
    Ok(Message {
        id: row.try_get("message")?,
        order: row.try_get("order_id")?,
        add: row.try_get("amount")?,
        deliveries: row.try_get("deliveries")?,
        done: row.try_get("done")?,
        lost_acks: row.try_get("lost_acks")?,
        crash_after_effect: row.try_get("crash")?,
        rule: match row.try_get("rule")? {
            "same_transaction" => ConsumerRule::SameTransaction,
            "separate" => ConsumerRule::Separate,
            "blind" => ConsumerRule::Blind,
            _ => return Err(StoreError::Corrupt("rule")),
        },
        account: Some(row.try_get::<String, _>("account")?.into()),
        number: row.try_get("number")?,
    })
}

struct Deliver;

#[async_trait]
impl Write for Deliver {
    type Out = Option<Message>;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Option<Message>, StoreError> {
        let now = int(clock::now());
        let row = query(
            "UPDATE messages SET deliveries = deliveries + 1, due_at = ?1 + ?2 WHERE number = \
             (SELECT number FROM messages WHERE done = 0 AND due_at <= ?1 ORDER BY due_at LIMIT 1) \
             RETURNING number, account, message, order_id, amount, rule, lost_acks, crash, \
             deliveries, done",
        )
        .bind(now)
        .bind(AGAIN_MS)
        .fetch_optional(db)
        .await?;
        row.map(|row| message(&row)).transpose()
    }
}

/// The effect of a message and, in the safe form, the note of it: both or neither.
struct Consume(Message);

#[async_trait]
impl Write for Consume {
    type Out = bool;

    async fn run(&self, db: &mut SqliteConnection) -> Result<bool, StoreError> {
        let message = &self.0;
        let account = owner(message)?;
        let fresh = match message.rule {
            ConsumerRule::SameTransaction => note(db, message).await?,
            ConsumerRule::Separate => {
                let done: Option<i64> =
                    query_scalar("SELECT 1 FROM consumed WHERE account = ? AND message = ?")
                        .bind(account)
                        .bind(&message.id)
                        .fetch_optional(&mut *db)
                        .await?;
                done.is_none()
            }
            ConsumerRule::Blind => true,
        };
        if fresh {
            let mut order = make(db, account, &message.order).await?;
            order.total = order.total.saturating_add(message.add);
            order.version += 1;
            save(db, account, &order).await?;
        }
        Ok(fresh)
    }
}

fn owner(message: &Message) -> Result<&str, StoreError> {
    message
        .account
        .as_ref()
        .map(AccountId::as_str)
        .ok_or(StoreError::Corrupt("message"))
}

/// Notes that a message was carried out. False when that was noted before.
async fn note(db: &mut SqliteConnection, message: &Message) -> Result<bool, StoreError> {
    let noted =
        query("INSERT INTO consumed (account, message) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .bind(owner(message)?)
            .bind(&message.id)
            .execute(db)
            .await?;
    Ok(noted.rows_affected() == 1)
}

struct Note(Message);

#[async_trait]
impl Write for Note {
    type Out = ();

    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        note(db, &self.0).await.map(drop)
    }
}

struct Acknowledge(i64);

#[async_trait]
impl Write for Acknowledge {
    type Out = ();

    async fn run(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        query("UPDATE messages SET done = 1 WHERE number = ?")
            .bind(self.0)
            .execute(db)
            .await?;
        Ok(())
    }
}

async fn find(db: &SqlitePool, account: &AccountId, id: &str) -> Result<Option<Order>, StoreError> {
    query("SELECT id, status, version, total, parcels FROM orders WHERE account = ? AND id = ?")
        .bind(account.as_str())
        .bind(id)
        .fetch_optional(db)
        .await?
        .map(|row| order(&row))
        .transpose()
}

#[async_trait]
impl Orders for Sqlite {
    async fn order(&self, account: &AccountId, id: &str) -> Result<Option<Order>, StoreError> {
        find(&self.readers, account, id).await
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
        let rows = query(
            "SELECT number, account, message, order_id, amount, rule, lost_acks, crash, deliveries, \
             done FROM messages WHERE account = ? ORDER BY number DESC LIMIT ?",
        )
        .bind(account.as_str())
        .bind(SHOWN)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(message).collect()
    }

    async fn due(&self) -> Result<bool, StoreError> {
        let due: Option<i64> =
            query_scalar("SELECT 1 FROM messages WHERE done = 0 AND due_at <= ? LIMIT 1")
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
        self.writer.run(Acknowledge(message.number)).await
    }
}
