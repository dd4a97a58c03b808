//! Lock files and SBOMs as graphs: which dependencies reach a vulnerable package.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
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
fn advisories_are_columns_of_tables() {
    let sandbox = sandbox();
    let taint = ["graph", "taint", "package-lock.json", "--advisory", "advisory.json", "--quiet", "--format"];
    let run = sandbox.run(&[&taint[..], &["csv"]].concat());
    let expected = "source,sink,depth,source_index,source_name,sink_name,source_labels,sink_labels\n\
                    0,4,2,0,shop@1.0.0,utils@4.17.20,,TEST-1\n";
    assert_eq!((run.code, run.text()), (Some(1), expected), "{}", run.stderr);
}

#[test]
fn withdrawn_advisories_are_left_out() {
    let sandbox = sandbox();
    let withdrawn =
        ADVISORY.replace("\"id\": \"TEST-1\"", "\"id\": \"TEST-2\", \"withdrawn\": \"2024-01-01T00:00:00Z\"");
    sandbox.write("all/1.json", withdrawn.as_bytes());
    let taint = ["graph", "taint", "package-lock.json", "--backend", "reference", "--advisory", "all"];
    let run = sandbox.run(&taint);
    assert_eq!((run.code, run.text()), (Some(0), ""), "{}", run.stderr);
    assert!(run.stderr.contains("files with only withdrawn advisories: 1 of 1"), "{}", run.stderr);
    sandbox.write("all/2.json", ADVISORY.as_bytes());
    let run = sandbox.run(&taint);
    assert_eq!((run.code, run.text()), (Some(1), "shop@1.0.0 -> utils@4.17.20 [TEST-1] (depth 2)\n"), "{}", run.stderr);
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

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("writes to a vector do not fail");
    encoder.finish().expect("writes to a vector do not fail")
}

const CARGO: &str = "version = 4\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\n \"dep\",\n]\n\n[[package]]\nname = \"dep\"\nversion = \"1.2.3\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n";

#[test]
fn compressed_lock_files_are_lock_files() {
    let sandbox = sandbox();
    sandbox.write("deep/package-lock.json.gz", &gzip(LOCK));
    sandbox.write("Cargo.lock.gz", &gzip(CARGO));
    // Gzip without its extension.
    sandbox.write("gzip/package-lock.json", &gzip(LOCK));
    sandbox.write("advisory.json.gz", &gzip(ADVISORY));
    sandbox.write("advisories/TEST-1.json.gz", &gzip(ADVISORY));
    let expected = "shop@1.0.0 -> utils@4.17.20 (depth 2)\n";
    let taint = ["graph", "taint", "--backend", "reference", "--quiet", "--advisory"];
    for file in ["package-lock.json", "deep/package-lock.json.gz", "gzip/package-lock.json"] {
        for advisory in ["advisory.json", "advisory.json.gz", "advisories"] {
            let run = sandbox.run(&[&taint[..], &[advisory, file]].concat());
            assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{file} {advisory}");
            assert!(run.text().starts_with("shop@1.0.0 -> utils@4.17.20"), "{}", run.text());
        }
    }
    let command = [&taint[..5], &["--sinks", "utils@4.17.20", "-"]].concat();
    let run = sandbox.run_with_input(&command, &gzip(LOCK));
    assert_eq!((run.code, run.text()), (Some(1), expected), "{}", run.stderr);
    let run = sandbox.run(&["graph", "path", "Cargo.lock.gz", "--from", "root", "--to", "dep", "-q"]);
    assert_eq!((run.code, run.text()), (Some(0), "distance: 1\npath: app@0.1.0 -> dep@1.2.3\n"), "{}", run.stderr);
}

#[test]
fn damaged_compressed_lock_files_are_errors() {
    let sandbox = sandbox();
    let compressed = gzip(LOCK);
    sandbox.write("package-lock.json.gz", &compressed[..compressed.len() - 12]);
    sandbox.write("yarn.lock.gz", &gzip("\u{0}\u{1}"));
    for file in ["package-lock.json.gz", "yarn.lock.gz"] {
        let run = sandbox.run(&["graph", "info", file]);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{file}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(file), "{}", run.stderr);
    }
}

#[test]
fn packages_in_several_versions_are_several_ends() {
    let run = sandbox().run(&["graph", "path", "package-lock.json", "--from", "root", "--to", "utils", "-q"]);
    let expected = "utils@4.17.21\t2\tshop@1.0.0 -> web@1.2.0 -> utils@4.17.21\n\
                    utils@4.17.20\t2\tshop@1.0.0 -> tester@3.0.0 -> utils@4.17.20\n";
    assert_eq!((run.code, run.text()), (Some(0), expected), "{}", run.stderr);
}
