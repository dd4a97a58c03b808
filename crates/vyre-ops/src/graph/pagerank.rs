//! `graph.pagerank`: how often a walker who follows edges at random comes to each node.
//!
//! Ranks are whole numbers of units of 2^-63, which together are at most 1. Quotients and products are rounded down, at places
//! that are fixed, and sums of whole numbers do not depend on their order; so ranks are the same to the last bit everywhere.

use vyre_graph::CsrView;
use vyre_ir::build::{Body, ProgramBuilder, invocation_id, local_id};
use vyre_ir::{DataType, Expr, Program};
use vyre_runtime::{Bindings, Command, CommandList};

use super::error::GraphError;
use super::resident::{GraphOnDevice, Progress, groups};
use super::slices;
use super::wide_words::Wide;
use crate::op::OVER_BUFFERS;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "graph.pagerank",
    summary: "For each node its rank by random walks, as a fixed-point number.",
    canonical: gather,
    stages: &[
        ProgramVariant { name: "contribute", build: contribute },
        ProgramVariant { name: "gather", build: gather },
        ProgramVariant { name: "share", build: share },
        ProgramVariant { name: "apply", build: apply },
    ],
    ..OVER_BUFFERS
};

const WORKGROUP: u32 = 256;

/// All ranks together, before rounding.
pub const ONE: u64 = 1 << 63;

/// Whether ranks still change is looked at after every so many iterations.
const ITERATIONS: u32 = 8;

/// Where things are in the buffer `totals`: the rank of nodes without edges, how much all ranks have changed, and what every
/// node gets of the first.
const LOST: u32 = 0;
const CHANGE: u32 = 2;
const SHARE: u32 = 4;
const TOTALS: u64 = 6;

/// How a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageRankOptions {
    /// The chance that the walker follows an edge, as a fraction of 2^32; otherwise it goes anywhere.
    pub damping: u32,
    /// The most iterations.
    pub max_iterations: u32,
    /// Iterations end when all ranks together change by no more than this, in units of 2^-63. It is looked at after every
    /// eighth iteration. 0 ends when nothing changes.
    pub tolerance: u64,
}

/// A damping of 0.85, at most 100 iterations, a tolerance of 10^-9.
impl Default for PageRankOptions {
    fn default() -> PageRankOptions {
        PageRankOptions { damping: fraction(0.85), max_iterations: 100, tolerance: units(1e-9) }
    }
}

impl PageRankOptions {
    /// The same with a damping; what is not from 0 to 1 becomes the nearest that is.
    #[must_use]
    pub fn with_damping(mut self, damping: f64) -> PageRankOptions {
        self.damping = fraction(damping);
        self
    }

    /// The same with at most so many iterations.
    #[must_use]
    pub fn with_max_iterations(mut self, iterations: u32) -> PageRankOptions {
        self.max_iterations = iterations;
        self
    }

    /// The same with a tolerance.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f64) -> PageRankOptions {
        self.tolerance = units(tolerance);
        self
    }

    /// What every node gets in every iteration.
    fn base(&self, nodes: usize) -> u64 {
        let jumps = (u128::from(ONE) * ((1 << 32) - u128::from(self.damping))) >> 32;
        (jumps / (nodes as u128).max(1)) as u64
    }

    /// Whether iterations end after this one.
    fn is_last(&self, iteration: u32, change: impl FnOnce() -> u64) -> bool {
        iteration == self.max_iterations || iteration.is_multiple_of(ITERATIONS) && change() <= self.tolerance
    }
}

/// A number from 0 to 1 as a fraction of 2^32.
fn fraction(value: f64) -> u32 {
    // Conversions to whole numbers end at the limits of the type.
    (value * f64::from(1 << 16) * f64::from(1 << 16)).round() as u32
}

/// A number as units of ranks.
fn units(value: f64) -> u64 {
    (value * ONE as f64).round() as u64
}

/// Ranks, and how they came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRank {
    /// The rank of each node, in units of 2^-63.
    pub ranks: Vec<u64>,
    /// How many iterations there were.
    pub iterations: u32,
    /// By how much all ranks together changed in the last of them, in units of 2^-63.
    pub change: u64,
}

