//! ASAR archives.

use sha2::{Digest, Sha256};
use vyre_unpack::{DecompressError, EntryKind, Limit, Limits, Options, ProblemKind};

use crate::collect::{kinds, limited, noise, open, open_clean, open_with};

/// An archive with this header, followed by these bytes.
pub(crate) fn asar(json: &str, files: &[u8]) -> Vec<u8> {
    let padded = json.len().next_multiple_of(4);
    let words = [4, padded as u32 + 8, padded as u32 + 4, json.len() as u32];
    let mut archive: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    archive.extend(json.bytes());
    archive.resize(16 + padded, 0);
    archive.extend(files);
    archive
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn files_and_links_are_unpacked() {
    let (first, second) = (noise(1000, 1), noise(33, 2));
    let json = format!(
        r#"{{"files":{{"package.json":{{"size":1000,"offset":"0","integrity":{{"algorithm":"SHA256","hash":"{}","blockSize":4194304,"blocks":["{}"]}}}},
        "lib":{{"files":{{"main.js":{{"size":33,"offset":"1000","executable":true}},"empty":{{"size":0,"offset":"1033"}}}}}},
        "link":{{"link":"lib/main.js"}}}}}}"#,
        hex(&first),
        hex(&first)
    );
    let archive = asar(&json, &[first.clone(), second.clone()].concat());
    let collected = open_clean("app.asar", archive.clone());
    assert_eq!(collected.paths(), ["package.json", "lib", "lib/main.js", "lib/empty", "link"]);
    assert_eq!(&collected.get("package.json").bytes[..], first);
    assert_eq!(&collected.get("lib/main.js").bytes[..], second);
    assert_eq!(collected.get("lib/main.js").mode, Some(0o755));
    assert_eq!(collected.get("lib").kind, EntryKind::Directory);
    assert_eq!(collected.get("link").kind, EntryKind::Symlink { target: b"lib/main.js".to_vec() });
    // A digest reveals a changed byte.
    let mut changed = archive.clone();
    let at = archive.len() - 1033;
    changed[at] ^= 1;
    let (collected, summary) = open("app.asar", changed);
    assert!(matches!(kinds(&collected.get("package.json").problems)[..], [ProblemKind::Checksum { .. }]));
    assert_eq!(summary.damaged, 1);
    // Truncated, and with trailing bytes.
    let (collected, _) = open("app.asar", archive[..archive.len() - 1].to_vec());
    assert!(matches!(kinds(&collected.get("lib/main.js").problems)[..], [ProblemKind::Truncated { .. }]));
    assert_eq!(&collected.get("lib/main.js").bytes[..], &second[..32]);
    let (_, summary) = open("app.asar", [&archive[..], b"more"].concat());
    assert_eq!(summary.problems[0].problem.kind, ProblemKind::TrailingGarbage { bytes: 4 });
    assert_eq!(summary.problems[0].problem.offset, archive.len() as u64);
}

