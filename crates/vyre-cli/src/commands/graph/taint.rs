//! `vyre graph taint`: multi-source reachability from sources to sinks.

use std::cell::RefCell;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use vyre::engine::dataflow::cost::{Workload, estimates};
use vyre::engine::dataflow::{DataflowError, Finding, Levels, Loaded, Options, Stage, Summary, Transfer};
use vyre::runtime::{CancelToken, Error};

use crate::args::graph::{FindingArgs, FindingFormat, LevelsArg, Switch, TaintArgs, TuningArgs};
use crate::destination::Destination;
use crate::exit::Outcome;
use crate::graph::{
    Bar, DataflowRunner, Failure, FindSuppression, FindingContext, Labels, Receiver, RulesFile, Snippets, Totals,
    WeightUse, check_sinks, check_stdin, drawing_error, estimates_note, finding_writer, open, read_attributes_of,
    read_transfer, set_sinks, source_folder, sources, times_line, write_totals,
};
use crate::input::Input;
use crate::interrupt::cancelled_by_interrupt;
use crate::output::{counted, duration, has_colors, number, print_note, quantity};
use crate::termination::{self, Phase, enter};

pub(crate) fn run(args: &TaintArgs) -> anyhow::Result<Outcome> {
    let TaintArgs { file, flow, results, device, read, .. } = args;
    check(args)?;
    let started = Instant::now();
    let limit = DataflowRunner::start(device);
    let rules = flow.rules.as_deref().map(RulesFile::read).transpose()?;
    let mut options = options(args);
    options.max_depth = flow.max_depth.or_else(|| rules.as_ref().and_then(|file| file.rules.transfer().max_depth));
    let transfer = transfer_file(args, rules.as_ref());
    if let Some(transfer) = &transfer {
        Destination::new(results.output.clone()).check(&Input::new(transfer), None)?;
    }
    options.transfer = transfer.as_deref().map(read_transfer).transpose()?;
    let snippets = flow.source_root.as_deref().map(Snippets::new).transpose()?;
    let bar = Bar::new(results.quiet);
    let (mut choice, graph) = open(file, read, WeightUse::None, device, &bar)?;
    let mut graph = graph.reversed(flow.reverse);
    if flow.attributes.is_some() && graph.has_listed_attributes() {
        bail!("attributes of nodes come from --nodes and from --attributes; leave one of them out");
    }
    let attributes = flow.attributes.as_deref().map(|file| read_attributes_of(file, &graph, &bar)).transpose()?;
    let attributes = attributes.or_else(|| graph.attributes().cloned());
    if flow.source_root.is_some() && attributes.is_none() {
        bail!(
            "--source-root is about the attributes `file` and `line` of nodes, and nodes have none; see --attributes"
        );
    }
    let mut labels = rules.map(|rules| rules.apply(&mut graph, attributes.as_ref(), &bar)).transpose()?;
    let advisory_ids = set_sinks(&mut graph, &flow.sinks, &flow.advisories, &bar)?;
    let starts = sources(&graph, flow.sources.as_deref(), &bar)?;
    options.facts = labels.as_ref().and_then(|labels| labels.facts(&starts));
    if let Some(words) = labels.as_mut().and_then(|labels| labels.take_node_words()) {
        match options.transfer.take() {
            Some(transfer) => options.transfer = Some(transfer.with_node_words(words)),
            None => bar.note("the rules have parameters, which say nothing without a transfer function"),
        }
    }
    // Without an affected package, the answer is that there is none.
    if flow.advisories.is_empty() {
        check_sinks(&graph)?;
    }
    let view = graph.view().csr;
    if choice.is_open() && options.transfer.is_none() {
        options.workload = Some(Workload::new(view, &starts, options.max_depth));
    }
    let best = options.workload.as_ref().map(|workload| estimates(workload, &choice.machine)).unwrap_or_default();
    let largest_array = options.workload.as_ref().map_or(0, Workload::largest_array);
    let backends = best.into_iter().map(|estimate| estimate.backend);
    let selected = choice.select(device, backends, largest_array, &bar)?;
    let cancel = cancelled_by_interrupt()?;
    let machine = choice.machine;
    let is_calibrated = machine.is_calibrated;
    let runner = DataflowRunner::new(selected, machine, limit, results.quiet, &bar, cancel.clone())
        .with_device_time(results.explain);
    let begin = Instant::now();
    let context = FindingContext {
        graph: &graph,
        backend: runner.backend,
        device: runner.device.clone(),
        sources: starts.len(),
        labels,
        attributes,
        advisory_ids,
        has_facts: options.facts.is_some() || options.transfer.as_ref().is_some_and(Transfer::carries_facts),
        has_witnesses: results.shows_witnesses(),
        is_reversed: flow.reverse,
        has_colors: Destination::new(results.output.clone()) == Destination::Stdout && has_colors(),
        source_folder: source_folder(flow.source_root.as_deref()),
        snippets: RefCell::new(snippets),
    };
    let analysis = Analysis { sources: &starts, options: &options, context: &context, results, cancel, bar: &bar };
    let result = match graph.valid() {
        Ok(valid) => analysis.run(&runner.engine.load_valid(valid)),
        Err(error) => Err(Failure::Analysis(error.into()).into()),
    };
    bar.clear();
    let (summary, totals) = match result {
        Ok(totals) => {
            enter(Phase::Writing);
            totals
        }
        Err(RunError::Output(error)) => return Err(error),
        Err(RunError::Analysis(Failure::Analysis(DataflowError::Device(Error::Cancelled)))) => {
            // The device may be busy, and its destructors would wait for it.
            let error = anyhow!("ended by a signal: the findings are not complete");
            termination::fail(&error, Outcome::Interrupted);
        }
        Err(RunError::Analysis(failure)) => return Err(explain(&failure, &runner)),
    };
    if results.explain {
        summary.explanation.lines().iter().for_each(|line| print_note(line));
        if let Some(time) = summary.device_time {
            print_note(&format!("device: busy for {}", duration(time)));
        }
        if summary.estimate.is_some() {
            print_note(estimates_note(is_calibrated));
        }
        print_note(&stages_line(begin - started, &summary));
    }
    if !results.quiet {
        if let Some(note) = context.snippets.borrow().as_ref().and_then(Snippets::note) {
            print_note(&note);
        }
        let (findings, sources) = (quantity(totals.findings, "finding"), quantity(starts.len(), "source"));
        let suppressed = match totals.suppressed {
            0 => String::new(),
            count => format!(", {} suppressed", number(count)),
        };
        context.labels.iter().flat_map(Labels::unused_suppressions).for_each(|note| print_note(&note));
        print_note(&format!("{findings} of {sources} in {}{suppressed}", duration(begin.elapsed())));
    }
    // At its exit, the driver frees the memory of a process faster than destructors do.
    std::mem::forget(runner);
    Ok(if totals.findings > 0 { Outcome::Findings } else { Outcome::Clean })
}

