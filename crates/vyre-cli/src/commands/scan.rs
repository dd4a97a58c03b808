//! `vyre scan`: finds flows from untrusted inputs to dangerous calls.

use std::io::Write as _;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use vyre::pyrograph::report::{ReportFormat, ReportOptions, write};
use vyre::pyrograph::scan::{FilePosition, ScanControl, ScanOptions, ScanReport, explain_missing};

use super::{compare, lockfile};
use crate::args::scan::{ScanArgs, ScanFormat};
use crate::destination::Destination;
use crate::exit::Outcome;
use crate::fetch::Inputs;
use crate::graph::Bar;
use crate::input::Input;
use crate::interrupt::cancelled_by_interrupt;
use crate::output::{STDOUT, counted, print_note, styled_stdout, visible};
use crate::scan::{Cache, Scanner, StageNotes, options, worsened_by_coverage};
use crate::termination::{Phase, enter};

pub(crate) fn run(args: &ScanArgs) -> anyhow::Result<Outcome> {
    let destination = Destination::new(args.output.clone());
    check(args, &destination)?;
    let options = options(&args.selection, &args.running)?;
    let scanner = Scanner::new(&args.running)?.with_cache(Cache::new(args)?);
    let bar = Bar::new(args.quiet);
    let notes = args.input.verbose.then(|| Arc::new(StageNotes::new(&bar)));
    if args.input.verbose {
        let configuration = args.input.configuration.as_deref().unwrap_or("none");
        print_note(&format!("configuration: {}", visible(configuration)));
    }
    let control = control(&bar, notes.clone())?;
    enter(Phase::Running);
    if let Some([source, sink]) = args.explain_missing.as_deref() {
        return explain(args, &options, &scanner, &control, &bar, (source, sink));
    }
    if let Some(old) = &args.input.compare {
        return compare::run(args, old, options, &scanner, (&control, &bar), &destination);
    }
    if let Some(file) = &args.input.lockfile {
        return lockfile::run(args, file, &options, &scanner, (&control, &bar), &destination);
    }
    let inputs = Inputs::fetch(&args.paths, &bar)?;
    let result = scanner.scan(&inputs.paths, &options, &control);
    bar.clear();
    if let Some(notes) = &notes {
        notes.finish();
    }
    let mut report = result.map_err(|error| scanner.explain(error))?;
    report.configuration.clone_from(&args.input.configuration);
    enter(Phase::Writing);
    write_report(args, &report, &destination)?;
    Ok(outcome(args, &report, &control))
}

/// Rejects an output that is an input, and positions that are not two.
fn check(args: &ScanArgs, destination: &Destination) -> anyhow::Result<()> {
    if args.paths.iter().any(|path| path.as_os_str() == "-") {
        bail!("a scan needs the name of a file or folder; `-` is none");
    }
    if args.explain_missing.as_ref().is_some_and(|positions| positions.len() != 2) {
        bail!("--explain-missing takes one source and one sink");
    }
    for path in args.paths.iter().chain(&args.selection.rules).chain(&args.input.compare).chain(&args.input.lockfile) {
        destination.check(&Input::new(path), None)?;
    }
    Ok(())
}

/// Control that Ctrl-C cancels, with a progress bar.
fn control(bar: &Bar, notes: Option<Arc<StageNotes>>) -> anyhow::Result<ScanControl> {
    let bar = bar.clone();
    Ok(ScanControl::new(cancelled_by_interrupt()?).with_progress(move |progress| {
        bar.scan(progress);
        if let Some(notes) = &notes {
            notes.advance(progress);
        }
    }))
}

fn explain(
    args: &ScanArgs,
    options: &ScanOptions,
    scanner: &Scanner,
    control: &ScanControl,
    bar: &Bar,
    (source, sink): (&FilePosition, &FilePosition),
) -> anyhow::Result<Outcome> {
    let inputs = Inputs::fetch(&args.paths, bar)?;
    let result = explain_missing(&inputs.paths, options, source, sink, scanner.device.clone(), control);
    bar.clear();
    let text = result.map_err(|error| scanner.explain(error))?;
    enter(Phase::Writing);
    if let Some(configuration) = args.input.configuration.as_ref().filter(|_| !args.quiet) {
        print_note(&format!("configuration {}", visible(configuration)));
    }
    let mut out = styled_stdout();
    writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Clean)
}

fn write_report(args: &ScanArgs, report: &ScanReport, destination: &Destination) -> anyhow::Result<()> {
    let options = ReportOptions::default().with_statistics(args.stats);
    match args.format {
        ScanFormat::Text => destination.write_text(|out| {
            write(report, ReportFormat::Text, options.with_colors(true), out)?;
            out.flush().context(STDOUT)
        })?,
        ScanFormat::Json => destination.stream(|out| Ok(write(report, ReportFormat::Json, options, out)?))?,
        ScanFormat::Sarif => destination.stream(|out| Ok(write(report, ReportFormat::Sarif, options, out)?))?,
    }
    let is_summary_shown = args.format == ScanFormat::Text && *destination == Destination::Stdout;
    if !args.quiet && !is_summary_shown {
        print_note(&counted(report.findings.len(), "finding"));
        if let Some(configuration) = &report.configuration {
            print_note(&format!("configuration {}", visible(configuration)));
        }
        for warning in &report.warnings {
            print_note(&format!("warning: {}", visible(warning)));
        }
        if report.statistics.is_approximate() {
            print_note("approximate: the analysis reached limits, so that flows may be missing; see the report");
        }
    }
    Ok(())
}

/// Outcome of a scan. Code that was not analysed is a failure unless the arguments allow it.
fn outcome(args: &ScanArgs, report: &ScanReport, control: &ScanControl) -> Outcome {
    let outcome = if report.findings.is_empty() { Outcome::Clean } else { Outcome::Findings };
    worsened_by_coverage(outcome, &report.coverage, args.allow_incomplete, control)
}
