//! `vyre scan`: finds flows from untrusted inputs to dangerous calls.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use vyre::pyrograph::baseline::Baseline;
use vyre::pyrograph::report::{ReportFormat, ReportOptions, write};
use vyre::pyrograph::scan::{FilePosition, ScanControl, ScanOptions, ScanReport, explain_missing};
use vyre::pyrograph::uri::decoded;

use super::{compare, lockfile};
use crate::args::scan::{ScanArgs, ScanFormat};
use crate::destination::Destination;
use crate::exit::Outcome;
use crate::fetch::Inputs;
use crate::graph::Bar;
use crate::input::Input;
use crate::interrupt::cancelled_by_interrupt;
use crate::output::{STDOUT, counted, print_error, print_note, styled_stdout, visible};
use crate::scan::{Cache, Scanner, StageNotes, options, refuse_scanned_file, selection, worsened_by_coverage};
use crate::termination::{Phase, enter};

pub(crate) fn run(args: &ScanArgs) -> anyhow::Result<Outcome> {
    let destination = Destination::new(args.output.clone());
    check(args, &destination)?;
    let mut options = options(&args.selection, &args.running)?;
    options.ignore_comments = !args.findings.no_ignore_comments;
    let baseline = args.findings.baseline.as_deref().map(read_baseline).transpose()?;
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
    report.selection = Some(selection(args)?);
    if let Some(baseline) = &baseline {
        report.baseline = Some(baseline.compare(&report, &is_elsewhere));
        if baseline.omitted > 0 {
            let omitted = counted(baseline.omitted, "finding");
            report
                .warnings
                .push(format!("the baseline is not complete: its log left out {omitted}, which are new here"));
        }
    }
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
    let findings = &args.findings;
    // A configuration may have a severity too, which these do not use.
    let has_fail_on = args.input.given.iter().any(|given| given == "fail_on");
    let has_workflow = findings.baseline.is_some() || findings.strict || has_fail_on;
    if has_workflow && (args.input.compare.is_some() || args.input.lockfile.is_some()) {
        bail!("--baseline, --fail-on and --strict are for plain scans, not for --compare and --lockfile");
    }
    let inputs = args.paths.iter().chain(&args.selection.rules).chain(&args.findings.baseline);
    for path in inputs.chain(&args.input.compare).chain(&args.input.lockfile).chain(&args.input.config) {
        destination.check(&Input::new(path), None)?;
    }
    if let Destination::Named(output) = destination {
        let folder = args.input.lockfile.as_deref().map(folder_of);
        let folders: Vec<PathBuf> = args.paths.iter().chain(&args.input.compare).cloned().chain(folder).collect();
        refuse_scanned_file(output, &folders)?;
    }
    Ok(())
}

/// Folder of a file, as a path that exists.
fn folder_of(file: &Path) -> PathBuf {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// True if the file of a URI exists, in an archive if the URI leads into one.
fn is_elsewhere(uri: &str) -> bool {
    let path = decoded(uri);
    path.is_some_and(|path| Path::new(path.split_once("!/").map_or(path.as_str(), |(archive, _)| archive)).exists())
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
    let options = ReportOptions::default().with_statistics(args.stats).with_fail_on(args.findings.fail_on.fail_on());
    let format = match args.format {
        ScanFormat::Text => ReportFormat::Text,
        ScanFormat::Json => ReportFormat::Json,
        ScanFormat::Sarif => ReportFormat::Sarif,
        ScanFormat::Html => ReportFormat::Html,
        ScanFormat::Github => ReportFormat::Github,
        ScanFormat::Junit => ReportFormat::Junit,
        ScanFormat::Markdown => ReportFormat::Markdown,
    };
    let mut cuts = Vec::new();
    match format {
        ReportFormat::Text => destination.write_text(|out| {
            cuts = write(report, format, options.with_colors(true), out)?;
            out.flush().context(STDOUT)
        })?,
        _ => destination.stream(|out| {
            cuts = write(report, format, options, out)?;
            Ok(())
        })?,
    }
    let has_summary = matches!(format, ReportFormat::Text | ReportFormat::Github);
    let is_summary_shown = has_summary && *destination == Destination::Stdout;
    if !args.quiet && !is_summary_shown {
        print_notes(report);
    }
    // What a report leaves out is no detail that --quiet may hide.
    for cut in cuts {
        print_note(&format!("warning: {}", visible(&cut)));
    }
    Ok(())
}

/// Prints what a reader of standard error wants to know about a report that is elsewhere.
fn print_notes(report: &ScanReport) {
    print_note(&counted(report.findings.len(), "finding"));
    if !report.suppressed.is_empty() {
        print_note(&format!("silenced by comments: {}", counted(report.suppressed.len(), "finding")));
    }
    if let Some(baseline) = &report.baseline {
        print_note(&format!("since the baseline: {}", baseline.counts(report.findings.len())));
    }
    if let Some(configuration) = &report.configuration {
        print_note(&format!("configuration {}", visible(configuration)));
    }
    for warning in &report.warnings {
        print_note(&format!("warning: {}", visible(warning)));
    }
    for note in &report.notes {
        print_note(&format!("note: {}", visible(note)));
    }
    if report.statistics.is_approximate() {
        print_note("approximate: the analysis reached limits, so that flows may be missing; see the report");
    }
}

/// Maximum bytes of a baseline. Logs of as many results as a scan writes have some hundred megabytes.
const MAX_BASELINE: u64 = 2 << 30;

/// Reads the findings of an earlier scan.
fn read_baseline(path: &Path) -> anyhow::Result<Baseline> {
    let input = Input::new(path);
    let name = visible(&input.name()).into_owned();
    let text = input.read_within(MAX_BASELINE)?;
    // The message may quote the log.
    Baseline::read(&text).map_err(|error| anyhow!("{name} is no baseline: {}", visible(&error.to_string())))
}

/// Outcome of a scan. Code that was not analysed is a failure unless the arguments allow it.
fn outcome(args: &ScanArgs, report: &ScanReport, control: &ScanControl) -> Outcome {
    let fail_on = args.findings.fail_on.fail_on();
    let has_failures = report.findings.iter().any(|finding| report.fails(finding, fail_on));
    let mut outcome = if has_failures { Outcome::Findings } else { Outcome::Clean };
    let warnings = report.warnings.len() + report.notes.len() + report.coverage.problems.len();
    if args.findings.strict && warnings > 0 {
        print_error(&anyhow!("--strict: the scan has {}; see the report", counted(warnings, "warning")));
        outcome.worsen(Outcome::Failure);
    }
    worsened_by_coverage(outcome, &report.coverage, args, control)
}
