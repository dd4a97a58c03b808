//! Every output format, on every backend that needs no GPU.

use serde_json::{Value, json};
use vyre::graph::{Format, Graph, Role, to_csr, write_graph};

use super::super::{BACKENDS, on_examples};
use super::{EDGES, OPEN, ROLES, finds, sandbox, search};
use crate::golden::compare;
use crate::harness::Sandbox;

/// Commands with their exit codes.
const COMMANDS: [(&str, i32); 7] = [
    ("calls.csv --names --nodes calls-roles.csv", 1),
    ("calls.csv --names --nodes calls-roles.csv --sources main,parse --max-depth 3", 1),
    ("calls.csv --names --nodes calls-roles.csv --sources run_query,log --max-depth 1 --witness", 1),
    ("calls.csv --names --rules calls-rules.toml", 1),
    ("calls.csv --names --nodes calls-roles.csv --count --fingerprint", 1),
    ("calls.csv --names --nodes calls-roles.csv --sources render", 0),
    ("calls.csv --names --rules calls-findings.toml", 1),
];

#[test]
fn every_format_is_equal_on_every_backend() {
    for format in ["text", "json", "csv", "sarif"] {
        let mut transcript = String::new();
        for (command, code) in COMMANDS {
            if format == "sarif" && command.contains("--count") {
                continue;
            }
            let no_witness = if format == "sarif" && !command.contains("--witness") { " --no-witness" } else { "" };
            transcript.push_str(&format!("$ vyre graph taint {command}{no_witness}\n"));
            for (position, backend) in BACKENDS.iter().enumerate() {
                let run = on_examples(&format!("taint {command}{no_witness} --format {format} --backend {backend}"));
                assert_eq!(run.code, Some(code), "{command}: {}", run.stderr);
                let output = without_machine(run.text());
                if position == 0 {
                    transcript.push_str(&output);
                } else {
                    assert!(transcript.ends_with(&output), "{command} on {backend}: {output}");
                }
            }
        }
        compare(&format!("graph_taint_{format}.txt"), &transcript);
    }
}

