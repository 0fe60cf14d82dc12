//! What stands in a row, whichever database it comes from.

use model::Ms;
use model::fault::Fault;
use model::money::Currency;
use model::protocol::{Answer, Fingerprint, KeyState, Outcome, Paid, Record, RecoveryPoint, Token};
use sqlx::FromRow;

use super::{Account, Charge, Entry, Intent, KeyRow, Refund, StoreError, Stuck};
use crate::charges::scoped_key::ScopedKey;
use crate::id::ChargeId;

/// The furthest that a sandbox's clock can be ahead, in ms: 100 years. Sums of
/// times then never overflow.
pub(super) const FURTHEST: Ms = 100 * 366 * 86_400_000;

/// For databases, whose integers have a sign.
pub(super) fn int(ms: Ms) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// And back.
pub(super) fn ms(int: i64) -> Ms {
    Ms::try_from(int).unwrap_or(0)
}

/// A number that was stored out of a smaller type.
fn small<T: TryFrom<i64>>(int: i64, what: &'static str) -> Result<T, StoreError> {
    T::try_from(int).map_err(|_| StoreError::Corrupt(what))
}

fn currency(code: &str) -> Result<Currency, StoreError> {
    Currency::from_code(code).ok_or(StoreError::Corrupt("currency"))
}

fn paid(name: &str) -> Result<Paid, StoreError> {
    match name {
        "succeeded" => Ok(Paid::Succeeded),
        "declined" => Ok(Paid::Declined),
        _ => Err(StoreError::Corrupt("ending")),
    }
}

pub(super) const fn paid_name(paid: Paid) -> &'static str {
    match paid {
        Paid::Succeeded => "succeeded",
        Paid::Declined => "declined",
    }
}

fn point(name: &str) -> Result<RecoveryPoint, StoreError> {
    match name {
        "claimed" => Ok(RecoveryPoint::Claimed),
        "asked" => Ok(RecoveryPoint::Asked),
        _ => Err(StoreError::Corrupt("recovery point")),
    }
}

pub(super) const fn point_name(point: RecoveryPoint) -> &'static str {
    match point {
        RecoveryPoint::Claimed => "claimed",
        RecoveryPoint::Asked => "asked",
    }
}

fn fingerprint(bytes: &[u8]) -> Result<Fingerprint, StoreError> {
    bytes
        .try_into()
        .map(Fingerprint::from_bytes)
        .map_err(|_| StoreError::Corrupt("fingerprint"))
}

#[derive(FromRow)]
pub(super) struct AccountRow {
    id: String,
    settings: String,
    faults: bool,
}

impl TryFrom<AccountRow> for Account {
    type Error = StoreError;

    fn try_from(row: AccountRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.id.into(),
            changes: serde_json::from_str(&row.settings)
                .map_err(|_| StoreError::Corrupt("setting"))?,
            faults: row.faults,
        })
    }
}

/// What is known of a key, as a claim needs it.
#[derive(FromRow)]
pub(super) struct KnownRow {
    fingerprint: Vec<u8>,
    state: String,
    point: String,
    token: i64,
    claimed_at: i64,
    lease_until: Option<i64>,
    expires_at: i64,
    status: Option<i64>,
    target: Option<String>,
    generation: i64,
}

/// A key as the protocol judges it.
pub(super) struct Known {
    pub(super) record: Record<Fingerprint, ChargeId>,
    /// How often it was taken for a new one.
    pub(super) generation: u32,
}

impl Known {
    /// What a late owner is told: the answer, if one is saved by now.
    pub(super) fn fenced(known: Option<Self>) -> Outcome<ChargeId> {
        Outcome::Fenced(known.and_then(|known| match known.record.state {
            KeyState::Done(answer) => Some(answer),
            _ => None,
        }))
    }
}

impl TryFrom<KnownRow> for Known {
    type Error = StoreError;

    fn try_from(row: KnownRow) -> Result<Self, StoreError> {
        let point = point(&row.point)?;
        let state = match row.state.as_str() {
            "running" => KeyState::Running {
                lease_until: row.lease_until.map(ms),
                point,
            },
            "released" => KeyState::Released { point },
            "done" => KeyState::Done(Answer {
                paid: match row.status {
                    Some(201) => Paid::Succeeded,
                    Some(402) => Paid::Declined,
                    _ => return Err(StoreError::Corrupt("status")),
                },
                charge: row.target.ok_or(StoreError::Corrupt("target"))?.into(),
            }),
            "tombstone" => KeyState::Tombstone,
            _ => return Err(StoreError::Corrupt("state")),
        };
        Ok(Self {
            record: Record {
                fingerprint: fingerprint(&row.fingerprint)?,
                token: Token(small(row.token, "token")?),
                claimed_at: ms(row.claimed_at),
                expires_at: ms(row.expires_at),
                state,
            },
            generation: small(row.generation, "generation")?,
        })
    }
}

