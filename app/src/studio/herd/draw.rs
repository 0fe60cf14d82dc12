//! The herd's page as HTML text: the same on the server and in the browser.

use super::{Asked, SERVER_STEPS};
use crate::studio::Field;
use crate::studio::panels::{self, Ink, MOST_COLUMNS, Panel, Scale, Series, percent, short};
use crate::studio::sim::{self, count, ms, output};
use maud::{Markup, html};
use model::Ms;
use model::outage::{Bin, Fields as _, Herd, HerdField, HerdInputs, Herds, Kind};

/// What a field is called, its unit, and under which heading it stands.
const fn label(field: HerdField) -> (&'static str, &'static str, &'static str) {
    const CLIENTS: &str = "Clients";
    const SERVER: &str = "Server";
    const PICTURE: &str = "Picture";
    match field {
        HerdField::Clients => ("Clients that failed together", "", CLIENTS),
        HerdField::Attempts => ("Attempts, the failed one included", "", CLIENTS),
        HerdField::Base => ("First window", "ms", CLIENTS),
        HerdField::Factor => ("Windows grow by", "times", CLIENTS),
        HerdField::Cap => ("Longest window", "ms", CLIENTS),
        HerdField::Timeout => ("Time-out of a call", "ms", CLIENTS),
        HerdField::Capacity => ("Capacity", "calls/s", SERVER),
        HerdField::Queue => ("Room in the queue", "calls", SERVER),
        HerdField::Bin => ("Width of a column", "ms", PICTURE),
        HerdField::Seed => ("Seed", "", PICTURE),
    }
}

/// The fields of the form.
pub(crate) fn fields(asked: &Asked) -> Vec<Field> {
    let mut fields: Vec<_> = HerdField::ALL
        .iter()
        .map(|field| {
            let (label, unit, group) = label(*field);
            sim::field(&asked.form, *field, label, unit).under(group)
        })
        .collect();
    let unknown = asked.unknown.as_ref();
    let kinds = Kind::ALL.map(|kind| (kind.name(), words(kind)));
    let value = unknown.map_or(asked.kind.name(), String::as_str);
    fields.push(
        Field::choice(
            super::KIND,
            "In the large figures",
            kinds.into(),
            value.to_owned(),
        )
        .under("Picture")
        .wrong(unknown.map(|_| "Write one of these: none, full, equal, decorrelated.".to_owned())),
    );
    fields
}

/// A kind in the words of a heading.
pub(crate) const fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::None => "No jitter",
        Kind::Full => "Full jitter",
        Kind::Equal => "Equal jitter",
        Kind::Decorrelated => "Decorrelated jitter",
    }
}

