//! The arguments of `vyre graph taint`.

use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use vyre::engine::dataflow::Strategy;

use super::ReadArgs;
use crate::args::DeviceArgs;
use crate::argument::parse_bytes;

/// Find which sources reach which sinks
///
/// Propagates facts from each source along edges and reports every sink that they reach, with the number of edges on a
/// shortest path. Facts do not leave a sanitizer. A transfer function can block edges. A source
/// is a finding itself, at depth 0, only if it has the role source+sink.
///
/// Thousands of sources are searched together. Findings are written as they are found, sorted by source, sink and depth.
/// The command reports all findings or fails.
#[derive(Args, Debug)]
#[command(after_long_help = "\
The text format is a line `source -> sink (depth N)` for each finding; --witness adds the nodes of a
shortest path below it, with `file:line` if --attributes has them, and with the source line if
--source-root names the folder of these files. The CSV format is a header and a row for each finding. The JSON format is
one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"sources\", \"findings\": [...], \"total\", \"fingerprint\"}
A finding has these fields:
  source, sink                     nodes, by number
  depth                            number of edges on a shortest path
  source_index                     position of the source in the list of sources, from 0
  facts                            set of facts that arrive, if the transfer function has facts
  source_name, sink_name           if nodes have names
  source_labels, sink_labels       if rules give labels
  path, path_names                 with --witness: the nodes of a shortest path
  path_dependencies                for packages: what each one needs the next one for
  rule, severity, message          if the rules file describes the rule; CSV has no message
`sources` is the number of sources, `total` the number of findings. `fingerprint` is null without
--fingerprint, and `findings` is absent with --count or --fingerprint. If the rules file has
suppressions, `suppressed` is the number of suppressed findings, which only SARIF lists. In CSV,
blanks separate the nodes of `path`, and commas separate labels.

The SARIF format is a log of version 2.1.0. The location of a result is the logical location of its
sink. Its code flow is the path from the source. Its fingerprint is computed from both names. The
rule of a result is that of the rules file, otherwise `taint`, or `taint:SOURCE:SINK` with the
labels that rules give, in which `%`, `+`, `:` and `/` are percent-encoded. URIs of files are
relative to the current folder, through --source-root if it lies below. A `line` that is no number
is a notification.

The DOT and SVG formats are one graph of all witnesses, in which sources and sinks are marked. SVG
is a drawing in layers: edges point down, except those that close cycles. It has at most 2,000 nodes
and 10,000 edges; more are an error.

--fingerprint computes 64-bit FNV-1a over the words source, sink and depth of all findings in order,
little-endian, like `vyre graph bfs`.

A transfer function is a program with the read-only u32 inputs source, current node, target node and
word of the target node, in the order of their slots, and one u32 output: 0 blocks the edge. A fifth
input is the set of facts at the current node; the output is then the set of facts at the target.

Exit codes:
  0    no findings, or only suppressed ones
  1    findings
  2    failure: arguments, no sources, no sinks, a file, a limit, the device, the deadline
  130  interrupted by Ctrl-C; an existing output file is unchanged

Examples:
  vyre graph taint calls.vgr                search from all nodes with the role source
  vyre graph taint calls.csv --names --nodes roles.csv --witness
                                            with names and a path for each finding
  vyre graph taint calls.csv --names --rules rules.toml --format sarif -o findings.sarif
                                            rules select sources, sinks and sanitizers
  vyre graph taint calls.csv --names --nodes roles.csv --witness --attributes places.csv \\
      --source-root .                       with file, line and source line of each step
  vyre graph taint package-lock.json --sources root --sinks 'lodash@<4.17.21' --witness
                                            which dependencies need a vulnerable package
  vyre graph taint Cargo.lock --advisory advisories/ --witness --dependencies runtime,build
  vyre graph taint calls.csv --names --nodes roles.csv --format svg -o findings.svg
                                            a drawing of all witnesses, for browsers
  vyre graph taint calls.vgr --transfer typed.vyre --max-depth 20
  vyre graph taint calls.csv --names --nodes roles.csv --sources exec_sql --reverse
                                            the sinks that lead to a node
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

/// Sources, rules and transfer function of an analysis.
#[derive(Args, Debug)]
#[command(next_help_heading = "Searching")]
pub(crate) struct FlowArgs {
    /// Source nodes: a list `1,2,3`, a file of nodes, or `random:K:SEED`; `-` is standard input
    ///
    /// The default is all nodes with the role source or source+sink. If nodes have names, `main,init` are names, unless a file
    /// has that name. Blanks belong to names if the argument has a comma or is itself a name, and in files whose name ends in
    /// .csv.
    #[arg(long, value_name = "NODES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) sources: Option<String>,

    /// Sink nodes: a list `1,2,3`, a file of nodes, or a package `name@range` of a lock file
    ///
    /// They replace the sinks that roles name. Without --sinks and --advisory, all nodes with the role sink or source+sink are
    /// sinks. The option can be repeated.
    #[arg(long, value_name = "NODES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) sinks: Vec<String>,

    /// Advisories in OSV's format, whose packages are sinks: a file, or a folder of .json files
    ///
    /// The graph must be a lock file or an SBOM. Findings have the identifiers of advisories as labels. The option can be
    /// repeated.
    #[arg(long = "advisory", value_name = "FILE")]
    pub(crate) advisories: Vec<PathBuf>,

    /// A rules file, which selects sources, sinks and sanitizers and gives them labels
    ///
    /// Roles of rules are merged with the roles that nodes already have. The file can name a transfer function and a maximum
    /// depth; --transfer and --max-depth override them.
    #[arg(long, value_name = "RULES")]
    pub(crate) rules: Option<PathBuf>,

