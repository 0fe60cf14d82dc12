//! Look-ups that every request makes, many in one statement.

use std::fmt::Write as _;

use async_trait::async_trait;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnection;
use sqlx::{FromRow, query_as};

use super::writer::{Lane, Write};
use crate::charges::store::rows::{AccountRow, ChargeRow};
use crate::charges::store::{Account, Charge, StoreError};
use crate::id::AccountId;

/// One row of a look-up, with the place of its question.
#[derive(FromRow)]
struct Numbered<Row> {
    number: i64,
    #[sqlx(flatten)]
    row: Row,
}

/// Puts rows where they were asked for.
fn sort<R, T: TryFrom<R, Error = StoreError>>(
    rows: Vec<Numbered<R>>,
    asked: usize,
) -> Result<Vec<Option<T>>, StoreError> {
    let mut outs: Vec<Option<T>> = (0..asked).map(|_| None).collect();
    for Numbered { number, row } in rows {
        let place = usize::try_from(number).ok().and_then(|at| outs.get_mut(at));
        if let Some(out) = place {
            *out = Some(row.try_into()?);
        }
    }
    Ok(outs)
}

/// The account with a token, by its SHA-256.
pub(super) struct ByToken(pub(super) [u8; 32]);

#[async_trait]
impl Write for ByToken {
    type Out = Option<Account>;
    const LANE: Lane = Lane::Read;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Option<Account>, StoreError> {
        Ok(Self::run_all(&[self], db).await?.pop().flatten())
    }

    async fn run_all(
        asks: &[&Self],
        db: &mut SqliteConnection,
    ) -> Result<Vec<Option<Account>>, StoreError> {
        let hashes: Vec<Value> = asks.iter().map(|ask| hex(&ask.0).into()).collect();
        let rows: Vec<Numbered<AccountRow>> = query_as(
            "SELECT j.key AS number, a.id, a.settings, \
             EXISTS (SELECT 1 FROM faults WHERE account = a.id) AS faults FROM json_each(?1) AS j \
             CROSS JOIN accounts AS a ON a.token_hash = unhex(j.value) WHERE a.closed_at IS NULL",
        )
        .bind(Value::from(hashes).to_string())
        .fetch_all(db)
        .await?;
        sort(rows, asks.len())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// One charge of an account.
pub(super) struct ById {
    pub(super) account: AccountId,
    pub(super) charge: String,
}

#[async_trait]
impl Write for ById {
    type Out = Option<Charge>;
    const LANE: Lane = Lane::Read;

    async fn run(&self, db: &mut SqliteConnection) -> Result<Option<Charge>, StoreError> {
        Ok(Self::run_all(&[self], db).await?.pop().flatten())
    }

    async fn run_all(
        asks: &[&Self],
        db: &mut SqliteConnection,
    ) -> Result<Vec<Option<Charge>>, StoreError> {
        let ids: Vec<Value> = asks
            .iter()
            .map(|ask| json!([ask.account.as_str(), ask.charge]))
            .collect();
        let rows: Vec<Numbered<ChargeRow>> = query_as(
            "SELECT j.key AS number, c.id, c.amount, c.currency, c.description, c.paid, \
             c.created_at, c.refunded_at FROM json_each(?1) AS j CROSS JOIN charges AS c \
             ON c.id = j.value ->> 1 AND c.account = j.value ->> 0",
        )
        .bind(Value::from(ids).to_string())
        .fetch_all(db)
        .await?;
        sort(rows, asks.len())
    }
}
