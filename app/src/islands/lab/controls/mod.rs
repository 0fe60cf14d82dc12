//! What a visitor can set: the payment, what goes wrong, the clock, the key and the
//! policy of the app; and of the service its pods, where keys are kept, and what
//! becomes of requests without one.

mod clock;
mod faults;
mod field;
mod keys;
mod payment;
mod pods;
mod policy;

use super::state::Lab;
use leptos::prelude::*;

/// The column of controls.
pub(super) fn controls(lab: Lab) -> impl IntoView {
    view! {
        <section class="lab__act" aria-label="Act">
            {payment::payment(lab)}
            {faults::fault_queue(lab)}
            {clock::clock(lab)}
            {keys::app_key(lab)}
            {policy::policy(lab)}
        </section>
    }
}

/// What belongs to the service.
pub(super) fn of_service(lab: Lab) -> impl IntoView {
    view! {
        <div class="weaken__sets">{pods::pods(lab)} {pods::store(lab)} {keys::keyless(lab)}</div>
    }
}
