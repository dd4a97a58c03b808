//! Stages of a scan.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use vyre_dataflow::Dataflow;
use vyre_ir::spelling::counted;
use vyre_runtime::Device;

use super::findings::findings;
use super::libraries::libraries;
use super::scripts;
use super::{ScanControl, ScanError, ScanOptions, ScanReport, ScanStage};
use crate::coverage::{FileOutcome, InputProblem, SkipReason};
use crate::finding::{FileIndex, Statistics};
use crate::flow::FlowModule;
use crate::input::{self, Input, InputError, Language, Resolution, Resolver};
use crate::knowledge::{Knowledge, ThreatModel};
use crate::lang::{self, LARGE_STACK, LowerError, LowerOptions, MAX_STACK};
use crate::points_to::{self, PointsTo};
use crate::program::{ImportTarget, Program};
use crate::search::{Found, Request, search};
use crate::value_flow::exports::exported_functions;
use crate::value_flow::{self, Roles, Source, ValueFlow};

/// Memory of an instruction in all stages, in bytes; an estimate from measurements.
const BYTES_PER_INSTRUCTION: u64 = 400;

/// Program with everything that the analysis knows about it.
#[derive(Debug)]
pub(super) struct Analysed {
    pub(super) input: Input,
    pub(super) program: Program,
    pub(super) points_to: PointsTo,
    pub(super) graph: ValueFlow,
    pub(super) roles: Roles,
    pub(super) models: Vec<ThreatModel>,
    /// Requests count whatever the threat models are: the user chose none, and a library may serve requests too.
    pub(super) has_requests: bool,
    pub(super) statistics: Statistics,
    pub(super) warnings: Vec<String>,
}

/// Deadline and cancellation of a scan.
pub(super) struct Watch<'c> {
    control: &'c ScanControl,
    deadline: Option<Instant>,
}

impl<'c> Watch<'c> {
    /// Watch over a scan that begins now.
    pub(super) fn new(control: &'c ScanControl, options: &ScanOptions) -> Watch<'c> {
        Watch { control, deadline: options.time_limit.map(|limit| Instant::now() + limit) }
    }

    /// True if the scan is to end.
    pub(super) fn is_over(&self) -> bool {
        self.control.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

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

/// Threads of a scan, whose stacks suffice for deeply nested code.
pub(super) fn thread_pool(options: &ScanOptions) -> Result<rayon::ThreadPool, ScanError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.unwrap_or(0))
        .stack_size(LARGE_STACK)
        .build()
        .map_err(|error| ScanError::Input { path: PathBuf::new(), message: format!("no threads: {error}") })
}

fn scan_here(
    paths: &[PathBuf],
    options: &ScanOptions,
    device: Arc<dyn Device>,
    control: &ScanControl,
) -> Result<ScanReport, ScanError> {
    let knowledge = options.knowledge.clone().unwrap_or_else(Knowledge::builtin);
    let watch = Watch::new(control, options);
    let mut total: Option<ScanReport> = None;
    let (input, _) = analyse_each(paths, options, &knowledge, control, &watch, &mut |analysed, of_language| {
        let report = report(analysed, &knowledge, of_language, Arc::clone(&device), control, &watch)?;
        total = Some(match total.take() {
            None => report,
            Some(before) => merged(before, report),
        });
        Ok(())
    })?;
    let mut report = total.unwrap_or_else(|| ScanReport {
        knowledge,
        models: Vec::new(),
        findings: Vec::new(),
        coverage: crate::coverage::Coverage::default(),
        warnings: Vec::new(),
        libraries: Vec::new(),
        statistics: Statistics::default(),
    });
    report.coverage = input.coverage;
    report.coverage.is_interrupted |= watch.is_over();
    Ok(report)
}

/// Report of the files of two languages.
fn merged(mut first: ScanReport, second: ScanReport) -> ScanReport {
    first.models.extend(second.models);
    first.models.sort_unstable();
    first.models.dedup();
    first.findings.extend(second.findings);
    first.findings.sort_by_key(|finding| (finding.sink(), finding.rule, finding.source()));
    first.warnings.extend(second.warnings);
    first.warnings.sort();
    first.warnings.dedup();
    first.libraries.extend(second.libraries);
    first.libraries.sort_by(|left, right| left.package.cmp(&right.package));
    let (total, more) = (&mut first.statistics, second.statistics);
    total.functions += more.functions;
    total.instructions += more.instructions;
    total.calls += more.calls;
    total.unresolved_calls += more.unresolved_calls;
    total.nodes += more.nodes;
    total.edges += more.edges;
    total.sources += more.sources;
    total.sinks += more.sinks;
    total.limits.extend(more.limits);
    for (stage, seconds) in more.seconds {
        match total.seconds.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, known)) => *known += seconds,
            None => total.seconds.push((stage, seconds)),
        }
    }
    first
}

