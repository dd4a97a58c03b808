//! Measures scans of large npm packages against Semgrep.
//!
//! `cargo run --release -p vyre-benches --bin scan_report -- --help`

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use vyre_benches::harness::{
    ChartSpec, Comparison, Contender, Measured, OutputArgs, Plan, Report, Role, Table, compare, exit_code, finished,
    median, step, verdict,
};
use vyre_benches::scan::{ScanPackage, ScanSample, Scanner};

/// Measures `vyre scan` with all rules on large npm packages, and Semgrep with one rule on the same folders.
///
/// Progress goes to standard error, Markdown to standard output. Both programs scan a package one after the other in each
/// iteration; the figures are medians.
#[derive(Debug, Parser)]
#[command(name = "scan_report", after_help = AFTER_HELP)]
struct Options {
    /// The program `vyre`
    #[arg(long, value_name = "PROGRAM", default_value = "target/release/vyre")]
    vyre: PathBuf,

    /// Semgrep; left out without it
    #[arg(long, value_name = "PROGRAM")]
    semgrep: Option<PathBuf>,

    /// Rule of Semgrep
    #[arg(long, value_name = "FILE", default_value = "benches/scan/semgrep-rule.yaml")]
    rule: PathBuf,

    /// Number of iterations
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    /// Number of threads of both programs
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// Only packages whose file name contains NAME
    #[arg(long, value_name = "NAME", num_args = 1..)]
    package: Vec<String>,

    /// Folder for unpacked packages and the reports of the programs
    #[arg(long, value_name = "FOLDER", default_value = "target/scan-report")]
    folder: PathBuf,

    #[command(flatten)]
    output: OutputArgs,
}

const AFTER_HELP: &str = "\
Examples:
  benches/scan/fetch                                  fetches the packages and Semgrep, before anything else
  cargo build --release -p vyre-cli -p vyre-benches
  scan_report --semgrep ~/.cache/vyre/semgrep/bin/semgrep
  scan_report --package lodash webpack --iterations 5";

/// Goals: processor seconds for a million lines, and for 100 MB.
const GOALS: [(&str, f64); 2] = [("million lines", 5.0), ("100 MB", 15.0)];

/// Stages in their order. Others follow.
const STAGES: [&str; 9] =
    ["read", "parse", "lower", "parse and lower", "link", "solve", "value flow", "search", "report"];

/// Figures of a scanner, summed over packages.
#[derive(Clone, Debug, Default)]
struct Total {
    files: u64,
    failed: u64,
    findings: u64,
    lines: f64,
    bytes: f64,
    seconds: f64,
    /// Sum of the peaks of packages.
    peaks_mib: f64,
    largest_mib: f64,
    stages: Vec<(String, f64)>,
}

impl Total {
    fn add(&mut self, measured: &Measured<ScanSample>) {
        let Some(last) = measured.last() else { return };
        let peak = peak_mib(measured);
        self.files += last.files;
        self.failed += last.failed;
        self.findings += last.findings;
        self.lines += last.lines as f64;
        self.bytes += last.bytes as f64;
        self.seconds += measured.seconds().median();
        self.peaks_mib += peak;
        self.largest_mib = self.largest_mib.max(peak);
        for (stage, _) in &last.stages {
            let of_stage =
                |sample: &ScanSample| sample.stages.iter().find(|(name, _)| name == stage).map(|(_, time)| *time);
            let seconds = median(measured.partial_series(of_stage).values());
            match self.stages.iter_mut().find(|(name, _)| name == stage) {
                Some((_, sum)) => *sum += seconds,
                None => self.stages.push((stage.clone(), seconds)),
            }
        }
    }

