//! `graph.pagerank`: PageRank (Brin, Page, 1998) by power iteration in fixed point.
//!
//! Ranks are integers in units of 2^-63, and their sum is at most 1. Quotients and products are rounded down at fixed points of the
//! computation, and integer sums do not depend on the order of their terms, so ranks are bit-identical on every device.

use rayon::prelude::*;
use vyre_graph::CsrView;
use vyre_ir::build::{Body, ProgramBuilder, invocation_id, local_id};
use vyre_ir::{DataType, Expr, Program};
use vyre_runtime::{Bindings, Command, CommandList};

use super::device::{GraphOnDevice, Progress, grid_for};
use super::edge_partition::{self, EDGES_PER_SLICE};
use super::error::GraphError;
use super::host_run::HostRun;
use super::word_pair::WordPair;
use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "graph.pagerank",
    summary: "For each node its PageRank, as a fixed-point number.",
    canonical: gather,
    stages: &[
        ProgramVariant { name: "contribute", build: contribute },
        ProgramVariant { name: "gather", build: gather },
        ProgramVariant { name: "share", build: share },
        ProgramVariant { name: "apply", build: apply },
    ],
    ..BUFFER_OP
};

const WORKGROUP: u32 = 256;

/// Sum of all ranks, before rounding.
pub const ONE: u64 = 1 << 63;

/// Number of iterations between tests of convergence.
const ITERATIONS_PER_TEST: u32 = 8;

// Words of the buffer `totals`; each number has two words.
//
// | Number | Contents |
// |---|---|
// | `DANGLING` | sum of the ranks of nodes without edges |
// | `CHANGE` | sum of the absolute changes of all ranks |
// | `SHARE` | share of `DANGLING` that every node gets |
const DANGLING: u32 = 0;
const CHANGE: u32 = 2;
const SHARE: u32 = 4;
const TOTALS_WORDS: u64 = 6;

/// Options of PageRank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageRankOptions {
    /// Damping factor, as a fraction of 2^32: the probability that the random surfer follows an edge.
    pub damping: u32,
    /// Maximum number of iterations.
    pub max_iterations: u32,
    /// Iterations end when the sum of the absolute changes of all ranks is at most this, in units of 2^-63. The test runs after
    /// every eighth iteration. 0 means that no rank changes.
    pub tolerance: u64,
}

/// A damping of 0.85, at most 100 iterations, a tolerance of 10^-9.
impl Default for PageRankOptions {
    fn default() -> PageRankOptions {
        PageRankOptions { damping: fraction(0.85), max_iterations: 100, tolerance: units(1e-9) }
    }
}

impl PageRankOptions {
    /// Sets the damping factor, clamped to the range from 0 to 1.
    #[must_use]
    pub fn with_damping(mut self, damping: f64) -> PageRankOptions {
        self.damping = fraction(damping);
        self
    }

    /// Limits the number of iterations.
    #[must_use]
    pub fn with_max_iterations(mut self, iterations: u32) -> PageRankOptions {
        self.max_iterations = iterations;
        self
    }

    /// Sets the tolerance, as a sum of absolute changes.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f64) -> PageRankOptions {
        self.tolerance = units(tolerance);
        self
    }

    /// Rank that every node gets in every iteration from random jumps.
    fn base(&self, nodes: usize) -> u64 {
        self.jumps() / (nodes as u64).max(1)
    }

    /// Rank of all nodes together in every iteration from random jumps.
    pub(super) fn jumps(&self) -> u64 {
        ((u128::from(ONE) * ((1 << 32) - u128::from(self.damping))) >> 32) as u64
    }

    /// Reports whether iterations end after this one.
    fn is_last(&self, iteration: u32, change: impl FnOnce() -> u64) -> bool {
        iteration == self.max_iterations || iteration.is_multiple_of(ITERATIONS_PER_TEST) && change() <= self.tolerance
    }
}

/// A number from 0 to 1 as a fraction of 2^32.
fn fraction(value: f64) -> u32 {
    // Conversions to integers saturate.
    (value * f64::from(1 << 16) * f64::from(1 << 16)).round() as u32
}

