//! Arguments of the commands that run graph ops.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::{ExplainArgs, ReadArgs, ResultArgs, SearchArgs};
use crate::args::DeviceArgs;
use crate::argument::{parse_probability, parse_tolerance};

/// Find the sinks that each source reaches
///
/// Runs a breadth-first search from each source and reports every sink that it reaches, with the number of edges on a shortest
/// path. Searches do not continue behind sanitizers. A source is a finding itself, at depth 0, only if it has the
/// role source+sink.
///
/// Findings are sorted by source, sink and depth. The command reports all findings or fails.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a finding:
  source, sink                     nodes, by number
  depth                            number of edges on a shortest path
  source_index                     position of the source in the list of sources, from 0
If nodes have names, JSON and CSV also have `source_name` and `sink_name`.

The text format is `source sink depth source_index` with tabs, with names instead of numbers.
The JSON format is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"fingerprint\", \"sources\", \"rows\"}
`count` is the number of findings, `sources` that of sources. `fingerprint` is null without
--fingerprint, and `rows` is absent with --count or --fingerprint.

The fingerprint is 64-bit FNV-1a over the words source, sink and depth of all findings in order,
little-endian. Equal findings have equal fingerprints on every backend.

Exit codes:
  0    searched, with or without findings
  2    failure: no sources, no sinks, a file, an unknown node, a limit, the device, the deadline
  130  ended by Ctrl-C

Examples:
  vyre graph bfs calls.vgr                  search from all nodes with the role source
  vyre graph bfs calls.txt --nodes roles.txt --sources 17,99 --max-depth 8
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

    /// Print only the number of findings
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    /// Print only a fingerprint of all findings
    #[arg(long, help_heading = "Results")]
    pub(crate) fingerprint: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) explain: ExplainArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Find the nodes that each source reaches
///
/// Runs a breadth-first search from each source and reports every other node that it reaches, with the number of edges on a
/// shortest path. Sanitizers are reported, but searches do not continue behind them.
///
/// Rows are sorted by source, node and depth. The command reports all rows or fails.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a node that a source reaches:
  source, node                     nodes, by number
  depth                            number of edges on a shortest path
If nodes have names, JSON and CSV also have `source_name` and `node_name`.

The text format is `source node depth` with tabs, with names instead of numbers.
The JSON format is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"sources\", \"rows\"}
`count` is the number of rows, `sources` that of sources. `rows` is absent with --count.

Exit codes:
  0    searched
  2    failure: a file, an unknown node, a limit, the device, the deadline
  130  ended by Ctrl-C

Examples:
  vyre graph reach calls.vgr --sources 17
  vyre graph reach calls.csv --names --sources main --max-depth 2
  vyre graph reach calls.csv --names --sources exec_sql --reverse
                                            the callers of a function
  vyre graph reach calls.vgr --sources random:10:1 --count")]
pub(crate) struct ReachArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print only the number of rows
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) explain: ExplainArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Last part of the help of a command that labels nodes, with its examples.
macro_rules! label_help {
    ($($example:literal)*) => {
        concat!(
            "\
A row is a node:
  node                             its number
  component                        the smallest node of its component
If nodes have names, JSON and CSV also have `node_name` and `component_name`.

The text format is `node component` with tabs, with names instead of numbers; the number of
components and the size of the largest go to standard error. The JSON format is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"largest\": {\"component\", \"nodes\"}, \"rows\"}
`count` is the number of components. `largest` is null for a graph without nodes. `rows` is
absent with --count.

Exit codes:
  0    done
  2    failure: a file, the device, the deadline
  130  ended by Ctrl-C

Examples:",
            $("\n  ", $example),*
        )
    };
}

/// Last part of the help of `vyre graph components`.
pub(super) const COMPONENTS_HELP: &str = label_help!(
    "vyre graph components calls.vgr"
    "vyre graph components calls.vgr --count"
    "vyre graph components calls.vgr --format csv -o parts.csv"
);

/// Last part of the help of `vyre graph scc`.
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

    /// Print only the number of components
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    /// Accepted only to be rejected with a reason: components have no direction
    #[arg(long, hide = true)]
    pub(crate) reverse: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) explain: ExplainArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Sort nodes topologically
///
/// Nodes are sorted by level and then by number. The level of a node is the number of edges on the longest path to it.
///
/// If the graph has a cycle, prints one and exits with 1.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a node:
  node                             its number
  level                            number of edges on the longest path to it
If nodes have names, JSON and CSV also have `node_name`.

The text format is `node level` with tabs, with names instead of numbers; a cycle is one line
`cycle: 1 -> 2 -> 1`. The CSV format of a cycle has one column `cycle`, a node a line. With --count
both are 0 instead, and the line with the cycle goes to standard error.
The JSON format is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"cycle\", \"rows\"}
`count` is the number of levels. `cycle` is null, or an array of nodes of which each has an edge to
the next and the last to the first; then `count` is 0, `rows` is empty, and `cycle_names` has the
names of the nodes, if they have names. `rows` is absent with --count.

Exit codes:
  0    sorted
  1    the graph has a cycle
  2    failure: a file, the device, the deadline
  130  ended by Ctrl-C

Examples:
  vyre graph toposort builds.txt
  vyre graph toposort builds.csv --names --format csv -o order.csv
  vyre graph toposort builds.vgr --count
                                   number of steps if each level is one step")]
pub(crate) struct ToposortArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print only the number of levels
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    /// Follow edges backward: the level of a node is the number of edges on the longest path from it
    #[arg(long)]
    pub(crate) reverse: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) explain: ExplainArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Find shortest paths