impl PageRank {
    /// The rank of a node as a number from 0 to 1; 0 for a node that is not there.
    #[must_use]
    pub fn rank(&self, node: u32) -> f64 {
        self.ranks.get(node as usize).map_or(0.0, |&rank| rank as f64 / ONE as f64)
    }
}

/// Every node divides its rank among its edges. The rank of nodes without edges is summed up.
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
        let is_there = b.let_("is_there", node.lt(offsets.len() - 1u32));
        let degree = b.let_("degree", offsets.load(&node + 1u32) - offsets.load(&node));
        let rank = Wide::load(b, "rank", &ranks, &at);
        b.if_(&is_there, |b| {
            let part = rank.divided(b, &degree);
            part.store(b, &parts, &at);
            Wide::new(b, "nothing", 0u32, 0u32).store(b, &sums, &at);
        });
        let is_lost = b.let_("is_lost", is_there.and(degree.eq(0u32)));
        let lost = Wide::new(b, "lost", is_lost.select(&rank.low, 0u32), is_lost.select(&rank.high, 0u32));
        let all = lost.summed(b);
        b.if_(local_id(0).eq(0u32), |b| all.add_to(b, &totals, &LOST.into()));
    })
}

/// Every node sums up what comes along edges to it. Runs on the graph with all edges turned round.
fn gather() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let offsets = p.read("offsets", DataType::U32);
    let targets = p.read("targets", DataType::U32);
    let parts = p.read("parts", DataType::U32);
    let sums = p.read_write("sums", DataType::U32);
    p.entry(|b| {
        let first = b.let_("slice_start", invocation_id(0) * slices::EDGES);
        let sum = Wide::new(b, "sum", 0u32, 0u32);
        let owner = b.let_("owner", u32::MAX);
        // The sum of a node whose edges are all in this slice is stored; only others are added up with what other slices have.
        let give = |b: &mut Body<'_>| {
            let at = b.let_("owner_at", &owner * 2u32);
            let at = Expr::from(&at);
            let starts_here = offsets.load(&owner).ge(&first);
            let ends_here = offsets.load(&owner + 1u32).le(&first + slices::EDGES);
            b.if_else(starts_here.and(ends_here), |b| sum.store(b, &sums, &at), |b| sum.add_to(b, &sums, &at));
        };
        slices::for_each_edge(b, &offsets, &targets, |b, node, edge| {
            b.if_(node.ne(&owner), |b| {
                b.if_(owner.ne(u32::MAX), give);
                b.assign(&owner, node);
                b.assign(&sum.low, 0u32);
                b.assign(&sum.high, 0u32);
            });
            let from = b.let_("from", targets.load(edge) * 2u32);
            let part = Wide::load(b, "part", &parts, &(&from).into());
            sum.add(b, &part);
        });
        b.if_(owner.ne(u32::MAX), give);
    })
}

/// The rank of nodes without edges goes to all nodes alike. Runs with one invocation.
fn share() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let params = p.uniform("params", DataType::U32);
    let totals = p.read_write("totals", DataType::U32);
    p.entry(|b| {
        let nodes = b.let_("nodes", params.load(3u32));
        let lost = Wide::load(b, "lost", &totals, &LOST.into());
        let share = lost.divided(b, &nodes);
        share.store(b, &totals, &SHARE.into());
    })
}

/// Every node gets its new rank.
fn apply() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let params = p.uniform("params", DataType::U32);
    let sums = p.read("sums", DataType::U32);
    let ranks = p.read_write("ranks", DataType::U32);
    let totals = p.read_write("totals", DataType::U32);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        let at = node.clone() * 2u32;
        let is_there = b.let_("is_there", node.lt(params.load(3u32)));
        let damping = b.let_("damping", params.load(0u32));
        let base = Wide::load(b, "base", &params, &1u32.into());
        let share = Wide::load(b, "share", &totals, &SHARE.into());
        let gathered = Wide::load(b, "gathered", &sums, &at).plus(b, "walked", &share);
        let rank = gathered.times_fraction(b, &damping).plus(b, "rank", &base);
        let before = Wide::load(b, "before", &ranks, &at);
        let distance = rank.distance(b, &before);
        b.if_(&is_there, |b| rank.store(b, &ranks, &at));
        let moved = Wide::new(b, "moved", is_there.select(&distance.low, 0u32), is_there.select(&distance.high, 0u32));
        let all = moved.summed(b);
        b.if_(local_id(0).eq(0u32), |b| all.add_to(b, &totals, &CHANGE.into()));
    })
}

