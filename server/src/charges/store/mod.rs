//! Where accounts, keys and charges are kept, and the books of the card processor.
//!
//! The traits are what PostgreSQL will implement beside SQLite. The store's clock
//! judges leases and retention: no method takes the time from its caller.

mod accounts;
mod charges;
mod keys;
mod ledger;
mod orders;
pub mod sqlite;
mod upkeep;
mod writer;

use async_trait::async_trait;
use model::Ms;
use model::money::Currency;
use model::protocol::{
    Answer, Design, Fingerprint, Outcome, Paid, ProcessorKey, RecoveryPoint, Token,
};

use super::scoped_key::ScopedKey;
use crate::id::{AccountId, ChargeId};
use crate::lab::settings::Changes;

/// The store could not do it. What the database said is for the log only.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database failed.
    #[error("{0}")]
    Database(#[from] sqlx::Error),
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
    /// A row holds something that it should not.
    #[error("a stored {0} cannot be read")]
    Corrupt(&'static str),
}

/// The store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be opened or made, or is no database.
    #[error("{0}")]
    File(String),
    /// A later version of this program was here.
    #[error("its schema is newer than this program knows; use a newer charge-once")]
    Newer,
    /// It could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An account as stored.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its name.
    pub id: AccountId,
    /// The settings that it changed.
    pub changes: Changes,
}

/// What a claim needs.
#[derive(Clone, Debug)]
pub struct ClaimKey {
    /// Whose key.
    pub account: AccountId,
    /// The key.
    pub key: ScopedKey,
    /// Of which request.
    pub fingerprint: Fingerprint,
    /// For how long the claim holds, in ms.
    pub lease_ms: Ms,
    /// For how long the key replays its answer, in ms.
    pub retention_ms: Ms,
    /// For how much longer it is known, in ms.
    pub tombstone_ms: Ms,
    /// Which mechanisms are on.
    pub design: Design,
    /// Stuck records wait for the sweeper.
    pub sweeps: bool,
    /// There is room for a new key.
    pub room: bool,
    /// The payment that the client meant, where it said so.
    pub intent: Option<String>,
    /// The generation of a new key: 0, but later ones for temporary keys.
    pub generation: u32,
}

/// What a claim came to.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// For the attempt.
    pub outcome: Outcome<ChargeId>,
    /// The key was taken over from an owner that is gone.
    pub takeover: bool,
    /// How often an expired key was taken for a new one.
    pub generation: u32,
    /// The key is new and there is no room for it. The outcome says nothing then.
    pub full: bool,
}

impl Claimed {
    /// Somebody else's, or done.
    #[must_use]
    pub const fn known(outcome: Outcome<ChargeId>) -> Self {
        Self {
            outcome,
            takeover: false,
            generation: 0,
            full: false,
        }
    }
}

/// A record whose owner is gone, at a processor without keys.
#[derive(Clone, Debug)]
pub struct Stuck {
    /// Whose key.
    pub account: AccountId,
    /// The key.
    pub key: ScopedKey,
    /// The token of the owner.
    pub token: Token,
    /// How often an expired key was taken for a new one.
    pub generation: u32,
}

/// What saving an answer needs.
#[derive(Clone, Debug)]
pub struct CompleteKey {
    /// Whose key.
    pub account: AccountId,
    /// The key.
    pub key: ScopedKey,
    /// The token of the claim.
    pub token: Token,
    /// The answer.
    pub answer: Answer<ChargeId>,
    /// What the answer speaks of. It is written in the same transaction.
    pub made: Made,
    /// A late owner's write fails.
    pub fencing: bool,
}

/// What giving a key back needs.
#[derive(Clone, Debug)]
pub struct ReleaseKey {
    /// Whose key.
    pub account: AccountId,
    /// The key.
    pub key: ScopedKey,
    /// The token of the claim.
    pub token: Token,
    /// From where the next attempt carries on.
    pub point: RecoveryPoint,
}

/// What renewing a lease needs.
#[derive(Clone, Debug)]
pub struct RenewLease {
    /// Whose key.
    pub account: AccountId,
    /// The key.
    pub key: ScopedKey,
    /// The token of the claim.
    pub token: Token,
    /// For how long from now, in ms.
    pub lease_ms: Ms,
}

/// A charge as it was when it was made, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Its name.
    pub id: ChargeId,
    /// In minor units.
    pub amount: u32,
    /// In which currency.
    pub currency: Currency,
    /// The client's words.
    pub description: Option<String>,
    /// How it ended.
    pub paid: Paid,
    /// When, by the sandbox's clock.
    pub created_at: Ms,
    /// When it was given back, if it was.
    pub refunded_at: Option<Ms>,
}

