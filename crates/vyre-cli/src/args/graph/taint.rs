//! The arguments of `vyre graph taint`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

use super::{DeviceArgs, ReadArgs};
use crate::argument::parse_bytes;

/// Find which sources reach which sinks
///
/// Follows facts from each source along edges and reports every sink that they reach, with the number of edges on the
/// shortest way. Sanitizers are not left again, and a transfer function can say which edges facts go along. A source that is a
/// sink too finds itself at depth 0.
///
/// Thousands of sources are searched at once. Findings are written while they are found, sorted by source, sink and depth.
/// All of them are given, or the command fails: none is left out silently.
#[derive(Args, Debug)]
#[command(after_long_help = "\
The text form is a line `source -> sink (depth N)` for each finding, and with --paths the nodes of
the way below it. The CSV form is a header and a row for each finding. The JSON form is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"sources\", \"findings\": [...], \"total\", \"fingerprint\"}
A finding has these fields:
  source, sink                     nodes, by number
  depth                            the number of edges on the shortest way
  source_index                     which of the sources it was, from 0
  facts                            the set of facts that arrive, if the transfer function has facts
  source_name, sink_name           where nodes have names
  source_labels, sink_labels       where rules give labels
  path, path_names                 with --paths: the nodes of a shortest way
`sources` is the number of sources, `total` that of findings. `fingerprint` is null without
--fingerprint, and `findings` is not there with --count or --fingerprint. In CSV, blanks separate
the nodes of `path`, and commas labels.

The SARIF form is a log of version 2.1.0. A result is at the logical location of its sink; its code
flow is the way from the source, and its fingerprint is made of the names of both. The rule of a
result is `taint`, or `taint:SOURCE:SINK` with the labels that rules give.

The fingerprint of --fingerprint is FNV-1a of 64 bits over the words source, sink and depth of all
findings in order, low bytes first, as that of `vyre graph bfs`.

A transfer function is a program with the read-only u32 inputs source, current node, target node and
word of the target node, in the order of their slots, and one u32 output: 0 blocks the edge. With a
fifth input, the set of facts at the current node, the output is the set that arrives at the target.

Exit codes:
  0    searched, and nothing was found
  1    there are findings
  2    something failed: wrong arguments, a file, a limit, the device, the deadline
  130  ended by Ctrl-C; a file that was to be written is as it was before

Examples:
  vyre graph taint calls.vgr                search from all nodes with the role source
  vyre graph taint calls.csv --names --nodes roles.csv --paths
                                            with names, and the way of each finding
  vyre graph taint calls.vgr --rules rules.toml --format sarif -o findings.sarif
                                            rules say what is a source, sink or sanitizer
  vyre graph taint calls.vgr --transfer typed.vyre --max-depth 20
  vyre graph taint calls.vgr --sources random:64:0x5EED0060 --count --fingerprint
  vyre graph taint calls.vgr --format json | jq '.findings[] | select(.depth < 3)'")]
pub(crate) struct TaintArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) flow: FlowArgs,

    #[command(flatten)]
    pub(crate) results: FindingArgs,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    #[command(flatten)]
    pub(crate) tuning: TuningArgs,
}

/// Where facts begin, and where they go.
#[derive(Args, Debug)]
#[command(next_help_heading = "Searching")]
pub(crate) struct FlowArgs {
    /// Where searches begin: nodes as `1,2,3`, a file of them, or `random:K:SEED`; `-` is standard input
    ///
    /// Without this, at all nodes with the role source or source+sink. Where nodes have names, `main,init` are names, unless
    /// that is a file; where there is a comma, or all of it is a name, blanks are parts of names. So they are in a file whose
    /// name ends in .csv.
    #[arg(long, value_name = "NODES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) sources: Option<String>,

    /// A file of rules that say which nodes are sources, sinks and sanitizers, and give them labels
    ///
    /// Roles of rules come together with those that nodes already have. The file may name a transfer function and the most
    /// edges of a way; --transfer and --max-depth are stronger.
    #[arg(long, value_name = "RULES")]
    pub(crate) rules: Option<PathBuf>,

