//! Damaged archives: intact entries are unpacked, damaged files are renamed, and the exit code is 1.

use super::{below, file, gzip, sandbox, stable_json, tar, unpack, zip};

#[test]
fn a_damaged_file_is_renamed() {
    let mut archive = zip(&[("bad", b"bytes of the first file"), ("good", b"good")]);
    let offset = archive.windows(5).position(|window| window == b"bytes").expect("it is stored");
    archive[offset] ^= 1;
    let sandbox = sandbox(&archive);
    let run = unpack(&sandbox, &["-o", "out"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let lines: Vec<&str> = run.text().lines().collect();
    assert!(lines[0].starts_with("bad: at byte ") && lines[0].contains("CRC-32"), "{lines:?}");
    assert_eq!(lines[1..], ["bad: what could be had is in bad.damaged"]);
    assert_eq!(below(&sandbox, "out"), ["bad.damaged", "good"]);
    assert_eq!(
        (sandbox.read_text("out/bad.damaged"), sandbox.read_text("out/good")),
        ("cytes of the first file".into(), "good".into())
    );
    let json = stable_json(unpack(&sandbox, &["-o", "json", "--json"]).text());
    let bad = &json["entries"][0];
    assert_eq!((&bad["placement"], &bad["written_to"]), (&"damaged".into(), &"bad.damaged".into()));
    assert_eq!((&bad["problems"][0]["kind"], bad["problems"].as_array().map(Vec::len)), (&"checksum".into(), Some(1)));
    assert_eq!((&json["extracted"]["damaged"], &json["stats"]["damaged"]), (&1.into(), &1.into()));
}

#[test]
fn a_truncated_entry_is_not_a_file() {
    let mut archive = tar(&[file("good", b"good"), file("cut", &[7; 2000])]);
    archive.truncate(512 + 512 + 512 + 700);
    let sandbox = sandbox(&archive);
    let run = unpack(&sandbox, &["-o", "out"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("cut: at byte "), "{}", run.text());
    let files = below(&sandbox, "out");
    assert!(files.contains(&"good".to_owned()) && !files.contains(&"cut".to_owned()), "{files:?}");
}

#[test]
fn a_list_marks_problems() {
    let mut archive = tar(&[file("good", b"good"), file("cut", &[7; 2000])]);
    archive.truncate(512 + 512 + 512 + 700);
    let sandbox = sandbox(&archive);
    let run = unpack(&sandbox, &["--list"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let marked: Vec<&str> = run.text().lines().filter(|line| line.starts_with('!')).collect();
    assert!(matches!(&marked[..], [line] if line.ends_with("  cut")), "{}", run.text());
    let (_, problems) = run.text().split_once("\n\nproblems:\n").expect("problems follow the list");
    assert!(problems.starts_with("  cut: at byte ") && problems.contains("\n  the archive (tar): "), "{problems}");
}

#[test]
fn trailing_data_is_reported() {
    let plain = tar(&[file("x", b"1")]);
    for (format, mut archive) in [("gzip", gzip(&plain)), ("tar", plain)] {
        let end = archive.len();
        archive.extend_from_slice(b"garbage behind the end");
        let sandbox = sandbox(&archive);
        let run = unpack(&sandbox, &["-o", "out"]);
        assert_eq!((run.code, sandbox.read_text("out/x")), (Some(1), "1".to_owned()), "{}", run.stderr);
        let line = format!("the archive ({format}): at byte {end}: 22 bytes after the end that are nothing known\n");
        assert_eq!(run.text(), line);
        let json = stable_json(unpack(&sandbox, &["--list", "--json"]).text());
        let problem = &json["problems"][0];
        assert_eq!((&problem["kind"], &problem["format"]), (&"trailing-garbage".into(), &format.into()));
        assert_eq!((&problem["offset"], &problem["path"]), (&end.into(), &serde_json::json!([])));
    }
}
