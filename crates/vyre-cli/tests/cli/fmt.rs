//! `vyre fmt`: rewritten and unchanged files.

use std::fs;

use crate::harness::{NO_PROGRAM, PRETTY, Sandbox, UGLY, VALID};

#[test]
fn files_are_rewritten_in_place_and_then_unchanged() {
    let sandbox = Sandbox::new(&[("a.vyre", UGLY), ("b.vyre", VALID)]);
    let run = sandbox.run(&["fmt", "a.vyre", "b.vyre"]);
    assert_eq!((run.code, run.text()), (Some(0), ""));
    assert_eq!(run.stderr, "2 files: 1 formatted, 1 unchanged\n");
    assert_eq!(sandbox.read_text("a.vyre"), PRETTY);
    assert_eq!(sandbox.read_text("b.vyre"), VALID);
    let run = sandbox.run(&["fmt", "a.vyre"]);
    assert_eq!(run.stderr, "1 file: 0 formatted, 1 unchanged\n");
    assert_eq!(sandbox.read_text("a.vyre"), PRETTY);
    assert_eq!(sandbox.names(), ["a.vyre", "b.vyre"], "no temporary files are left");
}

#[test]
fn unchanged_files_are_not_written() {
    let sandbox = Sandbox::new(&[("a.vyre", PRETTY)]);
    let modified = || fs::metadata(sandbox.path("a.vyre")).and_then(|metadata| metadata.modified()).expect("a time");
    let before = modified();
    assert_eq!(sandbox.run(&["fmt", "--quiet", "a.vyre"]).stderr, "");
    assert_eq!(modified(), before);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let sandbox = Sandbox::new(&[]);
    let run = sandbox.run_with_input(&["fmt", "-"], UGLY.as_bytes());
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), PRETTY, ""));
    let again = sandbox.run_with_input(&["fmt", "-"], &run.stdout);
    assert_eq!(again.text(), PRETTY);
    let run = sandbox.run_with_input(&["fmt", "-"], NO_PROGRAM.as_bytes());
    assert_eq!((run.code, run.text()), (Some(2), ""));
}

#[test]
fn comments_are_preserved() {
    let source = "// \u{1b}[31m red\nworkgroup_size 1, 1, 1;\n\nentry {\n}\n";
    let run = Sandbox::new(&[]).run_with_input(&["fmt", "-"], source.as_bytes());
    assert_eq!(run.text(), source);
}

#[test]
fn check_changes_nothing_and_exits_1() {
    let sandbox = Sandbox::new(&[("a.vyre", UGLY), ("b.vyre", PRETTY)]);
    let run = sandbox.run(&["fmt", "--check", "a.vyre", "b.vyre"]);
    assert_eq!(run.code, Some(1));
    let expected = "\
a.vyre is not formatted, from line 1:
- workgroup_size 64;
+ workgroup_size 64, 1, 1;
+ 
  and more below

";
    assert_eq!(run.text(), expected);
    assert_eq!(run.stderr, "2 files: 1 would be formatted, 1 unchanged\n");
    assert_eq!(sandbox.read_text("a.vyre"), UGLY);
    assert_eq!(sandbox.run(&["fmt", "--check", "b.vyre"]).code, Some(0));
    let run = sandbox.run_with_input(&["fmt", "--check", "-"], UGLY.as_bytes());
    assert_eq!(run.code, Some(1));
    assert!(run.text().starts_with("<stdin> is not formatted"));
}

#[test]
fn a_file_with_a_syntax_error_is_unchanged_and_the_others_are_formatted() {
    let sandbox = Sandbox::new(&[("bad.vyre", NO_PROGRAM), ("good.vyre", UGLY)]);
    let run = sandbox.run(&["fmt", "bad.vyre", "missing.vyre", "good.vyre"]);
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert!(run.stderr.starts_with("error[syntax]: "), "{}", run.stderr);
    assert!(run.stderr.contains("cannot read missing.vyre"), "{}", run.stderr);
    assert!(run.stderr.ends_with("3 files: 1 formatted, 0 unchanged, 2 failed\n"), "{}", run.stderr);
    assert_eq!(sandbox.read_text("bad.vyre"), NO_PROGRAM);
    assert_eq!(sandbox.read_text("good.vyre"), PRETTY);
}

