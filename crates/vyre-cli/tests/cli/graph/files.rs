//! `vyre graph convert` and `generate`: written files can be read back.

use super::{fails, on_examples};
use crate::harness::Sandbox;

const EDGES: &str = "# Nodes: 4 Edges: 4\n0 1 5\n0 2 6\n1 3 7\n2 3 8\n";

#[test]
fn every_format_round_trips() {
    let sandbox = Sandbox::new(&[("a.txt", EDGES)]);
    for name in ["b.csv", "b.mtx", "b.vgr", "b.el"] {
        let run = sandbox.run(&["graph", "convert", "a.txt", "-o", name]);
        assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), "", ""), "{name}");
        let run = sandbox.run(&["graph", "convert", name]);
        assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), EDGES, ""), "{name}");
    }
    assert_eq!(sandbox.read_text("b.csv"), "source,target,weight\n0,1,5\n0,2,6\n1,3,7\n2,3,8\n");
    let run = sandbox.run(&["graph", "convert", "b.vgr", "--to", "mtx", "-o", "-", "--transpose"]);
    let matrix = "%%MatrixMarket matrix coordinate integer general\n4 4 4\n2 1 5\n3 1 6\n4 2 7\n4 3 8\n";
    assert_eq!((run.code, run.text()), (Some(0), matrix));
}

#[test]
fn files_with_an_index_are_graphs_like_others() {
    let sandbox = Sandbox::new(&[("a.txt", EDGES), ("roles.txt", "0 source\n3 sink\n")]);
    let convert = ["graph", "convert", "a.txt", "--nodes", "roles.txt", "-o"];
    assert_eq!(sandbox.run(&[&convert[..], &["plain.vgr"]].concat()).code, Some(0));
    let run = sandbox.run(&[&convert[..], &["indexed.vgr", "--index"]].concat());
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), "", ""));
    assert_eq!((sandbox.read("plain.vgr")[8], sandbox.read("indexed.vgr")[8]), (1, 2));
    for (file, format) in [("plain.vgr", "vgr, version 1\n"), ("indexed.vgr", "vgr, version 2, with an index\n")] {
        let run = sandbox.run(&["graph", "info", file]);
        assert!(run.text().contains(&format!("\nformat                  {format}")), "{}", run.text());
        // Options that copy the arrays into memory keep the version.
        let run = sandbox.run(&["graph", "info", file, "--undirected", "--format", "json"]);
        let info: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert_eq!((info["format_version"].as_u64(), &info["index"]), (format[13..14].parse().ok(), &false.into()));
    }
    let run = sandbox.run(&["graph", "convert", "indexed.vgr", "-o", "again.vgr"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    assert_eq!(sandbox.read("again.vgr"), sandbox.read("plain.vgr"));
    for arguments in [&["bfs"][..], &["taint"], &["taint", "--strategy", "bit-parallel", "--witness"], &["scc"]] {
        let run = |file: &str| {
            let run = sandbox.run(&[&["graph"], arguments, &[file, "--backend", "cpu", "--format", "csv"]].concat());
            (run.code, run.text().to_owned())
        };
        let plain = run("plain.vgr");
        assert!(plain.0.is_some_and(|code| code < 2));
        assert_eq!(run("indexed.vgr"), plain, "{arguments:?}");
    }
    let run = sandbox.run(&["graph", "convert", "a.txt", "--index", "-o", "b.csv"]);
    let expected = "format `csv` cannot store what --index adds; use `--to vgr` or a file name that ends in .vgr";
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    let run = sandbox.run(&[
        "graph",
        "generate",
        "rmat",
        "--scale",
        "4",
        "--edge-factor",
        "3",
        "--seed",
        "1",
        "--index",
        "-o",
        "g.vgr",
    ]);
    assert_eq!(run.code, Some(0));
    assert_eq!(sandbox.read("g.vgr")[8], 2);
    let mut damaged = sandbox.read("indexed.vgr");
    *damaged.last_mut().expect("the file is not empty") ^= 1;
    sandbox.write("damaged.vgr", &damaged);
    let run = sandbox.run(&["graph", "info", "damaged.vgr"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("the checksum of the section `order` is"), "{}", run.stderr);
}

#[test]
fn the_format_is_detected_from_the_first_bytes() {
    use std::io::Write as _;

    let sandbox = Sandbox::new(&[("a.txt", EDGES)]);
    for (name, format) in [("b.el", "edges"), ("b.mtx", "mtx"), ("b.vgr", "vgr")] {
        assert_eq!(sandbox.run(&["graph", "convert", "a.txt", "-o", name]).code, Some(0));
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&sandbox.read(name)).expect("writes to a vector do not fail");
        sandbox.write("plain", &sandbox.read(name));
        sandbox.write("compressed", &encoder.finish().expect("writes to a vector do not fail"));
        for file in ["plain", "compressed"] {
            let from_file = sandbox.run(&["graph", "info", file, "--format", "json"]);
            let from_pipe = sandbox.run_with_input(&["graph", "info", "-", "--format", "json"], &sandbox.read(file));
            for run in [from_file, from_pipe] {
                assert_eq!(run.code, Some(0), "{}", run.stderr);
                let object: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
                assert_eq!((&object["format"], &object["edges"]), (&format.into(), &4.into()), "{file} {name}");
            }
        }
    }
}

#[test]
fn roles_and_names_are_stored_in_the_binary_format_or_in_separate_files() {
    let sandbox = Sandbox::new(&[]);
    let (vgr, roles) = (sandbox.path("calls.vgr"), sandbox.path("roles.txt"));
    let (vgr, roles) = (vgr.to_str().expect("UTF-8"), roles.to_str().expect("UTF-8"));
    let run = on_examples(&format!("convert calls.csv --names --header yes --nodes calls-roles.csv -o {vgr}"));
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), "", ""));
    let direct = on_examples("bfs calls.csv --names --nodes calls-roles.csv --backend reference");
    let run = sandbox.run(&["graph", "bfs", "calls.vgr", "--backend", "reference"]);
    assert_eq!((run.code, run.text()), (Some(0), direct.text()));

    let run = sandbox.run(&["graph", "convert", "calls.vgr", "-o", "calls.csv", "--nodes-out", roles]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    let run = sandbox.run(&["graph", "bfs", "calls.csv", "--names", "--nodes", "roles.txt", "--backend", "reference"]);
    assert_eq!((run.code, run.text()), (Some(0), direct.text()));
}

