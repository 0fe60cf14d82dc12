//! Charts in a file of their own.

use super::Chart;
use super::draw::{WIDE, escaped, height, inner};
use std::fmt::Write;

/// The colours of the page, in both themes: the file has no style sheet to lean on.
const STYLE: &str = "svg{font:12px system-ui,sans-serif;--paper:#FBFBF8;--ink:#17191C;--ink-2:#474C52;--hair:#D9D9D2;--stroke:#7C8187;--client:#0072B2;--server:#00956C;--lost:#D55E00;--ledger:#6E5100}\
@media(prefers-color-scheme:dark){svg{--paper:#131517;--ink:#E9E9E4;--ink-2:#B9BDC0;--hair:#2E3338;--stroke:#757C84;--client:#3F9FE0;--server:#3CCB9C;--lost:#EF6F1F;--ledger:#EBC752}}\
text{fill:var(--ink-2)}.h{font-weight:600;font-size:15px;fill:var(--ink)}.paper{fill:var(--paper)}\
.c-client{--c:var(--client)}.c-server{--c:var(--server)}.c-lost{--c:var(--lost)}.c-ledger{--c:var(--ledger)}.c-ink{--c:var(--ink)}.c-faint{--c:var(--stroke)}\
.c-grid{stroke:var(--hair)}.c-axis{stroke:var(--stroke);fill:none}.c-line,.c-dash{stroke:var(--c);stroke-width:2;fill:none}.c-dash{stroke-dasharray:5 4}\
.c-fill{fill:var(--c);fill-opacity:.4}.c-box{fill:none;stroke:var(--c);stroke-width:1.5}.c-dot{fill:var(--c)}.c-rule{stroke:var(--c);stroke-width:1.5;stroke-dasharray:3 3}.c-word{fill:var(--ink)}";

/// Charts under each other as one SVG file with its colours.
#[must_use]
pub fn picture(charts: &[Chart]) -> String {
    let mut y = 8.0;
    let mut body = String::new();
    for chart in charts {
        let _ = write!(
            body,
            r#"<text class="h" x="0" y="{}">{}</text><g transform="translate(0 {})">{}</g>"#,
            y + 16.0,
            escaped(&chart.title),
            y + 28.0,
            inner(chart, &WIDE),
        );
        let mut keys = String::new();
        for mark in chart.marks.iter().filter(|mark| !mark.name.is_empty()) {
            let _ = write!(
                keys,
                r#"<tspan class="{}" fill="var(--c)">&#9632;</tspan> {}   "#,
                mark.tone.class(),
                escaped(&mark.name)
            );
        }
        y += 28.0 + height(chart, &WIDE);
        if !keys.is_empty() {
            let _ = write!(
                body,
                r#"<text x="0" y="{}" xml:space="preserve">{keys}</text>"#,
                y + 12.0
            );
            y += 16.0;
        }
        y += 20.0;
    }
    let width = WIDE.width;
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 0 {0} {y}" width="{0}" height="{y}"><style>{STYLE}</style><rect class="paper" x="-12" width="{0}" height="{y}"/>{body}</svg>"#,
        width + 24.0
    )
}
