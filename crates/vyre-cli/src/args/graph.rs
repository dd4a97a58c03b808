//! The arguments of `vyre graph`, and those that its commands share.

mod files;
mod ops;
mod taint;

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand, ValueEnum};
use vyre::graph::Format;

use self::files::format_parser;
use crate::argument::parse_bytes;

pub(crate) use files::{CallsArgs, ConvertArgs, GenerateArgs, GenerateCommand, InfoArgs, RmatArgs, WriteArgs};
pub(crate) use ops::{BfsArgs, LabelArgs, PageRankArgs, PathArgs, ReachArgs, ToposortArgs};
pub(crate) use taint::{FindingArgs, FindingFormat, LevelsArg, StrategyArg, Switch, TaintArgs, TuningArgs};

/// Search, sort and rank graphs
///
/// A graph is a file: an edge list (`source target [weight]` on each line), CSV, Matrix Market, or the binary form `.vgr`,
/// compressed with gzip or not. The first bytes and the name of a file tell which it is. Nodes have numbers from 0, or
/// names with --names. Nodes can have roles: searches begin at sources, report sinks, and end at sanitizers.
///
/// Every op gives the same answer on every backend. Results go to standard output or to the file of --output, notes to
/// standard error.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  done
  1  taint: there are findings; toposort: the graph has a cycle; path: there is no path
  2  something failed: wrong arguments, a file, limits that were too small, the device, the deadline

Examples:
  vyre graph info calls.csv        count nodes, edges and roles
  vyre graph convert calls.csv -o calls.vgr
                                   write the binary form, which is read at once
  vyre graph bfs calls.vgr --nodes roles.csv
                                   which sinks the sources reach
  vyre graph taint calls.vgr --nodes roles.csv --witness
                                   which sources reach them, with witnesses
  vyre graph components calls.vgr --count
                                   into how many parts the graph falls
  vyre graph path roads.mtx --from 17 --to 4
                                   a shortest path
  vyre graph pagerank links.txt.gz --top 10
                                   the ten most important nodes
`vyre graph COMMAND --help` tells more about each.")]
pub(crate) struct GraphArgs {
    #[command(subcommand)]
    pub(crate) command: GraphCommand,
}

/// What to do with a graph.
#[derive(Debug, Subcommand)]
pub(crate) enum GraphCommand {
    Info(InfoArgs),
    Convert(ConvertArgs),
    Generate(GenerateArgs),
    Bfs(BfsArgs),
    Reach(ReachArgs),
    Taint(TaintArgs),
    /// Find which nodes are connected
    ///
    /// Labels each node with the smallest node that it is connected with, whatever the direction of edges.
    #[command(after_long_help = ops::COMPONENTS_HELP)]
    Components(LabelArgs),
    /// Find which nodes reach each other
    ///
    /// Labels each node with the smallest node that it reaches and that reaches it: its strongly connected component. A
    /// node that lies on no cycle is a component of its own.
    #[command(after_long_help = ops::SCC_HELP)]
    Scc(LabelArgs),
    Toposort(ToposortArgs),
    Path(PathArgs),
    Pagerank(PageRankArgs),
}

/// How a graph is read.
#[derive(Args, Debug)]
#[command(next_help_heading = "Reading the graph")]
pub(crate) struct ReadArgs {
    /// The format of FILE; without this, its first bytes and its name tell
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) input_format: Option<Format>,

    /// A file with the roles of nodes; `-` is standard input
    ///
    /// A line is `node role`, as in `17 sink`. In a file whose name ends in .csv, or that begins with `node,role`, commas
    /// separate and blanks are parts of names. Roles are normal, source, sink, source+sink and sanitizer. Those of several
    /// lines come together, and with those that FILE has itself.
    #[arg(long, value_name = "FILE")]
    pub(crate) nodes: Option<PathBuf>,

    /// Nodes of an edge list or CSV file are names, not numbers
    ///
    /// Nodes get numbers in the order in which their names first come.
    #[arg(long)]
    pub(crate) names: bool,

    /// Whether the first line of an edge list or CSV file names its columns
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) header: HeaderWanted,

    /// Whether edges have weights
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) weights: WeightsWanted,

    /// Add each edge in both directions
    #[arg(long)]
    pub(crate) undirected: bool,

    /// The graph has at least so many nodes, whether they have edges or not
    ///
    /// A comment `# Nodes: 5 Edges: 4` at the beginning of an edge list or CSV file says the same. Where nodes have names, this
    /// is an error, since those that are added would have none.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) min_nodes: u32,

    /// The most nodes that are allowed
    ///
    /// Without this, a text may ask for 16,777,216 nodes or 16 for each edge, so that one wrong number does not fill the
    /// memory.
    #[arg(long, value_name = "N")]
    pub(crate) max_nodes: Option<u32>,
}

/// Whether edges have weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeightsWanted {
    /// If the file has weights
    Auto,
    /// They must, or it is an error
    Required,
    /// No; what the file says is not read
    Ignore,
}

/// Whether the first line of a file is a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HeaderWanted {
    /// If it can be nothing else: words where nodes are numbers, or with --names in CSV `source,target`, `src,dst`,
    /// `source,destination`, `from,to` or `caller,callee`
    Auto,
    /// Whatever it says; columns without a known word go by their position
    Yes,
    /// Never; it is an edge
    No,
}

/// Where results go, and in which form.
#[derive(Args, Debug)]
#[command(next_help_heading = "Results")]
pub(crate) struct ResultArgs {
    /// The form of the results
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ResultFormat,

    /// Where to write; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,

    /// Print no notes and no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The form of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// Lines with tabs, with names where nodes have them
    Text,
    /// One object
    Json,
    /// A header and a line for each row
    Csv,
}

/// Where searches begin, and how far they go.
#[derive(Args, Debug)]
#[command(next_help_heading = "Searching")]
pub(crate) struct SearchArgs {
    /// Where searches begin: nodes as `1,2,3`, a file of them, or `random:K:SEED`; `-` is standard input
    ///
    /// Without this, at all nodes with the role source or source+sink. Where nodes have names, `main,init` are names, unless
    /// that is a file; where there is a comma, or all of it is a name, blanks are parts of names. So they are in a file whose
    /// name ends in .csv.
    #[arg(long, value_name = "NODES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) sources: Option<String>,

    /// The most edges of a way
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u32>,

    /// The most results; more are an error
    #[arg(long, value_name = "N")]
    pub(crate) max_findings: Option<u32>,

    /// How many nodes the queue of a source holds; a queue that is too short is an error
    ///
    /// Without this, it is long enough.
    #[arg(long, value_name = "N")]
    pub(crate) queue: Option<u32>,

    /// How much memory of the device searches may use at a time, such as 256MiB; without this, 1GiB
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
}
