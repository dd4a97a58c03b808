//! Arguments of `vyre scan-score`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::scan::{ScanRunArgs, SelectionArgs};

/// Measure precision and recall of scans on annotated sources
///
/// Scans the sources below a folder and compares the findings with the annotations in their comments, line by line. Prints true
/// and false positives and negatives, precision, recall, F1 and Youden's index (recall less the rate of false positives), by rule
/// and by CWE entry. What no mapping covers is listed.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Annotations:
  // ruleid: X, Y      a finding of X and of Y is expected on the next line (Semgrep); also todoruleid
  // ok: X             a finding of X on the next line would be wrong; after code: on this line
  // NOT OK, // BAD    a finding is expected on this line (CodeQL); alone on a line: on the next line of code
  // OK, // GOOD       a finding would be wrong
  // $ Alert[js/x]     a finding is expected on this line (CodeQL's inline expectations)
  // sink: X NAME      a finding of X is expected on this line, from the line with `// source: NAME`
Comments begin with //, #, /* or <!--. A finding of a rule on a line without annotation is a false
positive if the file tests the rule: if one of its annotations or its folder has the rule.
A first line `// scan: sources=library` selects the threat model of a unit.

The map is a JSON file:
  {\"rules\": {\"js/path-injection\": [\"path-traversal\"], \"js/xss*\": [\"xss\"]},
   \"folders\": {\"CWE-078\": [\"command-injection\"]}}
Any rule of a list counts. An empty list leaves the foreign rule out. Without a map, equal identifiers
correspond, and a folder `CWE-078` has the rules with that CWE entry.

Exit codes:
  0  measured
  2  failure: arguments, a file, no annotations

Examples:
  vyre scan-score suite                     each file alone
  vyre scan-score suite --unit folder --map map.json --list
                                            each folder as a package; lists what is wrong
  vyre scan-score tests/corpus/scan/javascript --unit folder --depth 2
  vyre scan-score suite --json | jq .total.recall")]
pub(crate) struct ScoreArgs {
    /// Folder with annotated sources
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// JSON file that maps foreign rules and folders to rules
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,

    /// What is scanned at a time
    #[arg(long, value_name = "UNIT", default_value = "file")]
    pub(crate) unit: Unit,

    /// Level of the folders that are scanned at a time, below DIR; with --unit folder
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) depth: usize,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// List false negatives and false positives; in JSON, all lines that were compared
    #[arg(long)]
    pub(crate) list: bool,

    /// Print no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) selection: SelectionArgs,

    #[command(flatten)]
    pub(crate) running: ScanRunArgs,
}

/// What is scanned at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unit {
    /// Each file alone
    File,
    /// Each folder at a level, and each file above it alone
    Folder,
    /// Everything in one scan
    All,
}