    /// A CSV file with attributes of nodes, which rules can look at
    ///
    /// A column `node`, `id` or `name` tells the node, every other column is an attribute. SARIF shows `file` and `line`
    /// as the place of a node.
    #[arg(long, value_name = "FILE")]
    pub(crate) attributes: Option<PathBuf>,

    /// A program that says which edges facts go along, and how it changes them
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) transfer: Option<PathBuf>,

    /// The most edges of a way
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u32>,
}

/// What is shown of the findings.
#[derive(Args, Debug)]
#[command(next_help_heading = "Results")]
pub(crate) struct FindingArgs {
    /// The form of the results
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: FindingFormat,

    /// Where to write; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,

    /// Show a shortest way for each finding; SARIF has them without this
    #[arg(long)]
    pub(crate) paths: bool,

    /// Show no ways in SARIF
    #[arg(long, conflicts_with = "paths")]
    pub(crate) no_paths: bool,

    /// Print the number of findings only
    #[arg(long)]
    pub(crate) count: bool,

    /// Print a fingerprint of all findings only
    #[arg(long)]
    pub(crate) fingerprint: bool,

    /// The most findings; more are an error that tells their number
    ///
    /// Findings are held back until it is known that there are not too many, as far as --findings-memory goes. What is beyond
    /// that goes to standard output as it comes; a file appears only when all is well.
    #[arg(long, value_name = "N")]
    pub(crate) max_findings: Option<u64>,

    /// How much memory findings and their ways may use at a time, such as 1GiB
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "256MiB")]
    pub(crate) findings_memory: u64,

    /// Print on standard error what was chosen for the search, and why
    #[arg(long)]
    pub(crate) explain: bool,

    /// Print no notes and no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl FindingArgs {
    /// Whether ways are shown.
    pub(crate) fn shows_paths(&self) -> bool {
        !self.shows_totals_only() && (self.paths || self.format == FindingFormat::Sarif && !self.no_paths)
    }

    /// Whether findings are not shown themselves.
    pub(crate) fn shows_totals_only(&self) -> bool {
        self.count || self.fingerprint
    }
}

/// The form of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingFormat {
    /// A line for each finding, with names where nodes have them
    Text,
    /// One object
    Json,
    /// A header and a line for each finding
    Csv,
    /// A log that code scanners and editors read
    Sarif,
}

/// How the engine goes about it. None of this changes the findings.
#[derive(Args, Debug)]
#[command(next_help_heading = "Tuning, which changes the time alone")]
pub(crate) struct TuningArgs {
    /// How much memory of the device may be used at a time beside the graph, such as 256MiB; without this, 2GiB
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,

    /// How to go through the graph; without this, a sample of the sources decides
    #[arg(long, value_name = "HOW")]
    pub(crate) path: Option<PathWanted>,

    /// The kind of levels of the bit-parallel path; without this, their width decides
    #[arg(long, value_name = "KIND")]
    pub(crate) levels: Option<LevelsWanted>,

    /// Whether nodes that reach no sink are dropped first; without this, where it pays
    #[arg(long, value_name = "SWITCH")]
    pub(crate) prune: Option<Switch>,

    /// Whether chains of nodes are contracted; without this, where it pays
    #[arg(long, value_name = "SWITCH")]
    pub(crate) contract: Option<Switch>,
}

/// How to go through the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PathWanted {
    /// All sources of a batch together
    BitParallel,
    /// Distances of all nodes from 64 neighbouring sources
    Distances,
    /// 32 neighbouring sources together
    Words,
    /// Each source by itself, many at a time
    PerSource,
}

/// The kind of levels of the bit-parallel path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelsWanted {
    /// Every node looks at its incoming edges
    Dense,
    /// Only nodes that active nodes lead to do
    Thin,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// Yes
    On,
    /// No
    Off,
}

impl Switch {
    pub(crate) fn is_on(self) -> bool {
        self == Switch::On
    }
}
