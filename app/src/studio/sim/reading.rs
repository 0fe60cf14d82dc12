//! The points of a picture, read by keyboard or pointer. They are the rows of its
//! table.

use super::alive::all;
use crate::studio::panels::percent;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent, PointerEvent};

/// How many points Page Up and Page Down pass over.
const PAGE: i64 = 10;

/// A key was pressed: on a picture, arrows go from point to point.
pub(super) fn key(root: &Element, event: &Event) {
    let Some(panel) = panel(event) else { return };
    let Some(key) = event.dyn_ref::<KeyboardEvent>() else {
        return;
    };
    if key.alt_key() || key.ctrl_key() || key.meta_key() {
        return;
    }
    let rows = rows(root, &panel);
    let now = panel
        .get_attribute("data-point")
        .and_then(|it| it.parse::<i64>().ok());
    let last = rows.len() as i64 - 1;
    let to = match key.key().as_str() {
        "ArrowRight" | "ArrowUp" => now.map_or(0, |it| it + 1),
        "ArrowLeft" | "ArrowDown" => now.map_or(0, |it| it - 1),
        "PageUp" => now.map_or(0, |it| it + PAGE),
        "PageDown" => now.map_or(0, |it| it - PAGE),
        "Home" => 0,
        "End" => last,
        _ => return,
    };
    event.prevent_default();
    if last >= 0 {
        read(root, &panel, &rows, to.clamp(0, last) as usize);
    }
}

/// The pointer is over a picture: the point nearest to it.
pub(super) fn pointer(root: &Element, event: &Event) {
    let Some(panel) = panel(event) else { return };
    let Some(pointer) = event.dyn_ref::<PointerEvent>() else {
        return;
    };
    let Some(drawing) = panel.query_selector("svg").ok().flatten() else {
        return;
    };
    let shape = drawing.get_bounding_client_rect();
    let share = (f64::from(pointer.client_x()) - shape.left()) / shape.width().max(1.0);
    let column = (share * number(&panel, "data-most") / number(&panel, "data-column")).floor();
    let rows = rows(root, &panel);
    let nearest = rows
        .iter()
        .enumerate()
        .min_by(|(_, a), (_, b)| {
            let far = |row: &Element| (number(row, "data-x") - column).abs();
            far(a).total_cmp(&far(b))
        })
        .map(|(at, _)| at);
    if let Some(at) = nearest
        && panel.get_attribute("data-point").as_deref() != Some(&at.to_string())
    {
        read(root, &panel, &rows, at);
    }
}

fn panel(event: &Event) -> Option<Element> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest("[data-panel]").ok()?
}

fn rows(root: &Element, panel: &Element) -> Vec<Element> {
    panel
        .get_attribute("data-rows")
        .map(|id| all(root, &format!("#{id} tr")))
        .unwrap_or_default()
}

fn number(of: &Element, attribute: &str) -> f64 {
    of.get_attribute(attribute)
        .and_then(|it| it.parse().ok())
        .unwrap_or(1.0)
}

/// Says a point, and shows where it is.
fn read(root: &Element, panel: &Element, rows: &[Element], at: usize) {
    let Some(row) = rows.get(at) else { return };
    let heads = panel
        .get_attribute("data-rows")
        .and_then(|id| root.query_selector(&format!("#{id}")).ok().flatten())
        .and_then(|body| body.closest("table").ok().flatten())
        .map(|table| all(&table, "thead th"))
        .unwrap_or_default();
    let text = |it: &Element| it.text_content().unwrap_or_default();
    let told: Vec<_> = heads
        .iter()
        .zip(all(row, "th, td"))
        .filter(|(_, cell)| !text(cell).is_empty())
        .map(|(head, cell)| format!("{} {}", text(head), text(&cell)))
        .collect();
    let told = told.join("; ");
    for (name, value) in [
        ("data-point", at.to_string()),
        ("aria-valuenow", at.to_string()),
        ("aria-valuemax", (rows.len() - 1).to_string()),
        ("aria-valuetext", told.clone()),
    ] {
        let _ = panel.set_attribute(name, &value);
    }
    if let Ok(Some(shown)) = panel.query_selector("[data-at]") {
        shown.set_text_content(Some(&told));
    }
    let share =
        (number(row, "data-x") + 0.5) * number(panel, "data-column") / number(panel, "data-most");
    line(panel, share);
}

/// Puts the upright line of a picture at a share of its width.
pub(crate) fn line(panel: &Element, share: f64) {
    if let Ok(Some(line)) = panel.query_selector("[data-now]") {
        let at = percent(share.clamp(0.0, 1.0));
        for (name, value) in [("x1", at.as_str()), ("x2", &at), ("visibility", "visible")] {
            let _ = line.set_attribute(name, value);
        }
    }
}