#[test]
fn roles_round_trip_through_csv_files() {
    let sandbox = Sandbox::new(&[
        ("a.csv", "source,target\nmain loop,\"exec, sql\"\nmain loop,log\n"),
        ("roles.txt", "\"main loop\" source\n\"exec, sql\" sink\n"),
    ]);
    let base_args = ["graph", "convert", "a.csv", "--names", "--quiet", "-o", "b.csv"];
    let run = sandbox.run(&[&base_args[..], &["--nodes", "roles.txt", "--nodes-out", "roles.csv"]].concat());
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    let csv = "node,role\n\"main loop\",source\n\"exec, sql\",sink\n";
    assert_eq!(sandbox.read_text("roles.csv"), csv);
    // Other writers can omit unnecessary quotes.
    sandbox.write("plain.csv", b"main loop,source\n\"exec, sql\",sink\n");
    for roles in ["roles.csv", "plain.csv"] {
        let run = sandbox.run(&[&base_args[..], &["--nodes", roles, "--nodes-out", "again.txt"]].concat());
        assert_eq!((run.code, &*run.stderr), (Some(0), ""));
        let text = "# node role [data]\n\"main loop\" source\n\"exec, sql\" sink\n";
        assert_eq!(sandbox.read_text("again.txt"), text, "{roles}");
    }
}

#[test]
fn a_header_that_could_be_an_edge_is_noted() {
    let sandbox = Sandbox::new(&[("a.csv", "from,to\nx,y\n"), ("a.txt", "u v\nx y\n"), ("n.csv", "from,to\n0,1\n")]);
    let note = "a.csv: line 1 is a header (--header no if it is an edge)\n";
    let edge = "a.txt: line 1 is an edge (--header yes if it is a header)\n";
    for (args, edges, notes) in [
        (&["a.csv", "--names"][..], "x y\n", note),
        (&["a.csv", "--names", "--quiet"], "x y\n", ""),
        (&["a.csv", "--names", "--header", "yes"], "x y\n", ""),
        (&["a.csv", "--names", "--header", "no"], "from to\nx y\n", ""),
        (&["a.txt", "--names"], "u v\nx y\n", edge),
        (&["a.txt", "--names", "--header", "no"], "u v\nx y\n", ""),
        (&["a.txt", "--names", "--header", "yes"], "x y\n", ""),
        (&["n.csv"], "0 1\n", ""),
    ] {
        let run = sandbox.run(&[&["graph", "convert"], args].concat());
        let (_, text) = run.text().split_once('\n').expect("a comment comes first");
        assert_eq!((run.code, text, &*run.stderr), (Some(0), edges, notes), "{args:?}");
    }
}