/// Money that was given back, as it was when that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// Its name: `re_…`.
    pub id: ChargeId,
    /// Of which charge.
    pub charge: ChargeId,
    /// In minor units.
    pub amount: u32,
    /// In which currency.
    pub currency: Currency,
    /// When, by the sandbox's clock.
    pub created_at: Ms,
}

/// What an attempt made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// A charge.
    Charge(Charge),
    /// A refund of one.
    Refund(Refund),
}

impl Made {
    /// Its name.
    #[must_use]
    pub const fn id(&self) -> &ChargeId {
        match self {
            Self::Charge(charge) => &charge.id,
            Self::Refund(refund) => &refund.id,
        }
    }
}

/// A key record as the lab shows it.
#[derive(Clone, Debug)]
pub struct KeyRow {
    /// The key.
    pub key: String,
    /// Of which request.
    pub fingerprint: Fingerprint,
    /// `running`, `released`, `done` or `tombstone`.
    pub state: String,
    /// From where a takeover carries on.
    pub point: String,
    /// The fencing token.
    pub token: u32,
    /// When the last owner claimed it.
    pub claimed_at: Ms,
    /// Until when the claim holds.
    pub lease_until: Option<Ms>,
    /// When retention is over.
    pub expires_at: Ms,
    /// The saved status.
    pub status: Option<u16>,
    /// The charge that the answer speaks of.
    pub charge: Option<String>,
    /// The payment that the client meant, where it said so.
    pub intent: Option<String>,
    /// How often an expired key was taken for a new one.
    pub generation: u32,
}

/// Accounts, keys and charges.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Makes an account. `token_hash` is the SHA-256 of its token.
    async fn create_account(&self, id: AccountId, token_hash: [u8; 32]) -> Result<(), StoreError>;
    /// The account with this token.
    async fn account(&self, token_hash: [u8; 32]) -> Result<Option<Account>, StoreError>;
    /// How many accounts there are.
    async fn count_accounts(&self) -> Result<u32, StoreError>;
    /// Saves what an account changed.
    async fn change(&self, id: AccountId, changes: Changes, sweeps: bool)
    -> Result<(), StoreError>;
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
    /// Deletes a part of a closed account. True when all of it is gone.
    async fn purge(&self, id: AccountId, limit: u32) -> Result<bool, StoreError>;
    /// Empties the memory of a pod.
    async fn forget_pod(&self, id: AccountId, pod: u32) -> Result<(), StoreError>;

    /// Notes a payment that the client named.
    async fn intend(&self, id: AccountId, intent: Intent) -> Result<(), StoreError>;
    /// The payments that clients named.
    async fn intents(&self, id: &AccountId) -> Result<Vec<Intent>, StoreError>;

    /// Answers when the store can read.
    async fn ready(&self) -> Result<(), StoreError>;
}

/// A payment that a client named, whatever became of it.
#[derive(Clone, Debug)]
pub struct Intent {
    /// The client's name for it.
    pub intent: String,
    /// In minor units.
    pub amount: u32,
    /// In which currency.
    pub currency: Currency,
    /// The last status that the client was given.
    pub status: Option<u16>,
    /// The charge that it was told of.
    pub charge: Option<String>,
}

/// A line in the card processor's books.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The charge, by the processor's name.
    pub id: ChargeId,
    /// The key that it was asked with.
    pub processor_key: Option<String>,
    /// In minor units.
    pub amount: u32,
    /// In which currency.
    pub currency: Currency,
    /// How it ended.
    pub paid: Paid,
    /// The charge that it gives back, if it is a refund.
    pub refund_of: Option<String>,
    /// When, by the sandbox's clock.
    pub created_at: Ms,
    /// What it was told that the payment is for.
    pub reference: Option<String>,
    /// The payment that the client meant, where that is known.
    pub intent: Option<String>,
    /// The words for the statement.
    pub description: Option<String>,
}

/// What the processor writes down.
#[derive(Clone, Debug)]
pub struct TakeMoney {
    /// Whose money.
    pub account: AccountId,
    /// One entry for one key. Without a key each call is an entry.
    pub processor_key: Option<ProcessorKey>,
    /// In minor units.
    pub amount: u32,
    /// In which currency.
    pub currency: Currency,
    /// How it ends.
    pub paid: Paid,
    /// The charge to give back, once, instead of taking money.
    pub refund_of: Option<ChargeId>,
    /// The name of the new entry.
    pub id: ChargeId,
    /// What the payment is for.
    pub reference: String,
    /// The payment that the client meant, where it said so.
    pub intent: Option<String>,
    /// The words for the statement.
    pub description: Option<String>,
}

/// The entry that stands, and whether it stood there before.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The entry.
    pub entry: Entry,
    /// An earlier call with the same key wrote it.
    pub repeated: bool,
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
