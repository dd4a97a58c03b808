//! Arguments of the commands that the host runs without a device.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

use super::{ExplainHostArgs, ReadArgs, ResultArgs, WriteArgs};

/// Find the dominators of nodes: what lies on every path to them
///
/// A node dominates another one if every path from the roots to it leads through the node. The command prints the immediate dominator of
/// each node that the roots reach: the last of its dominators. To protect a node, it suffices to check at one of its dominators. Roles other
/// than that of roots do not count: paths lead through sanitizers too.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a node that the roots reach, and that has a dominator:
  node, dominator                  nodes, by number
If nodes have names, JSON and CSV also have `node_name` and `dominator_name`. The JSON format is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"}, \"count\", \"rows\"}

Exit codes:
  0  done
  2  failure: a file, an unknown node, an argument

Examples:
  vyre graph dominators calls.csv --names --from main
  vyre graph dominators package-lock.json              which package everything else depends on through")]
pub(crate) struct DominatorsArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    /// Roots: a list `1,2,3`, a file of nodes, or `random:K:SEED`; the default is all nodes with the role source
    #[arg(long, value_name = "NODES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) from: Option<String>,

    /// Follow edges backward, and so find post-dominators: what lies on every path from a node to the roots
    #[arg(long)]
    pub(crate) reverse: bool,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print only the number of nodes with a dominator
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) explain: ExplainHostArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Arguments of `vyre graph kcore` and `vyre graph triangles`.
#[derive(Args, Debug)]
pub(crate) struct CountsArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    /// Print only nodes with at least this number
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) min: u64,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print only the total: the largest core number, or the number of triangles
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    /// Accepted only to be rejected with a reason: cores and triangles have no direction
    #[arg(long, hide = true)]
    pub(crate) reverse: bool,

    #[command(flatten)]
    pub(crate) explain: ExplainHostArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Help of `vyre graph kcore`.
pub(super) const KCORE_HELP: &str = "\
A row is a node:
  node                             a node, by number
  core                             its core number
If nodes have names, JSON and CSV also have `node_name`. The JSON format is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"}, \"count\", \"rows\"}
`count` is the largest core number.

Examples:
  vyre graph kcore links.txt --count       the largest core number
  vyre graph kcore links.txt --min 10      nodes of the 10-core";

/// Help of `vyre graph triangles`.
pub(super) const TRIANGLES_HELP: &str = "\
A row is a node:
  node                             a node, by number
  triangles                        number of triangles through it, in JSON as a string
If nodes have names, JSON and CSV also have `node_name`. The JSON format is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"}, \"count\", \"rows\"}
`count` is the number of triangles, each of which belongs to three rows.

Examples:
  vyre graph triangles links.txt --count   the number of triangles
  vyre graph triangles links.txt --min 1   nodes on a triangle";

/// Omit self-loops and parallel edges
///
/// Of parallel edges, one with the smallest weight stays. Targets of each node are sorted. Nodes, roles and names stay.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  vyre graph simplify links.txt -o simple.vgr")]
pub(crate) struct SimplifyArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) written: WriteArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Write a part of a graph: around some nodes, or between sources and sinks
///
/// With --around, the part has the nodes within --depth edges. Without it, the part has the nodes on a path from a source to a sink; --sources
/// and --sinks name them, otherwise roles do. All edges between these nodes belong to the part. Nodes are numbered anew in the old order, and
/// keep their names and roles. Nodes without names get their old numbers as names where the format stores names.
///
/// `--to svg`, or a name that ends in .svg, draws the part in layers: edges point down, except those that close cycles.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  done
  1  the part has no nodes
  2  failure: a file, an unknown node, an argument

Examples:
  vyre graph subgraph calls.csv --names --around main --depth 2
  vyre graph subgraph package-lock.json --around lodash --direction in -o needs-lodash.vgr
  vyre graph subgraph calls.vgr -o flows.vgr          paths from sources to sinks
  vyre graph subgraph calls.vgr --sources 0 --sinks 17,99 -o flows.vgr
  vyre graph subgraph calls.csv --names --around main --depth 2 -o main.svg
                                                      a drawing, for browsers")]
pub(crate) struct SubgraphArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    /// Nodes in the middle: a list `1,2,3`, a file of nodes, or a package of a lock file
    #[arg(long, value_name = "NODES", conflicts_with_all = ["sources", "sinks"], value_parser = NonEmptyStringValueParser::new())]
    pub(crate) around: Option<String>,

    /// Maximum number of edges from the nodes of --around; the default is no limit
    #[arg(long, value_name = "N", requires = "around")]
    pub(crate) depth: Option<u32>,

    /// Edges that are followed from the nodes of --around
    #[arg(long, value_name = "WHICH", default_value = "both", requires = "around")]
    pub(crate) direction: DirectionArg,

    /// Source nodes; the default is all nodes with the role source
    #[arg(long, value_name = "NODES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) sources: Option<String>,

    /// Sink nodes, which replace those that roles name; the option can be repeated
    #[arg(long, value_name = "NODES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) sinks: Vec<String>,

    /// Follow edges backward: the part has the nodes on a path from a sink to a source
    #[arg(long, conflicts_with = "around")]
    pub(crate) reverse: bool,

    #[command(flatten)]
    pub(crate) written: WriteArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Direction of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DirectionArg {
    /// Edges that leave nodes
    Out,
    /// Edges that lead to nodes
    In,
    /// All edges
    Both,
}
