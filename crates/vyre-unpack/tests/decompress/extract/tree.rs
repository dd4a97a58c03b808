//! Written trees: bytes, permissions, times, nested archives, many files.

use std::fs;
use std::time::{Duration, SystemTime};

use vyre_unpack::{EntryKind, EntryOutcome, Receiver as _, Refusal};

use super::{Around, Found, directory, entry, file, refused};

#[test]
fn files_and_directories_have_their_bytes() {
    let around = Around::new();
    let entries = [
        directory("./"),
        directory("package/"),
        file("package/index.js", "x"),
        file("./package//lib/deep/a", ""),
        directory("empty"),
        directory("package"),
        file("back\\slash", "kept"),
    ];
    let (outcomes, extracted) = around.extract(&entries);
    let (is_directory, is_file) = (EntryOutcome::Directory, EntryOutcome::File);
    assert_eq!(outcomes, [is_directory, is_directory, is_file, is_file, is_directory, is_directory, is_file]);
    assert_eq!((extracted.files, extracted.directories, extracted.bytes, extracted.refused), (3, 4, 5, 0));
    let expected = [
        ("back\\slash", Found::File(b"kept".to_vec())),
        ("empty", Found::Directory),
        ("package", Found::Directory),
        ("package/index.js", Found::File(b"x".to_vec())),
        ("package/lib", Found::Directory),
        ("package/lib/deep", Found::Directory),
        ("package/lib/deep/a", Found::File(Vec::new())),
    ];
    assert_eq!(around.tree(), expected.map(|(path, found)| (path.to_owned(), found)).into_iter().collect());
    around.check_outside();
}

#[cfg(unix)]
#[test]
fn permissions_and_times_are_restored() {
    use std::os::unix::fs::PermissionsExt as _;

    let around = Around::new();
    let mut entries = Vec::new();
    // Directories first, last, and never named; a directory without write permission still gets its files.
    let with = |mut entry: super::Entry, mode: u32, modified: i64| {
        entry.mode = Some(mode);
        entry.modified = Some(modified);
        entry
    };
    entries.push(with(directory("first"), 0o500, 1_000_000_000));
    entries.push(with(file("first/a", "a"), 0o755, 1_100_000_000));
    entries.push(with(file("last/b", "b"), 0o104_640, -5));
    entries.push(with(directory("last"), 0o1_750, 1_200_000_000));
    entries.push(with(file("set", "s"), 0o6_711, 0));
    entries.push(with(file("none", "n"), 0o000, 7));
    entries.push(with(directory("closed"), 0o000, 7));
    entries.push(with(file("write-only", "w"), 0o200, 7));
    around.extract(&entries);
    let umask = {
        let probe = around.root().join("probe");
        fs::create_dir(&probe).expect("a directory");
        let mode = fs::metadata(&probe).expect("metadata").permissions().mode() & 0o777;
        fs::remove_dir(&probe).expect("it is empty");
        0o777 & !mode
    };
    for (path, mode, modified) in [
        ("first", 0o700, 1_000_000_000),
        ("first/a", 0o755, 1_100_000_000),
        ("last", 0o750, 1_200_000_000),
        ("last/b", 0o640, -5),
        ("set", 0o711, 0),
        ("none", 0o400, 7),
        ("closed", 0o700, 7),
        ("write-only", 0o600, 7),
    ] {
        let metadata = fs::metadata(around.out().join(path)).expect(path);
        assert_eq!(metadata.permissions().mode() & 0o7777, mode & !umask, "{path}");
        let distance = Duration::from_secs(i64::unsigned_abs(modified));
        let epoch = SystemTime::UNIX_EPOCH;
        let expected = if modified < 0 { epoch - distance } else { epoch + distance };
        assert_eq!(metadata.modified().expect("a time"), expected, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn existing_directories_keep_their_permissions_and_times() {
    use std::os::unix::fs::PermissionsExt as _;

    let around = Around::new();
    let path = around.out().join("mine");
    fs::create_dir(&path).expect("a directory");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).expect("permissions");
    let mut hostile = directory("mine");
    hostile.mode = Some(0o777);
    hostile.modified = Some(5);
    around.extract(&[hostile, file("mine/a", "a")]);
    let metadata = fs::metadata(&path).expect("metadata");
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o750);
    assert!(metadata.modified().expect("a time") > SystemTime::UNIX_EPOCH + Duration::from_secs(5));
}

#[test]
fn entries_of_nested_archives_are_below_a_directory_of_their_name() {
    let around = Around::new();
    let mut jar = file("lib/in.jar", "the bytes of the jar");
    jar.is_opened = true;
    let mut zip = entry(&[b"lib/in.jar", b"x.zip"], EntryKind::File, b"zip");
    zip.is_opened = true;
    let entries = [
        jar,
        entry(&[b"lib/in.jar", b"META-INF/MANIFEST.MF"], EntryKind::File, b"m"),
        zip,
        entry(&[b"lib/in.jar", b"x.zip", b"a"], EntryKind::File, b"a"),
        entry(&[b"lib/in.jar", b"../../up"], EntryKind::File, b"a"),
        entry(&[b"../in.jar", b"a"], EntryKind::File, b"a"),
    ];
    let (outcomes, extracted) = around.extract(&entries);
    assert_eq!(outcomes[..4], [EntryOutcome::Opened, EntryOutcome::File, EntryOutcome::Opened, EntryOutcome::File]);
    assert_eq!(outcomes[4..], [refused(Refusal::PathTraversal); 2]);
    assert_eq!((extracted.opened, extracted.files, extracted.bytes), (2, 2, 2));
    let paths: Vec<String> = around.tree().into_keys().collect();
    let expected = [
        "lib",
        "lib/in.jar",
        "lib/in.jar!",
        "lib/in.jar!/META-INF",
        "lib/in.jar!/META-INF/MANIFEST.MF",
        "lib/in.jar!/x.zip",
        "lib/in.jar!/x.zip!",
        "lib/in.jar!/x.zip!/a",
    ];
    assert_eq!(paths, expected);
    around.check_outside();
}

#[test]
fn many_files_in_many_directories_are_written() {
    let around = Around::new();
    let name = |number: usize| format!("d{}/e{}/f{number}", number % 300, number % 7);
    let mut entries: Vec<_> = (0..4000).map(|number| file(&name(number), &number.to_string())).collect();
    // Every hundredth entry comes twice; the second one gets the name, and the first one is kept.
    for number in (0..4000).step_by(100).rev() {
        entries.insert(number + 1, file(&name(number), "again"));
    }
    let mut extractor = around.extractor();
    for batch in entries.chunks(1500) {
        extractor.entries(batch.to_vec()).expect("the file system works");
    }
    assert!(extractor.refused().is_empty());
    let extracted = extractor.finish().expect("the file system works");
    assert_eq!((extracted.files, extracted.refused), (4040, 0));
    let read = |name: String| fs::read_to_string(around.out().join(name)).expect("a file");
    for number in 0..4000 {
        if number % 100 == 0 {
            assert_eq!(read(name(number)), "again");
            assert_eq!(read(name(number) + ".duplicate"), number.to_string());
        } else {
            assert_eq!(read(name(number)), number.to_string());
        }
    }
}

#[test]
fn a_directory_that_cannot_be_created_is_an_error() {
    let around = Around::new();
    let below_a_file = around.root().join("secret/below");
    let error = vyre_unpack::Extractor::new(&below_a_file, Default::default()).err().expect("an error");
    assert_eq!(error.path, below_a_file);
    around.check_outside();
}
