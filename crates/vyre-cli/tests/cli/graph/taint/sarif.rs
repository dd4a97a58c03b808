//! SARIF output conforms to the standard.

use serde_json::{Value, json};

use super::{sandbox, search};
use crate::harness::{Run, Sandbox};
use crate::scan::schema::check_sarif;

pub(in crate::graph) fn log(run: &Run) -> Value {
    let log = check_sarif(run.text());
    check(&log);
    log
}

/// Checks the requirements of sections 3.13 to 3.52 of the standard.
#[track_caller]
fn check(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|schema| schema.starts_with("https://")));
    let runs = log["runs"].as_array().expect("runs are an array");
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!((&driver["name"], driver["version"].is_string()), (&json!("vyre"), true));
    let rules = driver["rules"].as_array().expect("rules are an array");
    for rule in rules {
        for field in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[field]["text"].as_str().is_some_and(|text| !text.is_empty()), "{rule}");
        }
        assert!(rule["id"].is_string() && rule["defaultConfiguration"]["level"].is_string(), "{rule}");
    }
    assert_eq!(runs[0]["invocations"][0]["executionSuccessful"], true);
    for result in runs[0]["results"].as_array().expect("results are an array") {
        let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(result["ruleId"], rules[rule]["id"]);
        assert!(["none", "note", "warning", "error"].map(Value::from).contains(&result["level"]));
        assert!(result["message"]["text"].is_string());
        let locations = |list: &Value| list.as_array().expect("locations are an array").clone();
        let all_locations = locations(&result["locations"]).into_iter().chain(locations(&result["relatedLocations"]));
        all_locations.for_each(|location| check_location(&location));
        for flow in result["codeFlows"].as_array().into_iter().flatten() {
            for thread in flow["threadFlows"].as_array().expect("a code flow has thread flows") {
                let steps = locations(&thread["locations"]);
                assert!(!steps.is_empty());
                steps.iter().for_each(|step| check_location(&step["location"]));
            }
        }
        let fingerprints = result["partialFingerprints"].as_object().expect("an object");
        assert!(fingerprints.values().all(Value::is_string));
    }
}

#[track_caller]
fn check_location(location: &Value) {
    assert!(location["logicalLocations"][0]["fullyQualifiedName"].is_string(), "{location}");
    if let Some(physical) = location.get("physicalLocation") {
        assert!(physical["artifactLocation"]["uri"].is_string(), "{location}");
        assert!(physical.get("region").is_none_or(|region| region["startLine"].as_u64() > Some(0)), "{location}");
    }
    assert!(location.get("message").is_none_or(|message| message["text"].is_string()), "{location}");
}

#[test]
fn results_have_witnesses_unless_disabled() {
    let sandbox = sandbox();
    let run = search(&sandbox, &["--sources", "5", "--format", "sarif"]);
    assert_eq!((run.code, &*run.stderr), (Some(1), ""));
    let log = log(&run);
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("taint"), &json!("error")));
    assert_eq!(result["message"]["text"], "node 5 reaches node 4 over 1 edge.");
    let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
    let names: Vec<&Value> =
        steps.iter().map(|step| &step["location"]["logicalLocations"][0]["fullyQualifiedName"]).collect();
    assert_eq!(names, ["node 5", "node 4"]);
    let run = search(&sandbox, &["--sources", "5", "--format", "sarif", "--no-witness"]);
    assert_eq!(super::sarif::log(&run)["runs"][0]["results"][0].get("codeFlows"), None);
}

#[test]
fn a_log_without_results_is_valid() {
    let run = search(&sandbox(), &["--max-depth", "0", "--format", "sarif"]);
    assert_eq!((run.code, &log(&run)["runs"][0]["results"]), (Some(0), &json!([])));
}

#[test]
fn fingerprints_are_stable_and_depend_on_names() {
    let sandbox = sandbox();
    let fingerprints = |args: &[&str]| -> Vec<Value> {
        let log = log(&search(&sandbox, &[args, &["--format", "sarif"]].concat()));
        let results = log["runs"][0]["results"].as_array().expect("results").clone();
        results.iter().map(|result| result["partialFingerprints"]["sourceAndSink/v1"].clone()).collect()
    };
    let all = fingerprints(&[]);
    assert_eq!(all, fingerprints(&["--strategy", "per-source"]));
    assert_eq!(all[2..], fingerprints(&["--sources", "5"]));
    assert!(all[0] != all[1] && all[1] != all[2]);
}

