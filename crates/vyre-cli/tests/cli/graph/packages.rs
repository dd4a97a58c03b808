//! Lock files and SBOMs as graphs: which dependencies reach a vulnerable package.

use serde_json::Value;

use crate::harness::Sandbox;

const LOCK: &str = r#"{"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "packages": {
    "": {"name": "shop", "version": "1.0.0", "dependencies": {"web": "^1.0.0"}, "devDependencies": {"tester": "^3.0.0"}},
    "node_modules/web": {"version": "1.2.0", "dependencies": {"utils": "^4.0.0"}},
    "node_modules/utils": {"version": "4.17.21"},
    "node_modules/tester": {"version": "3.0.0", "dev": true, "dependencies": {"utils": "~4.17.0"}},
    "node_modules/tester/node_modules/utils": {"version": "4.17.20", "dev": true}}}"#;

const ADVISORY: &str = r#"{"id": "TEST-1", "summary": "utils is bad", "affected": [{"package": {"ecosystem": "npm", "name": "utils"},
    "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "4.17.21"}]}]}]}"#;

fn sandbox() -> Sandbox {
    Sandbox::new(&[("package-lock.json", LOCK), ("advisory.json", ADVISORY)])
}

#[test]
fn a_path_leads_to_the_vulnerable_package() {
    let run = sandbox().run(&[
        "graph",
        "taint",
        "package-lock.json",
        "--sources",
        "root",
        "--sinks",
        "utils@<4.17.21",
        "--witness",
    ]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let expected =
        "shop@1.0.0 -> utils@4.17.20 (depth 2)\n    shop@1.0.0\n    tester@3.0.0  (development)\n    utils@4.17.20\n";
    assert_eq!(run.text(), expected);
}

#[test]
fn advisories_are_labels_of_findings() {
    let run = sandbox().run(&[
        "graph",
        "taint",
        "package-lock.json",
        "--advisory",
        "advisory.json",
        "--witness",
        "--format",
        "json",
    ]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(report["graph"]["format"], "package-lock");
    let [finding] = &report["findings"].as_array().expect("findings")[..] else { panic!("{report}") };
    assert_eq!(finding["sink_labels"], serde_json::json!(["TEST-1"]));
    assert_eq!(finding["path_names"], serde_json::json!(["shop@1.0.0", "tester@3.0.0", "utils@4.17.20"]));
    assert_eq!(finding["path_dependencies"], serde_json::json!(["development", "runtime"]));
}

#[test]
fn kinds_of_dependencies_are_selected() {
    let args =
        ["graph", "taint", "package-lock.json", "--advisory", "advisory.json", "--dependencies", "runtime,optional"];
    let run = sandbox().run(&args);
    assert_eq!((run.code, run.text()), (Some(0), ""), "{}", run.stderr);
}

#[test]
fn other_commands_take_lock_files() {
    let sandbox = sandbox();
    let run = sandbox.run(&[
        "graph",
        "path",
        "package-lock.json",
        "--from",
        "root",
        "--to",
        "utils@4.17.21",
        "--format",
        "text",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.text().contains("utils@4.17.21"), "{}", run.text());
    let run = sandbox.run(&["graph", "info", "package-lock.json", "--format", "json"]);
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((report["nodes"].as_u64(), report["edges"].as_u64()), (Some(5), Some(4)), "{report}");
}

#[test]
fn what_is_not_there_is_an_error() {
    let sandbox = sandbox();
    sandbox.write("edges.csv", b"a,b\n");
    sandbox.write("bad/package-lock.json", b"{\"lockfileVersion\": 3, \"packages\": {");
    for (file, option, text, message) in [
        (
            "package-lock.json",
            "--sinks",
            "utils@>5",
            "no package matches `utils@>5`; the file has `utils` in version 4.17.21, 4.17.20",
        ),
        ("package-lock.json", "--sinks", "lodash@1", "there is no package `lodash` in the file"),
        ("package-lock.json", "--sinks", "utils@", "`utils@` has no version range behind `@`"),
        ("package-lock.json", "--sinks", "utils@latest", "`latest` is no version"),
        ("package-lock.json", "--sources", "nothing", "there is no package `nothing` in the file"),
        ("package-lock.json", "--advisory", "package-lock.json", "it is no advisory in OSV's format"),
        ("package-lock.json", "--advisory", "none.json", "cannot read none.json"),
        ("edges.csv", "--advisory", "advisory.json", "this graph is no lock file and no SBOM"),
        ("bad/package-lock.json", "--sources", "root", "it is not valid JSON"),
    ] {
        let names: &[&str] = if file == "edges.csv" { &["--names", "--header", "no"] } else { &[] };
        let run = sandbox.run(&[&["graph", "taint", file, option, text][..], names].concat());
        assert_eq!(run.code, Some(2), "{text}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{text}: {}", run.stderr);
    }
}

#[test]
fn sinks_of_other_graphs_are_nodes() {
    let sandbox = Sandbox::new(&[("edges.txt", "0 1\n1 2\n2 3\n")]);
    let run = sandbox.run(&["graph", "taint", "edges.txt", "--sources", "0", "--sinks", "2,3"]);
    assert_eq!((run.code, run.text()), (Some(1), "0 -> 2 (depth 2)\n0 -> 3 (depth 3)\n"), "{}", run.stderr);
    let run = sandbox.run(&["graph", "taint", "edges.txt", "--sources", "0", "--sinks", "9"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn packages_come_from_standard_input() {
    let sandbox = sandbox();
    let taint = ["graph", "taint", "-", "--sources", "root", "--backend", "reference", "--quiet", "--sinks"];
    let run =
        sandbox.run_with_input(&[&taint[..], &["b@<1.3"]].concat(), b"example.com/m a@v1.0.0\na@v1.0.0 b@v1.2.0\n");
    assert_eq!((run.code, run.text()), (Some(1), "example.com/m -> b@v1.2.0 (depth 2)\n"), "{}", run.stderr);
    let run = sandbox.run_with_input(&[&taint[..], &["utils@4.17.20"]].concat(), LOCK.as_bytes());
    assert_eq!((run.code, run.text()), (Some(1), "shop@1.0.0 -> utils@4.17.20 (depth 2)\n"), "{}", run.stderr);
}
