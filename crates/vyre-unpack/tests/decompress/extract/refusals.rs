//! Refused names and taken names.

use std::fs;

use vyre_unpack::{Entry, EntryKind, EntryOutcome, ExtractOptions, Extractor, Refusal};

use super::{Around, Found, SECRET, directory, entry, file, hardlink, refused, symlink};

/// Extracts valid entries, then the last one, which must be refused.
#[track_caller]
fn check(entries: &[Entry], refusal: Refusal) {
    // In one batch, and one at a time: files of a batch are written in parallel.
    for size in [1, entries.len()] {
        let around = Around::new();
        let mut extractor = around.extractor();
        let mut placed = Vec::new();
        for batch in entries.chunks(size) {
            placed.extend(extractor.extract(batch).expect("the file system works"));
        }
        let (last, before) = placed.split_last().expect("entries");
        assert_eq!(last.outcome, refused(refusal));
        assert!(last.path.is_empty());
        assert!(before.iter().all(|placed| !matches!(placed.outcome, EntryOutcome::Refused(_))), "{before:?}");
        assert_eq!(extractor.finish().expect("the file system works").refused, 1);
        around.check_outside();
    }
}

#[test]
fn unsafe_names_are_refused() {
    for (name, refusal) in [
        ("", Refusal::EmptyName),
        (".", Refusal::EmptyName),
        ("a\0b", Refusal::NulInName),
        ("../secret", Refusal::PathTraversal),
        ("a/../../secret", Refusal::PathTraversal),
        ("a\\..\\..\\secret", Refusal::PathTraversal),
        ("/", Refusal::AbsolutePath),
        ("C:\\vyre", Refusal::AbsolutePath),
        ("\\\\server\\share\\x", Refusal::AbsolutePath),
    ] {
        check(&[file("good", "g"), file(name, "hostile")], refusal);
        check(&[symlink(name, "good")], refusal);
        if name != "." {
            check(&[directory(name)], refusal);
        }
    }
    check(&[file(&"n".repeat(256), "")], Refusal::NameTooLong);
    check(&[file(&"a/".repeat(3000), "")], Refusal::NameTooLong);
}

#[test]
fn names_taken_by_the_archive_are_refused() {
    check(&[file("a", "1"), symlink("a", "b")], Refusal::DuplicateName);
    check(&[file("b", "1"), file("a", "2"), hardlink("a", "b")], Refusal::DuplicateName);
    check(&[file("a", "1"), file("a/b", "2")], Refusal::FileInTheWay);
    check(&[file("a", "1"), file("a/b/c", "2")], Refusal::FileInTheWay);
    check(&[file("a", "1"), directory("a")], Refusal::FileInTheWay);
    check(&[directory("a"), file("a", "2")], Refusal::DirectoryInTheWay);
    check(&[file("a/b", "1"), symlink("a", "b")], Refusal::DirectoryInTheWay);
}

/// Installers keep the last file of a name; the earlier ones must not get lost.
#[test]
fn files_of_the_same_name_are_all_written() {
    let entries = [file("d/a", "1"), file("./d//a", "2"), file("/d/a", "3"), file("b", "b")];
    for size in [1, entries.len()] {
        for around in [Around::new(), Around::new()] {
            let mut extractor = if size == 1 { around.extractor() } else { around.overwriting() };
            let mut placed = Vec::new();
            for batch in entries.chunks(size) {
                placed.extend(extractor.extract(batch).expect("the file system works"));
            }
            assert!(placed.iter().all(|placed| placed.outcome == EntryOutcome::File), "{placed:?}");
            assert_eq!(placed[2].path, b"d/a");
            let files = [("d/a", "3"), ("d/a.duplicate", "1"), ("d/a.duplicate.1", "2"), ("b", "b")];
            let tree = around.tree();
            for (path, content) in files {
                assert_eq!(tree[path], Found::File(content.into()), "{path}");
            }
            assert_eq!(tree.len(), 5);
            around.check_outside();
        }
    }
}

