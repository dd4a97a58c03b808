//! Arguments of `vyre graph`, and those that its commands share.

mod analyses;
mod files;
mod formats;
mod ops;
mod taint;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand, ValueEnum};
use vyre::graph::file::{ColumnTitles, WeightScale};
use vyre::packages::DependencyKind;

use self::formats::{dependency_kind_parser, format_parser};
use crate::argument::{parse_bytes, parse_weight_scale};
use crate::output::columns;

pub(crate) use analyses::{CountsArgs, DirectionArg, DominatorsArgs, SimplifyArgs, SubgraphArgs};
pub(crate) use files::{CallsArgs, ConvertArgs, GenerateArgs, GenerateCommand, InfoArgs, RmatArgs, WriteArgs};
pub(crate) use formats::{FileFormat, SVG, WriteFormat};
pub(crate) use ops::{BfsArgs, LabelArgs, PageRankArgs, PathArgs, ReachArgs, ToposortArgs};
pub(crate) use taint::{FindingArgs, FindingFormat, LevelsArg, Switch, TaintArgs, TuningArgs};

/// Search, sort and rank graphs
#[derive(Args, Debug)]
#[command(long_about = formats::graph_help(), after_long_help = "\
Exit codes:
  0  done
  1  taint: there are findings; toposort: the graph has a cycle; path: there is no path
  2  failure: arguments, a file, a limit, the device, the deadline

Examples:
  vyre graph info calls.vgr        count nodes, edges and roles
  vyre graph convert calls.csv --names --nodes roles.csv -o calls.vgr
                                   write the binary format, which loads fastest
  vyre graph bfs calls.vgr
                                   find the sinks that sources reach
  vyre graph taint calls.vgr --witness
                                   the same for thousands of sources, with witnesses
  vyre graph components calls.vgr --count
                                   count the connected components
  vyre graph path roads.mtx --from 17 --to 4
                                   find a shortest path
  vyre graph pagerank links.txt.gz --top 10
                                   list the ten nodes with the highest rank
`vyre graph COMMAND --help` describes each command.")]
pub(crate) struct GraphArgs {
    #[command(subcommand)]
    pub(crate) command: GraphCommand,

    /// Print the time of each stage and the peak memory on standard error
    ///
    /// Stages are read, build, analysis and output. `bfs`, `reach` and `taint` write rows while they search, so their analysis includes
    /// the output. The memory includes mapped files.
    #[arg(long, global = true)]
    pub(crate) time: bool,
}

impl GraphCommand {
    /// The algorithm of a command that runs on the host only, if it is to be explained.
    pub(crate) fn explained_method(&self) -> Option<&'static str> {
        let (explain, method) = match self {
            GraphCommand::Info(args) => (&args.explain, "degrees, and a sort of each row for parallel edges"),
            GraphCommand::Convert(args) => (&args.written.explain, "a counting sort of the edges by their sources"),
            GraphCommand::Generate(GenerateArgs { command: GenerateCommand::Rmat(args) }) => {
                (&args.written.explain, "R-MAT (Chakrabarti et al., 2004)")
            }
            GraphCommand::Generate(GenerateArgs { command: GenerateCommand::Calls(args) }) => {
                (&args.written.explain, "random calls to nodes shortly behind, and to a library")
            }
            GraphCommand::Dominators(args) => (&args.explain, "Lengauer and Tarjan (1979), with path compression"),
            GraphCommand::Kcore(args) => {
                (&args.explain, "removal of nodes in the order of their degrees (Batagelj and Zaveršnik, 2003)")
            }
            GraphCommand::Triangles(args) => {
                (&args.explain, "intersection of the neighbours of each edge, directed to the higher degree")
            }
            GraphCommand::Simplify(args) => (&args.written.explain, "a sort of each row"),
            GraphCommand::Subgraph(args) => (&args.written.explain, "a breadth-first search in each direction"),
            GraphCommand::Bfs(_)
            | GraphCommand::Reach(_)
            | GraphCommand::Taint(_)
            | GraphCommand::Components(_)
            | GraphCommand::Scc(_)
            | GraphCommand::Toposort(_)
            | GraphCommand::Path(_)
            | GraphCommand::Pagerank(_) => return None,
        };
        explain.explain.then_some(method)
    }
}

