//! Methods of zip entries that 7-Zip writes, and encryption.

use vyre_unpack::ProblemKind;

use super::{assert_limited, bytes, fixture, text};
use crate::collect::{kinds, open, open_clean};

#[test]
fn entries_of_deflate64_and_ppmd_are_decoded() {
    for method in ["deflate64", "ppmd"] {
        let collected = open_clean("x.zip", fixture("zip", method));
        assert_eq!((bytes(&collected, "a.txt"), collected.get("a.txt").method), (&text()[..], method));
        let mut damaged = fixture("zip", method);
        damaged[50] ^= 0x40;
        let (_, summary) = open("x.zip", damaged);
        assert_eq!(summary.damaged, 1, "{method}");
        assert_limited("x.zip", fixture("zip", method));
    }
}

#[test]
fn encrypted_entries_are_named() {
    for name in ["crypto", "aes"] {
        let (collected, summary) = open("x.zip", fixture("zip", name));
        let what = "encryption".to_owned();
        assert_eq!(kinds(&collected.get("a.txt").problems), [&ProblemKind::Unsupported { what }], "{name}");
        assert!(!summary.is_clean());
    }
}
