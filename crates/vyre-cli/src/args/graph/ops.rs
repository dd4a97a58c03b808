//! The arguments of the commands that run ops.

use std::path::PathBuf;

use clap::Args;

use super::{ReadArgs, ResultArgs, SearchArgs};
use crate::args::DeviceArgs;
use crate::argument::{parse_chance, parse_tolerance};

/// Find which sinks each source reaches
///
/// Searches from each source along edges, breadth first, and reports every sink that it reaches with the number of edges on
/// the shortest way. Sanitizers are not left again. A source that is a sink too finds itself at depth 0.
///
/// Findings are sorted by source, sink and depth. All of them are given, or the command fails: none is left out silently.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a finding:
  source, sink                     nodes, by number
  depth                            the number of edges on the shortest way
  source_index                     which of the sources it was, from 0
Where nodes have names, JSON and CSV also have `source_name` and `sink_name`.

The text form is `source sink depth source_index` with tabs, with names in the place of numbers.
The JSON form is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"fingerprint\", \"sources\", \"rows\"}
`count` is the number of findings, `sources` that of sources. `fingerprint` is null without
--fingerprint, and `rows` is not there with --count or --fingerprint.

The fingerprint is FNV-1a of 64 bits over the words source, sink and depth of all findings in order,
low bytes first. Equal findings have equal fingerprints on every backend.

Exit codes:
  0  searched, whether there are findings or not
  2  something failed: a file, a node that is not there, limits that were too small, the device

Examples:
  vyre graph bfs calls.vgr                  search from all nodes with the role source
  vyre graph bfs calls.txt --nodes roles.csv --sources 17,99 --max-depth 8
  vyre graph bfs calls.vgr --sources ids.txt --format csv -o findings.csv
  vyre graph bfs calls.vgr --sources random:64:0x5EED0060 --count --fingerprint
  vyre graph bfs calls.csv --names --nodes roles.csv --sources main
  vyre graph bfs calls.vgr --format json | jq '.rows[] | select(.depth < 3)'")]
pub(crate) struct BfsArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print the number of findings only
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    /// Print a fingerprint of all findings only
    #[arg(long, help_heading = "Results")]
    pub(crate) fingerprint: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Find which nodes each source reaches
///
/// Searches from each source along edges, breadth first, and reports every other node that it reaches with the number of
/// edges on the shortest way. Sanitizers are reported, and not left again.
///
/// Rows are sorted by source, node and depth. All of them are given, or the command fails.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a node that a source reaches:
  source, node                     nodes, by number
  depth                            the number of edges on the shortest way
Where nodes have names, JSON and CSV also have `source_name` and `node_name`.

The text form is `source node depth` with tabs, with names in the place of numbers.
The JSON form is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"sources\", \"rows\"}
`count` is the number of rows, `sources` that of sources. `rows` is not there with --count.

Exit codes:
  0  searched
  2  something failed: a file, a node that is not there, limits that were too small, the device

Examples:
  vyre graph reach calls.vgr --sources 17
  vyre graph reach calls.csv --names --sources main --max-depth 2
  vyre graph reach calls.vgr --sources random:10:1 --count")]
pub(crate) struct ReachArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print the number of rows only
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// The end of the help of a command that labels nodes, with its examples.
macro_rules! label_help {
    ($($example:literal)*) => {
        concat!(
            "\
A row is a node:
  node                             its number
  component                        the smallest node of its component
Where nodes have names, JSON and CSV also have `node_name` and `component_name`.

The text form is `node component` with tabs, with names in the place of numbers; how many components
there are, and the size of the largest, goes to standard error. The JSON form is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"largest\": {\"component\", \"nodes\"}, \"rows\"}
`count` is the number of components. `largest` is null for a graph without nodes. `rows` is not
there with --count.

Exit codes:
  0  done
  2  something failed: a file, the device

Examples:",
            $("\n  ", $example),*
        )
    };
}

/// The end of the help of `vyre graph components`.
pub(super) const COMPONENTS_HELP: &str = label_help!(
    "vyre graph components calls.vgr"
    "vyre graph components calls.vgr --count"
    "vyre graph components calls.vgr --format csv -o parts.csv"
);

/// The end of the help of `vyre graph scc`.
pub(super) const SCC_HELP: &str = label_help!(
    "vyre graph scc calls.vgr"
    "vyre graph scc calls.vgr --count"
    "vyre graph scc calls.csv --names --format json | jq .largest"
);

