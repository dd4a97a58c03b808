//! Links: those that stay in the tree are created, and nothing is written through them.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use vyre_unpack::{Entry, EntryKind, EntryOutcome, Refusal};

use super::{Around, Found, directory, entry, file, hardlink, refused, symlink};

/// The outcomes of all entries, extracted one at a time and together.
#[track_caller]
fn outcomes(entries: &[Entry]) -> Vec<EntryOutcome> {
    let together = Around::new();
    let (all, _) = together.extract(entries);
    let single = Around::new();
    let mut extractor = single.extractor();
    let by_one: Vec<EntryOutcome> =
        entries.chunks(1).map(|entry| extractor.extract(entry).expect("the file system works")[0].outcome).collect();
    assert_eq!(all, by_one);
    assert_eq!(together.tree(), single.tree());
    for around in [together, single] {
        around.check_outside();
        let out = fs::canonicalize(around.out()).expect("the folder exists");
        for path in around.tree().into_keys() {
            if let Ok(real) = fs::canonicalize(around.out().join(&path)) {
                assert!(real.starts_with(&out), "{path} leads to {}", real.display());
            }
        }
    }
    all
}

#[test]
fn links_within_the_tree_are_created() {
    let entries = [
        file("lib/libx.so.1", "x"),
        symlink("lib/libx.so", "libx.so.1"),
        symlink("bin/x", "../lib/libx.so"),
        symlink("dangling", "not/there"),
        directory("real/deep"),
        symlink("around", "real/deep/../../lib"),
        symlink("through", "around/../lib"),
        symlink("self", "."),
    ];
    assert!(outcomes(&entries).iter().all(|outcome| !matches!(outcome, EntryOutcome::Refused(_))));
    let around = Around::new();
    around.extract(&entries);
    assert_eq!(fs::read(around.out().join("bin/x")).expect("a path through the link"), b"x");
    assert_eq!(fs::read(around.out().join("through/libx.so")).expect("a path through the link"), b"x");
    assert_eq!(around.tree()["dangling"], Found::Link("not/there".to_owned()));
}

#[test]
fn links_that_leave_the_tree_are_refused() {
    let leaves = refused(Refusal::LinkLeavesTree);
    for target in
        ["/etc/passwd", "..", "../secret", "a/../../secret", "../out/a", "C:\\x", "\\\\s\\x", "a\\..\\..\\x", "./../x"]
    {
        assert_eq!(outcomes(&[symlink("link", target)]), [leaves], "{target}");
        assert_eq!(outcomes(&[directory("a"), symlink("link", target)])[1], leaves, "{target}");
    }
    assert_eq!(outcomes(&[symlink("a/b/link", "../../../secret")]), [leaves]);
    for target in ["", "a\0b"] {
        assert_eq!(outcomes(&[symlink("link", target)]), [refused(Refusal::BadLinkTarget)]);
    }
    let long = "x/".repeat(2048);
    assert_eq!(outcomes(&[symlink("link", &long)]), [refused(Refusal::BadLinkTarget)]);
}

#[test]
fn links_that_leave_the_tree_through_other_links_are_refused() {
    let (made, leaves) = (EntryOutcome::Symlink, refused(Refusal::LinkLeavesTree));
    // A link to the root, and `..` after it.
    assert_eq!(outcomes(&[symlink("a/top", ".."), symlink("a/x", "top/../secret")]), [made, leaves]);
    // The other order: `..` after a name that becomes a link later.
    assert_eq!(outcomes(&[symlink("a/b/x", "y/../../../secret"), symlink("a/b/y", "..")]), [leaves, made]);
    // A chain of links.
    let chain = [symlink("a/b/one", "."), symlink("a/b/two", "one/.."), symlink("a/b/three", "two/../../secret")];
    assert_eq!(outcomes(&chain), [made, made, leaves]);
    // A loop does not resolve, so `..` after it is refused.
    let cycles = [symlink("p", "q"), symlink("q", "p"), symlink("r", "p/../x")];
    assert_eq!(outcomes(&cycles)[2], leaves);
}

