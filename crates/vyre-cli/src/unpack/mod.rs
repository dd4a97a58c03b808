//! Parts of `vyre unpack`: reading archives, receiving entries, writing reports.

mod archive;
mod date;
mod json;
mod list;
mod receiver;
mod report;
mod runner;
pub(crate) mod stats;
mod totals;

use std::io;
use std::time::Duration;

use vyre::engine::decompress::{ArchiveProblem, Entry, EntryPath, ExtractTotals, ExtractedEntry, Summary};

use crate::output::visible;

pub(crate) use archive::Archive;
pub(crate) use json::JsonWriter;
pub(crate) use list::ListWriter;
pub(crate) use receiver::{Target, Unpacking};
pub(crate) use report::ReportWriter;
pub(crate) use runner::Runner;
pub(crate) use totals::Totals;

/// Writes about entries as they come.
pub(crate) trait EntryWriter {
    /// Writes about an entry, and what became of it where it was to be extracted.
    fn entry(&mut self, entry: &Entry, placed: Option<&ExtractedEntry>) -> io::Result<()>;

    /// Reports whether the writer has output for this entry.
    fn wants(&self, entry: &Entry, placed: Option<&ExtractedEntry>) -> bool;

    /// Writes what stands behind the entries, and everything out.
    fn end(&mut self, end: &End<'_>) -> io::Result<()>;
}

/// Totals, known after the last entry.
pub(crate) struct End<'e> {
    /// Totals of extraction.
    pub(crate) extracted: Option<&'e ExtractTotals>,
    /// Summary of the engine, if it finished.
    pub(crate) summary: Option<&'e Summary>,
    /// Elapsed time.
    pub(crate) time: Duration,
    /// Reason of an early end.
    pub(crate) ended: Option<&'e Ended>,
}

/// Reason of an early end.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The kind, for programs: `limit`, `format`, ... Kinds are permanent.
    pub(crate) kind: &'static str,
    /// The message.
    pub(crate) message: String,
}

/// Writes the problems of archives, a line each.
fn archive_problems(summary: Option<&Summary>) -> Vec<String> {
    let Some(summary) = summary else { return Vec::new() };
    let line = |ArchiveProblem { path, format, problem, .. }: &ArchiveProblem| {
        let archive = if path.names.is_empty() { "the archive".to_owned() } else { shown(path) };
        format!("{archive} ({format}): {}", visible(&problem.to_string()))
    };
    let mut lines: Vec<String> = summary.problems.iter().map(line).collect();
    let more = summary.problem_count.saturating_sub(summary.problems.len() as u64);
    if more > 0 {
        lines.push(format!("and {more} more problems of archives"));
    }
    lines
}

/// A path as a terminal may show it, on one line.
fn shown(path: &EntryPath) -> String {
    visible(&path.display()).into_owned()
}
