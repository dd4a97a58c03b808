//! What a report says about findings and files: sources, fingerprints, warnings, scripts of pages.

use std::fs;
use std::sync::{Arc, LazyLock};

use pyrograph::coverage::FileOutcome;
use pyrograph::lines::LineIndex;
use pyrograph::scan::{ScanControl, ScanOptions, ScanReport, explain_missing, scan};
use vyre_jit::{JitDevice, JitOptions};

static DEVICE: LazyLock<Arc<JitDevice>> =
    LazyLock::new(|| Arc::new(JitDevice::new(&JitOptions::default()).expect("a CPU")));

fn scan_files(files: &[(&str, &str)]) -> ScanReport {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    let paths = [folder.path().to_owned()];
    scan(&paths, &ScanOptions::default(), DEVICE.clone(), &ScanControl::default()).expect("a report")
}

/// Path and line of the sinks.
fn sinks(report: &ScanReport) -> Vec<(&str, usize)> {
    let findings = report.findings.iter().map(|finding| finding.sink());
    findings
        .map(|sink| {
            let file = &report.coverage.files[sink.file as usize];
            let text = file.text.as_deref().unwrap_or_default();
            (file.path.as_str(), LineIndex::new(text).line(sink.span.start as usize))
        })
        .collect()
}

#[test]
fn other_sources_are_other_places() {
    let text = "const { exec } = require('child_process');\n\
                module.exports = (req, res) => { exec(req.query.a + req.body.b); };\n";
    let report = scan_files(&[("index.js", text)]);
    assert_eq!(report.findings.len(), 1);
    let finding = &report.findings[0];
    let mut starts: Vec<u32> = finding.other_sources.iter().map(|source| source.span.start).collect();
    starts.push(finding.source().span.start);
    starts.sort_unstable();
    let all = starts.len();
    starts.dedup();
    assert_eq!(starts.len(), all, "{finding:?}");
}

#[test]
fn fingerprints_tell_findings_apart_and_survive_moved_lines() {
    let text = "const { exec } = require('child_process');\nexports.run = a => { exec(a); };\n";
    let twice = "const { exec } = require('child_process');\nexports.run = a => { exec(a); exec(a); };\n";
    let prints = |first: &str| -> Vec<String> {
        let report = scan_files(&[("a.js", first), ("b/c.js", &format!("// c\n{text}")), ("d.js", twice)]);
        report.findings.iter().map(|finding| finding.fingerprint.clone()).collect()
    };
    let before = prints(text);
    let mut different = before.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!((before.len(), different.len()), (4, 4));
    assert_eq!(prints(&format!("// moved\n\n\n{}", text.replace("=> {", "=>   {\n"))), before);
}

#[test]
fn uses_of_models_are_seen_behind_types_decorators_and_wrappers() {
    let report = scan_files(&[
        (
            "nest.ts",
            "import { Controller, Get, Query } from '@nestjs/common';\n\
             @Controller() export class A { @Get() run(@Query('q') q: string) { return q; } }\n",
        ),
        ("promises.js", "const Promise = require('bluebird');\nexports.a = a => new Promise(ok => ok(a));\n"),
        (
            "sql.js",
            "const sql = require('mysql2/promise');\nexports.a = async () => (await sql.createPool({})).end();\n",
        ),
        ("router.js", "const Router = require('router');\nexports.a = () => new Router({});\n"),
        ("files.js", "const fs = require('fs-extra');\nexports.a = path => fs.readFile(path);\n"),
        ("sockets.js", "const { Server } = require('socket.io');\nexports.a = server => new Server(server);\n"),
        ("again.js", "exports.koa = require('koa');\n"),
    ]);
    assert_eq!(report.warnings, Vec::<String>::new());
    let report = scan_files(&[("a.js", "const mysql = require('mysql');\nmysql.makeCoffee();\n")]);
    assert_eq!(report.warnings, ["mysql is imported, but no entry of its model matches"]);
}

