//! Scans a package for flows from untrusted inputs to dangerous calls, and prints the report.
//!
//! `cargo run -p vyre --features full --example scan_package [PATH]`

use std::path::{Path, PathBuf};

use vyre::pyrograph::knowledge::ThreatModel;
use vyre::pyrograph::report::{ReportFormat, ReportOptions, write};
use vyre::pyrograph::scan::ScanOptions;

/// A server with a flow from a request to a shell, across two files, and a call that is safe.
const PACKAGE: [(&str, &str); 3] = [
    ("package.json", r#"{"name": "example", "scripts": {"start": "node server.js"}}"#),
    (
        "server.js",
        "const http = require('http');
const { archive } = require('./archive');

http.createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  archive(url.searchParams.get('name'));
  response.end();
}).listen(8080);
",
    ),
    (
        "archive.js",
        "const { exec, execFile } = require('child_process');

exports.archive = function archive(name) {
  exec('tar czf out.tgz ' + name);
  execFile('tar', ['czf', 'out.tgz', '--', String(Number(name))]);
};
",
    ),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(path) = std::env::args_os().nth(1) {
        return print_scan(&PathBuf::from(path)).map(|_| ());
    }
    let directory = std::env::temp_dir().join(format!("vyre-example-scan-{}", std::process::id()));
    let outcome = scan_example(&directory);
    let _ = std::fs::remove_dir_all(&directory);
    outcome
}

fn scan_example(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(directory)?;
    for (name, text) in PACKAGE {
        std::fs::write(directory.join(name), text)?;
    }
    let findings = print_scan(directory)?;
    assert_eq!(findings, 1);
    Ok(())
}

/// Prints the report and returns the number of findings.
fn print_scan(path: &Path) -> Result<usize, Box<dyn std::error::Error>> {
    let mut options = ScanOptions::default();
    options.models = vec![ThreatModel::Application];
    let report = vyre::scan(path, &options)?;
    write(&report, ReportFormat::Text, ReportOptions::default(), &mut std::io::stdout().lock())?;
    Ok(report.findings.len())
}
