//! The payment: how much, for whom, and the buttons that send it.

use super::super::state::Lab;
use super::super::{pay, service};
use crate::parts::words;
use leptos::prelude::*;
use model::money::{Currency, Money};

/// The payment.
pub(super) fn payment(lab: Lab) -> impl IntoView {
    let price = move || {
        Money {
            minor: lab.amount.get(),
            currency: Currency::Usd,
        }
        .to_string()
    };
    let idle = move || lab.session.get().is_none() || lab.busy.get();
    let sent = move || !lab.client.with(Vec::is_empty);
    view! {
        <div class="set">
            <h2>
                "Payment"
                <small>{move || lab.session.get().map(|session| words::short_id(&session.account))}</small>
            </h2>
            <div class="row">
                <button
                    class="btn btn--main grow"
                    type="button"
                    disabled=idle
                    on:click=move |_| pay::pay(lab, 1)
                >
                    {move || if lab.busy.get() { "Paying …".to_owned() } else { format!("Pay {}", price()) }}
                </button>
                <button
                    class="btn grow"
                    type="button"
                    disabled=idle
                    title="One payment, sent twice at the same moment with the same key"
                    on:click=move |_| pay::pay(lab, 2)
                >
                    "Tap twice"
                </button>
                <button
                    class="btn grow"
                    type="button"
                    disabled=move || idle() || !sent()
                    title="Another attempt at the same payment, with the same key"
                    on:click=move |_| pay::once_more(lab)
                >
                    "Send once more"
                </button>
            </div>
            <div class="row row--tight">
                <label class="field grow">
                    "Amount in cents"
                    <span class="field__in">
                        <input
                            type="text"
                            inputmode="numeric"
                            name="amount"
                            value="4000"
                            on:input=move |event| {
                                if let Ok(amount) = event_target_value(&event).trim().parse() {
                                    lab.amount.set(amount);
                                }
                            }
                        />
                    </span>
                </label>
                <label class="field grow">
                    "Account"
                    <select
                        class="sel"
                        name="account"
                        on:change=move |event| lab.second.set(event_target_value(&event) == "second")
                    >
                        <option value="first" selected>"First"</option>
                        <option value="second">"Second"</option>
                    </select>
                </label>
            </div>
            <div class="row row--tight">
                <button
                    class="btn btn--sm grow"
                    type="button"
                    disabled=idle
                    title="Forget all keys, charges and facts of this sandbox"
                    on:click=move |_| service::reset(lab)
                >
                    "Empty the sandbox"
                </button>
            </div>
        </div>
    }
}
