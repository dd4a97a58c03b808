//! Commands that the host runs without a device.

use serde_json::Value;

use crate::harness::Sandbox;

/// Two triangles that share a node, and a tail.
const GRAPH: &str = "0 1\n1 2\n2 0\n2 3\n3 4\n4 2\n4 5\n5 5\n4 5\n";

fn sandbox() -> Sandbox {
    Sandbox::new(&[("graph.txt", GRAPH), ("named.csv", "main,read\nmain,write\nread,log\nwrite,log\nlog,disk\n")])
}

#[test]
fn dominators_of_named_nodes() {
    let run = sandbox().run(&[
        "graph",
        "dominators",
        "named.csv",
        "--names",
        "--header",
        "no",
        "--from",
        "main",
        "--format",
        "text",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.text(), "read\tmain\nwrite\tmain\nlog\tmain\ndisk\tlog\n");
}

#[test]
fn core_numbers_and_triangles() {
    let sandbox = sandbox();
    let run = sandbox.run(&["graph", "kcore", "graph.txt", "--format", "csv"]);
    assert_eq!((run.code, run.text()), (Some(0), "node,core\n0,2\n1,2\n2,2\n3,2\n4,2\n5,1\n"), "{}", run.stderr);
    let run = sandbox.run(&["graph", "triangles", "graph.txt", "--count"]);
    assert_eq!(run.text(), "2\n", "{}", run.stderr);
    let run = sandbox.run(&["graph", "triangles", "graph.txt", "--min", "2", "--format", "json"]);
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(report["rows"], serde_json::json!([{"node": 2, "triangles": 2}]));
    assert_eq!(report["backend"]["name"], "host");
}

#[test]
fn self_loops_and_parallel_edges_are_omitted() {
    let run = sandbox().run(&["graph", "simplify", "graph.txt", "--to", "csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        run.text().lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit())).count(),
        7,
        "{}",
        run.text()
    );
    assert!(run.stderr.contains("1 self-loop and 1 parallel edge omitted"), "{}", run.stderr);
}

#[test]
fn parts_keep_names() {
    let sandbox = sandbox();
    let named = ["named.csv", "--names", "--header", "no", "--to", "csv", "--quiet"];
    let run = sandbox
        .run(&[&["graph", "subgraph"][..], &named, &["--around", "log", "--depth", "1", "--direction", "in"]].concat());
    assert_eq!((run.code, run.text()), (Some(0), "source,target\nread,log\nwrite,log\n"), "{}", run.stderr);
    let run = sandbox.run(&[&["graph", "subgraph"][..], &named, &["--sources", "read", "--sinks", "disk"]].concat());
    assert_eq!((run.code, run.text()), (Some(0), "source,target\nread,log\nlog,disk\n"), "{}", run.stderr);
    let run = sandbox.run(&[&["graph", "subgraph"][..], &named, &["--sources", "disk", "--sinks", "read"]].concat());
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let run = sandbox.run(&["graph", "subgraph", "graph.txt"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("no node has the role sink"), "{}", run.stderr);
    let run = sandbox.run(&["graph", "subgraph", "graph.txt", "--around", "9"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}
