//! Shared parts of `vyre scan`, `vyre rules` and `vyre scan-score`: rules, options and scans of a session.

mod cache;
mod configuration;
mod outcome;
mod overwrite;
mod read;
mod selection;
mod stages;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use vyre::engine::dataflow::DataflowError;
use vyre::pyrograph::knowledge::Knowledge;
use vyre::pyrograph::scan::{ScanControl, ScanError, ScanOptions, ScanReport, scan};
use vyre::runtime::Device;
use vyre::select::CPU;

use crate::args::scan::{ScanRunArgs, SelectionArgs};
use crate::nearest::nearest;
use crate::output::visible;
use crate::select::select_device;

pub(crate) use cache::Cache;
pub(crate) use configuration::apply as apply_configuration;
pub(crate) use outcome::{print_some, worsened_by_coverage};
pub(crate) use overwrite::refuse_scanned_file;
pub(crate) use read::read_text;
pub(crate) use selection::selection;
pub(crate) use stages::StageNotes;

/// Reads rules and models: the built-in ones, and those of files.
pub(crate) fn read_knowledge(files: &[PathBuf]) -> anyhow::Result<Arc<Knowledge>> {
    if files.is_empty() {
        return Ok(Knowledge::builtin());
    }
    let read = |file: &PathBuf| Ok((file.to_string_lossy().into_owned(), read_text(file)?));
    let texts: Vec<(String, String)> = files.iter().map(read).collect::<anyhow::Result<_>>()?;
    match Knowledge::load(&texts, true) {
        Ok(knowledge) => Ok(Arc::new(knowledge)),
        Err(problems) => {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Err(anyhow!("{}", problems.join("\n")).context("the rules have mistakes"))
        }
    }
}

/// Options of a scan.
pub(crate) fn options(selection: &SelectionArgs, running: &ScanRunArgs) -> anyhow::Result<ScanOptions> {
    let mut knowledge = read_knowledge(&selection.rules)?;
    if !selection.rule.is_empty() {
        knowledge = Arc::new(knowledge.only(&selection.rule).map_err(|error| unknown_rule(&error.id, &error.known))?);
    }
    let mut options = run_options(running);
    options.knowledge = Some(knowledge);
    options.models = selection.sources.models();
    options.include = selection.include.clone();
    options.exclude = selection.exclude.clone();
    options.dependencies = selection.dependencies;
    options.with_dependencies = selection.with_deps;
    Ok(options)
}

/// Error about a rule that does not exist, with the nearest ones.
pub(crate) fn unknown_rule(id: &str, known: &[String]) -> anyhow::Error {
    let near = nearest(id, known.iter().map(String::as_str));
    anyhow!("there is no rule `{}`; the nearest are {near}, and `vyre rules list` lists all", visible(id))
}

/// Options of a scan that concern threads and limits.
pub(crate) fn run_options(running: &ScanRunArgs) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.jobs = running.jobs.filter(|&jobs| jobs > 0);
    options.time_limit = running.time_limit;
    options.file_time_limit = running.file_time_limit;
    options.effort = running.effort;
    options.memory = running.memory;
    options.max_file_bytes = running.max_file;
    options
}

/// A device for scans.
pub(crate) struct Scanner {
    pub(crate) device: Arc<dyn Device>,
    backend: &'static str,
    cache: Option<Cache>,
}

impl Scanner {
    pub(crate) fn new(running: &ScanRunArgs) -> anyhow::Result<Scanner> {
        let selected = select_device(&running.request())?;
        Ok(Scanner { device: selected.device, backend: selected.backend, cache: None })
    }

    /// Keeps reports in a cache.
    pub(crate) fn with_cache(mut self, cache: Option<Cache>) -> Scanner {
        self.cache = cache;
        self
    }

    pub(crate) fn scan(
        &self,
        paths: &[PathBuf],
        options: &ScanOptions,
        control: &ScanControl,
    ) -> Result<ScanReport, ScanError> {
        let scan = || scan(paths, options, self.device.clone(), control);
        match &self.cache {
            Some(cache) => cache.report(paths, options, scan),
            None => scan(),
        }
    }

    /// Error of a scan, in terms of flags.
    pub(crate) fn explain(&self, error: ScanError) -> anyhow::Error {
        match error {
            ScanError::NoSuchPath(path) => anyhow!("there is no file or folder {}", name(&path)),
            ScanError::Position(message) => anyhow!("{}", visible(&message)),
            ScanError::Input { path, message } => anyhow!("cannot scan {}: {message}", name(&path)),
            ScanError::Pattern { pattern, message } => {
                anyhow!("the pattern `{}` of --include or --exclude is not valid: {message}", visible(&pattern))
            }
            ScanError::Dataflow(error @ DataflowError::Device(_)) if self.backend != CPU => {
                anyhow!("{error}; try `--backend {CPU}`")
            }
            error => anyhow!("{error}"),
        }
    }
}

/// Path for messages.
fn name(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}
