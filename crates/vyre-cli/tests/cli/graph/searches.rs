//! Searches: sources, depth, limits, and a workload with a known result.

use super::{BACKENDS, fails};
use crate::harness::{Run, Sandbox};

/// Two paths from 0 to the sink 3, one of them through the sanitizer 1, and a second sink 4 after 3.
const EDGES: &str = "0 1\n0 2\n1 3\n2 3\n3 4\n5 4\n";
const ROLES: &str = "0 source\n5 source\n1 sanitizer\n3 sink\n4 sink\n";

fn sandbox() -> Sandbox {
    Sandbox::new(&[("a.txt", EDGES), ("roles.txt", ROLES), ("ids.txt", "5 # the last\n0, 2\n")])
}

fn search(sandbox: &Sandbox, args: &[&str]) -> Run {
    let command = ["graph", "bfs", "a.txt", "--nodes", "roles.txt", "--backend", "reference", "--quiet"];
    sandbox.run(&[&command, args].concat())
}

#[track_caller]
fn succeeds(run: &Run, rows: &str) {
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), rows, ""));
}

#[test]
fn sources_are_roles_a_list_a_file_or_random() {
    let sandbox = sandbox();
    succeeds(&search(&sandbox, &[]), "0\t3\t2\t0\n0\t4\t3\t0\n5\t4\t1\t1\n");
    succeeds(
        &search(&sandbox, &["--sources", "2,5,2"]),
        "2\t3\t1\t0\n2\t3\t1\t2\n2\t4\t2\t0\n2\t4\t2\t2\n5\t4\t1\t1\n",
    );
    succeeds(&search(&sandbox, &["--sources", "ids.txt", "--max-depth", "1"]), "2\t3\t1\t2\n5\t4\t1\t0\n");
    // Node 2 is the only normal node with an edge.
    succeeds(&search(&sandbox, &["--sources", "random:1:0x5E_ED", "--max-depth", "1"]), "2\t3\t1\t0\n");
    let command = ["graph", "bfs", "a.txt", "--nodes", "roles.txt", "--backend", "reference", "--sources", "-", "-q"];
    succeeds(&sandbox.run_with_input(&command, b"5\n"), "5\t4\t1\t0\n");
}

#[test]
fn names_of_sources_can_contain_blanks() {
    let sandbox = Sandbox::new(&[
        ("a.csv", "main loop,exec sql\nexec sql,log\n\"a, b\",log\nmain,loop\n"),
        ("ids.csv", "main loop\nexec sql,main\n"),
        ("ids.txt", "\"main loop\" main\n"),
    ]);
    for (sources, rows) in [
        ("main loop,exec sql", "main loop\texec sql\t1\nmain loop\tlog\t2\nexec sql\tlog\t1\n"),
        ("exec sql", "exec sql\tlog\t1\n"),
        ("a, b", "a, b\tlog\t1\n"),
        ("\"a, b\",main", "a, b\tlog\t1\nmain\tloop\t1\n"),
        ("main loop", "main loop\texec sql\t1\nmain loop\tlog\t2\n"),
        ("log main", "main\tloop\t1\n"),
        ("ids.csv", "main loop\texec sql\t1\nmain loop\tlog\t2\nexec sql\tlog\t1\nmain\tloop\t1\n"),
        ("ids.txt", "main loop\texec sql\t1\nmain loop\tlog\t2\nmain\tloop\t1\n"),
    ] {
        let command = ["graph", "reach", "a.csv", "--names", "--backend", "reference", "-q", "--sources", sources];
        succeeds(&sandbox.run(&command), rows);
    }
}

#[test]
fn graphs_and_roles_are_read_from_standard_input() {
    let sandbox = sandbox();
    let command = ["graph", "bfs", "-", "--nodes", "roles.txt", "--backend", "reference", "--count", "-q"];
    succeeds(&sandbox.run_with_input(&command, EDGES.as_bytes()), "3\n");
    let command = ["graph", "bfs", "a.txt", "--nodes", "-", "--backend", "reference", "--count", "-q"];
    succeeds(&sandbox.run_with_input(&command, ROLES.as_bytes()), "3\n");
}

#[test]
fn notes_report_the_backend_and_the_count() {
    let sandbox = sandbox();
    let command = ["graph", "bfs", "a.txt", "--nodes", "roles.txt", "--sources", "1", "--backend", "reference"];
    let run = sandbox.run(&command);
    assert_eq!((run.code, run.text()), (Some(0), ""));
    let notes = "running on backend `reference`: reference interpreter\n0 findings of 1 source\n";
    assert_eq!(run.stderr, notes);
}

