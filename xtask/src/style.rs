//! The style sheet: `style/*.css` in the order of their names, checked and minified.

use std::fs;
use std::path::{Path, PathBuf};

use lightningcss::stylesheet::{MinifyOptions, ParserOptions, PrinterOptions, StyleSheet};

use crate::error::{AtPath as _, Error};

/// The minified sheets, one after the other.
pub(crate) fn build(folder: &Path) -> Result<String, Error> {
    let mut css = String::new();
    for path in sheets(folder)? {
        let source = fs::read_to_string(&path).at(&path)?;
        css.push_str(
            &minify(&source).map_err(|(line, column, message)| Error::Style {
                path,
                line,
                column,
                message,
            })?,
        );
    }
    Ok(css)
}

fn sheets(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).at(folder)? {
        let path = entry.at(folder)?.path();
        if path.extension().is_some_and(|extension| extension == "css") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// No browser targets are named, so nothing is rewritten for older browsers.
fn minify(source: &str) -> Result<String, (u32, u32, String)> {
    let mut sheet = StyleSheet::parse(source, ParserOptions::default()).map_err(|error| {
        let (line, column) = error
            .loc
            .as_ref()
            .map_or((0, 0), |loc| (loc.line, loc.column));
        (line + 1, column, error.kind.to_string())
    })?;
    sheet
        .minify(MinifyOptions::default())
        .map_err(|error| (1, 1, error.kind.to_string()))?;
    let printed = sheet
        .to_css(PrinterOptions {
            minify: true,
            ..PrinterOptions::default()
        })
        .map_err(|error| (1, 1, error.kind.to_string()))?;
    Ok(printed.code)
}

#[cfg(test)]
mod tests {
    use super::minify;

    #[test]
    fn modern_css_survives() {
        let css = minify(
            "@layer a, b;\n/* gone */\n@layer a { .x { color: light-dark(#fff, #000); \
             container-type: inline-size; & .y { margin-inline: 1px 2px } \
             &:has(> i) { inset: 0 } } }\n@container (width > 40rem) { .x { gap: 1px } }\n\
             @starting-style { .x { opacity: 0 } }\n\
             .z { color: color-mix(in oklab, red 20%, var(--a)); text-wrap: balance }",
        )
        .unwrap();
        for part in [
            "light-dark(#fff,#000)",
            "& .y",
            "margin-inline:1px 2px",
            ":has(",
            "@container (width>40rem)",
            "@starting-style",
            "color-mix(in oklab",
            "text-wrap:balance",
        ] {
            assert!(css.contains(part), "{part} is missing in {css}");
        }
        assert!(!css.contains("gone"));
        // The statement may be folded into the first block; the order is what counts.
        assert!(
            css.find("@layer a").unwrap() < css.find("@layer b").unwrap(),
            "{css}"
        );
    }

    #[test]
    fn a_mistake_is_placed() {
        let (line, _, message) = minify("a { color: red }\nb { color red }").unwrap_err();
        assert_eq!(line, 2);
        assert!(!message.is_empty());
    }
}
