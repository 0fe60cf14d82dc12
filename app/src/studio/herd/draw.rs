//! The herd's page as HTML text: the same on the server and in the browser.

use super::fields::label;
use super::pictures::{panel, pictures, scales, up};
use super::{Asked, SERVER_STEPS};
use crate::studio::panels::{self, short};
use crate::studio::sim::{self, count, ms, output};
use maud::{Markup, html};
use model::Ms;
use model::outage::{Herd, HerdInputs, Herds, Kind};

/// A kind in the words of a heading.
pub(crate) const fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::None => "No jitter",
        Kind::Full => "Full jitter",
        Kind::Equal => "Equal jitter",
        Kind::Decorrelated => "Decorrelated jitter",
    }
}

/// Where the server leaves the run to the browser.
pub(crate) fn too_large(asked: &Asked) -> Markup {
    html! {
        (sim::problems(&asked.form, |field| label(field).0))
        p.sim__pending data-pending="" {
            "This run takes more than " (count(SERVER_STEPS.into()))
            " steps, which is what the server does for one page. A browser with JavaScript runs it here, a million "
            "clients in a second or two. Without JavaScript, ask for fewer clients: "
            a href="/herd?clients=50000&capacity=50000&queue=5000" { "50,000 of them" } "."
        }
    }
}

/// Everything that came of a run that is done.
pub(crate) fn results(asked: &Asked, herds: &Herds, by: &str) -> Markup {
    let inputs = &asked.form.inputs;
    let shown = herds.all().iter().find(|herd| herd.kind() == asked.kind);
    html! {
        (sim::problems(&asked.form, |field| label(field).0))
        @if let Some(herd) = shown { (large(inputs, herd)) }
        (pictures(inputs, herds))
        (table(inputs, herds))
        (sim::digest(herds.digest(), by))
    }
}

/// The figures of one kind, and what they say.
fn large(inputs: &HerdInputs, herd: &Herd) -> Markup {
    let sum = herd.summary();
    html! {
        section.sim__large aria-labelledby="large" {
            h2 id="large" { (words(herd.kind())) ": " (gist(inputs, herd)) }
            dl.sim__figures {
                div { dt { "Busiest " (short(inputs.bin_ms as f64)) " ms" }
                    dd { (output("peak", &count(sum.peak.into()), "calls")) " "
                        small { "at " (output("peak-at", &short(sum.peak_at_ms as f64), "ms")) } } }
                div { dt { "Calls in all" } dd { (output("calls", &count(sum.calls), "")) " "
                        small { (per_client(inputs, sum.calls)) } } }
                div { dt { "Served" } dd { (output("served", &count(sum.served), "")) " "
                        small { "of " (count(inputs.clients.into())) " clients" } } }
                div { dt { "Rejected" } dd { (output("rejected", &count(sum.rejected), "calls")) } }
                div { dt { "Wasted work" } dd { (output("wasted", &count(sum.wasted), "calls")) } }
                div { dt { "Gave up" } dd { (output("gave-up", &count(sum.gave_up), "clients")) } }
                div { dt { "Time to recover" } dd { (output("recovered", &ms(sum.recovered_ms), "ms")) } }
                div { dt { "All done after" } dd { (output("drained", &ms(sum.drained_ms), "ms")) } }
            }
            p.sim__note {
                "All " (count(inputs.clients.into())) " first calls failed before 0 ms and are not counted. "
                "Time to recover is the moment of the last failed call; all done is when the last client was served or gave up. "
                "Wasted is work that the server finished after its client had stopped waiting: for a payment without an "
                a href="/#why" { "idempotency key" } ", a second charge."
            }
        }
    }
}

fn per_client(inputs: &HerdInputs, calls: u64) -> String {
    let each = calls as f64 / f64::from(inputs.clients.max(1));
    format!(
        "{} retries for each client",
        short((each * 100.0).round() / 100.0)
    )
}

/// What is to be seen, in a sentence, from the run itself.
fn gist(inputs: &HerdInputs, herd: &Herd) -> String {
    let sum = herd.summary();
    if sum.calls == 0 {
        return "one attempt is no retry, so nobody comes back.".to_owned();
    }
    if herd.kind() == Kind::None {
        let waves = waves(inputs, herd);
        let told: Vec<String> = waves
            .iter()
            .map(|(at, calls)| (short(*at as f64), count(u64::from(*calls))))
            .enumerate()
            .map(|(no, (at, calls))| match no {
                0 => format!("{calls} calls at {at} ms"),
                _ => format!("{calls} at {at} ms"),
            })
            .collect();
        if !told.is_empty() {
            return format!("the herd comes back in waves, {}.", told.join(", "));
        }
    }
    let share = f64::from(sum.peak) / f64::from(inputs.clients.max(1));
    format!(
        "the busiest {} ms get {} of the herd.",
        inputs.bin_ms,
        sim::per_cent(share)
    )
}

