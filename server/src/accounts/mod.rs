//! Sandboxes: who is asking, and who may make a new one.

pub mod api;
mod rate;
mod token;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::charges::store::StoreError;
use crate::charges::submit::unauthorized;
use crate::id::AccountId;
use crate::lab::settings::{Changes, Settings};
use crate::problem::Problem;
use crate::state::App;

pub use rate::{Full, Sandboxes};
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
        Ok(account.map(|account| Known {
            settings: self.defaults.with(&account.changes),
            id: account.id,
            changes: account.changes,
        }))
    }
}

impl FromRequestParts<App> for Known {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        app.identify(&parts.headers).await?.ok_or_else(unauthorized)
    }
}