/// Times of the start and of all stages, each with its estimate if there is one.
fn stages_line(start: Duration, summary: &Summary) -> String {
    let estimate = summary.estimate.as_ref();
    let stages = Stage::ALL.into_iter().filter_map(|stage| {
        let time = summary.stages.time(stage);
        let estimated = estimate.map(|estimate| estimate.stages.time(stage)).filter(|estimated| !estimated.is_zero());
        (!time.is_zero() || estimated.is_some()).then(|| (stage.name(), time, estimated))
    });
    let estimated = estimate.map(|estimate| estimate.start);
    times_line("stages", [("start", start, estimated)].into_iter().chain(stages))
}

/// Rejects contradictory arguments and an output file that is also an input.
fn check(args: &TaintArgs) -> anyhow::Result<()> {
    let TaintArgs { file, flow, results, read, .. } = args;
    let list = flow.sources.as_deref().map(Path::new);
    let is_stdin = |path: &&Path| path.as_os_str() == "-";
    let nodes = read.nodes.as_deref();
    let others = [nodes, flow.rules.as_deref(), flow.attributes.as_deref(), flow.transfer.as_deref()];
    let sinks = flow.sinks.iter().map(Path::new).chain(flow.advisories.iter().map(PathBuf::as_path)).map(Some);
    check_stdin([Some(&**file), list.filter(is_stdin)].into_iter().chain(others).chain(sinks))?;
    if let Some(format) = results.format.without_totals().filter(|_| results.shows_totals_only()) {
        bail!("--count and --fingerprint print numbers, for which {format} has no form; use `--format json`");
    }
    if results.no_witness && matches!(results.format, FindingFormat::Dot | FindingFormat::Svg) {
        bail!("a drawing consists of witnesses; leave --no-witness out");
    }
    let destination = Destination::new(results.output.clone());
    let inputs = [Some(&**file), list].into_iter().chain(others);
    inputs.flatten().try_for_each(|input| destination.check(&Input::new(input), results.format.binary()))
}

/// File of the transfer function: that of `--transfer`, otherwise that of the rules, relative to the rules file.
fn transfer_file(args: &TaintArgs, rules: Option<&RulesFile>) -> Option<PathBuf> {
    let from_rules = || {
        let folder = args.flow.rules.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        rules.and_then(|file| file.rules.transfer().function.as_ref()).map(|function| folder.join(function))
    };
    args.flow.transfer.clone().or_else(from_rules)
}

