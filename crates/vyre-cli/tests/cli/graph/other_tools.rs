//! Files of other tools: real weights, gaps between node numbers, headers among names, and compressed files.

use std::process::{Command, Stdio};

use super::fails;
use crate::harness::Sandbox;

/// Runs `vyre graph` with arguments, split at blanks.
fn graph(sandbox: &Sandbox, command: &str) -> (Option<i32>, String, String) {
    let args: Vec<&str> = ["graph"].into_iter().chain(command.split(' ')).collect();
    let run = sandbox.run(&args);
    (run.code, run.text().to_owned(), run.stderr)
}

#[test]
fn commands_without_weights_accept_any() {
    let sandbox = Sandbox::new(&[
        ("real.csv", "1 0 0.5\n0 1 -2.5\n"),
        ("labels.csv", "0,1,knows\n1,0,\"likes, too\"\n"),
        ("complex.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0.5 1\n"),
        ("real.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 -0.5\n"),
    ]);
    for file in ["real.csv", "labels.csv", "complex.mtx", "real.mtx"] {
        for (command, code, text) in [
            ("components FILE --count", 0, "1\n"),
            ("scc FILE --count", 0, "1\n"),
            ("reach FILE --sources 0 --count", 0, "1\n"),
            ("toposort FILE --count --quiet", 1, "0\n"),
            ("path FILE --from 0 --to 1 --unweighted", 0, "distance: 1\npath: 0 -> 1\n"),
        ] {
            let command = format!("{} --backend reference", command.replace("FILE", file));
            let (found_code, found, stderr) = graph(&sandbox, &command);
            assert_eq!((found_code, &*found), (Some(code), text), "{command}: {stderr}");
        }
        let (code, text, stderr) = graph(&sandbox, &format!("convert {file} --to csv"));
        assert_eq!((code, &*text), (Some(0), "source,target\n0,1\n1,0\n"), "{file}: {stderr}");
        assert!(stderr.starts_with(&format!("{file}: weights are left out: line 1, column ")), "{stderr}");
    }
}

#[test]
fn real_weights_need_a_scale() {
    let sandbox = Sandbox::new(&[("roads.txt", "0 1 0.25\n1 2 0.5\n0 2 1.5\n"), ("wrong.txt", "0 1 1.5\n1 2 -0.5\n")]);
    fails(
        &sandbox.run(&["graph", "path", "roads.txt", "--from", "0"]),
        "roads.txt: line 1, column 5: the weight `0.25` is not a whole number: weights are whole numbers from 0 to 4294967295; \
         weights can be scaled or ignored, with --weight-scale or --weights ignore",
    );
    let (code, text, stderr) = graph(&sandbox, "path roads.txt --from 0 --to 2 --weight-scale 100 --backend reference");
    assert_eq!((code, &*text), (Some(0), "distance: 0.75\npath: 0 -> 1 -> 2\n"));
    assert!(stderr.contains("weights are rounded to multiples of 0.01: each is off by at most 0.005, "), "{stderr}");
    let (code, text, _) = graph(&sandbox, "path roads.txt --from 0 --weight-scale 4 --format csv --backend reference");
    assert_eq!((code, &*text), (Some(0), "node,distance\n0,0\n1,0.25\n2,0.75\n"));
    fails(
        &sandbox.run(&["graph", "path", "wrong.txt", "--from", "0", "--weight-scale", "10"]),
        "wrong.txt: line 2, column 5: the weight `-0.5` is negative: with this scale, weights are from 0 to 429496729.5",
    );
    assert_eq!(graph(&sandbox, "convert roads.txt --weight-scale 4 -o roads.vgr").0, Some(0));
    fails(
        &sandbox.run(&["graph", "path", "roads.vgr", "--from", "0", "--weight-scale", "4"]),
        "roads.vgr: the weights are whole numbers already, so --weight-scale has no effect",
    );
}

#[test]
fn numbers_that_do_not_occur_are_noted_and_can_be_left_out() {
    let sandbox = Sandbox::new(&[("gaps.txt", "# Nodes: 3 Edges: 2\n7 90\n90 8\n")]);
    let (code, text, stderr) = graph(&sandbox, "components gaps.txt --count --backend reference");
    assert_eq!((code, &*text), (Some(0), "89\n"));
    let note = "gaps.txt: 88 of 91 numbers occur in no edge and are nodes without edges (--compact leaves them out)\n";
    assert!(stderr.contains(note), "{stderr}");
    let (code, text, stderr) = graph(&sandbox, "components gaps.txt --compact --backend reference");
    assert_eq!((code, &*text), (Some(0), "7\t7\n8\t7\n90\t7\n"));
    assert!(!stderr.contains("occur"), "{stderr}");
    let (code, text, _) = graph(&sandbox, "reach gaps.txt --compact --sources 90 --backend reference");
    assert_eq!((code, &*text), (Some(0), "90\t8\t1\n"));
}

