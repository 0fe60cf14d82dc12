//! What can be set on the command line and in the environment.

mod database;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use clap::Parser;
use model::Ms;
use model::protocol::Keyless;

use crate::clock;
use crate::lab::settings::{self, ConsumerRule, PatchRule, Settings, StatusRule, StoreRule, date};

pub use database::Database;

/// Limits of the time without use, in ms: up to ten years.
const IDLE: (Ms, Ms) = (100, 3660 * 86_400_000);

/// Serves the lesson and the charge API.
#[derive(Clone, Debug, Parser)]
#[command(name = "charge-once", version)]
pub struct Config {
    /// Address and port to listen on; port 0 takes a free one.
    #[arg(
        long,
        env = "CHARGE_ONCE_LISTEN",
        default_value = "127.0.0.1:3000",
        value_name = "ADDRESS"
    )]
    pub listen: SocketAddr,

    /// The database: `sqlite://FILE`, which is made on the first start, or
    /// `postgres://USER@HOST/DATABASE`, which several servers can share. Give a
    /// password in the environment, here or as `PGPASSWORD`: others on the machine
    /// can read a command line.
    #[arg(
        long,
        env = "CHARGE_ONCE_DATABASE",
        hide_env_values = true,
        default_value = "sqlite://charge-once.db",
        value_parser = database::Reader,
        value_name = "URL"
    )]
    pub database: Database,

    /// How long a claim on a key holds when its owner gives no sign of life.
    #[arg(
        long,
        env = "CHARGE_ONCE_LEASE",
        default_value = "30s",
        value_parser = |text: &str| span(text, settings::LEASES),
        value_name = "TIME"
    )]
    pub lease: Duration,

    /// How long a finished key replays its answer.
    #[arg(
        long,
        env = "CHARGE_ONCE_RETENTION",
        default_value = "24h",
        value_parser = |text: &str| span(text, settings::RETENTIONS),
        value_name = "TIME"
    )]
    pub retention: Duration,

    /// How much longer an expired key is still known, and answered with 410.
    #[arg(
        long,
        env = "CHARGE_ONCE_TOMBSTONES",
        default_value = "30d",
        value_parser = |text: &str| span(text, settings::RETENTIONS),
        value_name = "TIME"
    )]
    pub tombstones: Duration,

    /// What happens to a charge without a key: `require` refuses it, `allow` makes
    /// each a charge of its own, `grace:2027-06-30T00:00:00Z` allows it until then and
    /// says so, `fingerprint` or `fingerprint:10s` takes equal ones within a window
    /// for one.
    #[arg(
        long,
        env = "CHARGE_ONCE_KEYLESS",
        default_value = "require",
        value_parser = keyless,
        value_name = "POLICY"
    )]
    pub keyless: Policy,

    /// How many requests a second one sandbox may send; ten times as many at once.
    #[arg(
        long,
        env = "CHARGE_ONCE_RATE",
        default_value = "200",
        value_name = "COUNT"
    )]
    pub rate: NonZeroU32,

    /// How many keys, and how many charges, one sandbox may store.
    #[arg(
        long,
        env = "CHARGE_ONCE_RECORDS",
        default_value_t = 100_000,
        value_parser = clap::value_parser!(u64).range(1..),
        value_name = "COUNT"
    )]
    pub records: u64,

    /// After how long without use a sandbox is deleted.
    #[arg(
        long,
        env = "CHARGE_ONCE_IDLE",
        default_value = "7d",
        value_parser = |text: &str| span(text, IDLE),
        value_name = "TIME"
    )]
    pub idle: Duration,

    /// How often the background looks for something to do.
    #[arg(
        long,
        env = "CHARGE_ONCE_UPKEEP",
        default_value = "2s",
        value_parser = |text: &str| span(text, (10, 3_600_000)),
        value_name = "TIME",
        hide = true
    )]
    pub upkeep: Duration,

    /// How many sandboxes one address may make in a minute.
    #[arg(
        long,
        env = "CHARGE_ONCE_SANDBOX_RATE",
        default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..),
        value_name = "COUNT"
    )]
    pub sandbox_rate: u32,

    /// How many sandboxes there may be at all.
    #[arg(
        long,
        env = "CHARGE_ONCE_SANDBOXES",
        default_value_t = 100_000,
        value_parser = clap::value_parser!(u32).range(1..),
        value_name = "COUNT"
    )]
    pub sandboxes: u32,

    /// How long the connection of a lost message is held before it is closed.
    #[arg(
        long,
        env = "CHARGE_ONCE_HOLD",
        default_value = "10s",
        value_parser = |text: &str| span(text, settings::HOLDS),
        value_name = "TIME",
        hide = true
    )]
    pub hold: Duration,
}

