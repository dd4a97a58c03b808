//! `vyre convert`: directions, destinations, rejected inputs.

use crate::harness::{INVALID, NO_PROGRAM, PRETTY, Sandbox, UGLY, VALID};

/// [`VALID`] as the printer writes it, without comments.
fn valid_printed() -> String {
    VALID.lines().skip(1).map(|line| format!("{line}\n")).collect()
}

#[test]
fn text_becomes_a_wire_file_and_wire_is_printed_as_text() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID)]);
    let run = sandbox.run(&["convert", "a.vyre"]);
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), "", "wrote a.vir\n"));
    assert!(sandbox.read("a.vir").starts_with(b"VIR0"));
    let run = sandbox.run(&["convert", "a.vir"]);
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), &*valid_printed(), ""));
    assert_eq!(sandbox.names(), ["a.vir", "a.vyre"]);
}

#[test]
fn a_round_trip_through_wire_preserves_every_byte() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID), ("b.vyre", INVALID)]);
    for name in ["a", "b"] {
        let (text, first, second) = (format!("{name}.vyre"), format!("{name}1.vir"), format!("{name}2.vir"));
        assert_eq!(sandbox.run(&["convert", &text, "-o", &first]).code, Some(0));
        assert_eq!(sandbox.run(&["convert", &first, "-o", "again.vyre"]).code, Some(0));
        assert_eq!(sandbox.run(&["convert", "again.vyre", "-o", &second]).code, Some(0));
        assert_eq!(sandbox.read(&first), sandbox.read(&second));
    }
}

#[test]
fn standard_input_and_output() {
    let sandbox = Sandbox::new(&[]);
    let wire = sandbox.run_with_input(&["convert", "-"], VALID.as_bytes());
    assert_eq!(wire.code, Some(0));
    assert!(wire.stdout.starts_with(b"VIR0"));
    let text = sandbox.run_with_input(&["convert", "-", "-o", "-"], &wire.stdout);
    assert_eq!(text.text(), valid_printed());
}

#[test]
fn the_extension_selects_the_form_and_to_overrides_it() {
    let sandbox = Sandbox::new(&[("a.vyre", UGLY)]);
    assert_eq!(sandbox.run(&["convert", "a.vyre", "-o", "b.vyre"]).code, Some(0));
    assert_eq!(sandbox.read_text("b.vyre"), PRETTY, "text to text preserves comments");
    assert_eq!(sandbox.run(&["convert", "a.vyre", "-o", "c.vyre", "--to", "wire"]).code, Some(0));
    assert!(sandbox.read("c.vyre").starts_with(b"VIR0"));
    assert_eq!(sandbox.run(&["convert", "c.vyre", "-o", "d.vir"]).code, Some(0));
    assert_eq!(sandbox.read("d.vir"), sandbox.read("c.vyre"));
    assert_eq!(sandbox.run(&["convert", "a.vyre", "-o", "e.bin"]).code, Some(0));
    assert!(sandbox.read("e.bin").starts_with(b"VIR0"));
    assert_eq!(sandbox.run(&["convert", "a.vyre", "--to", "text"]).text(), PRETTY);
}

#[test]
fn the_input_is_never_overwritten() {
    let sandbox = Sandbox::new(&[("a.vyre", UGLY), ("b.vir", UGLY)]);
    for args in [&["convert", "a.vyre", "-o", "./a.vyre"][..], &["convert", "b.vir"]] {
        let run = sandbox.run(args);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("is the input itself"), "{}", run.stderr);
    }
    assert_eq!((sandbox.read_text("a.vyre"), sandbox.read_text("b.vir")), (UGLY.to_owned(), UGLY.to_owned()));
}

#[test]
fn an_input_that_is_not_a_program_exits_2_and_writes_nothing() {
    let sandbox = Sandbox::new(&[("a.vyre", NO_PROGRAM), ("b.vir", "VIR0"), ("dir/c.vyre", VALID)]);
    let run = sandbox.run(&["convert", "a.vyre"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("error[syntax]: "), "{}", run.stderr);
    let run = sandbox.run(&["convert", "b.vir"]);
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert!(run.stderr.starts_with("error[wire]: "), "{}", run.stderr);
    assert_eq!(sandbox.run(&["convert", "missing.vyre"]).code, Some(2));
    let run = sandbox.run(&["convert", "dir"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("cannot read dir: it is a directory"), "{}", run.stderr);
    assert_eq!(sandbox.names(), ["a.vyre", "b.vir", "dir"]);
}

#[test]
fn outputs_that_cannot_be_written_exit_2() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID), ("dir/b.vyre", VALID)]);
    for output in ["dir", "missing/a.vir"] {
        let run = sandbox.run(&["convert", "a.vyre", "-o", output]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(&format!("cannot write {output}: ")), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn links_to_the_input_are_the_input() {
    let sandbox = Sandbox::new(&[("a.vyre", VALID)]);
    std::os::unix::fs::symlink("a.vyre", sandbox.path("soft.vyre")).expect("a link");
    std::fs::hard_link(sandbox.path("a.vyre"), sandbox.path("hard.vyre")).expect("a link");
    for output in ["soft.vyre", "hard.vyre"] {
        assert_eq!(sandbox.run(&["convert", "a.vyre", "-o", output]).code, Some(2));
    }
    assert_eq!(sandbox.read_text("a.vyre"), VALID);
}

#[cfg(unix)]
#[test]
fn devices_are_written_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt as _;
    let sandbox = Sandbox::new(&[("a.vyre", VALID)]);
    assert_eq!(sandbox.run(&["convert", "a.vyre", "-o", "/dev/null"]).code, Some(0));
    assert!(std::fs::metadata("/dev/null").expect("the device exists").file_type().is_char_device());
}

#[cfg(unix)]
#[test]
fn new_files_have_ordinary_permissions() {
    use std::os::unix::fs::MetadataExt as _;
    let sandbox = Sandbox::new(&[("a.vyre", VALID)]);
    assert_eq!(sandbox.run(&["convert", "a.vyre"]).code, Some(0));
    let mode = |name| std::fs::metadata(sandbox.path(name)).expect("the file exists").mode() & 0o777;
    assert_eq!(mode("a.vir"), mode("a.vyre"));
}
