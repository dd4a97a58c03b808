//! Run corpus: programs with inputs and expected outputs.
//!
//! The comments at the top of a file have the runs:
//!
//! ```text
//! // run: grid 2
//! // in input = u32: 1, 2, 3
//! // in out = zeros: 4
//! // expect out = u32: 2, 3
//! //     : 4, 0
//! ```
//!
//! A comment that starts with `:` continues the list before it. A file may have several runs. Files are independent of backends:
//! every device runs all of them. There is a directory for each topic, and a directory `ops` for the ops that programs call.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use vyre_ir::text::{self, ParseErrors};
use vyre_ir::{BufferAccess, Diagnostic, Name, OpTable, Program};
use vyre_runtime::{
    Bindings, Buffer, CommandList, ContentsError, Device, PipelineOptions, RunOptions, RunReport, parse_contents, words,
};

use crate::Case;
use crate::corpus::{Comment, CorpusError, comments, program_files};
use crate::corpus_ops::{OpsError, op_table};
use crate::settings;

/// A run of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Line of `// run:`.
    pub line: u32,
    /// Number of workgroups on each axis.
    pub grid: [u32; 3],
    /// Buffers and their contents before the run.
    pub inputs: Vec<(String, String)>,
    /// Buffers and their contents after it.
    pub expected: Vec<(String, String)>,
}

/// Failure of a corpus file.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunFailure {
    /// A malformed directive.
    BadDirective {
        /// The line.
        line: u32,
    },
    /// No `// run:`, or a run without expectations.
    NoExpectation,
    /// A program that does not parse.
    Syntax(Box<ParseErrors>),
    /// A program that is not valid.
    Invalid(Box<Diagnostic>),
    /// An unknown buffer.
    UnknownBuffer(String),
    /// Malformed contents.
    Contents(String, ContentsError),
    /// The device failed.
    Device(vyre_runtime::Error),
    /// A result that differs from the expected one.
    Mismatch {
        /// Line of `// run:`.
        line: u32,
        /// The buffer.
        buffer: String,
        /// Position of the first byte that differs.
        byte: usize,
        /// The expected words.
        expected: Vec<u32>,
        /// The actual words.
        found: Vec<u32>,
    },
    /// A race.
    Race(String),
}

impl fmt::Display for RunFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunFailure::BadDirective { line } => write!(f, "line {line}: no directive"),
            RunFailure::NoExpectation => write!(f, "nothing is run or expected"),
            RunFailure::Syntax(error) => write!(f, "{error}"),
            RunFailure::Invalid(diagnostic) => write!(f, "{} at {}: {diagnostic}", diagnostic.rule, diagnostic.path),
            RunFailure::UnknownBuffer(name) => write!(f, "the program has no buffer `{name}`"),
            RunFailure::Contents(name, error) => write!(f, "contents of `{name}`: {error}"),
            RunFailure::Device(error) => write!(f, "{error}"),
            RunFailure::Mismatch { line, buffer, byte, expected, found } => write!(
                f,
                "run in line {line}: `{buffer}` differs from byte {byte} on\n  expected {expected:x?}\n  found    {found:x?}"
            ),
            RunFailure::Race(race) => write!(f, "{race}"),
        }
    }
}

impl std::error::Error for RunFailure {}

/// Parses the runs of a file.
///
/// # Errors
///
/// Fails on a malformed directive, or a file without expectations.
pub fn runs(source: &str) -> Result<Vec<Run>, RunFailure> {
    let mut runs: Vec<Run> = Vec::new();
    // The contents that a continuation line belongs to.
    let mut open = Open::Nothing;
    for Comment { line, text } in comments(source) {
        let bad = || RunFailure::BadDirective { line };
        if let Some(grid) = text.strip_prefix("run:") {
            let grid = grid.trim().strip_prefix("grid").and_then(parse_grid).ok_or_else(bad)?;
            runs.push(Run { line, grid, ..Run::default() });
            open = Open::Nothing;
            continue;
        }
        let Some(run) = runs.last_mut() else { continue };
        if let Some(more) = text.strip_prefix(':') {
            let list = match open {
                Open::Inputs => &mut run.inputs,
                Open::Expected => &mut run.expected,
                Open::Nothing => return Err(bad()),
            };
            let (_, contents) = list.last_mut().ok_or_else(bad)?;
            contents.push(',');
            contents.push_str(more);
        } else if let Some(input) = text.strip_prefix("in ") {
            run.inputs.push(assignment(input).ok_or_else(bad)?);
            open = Open::Inputs;
        } else if let Some(expected) = text.strip_prefix("expect ") {
            run.expected.push(assignment(expected).ok_or_else(bad)?);
            open = Open::Expected;
        } else {
            open = Open::Nothing;
        }
    }
    let complete = !runs.is_empty() && runs.iter().all(|run| !run.expected.is_empty());
    if complete { Ok(runs) } else { Err(RunFailure::NoExpectation) }
}