/// A number in units of ranks.
fn units(value: f64) -> u64 {
    (value * ONE as f64).round() as u64
}

/// Ranks of all nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRank {
    /// Rank of each node, in units of 2^-63.
    pub ranks: Vec<u64>,
    /// Number of iterations.
    pub iterations: u32,
    /// Sum of the absolute changes of all ranks in the last iteration, in units of 2^-63.
    pub change: u64,
}

impl PageRank {
    /// Rank of a node as a number from 0 to 1; 0 for a number that is not a node.
    #[must_use]
    pub fn rank(&self, node: u32) -> f64 {
        self.ranks.get(node as usize).map_or(0.0, |&rank| rank as f64 / ONE as f64)
    }
}

/// Divides the rank of every node by its degree, and sums the ranks of dangling nodes, which have no edges.
fn contribute() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let offsets = p.read("offsets", DataType::U32);
    let ranks = p.read("ranks", DataType::U32);
    let parts = p.read_write("parts", DataType::U32);
    let sums = p.read_write("sums", DataType::U32);
    let totals = p.read_write("totals", DataType::U32);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        let at = node.clone() * 2u32;
        let is_node = b.let_("is_node", node.lt(offsets.len() - 1u32));
        let degree = b.let_("degree", offsets.load(&node + 1u32) - offsets.load(&node));
        let rank = WordPair::load(b, "rank", &ranks, &at);
        b.if_(&is_node, |b| {
            let part = rank.div(b, &degree);
            part.store(b, &parts, &at);
            WordPair::new(b, "zero", 0u32, 0u32).store(b, &sums, &at);
        });
        let is_dangling = b.let_("is_dangling", is_node.and(degree.eq(0u32)));
        let (low, high) = (is_dangling.select(&rank.low, 0u32), is_dangling.select(&rank.high, 0u32));
        let dangling = WordPair::new(b, "dangling", low, high);
        let all = dangling.workgroup_sum(b);
        b.if_(local_id(0).eq(0u32), |b| all.atomic_add(b, &totals, &DANGLING.into()));
    })
}

/// Sums the contributions along the edges to each node. Runs on the transposed graph.
fn gather() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let offsets = p.read("offsets", DataType::U32);
    let targets = p.read("targets", DataType::U32);
    let parts = p.read("parts", DataType::U32);
    let sums = p.read_write("sums", DataType::U32);
    p.entry(|b| {
        let first = b.let_("slice_start", invocation_id(0) * EDGES_PER_SLICE);
        let sum = WordPair::new(b, "sum", 0u32, 0u32);
        let owner = b.let_("owner", u32::MAX);
        // Stores the sum of a node whose edges are all in this slice. Other nodes need an atomic addition.
        let flush = |b: &mut Body<'_>| {
            let at = b.let_("owner_at", &owner * 2u32);
            let at = Expr::from(&at);
            let starts_here = offsets.load(&owner).ge(&first);
            let ends_here = offsets.load(&owner + 1u32).le(&first + EDGES_PER_SLICE);
            b.if_else(starts_here.and(ends_here), |b| sum.store(b, &sums, &at), |b| sum.atomic_add(b, &sums, &at));
        };
        edge_partition::for_each_edge(b, &offsets, &targets, |b, node, edge| {
            b.if_(node.ne(&owner), |b| {
                b.if_(owner.ne(u32::MAX), flush);
                b.assign(&owner, node);
                b.assign(&sum.low, 0u32);
                b.assign(&sum.high, 0u32);
            });
            let from = b.let_("from", targets.load(edge) * 2u32);
            let part = WordPair::load(b, "part", &parts, &(&from).into());
            sum.add_assign(b, &part);
        });
        b.if_(owner.ne(u32::MAX), flush);
    })
}

/// Divides the rank of dangling nodes among all nodes. Runs with one invocation.
fn share() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let params = p.uniform("params", DataType::U32);
    let totals = p.read_write("totals", DataType::U32);
    p.entry(|b| {
        let nodes = b.let_("nodes", params.load(3u32));
        let dangling = WordPair::load(b, "dangling", &totals, &DANGLING.into());
        let share = dangling.div(b, &nodes);
        share.store(b, &totals, &SHARE.into());
    })
}

