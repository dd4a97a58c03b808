//! Tables at 60, 80 and 120 columns, and in pipes.

use std::path::Path;

use crate::golden::compare;
use crate::harness::{Sandbox, finish, vyre};

/// Widths of usual terminals.
const WIDTHS: [usize; 3] = [60, 80, 120];

/// Output of a command at a number of columns.
fn at(folder: &Path, columns: usize, args: &[&str]) -> String {
    let run = finish(vyre(folder).args(args).env("COLUMNS", columns.to_string()));
    assert!(matches!(run.code, Some(0 | 1)), "{args:?}: {}", run.stderr);
    run.text().to_owned()
}

/// Outputs of commands at all widths. Every line must fit.
fn transcript(folder: &Path, commands: &[&[&str]]) -> String {
    let mut transcript = String::new();
    for args in commands {
        for columns in WIDTHS {
            let output = at(folder, columns, args);
            let too_long = output.lines().find(|line| line.chars().count() > columns);
            assert_eq!(too_long, None, "{args:?} at {columns} columns");
            transcript.push_str(&format!("$ COLUMNS={columns} vyre {}\n{output}", args.join(" ")));
        }
    }
    transcript
}

#[test]
fn lists_of_ops_rules_and_passes_fit() {
    let sandbox = Sandbox::new(&[]);
    let first_lines = |text: &str| {
        // The first rows suffice, and the others change often.
        let mut kept = String::new();
        let mut count = 0;
        for line in text.split_inclusive('\n') {
            count = if line.starts_with("$ ") { 0 } else { count + 1 };
            if count <= 12 {
                kept.push_str(line);
            }
        }
        kept
    };
    let lists = transcript(sandbox.root(), &[&["ops"], &["rules", "list"], &["explain"], &["lower", "--list-passes"]]);
    compare("width_lists.txt", &first_lines(&lists));
}

#[test]
fn lists_in_pipes_have_a_line_for_each_row() {
    let sandbox = Sandbox::new(&[]);
    let run = sandbox.run(&["ops"]);
    assert!(run.text().lines().all(|line| line.starts_with("primitive.") || line.contains('.')), "{}", run.text());
    let rules = sandbox.run(&["rules", "list"]);
    assert!(rules.text().lines().all(|line| line.contains("  CWE-")), "{}", rules.text());
}

#[test]
fn devices_fit() {
    let sandbox = Sandbox::new(&[]);
    compare("width_devices.txt", &transcript(sandbox.root(), &[&["devices", "--backend", "reference"]]));
}

/// A graph with long names.
const LONG: &str = "caller,callee\n\
    com.example.application.server.RequestHandler.handle,com.example.application.storage.Database.execute\n\
    com.example.application.server.RequestHandler.handle,log\n\
    log,com.example.application.storage.Database.execute\n";

#[test]
fn tables_of_graphs_fit() {
    let sandbox = Sandbox::new(&[
        ("calls.csv", LONG),
        (
            "roles.csv",
            "node,role\ncom.example.application.server.RequestHandler.handle,source\n\
             com.example.application.storage.Database.execute,sink\n",
        ),
    ]);
    let graph = ["--names", "--quiet", "--backend", "reference", "--format", "table"];
    let command = |words: &[&'static str]| [&["graph"], words, &graph].concat();
    let commands = [
        command(&["bfs", "calls.csv", "--nodes", "roles.csv"]),
        command(&["toposort", "calls.csv"]),
        command(&["path", "calls.csv", "--from", "log", "--to", "com.example.application.storage.Database.execute"]),
        command(&["pagerank", "calls.csv"]),
        ["graph", "info", "calls.csv", "--names", "--quiet"].to_vec(),
    ];
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    compare("width_graph.txt", &transcript(sandbox.root(), &commands));
}

#[test]
fn a_table_in_a_file_is_neither_wrapped_nor_coloured() {
    let sandbox = Sandbox::new(&[("calls.csv", LONG)]);
    let args = ["--color", "always", "graph", "scc", "calls.csv", "--names", "-q", "--backend", "reference"];
    let run = finish(vyre(sandbox.root()).args(args).args(["--format", "table", "-o", "out"]).env("COLUMNS", "60"));
    assert_eq!((run.code, run.text()), (Some(0), ""), "{}", run.stderr);
    let table = sandbox.read_text("out");
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(!table.contains('\u{1b}'), "{table:?}");
    let run = finish(vyre(sandbox.root()).args(args).args(["--format", "table"]));
    assert!(run.text().starts_with("\u{1b}[1mnode"), "{:?}", run.text());
}