#[test]
fn parent_components_after_foreign_links_are_refused() {
    // Its owner can replace it by a link out of the tree.
    let around = Around::new();
    fs::create_dir_all(around.out().join("a/b/sub")).expect("directories");
    std::os::unix::fs::symlink("sub", around.out().join("a/b/old")).expect("a link");
    let entries = [symlink("a/b/x", "old/../../../y"), symlink("a/b/old", "..")];
    let placed = around.overwriting().extract(&entries).expect("the file system works");
    assert_eq!(placed[0].outcome, refused(Refusal::LinkLeavesTree));
    assert_eq!(placed[1].outcome, EntryOutcome::Symlink);
    around.check_outside();
}

#[test]
fn nothing_is_written_through_links() {
    let (made, through) = (EntryOutcome::Symlink, refused(Refusal::ThroughLink));
    let entries = [
        directory("b"),
        symlink("a", "b"),
        file("a/x", "hostile"),
        directory("a/d"),
        directory("a"),
        symlink("a/l", "x"),
        hardlink("a/h", "x"),
    ];
    let found = outcomes(&entries);
    assert_eq!(found[..6], [EntryOutcome::Directory, made, through, through, through, through]);
    // If the link was refused, the name is an ordinary directory.
    let found = outcomes(&[symlink("a", "/etc"), file("a/passwd", "x")]);
    assert_eq!(found, [refused(Refusal::LinkLeavesTree), EntryOutcome::File]);
    // A nested archive whose directory is a link.
    let inner = entry(&[b"in.zip", b"x"], EntryKind::File, b"hostile");
    let found = outcomes(&[directory("b"), symlink("in.zip!", "b"), inner]);
    assert_eq!(found[2], through);
}

#[test]
fn hard_links_refer_only_to_files_of_the_archive() {
    let entries = [
        file("a", "bytes"),
        hardlink("d/b", "a"),
        hardlink("c", "./d/b"),
        hardlink("gone", "nothing"),
        hardlink("gone", "no/where"),
        hardlink("up", "../secret"),
        hardlink("absolute", "/etc/passwd"),
        hardlink("directory", "d"),
        hardlink("root", "."),
        symlink("d/e/link", "../../a"),
        hardlink("link", "d/e/link"),
        hardlink("through", "d/e/link/x"),
        hardlink("a", "d/b"),
    ];
    let target = refused(Refusal::HardlinkTarget);
    let (link, made) = (EntryOutcome::Hardlink, EntryOutcome::Symlink);
    let expected =
        [&[EntryOutcome::File, link, link][..], &[target; 6], &[made, target, target, refused(Refusal::DuplicateName)]]
            .concat();
    assert_eq!(outcomes(&entries), expected);
    let around = Around::new();
    fs::write(around.out().join("mine"), b"mine").expect("a file");
    let inner = entry(&[b"in.tar", b"b"], EntryKind::Hardlink { target: b"a".to_vec() }, b"");
    let (found, _) = around.extract(&[&entries[..3], &[hardlink("theirs", "mine"), inner]].concat());
    assert_eq!(found[3..], [target; 2]);
    let number = |name: &str| fs::metadata(around.out().join(name)).expect("metadata").ino();
    assert!(number("a") == number("d/b") && number("a") == number("c"));
}

#[test]
fn links_of_nested_archives_stay_in_their_own_directory() {
    let link = |target: &[u8]| entry(&[b"in.tar", b"d/l"], EntryKind::Symlink { target: target.to_vec() }, b"");
    assert_eq!(outcomes(&[link(b"../x")]), [EntryOutcome::Symlink]);
    assert_eq!(outcomes(&[file("x", "x"), link(b"../../x")])[1], refused(Refusal::LinkLeavesTree));
}
