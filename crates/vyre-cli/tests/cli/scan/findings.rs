//! Findings of scans: formats, exit codes, determinism.

use serde_json::Value;

use super::{sandbox, scan};

#[test]
fn a_flow_across_files_is_a_finding() {
    let sandbox = sandbox();
    let run = scan(&sandbox, &["app"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let text = run.text();
    for part in [
        "[command-injection]",
        "run.js:3:",
        "CWE-78",
        "process.argv",
        "(application)",
        "1 finding: ",
        "scanned 2 files",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(scan(&sandbox, &["app", "--color", "always"]).text().contains('\u{1b}'));
}

#[test]
fn verbose_scans_print_their_stages() {
    let sandbox = sandbox();
    let run = scan(&sandbox, &["app", "--verbose"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.text(), scan(&sandbox, &["app"]).text());
    for part in ["configuration: none\n", "reading: 2 files, ", "parsing: 2 files, ", "solving, ", "searching, "] {
        assert!(run.stderr.contains(part), "{part} is missing:\n{}", run.stderr);
    }
    assert_eq!(scan(&sandbox, &["app", "--verbose", "--quiet"]).code, Some(2));
}

#[test]
fn a_clean_package_has_exit_code_0() {
    let run = scan(&sandbox(), &["clean"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    assert!(run.text().starts_with("no findings\nscanned 1 file "), "{}", run.text());
}

#[test]
fn json_and_sarif_are_complete_and_stable() {
    let sandbox = sandbox();
    for format in ["json", "sarif"] {
        let one = scan(&sandbox, &["app", "clean", "--format", format, "--jobs", "1"]);
        let other = scan(&sandbox, &["clean", "app", "--format", format, "--jobs", "3"]);
        assert_eq!(one.code, Some(1), "{}", one.stderr);
        assert!(one.text() == other.text(), "{format} differs");
        let value: Value = serde_json::from_str(one.text()).expect("it is JSON");
        let rule = match format {
            "json" => &value["findings"][0]["rule"],
            _ => &value["runs"][0]["results"][0]["ruleId"],
        };
        assert_eq!(rule, "command-injection");
    }
}

#[test]
fn reports_go_to_files() {
    let sandbox = sandbox();
    let run = scan(&sandbox, &["app", "-o", "report.txt", "--color", "always"]);
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(1), "", "1 finding\n"));
    let report = sandbox.read_text("report.txt");
    assert!(report.contains("[command-injection]") && !report.contains('\u{1b}'), "{report}");
}

#[test]
fn code_that_is_not_analysed_is_a_failure() {
    let sandbox = sandbox();
    sandbox.write("broken/a.js", b"let = = ;\n");
    let run = scan(&sandbox, &["broken"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
    assert!(run.text().contains("failed 1 file") && run.text().contains("incomplete: "), "{}", run.text());
    assert!(run.stderr.contains("--allow-incomplete"), "{}", run.stderr);
    assert_eq!(scan(&sandbox, &["broken", "--allow-incomplete"]).code, Some(0));
    assert_eq!(scan(&sandbox, &["broken", "app", "--allow-incomplete"]).code, Some(1));
}

#[test]
fn rules_are_selected_listed_and_tested() {
    let sandbox = sandbox();
    assert_eq!(scan(&sandbox, &["app", "--rule", "xpath-injection"]).code, Some(0));
    assert_eq!(scan(&sandbox, &["app", "--rule", "command-injection"]).code, Some(1));
    assert!(sandbox.run(&["rules", "list"]).text().contains("command-injection"));
    assert!(sandbox.run(&["rules", "explain", "command-injection"]).text().contains("CWE-78"));
    let run = sandbox.run(&["rules", "test"]);
    assert_eq!(run.code, Some(0), "{}", run.text());
    assert!(run.stderr.ends_with("0 failures\n"), "{}", run.stderr);
}

/// Header of a file of a tar archive. The field of the size is as given.
fn tar_header(name: &str, size: &[u8; 12]) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..108].copy_from_slice(b"0000644\0");
    header[108..124].copy_from_slice(b"0000000\x000000000\0");
    header[124..136].copy_from_slice(size);
    header[136..148].copy_from_slice(b"00000000000\0");
    header[148..156].fill(b' ');
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// A file that only some installers see. To others it is part of the file before it.
#[test]
fn all_readings_of_an_archive_are_scanned() {
    let code = b"require('child_process').exec(process.argv[2]);\n";
    let size = format!("{:011o}\0", code.len()).into_bytes().try_into().expect("12 bytes");
    // GNU tar and npm search for the next header.
    let hidden = [&[b'.'; 512], &tar_header("package/hidden.js", &size)[..], code, &vec![0; 512 - code.len()]].concat();
    // Zero to GNU tar and npm, and 1536 to Go.
    let disputed = b"\0\0\0\0\x000003000";
    let agreed = b"00000003000\0";
    for (size, is_seen) in [(disputed, true), (agreed, false)] {
        let archive = [&tar_header("package/data.txt", size)[..], &hidden, &[0; 1024]].concat();
        let sandbox = sandbox();
        sandbox.write("package.tar", &archive);
        let run = scan(&sandbox, &["package.tar"]);
        let all = format!("{}{}", run.text(), run.stderr);
        assert_eq!(run.text().contains("[command-injection]"), is_seen, "{all}");
        assert_eq!(run.text().contains("--> package/hidden.js:1:"), is_seen, "{all}");
        assert_eq!(all.contains("disagree"), is_seen, "{all}");
    }
}

/// Archives whose signature is not at the start of the file: a disk image, and a zip file behind other bytes.
#[test]
fn archives_without_a_signature_at_their_start_are_scanned() {
    const CODE: &[u8] = b"#!/usr/bin/env node\nrequire('child_process').exec(process.argv[2]);\n";
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/fuzz/iso/rock_ridge");
    let mut image = std::fs::read(fixture).expect("the fixture exists");
    // The start of the file `dir/large`, which has more than 9000 bytes.
    let at = image.windows(8).position(|bytes| bytes == b"\xe8\0\0\0\0\x90\x0f\x84").expect("the file is in the image");
    image[at..at + 9600].fill(b'\n');
    image[at..at + CODE.len()].copy_from_slice(CODE);
    let behind = [&vec![0x80; 5000], &crate::unpack::zip(&[("bin/tool", CODE)])[..]].concat();
    for (bytes, inner) in [(image, "dir/large"), (behind, "bin/tool")] {
        let sandbox = sandbox();
        sandbox.write("package/data.bin", &bytes);
        for (argument, path) in [("package", "data.bin!/"), ("package/data.bin", "")] {
            let run = scan(&sandbox, &[argument]);
            let all = format!("{}{}", run.text(), run.stderr);
            assert!(all.contains("[command-injection]"), "{argument}: {all}");
            assert!(all.contains(&format!("{path}{inner}:2:")), "{argument}: {all}");
        }
    }
}