/// Computes the new rank of every node.
fn apply() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let params = p.uniform("params", DataType::U32);
    let sums = p.read("sums", DataType::U32);
    let ranks = p.read_write("ranks", DataType::U32);
    let totals = p.read_write("totals", DataType::U32);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        let at = node.clone() * 2u32;
        let is_node = b.let_("is_node", node.lt(params.load(3u32)));
        let damping = b.let_("damping", params.load(0u32));
        let base = WordPair::load(b, "base", &params, &1u32.into());
        let share = WordPair::load(b, "share", &totals, &SHARE.into());
        let gathered = WordPair::load(b, "gathered", &sums, &at).sum(b, "received", &share);
        let rank = gathered.mul_fraction(b, &damping).sum(b, "rank", &base);
        let before = WordPair::load(b, "before", &ranks, &at);
        let difference = rank.abs_diff(b, &before);
        b.if_(&is_node, |b| rank.store(b, &ranks, &at));
        let (low, high) = (is_node.select(&difference.low, 0u32), is_node.select(&difference.high, 0u32));
        let change = WordPair::new(b, "change", low, high);
        let all = change.workgroup_sum(b);
        b.if_(local_id(0).eq(0u32), |b| all.atomic_add(b, &totals, &CHANGE.into()));
    })
}

/// Splits numbers into words, low words first.
fn words(numbers: impl IntoIterator<Item = u64>) -> Vec<u32> {
    numbers.into_iter().flat_map(|number| [number as u32, (number >> 32) as u32]).collect()
}

/// Joins two words to a number.
fn number(words: &[u32; 2]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

impl GraphOnDevice<'_> {
    /// `graph.pagerank`: the rank of each node. From a node without edges the random surfer jumps to any node.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn pagerank(&self, options: &PageRankOptions) -> Result<PageRank, GraphError> {
        let (ops, nodes) = (self.ops, self.host.node_count());
        if nodes == 0 {
            return Ok(PageRank { ranks: Vec::new(), iterations: 0, change: 0 });
        }
        let base = words([options.base(nodes)]);
        let params = ops.upload(&[options.damping, base[0], base[1], nodes as u32])?;
        let transposed = ops.upload_edges(self.host.transposed().view())?;
        let ranks = ops.upload(&words(std::iter::repeat_n(ONE / nodes as u64, nodes)))?;
        let parts = ops.zeroed(2 * nodes as u64)?;
        let sums = ops.zeroed(2 * nodes as u64)?;
        let totals = ops.zeroed(TOTALS_WORDS)?;

        let by_node = grid_for(nodes, WORKGROUP);
        let by_slice = grid_for(self.host.edge_count().div_ceil(EDGES_PER_SLICE as usize), WORKGROUP);
        let mut iteration = CommandList::new();
        iteration.push(Command::fill_all(&totals, 0));
        let bindings = Bindings::in_order([&self.edges.offsets, &ranks, &parts, &sums, &totals]);
        iteration.dispatch(&ops.pipeline("pagerank.contribute", contribute)?, &bindings, by_node);
        let bindings = Bindings::in_order([&transposed.offsets, &transposed.targets, &parts, &sums]);
        iteration.dispatch(&ops.pipeline("pagerank.gather", gather)?, &bindings, by_slice);
        iteration.dispatch(&ops.pipeline("pagerank.share", share)?, &Bindings::in_order([&params, &totals]), [1, 1, 1]);
        let bindings = Bindings::in_order([&params, &sums, &ranks, &totals]);
        iteration.dispatch(&ops.pipeline("pagerank.apply", apply)?, &bindings, by_node);

        let (mut done, mut change) = (0, 0);
        while done < options.max_iterations {
            let count = ITERATIONS_PER_TEST.min(options.max_iterations - done);
            let mut commands = CommandList::new();
            commands.push(Command::Repeat { count, commands: iteration.clone() });
            ops.run(&commands)?;
            done += count;
            let totals = ops.read(&totals)?;
            change = number(&[totals[CHANGE as usize], totals[CHANGE as usize + 1]]);
            ops.report(Progress::new("iterations", u64::from(done), Some(u64::from(options.max_iterations))));
            if options.is_last(done, || change) {
                break;
            }
        }
        let ranks = ops.read(&ranks)?;
        let (ranks, _) = ranks.as_chunks::<2>();
        Ok(PageRank { ranks: ranks.iter().map(number).collect(), iterations: done, change })
    }
}

