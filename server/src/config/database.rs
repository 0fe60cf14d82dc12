//! Which database: a file of SQLite, or a PostgreSQL server.

use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use sqlx::postgres::PgConnectOptions;

/// A database, as `--database` names it. It never shows a password.
#[derive(Clone)]
pub enum Database {
    /// A file.
    Sqlite(PathBuf),
    /// A server, which several of ours can share.
    Postgres(Box<PgConnectOptions>),
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite://{}", path.display()),
            Self::Postgres(at) => {
                let host = at.get_socket().map_or_else(
                    || at.get_host().to_owned(),
                    |socket| socket.display().to_string(),
                );
                let name = at.get_database().unwrap_or_else(|| at.get_username());
                let (user, port) = (at.get_username(), at.get_port());
                write!(f, "postgres://{user}@{host}:{port}/{name}")
            }
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Parameters of a PostgreSQL URL, by the names that its other clients use as well.
const PARAMETERS: [&str; 11] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
];

impl Database {
    /// Reads a URL.
    ///
    /// # Errors
    /// What is wrong with it, without a part of it: it may hold a password.
    pub fn read(url: &str) -> Result<Self, String> {
        if let Some(rest) = ["postgres://", "postgresql://"]
            .iter()
            .find_map(|scheme| url.strip_prefix(scheme))
        {
            return postgres(url, rest);
        }
        let path = url
            .strip_prefix("sqlite://")
            .or_else(|| url.strip_prefix("sqlite:"))
            .ok_or("write sqlite://FILE or postgres://USER@HOST/DATABASE")?;
        if path.is_empty() || path == ":memory:" || path.contains('?') {
            return Err(String::from("write sqlite://FILE with the name of a file"));
        }
        Ok(Self::Sqlite(path.into()))
    }
}

fn postgres(url: &str, rest: &str) -> Result<Database, String> {
    let shape = "write postgres://USER@HOST:PORT/DATABASE";
    if rest.is_empty() {
        return Err(shape.into());
    }
    let parameters = rest.split_once('?').map_or("", |(_, query)| query);
    for parameter in parameters.split('&').filter(|text| !text.is_empty()) {
        let name = parameter
            .split_once('=')
            .map_or(parameter, |(name, _)| name);
        let known = PARAMETERS.contains(&name) || name.starts_with("options[");
        if !known {
            return Err(format!(
                "it has a parameter that is none of {}",
                PARAMETERS.join(", ")
            ));
        }
    }
    let options: PgConnectOptions = url.parse().map_err(|error: sqlx::Error| match error {
        sqlx::Error::Configuration(why) => format!("{why}; {shape}"),
        _ => String::from(shape),
    })?;
    // A password with a bare `/` ends up in the place of the name, and would be shown.
    let odd = |text: &str| text.contains(['@', '/']);
    if odd(options.get_host()) || options.get_database().is_some_and(odd) {
        return Err(format!(
            "percent-encode what is special in a password; {shape}"
        ));
    }
    Ok(Database::Postgres(Box::new(options)))
}

/// Reads a URL on the command line. Other than clap's own readers it does not show
/// the wrong value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader;

impl TypedValueParser for Reader {
    type Value = Database;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Database, clap::Error> {
        let read = value
            .to_str()
            .ok_or_else(|| String::from("it is not UTF-8"))
            .and_then(Database::read);
        read.map_err(|why| {
            let name = arg.map_or_else(|| String::from("--database"), ToString::to_string);
            let message = format!("invalid value for '{name}': {why}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        for url in [
            "postgres://me:hunter2@db.example:5433/shop",
            "postgresql://me@db.example:5433/shop?password=hunter2",
            "postgres://me:hunter2@db.example:5433/shop?sslmode=require",
        ] {
            let database = Database::read(url).unwrap();
            assert_eq!(
                format!("{database} {database:?}"),
                "postgres://me@db.example:5433/shop postgres://me@db.example:5433/shop"
            );
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_the_password() {
        for (url, reason) in [
            ("postgres://", "write postgres://"),
            ("postgres://me:hunter2@db.example:x/shop", "invalid port"),
            (
                "postgres://me:hunter2@db.example:99999/shop",
                "invalid port",
            ),
            ("postgres://me:hun/ter2@db.example/shop", "invalid port"),
            ("postgres://me:12/hunter2@db.example/shop", "percent-encode"),
            (
                "postgres://me:12%2fhunter2@db.example/shop?user=",
                "none of",
            ),
            ("postgres://me@db.example/shop?pass=hunter2", "none of"),
            (
                "postgres://me:hunter2@db.example/s?sslmode=maybe",
                "ssl_mode",
            ),
            (
                "postgres://me:hunter2@db.example/s?port=hunter2",
                "invalid digit",
            ),
            (
                "mysql://me:hunter2@db.example/shop",
                "write sqlite://FILE or",
            ),
        ] {
            let error = Database::read(url).unwrap_err();
            assert!(error.contains(reason), "{url}: {error}");
            assert!(!error.contains("ter2"), "{error}");
        }
    }
}
