//! `vyre graph taint`: formats, limits, rules, exit codes.

mod costs;
mod ends;
mod forms;
mod places;
mod rules;
mod sarif;
mod suppressions;

use crate::harness::{Run, Sandbox};

pub(super) use sarif::log as sarif_log;

/// Two paths from 0 to the sink 3, one of them through the sanitizer 1, and a second sink 4 after 3.
const EDGES: &str = "0 1\n0 2\n1 3\n2 3\n3 4\n5 4\n";
const ROLES: &str = "0 source\n5 source\n1 sanitizer\n3 sink\n4 sink\n";

/// A transfer function that blocks no edge.
const OPEN: &str = "\
workgroup_size 1;
buffer source: read u32 @0;
buffer current: read u32 @1;
buffer target: read u32 @2;
buffer word: read u32 @3;
buffer flows: read_write u32 @4 output;
entry { flows[0] = 1; }
";

/// A transfer function that passes all facts.
const ALL_FACTS: &str = "\
workgroup_size 1;
buffer source: read u32 @0;
buffer current: read u32 @1;
buffer target: read u32 @2;
buffer word: read u32 @3;
buffer facts: read u32 @4;
buffer arriving: read_write u32 @5 output;
entry { arriving[0] = facts[0]; }
";

fn sandbox() -> Sandbox {
    Sandbox::new(&[("a.txt", EDGES), ("roles.txt", ROLES), ("open.vyre", OPEN), ("facts.vyre", ALL_FACTS)])
}

/// Searches the small graph.
fn search(sandbox: &Sandbox, args: &[&str]) -> Run {
    let command = ["graph", "taint", "a.txt", "--nodes", "roles.txt", "--backend", "reference", "--quiet"];
    sandbox.run(&[&command, args].concat())
}

/// Expects this text, and exit code 1 if there are findings, otherwise 0.
#[track_caller]
fn finds(run: &Run, text: &str) {
    let code = if text.is_empty() { 0 } else { 1 };
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(code), text, ""));
}