#[test]
fn one_bad_script_of_a_page_does_not_hide_the_others() {
    let page = "<html>\n<script>\ndocument.write(location.hash);\n</script>\n<script>\nvar = 1;\n</script>\n\
                <a onclick=\"eval(location.hash.slice(1)); return false\">x</a>\n\
                <a href=\"javascript:document.write(location.hash)\">x</a>\n\
                <script>document.write(location.hash)</script>\n";
    let report = scan_files(&[("index.html", page)]);
    assert_eq!(
        sinks(&report),
        [("index.html", 3), ("index.html", 8), ("index.html", 9), ("index.html", 10)],
        "{:?}",
        report.coverage.problems
    );
    assert!(report.coverage.is_incomplete());
    let problems: Vec<&str> = report.coverage.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("syntax error on line 6"), "{problems:?}");
    assert_eq!(report.coverage.files[0].outcome, FileOutcome::Scanned);
    let report =
        scan_files(&[("index.html", "<script>a()</script>\n<script>b()</script>\n<script>\nvar = 1;</script>")]);
    assert!(report.coverage.problems[0].message.contains("line 4"), "{:?}", report.coverage.problems);
    let report = scan_files(&[("index.html", "<p>\n<script>var = 1;</script>")]);
    assert!(
        matches!(&report.coverage.files[0].outcome, FileOutcome::Failed(message) if message.contains("line 2")),
        "{:?}",
        report.coverage.files
    );
}

#[test]
fn an_interrupted_scan_has_no_warnings_about_models() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.js"), "const mysql = require('mysql');\nmysql.makeCoffee();\n").expect("a file");
    let mut options = ScanOptions::default();
    options.time_limit = Some(std::time::Duration::ZERO);
    let paths = [folder.path().to_owned()];
    let report = scan(&paths, &options, DEVICE.clone(), &ScanControl::default()).expect("a report");
    assert_eq!(report.warnings, Vec::<String>::new());
    assert!(report.coverage.is_interrupted);
    let outcomes: Vec<_> = report.coverage.files.iter().map(|file| (file.path.as_str(), &file.outcome)).collect();
    assert_eq!(outcomes, [("a.js", &FileOutcome::TimedOut)]);
}

#[test]
fn explanations_name_guards_and_sanitizers() {
    let explain = |text: &str, source: &str, sink: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.js"), text).expect("a file");
        let paths = [folder.path().to_owned()];
        let (source, sink) = (source.parse().expect("a position"), sink.parse().expect("a position"));
        let options = ScanOptions::default();
        explain_missing(&paths, &options, &source, &sink, DEVICE.clone(), &ScanControl::default()).expect("a text")
    };
    let guarded = "const { exec } = require('child_process');\n\
                   const name = process.argv[2];\n\
                   if (!/^[a-z]+$/.test(name)) process.exit(1);\n\
                   exec('ls ' + name);\n";
    let text = explain(guarded, "a.js:2", "a.js:4");
    assert!(text.contains("the test at a.js:3:6: /^[a-z]+$/.test(name) (rule command-injection)"), "{text}");
    let converted = "const { exec } = require('child_process');\n\
                     const name = process.argv[2];\n\
                     const count = parseInt(name, 10);\n\
                     exec('head -n ' + count);\n";
    let text = explain(converted, "a.js:2", "a.js:4");
    assert!(text.contains("the call at a.js:3:15: parseInt(name, 10) (rule command-injection)"), "{text}");
    let unrelated = "const { exec } = require('child_process');\n\
                     const name = process.argv[2];\n\
                     exec('ls');\n\
                     module.exports = name.length;\n";
    let text = explain(unrelated, "a.js:2", "a.js:3");
    assert!(!text.contains("makes the value safe"), "{text}");
}

#[test]
fn messages_of_clients_count_in_libraries_and_those_of_processes_do_not() {
    let manifest = "{ \"name\": \"server\", \"version\": \"1.0.0\", \"main\": \"index.js\" }\n";
    let sockets = "const fs = require('fs');\n\
                   const { WebSocketServer } = require('ws');\n\
                   require('net').createServer((socket) => {\n\
                     socket.on('data', (name) => fs.readFileSync('/data/' + name));\n\
                   }).listen(1);\n\
                   new WebSocketServer({ port: 2 }).on('connection', (socket) => {\n\
                     socket.on('message', (name) => fs.readFileSync('/data/' + name));\n\
                   });\n";
    let report = scan_files(&[("package.json", manifest), ("index.js", sockets)]);
    assert_eq!(sinks(&report), [("index.js", 4), ("index.js", 7)]);
    let worker = "const { exec } = require('child_process');\nprocess.on('message', (name) => exec('ls ' + name));\n";
    let report = scan_files(&[("package.json", manifest), ("index.js", worker)]);
    assert_eq!(sinks(&report), []);
}
