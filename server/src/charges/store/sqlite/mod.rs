//! SQLite: one file, durable on every commit.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use model::Ms;
use model::fault::Fault;
use model::protocol::{Outcome, Token};
use sqlx::ConnectOptions;
use sqlx::migrate::MigrateError;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

mod accounts;
mod bulk;
mod charges;
mod commit;
mod common {
    use sqlx::sqlite::{SqliteConnection, SqlitePool};

    crate::charges::store::common::common!(SqlitePool, SqliteConnection, intents_by = "rowid");
}
mod keys;
mod ledger;
mod orders;
mod reads;
mod upkeep;
mod writer;

use self::writer::Writer;
use super::{
    Account, ChangeSettings, Charge, ClaimKey, Claimed, CompleteKey, Entry, Intent, KeyRow, Ledger,
    Made, OpenError, Purged, Refund, ReleaseKey, RenewLease, Store, StoreError, Stuck, TakeMoney,
    Taken,
};
use crate::id::{AccountId, ChargeId};

/// After how many pages of 4 KiB the log is written back into the file. Pages that many
/// commits have changed are then written back once.
const CHECKPOINT_PAGES: &str = "10000";
/// Memory for the pages of the writing connection; SQLite takes a negative number as KiB.
/// With its 2 MiB it reads pages again and again that the next commit changes.
const CACHE_KIB: &str = "-32768";

/// A store in one SQLite file.
#[derive(Debug)]
pub(super) struct Sqlite {
    writer: Writer,
    /// Look-ups that every request makes.
    lookups: Writer,
    readers: SqlitePool,
}

impl Sqlite {
    /// Opens the file, makes it when there is none, and brings its schema up to date.
    ///
    /// # Errors
    /// [`OpenError`] when it cannot be used.
    pub(super) async fn open(path: &Path) -> Result<Self, OpenError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .foreign_keys(true)
            .journal_mode(SqliteJournalMode::Wal)
            // In WAL mode, NORMAL could lose the last commits with the power.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(Duration::from_secs(5));
        let mut db = options
            .clone()
            .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
            .pragma("cache_size", CACHE_KIB)
            .connect()
            .await
            .map_err(|error| OpenError::File(plain(&error)))?;
        sqlx::migrate!("migrations/sqlite")
            .run(&mut db)
            .await
            .map_err(|error| match error {
                MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
                    OpenError::Newer
                }
                MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                    OpenError::File(plain(&error))
                }
                other => OpenError::File(other.to_string()),
            })?;
        let options = options.pragma("query_only", "ON");
        let lookups = options
            .connect()
            .await
            .map_err(|error| OpenError::File(plain(&error)))?;
        let readers = SqlitePoolOptions::new()
            .max_connections(4)
            .acquire_timeout(Duration::from_secs(10))
            .connect_with(options)
            .await
            .map_err(|error| OpenError::File(plain(&error)))?;
        Ok(Self {
            writer: Writer::start(db),
            lookups: Writer::start(lookups),
            readers,
        })
    }

    /// Commits what waits and closes the file.
    pub(super) async fn close(&self) {
        // The readers first: the last connection to close tidies the log away.
        self.readers.close().await;
        self.lookups.close().await;
        self.writer.close().await;
    }
}

/// What SQLite said, in one line and without its codes.
fn plain(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    }
}

#[async_trait]
impl Store for Sqlite {
    async fn create_account(&self, id: AccountId, token_hash: [u8; 32]) -> Result<(), StoreError> {
        self.writer.run(accounts::Create { id, token_hash }).await
    }

    async fn account(&self, token_hash: [u8; 32]) -> Result<Option<Account>, StoreError> {
        self.lookups.run(reads::ByToken(token_hash)).await
    }

    async fn count_accounts(&self) -> Result<u32, StoreError> {
        common::count_accounts(&self.readers).await
    }

    async fn change(&self, ask: ChangeSettings) -> Result<bool, StoreError> {
        self.writer.run(ask).await
    }

    async fn advance(&self, id: AccountId, by_ms: Ms) -> Result<Ms, StoreError> {
        self.writer.run(accounts::Advance { id, by_ms }).await
    }

    async fn reset(&self, id: AccountId) -> Result<(), StoreError> {
        self.writer.run(accounts::Reset { id }).await
    }

    async fn now(&self, id: &AccountId) -> Result<Ms, StoreError> {
        let mut db = self.readers.acquire().await?;
        accounts::now(&mut db, id).await
    }

    async fn claim(&self, ask: ClaimKey) -> Result<Claimed, StoreError> {
        self.writer.run(ask).await
    }

    async fn look_up(&self, ask: &ClaimKey) -> Result<Outcome<ChargeId>, StoreError> {
        keys::look_up(&self.readers, ask).await
    }

    async fn force(&self, ask: ClaimKey) -> Result<Claimed, StoreError> {
        self.writer.run(keys::Force(ask)).await
    }

