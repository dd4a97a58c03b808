//! Analysis: from paths to programs with their graphs.
//!
//! The files of each language are analysed apart. Modules that cannot exchange values are different programs, so that a file that
//! exceeds a limit of the analysis takes no other file with it.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use foldhash::fast::FixedState;
use vyre_ir::spelling::counted;

use super::analysed::Analysed;
use super::linking::link;
use super::lowering::lower;
use super::sources::{add_conventions, add_exports, threat_models};
use super::warnings::model_uses;
use super::watch::Watch;
use super::{ScanControl, ScanError, ScanOptions, ScanStage};
use crate::coverage::InputProblem;
use crate::finding::{FileIndex, Statistics};
use crate::input::{self, Input, InputError};
use crate::knowledge::{Knowledge, ThreatModel};
use crate::lang::LARGE_STACK;
use crate::limits::{Effort, LimitScope, limit_scope};
use crate::points_to;
use crate::program::Program;
use crate::value_flow;

/// Number of instructions up to which small parts of a program are analysed together.
const SMALL_PROGRAM: u32 = 1 << 18;

/// Answer of a visitor about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visited {
    /// The visitor has all that it needs.
    Done,
    /// The analysis has reached a limit of the program, or has mixed its parts. The parts are visited one by one if there are several.
    Split,
}

/// Use of the analysed programs of a scan.
pub(super) trait Visitor {
    /// Visits the files before they are analysed.
    fn visit_input(&mut self, _input: &Input) {}

    /// Visits a program. `is_last` is false for a program that can still be split.
    fn visit(
        &mut self,
        analysed: &mut Analysed,
        knowledge: &Arc<Knowledge>,
        is_last: bool,
    ) -> Result<Visited, ScanError>;
}

/// Threads of a scan, whose stacks suffice for deeply nested code.
pub(super) fn thread_pool(options: &ScanOptions) -> Result<rayon::ThreadPool, ScanError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.unwrap_or(0))
        .stack_size(LARGE_STACK)
        .build()
        .map_err(|error| ScanError::Input { path: PathBuf::new(), message: format!("no threads: {error}") })
}

/// Context of all stages of an analysis.
#[derive(Clone, Copy)]
struct Context<'c> {
    options: &'c ScanOptions,
    control: &'c ScanControl,
    watch: &'c Watch<'c>,
}

/// Reads all files, then parses, links and solves those of each language apart, and visits the programs with the knowledge of the
/// language. Returns the input.
pub(super) fn analyse_each(
    paths: &[PathBuf],
    options: &ScanOptions,
    knowledge: &Arc<Knowledge>,
    control: &ScanControl,
    watch: &Watch<'_>,
    visitor: &mut dyn Visitor,
) -> Result<Input, ScanError> {
    let start = Instant::now();
    let mut input = input::read(paths, options, &|| watch.is_over(), &|progress| {
        control.report_files(ScanStage::Read, (progress.bytes, None), (progress.files, None));
    })
    .map_err(input_error)?;
    let mut seconds = Some(start.elapsed().as_secs_f64());
    visitor.visit_input(&input);
    let mut groups: BTreeMap<&'static str, Vec<input::SourceFile>> = BTreeMap::new();
    for source in std::mem::take(&mut input.sources) {
        groups.entry(source.language.family()).or_default().push(source);
    }
    if groups.is_empty() {
        groups.insert(input::Language::JavaScript.family(), Vec::new());
    }
    let context = Context { options, control, watch };
    for (language, sources) in groups {
        input.sources = sources;
        let of_language = knowledge.of_language(language);
        let mut statistics = Statistics::default();
        statistics.seconds.push(("read".to_owned(), seconds.take().unwrap_or(0.0)));
        input = context.analyse_language(input, statistics, &of_language, visitor)?;
    }
    Ok(input)
}