enum Open {
    Nothing,
    Inputs,
    Expected,
}

/// Parses a grid such as `2` or `4,1,2`. Missing axes are 1.
#[must_use]
pub fn parse_grid(text: &str) -> Option<[u32; 3]> {
    let mut grid = [1; 3];
    let numbers: Vec<_> = text.split(',').collect();
    for (axis, number) in numbers.iter().enumerate() {
        *grid.get_mut(axis)? = number.trim().parse().ok()?;
    }
    Some(grid)
}

fn assignment(text: &str) -> Option<(String, String)> {
    let (name, contents) = text.split_once('=')?;
    Some((name.trim().to_owned(), contents.trim().to_owned()))
}

/// All programs of a corpus, by topic.
///
/// # Errors
///
/// Fails on an unreadable directory.
pub fn files(corpus: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let unreadable = |error| CorpusError::Unreadable { path: corpus.to_owned(), error };
    let entries: Vec<_> = std::fs::read_dir(corpus).and_then(Iterator::collect).map_err(unreadable)?;
    let mut topics: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    topics.retain(|path| path.is_dir() && !path.ends_with(OPS));
    topics.sort();
    let mut files = Vec::new();
    for topic in topics {
        files.extend(program_files(&topic)?);
    }
    Ok(files)
}

/// Op table of a corpus.
///
/// # Errors
///
/// Fails on an unreadable or malformed file.
pub fn ops(corpus: &Path) -> Result<OpTable, OpsError> {
    op_table(&corpus.join(OPS))
}

/// The directory of ops.
const OPS: &str = "ops";

/// Summary of a run of the whole corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Summary {
    /// Number of files.
    pub files: usize,
    /// Number of runs of files without a failure.
    pub runs: usize,
    /// Failed files with their failures.
    pub wrong: Vec<String>,
}

impl Summary {
    /// Panics if a file failed, or if there are too few files to be the corpus.
    #[track_caller]
    pub fn expect_all_right(&self) {
        assert!(self.wrong.is_empty(), "{self}:\n{}", self.wrong.join("\n"));
        assert!(self.files > 100 && self.runs >= self.files, "{self}: that is not the corpus");
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} files, {} runs, {} wrong", self.files, self.runs, self.wrong.len())
    }
}

/// Runs every file of a corpus on a device and compares the results.
///
/// # Errors
///
/// Fails on an unreadable corpus. Failures of files are part of the summary.
pub fn check_all(corpus: &Path, device: &dyn Device, options: &RunOptions) -> Result<Summary, OpsError> {
    let ops = ops(corpus)?;
    let mut summary = Summary::default();
    for path in files(corpus).map_err(OpsError::Corpus)? {
        let source = std::fs::read_to_string(&path);
        let source = source.map_err(|error| OpsError::Corpus(CorpusError::Unreadable { path: path.clone(), error }))?;
        summary.files += 1;
        match check_file(&source, &ops, device, options) {
            Ok(runs) => summary.runs += runs,
            Err(failure) => summary.wrong.push(format!("{}: {failure}", path.display())),
        }
    }
    Ok(summary)
}

/// Runs the run corpus on a device, prints the summary, and panics if a file failed.
#[track_caller]
pub fn expect_all_right(device: &dyn Device, options: &RunOptions) {
    let summary = check_all(&settings::corpus("run"), device, options).unwrap_or_else(|error| panic!("{error}"));
    println!("{summary}");
    summary.expect_all_right();
}

