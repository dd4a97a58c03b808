//! Arguments of `vyre scan`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use vyre::pyrograph::knowledge::ThreatModel;
use vyre::pyrograph::scan::FilePosition;
use vyre::select::{AUTO, CPU, DeviceRequest};

use super::findings::FindingArgs;
use super::scan_input::ScanInputArgs;
use super::{SuggestedValues, backend_or_auto_names};
use crate::argument::{parse_bytes, parse_seconds, parse_threads};

/// Find flows from untrusted inputs to dangerous calls in packages
///
/// Reads JavaScript, TypeScript and Python from archives (npm .tgz, wheels, source archives, zip, archives inside archives),
/// folders and files, and reports every flow from an untrusted input to a dangerous call, across functions and files, with every
/// step between them. Minified files and notebooks are scanned too. Nothing of a package is executed.
///
/// The report goes to standard output or to a file, notes and progress to standard error. All files that were not analysed are in
/// the report, with reasons. Code that could not be analysed makes the scan incomplete: its exit code is 2 then.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Threat models:
  application  inputs of a running program: requests, arguments, environment,
               files
  library      parameters of exported functions: what a caller may pass on
`auto` decides by manifests. package.json: `bin` or a `start` script means
application, `main` or `exports` means library. pyproject.toml, setup.cfg,
setup.py and the metadata of wheels: scripts mean application, the name of a
package means library. Both or neither means both. Each finding says which model
it is from.

Formats:
  text      for each finding the source lines of all steps, then a summary
  json      one object with everything; docs/scan.schema.json is its schema
  sarif     SARIF 2.1.0, for code scanners and editors
  html      one page for browsers, which needs no network: search, filters,
            source and drawing of each flow
  github    workflow commands, which GitHub Actions shows as annotations
  junit     JUnit XML, which CI servers show as test results
  markdown  for comments on pull requests and summaries of jobs
The report is the same, byte by byte, for any --jobs, --backend and order of
paths; with --stats it has times.

Files:
  Folders of dependencies (node_modules, bower_components, jspm_packages,
  site-packages) are left out and listed; --dependencies includes them, and
  --with-deps uses them to resolve calls.
  Patterns of --include and --exclude are globs for paths as reports show them:
  `*` stays within a folder, `**` does not. A name such as `test` matches files
  and folders anywhere, `/test` at the top.

Known and accepted findings:
  --baseline FILE compares with a SARIF log that `vyre scan` wrote before: new
  findings fail, unchanged ones do not. Fixed ones are listed, and so are those
  that were not checked because their code or rule was left out.
  A comment `// vyre-ignore RULE: reason` or `# vyre-ignore RULE: reason` silences
  a finding on its line, or on the next one if it is alone on its line. Comments
  of archives and of dependencies are not honoured.

Missing findings:
  --explain-missing says where a flow that one expects breaks off, instead of a
  report. SOURCE and SINK are `path:line` or `path:line:column`, with paths as
  reports show them.

Exit codes:
  0    no findings that fail, and all code was analysed
  1    findings that fail: all, or fewer with --fail-on and --baseline
  2    failure, some code was not analysed (with --allow-incomplete 0 or 1), or
       warnings and --strict
  130  interrupted by Ctrl-C; the report has what was found so far

Examples:
  Scan an archive, and a folder without its tests:
    vyre scan package.tgz
    vyre scan src --exclude test --exclude '*.test.js'
  Write findings for a code scanner:
    vyre scan . --sources application --format sarif -o findings.sarif
  Read findings in a browser:
    vyre scan package.tgz --format html -o report.html
  Fail for new findings of high severity only:
    vyre scan . --baseline main.sarif --fail-on high
  Use two rules only, or additional rules:
    vyre scan lib --rule command-injection --rule code-injection
    vyre scan app --rules company.toml
  List the sinks:
    vyre scan app --format json |
      jq -r '.findings[] | \"\\(.sink.path):\\(.sink.line) \\(.rule)\"'
  Scan a package of a registry, fetched with npm or pip and not installed:
    vyre scan npm:express@4.18.2
    vyre scan pypi:flask==3.0.0
  What does a release add?
    vyre scan package-2.0.0.tgz --compare package-1.9.0.tgz
  Scan all dependencies of a project:
    vyre scan --lockfile package-lock.json
  Ask why there is no finding:
    vyre scan app --explain-missing server.js:12 run.js:30
  Stop after a minute with what was found:
    vyre scan big.tgz --time-limit 60 --allow-incomplete

