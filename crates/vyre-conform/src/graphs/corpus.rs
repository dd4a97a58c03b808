//! Corpus of graph ops, with answers written by hand.
//!
//! Each file of `tests/corpus/ops/graph/<op>/` is a case. A line is a directive; `#` starts a comment.
//!
//! | Directive | Meaning |
//! |---|---|
//! | `nodes 4` | number of nodes |
//! | `edges 0>1 1>2:7` | edges, the second with weight 7; the others have weight 1 |
//! | `make star 10` | nodes and edges of a [`Shape`]: `chain`, `backward_chain`, `cycle`, `star`, `sink_star`, `star_of_chains`, `complete`, `tree`, `chain_of_pairs`, `empty` |
//! | `role sink 3 5-9` | role of nodes; a second role is merged with the first |
//! | `sources 0 2` | sources of searches; `sources all` is every node |
//! | `max-depth 3` | also `queue`, `max-findings`, `memory`, `iterations`, `damping`, `tolerance` |
//! | `grids 1 7 2,2 1,1,3` | grids, which must all give the same result |
//! | `runs 100` | number of runs, which must all give the same result |
//! | `expect 0 3 2` | a line of the answer: source, node, depth and, unless it is 0, the position of the source |
//! | `expect none` | an empty answer |
//! | `expect count 9999` | number of lines of a long answer |
//! | `expect labels 0 0 2` | component labels, levels, or distances with `-` for unreachable nodes |
//! | `expect order 0 2 1` | a topological order |
//! | `expect path 0 2 1` | a shortest path from the sources to its last node |
//! | `expect ranks 0.25 0.75` | ranks, to four digits |
//! | `expect error TEXT` | text of an error |
//!
//! The answer must also equal that of the reference, unless it is an error of a limit.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vyre_graph::{CsrGraph, CsrView, Role};
use vyre_ops::graph::{
    Finding, GraphError, GraphOps, ONE, PageRankOptions, TraversalOptions, UNREACHED, components_on_host,
    pagerank_on_host, reachable_nodes, reachable_sinks, scc_on_host, shortest_path, shortest_paths_on_host,
    toposort_on_host,
};
use vyre_runtime::{Device, RunOptions};

use super::shapes::Shape;
use crate::settings;

/// How often the cases that ask for several runs are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetitions {
    /// As often as the case asks for: the device may order invocations differently in each run.
    All,
    /// Once: the device executes invocations in a fixed order, so that every run is the same.
    One,
}

/// A case: a graph, the parameters of an op, and the answer.
#[derive(Clone, Debug, Default)]
pub struct GraphCase {
    shape: Shape,
    weights: Vec<u32>,
    roles: Vec<Role>,
    sources: Vec<u32>,
    traversal: TraversalOptions,
    ranking: PageRankOptions,
    grids: Vec<[u32; 3]>,
    runs: u32,
    expected: Vec<Expected>,
}

/// A line of the answer.
#[derive(Clone, Debug, PartialEq)]
enum Expected {
    Row(Finding),
    NoRows,
    Count(usize),
    Labels(Vec<u32>),
    Order(Vec<u32>),
    Path(Vec<u32>),
    Ranks(Vec<f64>),
    Error(String),
}

/// Result of an op.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Findings(Vec<Finding>),
    Labels(Vec<u32>),
    Order { levels: Vec<u32>, order: Vec<u32> },
    Ranks(Vec<u64>),
}

/// Failure of a case.
#[derive(Debug)]
#[non_exhaustive]
pub enum CaseFailure {
    /// A malformed line.
    Directive {
        /// The line.
        line: usize,
        /// Text of the line.
        text: String,
    },
    /// An unknown op.
    UnknownOp(String),
    /// A case without an expectation.
    NothingExpected,
    /// An answer that differs from the expected one.
    Mismatch(String),
}

impl fmt::Display for CaseFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaseFailure::Directive { line, text } => write!(f, "line {line}: `{text}` is no directive"),
            CaseFailure::UnknownOp(op) => write!(f, "there is no op `graph.{op}`"),
            CaseFailure::NothingExpected => write!(f, "nothing is expected"),
            CaseFailure::Mismatch(message) => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for CaseFailure {}