/// Report of the files of one language. The coverage is added later.
fn report(
    analysed: &mut Analysed,
    all: &Arc<Knowledge>,
    knowledge: &Knowledge,
    device: Arc<dyn Device>,
    control: &ScanControl,
    watch: &Watch<'_>,
) -> Result<ScanReport, ScanError> {
    let start = Instant::now();
    control.report(ScanStage::Search, 0, Some(knowledge.rules.len() as u64));
    let found = find(analysed, knowledge, device, watch)?;
    analysed.statistics.nodes = found.nodes;
    analysed.statistics.edges = found.edges;
    add_limits(&mut analysed.statistics, &found.limits);
    analysed.statistics.seconds.push(("search".to_owned(), start.elapsed().as_secs_f64()));
    let start = Instant::now();
    control.report(ScanStage::Report, 0, Some(found.flows.len() as u64));
    let mut findings = findings(analysed, knowledge, found.flows);
    findings.retain(|finding| !analysed.input.is_dependency(finding.source().file));
    analysed.statistics.seconds.push(("report".to_owned(), start.elapsed().as_secs_f64()));
    Ok(ScanReport {
        knowledge: Arc::clone(all),
        models: std::mem::take(&mut analysed.models),
        findings,
        coverage: crate::coverage::Coverage::default(),
        warnings: std::mem::take(&mut analysed.warnings),
        libraries: libraries(
            &analysed.program,
            knowledge,
            analysed.input.sources.first().map(|source| source.language),
        ),
        statistics: std::mem::take(&mut analysed.statistics),
    })
}

/// Searches the flows of an analysed program.
pub(super) fn find(
    analysed: &Analysed,
    knowledge: &Knowledge,
    device: Arc<dyn Device>,
    watch: &Watch<'_>,
) -> Result<Found, ScanError> {
    let engine = Dataflow::new(device);
    let request = Request {
        graph: &analysed.graph,
        layout: &analysed.points_to.layout,
        roles: &analysed.roles,
        knowledge,
        models: &analysed.models,
        has_requests: analysed.has_requests,
        is_cancelled: &|| watch.is_over(),
    };
    Ok(search(request, &engine)?)
}

/// Use of the analysed files of a language, with the knowledge of the language.
type Visit<'v> = &'v mut dyn FnMut(&mut Analysed, &Arc<Knowledge>) -> Result<(), ScanError>;

/// Reads all files, then parses, links and solves those of each language apart, and calls `visit` with the result and the
/// knowledge of the language. Returns the input, and the number of languages.
pub(super) fn analyse_each(
    paths: &[PathBuf],
    options: &ScanOptions,
    knowledge: &Arc<Knowledge>,
    control: &ScanControl,
    watch: &Watch<'_>,
    visit: Visit<'_>,
) -> Result<(Input, usize), ScanError> {
    let start = Instant::now();
    let mut input = input::read(paths, options, &|| watch.is_over(), &|progress| {
        control.report(ScanStage::Read, progress.bytes, None);
    })
    .map_err(input_error)?;
    let mut seconds = Some(start.elapsed().as_secs_f64());
    let mut groups: std::collections::BTreeMap<&'static str, Vec<input::SourceFile>> =
        std::collections::BTreeMap::new();
    for source in std::mem::take(&mut input.sources) {
        groups.entry(source.language.family()).or_default().push(source);
    }
    if groups.is_empty() {
        groups.insert(input::Language::JavaScript.family(), Vec::new());
    }
    let count = groups.len();
    for (language, sources) in groups {
        input.sources = sources;
        let of_language = knowledge.of_language(language);
        let mut statistics = Statistics::default();
        statistics.seconds.push(("read".to_owned(), seconds.take().unwrap_or(0.0)));
        let mut analysed = analyse(input, statistics, options, &of_language, control, watch);
        visit(&mut analysed, &of_language)?;
        input = analysed.input;
    }
    Ok((input, count))
}

