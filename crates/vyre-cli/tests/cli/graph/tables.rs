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

/// The titles select the columns of a CSV file and of a table alike.
#[test]
fn columns_are_selected_by_their_titles() {
    let rows = "time,source ip,weight,dest ip,bytes\n1,a,7,b,30\n2,b,8,c,40\n";
    let sandbox = Sandbox::new(&[("flows.csv", rows), ("flows.tsv", &rows.replace(',', "\t")), ("flows.txt", rows)]);
    for file in ["flows.csv", "flows.tsv", "flows.txt"] {
        let convert = |columns: &[&str]| {
            sandbox.run(&[&["graph", "convert", file, "--names", "--to", "csv", "-q"], columns].concat())
        };
        let ends = ["--source-column", "source ip", "--target-column", "dest ip"];
        let run = convert(&[&ends[..], &["--weight-column", "bytes"]].concat());
        assert_eq!((run.code, run.text()), (Some(0), "source,target,weight\na,b,30\nb,c,40\n"), "{}", run.stderr);
        let run = convert(&ends);
        assert_eq!((run.code, run.text()), (Some(0), "source,target,weight\na,b,7\nb,c,8\n"), "{}", run.stderr);
        let run = convert(&["--source-column", "dest ip", "--target-column", "source ip", "--weights", "ignore"]);
        assert_eq!((run.code, run.text()), (Some(0), "source,target\nb,a\nc,b\n"), "{}", run.stderr);
        let wrong = convert(&["--weight-column", "byte"]);
        fails(
            &wrong,
            "line 1, column 1: no column has the title `byte`; the titles are `time`, `source ip`, `weight`, `dest ip`, \
             `bytes` (--source-column, --target-column, --weight-column)",
        );
        fails(&convert(&["--source-column", "time", "--weight-column", "time"]), "`time` can have only one meaning");
    }
    stdout(&sandbox, "convert flows.csv --names --source-column time --target-column bytes -o flows.parquet");
    for (columns, expected) in [
        ("--source-column target --target-column source", "source,target\n30,1\n40,2\n"),
        ("--source-column target", "source,target\n30,1\n40,2\n"),
    ] {
        let titles = format!("convert flows.parquet --to csv --weights ignore {columns}");
        assert_eq!(stdout(&sandbox, &titles), expected, "{columns}");
    }
    let run = sandbox.run(&["graph", "info", "flows.parquet", "--source-column", "from"]);
    fails(&run, "flows.parquet: no column has the title `from`; the titles are `source`, `target`");
}

#[test]
fn titles_of_files_without_a_header_are_errors() {
    let sandbox = Sandbox::new(&[("a.txt", "# only a comment\n"), ("a.dot", "digraph { a -> b }"), ("b.csv", "a,b\n")]);
    let info = |args: &str| sandbox.run(&["graph", "info"].into_iter().chain(args.split(' ')).collect::<Vec<_>>());
    fails(&info("a.txt --source-column a"), "a.txt: the file has no line with the titles of its columns");
    fails(
        &info("a.dot --weight-column a"),
        "a.dot: files of the format `dot` have no titles of columns (--weight-column)",
    );
    fails(&info("b.csv --source-column a --header no"), "--source-column: a title is in a header");
    let run = info("b.csv --source-column b --format json");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.text().contains("\"edges\":0") || run.text().contains("\"edges\": 0"), "{}", run.text());
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
