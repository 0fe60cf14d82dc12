//! Many claims, takings and savings in one text each.
//!
//! Each text for SQLite costs two changes of thread, which is more than what SQLite
//! does for one row. So work of one kind is one text, from the begin of its
//! transaction to its commit, over a JSON array with an element for each. What that
//! did not settle (a takeover, a conflict, a second claim of one key in the same
//! batch) is done by itself afterwards.
//!
//! Once it is committed nothing may fail any more: a claim that was made must be told
//! to who made it. What cannot be read then counts as not settled.

use std::collections::HashMap;

use model::protocol::{Outcome, ProcessorKey, Token};
use serde_json::{Value, json};
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, FromRow, query};

use super::writer::AtOnce;
use crate::charges::store::judge::Judged;
use crate::charges::store::rows::{Known, KnownRow, int, ms, paid_name};
use crate::charges::store::{ClaimKey, Claimed, CompleteKey, Made, StoreError, TakeMoney, Taken};
use crate::clock;
use crate::id::ChargeId;

/// What a key is unique in.
type Place<'a> = (&'a str, &'a str);

/// A text in a transaction of its own.
fn whole(begin: &'static str, work: &'static str) -> Query<'static, Sqlite, SqliteArguments> {
    // Both are our own constants.
    query(AssertSqlSafe(format!("{begin}; {work}; COMMIT")))
}

/// The rows that can be read.
fn read<'r, Row: FromRow<'r, SqliteRow>>(rows: &'r [SqliteRow]) -> impl Iterator<Item = Row> {
    rows.iter().filter_map(|row| {
        Row::from_row(row)
            .inspect_err(|error| tracing::error!(%error, "a row that was just written"))
            .ok()
    })
}

/// The places in `works` of those that come first with their key.
fn firsts<'a, W>(works: &[&'a W], place: impl Fn(&'a W) -> Place<'a>) -> HashMap<Place<'a>, usize> {
    let mut firsts = HashMap::with_capacity(works.len());
    for (at, work) in works.iter().enumerate() {
        firsts.entry(place(work)).or_insert(at);
    }
    firsts
}

fn claim_place(ask: &ClaimKey) -> Place<'_> {
    (ask.account.as_str(), ask.key.as_str())
}

#[derive(FromRow)]
struct Inserted {
    account: String,
    key: String,
    lease_until: Option<i64>,
    generation: u32,
}

#[derive(FromRow)]
struct Found {
    number: i64,
    advance_ms: i64,
    #[sqlx(flatten)]
    known: KnownRow,
}

/// Claims: one insert for all of them, one look at those that were known.
pub(super) async fn claim(
    asks: &[&ClaimKey],
    begin: &'static str,
    db: &mut SqliteConnection,
) -> Result<AtOnce<Claimed>, StoreError> {
    let mut done = AtOnce::nothing(asks.len());
    let mut firsts = firsts(asks, claim_place);
    firsts.retain(|_, at| asks[*at].room);
    // No look-up before it: two requests that look could both find nothing.
    let new: Vec<Value> = firsts
        .values()
        .map(|&at| {
            let ask = asks[at];
            json!([
                ask.account.as_str(),
                ask.key.as_str(),
                ask.fingerprint.to_string(),
                ask.design.lease.then(|| int(ask.lease_ms)),
                int(ask.retention_ms),
                int(ask.tombstone_ms),
                ask.generation,
                ask.intent,
            ])
        })
        .collect();
    let inserted = whole(
        begin,
        "INSERT INTO keys (account, key, fingerprint, state, point, token, claimed_at, \
         lease_until, expires_at, forget_at, generation, intent) \
         SELECT a.id, j.value ->> 1, unhex(j.value ->> 2), 'running', 'claimed', ?3, \
         ?2 + a.advance_ms, ?2 + a.advance_ms + (j.value ->> 3), \
         ?2 + a.advance_ms + (j.value ->> 4), \
         ?2 + a.advance_ms + (j.value ->> 4) + (j.value ->> 5), \
         max(j.value ->> 6, a.forgotten), j.value ->> 7 \
         FROM json_each(?1) AS j CROSS JOIN accounts AS a ON a.id = j.value ->> 0 WHERE true \
         ON CONFLICT (account, key) DO NOTHING RETURNING account, key, lease_until, \
         generation",
    )
    .bind(Value::from(new).to_string())
    .bind(int(clock::now()))
    .bind(Token::FIRST.0)
    .fetch_all(&mut *db)
    .await?;
    done.wrote = !inserted.is_empty();
    for row in read::<Inserted>(&inserted) {
        if let Some(&at) = firsts.get(&(row.account.as_str(), row.key.as_str())) {
            done.outs[at] = Some(Claimed::fresh(row.generation, row.lease_until.map(ms)));
        }
    }
    if done.outs.iter().any(Option::is_none) {
        look(asks, &mut done.outs, db).await;
    }
    Ok(done)
}