/// Parses, links and solves the files of one language.
fn analyse(
    mut input: Input,
    mut statistics: Statistics,
    options: &ScanOptions,
    knowledge: &Knowledge,
    control: &ScanControl,
    watch: &Watch<'_>,
) -> Analysed {
    let mut start = Instant::now();
    let mut stage = |statistics: &mut Statistics, name: &str| {
        statistics.seconds.push((name.to_owned(), start.elapsed().as_secs_f64()));
        start = Instant::now();
    };
    let mut modules = lower_all(&mut input, options, control, watch);
    lower_with_constants(&input, &mut modules, options, watch);
    stage(&mut statistics, "parse and lower");
    let (mut program, files) = link(&mut input, modules, control);
    keep_models(&input, &mut program, knowledge);
    statistics.functions = u64::from(program.function_count);
    statistics.instructions = u64::from(program.value_count);
    stage(&mut statistics, "link");
    for module in &mut program.modules {
        let libraries = module.imports.iter().filter_map(|(_, target)| match target {
            ImportTarget::Library(path) => knowledge.library_of(path),
            _ => None,
        });
        for library in libraries {
            if let Some(version) = input.dependency_version(module.file, &library.package) {
                module.versions.push((library.package.clone(), version.to_owned()));
            }
        }
    }
    for name in knowledge.field_names() {
        program.names.intern(name);
    }
    // The solver asks now and then whether it is to stop, which shows that it goes on.
    let ticks = AtomicU64::new(0);
    control.report(ScanStage::Solve, 0, None);
    let is_cancelled = || {
        let tick = ticks.fetch_add(1, Ordering::Relaxed) + 1;
        if tick.is_power_of_two() || tick.is_multiple_of(64) {
            control.report(ScanStage::Solve, tick, None);
        }
        watch.is_over()
    };
    let points_to = points_to::solve(&program, knowledge, &is_cancelled);
    add_limits(&mut statistics, &points_to.limits);
    stage(&mut statistics, "solve");
    let (graph, mut roles, limits) = value_flow::build(&program, knowledge, &points_to, &is_cancelled);
    add_limits(&mut statistics, &limits);
    let models = threat_models(&input, options);
    if models.contains(&ThreatModel::Library) {
        add_exports(&input, &files, &program, knowledge, &points_to, &mut roles);
    }
    add_conventions(&program, knowledge, &points_to, &mut roles);
    statistics.calls = roles.calls;
    statistics.unresolved_calls = roles.unresolved;
    statistics.sources = roles.sources.len() as u64;
    statistics.sinks = roles.sinks.len() as u64;
    let mut all_warnings = std::mem::take(&mut input.warnings);
    // An analysis that ended early does not know what matches.
    if !watch.is_over() {
        all_warnings.extend(warnings(&input, &program, knowledge, &points_to, &roles));
    }
    stage(&mut statistics, "value flow");
    let has_requests = options.models.is_empty();
    Analysed { input, program, points_to, graph, roles, models, has_requests, statistics, warnings: all_warnings }
}

fn input_error(error: InputError) -> ScanError {
    match error {
        InputError::Pattern { pattern, message } => ScanError::Pattern { pattern, message },
        InputError::Read { path, source } if source.kind() == std::io::ErrorKind::NotFound => {
            ScanError::NoSuchPath(path)
        }
        InputError::Special { path, kind } => {
            ScanError::Input { path, message: format!("it is {kind}; a scan takes files and folders") }
        }
        InputError::Read { path, source } => ScanError::Input { path, message: source.to_string() },
        error => ScanError::Input { path: PathBuf::new(), message: error.to_string() },
    }
}

fn add_limits(statistics: &mut Statistics, limits: &std::collections::BTreeMap<&'static str, u64>) {
    statistics.limits.extend(limits.iter().map(|(&limit, &count)| (limit.to_owned(), count)));
}