impl Context<'_> {
    /// Parses and links the files of a language, and analyses their programs.
    fn analyse_language(
        self,
        mut input: Input,
        mut statistics: Statistics,
        knowledge: &Arc<Knowledge>,
        visitor: &mut dyn Visitor,
    ) -> Result<Input, ScanError> {
        let start = Instant::now();
        let modules = lower(&mut input, self.options, self.control, self.watch);
        statistics.seconds.push(("parse and lower".to_owned(), start.elapsed().as_secs_f64()));
        let start = Instant::now();
        let program = link(&mut input, modules, knowledge, self.control);
        let models = threat_models(&input, self.options);
        let parts = program.parts();
        let groups = batches(&program, &parts);
        let programs = match groups.iter().all(|&group| group == 0) {
            true => vec![program],
            false => program.split(&groups),
        };
        statistics.seconds.push(("link".to_owned(), start.elapsed().as_secs_f64()));
        for program in programs {
            let mut waiting = vec![program];
            while let Some(program) = waiting.pop() {
                let parts = program.parts();
                let is_last = parts.iter().all(|&part| part == 0);
                let mut analysed = self.analyse(input, std::mem::take(&mut statistics), program, &models, knowledge);
                let visited = visitor.visit(&mut analysed, knowledge, is_last)?;
                if visited == Visited::Split && !is_last {
                    statistics.seconds = std::mem::take(&mut analysed.statistics.seconds);
                    waiting = analysed.program.split(&parts);
                    waiting.reverse();
                }
                input = analysed.input;
            }
        }
        Ok(input)
    }

    /// Solves a program.
    fn analyse(
        self,
        input: Input,
        mut statistics: Statistics,
        mut program: Program,
        models: &[ThreatModel],
        knowledge: &Knowledge,
    ) -> Analysed {
        let mut start = Instant::now();
        let mut stage = |statistics: &mut Statistics, name: &str| {
            statistics.seconds.push((name.to_owned(), start.elapsed().as_secs_f64()));
            start = Instant::now();
        };
        statistics.functions = u64::from(program.function_count);
        statistics.instructions = u64::from(program.value_count);
        program.order_classes();
        for name in knowledge.field_names() {
            program.names.intern(name);
        }
        // The solver asks now and then whether it is to stop, which shows that it goes on.
        let ticks = AtomicU64::new(0);
        self.control.report(ScanStage::Solve, 0, None);
        let is_cancelled = || {
            let tick = ticks.fetch_add(1, Ordering::Relaxed) + 1;
            if tick.is_power_of_two() || tick.is_multiple_of(64) {
                self.control.report(ScanStage::Solve, tick, None);
            }
            self.watch.is_over()
        };
        let effort = Effort(self.options.effort);
        let points_to = points_to::solve(&program, knowledge, effort, &is_cancelled);
        add_limits(&mut statistics, &points_to.limits);
        stage(&mut statistics, "solve");
        let (graph, mut roles, limits) = value_flow::build(&program, knowledge, &points_to, effort, &is_cancelled);
        add_limits(&mut statistics, &limits);
        if models.contains(&ThreatModel::Library) {
            add_exports(&input, &program, knowledge, &points_to, &mut roles);
        }
        add_conventions(&program, knowledge, &points_to, &mut roles);
        statistics.calls = roles.calls;
        statistics.unresolved_calls = roles.unresolved;
        statistics.sources = roles.sources.len() as u64;
        statistics.sinks = roles.sinks.len() as u64;
        let model_uses = model_uses(&input, &program, knowledge, &points_to, &roles);
        stage(&mut statistics, "value flow");
        let has_requests = self.options.models.is_empty();
        let models = models.to_vec();
        Analysed { input, program, points_to, graph, roles, models, has_requests, effort, statistics, model_uses }
    }
}

/// Groups of parts of a program: large parts are groups of their own, small ones come together up to a size. The group of a module
/// is the number of its first module.
fn batches(program: &Program, parts: &[u32]) -> Vec<u32> {
    let mut sizes: BTreeMap<u32, u32> = BTreeMap::new();
    for (module, &part) in program.modules.iter().zip(parts) {
        *sizes.entry(part).or_default() += module.flow.instructions.len() as u32;
    }
    let mut batches: HashMap<u32, u32, FixedState> = HashMap::default();
    let mut open: Option<(u32, u32)> = None;
    for (&part, &size) in &sizes {
        if size > SMALL_PROGRAM {
            batches.insert(part, part);
            continue;
        }
        let (batch, before) = open.unwrap_or((part, 0));
        let total = before + size;
        batches.insert(part, batch);
        open = (total <= SMALL_PROGRAM).then_some((batch, total));
    }
    parts.iter().map(|part| batches[part]).collect()
}

/// Adds limits that a stage reached.
pub(super) fn add_limits(statistics: &mut Statistics, limits: &BTreeMap<&'static str, u64>) {
    statistics.limits.extend(limits.iter().map(|(&limit, &count)| (limit.to_owned(), count)));
}

/// Limits of the program that the analysis reached.
pub(super) fn limits_of_program(statistics: &Statistics) -> Vec<&str> {
    let limits = statistics.limits.iter().map(|(limit, _)| limit.as_str());
    limits.filter(|limit| limit_scope(limit) == LimitScope::Program).collect()
}

/// Problem of a program whose analysis reached limits, at its largest file. None: it reached none.
pub(super) fn limit_problem(analysed: &Analysed) -> Option<InputProblem> {
    let limits = limits_of_program(&analysed.statistics);
    if limits.is_empty() {
        return None;
    }
    let modules = &analysed.program.modules;
    let largest =
        modules.iter().max_by_key(|module| (module.flow.instructions.len(), std::cmp::Reverse(module.file)))?;
    let others = match modules.len() as u64 - 1 {
        0 => String::new(),
        others => format!(" and of {} that exchange values with it", counted(others, "file")),
    };
    let limits = limits.join(", ");
    let message = format!(
        "the analysis of the file{others} reached a limit ({limits}), so that flows may be missing; see --effort"
    );
    let path = analysed.input.coverage.files[largest.file as usize].path.clone();
    let mut files: Vec<FileIndex> = modules.iter().map(|module| module.file).collect();
    files.sort_unstable();
    files.dedup();
    Some(InputProblem { path, message, is_incomplete: true, files })
}

fn input_error(error: InputError) -> ScanError {
    match error {
        InputError::Pattern { pattern, message } => ScanError::Pattern { pattern, message },
        InputError::Read { path, source } if source.kind() == std::io::ErrorKind::NotFound => match path.is_symlink() {
            true => ScanError::Input { path, message: "it is a link to nothing".to_owned() },
            false => ScanError::NoSuchPath(path),
        },
        InputError::Special { path, kind } => {
            ScanError::Input { path, message: format!("it is {kind}; a scan takes files and folders") }
        }
        InputError::Read { path, source } => ScanError::Input { path, message: source.to_string() },
        error => ScanError::Input { path: PathBuf::new(), message: error.to_string() },
    }
}
