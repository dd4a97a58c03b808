//! Properties of scans of any text and of any package: the bodies of the fuzz targets of `pyrograph`.
//!
//! Each function panics if its property is violated.

use std::path::Path;
use std::sync::Arc;

use pyrograph::finding::Location;
use pyrograph::lang::{LowerOptions, javascript, python};
use pyrograph::report::{self, ReportFormat, ReportOptions};
use pyrograph::scan::{ScanControl, ScanOptions, ScanReport, scan};
use vyre_runtime::{Device, ReferenceDevice};

/// Line that begins a file in the input of [`check_package`]; the path follows.
const HEADER: &[u8] = b"//// ";
/// Most files of a package.
const MAX_FILES: usize = 12;
/// Longest path of a file.
const MAX_PATH: usize = 60;

/// Any text is lowered or refused, as a file of every dialect. A module keeps the contract of front ends, and a second run
/// yields the same module.
pub fn check_javascript(text: &str) {
    for path in ["a.js", "a.ts", "a.tsx", "a.d.ts"] {
        let options = LowerOptions { max_depth: 200, max_instructions: 100_000, ..LowerOptions::default() };
        let Ok(module) = javascript::lower(path, text, &options) else { continue };
        if let Err(problem) = module.check(text) {
            panic!("{path}: {problem}\n{module}");
        }
        let again = javascript::lower(path, text, &options).map(|module| module.to_string());
        assert_eq!(again, Ok(module.to_string()), "{path}: the second run differs");
    }
}

/// Any text is lowered as Python, or refused. A module keeps the contract of front ends, and a second run yields the same module.
pub fn check_python(text: &str) {
    let options = LowerOptions { max_depth: 200, max_instructions: 100_000, ..LowerOptions::default() };
    let Ok(module) = python::lower(text, &options) else { return };
    if let Err(problem) = module.check(text) {
        panic!("{problem}\n{module}");
    }
    let again = python::lower(text, &options).map(|module| module.to_string());
    assert_eq!(again, Ok(module.to_string()), "the second run differs");
}

/// Files of the input of a fuzz target: paths and contents. A line `//// path` begins a file.
fn files(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_prefix(HEADER) {
            Some(path) if files.len() < MAX_FILES => files.push((file_path(path, files.len()), Vec::new())),
            _ => {
                if files.is_empty() {
                    files.push(("index.js".to_owned(), Vec::new()));
                }
                if let Some((_, content)) = files.last_mut() {
                    content.extend_from_slice(line);
                }
            }
        }
    }
    files
}

/// Path of a file below the package. Paths that are not plain names become numbers.
fn file_path(line: &[u8], number: usize) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@/".contains(&byte);
    match line.trim_ascii() {
        path if path.len() <= MAX_PATH && path.iter().all(|&byte| is_plain(byte)) => {
            let parts: Vec<&str> = std::str::from_utf8(path)
                .unwrap_or("")
                .split('/')
                .filter(|part| !matches!(*part, "" | "." | ".."))
                .collect();
            if parts.is_empty() { format!("{number}.js") } else { parts.join("/") }
        }
        _ => format!("{number}.js"),
    }
}

/// Any package is scanned. All places of findings exist, all reports can be written, and the reports do not depend on the
/// number of threads.
pub fn check_package(bytes: &[u8]) {
    let folder =
        std::env::temp_dir().join(format!("vyre-scan-{}-{:?}", std::process::id(), std::thread::current().id()));
    let outcome = std::panic::catch_unwind(|| check_package_in(&folder, &files(bytes)));
    // A folder that remains does no harm to the next run, which clears it first.
    let _ = std::fs::remove_dir_all(&folder);
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

fn check_package_in(folder: &Path, files: &[(String, Vec<u8>)]) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).expect("a folder");
    for (path, content) in files {
        let path = folder.join(path);
        // A file where another one needs a folder, or the other way around: the first one wins.
        let _ = path.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(path, content);
    }
    let first = reports(folder, 1);
    let second = reports(folder, 2);
    assert_eq!(first, second, "the reports of one thread and of two threads differ");
}

/// Reports of a scan in all formats.
fn reports(folder: &Path, jobs: usize) -> Vec<String> {
    let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
    let mut options = ScanOptions::default();
    options.jobs = Some(jobs);
    options.dependencies = true;
    let report = scan(&[folder.to_owned()], &options, device, &ScanControl::default())
        .unwrap_or_else(|error| panic!("the scan failed: {error}"));
    check_places(&report);
    ReportFormat::ALL
        .into_iter()
        .map(|format| {
            let mut out = Vec::new();
            report::write(&report, format, ReportOptions::default(), &mut out).expect("memory takes all bytes");
            String::from_utf8(out).expect("reports are text")
        })
        .collect()
}

/// Checks that findings refer to rules, files and ranges of their texts.
fn check_places(report: &ScanReport) {
    let check = |location: Location| {
        let file = &report.coverage.files[location.file as usize];
        let text = file.text.as_deref().unwrap_or_else(|| panic!("{}: a finding in a file without text", file.path));
        let range = location.span.start as usize..location.span.end as usize;
        assert!(text.get(range).is_some(), "{}: {:?} is no range of the text", file.path, location.span);
    };
    for finding in &report.findings {
        assert!(finding.rule < report.knowledge.rules.len(), "a finding without a rule");
        assert!(!finding.witness.is_empty(), "a finding without a witness: {}", finding.message);
        finding.witness.iter().for_each(|step| check(step.location));
        finding.other_sources.iter().chain(&finding.copies).copied().for_each(check);
    }
}