/// Lowers files again that use constants of other files.
fn lower_with_constants(input: &Input, modules: &mut [Option<FlowModule>], options: &ScanOptions, watch: &Watch<'_>) {
    if input.sources.first().is_some_and(|source| source.language == Language::Python) {
        return;
    }
    let is_cancelled = || watch.is_over();
    super::constants::lower_again(input, modules, &|source, constants| {
        let original = input.coverage.files[source.file as usize].text.as_deref().unwrap_or(&source.text);
        let options = LowerOptions { constants: Some(constants), ..lower_options(options, &is_cancelled) };
        match scripts::lower(source, original, &options) {
            (Ok(module), errors) if errors.is_empty() => Some(module),
            _ => None,
        }
    });
}

/// Limits of the lowering of a file.
fn lower_options<'o>(options: &ScanOptions, is_cancelled: &'o (dyn Fn() -> bool + Sync)) -> LowerOptions<'o> {
    LowerOptions {
        max_bytes: usize::try_from(options.max_file_bytes).unwrap_or(usize::MAX),
        cancelled: Some(is_cancelled),
        has_large_stack: true,
        max_stack: options.memory.max(LARGE_STACK as u64).min(MAX_STACK),
        time_limit: Some(options.file_time_limit),
        ..LowerOptions::default()
    }
}

/// Parses and lowers all files in parallel. Failures become outcomes of the files.
fn lower_all(
    input: &mut Input,
    options: &ScanOptions,
    control: &ScanControl,
    watch: &Watch<'_>,
) -> Vec<Option<FlowModule>> {
    let total: u64 = input.sources.iter().map(|source| source.text.len() as u64).sum();
    let done = AtomicU64::new(0);
    let files = &input.coverage.files;
    let results: Vec<(Result<FlowModule, LowerError>, Vec<LowerError>)> = input
        .sources
        .par_iter()
        .map(|source| {
            if watch.is_over() {
                return (Err(LowerError::TimedOut), Vec::new());
            }
            let is_cancelled = || watch.is_over();
            let lower_options = lower_options(options, &is_cancelled);
            let original = files[source.file as usize].text.as_deref().unwrap_or(&source.text);
            let result = match source.language {
                Language::Python => (lang::python::lower(&source.text, &lower_options), Vec::new()),
                Language::JavaScript | Language::TypeScript | Language::TypeScriptJsx => {
                    scripts::lower(source, original, &lower_options)
                }
            };
            let bytes = source.text.len() as u64;
            control.report(ScanStage::Parse, done.fetch_add(bytes, Ordering::Relaxed) + bytes, Some(total));
            result
        })
        .collect();
    let mut modules = Vec::with_capacity(results.len());
    let mut memory = 0_u64;
    for (source, (result, errors)) in input.sources.iter().zip(results) {
        input.coverage.problems.extend(errors.into_iter().map(|error| InputProblem {
            path: source.path.clone(),
            message: format!("a script of the file is not scanned: {error}"),
            is_incomplete: true,
        }));
        let is_dependency = input.is_dependency(source.file);
        let record = &mut input.coverage.files[source.file as usize];
        let module = match result {
            Ok(module) => {
                memory += module.instructions.len() as u64 * BYTES_PER_INSTRUCTION;
                if memory > options.memory {
                    let message =
                        format!("the memory limit of {} is reached; see --memory", counted(options.memory, "byte"));
                    record.outcome = FileOutcome::Failed(message);
                    None
                } else {
                    Some(module)
                }
            }
            Err(LowerError::TimedOut) => {
                record.outcome = FileOutcome::TimedOut;
                None
            }
            // Code of others that cannot be analysed is as if it were not there.
            Err(_) if is_dependency => {
                record.outcome = FileOutcome::Skipped(SkipReason::Dependency);
                None
            }
            Err(error) => {
                record.outcome = FileOutcome::Failed(error.to_string());
                None
            }
        };
        modules.push(module);
    }
    modules
}

