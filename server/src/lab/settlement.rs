//! `GET /lab/settlement`: the payments that clients meant against what the card
//! processor really did, as one reconciles the two at the end of a day.

use std::collections::{BTreeMap, HashSet};

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::{Json, extract};
use model::money::Currency;
use model::protocol::Paid;
use serde::{Deserialize, Serialize};

use crate::accounts::Known;
use crate::charges::scoped_key::ScopedKey;
use crate::charges::store::{Charge, Entry, Intent, KeyRow};
use crate::problem::{Kind, Problem};
use crate::state::App;

/// The most records that are compared.
const MOST: u32 = 100_000;

/// What is to be said of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    /// Meant once, taken once, and our books say so.
    Settled,
    /// The card was declined.
    Declined,
    /// Nothing is taken, and nobody was told that it is.
    Pending,
    /// Taken more than once.
    Duplicate,
    /// The client was told that it paid, and nothing is taken for it.
    Missing,
    /// Taken, and our books do not know of it: a retry or the sweeper has to find it.
    Orphaned,
}

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Declined => "declined",
            Self::Pending => "pending",
            Self::Duplicate => "duplicate",
            Self::Missing => "missing",
            Self::Orphaned => "orphaned",
        }
    }
}

#[derive(Debug, Default)]
struct Found {
    amount: Option<u32>,
    currency: Option<Currency>,
    status: Option<u16>,
    charge: Option<String>,
    taken: Vec<String>,
    declined: bool,
}

#[derive(Debug, Serialize)]
struct Payment {
    intent: String,
    amount: Option<u32>,
    currency: Option<Currency>,
    verdict: Verdict,
    told_status: Option<u16>,
    told_charge: Option<String>,
    taken: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
struct Totals {
    intended: usize,
    taken: usize,
    settled: usize,
    declined: usize,
    pending: usize,
    duplicates: usize,
    missing: usize,
    orphaned: usize,
}

#[derive(Debug, Serialize)]
struct Report {
    /// No duplicate, nothing missing, nothing orphaned.
    clean: bool,
    totals: Totals,
    payments: Vec<Payment>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Form {
    format: Option<String>,
}

pub(super) async fn settlement(
    State(app): State<App>,
    account: Known,
    headers: HeaderMap,
    form: Result<Query<Form>, extract::rejection::QueryRejection>,
) -> Result<Response, Problem> {
    let bad = || Problem::new(Kind::BadRequest, "`format` has to be json or csv.");
    let Query(form) = form.map_err(|_| bad())?;
    let csv = match form.format.as_deref() {
        Some("csv") => true,
        Some("json") => false,
        Some(_) => return Err(bad()),
        None => headers
            .get(ACCEPT)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.starts_with("text/csv")),
    };
    let intents = app.store.intents(&account.id).await?;
    let keys = app.store.keys(&account.id, MOST).await?;
    let charges = app.store.charges(&account.id, MOST, None).await?;
    let entries = app.ledger.entries(&account.id).await?;
    let report = compare(intents, keys, &charges.unwrap_or_default(), entries);
    if !csv {
        return Ok(Json(report).into_response());
    }
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8; header=present"),
        (CONTENT_DISPOSITION, "inline; filename=\"settlement.csv\""),
    ];
    Ok((headers, report.csv()).into_response())
}

/// What a reference names. An expired key that was taken for a new one still names
/// the same payment; two windows of a temporary key are two.
fn payment_of(reference: &str) -> &str {
    let temporary = reference
        .split_once(' ')
        .is_some_and(|(scope, _)| scope.ends_with("auto"));
    match reference.rsplit_once(" again=") {
        Some((payment, _)) if !temporary => payment,
        _ => reference,
    }
}