/// PageRank by sums over incoming edges on all threads. Sums of integers do not depend on the order, so ranks are those of the
/// reference.
pub(crate) fn pull(run: &HostRun, graph: CsrView<'_>, options: &PageRankOptions) -> Result<PageRank, GraphError> {
    // Maximum number of nodes of a unit of parallel work. Few nodes can have most edges.
    const MAX_UNIT: usize = 1 << 10;
    let nodes = graph.node_count();
    if nodes == 0 {
        return Ok(PageRank { ranks: Vec::new(), iterations: 0, change: 0 });
    }
    let base = options.base(nodes);
    let backward = graph.transposed();
    let backward = backward.view();
    let degree = |node: usize| (graph.offsets[node + 1] - graph.offsets[node]) as u64;
    let mut ranks = vec![ONE / nodes as u64; nodes];
    let mut shares = vec![0u64; nodes];
    let (iterations, change) = power_iteration(run, options, || {
        let units = shares.par_iter_mut().zip(&ranks).enumerate().with_max_len(MAX_UNIT);
        let dangling: u64 = units
            .map(|(node, (share, &rank))| match degree(node) {
                0 => rank,
                degree => {
                    *share = rank / degree;
                    0
                }
            })
            .sum();
        let from_dangling = dangling / nodes as u64;
        let units = ranks.par_iter_mut().enumerate().with_max_len(MAX_UNIT);
        units
            .map(|(node, rank)| {
                let sum: u64 = backward.neighbours(node as u32).iter().map(|&before| shares[before as usize]).sum();
                let damped = (u128::from(sum + from_dangling) * u128::from(options.damping)) >> 32;
                let new = base + damped as u64;
                new.abs_diff(std::mem::replace(rank, new))
            })
            .sum()
    })?;
    Ok(PageRank { ranks, iterations, change })
}

/// Repeats `iterate`, which returns the sum of the absolute changes of all ranks, until the options end it. Returns the number of
/// iterations and the last change.
pub(super) fn power_iteration(
    run: &HostRun,
    options: &PageRankOptions,
    mut iterate: impl FnMut() -> u64,
) -> Result<(u32, u64), GraphError> {
    let (mut iterations, mut change) = (0, 0);
    while iterations < options.max_iterations {
        run.checkpoint().check()?;
        change = iterate();
        iterations += 1;
        run.report(Progress::new("iterations", u64::from(iterations), Some(u64::from(options.max_iterations))));
        if options.is_last(iterations, || change) {
            break;
        }
    }
    Ok((iterations, change))
}

/// Host reference of `graph.pagerank`.
#[must_use]
pub fn pagerank_on_host(graph: CsrView<'_>, options: &PageRankOptions) -> PageRank {
    let nodes = graph.node_count();
    if nodes == 0 {
        return PageRank { ranks: Vec::new(), iterations: 0, change: 0 };
    }
    let base = options.base(nodes);
    let mut ranks = vec![ONE / nodes as u64; nodes];
    let (mut iterations, mut change) = (0, 0);
    while iterations < options.max_iterations {
        let mut sums = vec![0u64; nodes];
        let mut dangling = 0;
        for (node, &rank) in (0..).zip(&ranks) {
            let targets = graph.neighbours(node);
            if targets.is_empty() {
                dangling += rank;
            }
            for &target in targets {
                sums[target as usize] += rank / targets.len() as u64;
            }
        }
        let share = dangling / nodes as u64;
        change = 0;
        for (rank, sum) in ranks.iter_mut().zip(sums) {
            let damped = (u128::from(sum + share) * u128::from(options.damping)) >> 32;
            let new = base + damped as u64;
            change += new.abs_diff(*rank);
            *rank = new;
        }
        iterations += 1;
        if options.is_last(iterations, || change) {
            break;
        }
    }
    PageRank { ranks, iterations, change }
}
