//! What is asked of a store and what it gives.

use model::Ms;
use model::money::Currency;
use model::protocol::{
    Answer, Design, Fingerprint, Outcome, Paid, ProcessorKey, RecoveryPoint, Token,
};

use crate::charges::scoped_key::ScopedKey;
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
    /// It did not answer in time. Whether anything was written is not known.
    #[error("the database did not answer in time")]
    Late,
    /// Others were always faster.
    #[error("too many others do the same")]
    Crowded,
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
    /// The server cannot be reached, or it refuses.
    #[error("{0}")]
    Database(String),
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
    /// Faults are queued for its next attempts.
    pub faults: bool,
}

/// What changing the settings of a sandbox needs.
#[derive(Clone, Debug)]
pub struct ChangeSettings {
    /// Whose.
    pub account: AccountId,
    /// What it had changed before.
    pub from: Changes,
    /// What it has changed from now on.
    pub to: Changes,
    /// Stuck records wait for the sweeper.
    pub sweeps: bool,
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

/// How far the deletion of a closed account has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purged {
    /// All of it is gone by now.
    Gone,
    /// There is more to delete.
    More,
    /// Another server deletes it, or has done so.
    Elsewhere,
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

impl Taken {
    /// The entry was there before.
    pub(super) const fn before(entry: Entry) -> Self {
        Self {
            entry,
            repeated: true,
        }
    }
}

impl TakeMoney {
    /// What it comes to when it is written down at this time.
    pub(super) fn taken(&self, created_at: Ms) -> Taken {
        let entry = Entry {
            id: self.id.clone(),
            processor_key: self
                .processor_key
                .as_ref()
                .map(|key| key.as_str().to_owned()),
            amount: self.amount,
            currency: self.currency,
            paid: self.paid,
            refund_of: self.refund_of.as_ref().map(ToString::to_string),
            created_at,
            reference: Some(self.reference.clone()),
            intent: self.intent.clone(),
            description: self.description.clone(),
        };
        Taken {
            entry,
            repeated: false,
        }
    }
}
