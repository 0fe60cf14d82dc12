//! Many claims, takings and savings in few statements.
//!
//! Each statement to SQLite costs two changes of thread, which is more than what
//! SQLite does for one row. So work of one kind goes through one statement, over a
//! JSON array with an element for each. What that statement did not settle (a
//! takeover, a conflict, a second claim of one key in the same batch) is done by
//! itself afterwards.

use std::collections::HashMap;

use model::protocol::{Outcome, ProcessorKey, Token};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnection;
use sqlx::{FromRow, query_as};

use super::writer::Write;
use crate::charges::store::judge::Judged;
use crate::charges::store::rows::{Known, KnownRow, int, ms, paid_name};
use crate::charges::store::{ClaimKey, Claimed, CompleteKey, Made, StoreError, TakeMoney, Taken};
use crate::clock;
use crate::id::ChargeId;

/// What a key is unique in.
type Place<'a> = (&'a str, &'a str);

/// Makes the work that no statement settled, one after the other.
async fn rest<W: Write>(
    works: &[&W],
    outs: Vec<Option<W::Out>>,
    db: &mut SqliteConnection,
) -> Result<Vec<W::Out>, StoreError> {
    let mut all = Vec::with_capacity(outs.len());
    for (work, out) in works.iter().zip(outs) {
        all.push(match out {
            Some(out) => out,
            None => work.run(db).await?,
        });
    }
    Ok(all)
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
    db: &mut SqliteConnection,
) -> Result<Vec<Claimed>, StoreError> {
    let mut outs: Vec<Option<Claimed>> = asks.iter().map(|_| None).collect();
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
    let now = clock::now();
    let inserted: Vec<Inserted> = query_as(
        "INSERT INTO keys (account, key, fingerprint, state, point, token, claimed_at, \
         lease_until, expires_at, forget_at, generation, intent) \
         SELECT a.id, j.value ->> 1, unhex(j.value ->> 2), 'running', 'claimed', ?3, \
         ?2 + a.advance_ms, ?2 + a.advance_ms + (j.value ->> 3), \
         ?2 + a.advance_ms + (j.value ->> 4), \
         ?2 + a.advance_ms + (j.value ->> 4) + (j.value ->> 5), max(j.value ->> 6, a.forgotten), j.value ->> 7 \
         FROM json_each(?1) AS j CROSS JOIN accounts AS a ON a.id = j.value ->> 0 WHERE true \
         ON CONFLICT (account, key) DO NOTHING RETURNING account, key, lease_until, \
         generation",
    )
    .bind(Value::from(new).to_string())
    .bind(int(now))
    .bind(Token::FIRST.0)
    .fetch_all(&mut *db)
    .await?;
    for row in inserted {
        if let Some(&at) = firsts.get(&(row.account.as_str(), row.key.as_str())) {
            outs[at] = Some(Claimed::fresh(row.generation, row.lease_until.map(ms)));
        }
    }
    let known: Vec<Value> = asks
        .iter()
        .enumerate()
        .filter(|(at, _)| outs[*at].is_none())
        .map(|(at, ask)| json!([at, ask.account.as_str(), ask.key.as_str()]))
        .collect();
    if known.is_empty() {
        return rest(asks, outs, db).await;
    }
    let found: Vec<Found> = query_as(
        "SELECT j.value ->> 0 AS number, a.advance_ms, k.fingerprint, k.state, k.point, k.token, \
         k.claimed_at, k.lease_until, k.expires_at, k.status, k.target, k.generation \
         FROM json_each(?1) AS j CROSS JOIN keys AS k \
         ON k.account = j.value ->> 1 AND k.key = j.value ->> 2 \
         CROSS JOIN accounts AS a ON a.id = k.account",
    )
    .bind(Value::from(known).to_string())
    .fetch_all(&mut *db)
    .await?;
    for row in found {
        let at = usize::try_from(row.number).unwrap_or(usize::MAX);
        let now = now.saturating_add(ms(row.advance_ms));
        if let Some(ask) = asks.get(at)
            && let Judged::Known(claimed) = ask.judge(&Known::try_from(row.known)?, now)?
        {
            outs[at] = Some(claimed);
        }
    }
    rest(asks, outs, db).await
}

#[derive(FromRow)]
struct Entered {
    id: String,
    created_at: i64,
}

/// The processor's takings: one insert for all of them.
pub(super) async fn take(
    asks: &[&TakeMoney],
    db: &mut SqliteConnection,
) -> Result<Vec<Taken>, StoreError> {
    let mut outs: Vec<Option<Taken>> = asks.iter().map(|_| None).collect();
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
    let entered: Vec<Entered> = query_as(
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
    let at: HashMap<&str, i64> = entered
        .iter()
        .map(|row| (row.id.as_str(), row.created_at))
        .collect();
    for (ask, out) in asks.iter().zip(&mut outs) {
        *out = at
            .get(ask.id.as_str())
            .map(|&created_at| ask.taken(ms(created_at)));
    }
    rest(asks, outs, db).await
}

#[derive(FromRow)]
struct Saved {
    account: String,
    key: String,
}

/// Answers with their charges, in one text: the keys are updated, and the charges that
/// they speak of now are inserted.
pub(super) async fn complete(
    asks: &[&CompleteKey],
    db: &mut SqliteConnection,
) -> Result<Vec<Outcome<ChargeId>>, StoreError> {
    let mut outs: Vec<Option<Outcome<ChargeId>>> = asks.iter().map(|_| None).collect();
    let firsts = firsts(asks, |ask| (ask.account.as_str(), ask.key.as_str()));
    let answers: Vec<Value> = firsts.values().filter_map(|&at| answer(asks[at])).collect();
    if answers.is_empty() {
        return rest(asks, outs, db).await;
    }
    let saved: Vec<Saved> = query_as(
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
    for row in &saved {
        if let Some(&at) = firsts.get(&(row.account.as_str(), row.key.as_str())) {
            outs[at] = Some(Outcome::Written);
        }
    }
    rest(asks, outs, db).await
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
