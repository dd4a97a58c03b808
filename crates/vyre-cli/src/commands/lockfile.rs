//! `vyre scan --lockfile package-lock.json`: scans the dependencies of a project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, anyhow, bail};
use vyre::pyrograph::scan::{ScanControl, ScanOptions, ScanReport};

use crate::args::scan::{ScanArgs, ScanFormat};
use crate::destination::Destination;
use crate::exit::Outcome;
use crate::graph::Bar;
use crate::lockfile::{
    Lockfile, Package, PackageResult, Reach, Row, Scanned, Summary, check_bundled, fetch_all, reach, refuse_other,
    write_json, write_text,
};
use crate::output::{STDOUT, counted, print_error, print_note, visible};
use crate::scan::{Scanner, print_some, read_text};
use crate::termination::{Phase, enter};

/// Fetches and scans all dependencies, and writes one line for each.
pub(super) fn run(
    args: &ScanArgs,
    file: &Path,
    options: &ScanOptions,
    scanner: &Scanner,
    (control, bar): (&ScanControl, &Bar),
    destination: &Destination,
) -> anyhow::Result<Outcome> {
    if args.format != ScanFormat::Text && args.format != ScanFormat::Json {
        bail!("--lockfile writes the formats `text` and `json`");
    }
    let start = Instant::now();
    let name = visible(&file.to_string_lossy()).into_owned();
    refuse_other(file).with_context(|| format!("cannot read the lockfile {name}"))?;
    let text = read_text(file)?;
    let lockfile = Lockfile::parse(&text).with_context(|| format!("cannot read the lockfile {name}"))?;
    let is_over = || control.is_cancelled() || options.time_limit.is_some_and(|limit| start.elapsed() >= limit);
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scan = |path: &Path, options: &ScanOptions| -> anyhow::Result<ScanReport> {
        let mut options = options.clone();
        options.time_limit = options.time_limit.map(|limit| limit.saturating_sub(start.elapsed()));
        let result = scanner.scan(&[path.to_owned()], &options, control);
        result.map_err(|error| scanner.explain(error))
    };
    let project = Scanned::new(&scan(folder, options)?);
    let mut fetched = fetch_all(&lockfile, bar, &is_over)?;
    // Dependencies inside of an archive are part of it.
    let mut of_packages = options.clone();
    of_packages.dependencies = true;
    let mut results: Vec<PackageResult> = Vec::new();
    for (number, package) in fetched.packages.iter().enumerate() {
        bar.count("scanning packages", number as u64, fetched.packages.len() as u64);
        results.push(match &package.archive {
            Err(reason) => PackageResult::NotScanned(reason.clone()),
            Ok(_) if is_over() => PackageResult::NotScanned("the scan ended before".to_owned()),
            Ok(archive) => match scan(archive, &of_packages) {
                Ok(report) => PackageResult::Scanned(Scanned::new(&report)),
                Err(error) => PackageResult::NotScanned(format!("{error:#}")),
            },
        });
    }
    bar.clear();
    let (bundled, missing) = check_bundled(&lockfile, &fetched.packages, &results);
    for (package, reason) in missing {
        fetched.packages.push(package);
        results.push(PackageResult::NotScanned(reason));
    }
    let states = reachability(&lockfile, &project, &fetched.packages, &results);
    let mut rows: Vec<Row<'_>> = fetched
        .packages
        .iter()
        .zip(states)
        .zip(&results)
        .map(|((package, reach), result)| (package, reach, result))
        .collect();
    rows.sort_by(|(left, ..), (right, ..)| (&left.name, &left.version).cmp(&(&right.name, &right.version)));
    let summary = Summary::new(&rows);
    enter(Phase::Writing);
    match args.format {
        ScanFormat::Json => destination
            .stream(|out| Ok(write_json(&rows, &summary, bundled, args.input.configuration.as_deref(), out)?))?,
        _ => destination.write_text(|out| {
            write_text(&rows, &summary, bundled, out)?;
            out.flush().context(STDOUT)
        })?,
    }
    if !args.quiet && (args.format != ScanFormat::Text || *destination != Destination::Stdout) {
        print_note(&format!("{}, {} with findings", counted(summary.packages, "package"), summary.with_findings));
    }
    if let Some(configuration) = args.input.configuration.as_ref().filter(|_| !args.quiet) {
        print_note(&format!("configuration {}", visible(configuration)));
    }
    Ok(outcome(args, &rows, &summary, control))
}

/// Reachability of each package: the best one of its folders.
fn reachability(lockfile: &Lockfile, project: &Scanned, packages: &[Package], results: &[PackageResult]) -> Vec<Reach> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (package, result) in packages.iter().zip(results) {
        let PackageResult::Scanned(report) = result else { continue };
        if !report.is_incomplete {
            imports.extend(package.folders.iter().map(|folder| (folder.clone(), report.imports.clone())));
        }
    }
    let states = reach(lockfile, &project.imports, &imports, !project.is_incomplete);
    let best = |package: &Package| {
        let states = package.folders.iter().filter_map(|folder| states.get(folder.as_str()).copied());
        states.min().unwrap_or(Reach::Unknown)
    };
    packages.iter().map(best).collect()
}

fn outcome(args: &ScanArgs, rows: &[Row<'_>], summary: &Summary, control: &ScanControl) -> Outcome {
    if control.is_cancelled() {
        print_error(&anyhow!("the scan was interrupted: the findings are not complete"));
        return Outcome::Interrupted;
    }
    let mut outcome = if summary.with_findings > 0 { Outcome::Findings } else { Outcome::Clean };
    if summary.incomplete > 0 && !args.allow_incomplete {
        let packages = counted(summary.incomplete, "package");
        print_error(&anyhow!(
            "{packages} could not be fetched or analysed, so findings may be missing; --allow-incomplete accepts it"
        ));
        print_some(rows.iter().filter_map(|(package, _, result)| {
            let reason = match result {
                PackageResult::NotScanned(reason) => reason.as_str(),
                PackageResult::Scanned(report) if report.is_incomplete => "some of its code was not analysed",
                PackageResult::Scanned(_) => return None,
            };
            Some(format!("{} {}: {}", visible(&package.name), visible(&package.version), visible(reason)))
        }));
        outcome.worsen(Outcome::Failure);
    }
    outcome
}