/// A graph command.
#[derive(Debug, Subcommand)]
pub(crate) enum GraphCommand {
    Info(InfoArgs),
    Convert(ConvertArgs),
    Generate(GenerateArgs),
    Bfs(BfsArgs),
    Reach(ReachArgs),
    Taint(TaintArgs),
    /// Find connected components
    ///
    /// Labels each node with the smallest node of its component. The direction of edges is ignored.
    #[command(after_long_help = ops::COMPONENTS_HELP)]
    Components(LabelArgs),
    /// Find strongly connected components
    ///
    /// Labels each node with the smallest node that it reaches and that reaches it. A node that lies on no cycle is a
    /// component by itself.
    #[command(after_long_help = ops::SCC_HELP)]
    Scc(LabelArgs),
    Toposort(ToposortArgs),
    Path(PathArgs),
    Pagerank(PageRankArgs),
    Dominators(DominatorsArgs),
    /// Find the core number of each node
    ///
    /// The k-core is the largest part of the graph in which every node has at least k neighbours. The core number of a node is the largest k
    /// whose core has the node. The direction of edges, self-loops and parallel edges do not count.
    #[command(after_long_help = analyses::KCORE_HELP)]
    Kcore(CountsArgs),
    /// Count triangles
    ///
    /// Counts the triangles through each node: pairs of its neighbours that are neighbours of each other. The direction of edges, self-loops and
    /// parallel edges do not count.
    #[command(after_long_help = analyses::TRIANGLES_HELP)]
    Triangles(CountsArgs),
    Simplify(SimplifyArgs),
    Subgraph(SubgraphArgs),
}

/// Input of a graph.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Reading the graph")]
pub(crate) struct ReadArgs {
    /// Format of FILE; by default detected from its first bytes and its name
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) input_format: Option<FileFormat>,

    /// A file with the roles and attributes of nodes; `-` is standard input
    ///
    /// A line is `node role`, as in `17 sink`. In a file whose name ends in .csv, or that begins with `node,role`, commas are
    /// separators and blanks belong to names. Roles are normal, source, sink, source+sink and sanitizer. The roles of several
    /// lines are merged, also with those in FILE. A CSV file with the column `node`, `id` or `name` can have other columns: `role`, and
    /// attributes, which count as those of --attributes.
    #[arg(long, value_name = "FILE")]
    pub(crate) nodes: Option<PathBuf>,

    /// Add the nodes of --nodes that occur in no edge
    ///
    /// Nodes must have names. Otherwise a name that no edge has is an error.
    #[arg(long, requires = "nodes")]
    pub(crate) add_nodes: bool,

    /// Nodes of an edge list or CSV file are names, not numbers
    ///
    /// Nodes are numbered in the order in which their names first occur.
    #[arg(long)]
    pub(crate) names: bool,

    /// Header line of an edge list or CSV file
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) header: HeaderArg,

    /// Title of the column of the nodes at which edges begin, in an edge list, a CSV file or a table
    ///
    /// The first line is a header then. Titles are compared exactly. A column without such an option is found by its usual title, as with
    /// --header, or else by its position.
    #[arg(long, value_name = "TITLE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) source_column: Option<String>,

    /// Title of the column of the nodes at which edges end
    #[arg(long, value_name = "TITLE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) target_column: Option<String>,

    /// Title of the column of weights
    #[arg(long, value_name = "TITLE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) weight_column: Option<String>,

    /// Weights of edges
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) weights: WeightsArg,

    /// Factor of real weights, which are rounded to integers after it
    ///
    /// With 1000, weights are multiples of 0.001 and off by at most 0.0005. Results have the real numbers again. Without it,
    /// weights must be whole numbers.
    #[arg(long, value_name = "S", value_parser = parse_weight_scale)]
    pub(crate) weight_scale: Option<WeightScale>,

    /// Number only the nodes that occur in edges, and name them by their numbers in the file
    ///
    /// Otherwise an edge list or CSV file has all nodes up to the highest number. Formats that list their nodes keep all of them.
    #[arg(long, conflicts_with = "names")]
    pub(crate) compact: bool,

    /// Add each edge in both directions
    #[arg(long)]
    pub(crate) undirected: bool,

    /// Kinds of dependencies of a lock file or an SBOM; the default is all
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = dependency_kind_parser())]
    pub(crate) dependencies: Vec<DependencyKind>,

    /// The manifest of a lock file, which says what the project itself depends on; the default is the one beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,

    /// Minimum number of nodes, with or without edges
    ///
    /// A comment `# Nodes: 5 Edges: 4` at the beginning of an edge list or CSV file has the same effect. It is an error if nodes
    /// have names, since the added nodes would have none.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) min_nodes: u32,

    /// Maximum number of nodes
    ///
    /// The default for text formats is 16,777,216 nodes or 16 for each edge, so that one wrong number does not exhaust the
    /// memory.
    #[arg(long, value_name = "N")]
    pub(crate) max_nodes: Option<u32>,
}

