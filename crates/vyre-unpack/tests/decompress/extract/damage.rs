//! Damaged entries: incomplete bytes get another name, and entries without bytes create no file.

use vyre_unpack::{Entry, EntryKind, EntryOutcome, Limit, LimitExceeded, Problem, ProblemKind, Refusal};

use super::{Around, Found, entry, file, refused, symlink, with_problem};

fn problems() -> Vec<(ProblemKind, bool)> {
    let limit = |limit| ProblemKind::Limit(LimitExceeded { limit, requested: 2, allowed: 1 });
    vec![
        (ProblemKind::Truncated { what: "data of the entry" }, false),
        (ProblemKind::Corrupt { what: "the data are no deflate" }, false),
        (ProblemKind::Checksum { what: "CRC-32", expected: 1, found: 2 }, false),
        (ProblemKind::Size { expected: 9, found: 4 }, false),
        (limit(Limit::Entry), false),
        (limit(Limit::Ratio), false),
        (limit(Limit::Depth), true),
        (ProblemKind::TrailingGarbage { bytes: 3 }, true),
        (ProblemKind::Unsupported { what: "something inside".to_owned() }, true),
    ]
}

#[test]
fn an_incomplete_file_never_has_its_own_name() {
    for (kind, is_whole) in problems() {
        let around = Around::new();
        let damaged = with_problem(file("d/a", "part"), Problem::new(7, kind.clone()));
        let (outcomes, extracted) = around.extract(&[file("d/b", "good"), damaged]);
        let (name, outcome) =
            if is_whole { ("d/a", EntryOutcome::File) } else { ("d/a.damaged", EntryOutcome::Damaged) };
        assert_eq!(outcomes, [EntryOutcome::File, outcome], "{kind}");
        assert_eq!(around.tree().get(name), Some(&Found::File(b"part".to_vec())), "{kind}");
        assert_eq!((around.tree().len(), extracted.damaged), (3, u64::from(!is_whole)), "{kind}");
    }
}

#[test]
fn an_unsupported_incomplete_file_is_damaged() {
    let around = Around::new();
    let mut part = with_problem(file("a", "part"), Problem::new(0, ProblemKind::Unsupported { what: String::new() }));
    part.size = Some(5);
    assert_eq!(around.extract(&[part]).0, [EntryOutcome::Damaged]);
    assert_eq!(around.tree().into_keys().collect::<Vec<_>>(), ["a.damaged"]);
}

#[test]
fn entries_without_bytes_create_no_file() {
    let around = Around::new();
    let encrypted = |name: &str, size| {
        let kind = ProblemKind::Unsupported { what: "encryption".to_owned() };
        Entry { size, ..with_problem(file(name, ""), Problem::new(0, kind)) }
    };
    let broken = Problem::new(0, ProblemKind::Corrupt { what: "wrong" });
    let entries = [
        encrypted("a", Some(3)),
        encrypted("b", None),
        with_problem(file("c", ""), broken.clone()),
        with_problem(symlink("d", "a"), broken),
    ];
    let (outcomes, extracted) = around.extract(&entries);
    assert_eq!((outcomes, extracted.nothing), (vec![EntryOutcome::Nothing; 4], 4));
    assert!(around.tree().is_empty());
}

#[test]
fn a_nested_archive_with_problems_is_kept() {
    let around = Around::new();
    let mut archive = with_problem(file("in.zip", "zip"), Problem::new(9, ProblemKind::Corrupt { what: "wrong" }));
    archive.is_opened = true;
    let mut tail = with_problem(file("in.gz", "gz"), Problem::new(9, ProblemKind::TrailingGarbage { bytes: 1 }));
    tail.is_opened = true;
    let inner = [entry(&[b"in.zip", b"a"], EntryKind::File, b"a"), entry(&[b"in.gz", b"in"], EntryKind::File, b"a")];
    let (outcomes, _) = around.extract(&[&[archive, tail][..], &inner].concat());
    assert_eq!(outcomes, [EntryOutcome::Damaged, EntryOutcome::File, EntryOutcome::File, EntryOutcome::File]);
    let paths: Vec<String> = around.tree().into_keys().collect();
    assert_eq!(paths, ["in.gz", "in.gz!", "in.gz!/in", "in.zip!", "in.zip!/a", "in.zip.damaged"]);
}

#[test]
fn a_damaged_file_never_takes_the_name_of_an_entry() {
    let around = Around::new();
    let damaged = || with_problem(file("a", "part"), Problem::new(0, ProblemKind::Corrupt { what: "wrong" }));
    let good = Found::File(b"good".to_vec());
    let part = Found::File(b"part".to_vec());
    // Entries before and after it, in the same batch.
    for entries in [
        [file("a.damaged", "good"), damaged(), damaged()],
        [damaged(), file("a.damaged", "good"), damaged()],
        [damaged(), damaged(), file("a.damaged", "good")],
    ] {
        let around = Around::new();
        let (outcomes, extracted) = around.extract(&entries);
        assert_eq!((outcomes.len() as u64, extracted.files, extracted.damaged), (3, 1, 2));
        let expected = [("a.damaged", &good), ("a.damaged.1", &part), ("a.damaged.2", &part)];
        assert_eq!(around.tree(), expected.map(|(name, found)| (name.to_owned(), found.clone())).into());
    }
    // In a later batch.
    let later = Around::new();
    let mut extractor = later.extractor();
    for entries in [[damaged()], [file("a.damaged", "good")]] {
        extractor.extract(&entries).expect("the file system works");
    }
    assert_eq!(later.tree(), [("a.damaged".to_owned(), good), ("a.damaged.1".to_owned(), part)].into());
    let long = with_problem(file(&"n".repeat(250), "x"), Problem::new(0, ProblemKind::Corrupt { what: "wrong" }));
    assert_eq!(around.extract(&[long]).0, [refused(Refusal::NameTooLong)]);
}
