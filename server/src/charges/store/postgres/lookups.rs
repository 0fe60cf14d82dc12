//! Look-ups that every request makes.

use sqlx::postgres::PgPool;
use sqlx::query_as;

use crate::charges::store::rows::{AccountRow, ChargeRow};
use crate::charges::store::{Account, Charge, StoreError};
use crate::id::AccountId;

pub(super) async fn account(db: &PgPool, token_hash: &[u8]) -> Result<Option<Account>, StoreError> {
    query_as::<_, AccountRow>(
        "SELECT id, settings, \
         EXISTS (SELECT 1 FROM faults WHERE account = accounts.id) AS faults \
         FROM accounts WHERE token_hash = $1 AND closed_at IS NULL",
    )
    .bind(token_hash)
    .fetch_optional(db)
    .await?
    .map(Account::try_from)
    .transpose()
}

pub(super) async fn charge(
    db: &PgPool,
    account: &AccountId,
    id: &str,
) -> Result<Option<Charge>, StoreError> {
    query_as::<_, ChargeRow>(
        "SELECT id, amount, currency, description, paid, created_at, refunded_at \
         FROM charges WHERE id = $1 AND account = $2",
    )
    .bind(id)
    .bind(account.as_str())
    .fetch_optional(db)
    .await?
    .map(Charge::try_from)
    .transpose()
}
