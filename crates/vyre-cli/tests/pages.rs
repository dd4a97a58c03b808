//! Pages of the documentation: the summary lists all, links lead somewhere, tutorials work as written, reference pages are current.
//! `UPDATE_DOCS=1` writes the outputs that tutorials show, and the reference pages.

#[path = "pages/links.rs"]
mod links;
#[cfg(feature = "jit")]
#[path = "pages/picture.rs"]
mod picture;
#[cfg(all(feature = "jit", feature = "wgpu", feature = "cuda"))]
#[path = "pages/reference.rs"]
mod reference;
#[cfg(feature = "jit")]
#[path = "pages/tutorials.rs"]
mod tutorials;

use std::path::{Path, PathBuf};

/// Root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// True if generated texts are written instead of compared.
#[cfg(feature = "jit")]
fn is_update() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

/// Compares a page with what it should be, or writes it.
#[cfg(feature = "jit")]
fn check_page(path: &str, actual: &str) {
    let file = root().join(path);
    if is_update() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(&file, actual).expect("the page can be written");
        return;
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    let lines = written.lines().zip(actual.lines()).position(|(written, actual)| written != actual);
    let line = lines.unwrap_or_else(|| written.lines().count().min(actual.lines().count())) + 1;
    let shown = |text: &str| text.lines().nth(line - 1).unwrap_or_default().to_owned();
    assert!(
        written == actual,
        "{path}:{line} is out of date; run with UPDATE_DOCS=1\n  is:     {}\n  should: {}",
        shown(&written),
        shown(actual)
    );
}
