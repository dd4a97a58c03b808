//! `vyre scan NEW --compare OLD`: what a version of a package adds.

use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use vyre::pyrograph::compare::compare;
use vyre::pyrograph::report::{ReportFormat, ReportOptions, write_comparison};
use vyre::pyrograph::scan::{ScanControl, ScanOptions, ScanReport};

use crate::args::scan::{ScanArgs, ScanFormat};
use crate::destination::Destination;
use crate::exit::Outcome;
use crate::fetch::Fetched;
use crate::graph::Bar;
use crate::output::{STDOUT, counted, print_error, print_note, visible};
use crate::scan::{Scanner, worsened_by_coverage};
use crate::termination::{Phase, enter};

/// Scans both versions with the same options and writes their difference.
pub(super) fn run(
    args: &ScanArgs,
    old: &Path,
    mut options: ScanOptions,
    scanner: &Scanner,
    (control, bar): (&ScanControl, &Bar),
    destination: &Destination,
) -> anyhow::Result<Outcome> {
    let format = report_format(args.format)?;
    let [new] = args.paths.as_slice() else { bail!("--compare takes one path to scan and one older version of it") };
    let (new, old) = (Fetched::new(new, bar)?, Fetched::new(old, bar)?);
    options.capabilities = true;
    // The author of a release does not decide what is new in it.
    options.ignore_comments = false;
    let scan = |input: &Fetched| -> anyhow::Result<ScanReport> {
        let mut options = options.clone();
        // Dependencies inside of an archive are part of the release.
        options.dependencies |= input.path.is_file();
        let result = scanner.scan(std::slice::from_ref(&input.path), &options, control);
        bar.clear();
        let mut report = result.map_err(|error| scanner.explain(error))?;
        report.configuration.clone_from(&args.input.configuration);
        Ok(report)
    };
    let old_report = scan(&old)?;
    let new_report = scan(&new)?;
    let comparison = compare(&new_report, &old_report);
    enter(Phase::Writing);
    let options = ReportOptions::default().with_statistics(args.stats).with_colors(format == ReportFormat::Text);
    let (named_new, named_old) = ((new.name.as_str(), &new_report), (old.name.as_str(), &old_report));
    let write = |out: &mut dyn std::io::Write| -> anyhow::Result<()> {
        write_comparison(named_new, named_old, &comparison, format, options, out)?;
        out.flush().context(STDOUT)
    };
    match format {
        ReportFormat::Text => destination.write_text(write)?,
        _ => destination.stream(write)?,
    }
    if !args.quiet && (format != ReportFormat::Text || *destination != Destination::Stdout) {
        let findings = counted(comparison.new_findings.len(), "new finding");
        let capabilities = counted(comparison.new_capabilities.len(), "new capability");
        print_note(&format!("{findings}, {capabilities}, compared with {}", visible(&old.name)));
    }
    let mut outcome = if comparison.has_news() { Outcome::Findings } else { Outcome::Clean };
    let problems = old_report.coverage.problems.len() + new_report.coverage.problems.len();
    if problems > 0 && !args.allow_incomplete {
        let problems = counted(problems, "problem");
        print_error(&anyhow!("the input has {problems}, so the comparison may miss something; `vyre scan` names them"));
        outcome.worsen(Outcome::Failure);
    }
    let incomplete = [&old_report.coverage, &new_report.coverage].into_iter().find(|coverage| coverage.is_incomplete());
    Ok(match incomplete {
        Some(coverage) => worsened_by_coverage(outcome, coverage, args, control),
        None => outcome,
    })
}

/// Format of a comparison.
fn report_format(format: ScanFormat) -> anyhow::Result<ReportFormat> {
    if format == ScanFormat::Text {
        Ok(ReportFormat::Text)
    } else if format == ScanFormat::Json {
        Ok(ReportFormat::Json)
    } else if format == ScanFormat::Sarif {
        Ok(ReportFormat::Sarif)
    } else {
        bail!("--compare writes the formats `text`, `json` and `sarif`")
    }
}