#[test]
fn words_of_a_header_are_noted() {
    let sandbox =
        Sandbox::new(&[("a.csv", "parent,child\nx,y\n"), ("b.csv", "u,v\nx,y\n"), ("c.txt", "from to\nx y\n")]);
    for (file, note, edges) in [
        ("a.csv", "a.csv: line 1 is a header (--header no if it is an edge)\n", "x,y\n"),
        ("b.csv", "b.csv: line 1 is an edge (--header yes if it is a header)\n", "u,v\nx,y\n"),
        ("c.txt", "c.txt: line 1 is an edge (--header yes if it is a header)\n", "from,to\nx,y\n"),
    ] {
        let (code, text, stderr) = graph(&sandbox, &format!("convert {file} --names --to csv"));
        assert_eq!((code, &*text, &*stderr), (Some(0), &*format!("source,target\n{edges}"), note));
        let (code, _, stderr) = graph(&sandbox, &format!("convert {file} --names --header yes --to csv"));
        assert_eq!((code, &*stderr), (Some(0), ""), "{file}");
    }
}

/// Compresses bytes with a program; `None` if the system does not have it.
fn compressed(program: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    use std::io::Write as _;

    let mut command = Command::new(program);
    let mut child =
        command.arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    child.stdin.take()?.write_all(bytes).ok()?;
    Some(child.wait_with_output().ok()?.stdout)
}

#[test]
fn compressed_files_are_read() {
    let text = "source,target\na b,c\nc,d\n";
    let sandbox = Sandbox::new(&[("edges.csv", text), ("roles.csv", "node,role\na b,source\nd,sink\n")]);
    // A zstd frame with one raw block needs no encoder.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, text.len() as u8];
    frame.extend_from_slice(&(1 | (text.len() as u32) << 3).to_le_bytes()[..3]);
    frame.extend_from_slice(text.as_bytes());
    sandbox.write("edges.csv.zst", &frame);
    let mut files = vec!["edges.csv.zst".to_owned()];
    for (program, extension) in [("bzip2", "bz2"), ("xz", "xz"), ("lz4", "lz4"), ("gzip", "gz")] {
        if let Some(bytes) = compressed(program, text.as_bytes()) {
            sandbox.write(&format!("edges.csv.{extension}"), &bytes);
            files.push(format!("edges.csv.{extension}"));
        }
    }
    for file in files {
        let (code, found, stderr) =
            graph(&sandbox, &format!("bfs {file} --names --nodes roles.csv --backend reference"));
        assert_eq!((code, &*found), (Some(0), "a b\td\t2\t0\n"), "{file}: {stderr}");
        let run = sandbox.run_with_input(
            &["graph", "convert", "-", "--input-format", "csv", "--names", "--to", "csv", "--quiet"],
            &sandbox.read(&file),
        );
        let expected = "source,target\n\"a b\",c\nc,d\n";
        assert_eq!((run.code, run.text()), (Some(0), expected), "{file}: {}", run.stderr);
    }
    sandbox.write("cut.zst", &frame[..frame.len() - 1]);
    fails(&sandbox.run(&["graph", "info", "cut.zst"]), "cannot read cut.zst: the zstd stream has a problem: ");
}

#[test]
fn formats_of_other_libraries_round_trip() {
    let sandbox = Sandbox::new(&[
        ("a.csv", "source,target,weight\n\"read \"\"line\"\"\",b & c,3\nb & c,größe,4\n"),
        ("numbers.txt", "# Nodes: 4 Edges: 2\n0 2 5\n2 1 6\n"),
    ]);
    let (_, named, _) = graph(&sandbox, "convert a.csv --names --to csv --quiet");
    for extension in ["graphml", "gexf", "gml", "dot", "json", "npz"] {
        let file = format!("b.{extension}");
        let (code, _, stderr) = graph(&sandbox, &format!("convert numbers.txt -o {file}"));
        assert_eq!((code, &*stderr), (Some(0), ""), "{extension}");
        let (code, text, stderr) = graph(&sandbox, &format!("convert {file}"));
        assert_eq!((code, &*text, &*stderr), (Some(0), "# Nodes: 4 Edges: 2\n0 2 5\n2 1 6\n", ""), "{extension}");
        if extension != "npz" {
            let (code, _, stderr) = graph(&sandbox, &format!("convert a.csv --names --quiet -o {file}"));
            assert_eq!((code, &*stderr), (Some(0), ""), "{extension}");
            let (code, text, stderr) = graph(&sandbox, &format!("convert {file} --to csv"));
            assert_eq!((code, &*text, &*stderr), (Some(0), &*named, ""), "{extension}");
        }
    }
}

#[test]
fn attributes_of_a_graph_file_are_places_of_witnesses() {
    let text = "graph [ directed 1\n  node [ id 0 label \"main\" file \"a.c\" line 3 ]\n  node [ id 1 label \"exec\" file \"b.c\" line 9 ]\n  \
                edge [ source 0 target 1 ]\n]\n";
    let sandbox = Sandbox::new(&[("calls.gml", text), ("roles.csv", "node,role\nmain,source\nexec,sink\n")]);
    let (code, found, stderr) = graph(&sandbox, "taint calls.gml --nodes roles.csv --witness --backend reference");
    assert_eq!(code, Some(1), "{stderr}");
    assert_eq!(found, "main -> exec (depth 1)\n    main  (a.c:3)\n    exec  (b.c:9)\n");
}
