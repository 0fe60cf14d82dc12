//! What a client orders: a valid charge.

use model::money::{Amount, Currency, LARGEST};
use model::protocol::Paid;
use serde_json::Value;

use super::store::{Charge, Entry, Made, Refund};

/// The longest description, in characters.
pub const LONGEST_DESCRIPTION: usize = 500;

/// A charge that may be made. Members that we do not know are let through: they
/// are part of the fingerprint, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// How much.
    pub amount: Amount,
    /// In which currency.
    pub currency: Currency,
    /// The client's words for it.
    pub description: Option<String>,
}

/// What an attempt is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Make a charge.
    Charge(Order),
    /// Give a charge back, in full.
    Refund(Charge),
}

impl Work {
    /// What came of it, by the processor's entry.
    #[must_use]
    pub fn made(&self, entry: &Entry) -> Made {
        match self {
            Self::Charge(order) => Made::Charge(Charge {
                id: entry.id.clone(),
                amount: order.amount.minor(),
                currency: order.currency,
                description: order.description.clone(),
                paid: entry.paid,
                created_at: entry.created_at,
                refunded_at: None,
            }),
            Self::Refund(charge) => Made::Refund(Refund {
                id: entry.id.clone(),
                charge: charge.id.clone(),
                amount: charge.amount,
                currency: charge.currency,
                created_at: entry.created_at,
            }),
        }
    }

    /// Reads the body of a refund. It may be empty, or name the whole amount.
    ///
    /// # Errors
    /// What is wrong, naming the member.
    pub fn refund(charge: Charge, body: &Value) -> Result<Self, String> {
        let members = body
            .as_object()
            .ok_or("The body has to be a JSON object.")?;
        if charge.paid == Paid::Declined {
            return Err(String::from(
                "The card was declined: there is nothing to give back.",
            ));
        }
        match members.get("amount") {
            None | Some(Value::Null) => {}
            given => {
                if amount(given)?.minor() != charge.amount {
                    let whole = charge.amount;
                    return Err(format!(
                        "`amount` can only be the whole charge, {whole}, so far."
                    ));
                }
            }
        }
        Ok(Self::Refund(charge))
    }
}

impl Order {
    /// Reads an order.
    ///
    /// A number is judged by its value, as the fingerprint does: 4000, 4000.0 and
    /// 4e3 are one amount. A text is no number.
    ///
    /// # Errors
    /// What is wrong, naming the member.
    pub fn read(body: &Value) -> Result<Self, String> {
        let members = body
            .as_object()
            .ok_or("The body has to be a JSON object.")?;
        Ok(Self {
            amount: amount(members.get("amount"))?,
            currency: currency(members.get("currency"))?,
            description: description(members.get("description"))?,
        })
    }
}

fn amount(value: Option<&Value>) -> Result<Amount, String> {
    let wanted =
        || format!("`amount` has to be a whole number of minor units from 1 to {LARGEST}.");
    let number = match value {
        Some(Value::Number(number)) => number,
        Some(_) => return Err(wanted()),
        None => return Err(String::from("`amount` is missing.")),
    };
    let whole = number.as_u64().or_else(|| {
        number
            .as_f64()
            .filter(|value| value.fract() == 0.0 && (1.0..=f64::from(LARGEST)).contains(value))
            .map(|value| value as u64)
    });
    whole
        .and_then(|minor| Amount::new(minor).ok())
        .ok_or_else(wanted)
}

fn currency(value: Option<&Value>) -> Result<Currency, String> {
    let Some(value) = value else {
        return Err(String::from("`currency` is missing."));
    };
    value.as_str().and_then(Currency::from_code).ok_or_else(|| {
        let codes: Vec<_> = Currency::ALL
            .iter()
            .map(|currency| currency.code())
            .collect();
        format!("`currency` has to be one of {}.", codes.join(", "))
    })
}

fn description(value: Option<&Value>) -> Result<Option<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        // PostgreSQL has no text with a zero in it, and a name of a payment needs none.
        Some(Value::String(text))
            if text.chars().count() <= LONGEST_DESCRIPTION && !text.contains('\0') =>
        {
            Ok(Some(text.clone()))
        }
        Some(_) => Err(format!(
            "`description` has to be a text of at most {LONGEST_DESCRIPTION} characters, none of \
             them U+0000."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charges::body::parse;

    fn of(text: &str) -> Result<Order, String> {
        Order::read(&parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn amounts_go_by_their_value() {
        for text in ["4000", "4000.0", "4e3", "4.0E+3"] {
            let order = of(&format!(r#"{{"amount":{text},"currency":"usd"}}"#)).unwrap();
            assert_eq!(order.amount.minor(), 4000, "{text}");
        }
        for text in [
            "0",
            "-1",
            "-0",
            "40.5",
            "100000000",
            "1e8",
            "0.1",
            "\"4000\"",
            "null",
            "true",
            "[4000]",
        ] {
            let error = of(&format!(r#"{{"amount":{text},"currency":"usd"}}"#)).unwrap_err();
            assert!(error.contains("`amount`"), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, member) in [
            (r#"{"currency":"usd"}"#, "`amount`"),
            (r#"{"amount":1}"#, "`currency`"),
            (r#"{"amount":1,"currency":"xxx"}"#, "`currency`"),
            (r#"{"amount":1,"currency":840}"#, "`currency`"),
            (
                r#"{"amount":1,"currency":"usd","description":1}"#,
                "`description`",
            ),
            ("[]", "object"),
            ("4000", "object"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(member), "{text}: {error}");
        }
        let order = |text: &str| {
            of(&format!(
                r#"{{"amount":1,"currency":"EUR","description":"{text}","more":[1]}}"#
            ))
        };
        // Characters, not bytes.
        assert!(order(&"é".repeat(500)).is_ok());
        assert!(order(&"e".repeat(501)).is_err());
        assert!(order(r"\u0001").is_ok());
        assert!(order(r"e\u0000e").unwrap_err().contains("U+0000"));
    }
}
