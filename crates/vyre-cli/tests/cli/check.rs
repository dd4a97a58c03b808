//! `vyre check`: exit codes, summaries, inputs.

use std::fs;

use crate::harness::{INVALID, NO_PROGRAM, Sandbox, VALID};

#[test]
fn valid_programs_exit_0_and_print_nothing_but_the_summary() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID), ("b.vyre", VALID)]);
    let run = sandbox.run(&["check", "a.vyre", "b.vyre"]);
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), "", "2 files: 2 valid\n"));
}

#[test]
fn quiet_prints_no_summary() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID), ("b.vyre", INVALID)]);
    let run = sandbox.run(&["check", "--quiet", "a.vyre", "b.vyre"]);
    assert_eq!((run.code, &*run.stderr), (Some(1), ""));
    assert!(run.text().contains("error[V005]"));
}

#[test]
fn broken_rules_exit_1() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID), ("b.vyre", INVALID), ("c.vyre", VALID)]);
    let run = sandbox.run(&["check", "a.vyre", "b.vyre", "c.vyre"]);
    assert_eq!((run.code, &*run.stderr), (Some(1), "3 files: 2 valid, 1 invalid (1 error)\n"));
    assert!(run.text().contains("  --> b.vyre:6:5\n"));
}

#[test]
fn syntax_errors_exit_1() {
    let sandbox = Sandbox::new(&[("a.vyre", NO_PROGRAM)]);
    let run = sandbox.run(&["check", "a.vyre"]);
    assert_eq!(run.code, Some(1));
    assert!(run.text().starts_with("error[syntax]: "), "{}", run.text());
    assert!(run.text().contains("--> a.vyre:4:13\n"), "{}", run.text());
}

#[test]
fn all_syntax_errors_of_a_file_are_reported() {
    let source = "workgroup_size 1;\nentry {\n    x += 1;\n    let fine = 1;\n    while x { y++; }\n}\n";
    let sandbox = Sandbox::new(&[("a.vyre", source)]);
    let run = sandbox.run(&["check", "a.vyre"]);
    assert_eq!((run.code, &*run.stderr), (Some(1), "1 file: 0 valid, 1 invalid (3 errors)\n"));
    for place in ["--> a.vyre:3:7\n", "--> a.vyre:5:5\n", "--> a.vyre:5:16\n"] {
        assert!(run.text().contains(place), "{}", run.text());
    }
    let run = sandbox.run(&["check", "--format", "json", "a.vyre"]);
    let entries: serde_json::Value = serde_json::from_str(run.text()).expect("JSON");
    let lines: Vec<_> = entries.as_array().expect("an array").iter().map(|entry| entry["line"].as_u64()).collect();
    assert_eq!(lines, [Some(3), Some(5), Some(5)]);
}

#[test]
fn more_syntax_errors_than_are_shown_are_counted() {
    let source = format!("workgroup_size 1;\nentry {{\n{}}}\n", "x += 1;\n".repeat(1_200));
    let sandbox = Sandbox::new(&[("a.vyre", &source)]);
    let run = sandbox.run(&["check", "a.vyre"]);
    assert!(run.text().contains("a.vyre: 1150 more errors not shown; see them with `--all`\n"), "{}", run.text());
    assert_eq!(run.stderr, "1 file: 0 valid, 1 invalid (1200 errors)\n");
    let run = sandbox.run(&["check", "--all", "a.vyre"]);
    assert!(run.text().contains("a.vyre: 200 more errors not shown\n"), "{}", run.text());
}

