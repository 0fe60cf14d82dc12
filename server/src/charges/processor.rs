//! The card processor, which is simulated: another company with books of its own.
//!
//! What it writes is durable before it answers. It charges once for one processor
//! key: the second call gets the first result, declines included. It gives a
//! charge back once, whatever key it is asked with.

use std::sync::Arc;
use std::time::Duration;

use model::fault::Fault;
use model::protocol::{Paid, ProcessorKey, Trouble};

use super::order::Work;
use super::store::{Ledger, StoreError, TakeMoney, Taken};
use crate::id::{AccountId, ChargeId};

/// The processor.
#[derive(Clone)]
pub struct Processor {
    ledger: Arc<dyn Ledger>,
}

/// What the processor is told of a payment besides the money.
#[derive(Clone, Debug)]
pub struct About {
    /// A key: it charges once for it.
    pub key: Option<ProcessorKey>,
    /// What the payment is for. Its books can be searched by it.
    pub reference: String,
    /// The payment that the client meant, where it said so.
    pub intent: Option<String>,
}

/// What it has decided, and how long its answer takes.
#[derive(Debug)]
pub struct Spoken {
    /// The decision. The books already say so.
    pub verdict: Verdict,
    /// How long the answer is on its way.
    pub delay: Duration,
}

/// A decision.
#[derive(Debug)]
pub enum Verdict {
    /// The entry in the books.
    Final(Taken),
    /// No final word, and nothing was taken.
    Trouble(Trouble),
}

impl Processor {
    /// A processor that writes these books.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>) -> Self {
        Self { ledger }
    }

    /// Asks it to take money, or to give it back.
    ///
    /// # Errors
    /// [`StoreError`] when the books cannot be written. Whether money was taken is
    /// not known then.
    pub async fn charge(
        &self,
        account: &AccountId,
        about: About,
        work: &Work,
        fault: Fault,
    ) -> Result<Spoken, StoreError> {
        let trouble = |processor_status, retry_after_s| {
            let verdict = Verdict::Trouble(Trouble {
                processor_status,
                retry_after_s,
            });
            Ok(Spoken {
                verdict,
                delay: Duration::ZERO,
            })
        };
        match fault {
            Fault::Processor500 => return trouble(500, None),
            Fault::Processor503 => return trouble(503, None),
            Fault::Processor429 => return trouble(429, Some(1)),
            _ => {}
        }
        let (amount, currency) = match work {
            Work::Charge(order) => (order.amount.minor(), order.currency),
            Work::Refund(charge) => (charge.amount, charge.currency),
        };
        let (id, refund_of) = match work {
            Work::Charge(_) => (ChargeId::random(), None),
            Work::Refund(charge) => (ChargeId::random_refund(), Some(charge.id.clone())),
        };
        let taken = self
            .ledger
            .take(TakeMoney {
                account: account.clone(),
                processor_key: about.key,
                reference: about.reference,
                intent: about.intent,
                description: match work {
                    Work::Charge(order) => order.description.clone(),
                    Work::Refund(_) => None,
                },
                amount,
                currency,
                paid: match fault {
                    Fault::Declined => Paid::Declined,
                    _ => Paid::Succeeded,
                },
                refund_of,
                id,
            })
            .await?;
        let delay = match fault {
            Fault::Slow { ms } => Duration::from_millis(ms),
            _ => Duration::ZERO,
        };
        Ok(Spoken {
            verdict: Verdict::Final(taken),
            delay,
        })
    }
}
