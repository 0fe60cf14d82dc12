//! PostgreSQL: one database that several servers share.
//!
//! Its clock judges all times, inside the statements. Isolation is READ COMMITTED:
//! what has to be judged and written as one is one statement, or is judged again
//! under a row lock. Locks are taken in the order in which the tables are declared
//! below an account: keys, refunds, charges; messages, consumed, orders, changes.

mod accounts;
mod common {
    use sqlx::postgres::{PgConnection, PgPool};

    crate::charges::store::common::common!(PgPool, PgConnection, intents_by = "number");
}
mod connect;
mod keys;
mod ledger;
mod lookups;
mod orders;
mod upkeep;

use async_trait::async_trait;
use model::Ms;
use model::fault::Fault;
use model::protocol::{Outcome, Token};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;

use self::connect::Connections;
use super::{
    Account, ChangeSettings, Charge, ClaimKey, Claimed, CompleteKey, Intent, KeyRow, Made,
    OpenError, Purged, Refund, ReleaseKey, RenewLease, Store, StoreError, Stuck,
};
use crate::id::{AccountId, ChargeId};

/// Connections for accounts, keys, charges and orders. Four servers, with what the
/// books and the live traces take, stay under the 100 that PostgreSQL allows by
/// default.
const OURS: u32 = 16;
/// Connections for the card processor's books.
const BOOKS: u32 = 6;
/// What the connections are called in `pg_stat_activity`.
const NAME: &str = "charge-once";

/// A store in PostgreSQL.
#[derive(Debug)]
pub(super) struct Postgres {
    ours: Connections,
    /// The card processor is another company: nothing of it ever shares a
    /// connection, let alone a transaction, with what is ours.
    books: Connections,
}

impl Postgres {
    /// Connects, and brings the schema up to date.
    pub(super) async fn open(options: &PgConnectOptions) -> Result<Self, OpenError> {
        let options = match options.get_application_name() {
            Some(_) => options.clone(),
            None => options.clone().application_name(NAME),
        };
        connect::migrate(&options).await?;
        let [ours, books] = Connections::two(&options, [OURS, BOOKS]);
        Ok(Self { ours, books })
    }

    /// The connections for what is ours.
    pub(super) const fn pool(&self) -> &PgPool {
        self.ours.pool()
    }

    pub(super) async fn close(&self) {
        tokio::join!(self.ours.pool().close(), self.books.pool().close());
    }
}

/// PostgreSQL's texts hold no U+0000, so nothing is stored under a name with one.
fn no_name(id: &str) -> bool {
    id.contains('\0')
}

#[async_trait]
impl Store for Postgres {
    async fn create_account(&self, id: AccountId, token_hash: [u8; 32]) -> Result<(), StoreError> {
        let create = || accounts::create(self.pool(), &id, &token_hash);
        self.ours.run(create).await
    }

    async fn account(&self, token_hash: [u8; 32]) -> Result<Option<Account>, StoreError> {
        let account = || lookups::account(self.pool(), &token_hash);
        self.ours.read(account).await
    }

    async fn count_accounts(&self) -> Result<u32, StoreError> {
        self.ours.read(|| common::count_accounts(self.pool())).await
    }

    async fn change(&self, ask: ChangeSettings) -> Result<bool, StoreError> {
        let change = async || common::change(&mut *self.pool().acquire().await?, &ask).await;
        self.ours.run(change).await
    }

    async fn advance(&self, id: AccountId, by_ms: Ms) -> Result<Ms, StoreError> {
        let advance = || accounts::advance(self.pool(), &id, by_ms);
        self.ours.run(advance).await
    }

    async fn reset(&self, id: AccountId) -> Result<(), StoreError> {
        self.ours.run(|| accounts::reset(self.pool(), &id)).await
    }

    async fn now(&self, id: &AccountId) -> Result<Ms, StoreError> {
        self.ours.read(|| accounts::now(self.pool(), id)).await
    }

    async fn claim(&self, ask: ClaimKey) -> Result<Claimed, StoreError> {
        self.ours.run(|| keys::claim(self.pool(), &ask)).await
    }

    async fn look_up(&self, ask: &ClaimKey) -> Result<Outcome<ChargeId>, StoreError> {
        self.ours.read(|| keys::look_up(self.pool(), ask)).await
    }

    async fn force(&self, ask: ClaimKey) -> Result<Claimed, StoreError> {
        self.ours.run(|| keys::force(self.pool(), &ask)).await
    }

    async fn complete(&self, ask: CompleteKey) -> Result<Outcome<ChargeId>, StoreError> {
        self.ours.run(|| keys::complete(self.pool(), &ask)).await
    }

    async fn release(&self, ask: ReleaseKey) -> Result<Outcome<ChargeId>, StoreError> {
        self.ours.run(|| keys::release(self.pool(), &ask)).await
    }