fn options(args: &TaintArgs) -> Options {
    let TuningArgs { memory, strategy, levels, prune, contract } = args.tuning;
    let mut options = Options::default();
    options.memory = memory;
    options.strategy = strategy;
    options.levels = levels.map(|levels| match levels {
        LevelsArg::Dense => Levels::Dense,
        LevelsArg::Sparse => Levels::Sparse,
    });
    options.prune = prune.map(Switch::is_on);
    options.contract = contract.map(Switch::is_on);
    options
}

/// An analysis with the destination of its findings.
struct Analysis<'a> {
    sources: &'a [u32],
    options: &'a Options,
    context: &'a FindingContext<'a>,
    results: &'a FindingArgs,
    cancel: CancelToken,
    bar: &'a Bar,
}

/// Reason why an analysis has no results.
enum RunError {
    /// The output failed. The error contains the name of the file.
    Output(anyhow::Error),
    /// The analysis failed, or exceeded the limit of findings.
    Analysis(Failure),
}

impl From<Failure> for RunError {
    fn from(failure: Failure) -> RunError {
        RunError::Analysis(failure)
    }
}

impl Analysis<'_> {
    /// Streams the results to the output. A file is replaced only when it is complete.
    fn run(&self, loaded: &Loaded<'_>) -> Result<(Summary, Totals), RunError> {
        let mut outcome = None;
        let mut failure = None;
        let written = Destination::new(self.results.output.clone()).stream(|out| match self.analyse(loaded, out) {
            Ok(totals) => {
                outcome = Some(totals);
                Ok(())
            }
            Err(Failure::Writing(error)) => Err(error.into()),
            Err(other) => {
                failure = Some(other);
                bail!("the analysis failed")
            }
        });
        match (failure, written, outcome) {
            (Some(failure), ..) => Err(failure.into()),
            (None, Err(error), _) => Err(RunError::Output(error)),
            (None, Ok(()), Some(totals)) => Ok(totals),
            (None, Ok(()), None) => Err(RunError::Output(anyhow!("nothing was written"))),
        }
    }

    fn analyse(&self, loaded: &Loaded<'_>, out: &mut dyn Write) -> Result<(Summary, Totals), Failure> {
        let FindingArgs { format, findings_memory, max_findings, .. } = *self.results;
        let labels = self.context.labels.as_ref().filter(|labels| labels.has_suppressions());
        let is_suppressed = labels.map(|labels| move |finding: &Finding| labels.suppression(finding).is_some());
        let is_suppressed = is_suppressed.as_ref().map(|is_suppressed| is_suppressed as &FindSuppression<'_>);
        if self.results.shows_totals_only() {
            let receiver = Receiver::new(None, None, self.cancel.clone(), findings_memory, max_findings)
                .with_suppressions(is_suppressed);
            let (summary, totals) = self.stream(loaded, receiver)?;
            write_totals(self.results, out, self.context, &totals)?;
            return Ok((summary, totals));
        }
        let find_witnesses = |findings: &[Finding]| {
            let mut witnesses = loaded.witnesses(findings, self.options)?;
            if self.context.is_reversed {
                witnesses.iter_mut().for_each(|witness| witness.reverse());
            }
            Ok(witnesses)
        };
        let witnesses = self.context.has_witnesses.then_some(&find_witnesses as _);
        let writer = finding_writer(format, out, self.context);
        let receiver = Receiver::new(Some(writer), witnesses, self.cancel.clone(), findings_memory, max_findings)
            .with_suppressions(is_suppressed);
        self.stream(loaded, receiver)
    }

    fn stream(&self, loaded: &Loaded<'_>, mut receiver: Receiver<'_>) -> Result<(Summary, Totals), Failure> {
        let mut failure = None;
        let result = loaded.stream(self.sources, self.options, |batch| {
            // Findings and the bar can share one terminal.
            self.bar.clear();
            match receiver.receive(batch) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        match failure {
            Some(failure) => Err(failure),
            None => Ok((result?, receiver.finish()?)),
        }
    }
}

/// Message for a failure.
fn explain(failure: &Failure, runner: &DataflowRunner) -> anyhow::Error {
    match failure {
        Failure::Analysis(error) => runner.explain(error),
        Failure::TooMany { found, limit, written } => {
            let extent = match written {
                0 => "none is given".to_owned(),
                1 => "only the first is given".to_owned(),
                written => format!("only the first {written} are given"),
            };
            let found = counted(*found, "finding");
            anyhow!("{found} where at most {limit} may be: {extent}; see --max-findings")
        }
        Failure::Drawing(error) => drawing_error(
            error,
            "select fewer sources or sinks with --sources, --sinks or --rules, or use `--format dot`",
        ),
        Failure::Writing(error) => anyhow!("cannot write: {error}"),
    }
}