impl Config {
    /// The settings of a sandbox that changed none.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            keyless: self.keyless.keyless,
            grace_from: self
                .keyless
                .until
                .map(|until| self.keyless.since.min(until)),
            grace_until: self.keyless.until,
            window_ms: self.keyless.window_ms,
            sweeper: true,
            store: StoreRule::default(),
            pods: 1,
            order_status: StatusRule::default(),
            order_patch: PatchRule::default(),
            consumer: ConsumerRule::default(),
            lease_ms: ms(self.lease),
            retention_ms: ms(self.retention),
            tombstone_ms: ms(self.tombstones),
            hold_ms: ms(self.hold),
            design: model::protocol::Design::default(),
        }
    }
}

fn ms(span: Duration) -> Ms {
    Ms::try_from(span.as_millis()).unwrap_or(Ms::MAX)
}

/// A length of time like `30s`, `24h` or `1h 30m`, within limits in ms.
fn span(text: &str, (least, most): (Ms, Ms)) -> Result<Duration, String> {
    let span = humantime::parse_duration(text)
        .map_err(|_| String::from("write a length of time like 500ms, 30s or 24h"))?;
    if (least..=most).contains(&ms(span)) {
        return Ok(span);
    }
    let show = |ms| humantime::format_duration(Duration::from_millis(ms)).to_string();
    Err(format!(
        "it has to lie between {} and {}",
        show(least),
        show(most)
    ))
}

/// What happens to a charge without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The rule.
    pub keyless: Keyless,
    /// Since when they are deprecated: from this start of the server on.
    pub since: Ms,
    /// Until when a grace lets them through.
    pub until: Option<Ms>,
    /// For how long equal ones are one, in ms.
    pub window_ms: Ms,
}

fn keyless(text: &str) -> Result<Policy, String> {
    let policy = |keyless| Policy {
        keyless,
        since: clock::now(),
        until: None,
        window_ms: 10_000,
    };
    match text
        .split_once(':')
        .map_or((text, None), |(rule, with)| (rule, Some(with)))
    {
        ("require", None) => Ok(policy(Keyless::Require)),
        ("allow", None) => Ok(policy(Keyless::Allow)),
        ("fingerprint", None) => Ok(policy(Keyless::Fingerprint)),
        ("fingerprint", Some(window)) => Ok(Policy {
            window_ms: ms(span(window, settings::WINDOWS)?),
            ..policy(Keyless::Fingerprint)
        }),
        ("grace", until) => until
            .and_then(date::read)
            .map(|until| Policy {
                until: Some(until),
                ..policy(Keyless::Grace)
            })
            .ok_or_else(|| String::from("write its end as well, like grace:2027-06-30T00:00:00Z")),
        _ => Err(String::from(
            "write require, allow, grace:TIME, fingerprint or fingerprint:WINDOW",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Config, String> {
        Config::try_parse_from([&["charge-once"], args].concat()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_those_of_the_contract() {
        let config = parse(&[]).unwrap();
        assert_eq!(config.listen.port(), 3000);
        assert_eq!(config.database.to_string(), "sqlite://charge-once.db");
        let settings = config.settings();
        assert_eq!(settings.lease_ms, 30_000);
        assert_eq!(settings.retention_ms, 86_400_000);
        assert_eq!(settings.tombstone_ms, 30 * 86_400_000);
        assert_eq!(settings.keyless, Keyless::Require);
    }

    #[test]
    fn wrong_values_are_refused_with_a_reason() {
        for (args, reason) in [
            (["--lease", "30"], "write a length of time"),
            (["--lease", "10ms"], "between"),
            (["--lease", "2days"], "between"),
            (["--database", "charge-once.db"], "write sqlite://FILE"),
            (["--database", "postgres://x:y"], "invalid port"),
            (["--database", "sqlite::memory:"], "name of a file"),
            (["--keyless", "grace"], "write its end"),
            (["--keyless", "grace:soon"], "write its end"),
            (["--keyless", "fingerprint:1ms"], "between"),
            (["--keyless", "maybe"], "write require, allow"),
            (["--rate", "0"], "zero"),
            (["--idle", "1ms"], "between"),
            (["--listen", "3000"], "invalid socket address"),
            (["--sandbox-rate", "0"], "0 is not in"),
        ] {
            let error = parse(&args).unwrap_err();
            assert!(error.contains(reason), "{args:?}: {error}");
        }
        assert_eq!(
            parse(&["--database", "sqlite:///tmp/a b.db"])
                .unwrap()
                .database
                .to_string(),
            "sqlite:///tmp/a b.db"
        );
    }
}