    async fn renew(&self, ask: RenewLease) -> Result<bool, StoreError> {
        self.ours.run(|| keys::renew(self.pool(), &ask)).await
    }

    async fn keys(&self, id: &AccountId, limit: u32) -> Result<Vec<KeyRow>, StoreError> {
        self.ours
            .read(|| common::keys(self.pool(), id, limit))
            .await
    }

    async fn insert(&self, id: AccountId, made: Made) -> Result<(), StoreError> {
        self.ours
            .run(|| keys::insert(self.pool(), &id, &made))
            .await
    }

    async fn refund(&self, id: &AccountId, refund: &str) -> Result<Option<Refund>, StoreError> {
        if no_name(refund) {
            return Ok(None);
        }
        let refund = || common::refund(self.pool(), id, refund);
        self.ours.read(refund).await
    }

    async fn charge(&self, id: &AccountId, charge: &str) -> Result<Option<Charge>, StoreError> {
        if no_name(charge) {
            return Ok(None);
        }
        let charge = || lookups::charge(self.pool(), id, charge);
        self.ours.read(charge).await
    }

    async fn charges(
        &self,
        id: &AccountId,
        limit: u32,
        after: Option<&str>,
    ) -> Result<Option<Vec<Charge>>, StoreError> {
        if after.is_some_and(no_name) {
            return Ok(None);
        }
        let charges = || common::charges(self.pool(), id, limit, after);
        self.ours.read(charges).await
    }

    async fn seen(&self, accounts: Vec<AccountId>) -> Result<(), StoreError> {
        self.ours.run(|| upkeep::seen(self.pool(), &accounts)).await
    }

    async fn records(&self, id: &AccountId) -> Result<u64, StoreError> {
        self.ours.read(|| upkeep::records(self.pool(), id)).await
    }

    async fn bury(&self, limit: u32) -> Result<u64, StoreError> {
        self.ours.run(|| upkeep::bury(self.pool(), limit)).await
    }

    async fn forget(&self, limit: u32) -> Result<u64, StoreError> {
        self.ours.run(|| upkeep::forget(self.pool(), limit)).await
    }

    async fn stuck(&self, limit: u32) -> Result<Vec<Stuck>, StoreError> {
        self.ours.read(|| upkeep::stuck(self.pool(), limit)).await
    }

    async fn seize(&self, stuck: Stuck, lease_ms: Ms) -> Result<Option<Token>, StoreError> {
        let seize = || upkeep::seize(self.pool(), &stuck, lease_ms);
        self.ours.run(seize).await
    }

    async fn close_idle(&self, idle_ms: Ms, limit: u32) -> Result<(), StoreError> {
        let close = || upkeep::close_idle(self.pool(), idle_ms, limit);
        self.ours.run(close).await
    }

    async fn closed(&self, limit: u32) -> Result<Vec<AccountId>, StoreError> {
        self.ours.read(|| common::closed(self.pool(), limit)).await
    }

    async fn purge(&self, id: AccountId, limit: u32) -> Result<Purged, StoreError> {
        self.ours
            .run(|| upkeep::purge(self.pool(), &id, limit))
            .await
    }

    async fn forget_pod(&self, id: AccountId, pod: u32) -> Result<(), StoreError> {
        let forget = || upkeep::forget_pod(self.pool(), &id, pod);
        self.ours.run(forget).await
    }

    async fn intend(&self, id: AccountId, intent: Intent) -> Result<(), StoreError> {
        let intend =
            async || common::intend(&mut *self.pool().acquire().await?, &id, &intent).await;
        self.ours.run(intend).await
    }

    async fn intents(&self, id: &AccountId) -> Result<Vec<Intent>, StoreError> {
        self.ours.read(|| common::intents(self.pool(), id)).await
    }

    async fn queue_faults(&self, id: AccountId, faults: Vec<Fault>) -> Result<bool, StoreError> {
        let queue = || accounts::queue_faults(self.pool(), &id, &faults);
        self.ours.run(queue).await
    }

    async fn take_fault(&self, id: AccountId) -> Result<Fault, StoreError> {
        self.ours
            .run(|| accounts::take_fault(self.pool(), &id))
            .await
    }

    async fn queued_faults(&self, id: &AccountId) -> Result<Vec<Fault>, StoreError> {
        let queued = || common::queued_faults(self.pool(), id);
        self.ours.read(queued).await
    }

    async fn clear_faults(&self, id: AccountId) -> Result<(), StoreError> {
        let clear = async || common::clear_faults(&mut *self.pool().acquire().await?, &id).await;
        self.ours.run(clear).await
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.ours.read(|| common::ready(self.pool())).await
    }
}
