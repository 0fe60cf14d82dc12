//! The weakened designs and the properties in words.

use model::world::explore::{Property, Weakened};

/// A property as a sentence that should hold.
pub(super) const fn property(property: Property) -> &'static str {
    match property {
        Property::OneCharge => "At most one charge for one intent",
        Property::NeverStuck => "Never stuck: who keeps trying is told how it ended",
        Property::OwnAnswer => "The answer is the intent's own",
        Property::NobodyElses => "Nobody is given another's answer",
        Property::SavedAnswer => "A saved answer never changes once it was given",
        Property::Agreement => "Ledger and records agree",
    }
}

/// What a weakened design is called, what it lacks, and what comes of it.
pub(super) struct Telling {
    pub(super) title: &'static str,
    pub(super) lacks: &'static str,
    pub(super) harm: &'static str,
}

/// A weakened design in words.
pub(super) const fn telling(weakened: Weakened) -> Telling {
    let (title, lacks, harm) = match weakened {
        Weakened::NoKey => (
            "Without a key: charged twice",
            "The client sends no key.",
            "Nothing ties the second request to the first, so money is taken for both.",
        ),
        Weakened::NewKeyEachTime => (
            "A new key on each attempt: charged twice",
            "The client makes a new key for each attempt.",
            "To the service a new key is a new payment. Money is taken for both.",
        ),
        Weakened::NoProcessorKey => (
            "No key at the processor: a takeover charges again",
            "The card processor takes no key of its own.",
            "The process dies after the charge and before the save. The retry takes the key over, cannot know, and charges again.",
        ),
        Weakened::NoProcessorKeyLookupFirst => (
            "Look up, then insert: both find nothing, both charge",
            "Keys are looked up first and inserted later, and the processor takes no key.",
            "Both attempts look before either inserts. Both find nothing, and both go on to the processor.",
        ),
        Weakened::NoProcessorKeyNoHeartbeat => (
            "No heartbeat: slow is taken for dead, and both charge",
            "A living owner does not renew its lease, and the processor takes no key.",
            "The lease of a slow attempt runs out. The retry takes the key over, and money is taken for both.",
        ),
        Weakened::NoLease => (
            "No lease: stuck after one crash",
            "A claim on a key never ends by itself.",
            "The process dies with the key claimed. From here on every retry is answered with 409, in progress, though nobody works on it.",
        ),
        Weakened::LookupFirst => (
            "Look up, then insert: an answer that was given is lost",
            "Keys are looked up first and inserted later.",
            "The slow attempt inserts its key over the answer that the other has saved and given. The processor's key keeps it to one charge; the answer is gone.",
        ),
        Weakened::NoHeartbeatNoFencing => (
            "No fencing: a late owner takes back an answer that was given",
            "A living owner does not renew its lease, and its late writes are taken.",
            "An attempt that was taken over comes back and releases the key, and with it the answer that the other has saved and given. This is what a fencing token is for; the number of charges stays one.",
        ),
        Weakened::NoBodyHash => (
            "No body hash: another order's answer",
            "The same key with another body is not refused.",
            "A second order under a key that is done is answered with the first order's charge. Its client believes that it paid, and nothing is taken for it.",
        ),
        Weakened::NoAccountScope => (
            "No account scope: a stranger's answer",
            "Keys of different accounts meet.",
            "A stranger who chose the same key is answered with somebody else's charge. They believe that they paid, and nothing is taken from them.",
        ),
    };
    Telling { title, lacks, harm }
}
