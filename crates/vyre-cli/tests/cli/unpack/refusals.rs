//! Hostile archives: each refusal has a reason, other entries are unpacked, and no file outside is changed.

use tar::EntryType;

use super::{TarEntry, below, file, sandbox, stable_json, tar, unpack, zip};

/// Expects that the last entry is refused for this reason and that the others are unpacked.
#[track_caller]
fn check(entries: &[TarEntry<'_>], kind: &str) {
    let sandbox = sandbox(&tar(&[entries, &[file("rest", b"good")]].concat()));
    let run = unpack(&sandbox, &["-o", "out", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let json = stable_json(run.text());
    let entries_json = json["entries"].as_array().expect("entries");
    let hostile = &entries_json[entries.len() - 1];
    assert_eq!((&hostile["placement"], &hostile["refusal"]["kind"]), (&"refused".into(), &kind.into()), "{hostile}");
    assert_eq!((&hostile["written_to"], &json["extracted"]["refused"]), (&serde_json::Value::Null, &1.into()));
    assert_eq!(sandbox.read_text("out/rest"), "good");
    // The text report has a line for it.
    let text = unpack(&sandbox, &["-o", "text"]);
    let message = hostile["refusal"]["message"].as_str().expect("a message");
    assert!(text.code == Some(1) && text.text().ends_with(&format!(": refused: {message}\n")), "{}", text.text());
    assert_eq!(sandbox.names(), ["a", "out", "secret", "text"]);
    assert_eq!(sandbox.read_text("secret"), "not for archives");
}

#[test]
fn hostile_names_are_refused() {
    for (name, kind) in [
        ("../secret", "path-traversal"),
        ("x/../../secret", "path-traversal"),
        ("x\\..\\..\\secret", "path-traversal"),
        ("C:\\secret", "absolute-path"),
        ("\\\\server\\secret", "absolute-path"),
    ] {
        check(&[file(name, b"hostile")], kind);
    }
    check(&[file("x", b"1"), file("x/y", b"2")], "file-in-the-way");
    check(&[("x/", EntryType::Directory, "", b""), file("x", b"2")], "directory-in-the-way");
}

#[test]
fn files_of_one_name_are_all_written() {
    let sandbox = sandbox(&tar(&[file("x", b"first"), file("/x", b"last")]));
    let run = unpack(&sandbox, &["-o", "out"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("/x: at byte 1024: an entry before it has the same name"), "{}", run.text());
    assert_eq!((sandbox.read_text("out/x"), sandbox.read_text("out/x.duplicate")), ("last".into(), "first".into()));
}

#[test]
fn a_list_says_what_would_be_refused() {
    let link = ("out", EntryType::Symlink, "../../etc", &b""[..]);
    for hostile in [file("../../x", b"hostile"), link] {
        let sandbox = sandbox(&tar(&[hostile, file("rest", b"good")]));
        for flags in [&["--list"][..], &["--list", "--no-nested"]] {
            let run = unpack(&sandbox, flags);
            assert_eq!(run.code, Some(1), "{}", run.stderr);
            assert!(run.text().contains("\nproblems:\n"), "{}", run.text());
            assert!(run.text().contains(": would be refused: it"), "{}", run.text());
        }
        let json = stable_json(unpack(&sandbox, &["--list", "--json"]).text());
        assert!(json["entries"][0]["refusal"]["kind"].is_string(), "{json}");
        assert!(json["entries"][1].get("refusal").is_none(), "{json}");
    }
}

#[test]
fn strict_calls_unpack_nothing_that_readers_disagree_on() {
    let sandbox = sandbox(&tar(&[file("x", b"first"), file("x", b"last")]));
    let run = unpack(&sandbox, &["-o", "out", "--strict"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("readers of the tar archive disagree"), "{}", run.stderr);
    assert_eq!(sandbox.names(), ["a", "secret"]);
}

#[test]
fn hostile_links_and_devices_are_refused() {
    let link = |name, target| (name, EntryType::Symlink, target, &b""[..]);
    check(&[link("x", "/etc/passwd")], "link-leaves-tree");
    check(&[link("x", "../secret")], "link-leaves-tree");
    check(&[link("d/up", ".."), link("d/x", "up/../secret")], "link-leaves-tree");
    check(&[("d/", EntryType::Directory, "", b""), link("x", "d"), file("x/y", b"2")], "through-link");
    check(&[("x", EntryType::Link, "../secret", b"")], "hardlink-target");
    check(&[("x", EntryType::Link, "/etc/passwd", b"")], "hardlink-target");
    check(&[("x", EntryType::Link, "gone", b"")], "hardlink-target");
    for kind in [EntryType::Char, EntryType::Block, EntryType::Fifo] {
        check(&[("x", kind, "", b"")], "special-file");
    }
}

#[test]
fn hostile_zip_entries_are_refused() {
    let sandbox = sandbox(&zip(&[("../secret", b"hostile"), ("good", b"good")]));
    let run = unpack(&sandbox, &["-o", "out"]);
    assert_eq!((run.code, run.text()), (Some(1), "../secret: refused: its name goes up with `..`\n"), "{}", run.stderr);
    assert_eq!(
        (below(&sandbox, "out"), sandbox.names()),
        (vec!["good".to_owned()], vec!["a".into(), "out".into(), "secret".into()])
    );
    assert_eq!(sandbox.read_text("secret"), "not for archives");
}

#[test]
fn hostile_entries_of_inner_archives_are_refused() {
    let inner = tar(&[file("../../../secret", b"hostile"), file("good", b"good")]);
    let sandbox = sandbox(&zip(&[("d/in.tar", &inner)]));
    let run = unpack(&sandbox, &["-o", "out"]);
    let line = "d/in.tar!/../../../secret: refused: its name goes up with `..`\n";
    assert_eq!((run.code, run.text()), (Some(1), line), "{}", run.stderr);
    assert_eq!(below(&sandbox, "out"), ["d/", "d/in.tar", "d/in.tar!/", "d/in.tar!/good"]);
    assert_eq!(sandbox.read_text("secret"), "not for archives");
}