#[test]
fn files_beside_the_archive_are_reported() {
    let (collected, summary) = open("app.asar", asar(r#"{"files":{"native.node":{"size":5,"unpacked":true}}}"#, b""));
    assert_eq!(summary.damaged, 1);
    assert!(matches!(kinds(&collected.entries[0].problems)[..], [ProblemKind::Unsupported { .. }]));
}

#[test]
fn damaged_headers_are_rejected() {
    let deep = r#"{"files":{"a":"#.repeat(5000) + &"}}".repeat(5000);
    let cases = [r#"{"files":[]}"#.to_owned(), r#"{"nothing":1}"#.to_owned(), r#"{"files":{"#.to_owned(), deep];
    for json in cases {
        let (_, result) = open_with("app.asar", asar(&json, b""), Options::default());
        let Err(DecompressError::Archive { format: "asar", problem }) = result else { panic!("{result:?}") };
        assert!(problem.offset >= 16, "{problem}");
    }
    // Offsets beyond the end.
    let json = r#"{"files":{"a":{"size":18446744073709551615,"offset":"18446744073709551615"},"b":{"size":5}}}"#;
    let (collected, summary) = open("app.asar", asar(json, b"12345678"));
    assert_eq!(summary.damaged, 2);
    assert!(collected.entries.iter().all(|entry| entry.bytes.is_empty()));
}

#[test]
fn invalid_fields_are_problems_of_their_files() {
    let fields = [
        r#""size":-1,"offset":"0""#,
        r#""size":[[1]],"offset":"0""#,
        r#""size":1,"offset":"x""#,
        r#""size":1,"offset":{"hash":[]}"#,
        r#""size":1,"offset":"0","executable":1"#,
        r#""size":1,"offset":"0","unpacked":"no""#,
        r#""link":7"#,
        r#""size":1,"offset":"0","integrity":"none""#,
        r#""size":1,"offset":"0","integrity":{"algorithm":"SHA256","hash":"12"}"#,
        r#""size":1,"offset":"0","integrity":{"algorithm":"SHA256","hash":12}"#,
    ];
    for field in fields {
        let json = format!(r#"{{"files":{{"bad":{{{field}}},"d":{{"files":{{"good":{{"size":2,"offset":"1"}}}}}}}}}}"#);
        let (collected, summary) = open("app.asar", asar(&json, b"1ok"));
        assert_eq!((summary.entries, summary.damaged, summary.problem_count), (3, 1, 0), "{field}");
        let problems = &collected.get("bad").problems;
        assert!(matches!(kinds(problems)[0], ProblemKind::Corrupt { .. }), "{field} {problems:?}");
        assert_eq!(&collected.get("d/good").bytes[..], b"ok");
    }
}

#[test]
fn files_at_the_same_offset_count_as_output() {
    let files: Vec<String> = (0..100).map(|number| format!(r#""{number}":{{"size":1000000,"offset":"0"}}"#)).collect();
    let json = format!(r#"{{"files":{{{}}}}}"#, files.join(","));
    let archive = asar(&json, &noise(1_000_000, 1));
    let limits = Limits::default().with_total(50_000_000);
    let (_, result) = open_with("app.asar", archive, limited(limits));
    assert!(matches!(result, Err(DecompressError::Limit(exceeded)) if exceeded.limit == Limit::Total), "{result:?}");
}

#[test]
fn entries_and_names_are_limited() {
    let files: Vec<String> = (0..100).map(|number| format!(r#""{number}":{{"files":{{}}}}"#)).collect();
    let json = format!(r#"{{"files":{{{}}}}}"#, files.join(","));
    let limits = Limits::default().with_entries(99);
    let (collected, result) = open_with("app.asar", asar(&json, b""), limited(limits));
    assert!(matches!(result, Err(DecompressError::Limit(exceeded)) if exceeded.limit == Limit::Entries), "{result:?}");
    assert_eq!(collected.entries.len(), 99);
    // Directories that are cut short by the limit.
    let json = r#"{"files":{"a":{"files":{"b":{"files":{"c":{"files":{}}}}}}}}"#;
    let limits = Limits::default().with_entries(2);
    let (collected, _) = open_with("app.asar", asar(json, b""), limited(limits));
    assert_eq!(collected.paths(), ["a", "a/b"]);
    assert!(collected.entries.iter().all(|entry| entry.kind == EntryKind::Directory));
    // A long directory name, repeated for many files.
    let many: Vec<String> = (0..20_000).map(|number| format!(r#""{number}":{{"files":{{}}}}"#)).collect();
    let json = format!(r#"{{"files":{{"{}":{{"files":{{{}}}}}}}}}"#, "n".repeat(1_000_000), many.join(","));
    let (_, result) = open_with("app.asar", asar(&json, b""), Options::default());
    assert!(matches!(result, Err(DecompressError::Archive { .. })), "{result:?}");
}