/// A link keeps its name, because other links may lead through it.
#[cfg(unix)]
#[test]
fn a_file_with_the_name_of_a_link_is_written_beside_it() {
    let around = Around::new();
    let (outcomes, totals) = around.extract(&[file("b", "1"), symlink("a", "b"), file("a", "2")]);
    assert_eq!(outcomes, [EntryOutcome::File, EntryOutcome::Symlink, EntryOutcome::File]);
    assert_eq!((totals.files, totals.refused), (2, 0));
    let tree = around.tree();
    assert_eq!((&tree["a"], &tree["b"]), (&Found::Link("b".to_owned()), &Found::File(b"1".to_vec())));
    assert_eq!(tree["a.duplicate"], Found::File(b"2".to_vec()));
    around.check_outside();
}

#[test]
fn absolute_names_are_below_the_directory() {
    let around = Around::new();
    let (outcomes, _) = around.extract(&[file("/etc/passwd", "x"), file("//server/share", "y")]);
    assert_eq!(outcomes, [EntryOutcome::File; 2]);
    let tree = around.tree();
    assert_eq!(tree["etc/passwd"], Found::File(b"x".to_vec()));
    assert_eq!(tree["server/share"], Found::File(b"y".to_vec()));
    around.check_outside();
}

#[test]
fn special_files_are_refused() {
    for what in ["character device", "block device", "fifo", "socket"] {
        check(&[entry(&[b"x"], EntryKind::Special { what }, b"")], Refusal::SpecialFile);
    }
}

#[cfg(unix)]
#[test]
fn existing_files_are_replaced_only_with_overwrite() {
    let prepare = || {
        let around = Around::new();
        fs::write(around.out().join("file"), b"old").expect("a file");
        fs::create_dir(around.out().join("directory")).expect("a directory");
        // A second name of a file outside, and links to files and directories outside.
        fs::hard_link(around.root().join("secret"), around.out().join("second-name")).expect("a link");
        std::os::unix::fs::symlink("../secret", around.out().join("link")).expect("a link");
        std::os::unix::fs::symlink("../outside", around.out().join("parent")).expect("a link");
        around
    };
    let entries = [
        file("file", "new"),
        file("second-name", "new"),
        file("link", "new"),
        file("directory", "new"),
        file("parent/deep/secret", "new"),
        file("parent/new", "new"),
    ];
    let there = refused(Refusal::AlreadyExists);
    let rest = [refused(Refusal::DirectoryInTheWay), refused(Refusal::ThroughLink), refused(Refusal::ThroughLink)];
    let around = prepare();
    let before = around.tree();
    assert_eq!(around.extract(&entries).0, [&[there; 3][..], &rest].concat());
    assert_eq!(around.tree(), before);
    around.check_outside();

    let around = prepare();
    let placed = around.overwriting().extract(&entries).expect("the file system works");
    let outcomes: Vec<EntryOutcome> = placed.iter().map(|placed| placed.outcome).collect();
    assert_eq!(outcomes, [&[EntryOutcome::File; 3][..], &rest].concat());
    around.check_outside();
    for name in ["file", "second-name", "link"] {
        assert_eq!(around.tree()[name], Found::File(b"new".to_vec()), "{name}");
    }
    assert_eq!(fs::read(around.root().join("secret")).expect("a file"), SECRET);
}

#[test]
fn every_refusal_has_a_unique_name_and_text() {
    let names: std::collections::BTreeSet<&str> = Refusal::ALL.iter().map(|refusal| refusal.name()).collect();
    let texts: std::collections::BTreeSet<String> = Refusal::ALL.iter().map(Refusal::to_string).collect();
    assert_eq!((names.len(), texts.len()), (Refusal::ALL.len(), Refusal::ALL.len()));
}

#[test]
fn implied_directories_count() {
    let around = Around::new();
    let options = ExtractOptions::default().with_max_directories(3);
    let mut extractor = Extractor::new(&around.out(), options).expect("the directory is there");
    let entries =
        [file("a/b/x", "x"), directory("c"), file("d/x", "x"), file("a/b/y", "y"), directory("e"), file("z", "z")];
    let placed = extractor.extract(&entries).expect("the file system works");
    let outcomes: Vec<EntryOutcome> = placed.iter().map(|placed| placed.outcome).collect();
    let none = refused(Refusal::TooManyDirectories);
    let expected = [EntryOutcome::File, EntryOutcome::Directory, none, EntryOutcome::File, none, EntryOutcome::File];
    assert_eq!(outcomes, expected);
    assert_eq!(around.tree().into_keys().collect::<Vec<_>>(), ["a", "a/b", "a/b/x", "a/b/y", "c", "z"]);
}
