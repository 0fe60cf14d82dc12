//! Reads a chart point by point: a slider under it, moved by keys, touch or pointer.

use super::live::{all, find, on};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};

/// Shows the sliders under `root`: without a script they could not be moved.
pub(super) fn prepare(root: &Element) {
    for reader in all(root, "[data-reader]") {
        if let Ok(reader) = reader.dyn_into::<HtmlElement>() {
            reader.set_hidden(false);
        }
    }
}

/// Listens for sliders that are moved or come into focus, now or when they are drawn.
pub(super) fn listen(root: &Element) {
    for event in ["input", "focusin"] {
        on(root, event, |event| {
            let input = event
                .target()
                .and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
            if let Some(input) = input
                && input.closest("[data-reader]").ok().flatten().is_some()
            {
                read(&input);
            }
        });
    }
}

/// Says the point that the slider is on, and marks it in the picture.
pub(super) fn read(input: &HtmlInputElement) {
    let Ok(Some(plot)) = input.closest("figure") else {
        return;
    };
    let at: usize = input.value().parse().unwrap_or(0);
    let rows = all(&plot, ":scope > details tbody tr");
    let Some(row) = rows.get(at) else {
        return;
    };
    let heads = all(&plot, ":scope > details thead th");
    let words: Vec<_> = heads
        .iter()
        .zip(all(row, "th, td"))
        .map(|(head, cell)| {
            format!(
                "{}: {}",
                head.text_content().unwrap_or_default(),
                cell.text_content().unwrap_or_default()
            )
        })
        .collect();
    let words = words.join("; ");
    let _ = input.set_attribute("aria-valuetext", &words);
    if let Some(output) = find::<Element>(&plot, "[data-reader] output") {
        output.set_text_content(Some(&words));
    }
    let part = |name: &str| -> f64 {
        row.get_attribute(name)
            .and_then(|text| text.parse().ok())
            .unwrap_or(0.0)
    };
    let (x, y) = (part("data-x"), part("data-y"));
    for svg in all(&plot, "svg[data-plot]") {
        let plot: Vec<f64> = svg
            .get_attribute("data-plot")
            .unwrap_or_default()
            .split(' ')
            .filter_map(|text| text.parse().ok())
            .collect();
        let [left, top, width, height] = plot[..] else {
            continue;
        };
        let (x, y) = (left + width * x, top + height * (1.0 - y));
        if let Some(mark) = find::<Element>(&svg, ".c-at") {
            let _ = mark.set_attribute("visibility", "visible");
        }
        if let Some(line) = find::<Element>(&svg, ".c-at-line") {
            let _ = line.set_attribute("d", &format!("M{x:.1} {top}V{}", top + height));
        }
        if let Some(dot) = find::<Element>(&svg, ".c-at-dot") {
            let _ = dot.set_attribute("cx", &format!("{x:.1}"));
            let _ = dot.set_attribute("cy", &format!("{y:.1}"));
        }
    }
}