/// Links the modules: one program, with the targets of imports.
fn link(
    input: &mut Input,
    modules: Vec<Option<FlowModule>>,
    control: &ScanControl,
) -> (Program, Vec<(FileIndex, u32)>) {
    let mut program = Program::default();
    let mut files: Vec<(FileIndex, u32)> = Vec::new();
    for (source, module) in input.sources.iter().zip(modules) {
        let Some(module) = module else { continue };
        match program.push(source.file, module) {
            Ok(number) => files.push((source.file, number)),
            Err(crate::program::TooLarge) => {
                input.coverage.files[source.file as usize].outcome =
                    FileOutcome::Failed("the program is too large".to_owned());
            }
        }
    }
    control.report(ScanStage::Link, 0, Some(program.modules.len() as u64));
    match input.sources.first().map(|source| source.language) {
        Some(Language::Python) => super::packages::link(input, &mut program, &files),
        _ => link_imports(input, &mut program, &files),
    }
    (program, files)
}

/// Sets the targets of imports.
fn link_imports(input: &Input, program: &mut Program, files: &[(FileIndex, u32)]) {
    let resolver = Resolver::new(input);
    let imports: Vec<_> = program
        .modules
        .par_iter()
        .map(|module| {
            let path = &input.coverage.files[module.file as usize].path;
            module
                .specifiers()
                .into_iter()
                .map(|symbol| {
                    let target = match resolver.resolve(path, module.flow.text(symbol)) {
                        Resolution::File(file) => match files.binary_search_by_key(&file, |(file, _)| *file) {
                            Ok(position) => ImportTarget::Module(files[position].1),
                            Err(_) => ImportTarget::Nothing,
                        },
                        Resolution::Package(name) => ImportTarget::Library(name),
                        Resolution::Folder(_) | Resolution::NotFound => ImportTarget::Nothing,
                    };
                    (symbol, target)
                })
                .collect::<Vec<_>>()
        })
        .collect();
    for (module, imports) in program.modules.iter_mut().zip(imports) {
        module.imports = imports;
    }
    super::pages::mark(input, program, files, &resolver);
}

/// Packages with models stay libraries, even if their code is there: the models know more than the code says.
fn keep_models(input: &Input, program: &mut Program, knowledge: &Knowledge) {
    let is_dependency: Vec<bool> = program.modules.iter().map(|module| input.is_dependency(module.file)).collect();
    if !is_dependency.contains(&true) {
        return;
    }
    for number in 0..program.modules.len() {
        if is_dependency[number] {
            continue;
        }
        let module = &mut program.modules[number];
        let names: Vec<(usize, String)> = module
            .imports
            .iter()
            .enumerate()
            .filter(
                |(_, (_, target))| matches!(target, ImportTarget::Module(target) if is_dependency[*target as usize]),
            )
            .map(|(position, (symbol, _))| (position, module.flow.text(*symbol).to_owned()))
            .collect();
        for (position, name) in names {
            if knowledge.library_of(&name).is_some() {
                module.imports[position].1 = ImportTarget::Library(name);
            }
        }
    }
}

/// Threat models: those of the options, or those of the packages.
fn threat_models(input: &Input, options: &ScanOptions) -> Vec<ThreatModel> {
    let mut models = options.models.clone();
    if models.is_empty() {
        for source in &input.sources {
            match input.package_of(source.file).map(|package| package.models.as_slice()) {
                // Files of no package, and of packages that do not say, are of both kinds.
                None | Some([]) => models.extend([ThreatModel::Application, ThreatModel::Library]),
                Some(known) => models.extend_from_slice(known),
            }
            models.sort_unstable();
            models.dedup();
        }
    }
    if models.is_empty() {
        models = vec![ThreatModel::Application, ThreatModel::Library];
    }
    models.sort_unstable();
    models.dedup();
    models
}

