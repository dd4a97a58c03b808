//! Processes of sections.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use vyre::conform::certificate::Certificate;
use vyre::conform::suite::{Failure, Part, SectionReport};
use vyre::runtime::CancelToken;

use super::PROCESS;
use super::report::section_of;
use crate::args::conform::{ConformArgs, ConformDevice};
use crate::exit::Outcome;
use crate::output::visible;
use crate::termination::{TemporaryFolder, run_child, run_child_within};

/// Maximum duration of a process that runs one program.
const MAX_PROGRAM_TIME: Duration = Duration::from_secs(60);

/// Time before a process that failed is started again. A driver can need it after a crash.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Generated programs of a process.
#[derive(Clone, Copy)]
pub(super) struct Programs {
    pub(super) seed: u64,
    pub(super) count: u64,
    /// Longest time, or 0.
    pub(super) seconds: u64,
}

/// Checks of a process.
#[derive(Clone, Copy)]
pub(super) enum Checks {
    /// All of the section.
    All,
    /// A part of them, within a number of seconds if there is a limit.
    Part(Part, Option<u64>),
    /// Some generated programs.
    Programs(Programs),
}

/// End of the process of a section.
pub(super) enum Ended {
    /// It wrote its report.
    Report(Box<SectionReport>),
    /// It wrote nothing: a signal or a driver ended it. The text says how.
    Crash(String),
    /// It could not begin its checks: the device does not open, or a folder cannot be written. The text is its error.
    Failed(String),
    /// It began its checks, and left no report that counts: it could not write one, or it ran on another device. The text says why.
    Invalid(String),
    /// Ctrl-C ended it before its section had a report.
    Cancelled,
}

/// What the processes of a run have shown, all together.
#[derive(Default)]
pub(super) struct Health {
    has_worked: AtomicBool,
    failure: OnceLock<String>,
}

impl Health {
    fn record(&self, ended: &Ended) {
        match ended {
            Ended::Report(_) | Ended::Crash(_) | Ended::Invalid(_) => self.has_worked.store(true, Ordering::Relaxed),
            Ended::Failed(error) => {
                // The first error is the one that is reported.
                let _ = self.failure.set(error.clone());
            }
            Ended::Cancelled => {}
        }
    }

    /// The first error of a process, if none has worked.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str).filter(|_| !self.has_worked.load(Ordering::Relaxed))
    }
}

/// The check that a process could not make.
pub(super) fn failure_of_process(error: &str, seed: Option<u64>) -> Failure {
    let message = format!("the process of the section failed: {error}");
    Failure { item: PROCESS.to_owned(), message, seed, example: None }
}

/// A process that ended in an unusual way, although it had written its report.
fn failure_at_end(status: ExitStatus, seed: Option<u64>) -> Failure {
    let message = format!("the process ended, {status}, after its checks");
    Failure { item: PROCESS.to_owned(), message, seed, example: None }
}

/// Processes of this command.
pub(super) struct Children<'a> {
    args: &'a ConformArgs,
    /// Certificate of the run without its sections. Processes must have the same device, driver, build, corpus and level.
    expected: &'a Certificate,
    /// Number of threads of the process of a section.
    threads: usize,
    cancel: &'a CancelToken,
    health: &'a Health,
    folder: TemporaryFolder,
}

impl<'a> Children<'a> {
    pub(super) fn new(
        args: &'a ConformArgs,
        expected: &'a Certificate,
        threads: usize,
        cancel: &'a CancelToken,
        health: &'a Health,
    ) -> anyhow::Result<Children<'a>> {
        let folder = TemporaryFolder::create("vyre-conform-").context("cannot create a temporary folder")?;
        Ok(Children { args, expected, threads, cancel, health, folder })
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Folder of the programs that run. After a crash it has those that ran at the time.
    pub(super) fn running(&self) -> PathBuf {
        self.folder.path().join("running")
    }

    /// Reports whether the last process began its checks. It creates the folder of running programs when its device has opened.
    fn has_begun(&self) -> bool {
        self.running().exists()
    }

    /// Runs a section, or some of its checks. A process that fails before its checks is started a second time.
    pub(super) fn run(&self, section: &str, checks: Checks) -> Ended {
        let mut ended = self.attempt(section, checks);
        if matches!(ended, Ended::Failed(_)) {
            std::thread::sleep(RETRY_PAUSE);
            ended = if self.is_cancelled() { Ended::Cancelled } else { self.attempt(section, checks) };
        }
        self.health.record(&ended);
        ended
    }