/// A program beyond the limit of nodes gets the same diagnostic in both forms, though it is not read to its end.
#[test]
fn large_programs_are_reported_without_being_read_to_their_end() {
    let sandbox = Sandbox::new(&[
        ("blocks.vyre", &format!("workgroup_size 1; entry {}", "{".repeat(1 << 20))),
        ("prefixes.vyre", &format!("workgroup_size 1; entry {{ let x = {}1; }}", "~".repeat(1 << 20))),
        ("late.vyre", &format!("workgroup_size 1; entry {{\n{}?\n}}", "barrier;\n".repeat(100_001))),
    ]);
    let mut wire = b"VIR0\x01\x00\x00\x01\x01\x01".to_vec();
    wire.extend(std::iter::repeat_n(7, 1 << 20));
    sandbox.write("blocks.vir", &wire);
    for name in ["blocks.vyre", "prefixes.vyre", "late.vyre", "blocks.vir"] {
        let run = sandbox.run(&["check", "--format", "json", name]);
        assert_eq!(run.code, Some(1), "{name}");
        let entries: serde_json::Value = serde_json::from_str(run.text()).expect("JSON");
        let message = "vyre IR validation: V019: program has more than 100000 statement nodes. Fix: split the program \
                       into smaller kernels or run an optimization pass before lowering.";
        assert_eq!(entries[0]["message"], message, "{name}");
        assert_eq!(entries[0]["rule"], "V019", "{name}");
        assert!(entries[0]["path"].as_str().is_some_and(|path| path.starts_with("entry[")), "{name}");
        for command in ["run", "lower"] {
            let grid: &[&str] = if command == "run" { &["--grid", "1"] } else { &[] };
            let run = sandbox.run(&[&[command, name], grid].concat());
            assert!(run.text().starts_with("error[V019]: "), "{command} {name}: {}", run.text());
        }
    }
    let run = sandbox.run(&["check", "--format", "json", "late.vyre"]);
    assert!(run.text().contains(r#""line":100002,"column":1,"path":"entry[100000]""#), "{}", run.text());
}

#[test]
fn an_unreadable_file_exits_2_and_the_others_are_checked() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID), ("c.vyre", INVALID)]);
    let run = sandbox.run(&["check", "a.vyre", "missing.vyre", "c.vyre"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("error: cannot read missing.vyre: "), "{}", run.stderr);
    assert!(run.stderr.ends_with("3 files: 1 valid, 1 invalid (1 error), 1 unreadable\n"), "{}", run.stderr);
    assert!(run.text().contains("error[V005]"));
}

#[test]
fn standard_input_is_read_once() {
    let sandbox = Sandbox::new(&[]);
    let run = sandbox.run_with_input(&["check", "-"], VALID.as_bytes());
    assert_eq!(run.code, Some(0));
    let run = sandbox.run_with_input(&["check", "-"], INVALID.as_bytes());
    assert_eq!(run.code, Some(1));
    assert!(run.text().contains("--> <stdin>:6:5\n"), "{}", run.text());
    let run = sandbox.run_with_input(&["check", "-", "-"], VALID.as_bytes());
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("only once"), "{}", run.stderr);
}

#[test]
fn wire_is_detected_by_its_magic_number_and_reported_with_paths_and_lines() {
    let sandbox = Sandbox::new(&[("a.vyre", INVALID)]);
    assert_eq!(sandbox.run(&["convert", "a.vyre", "-o", "wire.txt", "--to", "wire"]).code, Some(0));
    let run = sandbox.run(&["check", "wire.txt"]);
    assert_eq!(run.code, Some(1));
    let expected = "\
error[V005]: store to non-writable buffer `data`
  --> wire.txt: entry[0]
   |
 6 |     data[0] = 1;
   |     ^^^^^^^^^^^^
   = fix: declare it with BufferAccess::ReadWrite or BufferAccess::Workgroup
   = help: in the text format: `buffer data: read_write u32 @0;`
   = note: declared here: wire.txt: buffers[0]
   |
 3 | buffer data: read u32 @0;
   | ^^^^^^^^^^^^^^^^^^^^^^^^^
   = rule: `vyre explain V005`

";
    assert_eq!(run.text(), expected);
}

#[test]
fn malformed_wire_exits_1_and_names_the_byte() {
    let sandbox = Sandbox::new(&[("short.vir", "VIR0"), ("version.vir", "VIR0\u{7f}\u{0}")]);
    let run = sandbox.run(&["check", "short.vir"]);
    assert_eq!(run.code, Some(1));
    assert!(run.text().starts_with("error[wire]: "), "{}", run.text());
    assert!(run.text().contains("--> short.vir: byte 4\n"), "{}", run.text());
    assert_eq!(sandbox.run(&["check", "version.vir"]).code, Some(1));
}

#[test]
fn text_that_is_not_utf_8_exits_1_and_names_the_byte() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("a.vyre", b"workgroup_size 1;\nentry { let x = \xff; }\n");
    let run = sandbox.run(&["check", "a.vyre"]);
    assert_eq!(run.code, Some(1));
    assert!(run.text().starts_with("error[syntax]: byte 0xff at offset 34 is not UTF-8\n"), "{}", run.text());
    assert!(run.text().contains("--> a.vyre:2:17\n"), "{}", run.text());
}

#[test]
fn an_empty_file_is_a_syntax_error() {
    let sandbox = Sandbox::new(&[("a.vyre", "")]);
    assert_eq!(sandbox.run(&["check", "a.vyre"]).code, Some(1));
}

