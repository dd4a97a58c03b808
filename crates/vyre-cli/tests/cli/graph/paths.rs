//! `vyre graph path` to several nodes.

use serde_json::{Value, json};

use super::{BACKENDS, fails};
use crate::harness::{Run, Sandbox};

/// 0 -> 1 -> 2 -> 3 of weight 1 each, a dearer 0 -> 3, and 5 -> 4.
const ROADS: &str = "0 1 1\n0 3 7\n1 2 1\n2 3 1\n5 4 2\n";
const CALLS: &str = "main,init\nmain,run\nrun,exec\nidle,log\n";

fn sandbox() -> Sandbox {
    Sandbox::new(&[("roads.txt", ROADS), ("calls.csv", CALLS), ("ends.txt", "3 # the last\n4,1\n"), ("one.txt", "3\n")])
}

fn path(args: &str) -> Run {
    let args: Vec<&str> = ["graph", "path"].into_iter().chain(args.split(' ')).collect();
    sandbox().run(&args)
}

#[test]
fn each_end_that_is_reached_is_a_row() {
    for backend in BACKENDS {
        for (ends, code, rows) in [
            ("--to 3,1", 0, "3\t3\t0 -> 1 -> 2 -> 3\n1\t1\t0 -> 1\n"),
            ("--to 1 --to 3 --to 1", 0, "1\t1\t0 -> 1\n3\t3\t0 -> 1 -> 2 -> 3\n"),
            ("--to ends.txt", 1, "3\t3\t0 -> 1 -> 2 -> 3\n1\t1\t0 -> 1\n"),
            ("--to one.txt", 0, "3\t3\t0 -> 1 -> 2 -> 3\n"),
            ("--to 0 --to 3 --unweighted", 0, "0\t0\t0\n3\t1\t0 -> 3\n"),
            ("--to 4 --to 5", 1, ""),
        ] {
            let run = path(&format!("roads.txt --from 0 {ends} -q --backend {backend}"));
            assert_eq!((run.code, run.text(), &*run.stderr), (Some(code), rows, ""), "{ends}");
        }
    }
}

#[test]
fn one_end_is_a_path() {
    let run = path("roads.txt --from 0 --to 3 -q");
    assert_eq!((run.code, run.text()), (Some(0), "distance: 3\npath: 0 -> 1 -> 2 -> 3\n"));
}

#[test]
fn ends_that_are_not_reached_are_reported() {
    let run = path("roads.txt --from 0,2 --to 3,4,5 --backend reference");
    assert_eq!((run.code, run.text()), (Some(1), "3\t1\t2 -> 3\n"));
    let notes: Vec<&str> = run.stderr.lines().skip(1).collect();
    assert_eq!(notes, ["1 of 3 ends reached", "there is no path from 0,2 to 4", "there is no path from 0,2 to 5"]);
    let run = path("calls.csv --names --from main --to exec,log,main --format json -q");
    let object: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(run.code, Some(1));
    assert_eq!((&object["count"], &object["distance"]), (&json!(2), &Value::Null));
    assert_eq!((&object["unreached"], &object["unreached_names"]), (&json!([5]), &json!(["log"])));
    let exec = json!({
        "node": 3, "distance": 2, "path": [0, 2, 3], "node_name": "exec", "path_names": ["main", "run", "exec"]
    });
    assert_eq!(object["rows"][0], exec);
    let run = path("roads.txt --from 0 --to 3,4 --count -q");
    assert_eq!((run.code, run.text()), (Some(1), "1\n"));
    let star: String = (1..=30).map(|leaf| format!("{leaf} 0\n")).collect();
    let sandbox = Sandbox::new(&[("star.txt", &star)]);
    let ends: Vec<String> = (1..=30).map(|leaf| leaf.to_string()).collect();
    let run = sandbox.run(&["graph", "path", "star.txt", "--from", "0", "--to", &ends.join(",")]);
    assert_eq!(run.stderr.lines().last(), Some("there is no path to 20 other ends either"));
}

#[test]
fn paths_are_lists_in_tables() {
    let run = path("calls.csv --names --from main --to exec,init --format csv -q");
    let expected = "node,distance,path,node_name,path_names\n\
                    3,2,0 2 3,exec,main -> run -> exec\n1,1,0 1,init,main -> init\n";
    assert_eq!((run.code, run.text()), (Some(0), expected));
    let run = path("calls.csv --names --from main --to exec,init --format table -q");
    assert_eq!(run.text(), "node  distance  path\nexec         2  main -> run -> exec\ninit         1  main -> init\n");
    // Reversed paths have the direction of the edges.
    let run = path("calls.csv --names --from exec --to main,run --reverse -q");
    assert_eq!(run.text(), "main\t2\tmain -> run -> exec\nrun\t1\trun -> exec\n");
    let run = path("roads.txt --from 0 --to 1,3 --weight-scale 10 --format csv -q");
    assert_eq!(run.text(), "node,distance,path\n1,1,0 1\n3,3,0 1 2 3\n");
}

#[cfg(feature = "tables")]
#[test]
fn paths_are_lists_in_parquet() {
    let sandbox = sandbox();
    let to_parquet = ["--format", "parquet", "-o", "paths.parquet", "-q"];
    let command = ["graph", "path", "calls.csv", "--names", "--from", "main", "--to", "exec,log"];
    let run = sandbox.run(&[&command[..], &to_parquet].concat());
    assert_eq!((run.code, &*run.stderr), (Some(1), ""));
    let run = sandbox.run(&["graph", "convert", "paths.parquet", "--to", "csv"]);
    assert_eq!(run.text(), "source,target\n3,2\n", "{}", run.stderr);
}

#[test]
fn wrong_ends_are_errors() {
    fails(&path("roads.txt --from 0 --to 1,9"), "--to: ");
    fails(&path("roads.txt --from 9 --to 1"), "--from: there is no node `9`; nodes are 0 to 5");
    fails(&path("calls.csv --names --from main --to exec,nothing"), "nothing");
    fails(&path("- --from - --to 1"), "standard input can be read only once");
    fails(&path("roads.txt --from - --to -"), "standard input can be read only once");
    let run = sandbox().run_with_input(&["graph", "path", "roads.txt", "--from", "0", "--to", "-", "-q"], b"1 3");
    assert_eq!((run.code, run.text()), (Some(0), "1\t1\t0 -> 1\n3\t3\t0 -> 1 -> 2 -> 3\n"));
}