/// A key as the lab lists it.
#[derive(FromRow)]
pub(super) struct ListedRow {
    key: String,
    intent: Option<String>,
    #[sqlx(flatten)]
    known: KnownRow,
}

impl TryFrom<ListedRow> for KeyRow {
    type Error = StoreError;

    fn try_from(ListedRow { key, intent, known }: ListedRow) -> Result<Self, StoreError> {
        Ok(Self {
            key,
            fingerprint: fingerprint(&known.fingerprint)?,
            state: known.state,
            point: known.point,
            token: small(known.token, "token")?,
            claimed_at: ms(known.claimed_at),
            lease_until: known.lease_until.map(ms),
            expires_at: ms(known.expires_at),
            status: known
                .status
                .map(|status| small(status, "status"))
                .transpose()?,
            charge: known.target,
            intent,
            generation: small(known.generation, "generation")?,
        })
    }
}

#[derive(FromRow)]
pub(super) struct StuckRow {
    account: String,
    key: String,
    token: i64,
    generation: i64,
}

impl TryFrom<StuckRow> for Stuck {
    type Error = StoreError;

    fn try_from(row: StuckRow) -> Result<Self, StoreError> {
        Ok(Self {
            account: row.account.into(),
            key: ScopedKey::of_stored(row.key),
            token: Token(small(row.token, "token")?),
            generation: small(row.generation, "generation")?,
        })
    }
}

#[derive(FromRow)]
pub(super) struct ChargeRow {
    id: String,
    amount: i64,
    currency: String,
    description: Option<String>,
    paid: String,
    created_at: i64,
    refunded_at: Option<i64>,
}

impl TryFrom<ChargeRow> for Charge {
    type Error = StoreError;

    fn try_from(row: ChargeRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.id.into(),
            amount: small(row.amount, "amount")?,
            currency: currency(&row.currency)?,
            description: row.description,
            paid: paid(&row.paid)?,
            created_at: ms(row.created_at),
            refunded_at: row.refunded_at.map(ms),
        })
    }
}

#[derive(FromRow)]
pub(super) struct RefundRow {
    id: String,
    charge: String,
    amount: i64,
    currency: String,
    created_at: i64,
}

impl TryFrom<RefundRow> for Refund {
    type Error = StoreError;

    fn try_from(row: RefundRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.id.into(),
            charge: row.charge.into(),
            amount: small(row.amount, "amount")?,
            currency: currency(&row.currency)?,
            created_at: ms(row.created_at),
        })
    }
}

#[derive(FromRow)]
pub(super) struct IntentRow {
    intent: String,
    amount: i64,
    currency: String,
    status: Option<i64>,
    charge: Option<String>,
}

impl TryFrom<IntentRow> for Intent {
    type Error = StoreError;

    fn try_from(row: IntentRow) -> Result<Self, StoreError> {
        Ok(Self {
            intent: row.intent,
            amount: small(row.amount, "amount")?,
            currency: currency(&row.currency)?,
            status: row
                .status
                .map(|status| small(status, "status"))
                .transpose()?,
            charge: row.charge,
        })
    }
}

#[derive(FromRow)]
pub(super) struct EntryRow {
    id: String,
    processor_key: Option<String>,
    amount: i64,
    currency: String,
    paid: String,
    created_at: i64,
    refund_of: Option<String>,
    reference: Option<String>,
    intent: Option<String>,
    description: Option<String>,
}

impl TryFrom<EntryRow> for Entry {
    type Error = StoreError;

    fn try_from(row: EntryRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.id.into(),
            processor_key: row.processor_key,
            amount: small(row.amount, "amount")?,
            currency: currency(&row.currency)?,
            paid: paid(&row.paid)?,
            refund_of: row.refund_of,
            created_at: ms(row.created_at),
            reference: row.reference,
            intent: row.intent,
            description: row.description,
        })
    }
}

pub(super) fn fault(text: &str) -> Result<Fault, StoreError> {
    serde_json::from_str(text).map_err(|_| StoreError::Corrupt("fault"))
}

pub(super) fn fault_text(fault: &Fault) -> Result<String, StoreError> {
    serde_json::to_string(fault).map_err(|_| StoreError::Corrupt("fault"))
}
