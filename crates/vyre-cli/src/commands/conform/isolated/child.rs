//! Processes of sections.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tempfile::TempDir;
use vyre::conform::certificate::Certificate;
use vyre::conform::suite::SectionReport;
use vyre::runtime::CancelToken;

use crate::args::conform::{ConformArgs, ConformDevice};
use crate::exit::Outcome;
use crate::output::visible;
use crate::termination::{run_child, run_child_within};

/// Maximum duration of a process that runs one program.
const MAX_PROGRAM_TIME: Duration = Duration::from_secs(60);

/// Generated programs of a process.
pub(super) struct Programs {
    pub(super) seed: u64,
    pub(super) count: u64,
    /// Longest time, or 0.
    pub(super) seconds: u64,
}

/// End of the process of a section.
pub(super) enum Ended {
    /// It wrote its report.
    Report(Box<SectionReport>),
    /// It wrote nothing: a signal or a driver ended it. The text says how.
    Crash(String),
    /// Ctrl-C ended it before its section had a report.
    Cancelled,
}

/// Processes of this command.
pub(super) struct Children<'a> {
    args: &'a ConformArgs,
    cancel: &'a CancelToken,
    folder: TempDir,
}

impl<'a> Children<'a> {
    pub(super) fn new(args: &'a ConformArgs, cancel: &'a CancelToken) -> anyhow::Result<Children<'a>> {
        let folder = tempfile::Builder::new().prefix("vyre-conform-").tempdir();
        let folder = folder.context("cannot create a temporary folder")?;
        Ok(Children { args, cancel, folder })
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Folder of the programs that run. After a crash it has those that ran at the time.
    pub(super) fn running(&self) -> PathBuf {
        self.folder.path().join("running")
    }

    /// Runs a section, or some generated programs.
    pub(super) fn run(&self, section: &str, programs: Option<Programs>) -> anyhow::Result<Ended> {
        let (certificate, running) = (self.folder.path().join("certificate.json"), self.running());
        let _ = fs::remove_file(&certificate);
        let _ = fs::remove_dir_all(&running);
        let args = self.args;
        let mut command = this_command()?;
        command.args(["conform", "--quiet", "--only", section, "--level", args.level.level().name()]);
        of_device(&mut command, &args.device);
        command.arg("--max-failures").arg(args.max_failures.to_string());
        let (seed, count, seconds) = match programs {
            Some(Programs { seed, count, seconds }) => (seed, Some(count), Some(seconds)),
            None => (args.seed, args.programs, args.section_seconds),
        };
        // One program after the other: the threads of this process are processes.
        command.args(["--threads", "1", "--seed"]).arg(seed.to_string());
        for (option, value) in [("--programs", count), ("--section-seconds", seconds)] {
            if let Some(value) = value {
                command.arg(option).arg(value.to_string());
            }
        }
        if let Some(corpus) = &args.corpus {
            command.arg("--corpus").arg(corpus);
        }
        command.arg("--out").arg(&certificate).arg("--running").arg(&running);
        let (status, errors) = run_child(&mut command).context("cannot run the process of a section")?;
        if status.code() == Some(i32::from(Outcome::Failure.code())) {
            let errors = String::from_utf8_lossy(&errors).into_owned();
            bail!("the process of section {section} failed: {}", visible(errors.trim()));
        }
        let Ok(text) = fs::read_to_string(&certificate) else {
            return Ok(if self.is_cancelled() { Ended::Cancelled } else { Ended::Crash(status.to_string()) });
        };
        let certificate: Certificate = Certificate::from_json(&text).context("the certificate of a section")?;
        match certificate.sections.into_iter().next() {
            Some(section) => Ok(Ended::Report(Box::new(section))),
            None => Ok(Ended::Cancelled),
        }
    }

    /// Reports whether the program of a file ends a process that runs it. A process that takes too long is ended, and counts as one that ran.
    pub(super) fn crashes(&self, file: &Path) -> anyhow::Result<bool> {
        let mut command = this_command()?;
        command.args(["conform", "repeat"]);
        of_device(&mut command, &self.args.device);
        command.arg(file);
        let status = run_child_within(MAX_PROGRAM_TIME, &mut command).context("cannot run a program again")?;
        Ok(status.is_some_and(|status| !matches!(status.code(), Some(0..=2 | 130))))
    }
}

fn this_command() -> anyhow::Result<Command> {
    Ok(Command::new(std::env::current_exe().context("the path of this command is unknown")?))
}

fn of_device(command: &mut Command, device: &ConformDevice) {
    command.arg("--backend").arg(&device.backend);
    if let Some(which) = &device.device {
        command.arg("--device").arg(which);
    }
}
