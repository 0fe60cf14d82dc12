//! Brotli and gzip, as tight as they get: done once here, sent many times.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::{AtPath as _, Error};

/// Writes `path` with its `.br` and `.gz` siblings. A sibling that would be no
/// smaller is left out.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).at(path)?;
    for (suffix, packed) in [
        ("br", brotli(bytes).at(path)?),
        ("gz", gzip(bytes).at(path)?),
    ] {
        if packed.len() < bytes.len() {
            let sibling = sibling(path, suffix);
            fs::write(&sibling, packed).at(sibling)?;
        }
    }
    Ok(())
}

/// `name.css` to `name.css.br`.
pub(crate) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

fn brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let params = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: 22,
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut io::Cursor::new(bytes), &mut packed, &params)?;
    Ok(packed)
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}
