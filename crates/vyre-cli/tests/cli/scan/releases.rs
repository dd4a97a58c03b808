//! Corpus of releases: what `vyre scan NEW --compare OLD` must say about a release that a malicious publisher made.
//!
//! A file of `tests/corpus/releases` has comments (`# ...`), files (`--- old/PATH`, `--- new/PATH`, `--- both/PATH`) and the expected lines
//! (`--- expected`): kind and name of each new capability, and `incomplete` if the exit code must be 2.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{Sandbox, archive_of};

/// Bytes of padding of long files.
const PADDING: usize = 5_000_000;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/releases")
}

/// Content of a file by its form: text, `hex`, `utf16`, or `padded` with empty lines.
fn content(form: &str, text: &str) -> Vec<u8> {
    match form {
        "" => text.as_bytes().to_vec(),
        "hex" => {
            let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
            let byte =
                |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("a byte");
            digits.chunks(2).map(byte).collect()
        }
        "utf16" => [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
        "padded" => [&vec![b'\n'; PADDING][..], text.as_bytes()].concat(),
        form => panic!("unknown form {form}"),
    }
}

/// Releases of a case, old and new, and its expected lines.
fn releases(case: &str) -> ([BTreeMap<String, Vec<u8>>; 2], Vec<String>) {
    let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
    let mut expected = Vec::new();
    for section in case.split("\n--- ").skip(1) {
        let (head, text) = section.split_once('\n').unwrap_or((section, ""));
        if head == "expected" {
            expected = text.lines().map(str::to_owned).collect();
            continue;
        }
        let (path, form) = head.split_once(' ').unwrap_or((head, ""));
        let (release, path) = path.split_once('/').expect("a release");
        let bytes = content(form, &format!("{text}\n"));
        assert!(matches!(release, "old" | "new" | "both"), "{head}");
        if release != "new" {
            old.insert(path.to_owned(), bytes.clone());
        }
        if release != "old" {
            new.insert(path.to_owned(), bytes);
        }
    }
    ([old, new], expected)
}

/// What a comparison says of a case.
fn found(case: &str) -> Vec<String> {
    let ([old, new], _) = releases(case);
    let sandbox = Sandbox::new(&[]);
    for (name, files) in [("old.tgz", old), ("new.tgz", new)] {
        sandbox.write(name, &archive_of(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))));
    }
    let run = sandbox.run(&["scan", "new.tgz", "--compare", "old.tgz", "--format", "json"]);
    let report: Value = serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("no JSON: {}", run.stderr));
    let mut lines: Vec<String> = Vec::new();
    for capability in report["new_capabilities"].as_array().expect("a list") {
        let [kind, name] = ["kind", "name"].map(|key| capability[key].as_str().expect(key));
        let is_code = capability["is_at_install"] == true && kind != "install-script";
        lines.push(format!("{kind} {name}{}", if is_code { ", run by the installation" } else { "" }));
    }
    let has_news = report["has_news"] == true;
    let code = if run.stderr.contains("error") { 2 } else { i32::from(has_news) };
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    if code == 2 {
        lines.push("incomplete".to_owned());
    }
    lines
}

#[test]
fn releases_show_what_they_add() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder()).expect("the corpus").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    assert!(paths.len() >= 60, "the corpus has {} cases", paths.len());
    let mut wrong = String::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a case");
        let (_, expected) = releases(&text);
        let lines = found(&text);
        if lines == expected {
            continue;
        }
        if update {
            let start = text.find("\n--- expected").map_or(text.as_str(), |end| &text[..end]);
            let text = format!("{}\n--- expected\n{}\n", start.trim_end(), lines.join("\n"));
            std::fs::write(&path, text.trim_end().to_owned() + "\n").expect("a case");
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        writeln!(wrong, "{name}:\n  expected {expected:#?}\n  found {lines:#?}").expect("a text");
    }
    assert!(update || wrong.is_empty(), "{wrong}");
}
