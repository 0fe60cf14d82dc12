//! Sandboxes: who is asking, and who may make a new one.

pub mod api;
mod flow;
mod rate;
mod room;
mod seen;
mod token;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::charges::store::StoreError;
use crate::charges::submit::unauthorized;
use crate::id::AccountId;
use crate::lab::settings::{Changes, Settings};
use crate::problem::{Kind, Problem};
use crate::state::App;

pub use flow::Flow;
pub use rate::{Full, Sandboxes};
pub use room::Room;
pub use seen::Seen;
pub(crate) use token::Token;

/// The account that a request comes from.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its name.
    pub(crate) id: AccountId,
    /// What it changed.
    pub(crate) changes: Changes,
    /// The settings in effect.
    pub(crate) settings: Settings,
    /// Faults are queued for its next attempts.
    pub(crate) faults: bool,
}

impl App {
    /// The account of a request: by its bearer token or, without one, by its cookie.
    pub(crate) async fn identify(&self, headers: &HeaderMap) -> Result<Option<Known>, StoreError> {
        match Token::of(headers) {
            Some(token) => self.holder(&token).await,
            None => Ok(None),
        }
    }

    /// The account of a token.
    pub(crate) async fn holder(&self, token: &Token) -> Result<Option<Known>, StoreError> {
        let account = self.store.account(token.hash()).await?;
        if let Some(account) = &account {
            self.seen.note(&account.id);
        }
        Ok(account.map(|account| Known {
            settings: self.defaults.with(&account.changes),
            id: account.id,
            faults: account.faults,
            changes: account.changes,
        }))
    }
}

/// The refusal of a sandbox that sends too fast.
pub(crate) fn over_rate(seconds: u32) -> Problem {
    Problem::new(Kind::OverRate, "This sandbox sends too much.").retry_after(Some(seconds))
}

impl FromRequestParts<App> for Known {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let known = app.identify(&parts.headers).await?;
        let known = known.ok_or_else(unauthorized)?;
        match app.flow.over(&known.id) {
            Some(seconds) => Err(over_rate(seconds)),
            None => Ok(known),
        }
    }
}
