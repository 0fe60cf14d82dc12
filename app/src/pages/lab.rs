//! The lab: real requests to the real service.

use crate::islands::lab::LabBench;
use leptos::prelude::*;
use leptos_meta::{Meta, Title};

/// The same from a shell. `$BASE` is where the service is.
const SHELL: &str = r#"BASE=http://127.0.0.1:3000

# A sandbox of your own. Nothing in it is seen by anybody else.
TOKEN=$(curl -s -X POST $BASE/sandboxes | sed 's/.*"token":"\([^"]*\)".*/\1/')

# Lose the next reply: the work is done, and no byte comes back.
curl -s -w '\n' -X POST $BASE/lab/faults -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' -d '{"next":[{"fault":"lose_reply"}]}'

# Pay. After two seconds curl stops waiting, as the app does.
curl -i -w '\n' --max-time 2 -X POST $BASE/charges -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' -H 'Idempotency-Key: "k-7f3"' \
  -d '{"amount":4000,"currency":"usd"}'

# The same again: the saved answer, and Idempotency-Replayed: true.
curl -i -w '\n' -X POST $BASE/charges -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' -H 'Idempotency-Key: "k-7f3"' \
  -d '{"amount":4000,"currency":"usd"}'

# What the card processor took: one charge.
curl -s $BASE/lab/ledger -H "Authorization: Bearer $TOKEN""#;

/// `/lab`.
#[component]
pub fn LabPage() -> impl IntoView {
    view! {
        <Title text="Lab | Charge Once"/>
        <Meta
            name="description"
            content="Send real charges to a real service, lose the reply on purpose, and see what the ledger says."
        />
        <main class="page" id="main">
            <div class="labhead">
                <h1>"Lab: break it on purpose"</h1>
                <p>
                    "Your browser is the shop's app, and the service behind this page is real. Choose what goes wrong, press Pay, and see who knows what. The ledger is never wrong."
                </p>
            </div>
            <noscript>
                <p class="noscript">
                    "The bench needs JavaScript, since your browser plays the app. The same works from a shell: see below."
                </p>
            </noscript>
            <LabBench/>
            <section class="shell" aria-labelledby="shell-title">
                <h2 id="shell-title">"The same from a shell"</h2>
                <p>
                    "Nothing on this page is special: each request of the bench can be copied as a curl command, and this is the whole story without a browser."
                </p>
                // It scrolls on narrow screens, and keys have to reach it.
                <pre tabindex="0" role="group" aria-label="Commands">
                    {SHELL}
                </pre>
            </section>
        </main>
    }
}
