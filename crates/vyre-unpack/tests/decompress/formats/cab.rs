//! Cabinet files of gcab.

use vyre_unpack::ProblemKind;

use super::{assert_limited, bytes, fixture, text};
use crate::collect::{kinds, open, open_clean};

#[test]
fn stored_and_compressed_folders_are_decoded() {
    for method in ["stored", "mszip"] {
        let collected = open_clean("x.cab", fixture("cab", method));
        assert_eq!(collected.paths(), ["a.txt", "dir/index.js"]);
        assert_eq!(bytes(&collected, "a.txt"), text());
        assert_eq!(bytes(&collected, "dir/index.js"), b"console.log(1)\n");
        assert_eq!(collected.get("a.txt").method, method);
        assert!(collected.get("a.txt").modified.is_some());
    }
}

#[test]
fn damage_is_reported() {
    let mut cabinet = fixture("cab", "stored");
    let last = cabinet.len() - 1;
    cabinet[last] ^= 1;
    let (collected, summary) = open("x.cab", cabinet.clone());
    assert!(matches!(kinds(&collected.get("a.txt").problems)[..], [ProblemKind::Checksum { .. }]));
    assert_eq!(summary.damaged, 2);
    cabinet.truncate(last - 20);
    let (collected, summary) = open("x.cab", cabinet);
    assert!(matches!(kinds(&collected.get("a.txt").problems)[..], [ProblemKind::Truncated { .. }]));
    assert!(!summary.problems.is_empty());
    // A cabinet of a set.
    let mut cabinet = fixture("cab", "mszip");
    cabinet[30] |= 2;
    let (_, result) = crate::collect::open_with("x.cab", cabinet, Default::default());
    assert!(result.map_or(true, |summary| !summary.is_clean()));
    assert_limited("x.cab", fixture("cab", "mszip"));
}