/// Removes the parts that differ between backends and versions.
fn without_machine(text: &str) -> String {
    let lines = text.split_inclusive('\n').filter(|line| !line.starts_with("  \"backend\": "));
    lines.collect::<String>().replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn findings_equal_those_of_bfs() {
    let bfs = on_examples("bfs calls.csv --names --nodes calls-roles.csv --backend reference --count --fingerprint -q");
    let run =
        on_examples("taint calls.csv --names --nodes calls-roles.csv --backend reference --count --fingerprint -q");
    assert_eq!((bfs.code, run.code, run.text()), (Some(0), Some(1), bfs.text()));
}

#[test]
fn text_writes_witnesses_below_findings() {
    let sandbox = sandbox();
    finds(&search(&sandbox, &[]), "0 -> 3 (depth 2)\n0 -> 4 (depth 3)\n5 -> 4 (depth 1)\n");
    finds(&search(&sandbox, &["--sources", "5", "--witness"]), "5 -> 4 (depth 1)\n    5\n    4\n");
    let witnesses = "0 -> 3 (depth 2)\n    0\n    2\n    3\n0 -> 4 (depth 3)\n    0\n    2\n    3\n    4\n";
    finds(&search(&sandbox, &["--sources", "0", "--witness"]), witnesses);
    finds(&search(&sandbox, &["--max-depth", "0"]), "");
}

#[test]
fn a_transfer_function_blocks_edges() {
    let blocks = |what: &str| OPEN.replace("flows[0] = 1;", what);
    let sandbox = Sandbox::new(&[
        ("a.txt", EDGES),
        ("roles.txt", ROLES),
        ("edge.vyre", &blocks("flows[0] = current[0] != 2 || target[0] != 3;")),
        ("source.vyre", &blocks("flows[0] = source[0] != 5;")),
    ]);
    finds(&search(&sandbox, &["--transfer", "edge.vyre"]), "5 -> 4 (depth 1)\n");
    finds(&search(&sandbox, &["--transfer", "source.vyre"]), "0 -> 3 (depth 2)\n0 -> 4 (depth 3)\n");
    let witnesses = "0 -> 4 (depth 3)\n    0\n    2\n    3\n    4\n";
    let run = search(&sandbox, &["--transfer", "source.vyre", "--witness"]);
    assert!(run.text().ends_with(witnesses), "{}", run.text());
}

#[test]
fn facts_are_written_if_sources_have_facts() {
    let sandbox = sandbox();
    let more = ["--sources", "5", "--transfer", "facts.vyre"];
    finds(&search(&sandbox, &more), "5 -> 4 (depth 1, facts 0x1)\n");
    let csv = "source,sink,depth,source_index,facts\n5,4,1,0,1\n";
    finds(&search(&sandbox, &[&more[..], &["--format", "csv"]].concat()), csv);
    let run = search(&sandbox, &[&more[..], &["--format", "json"]].concat());
    let object: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(object["findings"], json!([{"source": 5, "sink": 4, "depth": 1, "source_index": 0, "facts": 1}]));
    finds(&search(&sandbox, &["--sources", "5", "--transfer", "open.vyre"]), "5 -> 4 (depth 1)\n");
}

/// Names with characters that formats must escape.
const SOURCE: &str = "say \"hi\", twice";
const SINK: &str = "tab\tbed\nline, 2";

#[test]
fn names_are_preserved_in_every_format() {
    // Only the binary format stores a name of two lines.
    let mut graph = Graph::from(to_csr(2, &[(0, 1)]));
    graph.csr.node_data = vec![Role::Source.word(), Role::Sink.word()];
    graph.names = Some([SOURCE, SINK].into_iter().collect());
    let mut bytes = Vec::new();
    write_graph(Format::BINARY, graph.view(), &mut bytes, &()).expect("writes to a vector do not fail");
    let sandbox = Sandbox::new(&[]);
    sandbox.write("a.vgr", &bytes);
    let run = |format: &str| {
        let base_args = ["graph", "taint", "a.vgr", "--backend", "reference", "--witness"];
        let run = sandbox.run(&[&base_args[..], &["--format", format, "-q"]].concat());
        assert_eq!((run.code, &*run.stderr), (Some(1), ""));
        run.text().to_owned()
    };
    let text = "say \"hi\", twice -> tab\\tbed\\nline, 2 (depth 1)\n    say \"hi\", twice\n    tab\\tbed\\nline, 2\n";
    assert_eq!(run("text"), text, "a name has no control characters in a terminal");
    let table = run("csv");
    let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(table.as_bytes());
    let rows: Vec<Vec<String>> = rows.deserialize().collect::<Result<_, _>>().expect("CSV");
    assert_eq!(rows[0].join(","), "source,sink,depth,source_index,source_name,sink_name,path,path_names");
    assert_eq!(rows[1], ["0", "1", "1", "0", SOURCE, SINK, "0 1", &format!("{SOURCE} -> {SINK}")]);
    let object: Value = serde_json::from_str(&run("json")).expect("JSON");
    let finding = &object["findings"][0];
    assert_eq!((&finding["source_name"], &finding["sink_name"]), (&json!(SOURCE), &json!(SINK)));
    assert_eq!(finding["path_names"], json!([SOURCE, SINK]));
    let log: Value = serde_json::from_str(&run("sarif")).expect("JSON");
    let location = &log["runs"][0]["results"][0]["locations"][0]["logicalLocations"][0];
    assert_eq!(location["fullyQualifiedName"], SINK);
}

#[test]
fn json_ends_with_the_total() {
    let sandbox = sandbox();
    let run = search(&sandbox, &["--format", "json"]);
    let object: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((&object["sources"], &object["total"], &object["fingerprint"]), (&json!(2), &json!(3), &Value::Null));
    assert_eq!(object["findings"].as_array().map(Vec::len), Some(3));
    let run = search(&sandbox, &["--format", "json", "--count", "--fingerprint"]);
    let object: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(object["total"], 3);
    assert_eq!(object["fingerprint"].as_str().map(str::len), Some(16));
    assert_eq!(object.get("findings"), None);
    let run = search(&sandbox, &["--format", "json", "--max-depth", "0"]);
    let object: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((run.code, &object["findings"]), (Some(0), &json!([])));
}

#[test]
fn tuning_changes_no_findings() {
    let sandbox = sandbox();
    let all = "0 -> 3 (depth 2)\n0 -> 4 (depth 3)\n5 -> 4 (depth 1)\n";
    for more in [
        &["--strategy", "bit-parallel"][..],
        &["--strategy", "bit-parallel", "--levels", "dense"],
        &["--strategy", "bit-parallel", "--levels", "sparse", "--contract", "on"],
        &["--strategy", "words"],
        &["--strategy", "distances"],
        &["--strategy", "distances", "--prune", "off", "--contract", "on"],
        &["--strategy", "per-source"],
        &["--strategy", "host"],
        &["--strategy", "host", "--prune", "on"],
        &["--prune", "on"],
        &["--prune", "off", "--contract", "off"],
        &["--memory", "16MiB", "--findings-memory", "1"],
    ] {
        finds(&search(&sandbox, more), all);
    }
}