fn compare(
    intents: Vec<Intent>,
    keys: Vec<KeyRow>,
    charges: &[Charge],
    entries: Vec<Entry>,
) -> Report {
    let known: HashSet<&str> = charges.iter().map(|charge| charge.id.as_str()).collect();
    let mut found = BTreeMap::<String, Found>::new();
    for intent in intents {
        let line = found.entry(intent.intent).or_default();
        line.amount = Some(intent.amount);
        line.currency = Some(intent.currency);
        line.status = intent.status;
        line.charge = intent.charge;
    }
    for key in keys {
        // A refund is no payment.
        if key
            .charge
            .as_deref()
            .is_some_and(|id| id.starts_with("re_"))
        {
            continue;
        }
        let reference = ScopedKey::of_stored(key.key).reference(key.generation);
        match key.intent {
            // What this client was told is noted with its intent.
            Some(intent) => {
                found.entry(intent).or_default();
            }
            None => {
                let line = found.entry(payment_of(&reference).to_owned()).or_default();
                line.status = line.status.or(key.status);
                line.charge = line.charge.take().or(key.charge);
            }
        }
    }
    for entry in entries {
        if entry.refund_of.is_some() {
            continue;
        }
        let name = entry.intent.or(entry.reference);
        let name = name.unwrap_or_else(|| entry.id.to_string());
        let line = found.entry(payment_of(&name).to_owned()).or_default();
        line.amount.get_or_insert(entry.amount);
        line.currency.get_or_insert(entry.currency);
        match entry.paid {
            Paid::Succeeded => line.taken.push(entry.id.to_string()),
            Paid::Declined => line.declined = true,
        }
    }
    let payments: Vec<_> = found
        .into_iter()
        .map(|(intent, line)| Payment {
            verdict: line.verdict(&known),
            intent,
            amount: line.amount,
            currency: line.currency,
            told_status: line.status,
            told_charge: line.charge,
            taken: line.taken,
        })
        .collect();
    let count = |verdict| {
        payments
            .iter()
            .filter(|payment| payment.verdict == verdict)
            .count()
    };
    let totals = Totals {
        intended: payments.len(),
        taken: payments.iter().map(|payment| payment.taken.len()).sum(),
        settled: count(Verdict::Settled),
        declined: count(Verdict::Declined),
        pending: count(Verdict::Pending),
        duplicates: count(Verdict::Duplicate),
        missing: count(Verdict::Missing),
        orphaned: count(Verdict::Orphaned),
    };
    Report {
        clean: totals.duplicates + totals.missing + totals.orphaned == 0,
        totals,
        payments,
    }
}

impl Found {
    fn verdict(&self, known: &HashSet<&str>) -> Verdict {
        match self.taken.as_slice() {
            [] if self.status == Some(201) => Verdict::Missing,
            [] if self.declined => Verdict::Declined,
            [] => Verdict::Pending,
            [one] if known.contains(one.as_str()) => Verdict::Settled,
            [_] => Verdict::Orphaned,
            _ => Verdict::Duplicate,
        }
    }
}

impl Report {
    fn csv(&self) -> String {
        let mut text =
            String::from("intent,amount,currency,verdict,told_status,told_charge,taken\r\n");
        for payment in &self.payments {
            let fields = [
                cell(&payment.intent),
                payment.amount.map(|n| n.to_string()).unwrap_or_default(),
                payment.currency.map_or("", Currency::code).to_owned(),
                payment.verdict.word().to_owned(),
                payment
                    .told_status
                    .map(|n| n.to_string())
                    .unwrap_or_default(),
                payment.told_charge.clone().unwrap_or_default(),
                payment.taken.join(" "),
            ];
            text.push_str(&fields.join(","));
            text.push_str("\r\n");
        }
        text
    }
}

/// A field that a client wrote: quoted, and no formula to a spreadsheet.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_names_its_payment() {
        assert_eq!(payment_of("k"), "k");
        assert_eq!(payment_of("k again=2"), "k");
        assert_eq!(payment_of("user=bob k again=2"), "user=bob k");
        assert_eq!(payment_of("auto 00ff again=17"), "auto 00ff again=17");
        assert_eq!(cell("=1+\"x\""), "\"'=1+\"\"x\"\"\"");
    }
}
