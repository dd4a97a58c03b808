//! The programs that scan: command lines and what their reports say.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::process::{Usage, measure};
use crate::error::Error;
use crate::harness::Timed;

/// Program that scans a folder.
#[derive(Clone, Debug)]
pub enum Scanner {
    /// `vyre scan` with all rules.
    Vyre {
        /// Path of the program.
        program: PathBuf,
    },
    /// Semgrep with one rule.
    Semgrep {
        /// Path of the program.
        program: PathBuf,
        /// File of the rule.
        rule: PathBuf,
    },
}

/// One scan of a package.
#[derive(Clone, Debug)]
pub struct ScanSample {
    /// Time and memory.
    pub usage: Usage,
    /// Files that were scanned.
    pub files: u64,
    /// Lines of these files.
    pub lines: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// Files of code that were not scanned, or not completely.
    pub failed: u64,
    /// Findings.
    pub findings: u64,
    /// Wall-clock seconds of each stage, by name. Empty: the program does not tell.
    pub stages: Vec<(String, f64)>,
}

impl Timed for ScanSample {
    fn time(&self) -> Duration {
        self.usage.cpu
    }
}

impl Scanner {
    /// Name in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Scanner::Vyre { .. } => "vyre",
            Scanner::Semgrep { .. } => "Semgrep",
        }
    }

    fn program(&self) -> &Path {
        match self {
            Scanner::Vyre { program } | Scanner::Semgrep { program, .. } => program,
        }
    }

    /// Version as the program states it.
    ///
    /// # Errors
    ///
    /// The program cannot be started.
    pub fn version(&self) -> Result<String, Error> {
        let output = Command::new(self.program()).arg("--version").stderr(Stdio::null()).output();
        let output = output.map_err(|error| self.failure(&error.to_string()))?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_owned())
    }

    /// Scans a folder. The report of the program goes to a file below `scratch`.
    ///
    /// # Errors
    ///
    /// The program cannot be started, fails, or its report is not as expected.
    pub fn scan(&self, folder: &Path, jobs: usize, scratch: &Path) -> Result<ScanSample, Error> {
        let path = scratch.join(format!("{}.json", self.name()));
        let output = File::create(&path).map_err(Error::of_file(&path))?;
        let mut command = Command::new(self.program());
        command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
        match self {
            Scanner::Vyre { .. } => {
                command.args(["scan", "--format", "json", "--stats", "--quiet", "--allow-incomplete", "--jobs"]);
                command.arg(jobs.to_string()).arg(folder);
            }
            Scanner::Semgrep { rule, .. } => {
                // Declarations have no code, and `vyre scan` skips them. By default Semgrep leaves out minified files, tests and
                // files of more than 1 MB.
                command.args(["scan", "--metrics", "off", "--disable-version-check", "--no-git-ignore", "--quiet"]);
                command.args(["--x-ignore-semgrepignore-files", "--max-target-bytes", "0", "--json"]);
                command.args(["--exclude", "*.d.ts", "--exclude", "*.d.mts", "--exclude", "*.d.cts"]);
                command.args(["--exclude", "node_modules", "--jobs"]).arg(jobs.to_string());
                command.arg("--config").arg(rule).arg(folder);
            }
        }
        let usage = measure(&mut command).map_err(|error| self.failure(&error.to_string()))?;
        if !matches!(usage.status, Some(0 | 1)) {
            return Err(self.failure(&format!("exit status {:?} for {}", usage.status, folder.display())));
        }
        let text = fs::read(&path).map_err(Error::of_file(&path))?;
        let report: Value = serde_json::from_slice(&text).map_err(|error| self.failure(&error.to_string()))?;
        match self {
            Scanner::Vyre { .. } => vyre_sample(usage, &report),
            Scanner::Semgrep { .. } => semgrep_sample(usage, &report),
        }
        .ok_or_else(|| self.failure("its report is not as expected"))
    }

    fn failure(&self, message: &str) -> Error {
        Error::Process { program: self.program().display().to_string(), message: message.to_owned() }
    }
}

fn vyre_sample(usage: Usage, report: &Value) -> Option<ScanSample> {
    let coverage = report.get("coverage")?;
    let count = |part: &str, field: &str| coverage.get(part)?.get(field)?.as_u64();
    let stages = report.get("seconds")?.as_object()?.iter();
    Some(ScanSample {
        usage,
        files: count("scanned", "files")?,
        lines: count("scanned", "lines")?,
        bytes: count("scanned", "bytes")?,
        failed: count("failed", "files")? + count("timed_out", "files")?,
        findings: report.get("findings")?.as_array()?.len() as u64,
        stages: stages.filter_map(|(stage, seconds)| Some((stage.clone(), seconds.as_f64()?))).collect(),
    })
}

fn semgrep_sample(usage: Usage, report: &Value) -> Option<ScanSample> {
    let paths = report.get("paths")?.get("scanned")?.as_array()?;
    let (mut lines, mut bytes) = (0, 0);
    for path in paths.iter().filter_map(Value::as_str) {
        let text = fs::read(path).ok()?;
        lines +=
            text.split(|&byte| byte == b'\n').count() as u64 - u64::from(text.last().is_none_or(|&end| end == b'\n'));
        bytes += text.len() as u64;
    }
    let errors = report.get("errors")?.as_array()?;
    let mut failed: Vec<&str> = errors.iter().filter_map(|error| error.get("path")?.as_str()).collect();
    failed.sort_unstable();
    failed.dedup();
    Some(ScanSample {
        usage,
        files: paths.len() as u64,
        lines,
        bytes,
        failed: failed.len() as u64,
        findings: report.get("results")?.as_array()?.len() as u64,
        stages: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage() -> Usage {
        Usage { cpu: Duration::from_secs(1), wall: Duration::from_secs(2), peak_kib: 3, status: Some(0) }
    }

    #[test]
    fn reports_of_both_programs_are_read() {
        let text = r#"{"findings": [{}], "coverage": {"scanned": {"files": 2, "bytes": 30, "lines": 4},
            "failed": {"files": 1, "bytes": 5}, "timed_out": {"files": 1, "bytes": 5}}, "seconds": {"read": 0.5}}"#;
        let report = serde_json::from_str(text).expect("it is JSON");
        let sample = vyre_sample(usage(), &report).expect("it is complete");
        assert_eq!((sample.files, sample.lines, sample.bytes, sample.failed, sample.findings), (2, 4, 30, 2, 1));
        assert_eq!(sample.stages, [("read".to_owned(), 0.5)]);
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("a.js");
        fs::write(&path, "a\nb").expect("there is room");
        let report = serde_json::json!({
            "paths": {"scanned": [path]}, "results": [], "errors": [{"path": "b.js"}, {"path": "b.js"}]
        });
        let sample = semgrep_sample(usage(), &report).expect("it is complete");
        assert_eq!((sample.files, sample.lines, sample.bytes, sample.failed, sample.findings), (1, 2, 3, 1, 0));
        assert!(semgrep_sample(usage(), &Value::Null).is_none());
    }
}
