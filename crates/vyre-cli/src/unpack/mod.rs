//! Parts of `vyre unpack`: reading archives, receiving entries, writing reports.

mod archive;
mod date;
mod json;
mod list;
mod receiver;
mod report;
mod runner;
mod selection;
pub(crate) mod stats;
mod totals;

use std::io;
use std::time::Duration;

use vyre::engine::decompress::{ArchiveProblem, Entry, EntryPath, ExtractTotals, ExtractedEntry, Refusal, Summary};

use crate::output::visible;

pub(crate) use archive::Archive;
pub(crate) use json::JsonWriter;
pub(crate) use list::ListWriter;
pub(crate) use receiver::{EntryReceiver, ExtractTarget};
pub(crate) use report::ReportWriter;
pub(crate) use runner::Runner;
pub(crate) use selection::Selection;
pub(crate) use totals::Totals;

/// Streaming writer of entries.
pub(crate) trait EntryWriter {
    /// Writes an entry and its outcome.
    fn entry(&mut self, entry: &Entry, outcome: &Outcome<'_>) -> io::Result<()>;

    /// Reports whether the writer has output for this entry.
    fn has_output(&self, entry: &Entry, outcome: &Outcome<'_>) -> bool;

    /// Writes the trailer and flushes the output.
    fn end(&mut self, end: &End<'_>) -> io::Result<()>;
}

/// Outcome of an entry, or the one that it would have.
#[derive(Clone, Copy)]
pub(crate) enum Outcome<'e> {
    /// It was extracted.
    Extracted(&'e ExtractedEntry),
    /// It is only listed. Extraction would refuse it for this reason.
    Listed(Option<Refusal>),
}

/// Totals after the last entry.
pub(crate) struct End<'e> {
    /// Totals of extraction.
    pub(crate) extracted: Option<&'e ExtractTotals>,
    /// Summary of the engine, if it finished.
    pub(crate) summary: Option<&'e Summary>,
    /// Elapsed time.
    pub(crate) time: Duration,
    /// Reason of an early end.
    pub(crate) early_end: Option<&'e EarlyEnd>,
}

/// Reason of an early end.
#[derive(Debug)]
pub(crate) struct EarlyEnd {
    /// Machine-readable kind: `limit`, `format`, ... Kinds are permanent.
    pub(crate) kind: &'static str,
    /// The message.
    pub(crate) message: String,
}

/// Formats the problems of archives, one on each line.
fn archive_problems(summary: Option<&Summary>) -> Vec<String> {
    let Some(summary) = summary else { return Vec::new() };
    let line = |ArchiveProblem { path, format, problem, .. }: &ArchiveProblem| {
        let archive = if path.names.is_empty() { "the archive".to_owned() } else { display_path(path) };
        format!("{archive} ({format}): {}", visible(&problem.to_string()))
    };
    let mut lines: Vec<String> = summary.problems.iter().map(line).collect();
    let more = summary.problem_count.saturating_sub(summary.problems.len() as u64);
    if more > 0 {
        lines.push(format!("and {more} more problems of archives"));
    }
    lines
}

/// Formats a path on one line, escaped for a terminal.
fn display_path(path: &EntryPath) -> String {
    visible(&path.display()).into_owned()
}
