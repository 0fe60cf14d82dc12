//! Settles what got stuck at a processor that takes no keys.
//!
//! Nobody may simply ask such a processor again: it would charge again. Its books
//! say by reference whether it has charged, so they are asked first. Until then
//! the key answers 409.

use super::driver::Driver;
use super::store::{CompleteKey, Entry, Ledger, Made, ReleaseKey, Store, StoreError, Stuck};
use crate::metrics::Metrics;
use model::Ms;
use model::protocol::{Answer, Outcome, RecoveryPoint};

/// The most that one round takes on.
const BATCH: u32 = 100;
/// How long the sweeper itself may take for one record, in ms.
const LEASE_MS: Ms = 5_000;

/// Settles the records that are stuck now.
///
/// # Errors
/// [`StoreError`] when the store fails; what was seized gets stuck again and is
/// taken on by a later round.
pub(crate) async fn sweep(
    store: &dyn Store,
    ledger: &dyn Ledger,
    driver: &Driver,
    metrics: &Metrics,
) -> Result<(), StoreError> {
    for stuck in store.stuck(BATCH).await? {
        if let Some(how) = settle(store, ledger, &stuck).await? {
            metrics.swept(how);
            driver.ring(&stuck.account, &stuck.key);
            tracing::info!(account = %stuck.account, outcome = how, "a stuck key was settled");
        }
    }
    Ok(())
}

async fn settle(
    store: &dyn Store,
    ledger: &dyn Ledger,
    stuck: &Stuck,
) -> Result<Option<&'static str>, StoreError> {
    // The fencing token is raised first: of two sweepers one goes on, and the old
    // owner, should it still live, can write nothing any more.
    let Some(token) = store.seize(stuck.clone(), LEASE_MS).await? else {
        return Ok(None);
    };
    let reference = stuck.key.reference(stuck.generation);
    let (account, key) = (stuck.account.clone(), stuck.key.clone());
    let (outcome, how) = match ledger.by_reference(&account, &reference).await? {
        Some(entry) => {
            let answer = Answer {
                paid: entry.paid,
                charge: entry.id.clone(),
            };
            let ask = CompleteKey {
                account,
                key,
                token,
                answer,
                made: made(entry),
                fencing: true,
            };
            (store.complete(ask).await?, "completed")
        }
        None => {
            let ask = ReleaseKey {
                account,
                key,
                token,
                point: RecoveryPoint::Claimed,
            };
            (store.release(ask).await?, "released")
        }
    };
    Ok((outcome == Outcome::Written).then_some(how))
}

/// What the attempt that died would have written down.
fn made(entry: Entry) -> Made {
    use super::store::{Charge, Refund};
    match entry.refund_of {
        Some(charge) => Made::Refund(Refund {
            id: entry.id,
            charge: charge.into(),
            amount: entry.amount,
            currency: entry.currency,
            created_at: entry.created_at,
        }),
        None => Made::Charge(Charge {
            id: entry.id,
            amount: entry.amount,
            currency: entry.currency,
            description: entry.description,
            paid: entry.paid,
            created_at: entry.created_at,
            refunded_at: None,
        }),
    }
}