#[test]
fn omitted_parts_of_a_graph_are_noted() {
    let run = on_examples("convert calls.csv --names --header yes --nodes calls-roles.csv --to mtx");
    assert_eq!(
        (run.code, &*run.stderr),
        (
            Some(0),
            "format `mtx` has no roles of nodes; write them with --nodes-out\n\
             format `mtx` has no names of nodes; they are left out\n"
        )
    );
    let sandbox = Sandbox::new(&[("named.vgr", "")]);
    sandbox.write("named.vgr", &named_node_without_edges());
    for format in ["edges", "csv"] {
        let run = sandbox.run(&["graph", "convert", "named.vgr", "--to", format]);
        let note = format!(
            "format `{format}` has no names of nodes without edges: 1 node left out; write them with --nodes-out\n"
        );
        assert_eq!((run.code, &*run.stderr), (Some(0), &*note));
        let run = sandbox.run(&["graph", "convert", "named.vgr", "--to", format, "--quiet"]);
        assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    }
}

/// A binary file with the nodes `a`, `b` and `c` and an edge from `a` to `b`.
fn named_node_without_edges() -> Vec<u8> {
    use vyre::graph::{Format, Graph, try_to_csr, write_graph};

    let graph = Graph {
        names: Some(["a", "b", "c"].into_iter().collect()),
        ..Graph::from(try_to_csr(3, &[(0, 1)]).expect("three nodes"))
    };
    let mut bytes = Vec::new();
    write_graph(Format::BINARY, graph.view(), &mut bytes, &()).expect("writes to a vector do not fail");
    bytes
}

#[test]
fn nodes_without_edges_are_preserved() {
    let sandbox = Sandbox::new(&[("a.txt", "# Nodes: 5 Edges: 1\n0 1\n")]);
    for name in ["b.csv", "b.mtx", "b.vgr", "b.el"] {
        let run = sandbox.run(&["graph", "convert", "a.txt", "-o", name]);
        assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), "", ""), "{name}");
        let run = sandbox.run(&["graph", "convert", name]);
        assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), "# Nodes: 5 Edges: 1\n0 1\n", ""), "{name}");
    }
    let run = sandbox.run(&["graph", "convert", "a.txt", "--min-nodes", "7"]);
    assert_eq!((run.code, run.text()), (Some(0), "# Nodes: 7 Edges: 1\n0 1\n"));
    let run = sandbox.run(&["graph", "convert", "b.vgr", "--min-nodes", "7"]);
    assert_eq!((run.code, run.text()), (Some(0), "# Nodes: 7 Edges: 1\n0 1\n"));
}

#[test]
fn contradictory_outputs_are_rejected() {
    let sandbox = Sandbox::new(&[("a.txt", EDGES)]);
    fails(&sandbox.run(&["graph", "convert", "a.txt", "-o", "b.graph"]), "the name b.graph tells no format");
    fails(&sandbox.run(&["graph", "convert", "a.txt", "-o", "b.txt.gz"]), "without compression");
    fails(&sandbox.run(&["graph", "convert", "a.txt", "-o", "a.txt"]), "a.txt is the input itself");
    fails(
        &sandbox.run(&["graph", "convert", "a.txt", "-o", "b.txt", "--nodes-out", "b.txt"]),
        "cannot both go to b.txt",
    );
    fails(&sandbox.run(&["graph", "convert", "a.txt", "--nodes-out", "-"]), "cannot both go to standard output");
    fails(&sandbox.run(&["graph", "convert", "a.txt", "-o", "missing/b.txt"]), "cannot write missing/b.txt: ");
    assert_eq!(sandbox.names(), ["a.txt"]);
}