#[test]
fn failure_takes_precedence_over_findings() {
    let sandbox = Sandbox::new(&[("bad.vyre", NO_PROGRAM), ("ugly.vyre", UGLY)]);
    assert_eq!(sandbox.run(&["fmt", "--check", "bad.vyre", "ugly.vyre"]).code, Some(2));
    assert_eq!(sandbox.run(&["fmt", "--check", "ugly.vyre", "bad.vyre"]).code, Some(2));
}

#[test]
fn invalid_programs_are_formatted() {
    let sandbox = Sandbox::new(&[("a.vyre", "workgroup_size 0; entry { x=y; }")]);
    assert_eq!(sandbox.run(&["fmt", "a.vyre"]).code, Some(0));
    assert_eq!(sandbox.read_text("a.vyre"), "workgroup_size 0, 1, 1;\n\nentry {\n    x = y;\n}\n");
}

#[test]
fn wire_is_rejected() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID)]);
    assert_eq!(sandbox.run(&["convert", "a.vyre"]).code, Some(0));
    let before = sandbox.read("a.vir");
    let run = sandbox.run(&["fmt", "a.vir"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("a.vir is in wire form") && run.stderr.contains("`vyre convert`"), "{}", run.stderr);
    assert_eq!(sandbox.read("a.vir"), before);
}

#[test]
fn directories_expand_to_the_texts_below_them() {
    let sandbox = Sandbox::new(&[("dir/a.vyre", UGLY), ("dir/sub/b.vyre", UGLY), ("dir/c.txt", UGLY)]);
    sandbox.write("dir/d.vir", b"VIR0");
    assert_eq!(sandbox.run(&["fmt", "dir"]).code, Some(0));
    assert_eq!(sandbox.read_text("dir/a.vyre"), PRETTY);
    assert_eq!(sandbox.read_text("dir/sub/b.vyre"), PRETTY);
    assert_eq!(sandbox.read_text("dir/c.txt"), UGLY);
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let depth = 20_000;
    let source = format!("workgroup_size 1; entry {}{}", "{".repeat(depth), "}".repeat(depth));
    let sandbox = Sandbox::new(&[("a.vyre", &source)]);
    assert_eq!(sandbox.run(&["fmt", "a.vyre"]).code, Some(0));
    assert_eq!(sandbox.run(&["fmt", "--check", "a.vyre"]).code, Some(0));
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use crate::harness::{PRETTY, Sandbox, UGLY};

    #[test]
    fn permissions_are_preserved() {
        let sandbox = Sandbox::new(&[("a.vyre", UGLY)]);
        for mode in [0o600, 0o640, 0o755] {
            sandbox.write("a.vyre", UGLY.as_bytes());
            fs::set_permissions(sandbox.path("a.vyre"), Permissions::from_mode(mode)).expect("permissions");
            assert_eq!(sandbox.run(&["fmt", "a.vyre"]).code, Some(0));
            assert_eq!(sandbox.read_text("a.vyre"), PRETTY);
            let actual = fs::metadata(sandbox.path("a.vyre")).expect("the file exists").mode() & 0o7777;
            assert_eq!(actual, mode, "{actual:o}");
        }
    }

    #[test]
    fn read_only_files_are_rejected() {
        let sandbox = Sandbox::new(&[("a.vyre", UGLY)]);
        fs::set_permissions(sandbox.path("a.vyre"), Permissions::from_mode(0o444)).expect("permissions");
        let run = sandbox.run(&["fmt", "a.vyre"]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("cannot write a.vyre: it is read-only"), "{}", run.stderr);
        assert_eq!(sandbox.read_text("a.vyre"), UGLY);
    }

    #[test]
    fn links_are_followed_and_preserved() {
        let sandbox = Sandbox::new(&[("real/a.vyre", UGLY)]);
        symlink("real/a.vyre", sandbox.path("link.vyre")).expect("a link");
        assert_eq!(sandbox.run(&["fmt", "link.vyre"]).code, Some(0));
        let kind = fs::symlink_metadata(sandbox.path("link.vyre")).expect("the link exists").file_type();
        assert!(kind.is_symlink());
        assert_eq!(sandbox.read_text("real/a.vyre"), PRETTY);
    }

    #[test]
    fn a_device_is_not_rewritten() {
        let run = Sandbox::new(&[]).run_with_input(&["fmt", "/dev/stdin"], UGLY.as_bytes());
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("no ordinary file"), "{}", run.stderr);
    }
}