/// How a kind draws a wait.
const fn rule(kind: Kind) -> &'static str {
    match kind {
        Kind::None => "Each waits the whole window.",
        Kind::Full => "Each waits anything from 0 to the window.",
        Kind::Equal => "Half of the window, and anything up to the other half.",
        Kind::Decorrelated => {
            "Anything from the first window to three times the last wait, cut at the longest window."
        }
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
fn waves(inputs: &HerdInputs, herd: &Herd) -> Vec<(Ms, u32)> {
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

/// Bins put together so that there are not too many columns.
pub(crate) struct Columns {
    /// How many bins a column has.
    pub(crate) bins: usize,
    pub(crate) all: Vec<Bin>,
}

fn columns(bins: &[Bin], together: usize) -> Columns {
    let all = bins
        .chunks(together.max(1))
        .map(|chunk| {
            chunk.iter().fold(Bin::default(), |sum, bin| Bin {
                arrivals: sum.arrivals.saturating_add(bin.arrivals),
                rejected: sum.rejected.saturating_add(bin.rejected),
                served: sum.served.saturating_add(bin.served),
                wasted: sum.wasted.saturating_add(bin.wasted),
                timed_out: sum.timed_out.saturating_add(bin.timed_out),
                gave_up: sum.gave_up.saturating_add(bin.gave_up),
            })
        })
        .collect();
    Columns {
        bins: together.max(1),
        all,
    }
}

/// The scales that the four pictures share, and how many bins a column has.
pub(crate) struct Scales {
    pub(crate) x: Scale,
    y: Scale,
    together: usize,
    column: f64,
}

pub(crate) fn scales(inputs: &HerdInputs, herds: &Herds) -> Scales {
    let longest = herds
        .all()
        .iter()
        .map(|herd| herd.bins().len())
        .max()
        .unwrap_or(0);
    let together = longest.div_ceil(MOST_COLUMNS).max(1);
    let most = herds
        .all()
        .iter()
        .flat_map(|herd| columns(herd.bins(), together).all)
        .map(|bin| bin.arrivals.max(bin.served).max(bin.wasted))
        .max()
        .unwrap_or(1);
    let column = together as f64 * inputs.bin_ms as f64;
    let count = longest.div_ceil(together).max(1);
    Scales {
        x: Scale::new(column * count as f64, "ms"),
        y: Scale::new(f64::from(most), ""),
        together,
        column,
    }
}

/// Marks of the first waves. A wave close to the one before shares its word.
fn marks(waves: &[(Ms, u32)], x: &Scale) -> Vec<(f64, String)> {
    const CLOSE: f64 = 0.08;
    let mut marks: Vec<(f64, String)> = Vec::new();
    let mut word = 0;
    for (at, _) in waves.iter().take(3) {
        let here = *at as f64;
        let close = marks
            .get(word)
            .is_some_and(|(before, _)| x.share(here) - x.share(*before) < CLOSE);
        if close {
            marks[word].1.push_str(&format!(", {at}"));
            marks.push((here, String::new()));
        } else {
            word = marks.len();
            marks.push((here, at.to_string()));
        }
    }
    marks
}

fn panel<'a>(
    inputs: &HerdInputs,
    herd: &Herd,
    scales: &'a Scales,
    id: &'a str,
    up: &'a str,
) -> Panel<'a> {
    let sum = herd.summary();
    let columns = columns(herd.bins(), scales.together).all;
    let series = |class, ink, of: &dyn Fn(&Bin) -> u32| Series {
        class,
        ink,
        values: columns.iter().map(|bin| Some(f64::from(of(bin)))).collect(),
    };
    let mut all = vec![
        series("in", Ink::Fill, &|bin| {
            bin.arrivals.saturating_sub(bin.rejected)
        }),
        series("out", Ink::Fill, &|bin| bin.rejected),
        series("good", Ink::Step, &|bin| bin.served),
    ];
    if sum.wasted > 0 {
        all.push(series("waste", Ink::Step, &|bin| bin.wasted));
    }
    let marks = if herd.kind() == Kind::None {
        marks(&waves(inputs, herd), &scales.x)
    } else {
        Vec::new()
    };
    Panel {
        id,
        title: format!(
            "{}: arrivals over time. {} calls, the busiest {} ms have {}",
            words(herd.kind()),
            count(sum.calls),
            inputs.bin_ms,
            count(sum.peak.into())
        ),
        up,
        x: &scales.x,
        y: &scales.y,
        column: scales.column,
        series: all,
        bands: Vec::new(),
        marks,
    }
}

fn up(scales: &Scales) -> String {
    format!("calls in {} ms", short(scales.column))
}

