//! Archives: formats, nesting, damage.

use super::*;
use crate::coverage::SkipReason;
use crate::input::Language;

#[test]
fn an_npm_tarball_keeps_its_paths() {
    let bytes = tgz(&[
        ("package/package.json", br#"{"name": "a", "version": "1.2.3", "main": "lib"}"#),
        ("package/lib/index.js", b"exports.x = 1;\nexports.y = 2;\n"),
        ("package/lib/types.d.ts", b"export {}"),
        ("package/README.md", b"# a"),
        ("package/bin/cli", b"#!/usr/bin/env node\nrequire('../lib')"),
    ]);
    let input = read_archive("a-1.2.3.tgz", &bytes);
    assert_eq!(sources(&input), ["package/bin/cli", "package/lib/index.js"]);
    let skipped = |reason| FileOutcome::Skipped(reason);
    assert_eq!(*outcome(&input, "package/lib/types.d.ts"), skipped(SkipReason::Declarations));
    assert_eq!(*outcome(&input, "package/README.md"), skipped(SkipReason::NotCode));
    assert!(!input.coverage.is_incomplete());
    let record = &input.coverage.files[input.sources[1].file as usize];
    assert_eq!((record.lines, record.bytes, record.language), (2, 30, Some("javascript")));
    assert_eq!(record.text.as_deref(), Some("exports.x = 1;\nexports.y = 2;\n"));
    assert_eq!(input.package_of(input.sources[1].file).and_then(|package| package.name.as_deref()), Some("a"));
}

#[test]
fn the_content_decides_what_an_archive_is() {
    let files: &[(&str, &[u8])] = &[("a.js", b"1"), ("b/c.ts", b"2")];
    for (name, bytes) in [
        ("x.tgz", zip(files)),
        ("x.zip", tgz(files)),
        ("x.vsix", zip(files)),
        ("x.whl", zip(files)),
        ("x.tar", tar(files)),
        ("x", tar(files)),
        ("x.js", zip(files)),
    ] {
        let input = read_archive(name, &bytes);
        assert_eq!(sources(&input), ["a.js", "b/c.ts"], "{name}");
        assert_eq!(input.sources[1].language, Language::TypeScript);
    }
}

#[test]
fn nested_archives_are_opened() {
    let inner = zip(&[("src/a.js", b"a"), ("deep.tgz", &tgz(&[("package/b.js", b"b")]))]);
    let input = read_archive("x.tgz", &tgz(&[("package/vendor/lib.zip", &inner), ("package/c.js", b"c")]));
    let paths = ["package/c.js", "package/vendor/lib.zip!/deep.tgz!/package/b.js", "package/vendor/lib.zip!/src/a.js"];
    assert_eq!(sources(&input), paths);
    // The same below a folder.
    let input = read_files(&[("vendor/lib.zip", &inner), ("c.js", b"c")]);
    assert_eq!(sources(&input), ["c.js", "vendor/lib.zip!/deep.tgz!/package/b.js", "vendor/lib.zip!/src/a.js"]);
    assert_eq!(outcomes(&input).len(), 3, "containers are no files");
}

#[test]
fn a_compressed_file_is_code() {
    let input = read_archive("a.js.gz", &gzip(b"alert(1)"));
    assert_eq!(sources(&input), ["a.js"]);
}

#[test]
fn damaged_entries_fail() {
    let long = "x = 1;\n".repeat(1000);
    let mut bytes = zip(&[("a.js", b"a"), ("b.js", long.as_bytes()), ("c.md", long.as_bytes())]);
    let at = memchr::memmem::find(&bytes, b"b.js").expect("entry") + 4;
    for byte in &mut bytes[at + 2..at + 12] {
        *byte ^= 0x5a;
    }
    let input = read_archive("x.zip", &bytes);
    assert_eq!(sources(&input), ["a.js"]);
    assert!(matches!(outcome(&input, "b.js"), FileOutcome::Failed(_)), "{:?}", outcomes(&input));
    assert_eq!(*outcome(&input, "c.md"), FileOutcome::Skipped(SkipReason::NotCode));
    assert!(input.coverage.is_incomplete());
}

#[test]
fn truncated_archives_are_incomplete() {
    let long: Vec<u8> =
        (0..200_000u32).flat_map(|number| (number.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect();
    let bytes = tgz(&[("package/a.js", b"a"), ("package/b.bin", &long), ("package/c.js", b"c")]);
    for (length, is_nested) in [(bytes.len() / 2, false), (bytes.len() / 2, true), (5, false), (bytes.len() - 4, false)]
    {
        let cut = &bytes[..length];
        let input = if is_nested { read_files(&[("x.tgz", cut), ("z.js", b"")]) } else { read_archive("x.tgz", cut) };
        assert!(input.coverage.is_incomplete(), "{length}: {:?} {:?}", outcomes(&input), input.coverage.problems);
        assert!(!input.coverage.problems.is_empty());
    }
}

#[test]
fn archives_that_are_none_are_problems() {
    for bytes in [&b"not an archive"[..], b"", b"PK"] {
        let input = read_archive("x.tgz", bytes);
        assert!(input.coverage.is_incomplete());
        let input = read_files(&[("x.zip", bytes), ("a.js", b"")]);
        assert!(input.coverage.is_incomplete());
        assert_eq!(sources(&input), ["a.js"]);
    }
}

#[test]
fn empty_archives_have_no_files() {
    let input = read_archive("x.zip", &zip(&[]));
    assert!(input.coverage.files.is_empty());
    assert!(!input.coverage.is_incomplete());
    assert_eq!(input.coverage.problems.len(), 1);
    let input = read_archive("x.tar", &tar(&[]));
    assert!(input.sources.is_empty());
    let input = read_archive("x.tgz", &tgz(&[]));
    assert!(input.sources.is_empty());
}

#[test]
fn files_with_the_same_path_are_all_kept() {
    let input =
        read_archive("x.tgz", &tgz(&[("package/a.js", b"first"), ("package/b.js", b""), ("package/a.js", b"second")]));
    let texts: Vec<&str> = input.sources.iter().map(|source| &*source.text).collect();
    assert_eq!(texts, ["first", "second", ""]);
    assert_eq!(input.coverage.problems.len(), 1);
    assert!(!input.coverage.is_incomplete());
    assert!(matches!(Resolver::new(&input).resolve("package/b.js", "./a"), Resolution::File(1)));
}

#[test]
fn names_of_entries_are_cleaned() {
    let input = read_archive("x.zip", &zip(&[("./a.js", b""), ("b\\c.js", b""), ("d//e.js", b""), ("/f.js", b"")]));
    assert_eq!(sources(&input), ["a.js", "b/c.js", "d/e.js", "f.js"]);
}

#[test]
fn links_of_archives_are_listed_and_known_to_the_resolution() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    builder.append_data(&mut header, "package/src/a.js", &b"a"[..]).expect("tar");
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    builder.append_data(&mut header, "package/data.txt", &b"a"[..]).expect("tar");
    for (kind, path, target) in [
        (tar::EntryType::Symlink, "package/lib", "src"),
        (tar::EntryType::Link, "package/hard.js", "package/src/a.js"),
        (tar::EntryType::Symlink, "package/loop", "loop"),
        (tar::EntryType::Symlink, "package/grow", "grow/x"),
        (tar::EntryType::Symlink, "package/out.js", "../../etc/passwd"),
        (tar::EntryType::Symlink, "package/root.js", "/etc/passwd"),
        (tar::EntryType::Symlink, "package/node_modules/.bin/a", "../../src/a.js"),
        (tar::EntryType::Link, "package/hidden.js", "package/data.txt"),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        builder.append_link(&mut header, path, target).expect("tar");
    }
    let input = read_archive("x.tar", &builder.into_inner().expect("tar"));
    assert_eq!(sources(&input), ["package/src/a.js"]);
    assert_eq!(resolve(&input, "package/x.js", "./lib/a"), "package/src/a.js");
    assert_eq!(resolve(&input, "package/x.js", "./hard.js"), "package/src/a.js");
    for missing in ["./loop", "./loop/a", "./grow/a", "./out.js", "./root.js"] {
        assert_eq!(resolve(&input, "package/x.js", missing), "none");
    }
    for (path, reason, target) in [
        ("package/hard.js", SkipReason::Link, "package/src/a.js"),
        ("package/lib", SkipReason::Link, "src"),
        ("package/out.js", SkipReason::Link, "../../etc/passwd"),
        ("package/root.js", SkipReason::Link, "/etc/passwd"),
        ("package/node_modules/.bin/a", SkipReason::Dependency, "../../src/a.js"),
    ] {
        assert_eq!(*outcome(&input, path), FileOutcome::Skipped(reason), "{path}");
        let record = input.coverage.files.iter().find(|record| record.path == path).expect("record");
        assert_eq!(record.link.as_deref(), Some(target));
    }
    let problems: Vec<(&str, bool)> =
        input.coverage.problems.iter().map(|problem| (problem.path.as_str(), problem.is_incomplete)).collect();
    let expected = [
        ("package/grow", false),
        ("package/hidden.js", true),
        ("package/loop", false),
        ("package/out.js", false),
        ("package/root.js", false),
    ];
    assert_eq!(problems, expected, "{:?}", input.coverage.problems);
}

#[test]
fn names_that_lead_out_of_the_archive_are_problems() {
    let input = read_archive("x.zip", &zip(&[("../evil.js", b"1"), ("a/..b.js", b"2")]));
    let problems: Vec<(&str, bool)> =
        input.coverage.problems.iter().map(|problem| (problem.path.as_str(), problem.is_incomplete)).collect();
    assert_eq!(problems, [("../evil.js", false)]);
    assert_eq!(sources(&input), ["../evil.js", "a/..b.js"]);
}