impl GraphCase {
    /// Parses a case.
    ///
    /// # Errors
    ///
    /// Fails on a malformed line, or without an expectation.
    pub fn parse(source: &str) -> Result<GraphCase, CaseFailure> {
        let mut case = GraphCase { runs: 1, ..GraphCase::default() };
        for (line, text) in (1..).zip(source.lines()) {
            let text = text.split('#').next().unwrap_or_default().trim();
            if !text.is_empty() {
                let failure = || CaseFailure::Directive { line, text: text.to_owned() };
                case.directive(text).ok_or_else(failure)?;
            }
        }
        if case.expected.is_empty() { Err(CaseFailure::NothingExpected) } else { Ok(case) }
    }

    /// Number of runs of each grid that the case asks for.
    #[must_use]
    pub fn runs(&self) -> u64 {
        u64::from(self.runs.max(1))
    }

    fn directive(&mut self, text: &str) -> Option<()> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let number = || rest.parse::<u32>().ok();
        match word {
            "nodes" => self.set_shape(Shape::empty(number()?)),
            "make" => self.set_shape(shape(rest)?),
            "edges" => {
                for edge in rest.split_whitespace() {
                    let (ends, weight) = edge.split_once(':').unwrap_or((edge, "1"));
                    let (from, to) = ends.split_once('>')?;
                    self.shape.edges.push((from.parse().ok()?, to.parse().ok()?));
                    self.weights.push(weight.parse().ok()?);
                }
            }
            "role" => {
                let (role, nodes) = rest.split_once(' ')?;
                let role = Role::from_name(role)?;
                for part in nodes.split_whitespace() {
                    let (first, last) = part.split_once('-').unwrap_or((part, part));
                    for node in first.parse().ok()?..=last.parse::<usize>().ok()? {
                        let known = self.roles.get_mut(node)?;
                        *known = known.merged(role);
                    }
                }
            }
            "sources" if rest == "all" => self.sources = (0..self.shape.nodes).collect(),
            "sources" => self.sources = numbers(rest)?,
            "max-depth" => self.traversal.max_depth = Some(number()?),
            "queue" => self.traversal.queue_capacity = Some(number()?),
            "max-findings" => self.traversal.max_findings = Some(number()?.into()),
            "memory" => self.traversal.memory = Some(rest.parse().ok()?),
            "iterations" => self.ranking = self.ranking.with_max_iterations(number()?),
            "damping" => self.ranking = self.ranking.with_damping(rest.parse().ok()?),
            "tolerance" => self.ranking = self.ranking.with_tolerance(rest.parse().ok()?),
            "grids" => {
                let grids: Option<_> = rest.split_whitespace().map(crate::run_corpus::parse_grid).collect();
                self.grids = grids?;
            }
            "runs" => self.runs = number()?,
            "expect" => self.expected.push(Expected::parse(rest)?),
            _ => return None,
        }
        Some(())
    }

    fn set_shape(&mut self, shape: Shape) {
        self.roles.resize(shape.nodes as usize, Role::Normal);
        self.weights.resize(shape.edges.len(), 1);
        self.shape = shape;
    }

    /// The graph, and the weights of its edges in CSR order.
    fn graph(&self) -> Result<(CsrGraph, Vec<u32>), GraphError> {
        let mut graph = vyre_graph::try_to_csr(self.shape.nodes, &self.shape.edges)?;
        graph.node_data = self.roles.iter().map(|role| role.word()).collect();
        // The conversion to CSR is stable, so weights follow their edges.
        let mut weighted: Vec<(u32, u32)> =
            self.shape.edges.iter().map(|&(from, _)| from).zip(self.weights.iter().copied()).collect();
        weighted.sort_by_key(|&(from, _)| from);
        Ok((graph, weighted.into_iter().map(|(_, weight)| weight).collect()))
    }

    /// Runs the case on a device with all its grids, and with all its repetitions or one.
    ///
    /// # Errors
    ///
    /// Fails if an answer differs from the expected one, or from that of the reference.
    pub fn check(&self, op: &str, ops: &GraphOps, repetitions: Repetitions) -> Result<usize, CaseFailure> {
        let mut runs = 0;
        let repeated = if repetitions == Repetitions::All { self.runs.max(1) } else { 1 };
        let grids = self.grids.iter().copied().map(Some).chain(self.grids.is_empty().then_some(None));
        for grid in grids {
            let mut traversal = self.traversal.clone();
            traversal.grid = grid;
            for _ in 0..repeated {
                self.check_once(op, ops, &traversal)?;
                runs += 1;
            }
        }
        Ok(runs)
    }

    fn check_once(&self, op: &str, ops: &GraphOps, traversal: &TraversalOptions) -> Result<(), CaseFailure> {
        let (graph, weights) = self.graph().map_err(|error| CaseFailure::Mismatch(error.to_string()))?;
        let view = graph.view();
        let answer = self.answer(op, ops, view, &weights, traversal)?;
        for expected in &self.expected {
            self.compare(expected, &answer, view, &weights)?;
        }
        let rows = self.expected.iter().filter(|expected| matches!(expected, Expected::Row(_))).count();
        match &answer {
            Ok(Answer::Findings(findings)) if rows > 0 && rows != findings.len() => {
                return Err(CaseFailure::Mismatch(format!("expected {rows} rows, found {findings:?}")));
            }
            _ => {}
        }
        if let Ok(answer) = answer {
            let reference = self.reference(op, view, &weights)?;
            if reference.as_ref() != Ok(&answer) {
                return Err(CaseFailure::Mismatch(format!("the reference says {reference:?}, the op {answer:?}")));
            }
        }
        Ok(())
    }

    fn answer(
        &self,
        op: &str,
        ops: &GraphOps,
        view: CsrView<'_>,
        weights: &[u32],
        traversal: &TraversalOptions,
    ) -> Result<Result<Answer, GraphError>, CaseFailure> {
        let graph = match ops.load(view) {
            Ok(graph) => graph,
            Err(error) => return Ok(Err(error)),
        };
        Ok(match op {
            "bfs" => graph.bfs(&self.sources, traversal).map(Answer::Findings),
            "reachability" => graph.reachability(&self.sources, traversal).map(Answer::Findings),
            "components" => graph.components().map(Answer::Labels),
            "scc" => graph.scc().map(Answer::Labels),
            "toposort" => graph.toposort().map(|sorted| Answer::Order { levels: sorted.levels, order: sorted.order }),
            "shortest_path" => graph.shortest_paths(Some(weights), &self.sources).map(Answer::Labels),
            "pagerank" => graph.pagerank(&self.ranking).map(|ranked| Answer::Ranks(ranked.ranks)),
            _ => return Err(CaseFailure::UnknownOp(op.to_owned())),
        })
    }

    fn reference(
        &self,
        op: &str,
        view: CsrView<'_>,
        weights: &[u32],
    ) -> Result<Result<Answer, GraphError>, CaseFailure> {
        let max_depth = self.traversal.max_depth.unwrap_or(u32::MAX);
        Ok(match op {
            "bfs" => Ok(Answer::Findings(reachable_sinks(view, &self.sources, max_depth))),
            "reachability" => Ok(Answer::Findings(reachable_nodes(view, &self.sources, max_depth))),
            "components" => Ok(Answer::Labels(components_on_host(view))),
            "scc" => Ok(Answer::Labels(scc_on_host(view))),
            "toposort" => {
                toposort_on_host(view).map(|sorted| Answer::Order { levels: sorted.levels, order: sorted.order })
            }
            "shortest_path" => shortest_paths_on_host(view, Some(weights), &self.sources).map(Answer::Labels),
            "pagerank" => Ok(Answer::Ranks(pagerank_on_host(view, &self.ranking).ranks)),
            _ => return Err(CaseFailure::UnknownOp(op.to_owned())),
        })
    }

    fn compare(
        &self,
        expected: &Expected,
        answer: &Result<Answer, GraphError>,
        view: CsrView<'_>,
        weights: &[u32],
    ) -> Result<(), CaseFailure> {
        let is_right = match (expected, answer) {
            (Expected::Row(row), Ok(Answer::Findings(findings))) => findings.contains(row),
            (Expected::NoRows, Ok(Answer::Findings(findings))) => findings.is_empty(),
            (Expected::Count(count), Ok(Answer::Findings(findings))) => findings.len() == *count,
            (Expected::Labels(labels), Ok(Answer::Labels(found) | Answer::Order { levels: found, .. })) => {
                labels == found
            }
            (Expected::Count(count), Ok(Answer::Labels(labels))) => {
                (0..).zip(labels).filter(|(node, label)| node == *label).count() == *count
            }
            (Expected::Order(order), Ok(Answer::Order { order: found, .. })) => order == found,
            (Expected::Path(path), Ok(Answer::Labels(distances))) => {
                let target = path.last().copied().unwrap_or_default();
                shortest_path(view, Some(weights), distances, &self.sources, target).as_ref() == Some(path)
            }
            (Expected::Ranks(ranks), Ok(Answer::Ranks(found))) => {
                let is_near = |(rank, &units): (&f64, &u64)| (rank - units as f64 / ONE as f64).abs() < 0.000_05;
                ranks.len() == found.len() && ranks.iter().zip(found).all(is_near)
            }
            (Expected::Error(words), Err(error)) => error.to_string().contains(words),
            _ => false,
        };
        if is_right {
            return Ok(());
        }
        Err(CaseFailure::Mismatch(format!("expected {expected:?}\n  found {answer:?}")))
    }
}

