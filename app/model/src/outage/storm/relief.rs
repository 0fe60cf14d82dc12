//! What may bring a system back that does not come back by itself.

use crate::retry::plan::Why;

/// What somebody does about it, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relief {
    /// Nothing.
    #[default]
    None,
    /// All clients stop to retry, for good.
    RetriesOff,
    /// For a while the server refuses a share of all calls at the door, at no cost.
    Shed,
    /// The server restarts and forgets its queue; who waited there hears an error.
    Restart,
    /// The server gets a share of capacity more, for good.
    Capacity,
    /// From now on calls carry their deadline, and the server throws out, instead of
    /// working on it, what it cannot answer in time any more. Calls that came before
    /// carry none.
    Deadlines,
}

/// Their words, for a message.
const WORDS: &str = "none, retries, shed, restart, capacity, deadlines";

impl Relief {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::RetriesOff,
        Self::Shed,
        Self::Restart,
        Self::Capacity,
        Self::Deadlines,
    ];

    /// Its word in an address.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::RetriesOff => "retries",
            Self::Shed => "shed",
            Self::Restart => "restart",
            Self::Capacity => "capacity",
            Self::Deadlines => "deadlines",
        }
    }

    /// The one of that word.
    pub(super) fn read(text: &str) -> Result<Self, Why> {
        let word = text.trim().to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|relief| relief.name() == word)
            .ok_or(Why::UnknownWord(WORDS))
    }
}
