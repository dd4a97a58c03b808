//! `vyre ops`: the list of ops, every op, unknown ids.

use serde_json::json;

use crate::harness::Sandbox;
use crate::json::entries;

#[test]
fn every_op_of_the_list_is_shown_and_its_programs_are_valid() {
    let sandbox = Sandbox::new(&[]);
    let list = sandbox.run(&["ops"]);
    assert_eq!(list.code, Some(0));
    assert!(list.text().lines().count() >= 33);
    for line in list.text().lines() {
        let mut words = line.split_whitespace();
        let (id, version) = (words.next().expect("an id"), words.next().expect("a version"));
        let run = sandbox.run(&["ops", id]);
        assert_eq!(run.code, Some(0), "{id}");
        assert!(run.text().starts_with(&format!("{id}(")), "{}", run.text());
        assert!(run.text().contains(&format!("\nVersion {version}, ")), "{}", run.text());
        let summary = run.text().lines().nth(2).expect("a summary");
        assert!(line.ends_with(&format!("  {summary}")), "{line}");
        let programs: Vec<&str> = run.text().split("\nProgram: ").skip(1).collect();
        assert!(!programs.is_empty(), "{id}");
        for program in programs {
            let (_, program) = program.split_once('\n').expect("a program follows its name");
            assert_eq!(sandbox.run_with_input(&["check", "-"], program.as_bytes()).code, Some(0), "{program}");
        }
    }
}

#[test]
fn an_op_has_its_signature_and_laws() {
    let run = Sandbox::new(&[]).run(&["ops", "primitive.math.add"]);
    let expected = "\
primitive.math.add(u32, u32) -> u32

The sum modulo 2^32.

Version 1, inlinable.

Laws

  Commutative: f(a, b) = f(b, a)
  Associative: f(f(a, b), c) = f(a, f(b, c))
  Identity(0): f(a, 0) = f(0, a) = a
  UndoneBy(\"primitive.math.sub\"): g(f(a, b), b) = a, where g is primitive.math.sub

Program: canonical

    workgroup_size ";
    assert!(run.text().starts_with(expected), "{}", run.text());
}

#[test]
fn unknown_ids_exit_2_with_suggestions() {
    let sandbox = Sandbox::new(&[]);
    for (id, near) in [
        ("popcount", "the nearest are `primitive.bitwise.popcount`, "),
        ("primitive.math.ad", "the nearest are `primitive.math.add`, "),
        ("", "`vyre ops` lists all"),
    ] {
        let run = sandbox.run(&["ops", id]);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{id}");
        assert!(run.stderr.contains(&format!("no op has the id `{id}`")), "{}", run.stderr);
        assert!(run.stderr.contains(near), "{}", run.stderr);
    }
}

#[test]
fn json_has_every_field() {
    let sandbox = Sandbox::new(&[]);
    let add = json!({
        "id": "primitive.math.add",
        "version": 1,
        "inputs": ["u32", "u32"],
        "output": "u32",
        "inlinable": true,
        "laws": ["Commutative", "Associative", "Identity(0)", "UndoneBy(\"primitive.math.sub\")"],
        "summary": "The sum modulo 2^32.",
    });
    let all = entries(&sandbox.run(&["ops", "--format", "json"]));
    assert!(all.len() >= 33 && all.contains(&add));
    assert_eq!(entries(&sandbox.run(&["ops", "--format", "json", "primitive.math.add"])), [add]);
}