`vyre rules` lists and explains rules, `vyre scan-score` measures precision and
recall.")]
pub(crate) struct ScanArgs {
    /// Archives, folders and files to scan, or one package: `npm:NAME@VERSION`, `pypi:NAME==VERSION`
    #[arg(required_unless_present = "lockfile", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ScanFormat,

    /// Output file; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Explain where a flow from SOURCE to SINK breaks off; both are `path:line[:column]`
    #[arg(long, num_args = 2, value_names = ["SOURCE", "SINK"])]
    pub(crate) explain_missing: Option<Vec<FilePosition>>,

    /// Add sizes and times of the stages to the report
    #[arg(long)]
    pub(crate) stats: bool,

    /// Exit with 0 or 1 even if some code was not analysed
    #[arg(long)]
    pub(crate) allow_incomplete: bool,

    /// Print no notes and no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) findings: FindingArgs,

    #[command(flatten)]
    pub(crate) input: ScanInputArgs,

    #[command(flatten)]
    pub(crate) selection: SelectionArgs,

    #[command(flatten)]
    pub(crate) running: ScanRunArgs,
}

/// Rules, threat models and files of a scan.
#[derive(Args, Debug)]
#[command(next_help_heading = "Selection")]
pub(crate) struct SelectionArgs {
    /// File with more rules or models; repeatable
    ///
    /// The built-in ones stay. `vyre rules test FILE` checks it.
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,

    /// Use only this rule; repeatable
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) rule: Vec<String>,

    /// Threat models: which inputs are untrusted
    #[arg(long, value_name = "MODEL", default_value = "auto")]
    pub(crate) sources: Sources,

    /// Scan only paths that match this pattern; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Skip paths that match this pattern; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Scan folders of dependencies too
    #[arg(long)]
    pub(crate) dependencies: bool,

    /// Read folders of dependencies for the targets of calls, not for findings of their own
    #[arg(long)]
    pub(crate) with_deps: bool,
}

/// Threads, device and limits of a scan.
#[derive(Args, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct ScanRunArgs {
    /// Number of threads; 0, the default, means one for each core
    #[arg(long, short, value_name = "N", value_parser = parse_threads)]
    pub(crate) jobs: Option<usize>,

    /// Backend of the search: one that `vyre devices` lists, or `auto` for the CPU
    #[arg(long, value_name = "NAME", default_value = AUTO, hide_possible_values = true)]
    #[arg(value_parser = SuggestedValues(backend_or_auto_names))]
    pub(crate) backend: String,

    /// Device of the backend: its index in `vyre devices`, or a part of its name that no other device has
    #[arg(long, value_name = "WHICH", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) device: Option<String>,

    /// Stop after this many seconds; the report has what was found, and the scan is incomplete
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) time_limit: Option<Duration>,

    /// Give up a file after this many seconds of computing; the scan is then incomplete
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    pub(crate) file_time_limit: Duration,

    /// Work that the analysis of a program may do, in percent of the usual work; a program that needs more makes the scan incomplete
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) effort: u32,

    /// Memory for texts and graphs, as an estimate; code beyond it is not analysed, and the scan is incomplete
    #[arg(long, value_name = "SIZE", default_value = "8GiB", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    /// Length of the longest file that is analysed
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_bytes)]
    pub(crate) max_file: u64,
}

impl ScanRunArgs {
    /// The device that the flags request. Only the CPU takes a number of threads.
    pub(crate) fn request(&self) -> DeviceRequest<'_> {
        let has_cpu = || vyre::backends().iter().any(|backend| backend.name() == CPU);
        let is_cpu = self.backend == CPU || (self.backend == AUTO && has_cpu());
        let threads = self.jobs.filter(|_| is_cpu);
        DeviceRequest::on(&self.backend).with_device(self.device.as_deref()).with_threads(threads)
    }
}

/// Output format of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScanFormat {
    /// For people: source lines and a summary
    Text,
    /// One object with everything
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// One page for browsers, without network access
    Html,
    /// Workflow commands of GitHub Actions
    Github,
    /// JUnit XML
    Junit,
    /// Markdown for comments and summaries
    Markdown,
}

/// Threat models of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sources {
    /// By manifests
    Auto,
    /// Requests, arguments, environment, files
    Application,
    /// Parameters of exported functions
    Library,
    /// All of these
    Both,
}

impl Sources {
    /// The threat models; empty for `auto`.
    pub(crate) fn models(self) -> Vec<ThreatModel> {
        match self {
            Sources::Auto => Vec::new(),
            Sources::Application => vec![ThreatModel::Application],
            Sources::Library => vec![ThreatModel::Library],
            Sources::Both => vec![ThreatModel::Application, ThreatModel::Library],
        }
    }
}