/// The arguments of commands that label nodes.
#[derive(Args, Debug)]
pub(crate) struct LabelArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print the number of components only
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Bring nodes into an order in which every edge goes forward
///
/// Nodes are sorted by level and then by number. The level of a node is the number of edges on the longest way to it.
///
/// Where there is no such order, prints a cycle and exits with 1.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a node:
  node                             its number
  level                            the number of edges on the longest way to it
Where nodes have names, JSON and CSV also have `node_name`.

The text form is `node level` with tabs, with names in the place of numbers; a cycle is one line
`cycle: 1 -> 2 -> 1`. The CSV form of a cycle has one column `cycle`, a node a line. With --count
both are 0 instead, and the line with the cycle goes to standard error.
The JSON form is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"cycle\", \"rows\"}
`count` is the number of levels. `cycle` is null, or an array of nodes of which each has an edge to
the next and the last to the first; then `count` is 0, `rows` is empty, and `cycle_names` has the
names of the nodes where they have names. `rows` is not there with --count.

Exit codes:
  0  sorted
  1  the graph has a cycle
  2  something failed: a file, the device

Examples:
  vyre graph toposort builds.txt
  vyre graph toposort builds.csv --names --format csv -o order.csv
  vyre graph toposort builds.vgr --count
                                   how many steps it takes where a level is done at once")]
pub(crate) struct ToposortArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print the number of levels only
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Find shortest paths
///
/// With --to, prints a shortest path and its length: the sum of the weights of its edges, each of which counts 1 where the
/// graph has no weights. Of several it is one with the fewest edges. Without --to, prints the distance of every node that is
/// reached. With several --from, paths begin at any of them.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a node, of the path in its order or of all that are reached:
  node                             its number
  distance                         the sum of weights on the shortest way to it
Where nodes have names, JSON and CSV also have `node_name`.

The text form is `distance: 7` and `path: 0 -> 4 -> 2`; without --to, `node distance` with tabs.
The JSON form is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"distance\", \"rows\"}
`count` is the number of edges of the path, or of nodes that are reached. `distance` is null without
a path or without --to. `rows` is not there with --count.

Exit codes:
  0  found
  1  there is no path
  2  something failed: a file, a node that is not there, a distance beyond 4294967294, the device

Examples:
  vyre graph path roads.mtx --from 17 --to 4
  vyre graph path roads.mtx --from 17 --from 18 --format csv
  vyre graph path calls.csv --names --from main --to exec --unweighted")]
pub(crate) struct PathArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    /// Where paths begin: a node by number, or by name where nodes have names; may be given several times
    #[arg(long, value_name = "NODE", required = true)]
    pub(crate) from: Vec<String>,

    /// Where the path ends
    #[arg(long, value_name = "NODE")]
    pub(crate) to: Option<String>,

    /// Count every edge 1, whatever its weight
    #[arg(long)]
    pub(crate) unweighted: bool,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print the number of edges of the path only, or of nodes that are reached
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Rank nodes by random walks
///
/// The rank of a node is how often a walker comes to it who follows an edge with the chance of --damping and otherwise goes
/// anywhere. Ranks are whole numbers of units of 2^-63, so they are the same to the last digit on every backend.
///
/// Rows are sorted by rank, the highest first, and then by node.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a node:
  node                             its number
  rank                             a number from 0 to 1, with 19 digits
  rank_units                       the same in units of 2^-63, as a string in JSON
Where nodes have names, JSON and CSV also have `node_name`.

The text form is `node rank` with tabs, with names in the place of numbers.
The JSON form is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"change_units\", \"rows\"}
`count` is the number of iterations. `change_units` is a string: by how much all ranks together
changed in the last one, in units of 2^-63. `rows` is not there with --count.

Exit codes:
  0  ranked
  2  something failed: a file, the device

Examples:
  vyre graph pagerank links.txt --top 10
  vyre graph pagerank links.vgr --damping 0.9 --iterations 200 --tolerance 0
  vyre graph pagerank links.csv --names --format json | jq -r '.rows[0].node_name'")]
pub(crate) struct PageRankArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    /// The chance that the walker follows an edge, from 0 to 1
    #[arg(long, value_name = "D", default_value = "0.85", value_parser = parse_chance)]
    pub(crate) damping: f64,

    /// The most iterations
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) iterations: u32,

    /// End when all ranks together change by no more than this; looked at after every eighth iteration
    #[arg(long, value_name = "T", default_value = "1e-9", value_parser = parse_tolerance)]
    pub(crate) tolerance: f64,

    /// Print the K highest ranks only
    #[arg(long, value_name = "K")]
    pub(crate) top: Option<usize>,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print the number of iterations only
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}
