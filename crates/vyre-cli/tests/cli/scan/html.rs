//! HTML reports: the file itself, and its use in a browser.

use std::fmt::Write as _;

use serde_json::Value;

use super::{sandbox, scan};
use crate::browser;
use crate::harness::Sandbox;

/// Writes a report of some paths.
fn report(sandbox: &Sandbox, paths: &[&str], name: &str) -> String {
    let run = scan(sandbox, &[paths, &["--format", "html", "-o", name, "--allow-incomplete"]].concat());
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
    assert_eq!(run.text(), "");
    sandbox.read_text(name)
}

/// The data of a report.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"report-data\">").expect("a block of data");
    let (json, _) = rest.split_once("</script>").expect("the block ends");
    serde_json::from_str(json).expect("it is JSON")
}

/// A package whose names and sources try to be markup.
fn hostile() -> Sandbox {
    let sandbox = Sandbox::new(&[]);
    let source = "// </script><script>window.ran = 1</script><!-- \u{202e}\n\
                  const name = process.argv[2] + \"</script><script>window.ran = 1</script><img src=x onerror=ran()> \u{2028} \u{2029}\";\n\
                  require('child_process').exec(name + '<iframe src=javascript:parent.ran=1>'); // \u{202e}\n";
    sandbox.write("app/<img src=x onerror=window.ran=1>.js", source.as_bytes());
    sandbox.write("app/{{script}}.js", format!("f(); {source}").as_bytes());
    sandbox.write("app/\"><script>window.ran=1<\u{202e}.js", b"eval(process.argv[2]); // ]]> --> {{data}}\n");
    sandbox
}

#[test]
fn a_report_is_one_file_with_everything() {
    let sandbox = sandbox();
    let page = report(&sandbox, &["app"], "report.html");
    assert!(page.starts_with("<!DOCTYPE html>\n") && page.ends_with("</html>\n"));
    assert!(page.contains("default-src 'none'") && !page.contains("unsafe-inline"));
    let (before, rest) = page.split_once("id=\"report-data\">").expect("a block of data");
    let (_, after) = rest.split_once("</script>").expect("the block ends");
    // The name of SVG is no address that a browser opens.
    let around = format!("{before}{after}").replace("http://www.w3.org/2000/svg", "");
    for part in ["http:", "https:", "//www", " src=", "<link", "@import", "url(h", "{{"] {
        assert!(!around.contains(part), "{part}");
    }
    let data = data(&page);
    assert_eq!(data["is_complete"], true);
    assert_eq!(data["findings"][0]["severity"], "critical");
    let steps = data["findings"][0]["steps"].as_array().expect("steps");
    assert!(steps.len() >= 3, "{steps:?}");
    // The text of a file is there once, as a whole.
    assert_eq!(page.matches("exports.run = function run(command)").count(), 1);
    assert_eq!(data["texts"]["whole"], 2);
    assert_eq!(data["coverage"]["scanned"]["files"], 2);
    assert!(page == report(&sandbox, &["app", "--jobs", "1"], "again.html"), "the report differs");
}

#[test]
fn nothing_of_a_package_is_markup() {
    let page = report(&hostile(), &["app"], "report.html");
    assert_eq!(page.matches("<script").count(), 2, "{page}");
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<img") && !page.contains("<iframe"));
    assert!(!page.contains(['\u{2028}', '\u{2029}']));
    let data = data(&page);
    let paths: Vec<&str> =
        data["files"].as_array().expect("files").iter().filter_map(|file| file["path"].as_str()).collect();
    assert!(paths.contains(&"<img src=x onerror=window.ran=1>.js"), "{paths:?}");
    assert!(page.contains("{{script}}.js") && page.contains("{{data}}"), "texts are as they are");
}

#[test]
fn large_files_are_excerpts_and_the_report_says_so() {
    let sandbox = Sandbox::new(&[]);
    let mut source = String::from("const { exec } = require('child_process');\n");
    for number in 0..8000 {
        writeln!(source, "function unused{number}(a) {{ return a + {number}; }}").expect("a string");
    }
    source.push_str("exec(process.argv[2]);\n");
    sandbox.write("app/index.js", source.as_bytes());
    let line = format!("{}exec(process.argv[2]);{}", "f();".repeat(3000), "g();".repeat(3000));
    sandbox.write("min/index.js", format!("const {{exec}}=require('child_process');{line}\n").as_bytes());
    let page = report(&sandbox, &["app", "min"], "report.html");
    let data = data(&page);
    assert_eq!((&data["texts"]["whole"], &data["texts"]["context"]), (&1.into(), &1.into()));
    let files = data["files"].as_array().expect("files");
    let of = |path: &str| files.iter().find(|file| file["path"] == path).unwrap_or_else(|| panic!("{path}: {files:?}"));
    assert_eq!(of("app/index.js")["lines"], 8003);
    let lines: usize = of("app/index.js")["chunks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|chunk| chunk[1].as_array())
        .map(Vec::len)
        .sum();
    assert!((10..100).contains(&lines), "{lines} lines");
    let parts = &of("min/index.js")["chunks"][0][1][0];
    assert!(
        parts["length"].as_u64() > Some(20_000)
            && parts["parts"][1][1].as_str().is_some_and(|part| part.contains("exec(process")),
        "{parts}"
    );
    assert!(page.len() < 200_000, "{} bytes", page.len());
}

/// Many findings: files with a flow for each function.
fn many(sandbox: &Sandbox, files: usize, flows: usize) {
    for file in 0..files {
        // Equal functions in several files would be one finding.
        let mut source = String::from("const { exec } = require('child_process');\n");
        for flow in 0..flows {
            let (function, argument) = (format!("run{file}_{flow}"), flow + 2);
            writeln!(
                source,
                "function {function}() {{ exec('ls {file} ' + process.argv[{argument}]); }}\n{function}();"
            )
            .expect("a string");
        }
        sandbox.write(&format!("large/part{file}.js"), source.as_bytes());
    }
}

/// Chromium opens reports, and a script uses them. `.ci/browser/reports.mjs` has the checks.
#[test]
fn in_browser_reports_are_used() {
    let Some(folder) = browser::folder("html") else { return };
    let sandbox = sandbox();
    sandbox.write(
        "page/index.js",
        b"eval(process.argv[2]);\nrequire('child_process').exec('ls ' + process.env.FOLDER);\n",
    );
    sandbox.write("broken/bad.js", b"let = = ;\n");
    sandbox.write(
        "states/index.js",
        b"const { exec } = require('child_process');\nexec(process.argv[2]);\n// vyre-ignore command-injection: only we start it\nexec(process.argv[3]);\n",
    );
    sandbox.write("states/other.js", b"eval(process.argv[5]);\n");
    assert_eq!(scan(&sandbox, &["states", "--format", "sarif", "-o", "old.sarif"]).code, Some(1));
    sandbox.write("states/more.js", b"eval(process.argv[2]);\n");
    many(&sandbox, 50, 200);
    for (name, paths) in [
        ("flow.html", &["app", "page"][..]),
        ("incomplete.html", &["app", "broken"]),
        ("empty.html", &["clean"]),
        ("large.html", &["large"]),
        ("states.html", &["states", "--baseline", "old.sarif", "--exclude", "other.js"]),
    ] {
        std::fs::write(folder.join(name), report(&sandbox, paths, name)).expect("the report is kept");
    }
    std::fs::write(folder.join("hostile.html"), report(&hostile(), &["app"], "report.html"))
        .expect("the report is kept");
    let text = browser::check("reports", &folder);
    assert!(text.contains("passed: is_safe"), "{text}");
}