    /// A CSV file with attributes of nodes, which rules can match
    ///
    /// The column `node`, `id` or `name` identifies the node; every other column is an attribute. Text and SARIF output use
    /// `file` and `line` as the location of a node.
    #[arg(long, value_name = "FILE")]
    pub(crate) attributes: Option<PathBuf>,

    /// Folder of the files that the attribute `file` names; the text format then shows the lines of nodes
    ///
    /// Files outside the folder are not read.
    #[arg(long, value_name = "DIR")]
    pub(crate) source_root: Option<PathBuf>,

    /// A program that blocks edges for facts or transforms facts along them
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) transfer: Option<PathBuf>,

    /// Follow edges backward, and so find the sinks that lead to the sources
    ///
    /// Findings are written as `source <- sink`. Witnesses keep the direction of the edges, from the sink to the source. A transfer
    /// function receives the edges as they are followed.
    #[arg(long)]
    pub(crate) reverse: bool,

    /// Maximum number of edges of a path
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u32>,
}

/// Output of findings.
#[derive(Args, Debug)]
#[command(next_help_heading = "Results")]
pub(crate) struct FindingArgs {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: FindingFormat,

    /// Output file; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,

    /// Show a witness for each finding: a shortest path from its source to its sink; the default for SARIF, DOT and SVG
    #[arg(long)]
    pub(crate) witness: bool,

    /// Omit witnesses from SARIF output
    #[arg(long, conflicts_with = "witness")]
    pub(crate) no_witness: bool,

    /// Print only the number of findings
    #[arg(long)]
    pub(crate) count: bool,

    /// Print only a fingerprint of all findings
    #[arg(long)]
    pub(crate) fingerprint: bool,

    /// Maximum number of findings; more are an error that reports their number
    ///
    /// Findings are buffered until their number is known, within --findings-memory. Beyond that, findings go to standard output
    /// as they are found; a file is created only if the command succeeds.
    #[arg(long, value_name = "N")]
    pub(crate) max_findings: Option<u64>,

    /// Memory for buffered findings and their witnesses, such as 1GiB
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "256MiB")]
    pub(crate) findings_memory: u64,

    /// Print the decisions of the engine and their reasons on standard error
    #[arg(long)]
    pub(crate) explain: bool,

    /// Print no notes and no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl FindingArgs {
    /// Reports whether findings are written with witnesses.
    pub(crate) fn shows_witnesses(&self) -> bool {
        !self.shows_totals_only() && (self.witness || self.format.without_totals().is_some() && !self.no_witness)
    }

    /// Reports whether only totals are written, without findings.
    pub(crate) fn shows_totals_only(&self) -> bool {
        self.count || self.fingerprint
    }
}

/// Output format of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingFormat {
    /// A line for each finding, with the names of nodes
    Text,
    /// One object
    Json,
    /// A header and a line for each finding
    Csv,
    /// A Parquet table, with lists for labels and paths
    #[cfg(feature = "tables")]
    Parquet,
    /// A SARIF log for code scanners and editors
    Sarif,
    /// One graph of all witnesses, for Graphviz
    Dot,
    /// A drawing of all witnesses, of at most 2,000 nodes
    Svg,
}

impl FindingFormat {
    /// Name of the format, if it has no form for totals. Such formats have witnesses by default.
    pub(crate) fn without_totals(self) -> Option<&'static str> {
        match self {
            FindingFormat::Text | FindingFormat::Json | FindingFormat::Csv => None,
            #[cfg(feature = "tables")]
            FindingFormat::Parquet => None,
            FindingFormat::Sarif => Some("SARIF"),
            FindingFormat::Dot => Some("DOT"),
            FindingFormat::Svg => Some("SVG"),
        }
    }

    /// Name of the form, if it is binary and not for terminals.
    pub(crate) fn binary(self) -> Option<&'static str> {
        match self {
            #[cfg(feature = "tables")]
            FindingFormat::Parquet => Some("a Parquet table"),
            FindingFormat::Text
            | FindingFormat::Json
            | FindingFormat::Csv
            | FindingFormat::Sarif
            | FindingFormat::Dot
            | FindingFormat::Svg => None,
        }
    }
}

/// Tuning of the engine, without effect on the findings.
#[derive(Args, Debug)]
#[command(next_help_heading = "Tuning, which changes only the time")]
pub(crate) struct TuningArgs {
    /// Maximum device memory for a batch of sources, beside the graph, such as 256MiB; the default is 2GiB
    ///
    /// A source that needs more is an error.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,

    /// Search strategy; by default the engine chooses from a sample of the sources
    #[arg(long, value_name = "STRATEGY", value_parser = strategy_parser())]
    pub(crate) strategy: Option<Strategy>,

    /// Kind of levels of the bit-parallel strategy; by default the engine chooses for each level
    #[arg(long, value_name = "KIND")]
    pub(crate) levels: Option<LevelsArg>,

    /// Remove nodes that reach no sink before the search; by default if it saves time
    #[arg(long, value_name = "SWITCH")]
    pub(crate) prune: Option<Switch>,

    /// Contract chains of nodes; by default if it saves time
    #[arg(long, value_name = "SWITCH")]
    pub(crate) contract: Option<Switch>,
}

/// Parser of the name of a strategy. Names and help texts are those of the engine's table.
fn strategy_parser() -> impl TypedValueParser<Value = Strategy> {
    let value = |strategy: &Strategy| PossibleValue::new(strategy.name()).help(strategy.description());
    PossibleValuesParser::new(Strategy::ALL.iter().map(value))
        .map(|name| Strategy::from_name(&name).expect("the parser accepts only names of strategies"))
}

/// Kind of levels of the bit-parallel strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelsArg {
    /// Every node pulls from its incoming edges
    Dense,
    /// Only successors of active nodes pull
    Sparse,
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
