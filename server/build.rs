//! Embeds the client bundle that `cargo xtask` leaves in `target/site`.
//!
//! The files are copied into Cargo's own output folder and listed in a generated
//! table, so that a bundle being replaced meanwhile cannot break the compilation.
//! A fresh clone has no bundle yet: the table is then empty and the server still
//! compiles.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let variable = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .ok_or(io::ErrorKind::NotFound)
    };
    let site = variable("CARGO_MANIFEST_DIR")?.join("../target/site");
    let out = variable("OUT_DIR")?;

    // Cargo takes a missing path for a changed one and would rebuild every time.
    fs::create_dir_all(&site)?;
    println!("cargo::rerun-if-changed={}", site.display());
    println!("cargo::rerun-if-changed=build.rs");

    fs::write(out.join("site.rs"), table(&site, &out)?)
}

/// The Rust source of the table of files, one row for each.
fn table(site: &Path, out: &Path) -> io::Result<String> {
    let mut hash = String::new();
    let mut rows = String::new();
    // xtask leaves one folder, named by its content; without it there is nothing.
    for folder in sorted(site)?.into_iter().filter(|path| path.is_dir()) {
        hash = name(&folder);
        for file in sorted(&folder)? {
            let name = name(&file);
            if name.ends_with(".br") || name.ends_with(".gz") {
                continue;
            }
            let embed = |suffix: &str| -> io::Result<Option<String>> {
                let from = folder.join(format!("{name}{suffix}"));
                if !from.exists() {
                    return Ok(None);
                }
                fs::copy(from, out.join(format!("{name}{suffix}")))?;
                Ok(Some(format!(
                    "include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}{suffix}\"))"
                )))
            };
            let plain = embed("")?.unwrap_or_default();
            let option = |source: Option<String>| {
                source.map_or_else(|| String::from("None"), |source| format!("Some({source})"))
            };
            let (brotli, gzip) = (option(embed(".br")?), option(embed(".gz")?));
            let _ = writeln!(
                rows,
                "    Embedded {{ name: {name:?}, plain: {plain}, brotli: {brotli}, gzip: {gzip} }},"
            );
        }
    }
    Ok(format!(
        "const HASH: &str = {hash:?};\nconst FILES: &[Embedded] = &[\n{rows}];\n"
    ))
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
