//! Amounts of money in minor units, and the currencies that we list.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The largest amount of one charge, in minor units (999,999.99 in dollars).
pub const LARGEST: u32 = 99_999_999;

/// A currency in which a charge can be made, by its ISO 4217 code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Currency {
    /// Australian dollar.
    Aud,
    /// Brazilian real.
    Brl,
    /// Canadian dollar.
    Cad,
    /// Swiss franc.
    Chf,
    /// Danish krone.
    Dkk,
    /// Euro.
    Eur,
    /// Pound sterling.
    Gbp,
    /// Indian rupee.
    Inr,
    /// Japanese yen, which has no minor unit.
    Jpy,
    /// Norwegian krone.
    Nok,
    /// Polish złoty.
    Pln,
    /// Swedish krona.
    Sek,
    /// United States dollar.
    Usd,
}

impl Currency {
    /// Every currency that we list, in the order of its code.
    pub const ALL: [Self; 13] = [
        Self::Aud,
        Self::Brl,
        Self::Cad,
        Self::Chf,
        Self::Dkk,
        Self::Eur,
        Self::Gbp,
        Self::Inr,
        Self::Jpy,
        Self::Nok,
        Self::Pln,
        Self::Sek,
        Self::Usd,
    ];

    /// The ISO 4217 code in lower case, as it stands on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Aud => "aud",
            Self::Brl => "brl",
            Self::Cad => "cad",
            Self::Chf => "chf",
            Self::Dkk => "dkk",
            Self::Eur => "eur",
            Self::Gbp => "gbp",
            Self::Inr => "inr",
            Self::Jpy => "jpy",
            Self::Nok => "nok",
            Self::Pln => "pln",
            Self::Sek => "sek",
            Self::Usd => "usd",
        }
    }

    /// The currency with this ISO 4217 code in any case, if we list it.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|currency| currency.code().eq_ignore_ascii_case(code))
    }

    /// How many decimal digits the minor unit stands for (ISO 4217).
    #[must_use]
    pub const fn digits(self) -> u32 {
        match self {
            Self::Jpy => 0,
            _ => 2,
        }
    }

    const fn sign(self) -> Option<&'static str> {
        match self {
            Self::Usd => Some("$"),
            Self::Eur => Some("€"),
            Self::Gbp => Some("£"),
            Self::Jpy => Some("¥"),
            _ => None,
        }
    }
}

/// An amount that a charge may have: 1 to [`LARGEST`] minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Amount(u32);

/// Why a number is no amount for a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an amount is a whole number of minor units from 1 to {LARGEST}, not {0}")]
pub struct AmountError(pub i128);

impl Amount {
    /// Takes a number of minor units.
    ///
    /// # Errors
    /// [`AmountError`] when it is 0 or over [`LARGEST`].
    pub const fn new(minor: u64) -> Result<Self, AmountError> {
        if minor >= 1 && minor <= LARGEST as u64 {
            Ok(Self(minor as u32))
        } else {
            Err(AmountError(minor as i128))
        }
    }

    /// The number of minor units.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.0
    }
}

impl TryFrom<u64> for Amount {
    type Error = AmountError;
    fn try_from(minor: u64) -> Result<Self, Self::Error> {
        Self::new(minor)
    }
}

impl From<Amount> for u64 {
    fn from(amount: Amount) -> Self {
        Self::from(amount.0)
    }
}

/// A sum of money as people write it: `$40.00`, `CHF 12.50`, `¥900`.
///
/// Sums of charges may be 0 or over [`LARGEST`], so this takes any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Money {
    /// How many minor units.
    pub minor: u64,
    /// Of which currency.
    pub currency: Currency,
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.currency.sign() {
            Some(sign) => f.write_str(sign)?,
            None => write!(f, "{} ", self.currency.code().to_ascii_uppercase())?,
        }
        let digits = self.currency.digits();
        let unit = 10_u64.pow(digits);
        f.write_str(&grouped(self.minor / unit))?;
        if digits > 0 {
            write!(f, ".{:0width$}", self.minor % unit, width = digits as usize)?;
        }
        Ok(())
    }
}

/// A whole number with a comma between each three digits: `27,000`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_both_limits() {
        assert!(Amount::new(0).is_err());
        assert_eq!(Amount::new(1).map(Amount::minor), Ok(1));
        assert_eq!(Amount::new(99_999_999).map(Amount::minor), Ok(99_999_999));
        assert_eq!(Amount::new(100_000_000), Err(AmountError(100_000_000)));
        assert!(Amount::new(u64::MAX).is_err());
    }

    #[test]
    fn codes_are_known_in_any_case_and_only_whole() {
        for currency in Currency::ALL {
            assert_eq!(Currency::from_code(currency.code()), Some(currency));
            assert_eq!(
                Currency::from_code(&currency.code().to_ascii_uppercase()),
                Some(currency)
            );
        }
        for wrong in ["", "us", "usdd", "xxx", "usd "] {
            assert_eq!(Currency::from_code(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn money_is_written_as_people_write_it() {
        let show = |minor, currency| Money { minor, currency }.to_string();
        assert_eq!(show(4000, Currency::Usd), "$40.00");
        assert_eq!(show(123_456_705, Currency::Eur), "€1,234,567.05");
        assert_eq!(show(900, Currency::Jpy), "¥900");
        assert_eq!(show(5, Currency::Chf), "CHF 0.05");
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
    }
}