/// The words of numbers, low words first.
fn words(numbers: impl IntoIterator<Item = u64>) -> Vec<u32> {
    numbers.into_iter().flat_map(|number| [number as u32, (number >> 32) as u32]).collect()
}

/// The number of two words.
fn number(words: &[u32; 2]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

impl GraphOnDevice<'_> {
    /// `graph.pagerank`: the rank of each node. A walker at a node without edges goes anywhere.
    ///
    /// # Errors
    ///
    /// A failure of the device.
    pub fn pagerank(&self, options: &PageRankOptions) -> Result<PageRank, GraphError> {
        let (ops, nodes) = (self.ops, self.host.node_count());
        if nodes == 0 {
            return Ok(PageRank { ranks: Vec::new(), iterations: 0, change: 0 });
        }
        let base = words([options.base(nodes)]);
        let params = ops.words(&[options.damping, base[0], base[1], nodes as u32])?;
        let backward = ops.edges(self.host.transposed().view())?;
        let ranks = ops.words(&words(std::iter::repeat_n(ONE / nodes as u64, nodes)))?;
        let parts = ops.zeros(2 * nodes as u64)?;
        let sums = ops.zeros(2 * nodes as u64)?;
        let totals = ops.zeros(TOTALS)?;

        let by_node = groups(nodes, WORKGROUP);
        let by_slice = groups(self.host.edge_count().div_ceil(slices::EDGES as usize), WORKGROUP);
        let mut iteration = CommandList::new();
        iteration.push(Command::fill_all(&totals, 0));
        let bindings = Bindings::in_order([&self.edges.offsets, &ranks, &parts, &sums, &totals]);
        iteration.dispatch(&ops.pipeline("pagerank.contribute", contribute)?, &bindings, by_node);
        let bindings = Bindings::in_order([&backward.offsets, &backward.targets, &parts, &sums]);
        iteration.dispatch(&ops.pipeline("pagerank.gather", gather)?, &bindings, by_slice);
        iteration.dispatch(&ops.pipeline("pagerank.share", share)?, &Bindings::in_order([&params, &totals]), [1, 1, 1]);
        let bindings = Bindings::in_order([&params, &sums, &ranks, &totals]);
        iteration.dispatch(&ops.pipeline("pagerank.apply", apply)?, &bindings, by_node);

        let (mut done, mut change) = (0, 0);
        while done < options.max_iterations {
            let count = ITERATIONS.min(options.max_iterations - done);
            let mut commands = CommandList::new();
            commands.push(Command::Repeat { count, commands: iteration.clone() });
            ops.run(&commands)?;
            done += count;
            let totals = ops.read(&totals)?;
            change = number(&[totals[CHANGE as usize], totals[CHANGE as usize + 1]]);
            ops.tell(Progress::new("iterations", u64::from(done), Some(u64::from(options.max_iterations))));
            if options.is_last(done, || change) {
                break;
            }
        }
        let ranks = ops.read(&ranks)?;
        let (ranks, _) = ranks.as_chunks::<2>();
        Ok(PageRank { ranks: ranks.iter().map(number).collect(), iterations: done, change })
    }
}

/// `graph.pagerank` in plain Rust, written without the programs.
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
        let mut lost = 0;
        for (node, &rank) in (0..).zip(&ranks) {
            let targets = graph.neighbours(node);
            if targets.is_empty() {
                lost += rank;
            }
            for &target in targets {
                sums[target as usize] += rank / targets.len() as u64;
            }
        }
        let share = lost / nodes as u64;
        change = 0;
        for (rank, sum) in ranks.iter_mut().zip(sums) {
            let walked = (u128::from(sum + share) * u128::from(options.damping)) >> 32;
            let new = base + walked as u64;
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