impl Expected {
    fn parse(text: &str) -> Option<Expected> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        Some(match word {
            "none" => Expected::NoRows,
            "count" => Expected::Count(rest.parse().ok()?),
            "labels" => {
                let label = |word: &str| if word == "-" { Some(UNREACHED) } else { word.parse().ok() };
                Expected::Labels(rest.split_whitespace().map(label).collect::<Option<_>>()?)
            }
            "order" => Expected::Order(numbers(rest)?),
            "path" => Expected::Path(numbers(rest)?),
            "ranks" => Expected::Ranks(rest.split_whitespace().map(|rank| rank.parse().ok()).collect::<Option<_>>()?),
            "error" => Expected::Error(rest.to_owned()),
            _ => match numbers(text)?[..] {
                [source, node, depth] => Expected::Row(Finding { source, node, depth, source_index: 0 }),
                [source, node, depth, source_index] => Expected::Row(Finding { source, node, depth, source_index }),
                _ => return None,
            },
        })
    }
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split_whitespace().map(|number| number.parse().ok()).collect()
}

fn shape(text: &str) -> Option<Shape> {
    let (name, size) = text.split_once(' ')?;
    let size = size.parse().ok()?;
    Some(match name {
        "empty" => Shape::empty(size),
        "chain" => Shape::chain(size),
        "backward_chain" => Shape::backward_chain(size),
        "cycle" => Shape::cycle(size),
        "star" => Shape::star(size),
        "sink_star" => Shape::sink_star(size),
        "star_of_chains" => Shape::star_of_chains(size),
        "complete" => Shape::complete(size),
        "tree" => Shape::tree(size),
        "chain_of_pairs" => Shape::chain_of_pairs(size),
        _ => return None,
    })
}

/// Cases of the corpus: op names without `graph.`, and files.
#[must_use]
pub fn files(corpus: &Path) -> Vec<(String, PathBuf)> {
    let list = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable directory").path()).collect();
        paths.sort();
        paths
    };
    let of_op = |op: PathBuf| {
        let name = op.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        list(&op).into_iter().map(move |file| (name.clone(), file))
    };
    list(corpus).into_iter().flat_map(of_op).collect()
}

/// Runs all cases of the corpus on a device, prints their number, and panics if one fails.
#[track_caller]
pub fn expect_all_right(device: &Arc<dyn Device>, options: &RunOptions, repetitions: Repetitions) {
    let ops = GraphOps::new(Arc::clone(device)).with_run_options(options.clone());
    let (mut cases, mut runs, mut wrong) = (0, 0, Vec::new());
    for (op, path) in files(&settings::corpus("ops/graph")) {
        let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        cases += 1;
        match GraphCase::parse(&source).and_then(|case| case.check(&op, &ops, repetitions)) {
            Ok(done) => runs += done,
            Err(failure) => wrong.push(format!("{}: {failure}", path.display())),
        }
    }
    println!("{cases} cases of graph ops, {runs} runs, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases > 50, "that is not the corpus");
}
