//! Every command in every output format, on every backend that needs no GPU.

use super::{BACKENDS, on_examples};
use crate::golden::compare;

/// Note about the first line of a CSV file with names.
const HEADER_NOTE: &str = "calls.csv: line 1 is a header (--header no if it is an edge)\n";

/// Commands with their exit codes.
const COMMANDS: [(&str, i32); 19] = [
    ("bfs calls.csv --names --nodes calls-roles.csv", 0),
    ("bfs calls.csv --names --nodes calls-roles.csv --sources main,parse --max-depth 3", 0),
    ("bfs calls.csv --names --nodes calls-roles.csv --count --fingerprint", 0),
    ("reach builds.txt --sources 2,0", 0),
    ("reach builds.txt --sources 2,0 --count", 0),
    ("components roads.mtx", 0),
    ("components calls.csv --names --count", 0),
    ("scc calls.csv --names", 0),
    ("scc builds.txt --count", 0),
    ("toposort builds.txt", 0),
    ("toposort builds.txt --count", 0),
    ("toposort calls.csv --names", 1),
    ("path roads.mtx --from 0 --to 4", 0),
    ("path roads.mtx --from 0 --to 4 --unweighted --count", 0),
    ("path calls.csv --names --from validate --from log", 0),
    ("path builds.txt --from 5 --to 0", 1),
    ("pagerank roads.mtx", 0),
    ("pagerank calls.csv --names --top 3 --damping 0.5 --iterations 8", 0),
    ("pagerank builds.txt --tolerance 0 --count", 0),
];

#[test]
fn every_command_has_every_format_on_every_backend() {
    for format in ["text", "json", "csv"] {
        let mut transcript = String::new();
        for (command, code) in COMMANDS {
            transcript.push_str(&format!("$ vyre graph {command}\n"));
            for (position, backend) in BACKENDS.iter().enumerate() {
                let run = on_examples(&format!("{command} --format {format} --backend {backend}"));
                assert_eq!(run.code, Some(code), "{command}: {}", run.stderr);
                let notes = run.stderr.trim_start_matches(HEADER_NOTE);
                assert!(notes.starts_with(&format!("running on backend `{backend}`: ")), "{}", run.stderr);
                let output = without_backend(run.text());
                if position == 0 {
                    transcript.push_str(&output);
                } else {
                    assert!(transcript.ends_with(&output), "{command} on {backend}: {output}");
                }
            }
        }
        compare(&format!("graph_{format}.txt"), &transcript);
    }
}

/// Removes the line that names the backend.
fn without_backend(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with("  \"backend\": ")).collect()
}

#[test]
fn info_has_every_format() {
    let mut transcript = String::new();
    for command in [
        "info calls.csv --names --nodes calls-roles.csv",
        "info roads.mtx --format json",
        "info builds.txt --min-nodes 8 --undirected --format csv",
    ] {
        let run = on_examples(command);
        assert_eq!((run.code, run.stderr.trim_start_matches(HEADER_NOTE)), (Some(0), ""));
        transcript.push_str(&format!("$ vyre graph {command}\n{}", run.text()));
    }
    compare("graph_info.txt", &transcript);
}

#[test]
fn json_is_one_object_with_the_graph_and_the_backend() {
    for (command, _) in COMMANDS {
        let run = on_examples(&format!("{command} --format json --backend reference"));
        let object: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert_eq!(object["graph"]["file"], command.split(' ').nth(1).expect("a file"), "{command}");
        assert_eq!(object["backend"]["name"], "reference", "{command}");
        assert!(object["count"].is_u64(), "{command}");
        assert_eq!(object["rows"].is_array(), !command.contains("--count"), "{command}");
    }
}

#[test]
fn names_are_preserved_in_every_format() {
    let sandbox = crate::harness::Sandbox::new(&[("a.csv", "\"say \"\"hi\"\", twice\",\"tab\\bed\"\n")]);
    let run = |format| {
        let run = sandbox.run(&[
            "graph",
            "components",
            "a.csv",
            "--names",
            "--backend",
            "reference",
            "--format",
            format,
            "-q",
        ]);
        assert_eq!((run.code, &*run.stderr), (Some(0), ""));
        run.text().to_owned()
    };
    assert!(run("text").starts_with("say \"hi\", twice\tsay \"hi\", twice\n"), "{}", run("text"));
    assert!(run("csv").starts_with("node,component,node_name,component_name\n0,0,\"say \"\"hi\"\", twice\","));
    let object: serde_json::Value = serde_json::from_str(&run("json")).expect("JSON");
    assert_eq!(object["rows"][0]["node_name"], "say \"hi\", twice");
    assert_eq!(object["rows"][1]["node_name"], "tab\\bed");
}

#[test]
fn count_prints_only_a_number_if_there_is_a_cycle() {
    for (format, text) in [("text", "0\n"), ("csv", "count\n0\n")] {
        let command = format!("toposort calls.csv --names --count --format {format} --backend reference");
        let run = on_examples(&command);
        assert_eq!((run.code, run.text()), (Some(1), text));
        assert_eq!(run.stderr.lines().last(), Some("cycle: send -> retry -> send"), "{}", run.stderr);
        let run = on_examples(&format!("{command} --quiet"));
        assert_eq!((run.code, run.text(), &*run.stderr), (Some(1), text, ""));
    }
}