/// The moments at which clients without jitter that were refused each time call
/// again, with how many did.
pub(super) fn waves(inputs: &HerdInputs, herd: &Herd) -> Vec<(Ms, u32)> {
    let policy = inputs.policy();
    let mut at = 0;
    (1..policy.attempts.min(5))
        .map_while(|retry| {
            at += policy.ceiling_ms(retry);
            let bin = herd
                .bins()
                .get(usize::try_from(at / inputs.bin_ms.max(1)).ok()?)?;
            (bin.arrivals > 0).then_some((at, bin.arrivals))
        })
        .collect()
}

/// All kinds beside each other in figures.
fn table(inputs: &HerdInputs, herds: &Herds) -> Markup {
    html! {
        section.sim__side aria-labelledby="side" {
            h2 id="side" { "Side by side" }
            div.sim__scroll tabindex="0" role="region" aria-label="Side by side: all figures" {
                table {
                    thead { tr {
                        th scope="col" { "jitter" } th scope="col" { "busiest " (inputs.bin_ms) " ms" } th scope="col" { "calls" }
                        th scope="col" { "served" } th scope="col" { "rejected" } th scope="col" { "wasted" }
                        th scope="col" { "gave up" } th scope="col" { "recovered, ms" } th scope="col" { "all done, ms" }
                    } }
                    tbody {
                        @for herd in herds.all() {
                            @let sum = herd.summary();
                            @let kind = herd.kind().name();
                            tr {
                                th scope="row" { (words(herd.kind())) }
                                @for (name, value) in [
                                    ("peak", count(sum.peak.into())),
                                    ("calls", count(sum.calls)),
                                    ("served", count(sum.served)),
                                    ("rejected", count(sum.rejected)),
                                    ("wasted", count(sum.wasted)),
                                    ("gave-up", count(sum.gave_up)),
                                    ("recovered", ms(sum.recovered_ms)),
                                    ("drained", ms(sum.drained_ms)),
                                ] {
                                    td { (output(&format!("{name}-{kind}"), &value, "")) }
                                }
                            }
                        }
                    }
                }
            }
            (verdict(herds))
        }
    }
}

/// Which kind did best at what, from the figures.
fn verdict(herds: &Herds) -> Markup {
    let best = |what: &dyn Fn(&Herd) -> f64| {
        let least = herds.all().iter().map(what).fold(f64::INFINITY, f64::min);
        let named: Vec<_> = herds
            .all()
            .iter()
            .filter(|herd| what(herd) <= least)
            .map(|herd| words(herd.kind()).to_lowercase())
            .collect();
        named.join(" and ")
    };
    html! {
        p {
            "On this seed the lowest peak comes with " b { (best(&|herd| f64::from(herd.summary().peak))) }
            ", the fewest calls with " b { (best(&|herd| herd.summary().calls as f64)) }
            ", the fewest clients that gave up with " b { (best(&|herd| herd.summary().gave_up as f64)) }
            ". Jitter adds no capacity: a server that cannot serve the herd in the time that its retries leave still loses clients, "
            "and only " a href="/outage" { "fewer retries" } " help then."
        }
    }
}

/// The results in a sentence.
pub(crate) fn said(asked: &Asked, herds: &Herds) -> String {
    herds
        .all()
        .iter()
        .find(|herd| herd.kind() == asked.kind)
        .map(|herd| format!("{}: {}", words(herd.kind()), gist(&asked.form.inputs, herd)))
        .unwrap_or_default()
}

/// The four pictures in one file.
pub(crate) fn svg(asked: &Asked, herds: &Herds) -> String {
    let inputs = &asked.form.inputs;
    let scales = scales(inputs, herds);
    let up = up(&scales);
    let pictures: Vec<_> = herds
        .all()
        .iter()
        .map(|herd| {
            let id = format!("herd-{}", herd.kind().name());
            let picture = panel(inputs, herd, &scales, &id, &up).svg();
            (words(herd.kind()).to_owned(), picture)
        })
        .collect();
    let clients = count(inputs.clients.into());
    panels::file(
        &format!("The herd: {clients} clients, {up}, seed {}", inputs.seed),
        &pictures,
    )
}
