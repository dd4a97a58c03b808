//! brotli streams, which only their names show.

use vyre_unpack::{DecompressError, ProblemKind};

use super::{assert_limited, fixture, text};
use crate::collect::{kinds, open, open_clean, open_with};
use crate::tar::tar_of;

#[test]
fn files_named_br_are_decoded() {
    let stream = fixture("brotli", "one");
    assert_eq!(open_clean("a.txt.br", stream.clone()).files(), [("a.txt".to_owned(), text())]);
    let (_, result) = open_with("a.txt", stream.clone(), Default::default());
    assert!(matches!(result, Err(DecompressError::UnknownFormat)));
    let collected = open_clean("x.tar", tar_of(&[("bundle.js.br", stream.clone()), ("other", stream)]));
    assert_eq!(collected.paths(), ["bundle.js.br", "other", "bundle.js.br!/bundle.js"]);
}

#[test]
fn files_that_are_only_named_so_stay_files() {
    let collected = open_clean("x.tar", tar_of(&[("readme.br", b"Leia-me: texto em portugues".repeat(20))]));
    assert!(!collected.get("readme.br").is_opened);
}

#[test]
fn damage_is_reported() {
    let stream = fixture("brotli", "one");
    let (collected, _) = open("a.br", stream[..stream.len() - 4].to_vec());
    assert!(matches!(kinds(&collected.entries[0].problems)[..], [ProblemKind::Truncated { .. }]));
    let (_, summary) = open("a.br", [&stream[..], b"more"].concat());
    assert!(!summary.is_clean());
    assert_limited("a.br", stream);
}