#[test]
fn rules_are_pairs_of_labels_and_attributes_are_locations() {
    let sandbox = Sandbox::new(&[
        ("a.csv", "source,target\nread,run\nargv,run\n"),
        (
            "rules.toml",
            "format = 1\n[[source]]\nlabel = \"http\"\nnames = [\"read\"]\n[[source]]\nlabel = \"user\"\nnames = [\"read\", \
             \"argv\"]\n[[sink]]\nlabel = \"sql\"\nattributes = { kind = \"call\" }\n",
        ),
        ("nodes.csv", "name,kind,file,line\nrun,call,src/my db.py,7\nread,value,src/web.py,\n"),
    ]);
    let run = sandbox.run(&[
        "graph",
        "taint",
        "a.csv",
        "--names",
        "--rules",
        "rules.toml",
        "--attributes",
        "nodes.csv",
        "--format",
        "sarif",
        "--backend",
        "reference",
        "-q",
    ]);
    assert_eq!((run.code, &*run.stderr), (Some(1), ""));
    let log = log(&run);
    let ids: Vec<&Value> =
        log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").iter().map(|rule| &rule["id"]).collect();
    assert_eq!(ids, ["taint:http+user:sql", "taint:user:sql"]);
    let result = &log["runs"][0]["results"][0];
    let location = json!({"artifactLocation": {"uri": "src/my%20db.py"}, "region": {"startLine": 7}});
    assert_eq!(result["locations"][0]["physicalLocation"], location);
    assert_eq!(result["relatedLocations"][0]["physicalLocation"], json!({"artifactLocation": {"uri": "src/web.py"}}));
}

/// Searches a graph whose sink has a file and a line.
fn search_at(places: &str, args: &[&str]) -> Value {
    let sandbox = Sandbox::new(&[
        ("a.txt", "0 1\n"),
        ("roles.txt", "0 source\n1 sink\n"),
        ("root/src/a.py", "a\n"),
        ("nodes.csv", &format!("node,file,line\n{places}")),
    ]);
    let command = ["graph", "taint", "a.txt", "--nodes", "roles.txt", "--attributes", "nodes.csv", "--format", "sarif"];
    let run = sandbox.run(&[&command[..], &["--backend", "reference", "-q"], args].concat());
    assert_eq!((run.code, &*run.stderr), (Some(1), ""));
    log(&run)["runs"][0].clone()
}

#[test]
fn files_are_relative_uris_and_urls_stay() {
    let sandbox = Sandbox::new(&[]);
    let inside = sandbox.root().canonicalize().expect("the folder exists").join("b.py");
    for (file, uri) in [
        ("src/a b#c.py", "src/a%20b%23c.py"),
        ("./src/a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("https://host/a.js?x=1#y z", "https://host/a.js?x=1#y%20z"),
        ("/tmp/a.py", "file:///tmp/a.py"),
        ("C:\\a b.py", "file:///C:/a%20b.py"),
    ] {
        let run = search_at(&format!("1,{file},3\n"), &[]);
        let location = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], uri);
        assert_eq!(location["region"]["startLine"], 3);
    }
    // Files of a folder of sources, as seen from the current folder.
    let run = search_at("1,src/a.py,1\n", &["--source-root", "root"]);
    let uri = |run: &Value| run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].clone();
    assert_eq!(uri(&run), "root/src/a.py");
    sandbox.write("a.txt", b"0 1\n");
    sandbox.write("roles.txt", b"0 source\n1 sink\n");
    sandbox.write("nodes.csv", format!("node,file\n1,{}\n", inside.display()).as_bytes());
    let command = ["graph", "taint", "a.txt", "--nodes", "roles.txt", "--attributes", "nodes.csv", "--format", "sarif"];
    let run = sandbox.run(&[&command[..], &["--backend", "reference", "-q"]].concat());
    assert_eq!(uri(&log(&run)["runs"][0]), "b.py");
}

#[test]
fn lines_that_are_no_numbers_are_notifications() {
    for line in ["x", "0", "-1", "1.5", "7a"] {
        let run = search_at(&format!("0,a.py,\n1,b.py,{line}\n"), &[]);
        let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().expect("notifications");
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert_eq!(notes[0]["message"]["text"], format!("The line `{line}` of node 1 is no line number."));
        assert_eq!(notes[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "b.py");
        assert_eq!(notes[0]["descriptor"]["id"], run["tool"]["driver"]["notifications"][0]["id"]);
        assert_eq!(run["results"][0]["locations"][0]["physicalLocation"].get("region"), None);
    }
    let run = search_at("1,b.py,1\n", &[]);
    assert_eq!(run["invocations"][0].get("toolExecutionNotifications"), None);
}

#[test]
fn totals_are_rejected() {
    let run = search(&sandbox(), &["--count", "--format", "sarif"]);
    super::super::fails(&run, "--count and --fingerprint print numbers, for which SARIF has no form");
}
