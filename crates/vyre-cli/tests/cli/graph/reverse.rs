//! `--reverse`: searches that follow edges backward.

use super::taint::sarif_log;
use super::{BACKENDS, fails};
use crate::harness::{Run, Sandbox};

/// 0 -> 1 -> 3, 0 -> 2 -> 3 -> 4, with the cheaper path through 2.
const EDGES: &str = "0 1 5\n1 3 5\n0 2 1\n2 3 1\n3 4 1\n";
const ROLES: &str = "0 sink\n4 source\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(&[("a.txt", EDGES), ("roles.txt", ROLES)]);
    for (args, file) in [(&[][..], "a.vgr"), (&["--index", "--weights", "ignore"], "index.vgr")] {
        let run = sandbox.run(&[&["graph", "convert", "a.txt", "-q", "-o", file], args].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    sandbox
}

fn run(sandbox: &Sandbox, command: &str, backend: &str) -> Run {
    let args: Vec<&str> = ["graph"].into_iter().chain(command.split(' ')).collect();
    sandbox.run(&[&args[..], &["--reverse", "-q", "--backend", backend]].concat())
}

#[test]
fn searches_follow_edges_backward() {
    let sandbox = sandbox();
    for backend in BACKENDS {
        for file in ["a.txt", "a.vgr", "index.vgr"] {
            let reach = run(&sandbox, &format!("reach {file} --sources 3"), backend);
            assert_eq!((reach.code, reach.text()), (Some(0), "3\t0\t2\n3\t1\t1\n3\t2\t1\n"), "{file} {}", reach.stderr);
            let bfs = run(&sandbox, &format!("bfs {file} --nodes roles.txt"), backend);
            assert_eq!((bfs.code, bfs.text()), (Some(0), "4\t0\t3\t0\n"), "{file} {}", bfs.stderr);
            // A witness keeps the direction of the edges.
            let taint = run(&sandbox, &format!("taint {file} --nodes roles.txt --witness"), backend);
            let text = "4 <- 0 (depth 3)\n    0\n    1\n    3\n    4\n";
            assert_eq!((taint.code, taint.text()), (Some(1), text), "{file} {}", taint.stderr);
        }
    }
    let log = sarif_log(&run(&sandbox, "taint a.txt --nodes roles.txt --format sarif", "reference"));
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["message"]["text"], "node 0 reaches node 4 over 3 edges.");
    let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!((&steps[0]["location"]["message"]["text"], steps.as_array().map(Vec::len)), (&"sink".into(), Some(4)));
}

#[test]
fn paths_are_printed_in_the_direction_of_their_edges() {
    let sandbox = sandbox();
    for backend in BACKENDS {
        let path = run(&sandbox, "path a.txt --from 4 --to 0", backend);
        assert_eq!((path.code, path.text()), (Some(0), "distance: 3\npath: 0 -> 2 -> 3 -> 4\n"), "{}", path.stderr);
        let none = run(&sandbox, "path a.txt --from 0 --to 4", backend);
        assert_eq!(none.code, Some(1), "{}", none.stderr);
    }
}

#[test]
fn components_have_no_direction() {
    let sandbox = sandbox();
    for command in ["components a.txt", "scc a.txt"] {
        fails(
            &run(&sandbox, command, "reference"),
            "the components of a graph do not change if its edges are reversed",
        );
    }
}

#[test]
fn orders_and_dominators_follow_edges_backward() {
    let sandbox = sandbox();
    for backend in BACKENDS {
        let order = run(&sandbox, "toposort a.txt", backend);
        assert_eq!((order.code, order.text()), (Some(0), "4\t0\n3\t1\n1\t2\n2\t2\n0\t3\n"), "{}", order.stderr);
    }
    let cyclic = Sandbox::new(&[("cycle.txt", "0 1\n1 2\n2 0\n")]);
    let cycle = run(&cyclic, "toposort cycle.txt", "reference");
    assert_eq!((cycle.code, cycle.text()), (Some(1), "cycle: 0 -> 1 -> 2 -> 0\n"), "{}", cycle.stderr);
    let found = sandbox.run(&["graph", "dominators", "a.txt", "--from", "4", "--reverse", "--quiet"]);
    assert_eq!((found.code, found.text()), (Some(0), "0\t3\n1\t3\n2\t3\n3\t4\n"), "{}", found.stderr);
}

#[test]
fn parts_and_files_are_reversed() {
    let sandbox = sandbox();
    let part = ["graph", "subgraph", "a.txt", "--sources", "3", "--sinks", "1", "--to", "csv", "--quiet"];
    assert_eq!(sandbox.run(&part).code, Some(1));
    let reversed = sandbox.run(&[&part[..], &["--reverse"]].concat());
    assert_eq!((reversed.code, reversed.text()), (Some(0), "source,target,weight\n1,3,5\n"), "{}", reversed.stderr);
    let file = sandbox.run(&["graph", "convert", "a.txt", "--reverse", "--quiet"]);
    assert_eq!(file.text(), sandbox.run(&["graph", "convert", "a.txt", "--transpose", "--quiet"]).text());
    for command in ["kcore", "triangles"] {
        fails(&sandbox.run(&["graph", command, "a.txt", "--reverse"]), "cores and triangles do not change");
    }
}