fn pictures(inputs: &HerdInputs, herds: &Herds) -> Markup {
    let scales = scales(inputs, herds);
    let up = up(&scales);
    let kept = (HerdInputs::MOST_BINS as u64).saturating_mul(inputs.bin_ms);
    let cut = herds
        .all()
        .iter()
        .any(|herd| herd.bins().len() >= HerdInputs::MOST_BINS);
    html! {
        section.sim__pictures aria-labelledby="pictures" {
            h2 id="pictures" { "The same herd, four ways to wait" }
            p.sim__legend {
                span.key.key--in { "let in" } span.key.key--out { "rejected, on top" }
                span.key.key--good { "served" } span.key.key--waste { "wasted" }
            }
            (player(&scales))
            div.sim__grid {
                @for herd in herds.all() {
                    @let kind = herd.kind().name();
                    @let (id, rows) = (format!("herd-{kind}"), format!("herd-{kind}-rows"));
                    figure.sim__one data-kind=(kind) {
                        figcaption { h3 { (words(herd.kind())) } p { (rule(herd.kind())) } }
                        (panel(inputs, herd, &scales, &id, &up).figure(&rows))
                        (crowd(inputs, herd))
                        (rows_of(inputs, herd, &scales, &rows))
                    }
                }
            }
            @if cut {
                p.sim__note {
                    "The pictures end at " (count(kept)) " ms, which is as much as is kept; the figures count everything. "
                    "Wider columns show more."
                }
            }
        }
    }
}

/// Buttons and scrubber; they come alive with the island.
fn player(scales: &Scales) -> Markup {
    html! {
        div.sim__player data-player="" hidden {
            button.btn type="button" data-play="" { "Play" }
            label.sim__scrub {
                span.vh { "Time" }
                input type="range" min="0" max="1000" value="1000" step="1" data-scrub=""
                    data-most=(scales.x.most) aria-valuetext=(format!("{} ms, the end", short(scales.x.most)));
            }
            output.sim__time name="time" data-time="" { (short(scales.x.most)) " ms" }
            p.sim__still data-still="" hidden {
                "Your system asks for less motion, so nothing plays: this is the whole run in one still picture. "
                "The slider still goes through it by hand."
            }
        }
    }
}

/// What has become of the clients by the end.
fn crowd(inputs: &HerdInputs, herd: &Herd) -> Markup {
    let sum = herd.summary();
    crowd_at(inputs.clients.into(), sum.served, sum.gave_up)
}

/// What has become of the clients: served, gave up, still waiting.
pub(crate) fn crowd_at(clients: u64, served: u64, gave_up: u64) -> Markup {
    let share = |part: u64| part as f64 / clients.max(1) as f64;
    let waiting = clients.saturating_sub(served + gave_up);
    html! {
        div.crowd data-crowd="" {
            svg width="100%" height="10" aria-hidden="true" {
                rect.crowd__all x="0" y="0" width="100%" height="10" {}
                rect.s-good x="0" y="0" width=(percent(share(served))) height="10" {}
                rect.s-out x=(percent(1.0 - share(gave_up))) y="0" width=(percent(share(gave_up))) height="10" {}
            }
            p { b { (count(served)) } " served, " b { (count(waiting)) } " waiting, " b { (count(gave_up)) } " gave up" }
        }
    }
}

/// The points of a picture as a table.
fn rows_of(inputs: &HerdInputs, herd: &Herd, scales: &Scales, id: &str) -> Markup {
    let columns = columns(herd.bins(), scales.together);
    let width = columns.bins as u64 * inputs.bin_ms;
    html! {
        details.sim__table {
            summary { "The points as a table" }
            div.sim__scroll tabindex="0" role="region" aria-label=(format!("Points: {}", words(herd.kind()))) {
                table {
                    thead { tr { th scope="col" { "from, ms" } th scope="col" { "arrivals" } th scope="col" { "rejected" }
                        th scope="col" { "served" } th scope="col" { "wasted" } th scope="col" { "timed out" } th scope="col" { "gave up" } } }
                    tbody id=(id) {
                        @for (at, bin) in columns.all.iter().enumerate().filter(|(_, bin)| **bin != Bin::default()) {
                            tr data-x=(at) {
                                th scope="row" { (at as u64 * width) }
                                @for it in [bin.arrivals, bin.rejected, bin.served, bin.wasted, bin.timed_out, bin.gave_up] {
                                    td { (it) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
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
