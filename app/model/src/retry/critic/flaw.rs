//! What can be wrong with a policy.

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Works until there is trouble.
    Warning,
    /// Does harm, or cannot do what it says.
    Fault,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// The first wait is over the cap.
    CapUnderBase,
    /// Healthy calls are cut off.
    TimeoutBelowP99,
    /// A lost call holds its client up for long.
    TimeoutFarAboveP99,
    /// An attempt can never start, or only sometimes.
    OutlastsDeadline,
    /// A retry can come when the key is forgotten.
    RetentionTooShort,
    /// All attempts are over before the outage is.
    ShorterThanOutage,
    /// Too much load for what it brings.
    TooManyAttempts,
    /// A lost reply stays lost.
    NoRetry,
    /// Retries come at once.
    NoWait,
    /// Every wait is the same for everybody.
    FixedWait,
    /// Clients that failed together come back together.
    NoJitter,
    /// The same, spread a little.
    LittleJitter,
    /// The load does not fall as time passes.
    NoBackoff,
    /// Waits pile up on the cap.
    CapSpike,
    /// Other layers retry as well.
    SeveralLayers,
    /// The server is not listened to.
    RetryAfterIgnored,
    /// More load on what is overloaded.
    AddsLoad,
    /// The work may be done already.
    NeedsTheSameKey,
    /// Nothing ends it as a whole.
    NoDeadline,
    /// A wait is longer than a timer can run.
    TimerCut,
}

impl Flaw {
    /// Its name, for addresses and tests.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::CapUnderBase => "cap-under-base",
            Self::TimeoutBelowP99 => "timeout-below-p99",
            Self::TimeoutFarAboveP99 => "timeout-far-above-p99",
            Self::OutlastsDeadline => "outlasts-deadline",
            Self::RetentionTooShort => "retention-too-short",
            Self::ShorterThanOutage => "shorter-than-outage",
            Self::TooManyAttempts => "too-many-attempts",
            Self::NoRetry => "no-retry",
            Self::NoWait => "no-wait",
            Self::FixedWait => "fixed-wait",
            Self::NoJitter => "no-jitter",
            Self::LittleJitter => "little-jitter",
            Self::NoBackoff => "no-backoff",
            Self::CapSpike => "cap-spike",
            Self::SeveralLayers => "several-layers",
            Self::RetryAfterIgnored => "retry-after-ignored",
            Self::AddsLoad => "adds-load",
            Self::NeedsTheSameKey => "needs-the-same-key",
            Self::NoDeadline => "no-deadline",
            Self::TimerCut => "timer-cut",
        }
    }

    /// Where in the lesson it is explained: the heading's id.
    #[must_use]
    pub const fn anchor(self) -> &'static str {
        match self {
            // What a time-out tells you.
            Self::TimeoutBelowP99
            | Self::TimeoutFarAboveP99
            | Self::NoDeadline
            | Self::OutlastsDeadline => "timeout",
            // The key, the record and how long it is kept; 409 and when to come back.
            Self::RetentionTooShort | Self::RetryAfterIgnored => "why",
            Self::NeedsTheSameKey | Self::NoRetry => "lost",
            // Two layers of four.
            Self::SeveralLayers => "check",
            // Retries come whether or not a server is ready for them.
            Self::CapUnderBase
            | Self::ShorterThanOutage
            | Self::TooManyAttempts
            | Self::NoWait
            | Self::FixedWait
            | Self::NoJitter
            | Self::LittleJitter
            | Self::NoBackoff
            | Self::CapSpike
            | Self::AddsLoad
            | Self::TimerCut => "double",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What.
    pub flaw: Flaw,
    /// How bad.
    pub severity: Severity,
    /// In a sentence, with the figures that it hangs on.
    pub text: String,
}