#[test]
fn directories_expand_to_the_programs_below_them_in_order() {
    let sandbox = Sandbox::new(&[
        ("dir/b.vyre", INVALID),
        ("dir/a/z.vyre", INVALID),
        ("dir/c.vir", "VIR0"),
        ("dir/notes.txt", "no program"),
        ("dir/.hidden/a.vyre", NO_PROGRAM),
    ]);
    let run = sandbox.run(&["check", "dir"]);
    assert_eq!(run.code, Some(1));
    let locations: Vec<&str> = run.text().lines().filter_map(|line| line.trim().strip_prefix("--> ")).collect();
    assert_eq!(locations, ["dir/a/z.vyre:6:5", "dir/b.vyre:6:5", "dir/c.vir: byte 4"]);
}

#[test]
fn a_directory_without_programs_exits_2() {
    let sandbox = Sandbox::new(&[("dir/notes.txt", "")]);
    let run = sandbox.run(&["check", "dir"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("no .vyre or .vir files below dir"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn loops_of_links_do_not_hang_and_broken_links_are_reported() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new(&[("dir/a.vyre", VALID), ("elsewhere.vyre", VALID)]);
    symlink("..", sandbox.path("dir/up")).expect("a link");
    symlink(".", sandbox.path("dir/self.vyre")).expect("a link");
    symlink("../elsewhere.vyre", sandbox.path("dir/linked.vyre")).expect("a link");
    let run = sandbox.run(&["check", "dir"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), "2 files: 2 valid\n"));
    symlink("nowhere", sandbox.path("dir/broken.vyre")).expect("a link");
    symlink("loop.vyre", sandbox.path("dir/loop.vyre")).expect("a link");
    let run = sandbox.run(&["check", "dir"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.ends_with("4 files: 2 valid, 2 unreadable\n"), "{}", run.stderr);
}

#[test]
fn files_over_the_limit_are_rejected_unread() {
    let sandbox = Sandbox::new(&[("huge.vyre", "")]);
    let file = fs::OpenOptions::new().write(true).open(sandbox.path("huge.vyre")).expect("the file exists");
    file.set_len((32 << 20) + 1).expect("a file with a hole");
    for command in ["check", "fmt", "convert"] {
        let run = sandbox.run(&[command, "huge.vyre"]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("cannot read huge.vyre: it is larger than 32 MiB"), "{}", run.stderr);
    }
}

#[test]
fn errors_after_the_50th_are_counted() {
    let statements = "    data[0] = 1;\n".repeat(60);
    let source = format!("workgroup_size 1;\nbuffer data: read u32 @0;\nentry {{\n{statements}}}\n");
    let sandbox = Sandbox::new(&[("a.vyre", &source), ("b.vyre", INVALID)]);
    let run = sandbox.run(&["check", "a.vyre", "b.vyre"]);
    assert_eq!(run.text().matches("error[V005]").count(), 51);
    assert!(run.text().contains("a.vyre: 10 more errors not shown; see them with `--all`\n"), "{}", run.text());
    assert!(run.stderr.contains("(61 errors)"), "{}", run.stderr);
    let run = sandbox.run(&["check", "--all", "a.vyre"]);
    assert_eq!(run.text().matches("error[V005]").count(), 60);
    assert!(!run.text().contains("not shown"));
}

#[test]
fn escape_sequences_in_names_are_escaped() {
    let source = "workgroup_size 1; entry { let x = `\\u{1b}[31m`; }";
    let sandbox = Sandbox::new(&[("a.vyre", source)]);
    let run = sandbox.run(&["check", "--color", "always", "a.vyre"]);
    assert!(run.text().contains("`\\u{1b}[31m`"), "{}", run.text());
    assert!(!run.text().contains("\u{1b}[31m`"), "{}", run.text());
}

#[test]
fn wire_files_that_expand_to_huge_texts_are_rejected() {
    // A name of a million bytes that occurs 3,000 times.
    let mut bytes = b"VIR0\x01\x00\x00\x01\x01\x01\x24\x00\xc0\x84\x3d".to_vec();
    bytes.resize(bytes.len() + 1_000_000, b'n');
    bytes.extend(b"\x01\x01\x01_");
    for _ in 0..3000 {
        bytes.extend([0x24, 0, 0x01, 1]);
    }
    bytes.push(0);
    let sandbox = Sandbox::new(&[]);
    sandbox.write("names.vir", &bytes);
    let run = sandbox.run(&["check", "names.vir"]);
    assert_eq!(run.code, Some(1));
    assert!(run.text().contains("V051"), "{}", run.text());
    assert_eq!(sandbox.run(&["convert", "names.vir"]).code, Some(2));
}

#[test]
fn wrong_arguments_exit_2() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID)]);
    for args in [&["check"][..], &["check", "--format", "xml", "a.vyre"], &["chekc", "a.vyre"], &[]] {
        assert_eq!(sandbox.run(args).code, Some(2), "{args:?}");
    }
}