#[test]
fn equal_seeds_generate_equal_graphs() {
    let sandbox = Sandbox::new(&[]);
    let generate = |seed| {
        let run = sandbox.run(&[
            "graph",
            "generate",
            "rmat",
            "--scale",
            "6",
            "--edge-factor",
            "4",
            "--seed",
            seed,
            "--roles",
            "7",
            "--to",
            "edges",
            "--nodes-out",
            "roles.txt",
        ]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.text().to_owned()
    };
    assert_eq!(generate("0x2A"), generate("4_2"));
    assert_ne!(generate("42"), generate("43"));
    assert!(generate("42").starts_with("# Nodes: 64 Edges: "));
    let run = sandbox.run(&[
        "graph",
        "generate",
        "calls",
        "--nodes",
        "300",
        "--program",
        "50",
        "--seed",
        "1",
        "--roles",
        "2",
    ]);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.starts_with("300 nodes, "), "{}", run.stderr);
    for (wrong, message) in [
        (&["rmat", "--scale", "32", "--edge-factor", "1", "--seed", "1"][..], "scales are 0 to 31"),
        (&["rmat", "--scale", "31", "--edge-factor", "9", "--seed", "1"], "more than a graph can have"),
        (&["calls", "--nodes", "9", "--program", "0", "--seed", "1"], "programs have at least one node"),
    ] {
        fails(&sandbox.run(&[&["graph", "generate"], wrong].concat()), message);
    }
    for seed in ["0xZZ", "-1", "", "18446744073709551616"] {
        let seed = format!("--seed={seed}");
        let run = sandbox.run(&["graph", "generate", "rmat", "--scale", "6", "--edge-factor", "4", &seed]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("write a number of 64 bits, such as 42 or 0x5EED_0001"), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_a_failure() {
    use std::io::Read as _;
    use std::process::Stdio;

    use crate::harness::vyre;

    let path: String = (0..40_000).map(|node| format!("{node} {}\n", node + 1)).collect();
    let sandbox = Sandbox::new(&[("path.txt", &path)]);
    let mut commands =
        vec![vec!["convert", "path.txt"], vec!["generate", "rmat", "--scale=12", "--edge-factor=8", "--seed=1"]];
    if cfg!(feature = "jit") {
        commands.push(vec!["components", "path.txt", "--backend", "cpu"]);
        commands.push(vec!["toposort", "path.txt", "--backend", "cpu", "--format", "json"]);
    }
    for args in commands {
        let mut command = vyre(sandbox.root());
        let mut child = command
            .arg("graph")
            .args(&args)
            .arg("--quiet")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stdout = child.stdout.take().expect("standard output is a pipe");
        let _ = stdout.read(&mut [0; 10]).expect("something is written");
        drop(stdout);
        let output = child.wait_with_output().expect("the binary ends");
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_file_of_nodes_adds_nodes_and_attributes() {
    let sandbox = Sandbox::new(&[
        ("calls.csv", "source,target\nmain,exec\n"),
        ("nodes.csv", "name,role,file,line\nmain,source,a.c,3\nexec,sink,b.c,9\nunused,sink,c.c,1\n"),
        ("names.txt", "unused normal\n"),
        ("one.csv", "name\nunused\n"),
    ]);
    let taint =
        ["graph", "taint", "calls.csv", "--names", "--nodes", "nodes.csv", "--witness", "--backend", "reference"];
    fails(
        &sandbox.run(&taint),
        "nodes.csv: line 4, column 1: there is no node `unused` in the graph of 2 nodes; nodes without edges are added with --add-nodes",
    );
    let run = sandbox.run(&[&taint[..], &["--add-nodes"]].concat());
    assert_eq!(
        (run.code, run.text()),
        (Some(1), "main -> exec (depth 1)\n    main  (a.c:3)\n    exec  (b.c:9)\n"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("nodes.csv: 1 node occurs in no edge and added\n"), "{}", run.stderr);
    for nodes in ["names.txt", "one.csv"] {
        let run =
            sandbox.run(&["graph", "info", "calls.csv", "--names", "--nodes", nodes, "--add-nodes", "--format", "csv"]);
        assert!(run.text().contains("\ncalls.csv,csv,24,3,1,0,0,1,"), "{}", run.text());
    }
    // The nodes survive a text of edges.
    let convert = ["graph", "convert", "calls.csv", "--names", "--nodes", "nodes.csv", "--add-nodes"];
    let run = sandbox.run(&[&convert[..], &["-o", "again.csv", "--nodes-out", "again-nodes.csv"]].concat());
    let note = "format `csv` has no names of nodes without edges: 1 node only in the file of nodes, which --nodes and --add-nodes read\n";
    assert!(run.code == Some(0) && run.stderr.ends_with(note), "{}", run.stderr);
    let again =
        ["graph", "convert", "again.csv", "--names", "--nodes", "again-nodes.csv", "--add-nodes", "--to", "vgr", "-o"];
    assert_eq!(sandbox.run(&[&again[..], &["again.vgr"]].concat()).code, Some(0));
    assert_eq!(sandbox.run(&[&convert[..], &["-o", "first.vgr"]].concat()).code, Some(0));
    assert_eq!(sandbox.read("again.vgr"), sandbox.read("first.vgr"));

    let sandbox = Sandbox::new(&[("a.txt", "0 1\n"), ("nodes.csv", "id,kind\n1,x\n"), ("more.csv", "id,kind\n0,y\n")]);
    fails(
        &sandbox.run(&["graph", "info", "a.txt", "--nodes", "nodes.csv", "--add-nodes"]),
        "--add-nodes is about names of nodes, and nodes are numbers here; --min-nodes adds nodes without edges",
    );
    let taint = ["graph", "taint", "a.txt", "--sources", "0", "--sinks", "1", "--nodes", "nodes.csv"];
    fails(
        &sandbox.run(&[&taint[..], &["--attributes", "more.csv"]].concat()),
        "attributes of nodes come from --nodes and from --attributes; leave one of them out",
    );
}