impl ReadArgs {
    /// Titles of columns.
    pub(crate) fn columns(&self) -> ColumnTitles {
        ColumnTitles {
            source: self.source_column.clone(),
            target: self.target_column.clone(),
            weight: self.weight_column.clone(),
        }
    }
}

/// Weights of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeightsArg {
    /// If the command uses them and the file has them
    Auto,
    /// Required; a file without weights is an error
    Required,
    /// Ignored
    Ignore,
}

/// Header line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HeaderArg {
    /// Detected: words if nodes are numbers; with --names only in CSV, words such as `source,target`, `src,dst`, `from,to`,
    /// `parent,child` or `caller,callee`
    Auto,
    /// The first line is a header; columns with unknown names are identified by position
    Yes,
    /// The first line is an edge
    No,
}

/// Output of results.
#[derive(Args, Debug)]
#[command(next_help_heading = "Results")]
pub(crate) struct ResultArgs {
    /// Output format; the default is `table` on a terminal and `text` otherwise
    #[arg(long, value_name = "FORMAT")]
    format: Option<ResultFormat>,

    /// Output file; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,

    /// Print no notes and no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl ResultArgs {
    /// Format of the results.
    pub(crate) fn format(&self) -> ResultFormat {
        let is_for_terminal = || self.is_for_stdout() && std::io::stdout().is_terminal();
        self.format.unwrap_or_else(|| if is_for_terminal() { ResultFormat::Table } else { ResultFormat::Text })
    }

    /// Reports whether results go to standard output.
    pub(crate) fn is_for_stdout(&self) -> bool {
        self.output.as_deref().is_none_or(|path| path.as_os_str() == "-")
    }

    /// Width of tables, if lines are wrapped.
    pub(crate) fn width(&self) -> Option<usize> {
        (self.is_for_stdout() && self.format() == ResultFormat::Table).then(columns).flatten()
    }
}

/// Output format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// Aligned columns with a header, for people
    Table,
    /// Lines with tabs, with names where nodes have them
    Text,
    /// One object
    Json,
    /// A header and a line for each row
    Csv,
    /// A Parquet table, with real numbers and names in columns of their own
    #[cfg(feature = "tables")]
    Parquet,
}

impl ResultFormat {
    /// Name of the form, if it is binary and not for terminals.
    pub(crate) fn binary(self) -> Option<&'static str> {
        match self {
            #[cfg(feature = "tables")]
            ResultFormat::Parquet => Some("a Parquet table"),
            ResultFormat::Table | ResultFormat::Text | ResultFormat::Json | ResultFormat::Csv => None,
        }
    }
}

/// Explanation of a choice.
#[derive(Args, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct ExplainArgs {
    /// Print the estimated time of each way to compute the result, and the time of each stage
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Explanation of a command that has one algorithm, on the host.
#[derive(Args, Debug)]
pub(crate) struct ExplainHostArgs {
    /// Print the algorithm and the time of each stage
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Sources and limits of searches.
#[derive(Args, Debug)]
#[command(next_help_heading = "Searching")]
pub(crate) struct SearchArgs {
    /// Source nodes: a list `1,2,3`, a file of nodes, or `random:K:SEED`; `-` is standard input
    ///
    /// The default is all nodes with the role source or source+sink. If nodes have names, `main,init` are names, unless a file
    /// has that name. Blanks belong to names if the argument has a comma or is itself a name, and in files whose name ends in
    /// .csv.
    #[arg(long, value_name = "NODES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) sources: Option<String>,

    /// Follow edges backward, and so find the nodes that lead to the sources
    #[arg(long)]
    pub(crate) reverse: bool,

    /// Maximum number of edges of a path
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u32>,

    /// Maximum number of results; more are an error
    #[arg(long, value_name = "N")]
    pub(crate) max_findings: Option<u64>,

    /// Capacity of the queue of a source in nodes; an overflow is an error
    ///
    /// The default suffices for every search.
    #[arg(long, value_name = "N")]
    pub(crate) queue: Option<u32>,

    /// Maximum memory for searches and their rows, beside the graph, such as 256MiB
    ///
    /// A limit that does not suffice for every source is an error. The default is 1GiB, and more for a source that needs it.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
}
