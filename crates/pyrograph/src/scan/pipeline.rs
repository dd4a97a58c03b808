//! A scan: analysis, search and report.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use vyre_dataflow::Dataflow;
use vyre_runtime::Device;

use super::analysed::Analysed;
use super::analysis::{Visited, Visitor, add_limits, analyse_each, limit_problem, limits_of_program, thread_pool};
use super::capabilities;
use super::copies::collapse;
use super::crossing::crosses_programs;
use super::findings::{Described, describe};
use super::ignore::{self, IgnoreComment};
use super::install_files;
use super::libraries::{LibraryUse, libraries};
use super::merge::{add_statistics, union_of_libraries};
use super::missing;
use super::own::OwnEntries;
use super::unmatched::RuleEnds;
use super::warnings::{ModelUse, warnings};
use super::watch::Watch;
use super::{ScanControl, ScanError, ScanOptions, ScanReport, ScanStage};
use crate::capability::{Capability, distinct};
use crate::finding::Statistics;
use crate::input::{Input, current_folder};
use crate::knowledge::{Knowledge, ThreatModel};

/// Scans archives, folders and files.
///
/// # Errors
///
/// A path does not exist, a pattern or rule is wrong, or the device fails. Problems of single files are part of the report.
pub fn scan(
    paths: &[PathBuf],
    options: &ScanOptions,
    device: Arc<dyn Device>,
    control: &ScanControl,
) -> Result<ScanReport, ScanError> {
    let pool = thread_pool(options)?;
    pool.install(|| scan_here(paths, options, device, control))
}

fn scan_here(
    paths: &[PathBuf],
    options: &ScanOptions,
    device: Arc<dyn Device>,
    control: &ScanControl,
) -> Result<ScanReport, ScanError> {
    let knowledge = options.knowledge.clone().unwrap_or_else(Knowledge::builtin);
    let watch = Watch::new(control, options);
    let mut search = Search {
        engine: Dataflow::new(device),
        control,
        watch: &watch,
        findings: Vec::new(),
        models: Vec::new(),
        model_uses: Vec::new(),
        libraries: Vec::new(),
        capabilities: options.capabilities.then(Vec::new),
        statistics: Statistics::default(),
        rule_ends: RuleEnds::default(),
        own_entries: OwnEntries::default(),
        options,
        has_comments: options.ignore_comments && ignore::are_own(paths),
        comments: Vec::new(),
    };
    let input = analyse_each(paths, options, &knowledge, control, &watch, &mut search)?;
    let is_interrupted = watch.is_over();
    let start = Instant::now();
    let findings = collapse(&input.coverage, search.findings);
    let ignored = ignore::apply(&input.coverage, &knowledge, &search.comments, findings, !is_interrupted);
    let mut statistics = search.statistics;
    let mut report = Statistics::default();
    report.seconds.push(("report".to_owned(), start.elapsed().as_secs_f64()));
    add_statistics(&mut statistics, report);
    let mut models = search.models;
    models.sort_unstable();
    models.dedup();
    let capabilities = search.capabilities.map_or_else(Vec::new, |mut found| {
        found.extend(install_files::capabilities(&input));
        distinct(found)
    });
    let mut all_warnings = input.warnings;
    all_warnings.extend(warnings(&knowledge, search.model_uses, !is_interrupted));
    all_warnings.extend(ignored.warnings);
    let mut notes = Vec::new();
    if !is_interrupted {
        all_warnings.extend(missing::warning(&input.coverage));
        all_warnings.extend(search.rule_ends.warnings(&knowledge));
        all_warnings.extend(search.own_entries.warnings());
        notes = search.rule_ends.notes(&input.coverage);
    }
    all_warnings.sort();
    all_warnings.dedup();
    let mut coverage = input.coverage;
    coverage.is_interrupted |= is_interrupted;
    let folder = current_folder(paths, &coverage);
    let libraries = union_of_libraries(search.libraries);
    Ok(ScanReport {
        knowledge,
        models,
        has_requests: options.models.is_empty(),
        findings: ignored.findings,
        suppressed: ignored.suppressed,
        baseline: None,
        coverage,
        warnings: all_warnings,
        notes,
        folder,
        libraries,
        configuration: None,
        selection: None,
        capabilities,
        statistics,
    })
}

/// Search of the flows of all programs of a scan.
struct Search<'s> {
    engine: Dataflow,
    control: &'s ScanControl,
    watch: &'s Watch<'s>,
    findings: Vec<Described>,
    models: Vec<ThreatModel>,
    model_uses: Vec<ModelUse>,
    libraries: Vec<LibraryUse>,
    /// None: the options do not ask for them.
    capabilities: Option<Vec<Capability>>,
    statistics: Statistics,
    rule_ends: RuleEnds,
    own_entries: OwnEntries,
    options: &'s ScanOptions,
    /// True if ignore comments are honoured.
    has_comments: bool,
    comments: Vec<IgnoreComment>,
}

impl Visitor for Search<'_> {
    fn visit_input(&mut self, input: &Input) {
        if self.has_comments {
            self.comments = ignore::comments(input, self.options);
        }
    }

    fn visit(
        &mut self,
        analysed: &mut Analysed,
        knowledge: &Arc<Knowledge>,
        is_last: bool,
    ) -> Result<Visited, ScanError> {
        // Programs that are split are searched in parts only.
        let is_beyond = |analysed: &Analysed| {
            !is_last && !self.watch.is_over() && !limits_of_program(&analysed.statistics).is_empty()
        };
        if is_beyond(analysed) {
            return Ok(Visited::Split);
        }
        let start = Instant::now();
        self.control.report(ScanStage::Search, 0, Some(knowledge.rules.len() as u64));
        let found = analysed.find(knowledge, &self.engine, self.watch)?;
        analysed.statistics.seconds.push(("search".to_owned(), start.elapsed().as_secs_f64()));
        add_limits(&mut analysed.statistics, &found.limits);
        if is_beyond(analysed) || !is_last && !self.watch.is_over() && crosses_programs(analysed, &found.flows) {
            return Ok(Visited::Split);
        }
        analysed.statistics.nodes = found.nodes;
        analysed.statistics.edges = found.edges;
        if !self.watch.is_over() {
            analysed.input.coverage.problems.extend(limit_problem(analysed));
        }
        let start = Instant::now();
        self.control.report(ScanStage::Report, 0, Some(found.flows.len() as u64));
        let described = describe(analysed, knowledge, found.flows).into_iter();
        let is_own = |described: &Described| !analysed.input.is_dependency(described.finding.source().file);
        self.findings.extend(described.filter(is_own));
        analysed.statistics.seconds.push(("report".to_owned(), start.elapsed().as_secs_f64()));
        self.rule_ends.add(analysed, knowledge);
        self.own_entries.add(analysed, knowledge);
        self.models.append(&mut analysed.models);
        self.model_uses.append(&mut analysed.model_uses);
        let language = analysed.input.sources.first().map(|source| source.language);
        self.libraries.extend(libraries(&analysed.program, knowledge, language));
        if let Some(known) = &mut self.capabilities {
            known.extend(capabilities::of_program(analysed, knowledge));
        }
        add_statistics(&mut self.statistics, std::mem::take(&mut analysed.statistics));
        Ok(Visited::Done)
    }
}
