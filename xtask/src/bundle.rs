//! The bundle that the server embeds: `target/site/<hash>/`, named by its content.
//!
//! The slow part, binding and compressing the WASM, is kept by the hash of its
//! input and done again only when that changes.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasm_bindgen_cli_support::Bindgen;

use crate::error::{AtPath as _, Error};
use crate::paths::Paths;
use crate::{compress, style};

/// The name of the style sheet, and of the client that most pages load.
const NAME: &str = "charge-once";
/// Part of the hash of the input: raise it when the same input is to be bundled
/// in another way.
const RECIPE: &[u8] = b"1";
const ICON: &str = "favicon.svg";

/// A client that was bound: its name, and the folder with its files.
pub(crate) struct Bound {
    name: &'static str,
    folder: PathBuf,
}

/// Makes the bundle of the clients and the style sheets.
pub(crate) fn build(paths: &Paths, clients: &[Bound]) -> Result<(), Error> {
    let css = style::build(&paths.style())?;
    let icon = paths.style().join(ICON);
    let icon = fs::read(&icon).at(icon)?;

    let mut parts = vec![
        (format!("{NAME}.css"), css.into_bytes()),
        (String::from(ICON), icon),
    ];
    for Bound { name, folder } in clients {
        for extension in ["js", "wasm"] {
            let file = format!("{name}.{extension}");
            let path = folder.join(&file);
            parts.push((file, fs::read(&path).at(path)?));
        }
    }
    let hash = hash(
        parts
            .iter()
            .flat_map(|(name, bytes)| [name.as_bytes(), bytes.as_slice()]),
    );

    let folder = paths.site().join(&hash);
    if folder.is_dir() {
        println!("    unchanged: {hash}");
        return Ok(());
    }
    let next = paths.client_target().join("next");
    fresh(&next)?;
    for (name, bytes) in &parts {
        match clients.iter().find(|it| it.folder.join(name).exists()) {
            Some(client) => copy_with_siblings(&client.folder, &next, name)?,
            None => compress::write(&next.join(name), bytes)?,
        }
    }
    // Only a whole bundle takes the place of the last one.
    fresh(&paths.site())?;
    fs::rename(&next, &folder).at(&folder)?;
    report(&folder, &parts)
}

/// The client that was bound last, if it was made of these very inputs.
pub(crate) fn kept(paths: &Paths, name: &'static str, inputs: &str) -> Option<Bound> {
    let noted = fs::read_to_string(note(paths, name)).ok()?;
    let (made_of, folder) = noted.split_once('\n')?;
    let folder = PathBuf::from(folder);
    (made_of == inputs && folder.is_dir()).then_some(Bound { name, folder })
}

/// Where it is noted what a client was made of.
fn note(paths: &Paths, name: &str) -> PathBuf {
    paths.client_target().join(format!("{name}.inputs"))
}

/// The client with its JavaScript glue, compressed; from the cache when the same
/// WASM was bound before. It is noted of which `inputs` it was made.
pub(crate) fn bind(
    paths: &Paths,
    name: &'static str,
    wasm: &Path,
    inputs: &str,
) -> Result<Bound, Error> {
    let bound = bound(paths, name, wasm)?;
    let note = note(paths, name);
    let text = format!("{inputs}\n{}", bound.folder.display());
    fs::write(&note, text).at(note)?;
    Ok(bound)
}

fn bound(paths: &Paths, name: &'static str, wasm: &Path) -> Result<Bound, Error> {
    let raw = fs::read(wasm).at(wasm)?;
    let cache = paths.client_target().join("bound").join(name);
    let folder = cache.join(hash([RECIPE, raw.as_slice()]));
    if folder.is_dir() {
        return Ok(Bound { name, folder });
    }
    let work = cache.join("work");
    fresh(&cache)?;
    glue(name, raw, &work)?;
    let module = work.join(format!("{name}.wasm"));
    let bytes = fs::read(&module).at(&module)?;
    compress::write(&module, &bytes)?;
    let glue = work.join(format!("{name}.js"));
    let bytes = fs::read(&glue).at(&glue)?;
    compress::write(&glue, &bytes)?;
    fs::rename(&work, &folder).at(&folder)?;
    Ok(Bound { name, folder })
}

/// Makes the JavaScript glue of a module, beside the module itself.
pub(crate) fn glue(name: &str, raw: Vec<u8>, folder: &Path) -> Result<(), Error> {
    Bindgen::new()
        .input_bytes(name, raw)
        .web(true)
        .and_then(|bindgen| {
            bindgen
                .typescript(false)
                .omit_default_module_path(true)
                .remove_name_section(true)
                .remove_producers_section(true)
                .generate(folder)
        })
        .map_err(|error| Error::Bindgen(format!("{error:#}")))?;
    if folder.join("snippets").exists() {
        return Err(Error::Bindgen(String::from(
            "a dependency brings JavaScript snippets, which the bundle does not carry",
        )));
    }
    let module = folder.join(format!("{name}_bg.wasm"));
    fs::rename(&module, folder.join(format!("{name}.wasm"))).at(module)
}

/// Sixteen hexadecimal digits over the parts, each with its length in front.
pub(crate) fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hasher
        .finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// An empty folder.
pub(crate) fn fresh(folder: &Path) -> Result<(), Error> {
    if folder.exists() {
        fs::remove_dir_all(folder).at(folder)?;
    }
    fs::create_dir_all(folder).at(folder)
}

fn copy_with_siblings(from: &Path, to: &Path, name: &str) -> Result<(), Error> {
    let source = from.join(name);
    let target = to.join(name);
    fs::copy(&source, &target).at(&source)?;
    for suffix in ["br", "gz"] {
        let source = compress::sibling(&source, suffix);
        if source.exists() {
            fs::copy(&source, compress::sibling(&target, suffix)).at(&source)?;
        }
    }
    Ok(())
}

fn report(folder: &Path, parts: &[(String, Vec<u8>)]) -> Result<(), Error> {
    println!(
        "    {:<22} {:>9} {:>9} {:>9}",
        "", "bytes", "gzip", "brotli"
    );
    for (name, bytes) in parts {
        let path = folder.join(name);
        let size = |suffix: &str| {
            fs::metadata(compress::sibling(&path, suffix))
                .map_or_else(|_| String::from("-"), |metadata| metadata.len().to_string())
        };
        println!(
            "    {name:<22} {:>9} {:>9} {:>9}",
            bytes.len(),
            size("gz"),
            size("br")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn the_hash_tells_where_one_part_ends() {
        assert_ne!(hash([&b"ab"[..], b"c"]), hash([&b"a"[..], b"bc"]));
        assert_eq!(hash([&b"ab"[..]]).len(), 16);
    }
}
