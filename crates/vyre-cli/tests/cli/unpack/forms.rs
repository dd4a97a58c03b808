//! Lists, JSON and statistics.

use tar::EntryType;

use super::{expect_run, gzip, nested, sandbox, stable_json, tar, unpack, zip, zip_by};
use crate::golden::compare;
use crate::harness::{finish, vyre};

#[test]
fn a_list_has_a_line_for_each_entry() {
    let sandbox = sandbox(&nested());
    let run = unpack(&sandbox, &["--list"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{}", run.text());
    compare("unpack_list.txt", run.text());
    assert_eq!(sandbox.names(), ["a", "secret"], "nothing is written");
    let run = unpack(&sandbox, &["--list", "--no-nested"]);
    assert_eq!((run.code, run.text().lines().count()), (Some(0), 4), "{}", run.text());
}

#[test]
fn a_list_fits_the_terminal() {
    let long = "node_modules/@company/a-package-with-a-long-name/distribution/index.production.js";
    let archive = tar(&[
        (long, EntryType::Regular, "", &[b'x'; 20_000][..]),
        ("folder", EntryType::Directory, "", b""),
        ("link", EntryType::Symlink, "folder/target", b""),
        ("../../outside", EntryType::Regular, "", b"hostile"),
        ("a", EntryType::Regular, "", b"first"),
        ("a", EntryType::Regular, "", b"second"),
    ]);
    let sandbox = sandbox(&gzip(&archive));
    let mut transcript = String::new();
    for columns in [60, 80, 120] {
        let run = finish(vyre(sandbox.root()).args(["unpack", "a", "--list"]).env("COLUMNS", columns.to_string()));
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let too_long = run.text().lines().find(|line| line.chars().count() > columns);
        assert_eq!(too_long, None, "{columns} columns");
        transcript.push_str(&format!(
            "$ COLUMNS={columns} vyre unpack a --list\n{}--- notes\n{}",
            run.text(),
            run.stderr
        ));
    }
    let run = finish(vyre(sandbox.root()).args(["unpack", "a", "--list", "--color", "always"]));
    transcript.push_str(&format!("$ in colours, in a pipe\n{}", run.text()));
    compare("unpack_list_widths.txt", &transcript);
}

#[test]
fn json_has_every_field() {
    let sandbox = sandbox(&nested());
    for (name, args) in
        [("unpack_json.txt", &["--json", "-o", "out"][..]), ("unpack_list_json.txt", &["--json", "--list"])]
    {
        let run = unpack(&sandbox, args);
        assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{}", run.text());
        let mut json = stable_json(run.text());
        // The tests of the decoders cover these counters.
        for field in ["host_blocks", "host_output", "output"] {
            json["stats"][field] = serde_json::Value::Null;
        }
        let text = serde_json::to_string_pretty(&json).expect("JSON");
        compare(name, &format!("{text}\n"));
    }
}

/// A raw block `ab`, a raw block `c` and an RLE block of five `d`.
const RAW_AND_RLE: &[u8] = b"\x28\xb5\x2f\xfd\0\x50\x10\0\0ab\x08\0\0c\x2b\0\0d";

#[test]
fn statistics_count_zstd_blocks_by_type() {
    let raw_and_rle = sandbox(RAW_AND_RLE);
    let run = unpack(&raw_and_rle, &["--stats", "-o", "out"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("\nblocks on the host: 3 (8 bytes)\n    the host decodes all: 3\n"), "{}", run.stderr);
    assert!(run.stderr.contains("\nzstd blocks by type: 2 raw, 1 RLE, 0 compressed\n"), "{}", run.stderr);
    let json = stable_json(unpack(&raw_and_rle, &["--json", "--list"]).text());
    assert_eq!(json["stats"]["zstd_blocks"], serde_json::json!({ "raw": 2, "rle": 1, "compressed": 0 }));

    let text = "what a compressor compresses, ".repeat(100);
    let archive = zip_by(&[zip::CompressionMethod::Zstd], &[("a", text.as_bytes()), ("b", b"x")]);
    let run = unpack(&sandbox(&archive), &["--stats", "-o", "out", "--backend", "reference"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("\nblocks on the device: 2 ("), "{}", run.stderr);
    assert!(run.stderr.contains("\nblocks on the host: 0 (0 bytes)\n"), "{}", run.stderr);
    assert!(run.stderr.contains("\nzstd blocks by type: 1 raw, 0 RLE, 1 compressed\n"), "{}", run.stderr);
    let run = unpack(&sandbox(&gzip(b"x")), &["--stats", "--list"]);
    assert!(!run.stderr.contains("zstd"), "{}", run.stderr);
}

/// Deflate and zstd entries, and gzip members, on a device.
#[cfg(feature = "wgpu")]
#[test]
fn on_gpu_streams_are_decoded_on_the_device() {
    let text = "what a compressor compresses, ".repeat(100);
    let methods = [zip::CompressionMethod::Deflated, zip::CompressionMethod::Zstd];
    let archive = zip_by(&methods, &[("a", text.as_bytes()), ("b", text.as_bytes())]);
    for (archive, blocks) in [(archive.clone(), 2), (gzip(&archive), 3)] {
        let sandbox = sandbox(&archive);
        let run = unpack(&sandbox, &["--stats", "-o", "out", "--backend", "wgpu"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("\nblocks on the device: {blocks} (")), "{}", run.stderr);
        assert!(run.stderr.contains("\nblocks on the host: 0 (0 bytes)\n"), "{}", run.stderr);
        for file in ["a", "b"] {
            assert!(
                std::fs::read(sandbox.path("out").join(file)).expect("it is extracted") == text.as_bytes(),
                "{file}"
            );
        }
    }
}

#[test]
fn an_archive_without_entries_is_valid() {
    let sandbox = sandbox(&zip(&[]));
    expect_run(&unpack(&sandbox, &["--list"]), 0, "");
    expect_run(&unpack(&sandbox, &["-o", "out"]), 0, "");
    assert!(sandbox.path("out").is_dir());
    let json = stable_json(unpack(&sandbox, &["--list", "--json"]).text());
    assert_eq!((&json["entries"], &json["error"]), (&serde_json::json!([]), &serde_json::Value::Null));
}

#[test]
fn control_characters_in_names_are_escaped() {
    let hostile = "a\u{1b}]0;owned\u{7}\n\u{202e}b";
    let archive = tar(&[
        (hostile, EntryType::Regular, "", b"x"),
        ("link", EntryType::Symlink, "to\u{1b}[2J", b""),
        ("../\u{1b}[31m", EntryType::Regular, "", b"x"),
    ]);
    let sandbox = sandbox(&archive);
    for args in [&["--list"][..], &["-o", "out"], &["--json", "-o", "out2"], &["--json", "--list"]] {
        let run = unpack(&sandbox, args);
        let is_harmless = |c: char| c == '\n' || !vyre::ir::source::is_deceptive(c);
        assert!(run.stderr.chars().all(is_harmless), "{:?}", run.stderr);
        // JSON escapes control characters itself; other characters are kept for programs.
        let is_json = args.contains(&"--json");
        assert!(
            run.text().chars().all(|c| if is_json { c == '\n' || !c.is_control() } else { is_harmless(c) }),
            "{:?}",
            run.text()
        );
    }
    let list = unpack(&sandbox, &["--list"]);
    assert!(list.text().contains("a\\u{1b}]0;owned\\u{7}\\n\\u{202e}b"), "{}", list.text());
}

#[test]
fn names_that_are_not_utf_8_are_preserved_in_json() {
    let mut archive = tar(&[("name-?", EntryType::Regular, "", b"x")]);
    // Makes the name invalid UTF-8 and updates the checksum of the header.
    archive[5] = 0xff;
    let sum: u32 = archive[..512]
        .iter()
        .enumerate()
        .map(|(at, &byte)| u32::from(if (148..156).contains(&at) { b' ' } else { byte }))
        .sum();
    archive[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let json = stable_json(unpack(&sandbox(&archive), &["--list", "--json"]).text());
    assert_eq!(json["entries"][0]["path"], serde_json::json!(["name-\u{fffd}"]));
    assert_eq!(json["entries"][0]["path_bytes"], serde_json::json!(["6e616d652dff"]));
}

#[test]
fn statistics_count_blocks_by_route() {
    let sandbox = sandbox(&nested());
    let run = unpack(&sandbox, &["-o", "out", "--stats"]);
    expect_run(&run, 0, "");
    for line in [
        "format: zip\n",
        "dispatches: 0\n",
        "blocks on the device: 0 (0 bytes)\n",
        "    the host decodes all: ",
        "/s of output\n",
    ] {
        assert!(run.stderr.contains(line), "no {line:?} in {}", run.stderr);
    }
    let run = sandbox.run(&["unpack", "a", "-o", "other", "--stats", "--backend", "reference"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.starts_with("running on backend `reference`: reference interpreter\n"), "{}", run.stderr);
    // An op decodes the Deflate entry.
    for line in ["dispatches: 1\n", "blocks on the device: 1 (3 KiB)\n", "blocks on the host: 0 (0 bytes)\n"] {
        assert!(run.stderr.contains(line), "no {line:?} in {}", run.stderr);
    }
    assert!(run.stderr.lines().last().is_some_and(|line| line.starts_with("3 files, ")), "{}", run.stderr);
}

/// An LZ4 frame with a block for each part: the first uncompressed, the others as literals.
fn lz4_frame(parts: &[&[u8]]) -> Vec<u8> {
    // Version 1, independent blocks without checksums of up to 64 KiB, and the checksum of these two bytes.
    let mut frame = vec![0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];
    for (number, part) in parts.iter().enumerate() {
        let length = u32::try_from(part.len()).expect("a short part");
        if number == 0 {
            frame.extend((length | 1 << 31).to_le_bytes());
        } else {
            assert!(length < 15, "the length is in the token");
            frame.extend((length + 1).to_le_bytes());
            frame.push(u8::try_from(length << 4).expect("four bits"));
        }
        frame.extend_from_slice(part);
    }
    frame.extend([0; 4]);
    frame
}

#[test]
fn a_named_backend_decodes_the_blocks_that_it_supports() {
    let sandbox = sandbox(b"");
    sandbox.write("notes.txt.lz4", &lz4_frame(&[b"stored ", b"literals ", b"more"]));
    for (backend, device_blocks) in [("cpu", 0), ("auto", 0), ("reference", 3)] {
        let run = sandbox.run(&["unpack", "notes.txt.lz4", "-q", "-o", backend, "--json", "--backend", backend]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(sandbox.read_text(&format!("{backend}/notes.txt")), "stored literals more");
        let json = stable_json(run.text());
        assert_eq!(json["stats"]["device_blocks"], device_blocks, "{backend}");
        assert_eq!(json["backend"]["name"], if backend == "auto" { "cpu" } else { backend });
    }
}

#[test]
fn archives_are_read_from_standard_input() {
    let sandbox = sandbox(b"");
    let run = sandbox.run_with_input(&["unpack", "-", "-q", "-o", "out"], &gzip(b"content"));
    expect_run(&run, 0, "");
    assert_eq!(sandbox.read_text("out/stdin"), "content");
    let run = sandbox.run_with_input(&["unpack", "-", "-q", "--list", "--limit", "1MiB"], &vec![0; (1 << 20) + 1]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("<stdin>: stopped at a limit: 1048577 bytes"), "{}", run.stderr);
}