#[test]
fn searches_that_can_find_nothing_are_errors() {
    let sandbox = sandbox();
    let run = |command: &str, args: &[&str]| {
        sandbox.run(&[&["graph", command, "a.txt", "--backend", "reference", "-q"], args].concat())
    };
    for command in ["bfs", "taint"] {
        let message = "no node has the role sink, so nothing can be found; give nodes roles with `--nodes FILE`";
        fails(&run(command, &["--sources", "0"]), message);
    }
    for command in ["bfs", "reach", "taint"] {
        let message = "--sources: `random:0:1` chooses no node, so there is nowhere to begin";
        fails(&run(command, &["--nodes", "roles.txt", "--sources", "random:0:1"]), message);
    }
}

#[test]
fn output_files_are_replaced_only_on_success() {
    let sandbox = sandbox();
    sandbox.write("out.csv", b"old");
    fails(&search(&sandbox, &["--max-findings", "1", "-o", "out.csv"]), "--max-findings");
    assert_eq!(sandbox.read_text("out.csv"), "old");
    succeeds(&search(&sandbox, &["--format", "csv", "-o", "out.csv"]), "");
    assert_eq!(sandbox.read_text("out.csv"), "source,sink,depth,source_index\n0,3,2,0\n0,4,3,0\n5,4,1,1\n");
    assert_eq!(sandbox.names(), ["a.txt", "ids.txt", "out.csv", "roles.txt"]);
    for input in ["a.txt", "roles.txt"] {
        fails(&search(&sandbox, &["-o", input]), "is the input itself");
    }
}

#[test]
fn exceeded_limits_are_errors() {
    let star: String = (1..10_000).map(|leaf| format!("0 {leaf}\n")).collect();
    let sandbox = Sandbox::new(&[("star.txt", &star)]);
    for backend in BACKENDS {
        let run = |more: &[&str]| {
            let command = ["graph", "reach", "star.txt", "--sources", "0", "--backend", backend, "-q", "--count"];
            sandbox.run(&[&command, more].concat())
        };
        succeeds(&run(&[]), "9999\n");
        fails(&run(&["--queue", "16"]), "queues for 16 nodes were too short");
        fails(&run(&["--queue", "16"]), "use a longer --queue, or leave it out");
        fails(&run(&["--max-findings", "3"]), "9999 findings where at most 3 may be");
        // A bitmap of 313 words, a queue of 10,000 nodes and 10,000 findings of 4 words.
        let limited = |memory| run(&["--max-findings", "9999", "--queue", "10000", "--memory", memory]);
        succeeds(&limited("201252"), "9999\n");
        fails(&limited("64KiB"), "the limit of 65536 bytes of device memory is too small");
        fails(&limited("64KiB"), "use `--memory 201252`");
    }
}

/// The message names the memory that suffices, and the command succeeds with it.
#[test]
fn memory_is_limited_or_the_search_fails() {
    let sandbox = sandbox();
    for (command, sufficient) in [("bfs", "60"), ("reach", "124")] {
        for backend in BACKENDS {
            let run = |more: &[&str]| {
                let command = ["graph", command, "a.txt", "--nodes", "roles.txt", "--backend", backend, "-q"];
                sandbox.run(&[&command, more].concat())
            };
            fails(
                &run(&["--memory", "1"]),
                "the limit of 1 byte of device memory is too small for the bitmap, the queue and the findings of one source; ",
            );
            fails(&run(&["--memory", "1"]), &format!("{sufficient} bytes always suffice; use `--memory {sufficient}`"));
            fails(&run(&["--memory", "0"]), "the limit of 0 bytes of device memory is too small");
            succeeds(&run(&["--memory", sufficient]), run(&[]).text());
        }
    }
}

/// The expected results are the same on every backend.
#[cfg(feature = "jit")]
#[test]
fn a_fixed_workload_has_a_known_result() {
    let sandbox = Sandbox::new(&[]);
    let seeds = ["--seed", "0x5EED0001", "--roles", "0x5EED_0010"];
    let run = sandbox.run(
        &[&["graph", "generate", "rmat", "--scale", "16", "--edge-factor", "16", "-o", "g1.vgr"], &seeds[..]].concat(),
    );
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), "", "65,536 nodes, 955,454 edges\n"));
    let command = ["graph", "bfs", "g1.vgr", "--sources", "random:64:0x5EED0060", "--backend", "cpu", "-q"];
    succeeds(&sandbox.run(&[&command[..], &["--count", "--fingerprint"]].concat()), "25216\n7a80e38d36f1bf87\n");
    let run = sandbox.run(&[&command[..], &["--format", "json", "--memory", "8MiB"]].concat());
    let object: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(object["rows"].as_array().map(Vec::len), Some(25216));
}

#[test]
fn auto_selects_no_software_gpu_driver() {
    let sandbox = sandbox();
    let run = sandbox.run(&["graph", "bfs", "a.txt", "--nodes", "roles.txt"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.starts_with("running on backend `"), "{}", run.stderr);
    assert!(!run.stderr.contains("llvmpipe"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
}
