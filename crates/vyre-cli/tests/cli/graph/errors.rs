//! Errors: one line with the problem, its location and a hint, and exit code 2.

use super::{BACKENDS, fails, on_examples};
use crate::harness::Sandbox;

#[test]
fn errors_in_graph_files_have_line_numbers() {
    let sandbox = Sandbox::new(&[
        ("word.txt", "0 1\n1 two\n"),
        ("high.txt", "0 4000000000\n"),
        ("many.txt", "# Nodes: 20000000 Edges: 1\n0 1\n"),
        ("many.mtx", "%%MatrixMarket matrix coordinate pattern general\n20000000 20000000 1\n1 1\n"),
        ("good.csv", "source,target\n0,1\n"),
        ("roles.txt", "0 source\n9 sink\n"),
        ("role.txt", "0 source\n1 drain\n"),
        ("good.txt", "0 1\n"),
        ("short.vgr", "\u{89}VGR"),
        ("rows.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n"),
        ("ids.txt", "0\n7\n"),
        ("comment.csv", "source,target\n0,1\n# no\n"),
        ("none.txt", "# nothing\n"),
    ]);
    for (args, message) in [
        (&["info", "missing.txt"][..], "cannot read missing.txt: "),
        (&["info", "."], "cannot read .: it is a directory"),
        (&["info", "word.txt"], "word.txt: line 2, column 3: the target `two` is not a number"),
        (&["info", "word.txt"], "with --names"),
        (
            &["info", "high.txt"],
            "high.txt: line 1, column 1: this asks for 4000000001 nodes, but with 1 edge only 16777216 are allowed; more can \
             be allowed, or only the numbers that occur can be nodes, with --max-nodes or --compact",
        ),
        (
            &["info", "many.txt"],
            "many.txt: line 1, column 10: this asks for 20000000 nodes, but with 1 edge only 16777216 are allowed; more can \
             be allowed, or only the numbers that occur can be nodes, with --max-nodes or --compact",
        ),
        (
            &["info", "many.mtx"],
            "many.mtx: line 2, column 1: the matrix has 20000000 rows, but with 1 entry only 16777216 are allowed; more can \
             be allowed, with --max-nodes",
        ),
        (
            &["info", "good.txt", "--max-nodes", "1"],
            "good.txt: line 1, column 3: node 1 is one too many: nodes up to 0 are allowed (--max-nodes)",
        ),
        (
            &["info", "good.txt", "--weights", "required"],
            "the weight is missing; either all edges have one, or weights can be ignored, with --weights ignore",
        ),
        (
            &["info", "good.csv", "--weights", "required"],
            "weights are required, but the header has no column `weight` (--weights required)",
        ),
        (
            &["info", "good.txt", "--min-nodes", "3", "--max-nodes", "2"],
            "good.txt: at least 3 nodes are wanted, but at most 2 allowed (--min-nodes, --max-nodes)",
        ),
        (
            &["info", "good.txt", "--names", "--min-nodes", "3"],
            "good.txt: at least 3 nodes are wanted, but nodes have names here, and those that are added would have none \
             (--min-nodes)",
        ),
        (&["info", "comment.csv"], "comment.csv: line 3, column 1: the source `# no` is not a number"),
        (&["info", "good.txt", "--nodes", "roles.txt"], "roles.txt: line 2, column 1: there is no node `9`"),
        (&["info", "good.txt", "--nodes", "role.txt"], "role.txt: line 2, column 3: `drain` is no role"),
        (&["info", "good.txt", "--nodes", "gone.txt"], "cannot read gone.txt: "),
        (&["info", "rows.mtx"], "rows.mtx: the matrix ends at line 3 after 1 entry, but its header says 2"),
        (&["info", "short.vgr", "--input-format", "vgr"], "short.vgr: byte "),
        (&["reach", "good.txt", "--sources", "ids.txt"], "ids.txt: line 2, column 1: there is no node `7`"),
        (&["reach", "good.txt", "--sources", "none.txt"], "none.txt: there are no nodes in this file"),
    ] {
        fails(&sandbox.run(&[&["graph"], args].concat()), message);
    }
}

#[test]
fn missing_nodes_are_named() {
    for (command, message) in [
        (
            "bfs builds.txt",
            "no node has the role source, so there is nowhere to begin; name nodes with `--sources 1,2,3`",
        ),
        ("bfs builds.txt --sources 6", "--sources: there is no node `6` in the graph of 6 nodes"),
        ("bfs builds.txt --sources ,", "--sources: there are no nodes in this list"),
        ("reach builds.txt --sources a,b", "`a,b` is neither nodes as 1,2,3, nor random:K:SEED, nor an existing file"),
        ("reach builds.txt --sources random:3", "`random:3` is not of the form random:K:SEED"),
        ("reach builds.txt --sources random:3:seed", "is not of the form random:K:SEED"),
        ("reach builds.txt --sources random:9:1", "9 sources were asked for, but only 5 normal nodes have an edge"),
        ("reach calls.csv --names --sources main,nobody", "--sources: there is no node `nobody`"),
        ("path builds.txt --from 0 --to 6", "--to: there is no node `6`; nodes are 0 to 5"),
        ("path builds.txt --from x", "--from: there is no node `x`; nodes are 0 to 5"),
        (
            "path calls.csv --names --from nobody",
            "--from: there is no node `nobody`; none of the 12 nodes has this name",
        ),
    ] {
        fails(&on_examples(command), message);
    }
}