    fn attempt(&self, section: &str, checks: Checks) -> Ended {
        let failed = |error: anyhow::Error| self.failed(format!("{error:#}"));
        let ended = self.run_once(section, checks).unwrap_or_else(failed);
        match ended {
            // Whatever ends without a report after Ctrl-C ended because of it.
            Ended::Failed(_) | Ended::Crash(_) if self.is_cancelled() => Ended::Cancelled,
            ended => ended,
        }
    }

    /// End of a process without a report.
    fn failed(&self, error: String) -> Ended {
        if self.has_begun() { Ended::Invalid(error) } else { Ended::Failed(error) }
    }

    fn run_once(&self, section: &str, checks: Checks) -> anyhow::Result<Ended> {
        let (certificate, running) = (self.folder.path().join("certificate.json"), self.running());
        let _ = fs::remove_file(&certificate);
        let _ = fs::remove_dir_all(&running);
        let args = self.args;
        let mut command = this_command()?;
        command.args(["conform", "--quiet", "--only", section, "--level", args.level.level().name()]);
        of_device(&mut command, &args.device);
        command.arg("--max-failures").arg(args.max_failures.to_string());
        let (seed, count, seconds) = match checks {
            Checks::All => (args.seed, args.programs, args.section_seconds),
            Checks::Part(part, seconds) => {
                command.arg("--part").arg(format!("{}/{}", part.number, part.parts));
                (args.seed, args.programs, seconds)
            }
            Checks::Programs(Programs { seed, count, seconds }) => (seed, Some(count), Some(seconds)),
        };
        // The processes of one section run side by side. A section of one process may be the last one that runs.
        let threads = if matches!(checks, Checks::All) { self.threads } else { 1 };
        command.arg("--threads").arg(threads.to_string()).arg("--seed").arg(seed.to_string());
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
        let Ok(text) = fs::read_to_string(&certificate) else {
            return Ok(match status.code() {
                Some(code) if code == i32::from(Outcome::Failure.code()) => self.failed(last_error(&errors)),
                _ if was_asked_to_end(status) => Ended::Cancelled,
                _ => Ended::Crash(status.to_string()),
            });
        };
        let has_ended_well = matches!(status.code(), Some(0 | 1)) || was_asked_to_end(status) || self.is_cancelled();
        Ok(match section_of(&text, section, self.expected) {
            Ok(Some(mut report)) => {
                if !has_ended_well {
                    let seed = if let Checks::Programs(programs) = checks { Some(programs.seed) } else { None };
                    report.add_failure(failure_at_end(status, seed), None);
                }
                Ended::Report(Box::new(report))
            }
            Ok(None) if was_asked_to_end(status) || self.is_cancelled() => Ended::Cancelled,
            Ok(None) => Ended::Invalid("it ended before its section began".to_owned()),
            Err(error) => Ended::Invalid(error),
        })
    }

    /// Reports whether the program of a file ends a process that runs it. A process that takes too long is ended, and counts as one that ran.
    /// One that cannot be started, or that this process ended, tells nothing.
    pub(super) fn crashes(&self, file: &Path) -> bool {
        let Ok(mut command) = this_command() else { return false };
        command.args(["conform", "repeat"]);
        of_device(&mut command, &self.args.device);
        command.arg(file);
        let status = run_child_within(MAX_PROGRAM_TIME, &mut command).ok().flatten();
        let has_crashed = |status: ExitStatus| !matches!(status.code(), Some(0..=2)) && !was_asked_to_end(status);
        status.is_some_and(has_crashed) && !self.is_cancelled()
    }
}

/// Reports whether a signal ended the process that asks for it. Ctrl-C can reach it before this process.
fn was_asked_to_end(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if matches!(status.signal(), Some(libc::SIGINT | libc::SIGTERM | libc::SIGHUP)) {
            return true;
        }
    }
    status.code() == Some(i32::from(Outcome::Interrupted.code()))
}

/// The last error that a process printed.
fn last_error(errors: &[u8]) -> String {
    let errors = String::from_utf8_lossy(errors);
    let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it gave no reason");
    visible(last.strip_prefix("error: ").unwrap_or(last)).into_owned()
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