/// Sources of the library model: parameters of exported functions.
fn add_exports(
    input: &Input,
    files: &[(FileIndex, u32)],
    program: &Program,
    knowledge: &Knowledge,
    points_to: &PointsTo,
    roles: &mut Roles,
) {
    // Entries of packages; every module of a file that belongs to no package, or to one without entries.
    let named: std::collections::BTreeSet<FileIndex> =
        input.packages.iter().flat_map(|package| package.entries.iter().copied()).collect();
    let has_entries = |file: FileIndex| input.package_of(file).is_some_and(|package| !package.entries.is_empty());
    let entries: Vec<u32> = files
        .iter()
        .filter(|(file, _)| named.contains(file) || !has_entries(*file))
        .filter(|(file, _)| !input.is_dependency(*file))
        .map(|&(_, module)| module)
        .collect();
    let kinds: Vec<_> = knowledge.export_sources().collect();
    let rest_parameters = rest_parameters(program);
    for function in exported_functions(program, points_to, &entries) {
        for position in 0..points_to.layout.parameters(function) {
            let Some(node) = points_to.layout.parameter(function, position) else { continue };
            for &kind in &kinds {
                roles.sources.push(Source { node, kind, value: None });
            }
        }
        if let Some(&rest) = rest_parameters.get(&function) {
            for &kind in &kinds {
                roles.sources.push(Source { node: rest, kind, value: Some(rest) });
            }
        }
        let arguments = points_to.layout.formal(function, points_to::Formal::Arguments);
        for &kind in &kinds {
            roles.sources.push(Source { node: arguments, kind, value: None });
        }
    }
    roles.sources.sort_unstable();
    roles.sources.dedup();
}

/// Values of rest parameters, by function.
fn rest_parameters(program: &Program) -> std::collections::BTreeMap<u32, u32> {
    let mut values = std::collections::BTreeMap::new();
    for module in &program.modules {
        for (position, instruction) in module.flow.instructions.iter().enumerate() {
            if let crate::flow::Op::RestParameter(_) = instruction.op {
                values.entry(module.function(instruction.function)).or_insert(module.values + position as u32);
            }
        }
    }
    values
}

/// Sources by names of parameters, and by decorators.
fn add_conventions(program: &Program, knowledge: &Knowledge, points_to: &PointsTo, roles: &mut Roles) {
    for module in &program.modules {
        for (number, function) in module.flow.functions.iter().enumerate() {
            let index = module.functions + number as u32;
            for (position, name) in function.parameters.iter().enumerate() {
                let Some(name) = name else { continue };
                let Some(node) = points_to.layout.parameter(index, position as u32) else { continue };
                for &kind in knowledge.parameter_sources(module.flow.text(*name)) {
                    roles.sources.push(Source { node, kind, value: None });
                }
            }
            for &(position, decorator) in &function.parameter_decorators {
                let Some(node) = points_to.layout.parameter(index, position) else { continue };
                // `@Query("q")` is a call of the decorator, `@Query` the decorator itself. Pipes among its arguments convert the value.
                let mut clean = 0;
                let decorator = match module.flow.instructions[decorator.index()].op {
                    crate::flow::Op::Call(call) => {
                        let call = &module.flow.calls[call.index()];
                        for argument in &call.arguments {
                            for path in points_to.paths_of(module.value(argument.value)) {
                                clean |= knowledge.sanitised_members(&format!("{path}.transform"));
                            }
                        }
                        call.callee
                    }
                    _ => decorator,
                };
                for path in points_to.paths_of(module.value(decorator)) {
                    if !knowledge.decorator_sources(path).is_empty() || knowledge.decorator_type(path).is_some() {
                        roles.count_library(knowledge, path);
                    }
                    for &kind in knowledge.decorator_sources(path) {
                        if knowledge.sources[usize::from(kind)].rules & !clean == 0 {
                            continue;
                        }
                        roles.sources.push(Source { node, kind, value: None });
                    }
                }
            }
        }
    }
    roles.sources.sort_unstable();
    roles.sources.dedup();
}

/// Warnings about libraries whose models do not match.
fn warnings(
    input: &Input,
    program: &Program,
    knowledge: &Knowledge,
    points_to: &PointsTo,
    roles: &Roles,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for module in &program.modules {
        for (_, target) in &module.imports {
            let ImportTarget::Library(path) = target else { continue };
            let Some(library) = knowledge.library_of(path) else { continue };
            let package = library.package.clone();
            if !seen.insert(package.clone()) {
                continue;
            }
            let version = input.dependency_version(module.file, &package);
            if let Some(version) = version
                && let Some(warning) = knowledge.warn_version(&package, version)
            {
                warnings.push(warning);
            }
            if points_to.paths.is_unmatched(&package)
                && !roles.libraries.contains_key(&package)
                && let Some(warning) = knowledge.warn_unmatched(&package, version)
            {
                warnings.push(warning);
            }
        }
    }
    warnings.sort();
    warnings
}