#[test]
fn contradictory_arguments_are_rejected() {
    for (command, message) in [
        ("bfs - --nodes -", "standard input can be read only once"),
        ("bfs - --sources -", "standard input can be read only once"),
        ("scc builds.txt --backend nonsense", "there is no backend `nonsense`; there are "),
        ("scc builds.txt --device 0", "`--device` selects a device of one backend"),
        ("scc builds.txt --backend reference --threads 2", "backend `reference` takes no `--threads`"),
        ("scc builds.txt --backend reference --device nonsense", "has no device `nonsense`"),
    ] {
        fails(&on_examples(command), message);
    }
    for (command, message) in [
        ("path builds.txt", "--from <NODES>"),
        ("pagerank builds.txt --damping 1.5", "write a number from 0 to 1, such as 0.85"),
        ("pagerank builds.txt --tolerance=-1", "write a number that is not negative, such as 1e-9"),
        ("reach builds.txt --memory 1TB", "write a number of bytes"),
        ("bfs builds.txt --format xml", "possible values: table, text, json, csv"),
    ] {
        let run = on_examples(command);
        assert_eq!((run.code, run.text()), (Some(2), ""));
        assert!(run.stderr.contains(message), "no {message:?} in {}", run.stderr);
    }
}

#[test]
fn an_expired_deadline_stops_the_op() {
    for backend in BACKENDS {
        let run = on_examples(&format!("pagerank roads.mtx --timeout 0 --backend {backend}"));
        // The watchdog can be faster than the op, and a note of the main thread can follow its error.
        assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.stderr);
        let error = run.stderr.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
        assert!(
            error.starts_with("error: deadline exceeded: ") && error.ends_with(" 0 s, see --timeout"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_distance_overflow_is_an_error() {
    let sandbox = Sandbox::new(&[("a.txt", "0 1 4294967295\n1 2 1\n")]);
    let run = sandbox.run(&["graph", "path", "a.txt", "--from", "0", "--backend", "reference"]);
    fails(&run, "the shortest way to node 1 is longer than 4294967294");
}

#[test]
fn empty_graphs_are_accepted() {
    let sandbox = Sandbox::new(&[("none.txt", "# nothing\n"), ("one.csv", "source,target\n")]);
    for backend in BACKENDS {
        for (command, text) in [
            ("components none.txt", ""),
            ("scc none.txt", ""),
            ("toposort none.txt", ""),
            ("pagerank none.txt", ""),
            ("components one.csv --min-nodes 1", "0\t0\n"),
            ("toposort one.csv --min-nodes 1", "0\t0\n"),
            ("pagerank one.csv --min-nodes 1", "0\t1.0000000000000000000\n"),
            ("path one.csv --min-nodes 1 --from 0 --to 0", "distance: 0\npath: 0\n"),
        ] {
            let args: Vec<&str> =
                ["graph"].into_iter().chain(command.split(' ')).chain(["--backend", backend]).collect();
            let run = sandbox.run(&args);
            assert_eq!((run.code, run.text()), (Some(0), text), "{command} on {backend}: {}", run.stderr);
        }
    }
}

#[test]
fn standard_input_is_read_once() {
    let sandbox = Sandbox::new(&[("a.txt", "0 1\n")]);
    for command in [
        "dominators - --from -",
        "pagerank - --personalise -",
        "subgraph - --around -",
        "subgraph - --sources 0 --sinks -",
        "subgraph a.txt --sources - --sinks -",
        "taint - --sources 0 --sinks -",
        "taint - --sources 0 --advisory -",
        "taint a.txt --sources - --sinks -",
        "bfs - --sources -",
    ] {
        let args: Vec<&str> = ["graph"].into_iter().chain(command.split(' ')).collect();
        let run = sandbox.run_with_input(&args, b"0 1\n");
        fails(&run, "standard input can be read only once");
    }
}

#[test]
fn compressed_files_are_not_written() {
    let sandbox = Sandbox::new(&[("a.txt", "0 1\n")]);
    for name in ["b.csv.gz", "b.csv.zst", "b.csv.XZ", "b.vgr.br"] {
        fails(&sandbox.run(&["graph", "convert", "a.txt", "-o", name]), "files are written without compression");
    }
    assert_eq!(sandbox.names(), ["a.txt"]);
}
