//! Programs that end the process that runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use vyre::conform::corpus::op_texts;
use vyre::conform::suite::{Example, Failure, SectionReport};
use vyre::conform::{Case, ReduceLimits, cases, corpus_file, corpus_ops, reduce};
use vyre::ir::OpTable;
use vyre::runtime::{PipelineOptions, ReferenceDevice, RunOptions};

use super::PROCESS;
use super::child::Children;
use crate::commands::conform::failures::OPS;

/// Maximum duration of a reduction. Every candidate is a process.
const MAX_REDUCTION_TIME: Duration = Duration::from_secs(120);

/// Maximum duration of a run of the reference.
const MAX_REFERENCE_TIME: Duration = Duration::from_secs(2);

/// A failure, and the op that it is about.
pub(super) struct Crash {
    pub(super) failure: Failure,
    op: Option<String>,
}

impl Crash {
    /// Counts the failure.
    pub(super) fn add_to(self, report: &mut SectionReport) {
        report.add_failure(self.failure, self.op);
    }
}

/// Failures of the programs that ran when a process ended: the programs that end a process again, or all of them if none does.
pub(super) fn failures(children: &Children<'_>, how: &str) -> Vec<Crash> {
    let mut running = running_programs(&children.running());
    let again: Vec<bool> = running.iter().map(|one| children.crashes(&one.file)).collect();
    if again.contains(&true) {
        let mut again = again.into_iter();
        running.retain(|_| again.next().unwrap_or(true));
    }
    let crash =
        |one: &RunningProgram| Crash { failure: one.failure(children, how), op: one.comment("Op").map(str::to_owned) };
    let mut failures: Vec<Crash> = running.iter().map(crash).collect();
    if failures.is_empty() {
        let message = format!("the process ended, {how}, while no program ran that the suite knows");
        let failure = Failure { item: PROCESS.to_owned(), message, seed: None, example: None };
        failures.push(Crash { failure, op: None });
    }
    failures
}

/// A program that ran.
struct RunningProgram {
    file: PathBuf,
    text: String,
    ops: Option<String>,
}

fn running_programs(folder: &Path) -> Vec<RunningProgram> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| {
        let name = file.to_string_lossy();
        name.ends_with(".vyre") && !name.ends_with(OPS)
    });
    files.sort();
    let program = |file: PathBuf| {
        let text = fs::read_to_string(&file).ok()?;
        let ops = fs::read_to_string(file.with_extension(OPS)).ok();
        Some(RunningProgram { file, text, ops })
    };
    files.into_iter().filter_map(program).collect()
}

impl RunningProgram {
    /// Text of a comment at the top.
    fn comment(&self, what: &str) -> Option<&str> {
        let start = format!("// {what}: ");
        self.text.lines().take_while(|line| line.starts_with("//")).find_map(|line| line.strip_prefix(&start))
    }

    fn failure(&self, children: &Children<'_>, how: &str) -> Failure {
        let (reduced, is_reduced) = match self.reduced(children) {
            Some(files) => (files, true),
            None => ((self.program(), self.ops.clone()), false),
        };
        let (program, ops) = reduced;
        let item =
            self.comment("Section").and_then(|section| section.split_once(", ")).map_or("program", |(_, item)| item);
        let device = self.comment("Device").unwrap_or("the device");
        Failure {
            item: item.to_owned(),
            message: format!("{device}: the process ended, {how}"),
            seed: self.comment("Seed").and_then(|seed| seed.parse().ok()),
            example: Some(Example {
                program,
                ops,
                is_reduced,
                buffer: String::new(),
                byte: 0,
                expected: String::new(),
                observed: how.to_owned(),
            }),
        }
    }

    /// The file without the comments about its origin.
    fn program(&self) -> String {
        let start = self.text.find("// run:").unwrap_or(0);
        self.text[start..].to_owned()
    }

    /// A smaller program that ends the process, and its ops.
    fn reduced(&self, children: &Children<'_>) -> Option<(String, Option<String>)> {
        let ops = match &self.ops {
            Some(text) => corpus_ops::table_of(op_texts(text).ok()?).ok()?,
            None => OpTable::default(),
        };
        let (case, _) = cases(&self.text, &ops).ok()?.into_iter().next()?;
        let folder = children.running();
        let end = Instant::now() + MAX_REDUCTION_TIME;
        let limits = ReduceLimits { time: Some(MAX_REDUCTION_TIME), ..ReduceLimits::default() };
        let mut crashes = |case: &Case| {
            let may_continue = Instant::now() < end && !children.is_cancelled();
            may_continue && written(case, &folder).is_some_and(|file| children.crashes(&file))
        };
        if !crashes(&case) {
            return None;
        }
        let small = reduce(&case, &limits, &mut crashes);
        let files = corpus_file(&small, &expected(&small)?);
        Some((files.program, files.ops))
    }
}

/// Contents of all buffers after a run on the reference interpreter.
fn expected(case: &Case) -> Option<std::collections::BTreeMap<vyre::ir::Name, Vec<u8>>> {
    let options = RunOptions::default().with_timeout(MAX_REFERENCE_TIME);
    case.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options).ok().map(|outcome| outcome.contents)
}

/// Writes the file of a candidate. There is none for a program without results, because `vyre conform repeat` refuses its file.
fn written(case: &Case, folder: &Path) -> Option<PathBuf> {
    let files = corpus_file(case, &expected(case)?);
    if !files.program.lines().any(|line| line.starts_with("// expect ")) {
        return None;
    }
    let file = folder.join("candidate.vyre");
    fs::write(&file, files.program).ok()?;
    let ops = file.with_extension(OPS);
    match files.ops {
        Some(text) => fs::write(ops, text).ok()?,
        None => {
            let _ = fs::remove_file(ops);
        }
    }
    Some(file)
}