///
/// With one node as --to, prints a shortest path and its length: the sum of the weights of its edges, or their number if the graph has
/// no weights. Of several shortest paths it prints one with the fewest edges. With several nodes as --to, prints a row for each of them
/// that is reached, in the order of the arguments, and the search ends when the last of them is. Without --to, prints the distance of
/// every reachable node. With several nodes as --from, paths begin at any of them.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a node: of the path in order, one of several ends, or one of all reachable nodes:
  node                             its number
  distance                         sum of the weights on a shortest path to it
  path                             nodes of that path, only for one of several ends; numbers with
                                   blanks in CSV
If nodes have names, JSON and CSV also have `node_name`, and `path_names` beside `path`.

The text format is `distance: 7` and `path: 0 -> 4 -> 2` for one end; `node distance path` with tabs
for several, and `node distance` without --to.
The JSON format is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"distance\", \"unreached\", \"rows\"}
`count` is the number of edges of the path, of ends that are reached, or of reachable nodes.
`distance` is that of the path, otherwise null. `unreached` has the ends that are not reached, only
for several; if nodes have names, `unreached_names` has theirs. `rows` is absent with --count.

One end is a single --to with a node or one package; a list, a file, packages, or a repeated --to
are several, even if they name one node.

Exit codes:
  0    found
  1    there is no path, or not to every end
  2    failure: a file, an unknown node, a distance beyond 4294967294, the device, the deadline
  130  ended by Ctrl-C

Examples:
  vyre graph path roads.mtx --from 17 --to 4
  vyre graph path roads.mtx --from 17 --from 18 --format csv
  vyre graph path roads.mtx --from 17 --to 4,5,6
                                   a path to each of three nodes
  vyre graph path calls.csv --names --from main --to exec_sql --unweighted")]
pub(crate) struct PathArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    /// Start of paths: a node by number, or by name if nodes have names, a list `1,2,3`, a file of nodes, or packages of a lock file;
    /// repeatable
    #[arg(long, value_name = "NODES", required = true, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) from: Vec<String>,

    /// End of the path: a node, or several in the forms of --from; repeatable
    #[arg(long, value_name = "NODES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) to: Vec<String>,

    /// Ignore weights: every edge counts 1
    #[arg(long)]
    pub(crate) unweighted: bool,

    /// Follow edges backward: a path leads from --to to --from, and is printed so
    #[arg(long)]
    pub(crate) reverse: bool,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print only the number of edges of the path, of ends that are reached, or of reachable nodes
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) explain: ExplainArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Rank nodes by PageRank
///
/// The rank of a node is the stationary probability of a random surfer who follows an edge with probability --damping and
/// otherwise jumps to a random node (Page et al., 1999). Ranks are fixed-point numbers in units of 2^-63, so they are equal to
/// the last digit on every backend.
///
/// With --weighted or --personalise, the host computes the ranks, with probabilities that are fractions of 2^64.
///
/// Rows are sorted by rank, the highest first, and then by node.
#[derive(Args, Debug)]
#[command(after_long_help = "\
A row is a node:
  node                             its number
  rank                             a number from 0 to 1, with 19 digits
  rank_units                       the same in units of 2^-63, as a string in JSON
If nodes have names, JSON and CSV also have `node_name`.

The text format is `node rank` with tabs, with names instead of numbers.
The JSON format is one object:
  {\"graph\": {\"file\", \"format\", \"nodes\", \"edges\"}, \"backend\": {\"name\", \"device\"},
   \"count\", \"change_units\", \"rows\"}
`count` is the number of iterations. `change_units` is a string: the sum of the changes of all ranks
in the last one, in units of 2^-63. `rows` is absent with --count.

Exit codes:
  0    ranked
  2    failure: a file, the device, the deadline
  130  ended by Ctrl-C

Examples:
  vyre graph pagerank links.txt --top 10
  vyre graph pagerank links.vgr --damping 0.9 --iterations 200 --tolerance 0
  vyre graph pagerank links.csv --names --personalise main
                                   what matters to a node
  vyre graph pagerank links.csv --names --format json | jq -r '.rows[0].node_name'")]
pub(crate) struct PageRankArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    /// Damping factor: the probability of following an edge, from 0 to 1
    #[arg(long, value_name = "D", default_value = "0.85", value_parser = parse_probability)]
    pub(crate) damping: f64,

    /// Maximum number of iterations
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) iterations: u32,

    /// Stop when the sum of the changes of all ranks is at most this; tested after every eighth iteration
    #[arg(long, value_name = "T", default_value = "1e-9", value_parser = parse_tolerance)]
    pub(crate) tolerance: f64,

    /// Follow an edge with a probability proportional to its weight
    ///
    /// A node whose edges weigh nothing has no edges. Weights are whole numbers, or real ones with --weight-scale.
    #[arg(long)]
    pub(crate) weighted: bool,

    /// Nodes to which the random surfer jumps: a list `1,2,3`, a file of nodes, or a CSV file with the columns `node` and `weight`
    ///
    /// The default is all nodes. The surfer also jumps there from nodes without edges. Nodes of a list count alike, and as often as they
    /// occur.
    #[arg(long, value_name = "NODES", alias = "personalize", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) personalise: Option<String>,

    /// Follow edges backward, and so rank nodes by what they lead to
    #[arg(long)]
    pub(crate) reverse: bool,

    /// Print only the K highest ranks
    #[arg(long, value_name = "K")]
    pub(crate) top: Option<usize>,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    /// Print only the number of iterations
    #[arg(long, help_heading = "Results")]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) explain: ExplainArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}