    /// Amounts that figures are divided by: million lines, and 100 MB.
    fn units(&self) -> [f64; 2] {
        [self.lines / 1e6, self.bytes / 1e8]
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    exit_code("scan_report", run(&options))
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut scanners = vec![Scanner::Vyre { program: options.vyre.clone() }];
    if let Some(program) = &options.semgrep {
        scanners.push(Scanner::Semgrep { program: program.clone(), rule: options.rule.clone() });
    }
    let mut versions = Vec::new();
    for scanner in &scanners {
        versions.push(format!("{} ({})", scanner.name(), scanner.version()?));
    }
    let mut report = Report::new("scan_report", "Scans of npm packages", &options.output);
    let (jobs, iterations) = (options.jobs, options.iterations);
    report.paragraph(&format!(
        "{}; {jobs} thread{}, {iterations} iteration{}. `vyre scan` runs with all rules, Semgrep with the one of `{}`, without \
         its limits for sizes and minified files. Seconds are those of processors in user and kernel mode, with child \
         processes; memory is the peak of the largest process. Lines and bytes are those that `vyre scan` analysed, so without \
         declarations (`.d.ts`), dependencies and files with the bytes of another one.",
        versions.join(", "),
        if jobs == 1 { "" } else { "s" },
        if iterations == 1 { "" } else { "s" },
        options.rule.display(),
    ));
    let mut totals = vec![Total::default(); scanners.len()];
    report_packages(&mut report, options, &scanners, &mut totals)?;
    report_totals(&mut report, &scanners, &totals);
    if let Some(total) = totals.first() {
        report_stages(&mut report, total);
    }
    Ok(report.finish()?)
}

fn report_packages(
    report: &mut Report,
    options: &Options,
    scanners: &[Scanner],
    totals: &mut [Total],
) -> Result<(), Box<dyn Error>> {
    report.heading("Packages");
    let mut columns = vec!["Files", "Lines", "MB", "vyre, s", "vyre, MiB", "Findings"];
    if scanners.len() > 1 {
        report.chart(&ChartSpec::speed(
            "Processor time of scans: Semgrep with one rule relative to vyre with all",
            &["Package"],
            "Semgrep / vyre",
            "time of Semgrep over time of vyre",
        ));
        columns.extend(["Semgrep, s", "Semgrep, MiB", "Semgrep / vyre"]);
    }
    report.table(&Table::new().text("Package").numbers(columns));
    fs::create_dir_all(&options.folder)?;
    let is_chosen = |package: &ScanPackage| {
        options.package.is_empty() || options.package.iter().any(|name| package.file.contains(name.as_str()))
    };
    for package in ScanPackage::all().iter().filter(|package| is_chosen(package)) {
        let comparison = scan_package(package, options, scanners)?;
        finished(&package.title());
        for (total, measured) in totals.iter_mut().zip(&comparison.measured) {
            total.add(measured);
        }
        let Some(ours) = comparison.measured.first() else { continue };
        let Some(last) = ours.last() else { continue };
        let mut cells = vec![
            package.title(),
            last.files.to_string(),
            last.lines.to_string(),
            format!("{:.1}", last.bytes as f64 / 1e6),
            format!("{:.2}", ours.seconds().median()),
            format!("{:.0}", peak_mib(ours)),
            last.findings.to_string(),
        ];
        if let Some(peer) = comparison.measured.get(1) {
            cells.push(format!("{:.2}", peer.seconds().median()));
            cells.push(format!("{:.0}", peak_mib(peer)));
            cells.push(format!("{:.1}", peer.seconds().ratio_to(&ours.seconds())));
        }
        report.row(cells);
    }
    Ok(())
}

fn scan_package(
    package: &ScanPackage,
    options: &Options,
    scanners: &[Scanner],
) -> Result<Comparison<ScanSample>, Box<dyn Error>> {
    step(&format!("{}: unpacking", package.title()));
    let folder = package.unpack(&options.folder)?;
    let contender = |scanner: &'_ Scanner| {
        let (scanner, folder) = (scanner.clone(), folder.clone());
        let role = if matches!(scanner, Scanner::Vyre { .. }) { Role::Ours } else { Role::Peer };
        let scratch: &Path = &options.folder;
        Contender::new(scanner.name(), role, move |_| scanner.scan(&folder, options.jobs, scratch))
    };
    let plan = Plan::new(usize::from(options.iterations)).alternating();
    let on_step = |what: &str| step(&format!("{}: {what}", package.title()));
    Ok(compare(scanners.iter().map(contender).collect(), plan, on_step)?)
}

fn peak_mib(measured: &Measured<ScanSample>) -> f64 {
    measured.series(|sample| sample.usage.peak_kib as f64).median() / 1024.0
}

fn report_totals(report: &mut Report, scanners: &[Scanner], totals: &[Total]) {
    report.heading("All packages");
    report.paragraph(
        "Memory for a million lines and for 100 MB is the sum of the peaks of all packages over the sum of their lines and bytes. \
         *Not analysed*: files with errors, beyond a limit or timed out.",
    );
    let columns = [
        "Files",
        "Not analysed",
        "Million lines",
        "MB",
        "Findings",
        "Seconds",
        "for a million lines",
        "for 100 MB",
        "Largest peak, MiB",
        "MiB for a million lines",
        "MiB for 100 MB",
    ];
    report.table(&Table::new().text("Scanner").numbers(columns));
    for (scanner, total) in scanners.iter().zip(totals) {
        let [lines, megabytes] = total.units();
        report.row([
            scanner.name().to_owned(),
            total.files.to_string(),
            total.failed.to_string(),
            format!("{lines:.2}"),
            format!("{:.0}", total.bytes / 1e6),
            total.findings.to_string(),
            format!("{:.1}", total.seconds),
            format!("{:.2}", total.seconds / lines),
            format!("{:.2}", total.seconds / megabytes),
            format!("{:.0}", total.largest_mib),
            format!("{:.0}", total.peaks_mib / lines),
            format!("{:.0}", total.peaks_mib / megabytes),
        ]);
    }
    let Some(ours) = totals.first() else { return };
    report.list(GOALS.iter().zip(ours.units()).map(|((unit, goal), amount)| {
        let seconds = ours.seconds / amount;
        format!("Goal of {goal} seconds for {unit}: {seconds:.2}, {}.", verdict(seconds <= *goal))
    }));
}

fn report_stages(report: &mut Report, total: &Total) {
    report.heading("Stages of vyre");
    report.paragraph(
        "Wall-clock seconds of the stages, summed over packages. *Rest* is the processor time that no stage has: start, rules, \
         output, end.",
    );
    report.table(&Table::new().text("Stage").numbers(["Seconds", "Share", "for a million lines", "for 100 MB"]));
    let mut stages = total.stages.clone();
    let position = |name: &str| STAGES.iter().position(|stage| *stage == name).unwrap_or(STAGES.len());
    stages.sort_by_key(|(name, _)| position(name));
    let sum: f64 = stages.iter().map(|(_, seconds)| seconds).sum();
    if total.seconds > sum {
        stages.push(("rest".to_owned(), total.seconds - sum));
    }
    let [lines, megabytes] = total.units();
    let all: f64 = stages.iter().map(|(_, seconds)| seconds).sum();
    for (name, seconds) in stages {
        report.row([
            name,
            format!("{seconds:.2}"),
            format!("{:.1} %", 100.0 * seconds / all),
            format!("{:.2}", seconds / lines),
            format!("{:.2}", seconds / megabytes),
        ]);
    }
}