/// Runs a file on a device and compares the results. Returns the number of runs.
///
/// # Errors
///
/// Fails at the first difference.
pub fn check_file(source: &str, ops: &OpTable, device: &dyn Device, options: &RunOptions) -> Result<usize, RunFailure> {
    let parsed = text::parse(source).map_err(|error| RunFailure::Syntax(Box::new(error)))?;
    let valid = parsed.validate(ops).map_err(|list| RunFailure::Invalid(Box::new(list.into_vec().swap_remove(0))))?;
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).map_err(RunFailure::Device)?;
    let runs = runs(source)?;
    for run in &runs {
        let (buffers, bindings) = upload(&parsed.program, run, device)?;
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &bindings, run.grid);
        let report = device.run(&commands, options).map_err(RunFailure::Device)?;
        check_races(&report)?;
        for (name, contents) in &run.expected {
            let buffer = buffers.iter().find(|(bound, _)| bound == name);
            let (_, buffer) = buffer.ok_or_else(|| RunFailure::UnknownBuffer(name.clone()))?;
            let expected = bytes(&parsed.program, name, contents)?;
            let found = device.read(buffer).map_err(RunFailure::Device)?;
            if let Some(byte) = first_difference(&expected, &found) {
                let (expected, found) = (words(&expected), words(&found));
                return Err(RunFailure::Mismatch { line: run.line, buffer: name.clone(), byte, expected, found });
            }
        }
    }
    Ok(runs.len())
}

/// A run of a file as a case, with the expected contents of buffers.
pub type ExpectedRun = (Case, BTreeMap<Name, Vec<u8>>);

/// The runs of a file as cases, with the expected contents of buffers.
///
/// # Errors
///
/// Fails on a malformed file, or a program that is not valid.
pub fn cases(source: &str, ops: &OpTable) -> Result<Vec<ExpectedRun>, RunFailure> {
    let parsed = text::parse(source).map_err(|error| RunFailure::Syntax(Box::new(error)))?;
    let program = &parsed.program;
    parsed.validate(ops).map_err(|list| RunFailure::Invalid(Box::new(list.into_vec().swap_remove(0))))?;
    let of_run = |run: Run| {
        let contents = |list: &[(String, String)]| -> Result<BTreeMap<Name, Vec<u8>>, RunFailure> {
            list.iter()
                .map(|(name, contents)| Ok((Name::from(name.as_str()), bytes(program, name, contents)?)))
                .collect()
        };
        let (contents, expected) = (contents(&run.inputs)?, contents(&run.expected)?);
        Ok((Case { program: program.clone(), ops: ops.clone(), grid: run.grid, contents }, expected))
    };
    runs(source)?.into_iter().map(of_run).collect()
}

fn check_races(report: &RunReport) -> Result<(), RunFailure> {
    report.races.races.first().map_or(Ok(()), |race| Err(RunFailure::Race(race.to_string())))
}

fn first_difference(expected: &[u8], found: &[u8]) -> Option<usize> {
    let differs = expected.iter().zip(found).position(|(a, b)| a != b);
    differs.or_else(|| (expected.len() != found.len()).then_some(expected.len().min(found.len())))
}

pub(crate) fn bytes(program: &Program, name: &str, contents: &str) -> Result<Vec<u8>, RunFailure> {
    let decl = program.buffer(name).ok_or_else(|| RunFailure::UnknownBuffer(name.to_owned()))?;
    parse_contents(contents, decl.element).map_err(|error| RunFailure::Contents(name.to_owned(), error))
}

/// Creates and fills the buffers of a run.
fn upload(program: &Program, run: &Run, device: &dyn Device) -> Result<(Vec<(String, Buffer)>, Bindings), RunFailure> {
    let mut buffers = Vec::new();
    let mut bindings = Bindings::new();
    for (name, contents) in &run.inputs {
        let bytes = bytes(program, name, contents)?;
        let buffer = device.create_buffer(bytes.len() as u64).map_err(RunFailure::Device)?;
        device.write(&buffer, 0, &bytes).map_err(RunFailure::Device)?;
        let decl = program.buffer(name).filter(|decl| decl.access != BufferAccess::Workgroup);
        let decl = decl.ok_or_else(|| RunFailure::UnknownBuffer(name.clone()))?;
        bindings = bindings.with(decl.binding, &buffer);
        buffers.push((name.clone(), buffer));
    }
    Ok((buffers, bindings))
}
