//! Arguments of the commands that write graph files or describe them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::formats::{WriteFormat, convert_help, write_format_parser};
use super::{ExplainHostArgs, ReadArgs, ResultArgs};
use crate::argument::parse_seed;

/// Describe a graph
///
/// Reads a graph and counts its nodes, edges, roles and weights. Nothing runs on a device.
#[derive(Args, Debug)]
#[command(after_long_help = "\
The JSON form is one object, the CSV form a header and one row, both with these fields:
  file, format, bytes              the file; `bytes` is null for standard input
  nodes, edges
  self_loops                       edges from a node to itself
  parallel_edges                   edges beyond the first between the same nodes
  isolated_nodes                   nodes without edges
  max_out_degree, max_in_degree    maximum number of edges that begin or end at a node
  average_degree                   edges per node
  normal, source, sink, source_and_sink, sanitizer
                                   number of nodes with each role
  names, weights                   true if nodes have names, if edges have weights
  min_weight, max_weight           null without weights
  format_version                   version of a binary graph file; null for other files
  index                            true if the file has the transposed graph (`convert --index`)

Exit codes:
  0  described
  2  the file could not be read, or is not a graph

Examples:
  vyre graph info calls.csv --names
  vyre graph info calls.vgr --format json | jq .edges")]
pub(crate) struct InfoArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    #[command(flatten)]
    pub(crate) explain: ExplainHostArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Convert a graph to another format
#[derive(Args, Debug)]
#[command(long_about = convert_help(), after_long_help = "\
Exit codes:
  0  converted
  2  a file could not be read or written, or is not a graph

Examples:
  vyre graph convert calls.csv --names --nodes roles.csv -o calls.vgr
                                   store names and roles in one file that loads fast
  vyre graph convert calls.vgr -o calls.csv --nodes-out roles.csv
                                   extract them again
  vyre graph convert roads.mtx --transpose -o back.vgr
                                   transpose the graph
  vyre graph convert calls.vgr --index -o indexed.vgr
                                   add the transposed graph, for analyses that start sooner
  zcat big.txt.gz | vyre graph convert - -o big.vgr")]
pub(crate) struct ConvertArgs {
    /// The graph; `-` is standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) written: WriteArgs,

    /// Transpose the graph: reverse all edges
    #[arg(long, visible_alias = "reverse")]
    pub(crate) transpose: bool,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Output of a graph.
#[derive(Args, Debug)]
pub(crate) struct WriteArgs {
    /// Output file; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_parser = write_format_parser())]
    pub(crate) to: Option<WriteFormat>,

    /// Write the roles of nodes to this file, as CSV if its name ends in .csv
    #[arg(long, value_name = "FILE")]
    pub(crate) nodes_out: Option<PathBuf>,

    /// Store the transposed graph and an order of the nodes too, so that analyses start sooner; only in the binary form
    ///
    /// Analyses then need not compute them. The file has about twice the size, and releases that know only version 1 of the
    /// binary form cannot read it.
    #[arg(long)]
    pub(crate) index: bool,

    #[command(flatten)]
    pub(crate) explain: ExplainHostArgs,

    /// Print no notes and no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Generate a graph for tests and measurements
///
/// Equal arguments generate equal graphs, bit for bit. Seeds are numbers such as 42 or 0x5EED_0001.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  generated
  2  wrong arguments, or the file could not be written

Examples:
  vyre graph generate rmat --scale 16 --edge-factor 16 --seed 0x5EED0001 --roles 0x5EED0010 \\
      -o g1.vgr
  vyre graph generate calls --nodes 1000000 --program 20000 --seed 1 --roles 2 -o calls.vgr")]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) command: GenerateCommand,
}

/// A kind of generated graph.
#[derive(Debug, Subcommand)]
pub(crate) enum GenerateCommand {
    Rmat(RmatArgs),
    Calls(CallsArgs),
}

/// An R-MAT graph, like a social network: few hubs, short paths
///
/// Each edge chooses a quadrant of the adjacency matrix with the probabilities 0.57, 0.19, 0.19 and 0.05, recursively
/// (Chakrabarti et al., 2004). Nodes are renumbered at random. Parallel edges and self-loops are omitted.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  generated
  2  wrong arguments, or the file could not be written

Examples:
  vyre graph generate rmat --scale 16 --edge-factor 16 --seed 0x5EED0001 --roles 0x5EED0010 \\
      -o g1.vgr
                                   65,536 nodes and 955,454 edges
  vyre graph generate rmat --scale 8 --edge-factor 4 --seed 1 | vyre graph components - --count")]
pub(crate) struct RmatArgs {
    /// The graph has 2^S nodes
    #[arg(long, value_name = "S")]
    pub(crate) scale: u32,

    /// Edges per node, before parallel edges and self-loops are omitted
    #[arg(long, value_name = "F")]
    pub(crate) edge_factor: u32,

    #[command(flatten)]
    pub(crate) seeds: SeedArgs,

    #[command(flatten)]
    pub(crate) written: WriteArgs,
}

/// A graph like the call graph of programs: long paths, low degrees
///
/// Programs of P nodes each, whose nodes mostly call nodes shortly behind them, and a library that all programs call in the
/// last twentieth of the nodes.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  generated
  2  wrong arguments, or the file could not be written

Examples:
  vyre graph generate calls --nodes 1000000 --program 20000 --seed 1 --roles 2 -o calls.vgr")]
pub(crate) struct CallsArgs {
    /// The number of nodes
    #[arg(long, value_name = "N")]
    pub(crate) nodes: u32,

    /// The number of nodes of a program
    #[arg(long, value_name = "P")]
    pub(crate) program: u32,

    #[command(flatten)]
    pub(crate) seeds: SeedArgs,

    #[command(flatten)]
    pub(crate) written: WriteArgs,
}

/// Seeds of a generated graph.
#[derive(Args, Debug)]
pub(crate) struct SeedArgs {
    /// The seed of the edges
    #[arg(long, value_name = "SEED", value_parser = parse_seed)]
    pub(crate) seed: u64,

    /// Make 1% of the nodes sinks and another 1% sanitizers, at random with this seed
    #[arg(long, value_name = "SEED", value_parser = parse_seed)]
    pub(crate) roles: Option<u64>,
}