    async fn complete(&self, ask: CompleteKey) -> Result<Outcome<ChargeId>, StoreError> {
        self.writer.run(ask).await
    }

    async fn release(&self, ask: ReleaseKey) -> Result<Outcome<ChargeId>, StoreError> {
        self.writer.run(ask).await
    }

    async fn renew(&self, ask: RenewLease) -> Result<bool, StoreError> {
        self.writer.run(ask).await
    }

    async fn keys(&self, id: &AccountId, limit: u32) -> Result<Vec<KeyRow>, StoreError> {
        common::keys(&self.readers, id, limit).await
    }

    async fn insert(&self, account: AccountId, made: Made) -> Result<(), StoreError> {
        self.writer.run(charges::Insert { account, made }).await
    }

    async fn refund(&self, id: &AccountId, refund: &str) -> Result<Option<Refund>, StoreError> {
        common::refund(&self.readers, id, refund).await
    }

    async fn charge(&self, id: &AccountId, charge: &str) -> Result<Option<Charge>, StoreError> {
        let (account, charge) = (id.clone(), charge.to_owned());
        self.lookups.run(reads::ById { account, charge }).await
    }

    async fn charges(
        &self,
        id: &AccountId,
        limit: u32,
        after: Option<&str>,
    ) -> Result<Option<Vec<Charge>>, StoreError> {
        common::charges(&self.readers, id, limit, after).await
    }

    async fn seen(&self, accounts: Vec<AccountId>) -> Result<(), StoreError> {
        self.writer.run(upkeep::Seen { accounts }).await
    }

    async fn records(&self, id: &AccountId) -> Result<u64, StoreError> {
        upkeep::records(&self.readers, id).await
    }

    async fn bury(&self, limit: u32) -> Result<u64, StoreError> {
        self.writer.run(upkeep::Bury { limit }).await
    }

    async fn forget(&self, limit: u32) -> Result<u64, StoreError> {
        self.writer.run(upkeep::Forget { limit }).await
    }

    async fn stuck(&self, limit: u32) -> Result<Vec<Stuck>, StoreError> {
        upkeep::stuck(&self.readers, limit).await
    }

    async fn seize(&self, stuck: Stuck, lease_ms: Ms) -> Result<Option<Token>, StoreError> {
        self.writer.run(upkeep::Seize { stuck, lease_ms }).await
    }

    async fn close_idle(&self, idle_ms: Ms, limit: u32) -> Result<(), StoreError> {
        self.writer.run(upkeep::CloseIdle { idle_ms, limit }).await
    }

    async fn closed(&self, limit: u32) -> Result<Vec<AccountId>, StoreError> {
        common::closed(&self.readers, limit).await
    }

    async fn purge(&self, account: AccountId, limit: u32) -> Result<Purged, StoreError> {
        self.writer.run(upkeep::Purge { account, limit }).await
    }

    async fn forget_pod(&self, account: AccountId, pod: u32) -> Result<(), StoreError> {
        self.writer.run(upkeep::ForgetPod { account, pod }).await
    }

    async fn intend(&self, account: AccountId, intent: Intent) -> Result<(), StoreError> {
        self.writer.run(charges::Intend { account, intent }).await
    }

    async fn intents(&self, id: &AccountId) -> Result<Vec<Intent>, StoreError> {
        common::intents(&self.readers, id).await
    }

    async fn queue_faults(&self, id: AccountId, faults: Vec<Fault>) -> Result<bool, StoreError> {
        self.writer.run(accounts::QueueFaults { id, faults }).await
    }

    async fn take_fault(&self, id: AccountId) -> Result<Fault, StoreError> {
        self.writer.run(accounts::TakeFault { id }).await
    }

    async fn queued_faults(&self, id: &AccountId) -> Result<Vec<Fault>, StoreError> {
        common::queued_faults(&self.readers, id).await
    }

    async fn clear_faults(&self, id: AccountId) -> Result<(), StoreError> {
        self.writer.run(accounts::ClearFaults { id }).await
    }

    async fn ready(&self) -> Result<(), StoreError> {
        common::ready(&self.readers).await
    }
}

#[async_trait]
impl Ledger for Sqlite {
    async fn take(&self, ask: TakeMoney) -> Result<Taken, StoreError> {
        self.writer.run(ask).await
    }

    async fn entries(&self, id: &AccountId) -> Result<Vec<Entry>, StoreError> {
        common::entries(&self.readers, id).await
    }

    async fn by_reference(
        &self,
        id: &AccountId,
        reference: &str,
    ) -> Result<Option<Entry>, StoreError> {
        common::by_reference(&self.readers, id, reference).await
    }

    async fn clear(&self, account: AccountId) -> Result<(), StoreError> {
        self.writer.run(ledger::Clear { account }).await
    }
}
