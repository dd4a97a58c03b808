//! Random archives of hostile names: nothing leaves the tree in any order, and the division into batches changes
//! nothing.
#![cfg(unix)]

use std::fs;

use proptest::prelude::*;
use vyre_unpack::{Entry, EntryKind, EntryOutcome};

use super::{Around, entry};

fn name() -> impl Strategy<Value = Vec<u8>> {
    let part =
        prop_oneof![8 => "[ab]", 2 => "[AB]", 1 => Just("..".to_owned()), 1 => Just(".".to_owned()), 1 => "[cé]"];
    let parts = prop::collection::vec(part, 1..4);
    (parts, 0..20u8).prop_map(|(parts, root)| {
        let root = if root == 0 { "/" } else { "" };
        format!("{root}{}", parts.join("/")).into_bytes()
    })
}

fn target() -> impl Strategy<Value = Vec<u8>> {
    let part =
        prop_oneof![4 => "[ab]", 4 => Just("..".to_owned()), 1 => Just(".".to_owned()), 1 => Just("secret".to_owned())];
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.join("/").into_bytes())
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let kind = prop_oneof![
        3 => Just(EntryKind::File),
        2 => Just(EntryKind::Directory),
        5 => target().prop_map(|target| EntryKind::Symlink { target }),
        2 => name().prop_map(|target| EntryKind::Hardlink { target }),
    ];
    (prop::collection::vec(name(), 1..3), 0..4u8, kind, "[a-z]{0,3}").prop_map(|(mut names, nested, kind, bytes)| {
        if nested > 0 {
            names.truncate(1);
        }
        let names: Vec<&[u8]> = names.iter().map(|name| &**name).collect();
        entry(&names, kind.clone(), if kind == EntryKind::File { bytes.as_bytes() } else { b"" })
    })
}

fn extract(entries: &[Entry], size: usize) -> (Around, Vec<EntryOutcome>) {
    let around = Around::new();
    let mut extractor = around.extractor();
    let mut outcomes = Vec::new();
    for batch in entries.chunks(size) {
        outcomes.extend(extractor.extract(batch).expect("the file system works").iter().map(|placed| placed.outcome));
    }
    extractor.finish().expect("the file system works");
    (around, outcomes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn nothing_leaves_the_tree(entries in prop::collection::vec(any_entry(), 1..24), size in 1..24usize) {
        let (around, outcomes) = extract(&entries, size);
        around.check_outside();
        let out = fs::canonicalize(around.out()).expect("it is there");
        for path in around.tree().into_keys() {
            if let Ok(real) = fs::canonicalize(around.out().join(&path)) {
                prop_assert!(real.starts_with(&out), "{path} leads to {}", real.display());
            }
        }
        let (single, by_one) = extract(&entries, 1);
        prop_assert_eq!(outcomes, by_one);
        prop_assert_eq!(around.tree(), single.tree());
    }
}