/// Answers the claims on keys that were known, where that changes nothing.
async fn look(asks: &[&ClaimKey], outs: &mut [Option<Claimed>], db: &mut SqliteConnection) {
    let known: Vec<Value> = asks
        .iter()
        .zip(&*outs)
        .enumerate()
        .filter(|(_, (_, out))| out.is_none())
        .map(|(at, (ask, _))| json!([at, ask.account.as_str(), ask.key.as_str()]))
        .collect();
    let found = query(
        "SELECT j.value ->> 0 AS number, a.advance_ms, k.fingerprint, k.state, k.point, k.token, \
         k.claimed_at, k.lease_until, k.expires_at, k.status, k.target, k.generation \
         FROM json_each(?1) AS j CROSS JOIN keys AS k \
         ON k.account = j.value ->> 1 AND k.key = j.value ->> 2 \
         CROSS JOIN accounts AS a ON a.id = k.account",
    )
    .bind(Value::from(known).to_string())
    .fetch_all(db)
    .await
    .unwrap_or_default();
    let now = clock::now();
    for row in read::<Found>(&found) {
        let at = usize::try_from(row.number).unwrap_or(usize::MAX);
        let now = now.saturating_add(ms(row.advance_ms));
        if let Some(ask) = asks.get(at)
            && let Ok(known) = Known::try_from(row.known)
            && let Ok(Judged::Known(claimed)) = ask.judge(&known, now)
        {
            outs[at] = Some(claimed);
        }
    }
}

#[derive(FromRow)]
struct Entered {
    id: String,
    created_at: i64,
}

/// The processor's takings: one insert for all of them.
pub(super) async fn take(
    asks: &[&TakeMoney],
    begin: &'static str,
    db: &mut SqliteConnection,
) -> Result<AtOnce<Taken>, StoreError> {
    let new: Vec<Value> = asks
        .iter()
        .map(|ask| {
            json!([
                ask.id.as_str(),
                ask.account.as_str(),
                ask.processor_key.as_ref().map(ProcessorKey::as_str),
                ask.amount,
                ask.currency.code(),
                paid_name(ask.paid),
                ask.refund_of.as_ref().map(ChargeId::as_str),
                ask.reference,
                ask.intent,
                ask.description,
            ])
        })
        .collect();
    // Entries without a key never meet: NULLs are all different.
    let entered = whole(
        begin,
        "INSERT INTO ledger (id, account, processor_key, amount, currency, paid, created_at, \
         refund_of, reference, intent, description) \
         SELECT j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4, \
         j.value ->> 5, ?2 + ifnull(a.advance_ms, 0), j.value ->> 6, j.value ->> 7, \
         j.value ->> 8, j.value ->> 9 \
         FROM json_each(?1) AS j LEFT JOIN accounts AS a ON a.id = j.value ->> 1 WHERE true \
         ON CONFLICT DO NOTHING RETURNING id, created_at",
    )
    .bind(Value::from(new).to_string())
    .bind(int(clock::now()))
    .fetch_all(&mut *db)
    .await?;
    let at: HashMap<String, i64> = read(&entered)
        .map(|row: Entered| (row.id, row.created_at))
        .collect();
    let taken = |ask: &&TakeMoney| {
        let created_at = at.get(ask.id.as_str())?;
        Some(ask.taken(ms(*created_at)))
    };
    Ok(AtOnce {
        outs: asks.iter().map(taken).collect(),
        wrote: !entered.is_empty(),
    })
}

#[derive(FromRow)]
struct Saved {
    account: String,
    key: String,
}

/// Answers with their charges: the keys are updated, and the charges that
/// they speak of now are inserted.
pub(super) async fn complete(
    asks: &[&CompleteKey],
    begin: &'static str,
    db: &mut SqliteConnection,
) -> Result<AtOnce<Outcome<ChargeId>>, StoreError> {
    let mut done = AtOnce::nothing(asks.len());
    let firsts = firsts(asks, |ask| (ask.account.as_str(), ask.key.as_str()));
    let answers: Vec<Value> = firsts.values().filter_map(|&at| answer(asks[at])).collect();
    if answers.is_empty() {
        return Ok(done);
    }
    let saved = whole(
        begin,
        "UPDATE keys SET state = 'done', lease_until = NULL, status = j.value ->> 4, \
         target = j.value ->> 5 FROM json_each(?1) AS j \
         WHERE keys.account = j.value ->> 0 AND keys.key = j.value ->> 1 \
         AND ((keys.token = j.value ->> 2 AND keys.state = 'running') \
         OR (j.value ->> 3 = 0 AND keys.state <> 'tombstone')) RETURNING account, key; \
         INSERT INTO charges (id, account, amount, currency, description, paid, created_at) \
         SELECT j.value ->> 5, k.account, j.value ->> 6, j.value ->> 7, j.value ->> 8, \
         j.value ->> 9, j.value ->> 10 FROM json_each(?1) AS j CROSS JOIN keys AS k \
         ON k.account = j.value ->> 0 AND k.key = j.value ->> 1 AND k.target = j.value ->> 5 \
         WHERE true ON CONFLICT (id) DO NOTHING",
    )
    .bind(Value::from(answers).to_string())
    .fetch_all(&mut *db)
    .await?;
    done.wrote = !saved.is_empty();
    for row in read::<Saved>(&saved) {
        if let Some(&at) = firsts.get(&(row.account.as_str(), row.key.as_str())) {
            done.outs[at] = Some(Outcome::Written);
        }
    }
    Ok(done)
}

/// An answer and its charge, for the statement. `None` for one of a refund.
fn answer(ask: &CompleteKey) -> Option<Value> {
    let Made::Charge(charge) = &ask.made else {
        return None;
    };
    Some(json!([
        ask.account.as_str(),
        ask.key.as_str(),
        ask.token.0,
        i32::from(ask.fencing),
        ask.answer.status(),
        charge.id.as_str(),
        charge.amount,
        charge.currency.code(),
        charge.description,
        paid_name(charge.paid),
        int(charge.created_at),
    ]))
}
