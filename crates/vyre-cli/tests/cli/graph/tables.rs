//! Parquet and Arrow: tables of edges as inputs and outputs, and results as tables.

use super::fails;
use crate::harness::Sandbox;

const CALLS: &str = "source,target,weight\nmain,init,3\nmain,log,1\ninit,log,2\n";

fn stdout(sandbox: &Sandbox, command: &str) -> String {
    let args: Vec<&str> = ["graph"].into_iter().chain(command.split(' ')).collect();
    let run = sandbox.run(&args);
    assert!(matches!(run.code, Some(0 | 1)), "{command}: {}", run.stderr);
    run.text().to_owned()
}

#[test]
fn tables_of_edges_are_inputs_and_outputs() {
    let sandbox = Sandbox::new(&[("calls.csv", CALLS)]);
    for extension in ["parquet", "arrow", "feather", "arrows"] {
        stdout(&sandbox, &format!("convert calls.csv --names -o calls.{extension}"));
        assert_eq!(stdout(&sandbox, &format!("convert calls.{extension} --to csv")), CALLS, "{extension}");
    }
    let table = sandbox.read("calls.parquet");
    let piped = sandbox.run_with_input(&["graph", "convert", "-", "--to", "csv"], &table);
    assert_eq!((piped.code, piped.text()), (Some(0), CALLS), "{}", piped.stderr);
    assert!(stdout(&sandbox, "info calls.parquet --format csv").contains("\ncalls.parquet,parquet,"));
}

#[test]
fn results_are_tables() {
    let sandbox = Sandbox::new(&[("calls.csv", CALLS), ("roles.csv", "node,role\nmain,source\nlog,sink\n")]);
    // The first two columns of these results are numbers of nodes, so the results are tables of edges too.
    for (command, edges) in [
        ("components", "0,0\n1,0\n2,0\n"),
        ("reach --sources main", "0,1\n0,2\n"),
        ("bfs --nodes roles.csv", "0,2\n"),
        ("taint --nodes roles.csv --witness", "0,2\n"),
        ("path --from main", "0,0\n1,3\n2,1\n"),
    ] {
        let (name, rest) = command.split_once(' ').unwrap_or((command, "--names"));
        let rest = if rest == "--names" { String::new() } else { format!(" {rest}") };
        stdout(&sandbox, &format!("{name} calls.csv --names{rest} --format parquet -o result.parquet"));
        assert_eq!(stdout(&sandbox, "convert result.parquet --to csv"), format!("source,target\n{edges}"), "{command}");
    }
}

#[test]
fn damaged_tables_are_errors() {
    let sandbox = Sandbox::new(&[("calls.csv", CALLS)]);
    stdout(&sandbox, "convert calls.csv --names -o calls.parquet");
    let bytes = sandbox.read("calls.parquet");
    sandbox.write("cut.parquet", &bytes[..bytes.len() - 9]);
    fails(&sandbox.run(&["graph", "info", "cut.parquet"]), "cut.parquet: a Parquet table that is damaged");
    fails(
        &sandbox.run(&["graph", "info", "calls.csv", "--input-format", "arrow"]),
        "calls.csv: an Arrow file that is damaged or not supported: it does not begin with ARROW1",
    );
}
