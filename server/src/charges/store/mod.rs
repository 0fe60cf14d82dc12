//! Where accounts, keys and charges are kept, and the books of the card processor.
//!
//! SQLite and PostgreSQL implement the same traits. The store's clock judges leases
//! and retention: no method takes the time from its caller.

mod common;
mod judge;
mod open;
mod orders;
mod postgres;
mod rows;
mod sqlite;
mod types;

pub use open::{Opened, open};
pub use types::{
    Account, ChangeSettings, Charge, ClaimKey, Claimed, CompleteKey, Entry, Intent, KeyRow, Made,
    OpenError, Purged, Refund, ReleaseKey, RenewLease, StoreError, Stuck, TakeMoney, Taken,
};

use async_trait::async_trait;
use model::Ms;
use model::fault::Fault;
use model::protocol::{Outcome, Token};

use crate::id::{AccountId, ChargeId};

/// The most faults that one account can have queued.
pub const MOST_FAULTS: u64 = 100;

/// Accounts, keys and charges.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Makes an account. `token_hash` is the SHA-256 of its token.
    async fn create_account(&self, id: AccountId, token_hash: [u8; 32]) -> Result<(), StoreError>;
    /// The account with this token.
    async fn account(&self, token_hash: [u8; 32]) -> Result<Option<Account>, StoreError>;
    /// How many accounts there are.
    async fn count_accounts(&self) -> Result<u32, StoreError>;
    /// Saves what an account changed. False when somebody else changed something since
    /// it was read, which would be undone.
    async fn change(&self, ask: ChangeSettings) -> Result<bool, StoreError>;
    /// Moves the account's clock forward, and gives how far it is ahead in all.
    async fn advance(&self, id: AccountId, by_ms: Ms) -> Result<Ms, StoreError>;
    /// Empties an account: keys and charges.
    async fn reset(&self, id: AccountId) -> Result<(), StoreError>;
    /// Now, by the account's clock.
    async fn now(&self, id: &AccountId) -> Result<Ms, StoreError>;

    /// Claims a key, or says what is stored under it, in one transaction.
    async fn claim(&self, ask: ClaimKey) -> Result<Claimed, StoreError>;
    /// Reads what is stored under a key. Only in the unsafe form.
    async fn look_up(&self, ask: &ClaimKey) -> Result<Outcome<ChargeId>, StoreError>;
    /// Writes a key over whatever is there. Only in the unsafe form.
    async fn force(&self, ask: ClaimKey) -> Result<Claimed, StoreError>;
    /// Saves an answer and its charge, if the token still matches.
    async fn complete(&self, ask: CompleteKey) -> Result<Outcome<ChargeId>, StoreError>;
    /// Gives a key back, if the token still matches.
    async fn release(&self, ask: ReleaseKey) -> Result<Outcome<ChargeId>, StoreError>;
    /// Renews a lease. False when somebody took over.
    async fn renew(&self, ask: RenewLease) -> Result<bool, StoreError>;
    /// The records of an account, newest claim first.
    async fn keys(&self, id: &AccountId, limit: u32) -> Result<Vec<KeyRow>, StoreError>;

    /// Writes what was made without a key.
    async fn insert(&self, id: AccountId, made: Made) -> Result<(), StoreError>;
    /// One refund of an account.
    async fn refund(&self, id: &AccountId, refund: &str) -> Result<Option<Refund>, StoreError>;
    /// One charge of an account.
    async fn charge(&self, id: &AccountId, charge: &str) -> Result<Option<Charge>, StoreError>;
    /// The charges of an account, newest first, after one of them. `None` when
    /// there is no such one.
    async fn charges(
        &self,
        id: &AccountId,
        limit: u32,
        after: Option<&str>,
    ) -> Result<Option<Vec<Charge>>, StoreError>;

    /// Notes that these accounts were used.
    async fn seen(&self, accounts: Vec<AccountId>) -> Result<(), StoreError>;
    /// How many keys or charges an account has, whichever are more.
    async fn records(&self, id: &AccountId) -> Result<u64, StoreError>;
    /// Turns keys past their retention into tombstones, and says how many.
    async fn bury(&self, limit: u32) -> Result<u64, StoreError>;
    /// Deletes tombstones past their time, and says how many.
    async fn forget(&self, limit: u32) -> Result<u64, StoreError>;
    /// Records that wait for the sweeper.
    async fn stuck(&self, limit: u32) -> Result<Vec<Stuck>, StoreError>;
    /// Takes a stuck record over. `None` when somebody else did.
    async fn seize(&self, stuck: Stuck, lease_ms: Ms) -> Result<Option<Token>, StoreError>;
    /// Closes accounts that nobody used for so long.
    async fn close_idle(&self, idle_ms: Ms, limit: u32) -> Result<(), StoreError>;
    /// Closed accounts.
    async fn closed(&self, limit: u32) -> Result<Vec<AccountId>, StoreError>;
    /// Deletes a part of a closed account, and the account when nothing else is left.
    async fn purge(&self, id: AccountId, limit: u32) -> Result<Purged, StoreError>;
    /// Empties the memory of a pod.
    async fn forget_pod(&self, id: AccountId, pod: u32) -> Result<(), StoreError>;

    /// Notes a payment that the client named.
    async fn intend(&self, id: AccountId, intent: Intent) -> Result<(), StoreError>;
    /// The payments that clients named.
    async fn intents(&self, id: &AccountId) -> Result<Vec<Intent>, StoreError>;

    /// Adds faults to the end of an account's queue, all or none. False when they
    /// do not fit.
    async fn queue_faults(&self, id: AccountId, faults: Vec<Fault>) -> Result<bool, StoreError>;
    /// Takes the fault of the attempt that arrives now.
    async fn take_fault(&self, id: AccountId) -> Result<Fault, StoreError>;
    /// The faults that are queued, the next one first.
    async fn queued_faults(&self, id: &AccountId) -> Result<Vec<Fault>, StoreError>;
    /// Empties the queue of faults.
    async fn clear_faults(&self, id: AccountId) -> Result<(), StoreError>;

    /// Answers when the store can read.
    async fn ready(&self) -> Result<(), StoreError>;
}

/// The card processor's books: transactions of their own, durable on return.
#[async_trait]
pub trait Ledger: Send + Sync + 'static {
    /// Takes money, once for each processor key.
    async fn take(&self, ask: TakeMoney) -> Result<Taken, StoreError>;
    /// All entries of an account, oldest first.
    async fn entries(&self, id: &AccountId) -> Result<Vec<Entry>, StoreError>;
    /// The entry with a reference that was written without a key, if there is one.
    async fn by_reference(
        &self,
        id: &AccountId,
        reference: &str,
    ) -> Result<Option<Entry>, StoreError>;
    /// Empties the books of an account.
    async fn clear(&self, id: AccountId) -> Result<(), StoreError>;
}
