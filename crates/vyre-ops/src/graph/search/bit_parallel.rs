//! Multi-source BFS with a bit for each source (MS-BFS; Then et al., VLDB 2014).
//!
//! Up to 64 sources share a search: a word of a node has a bit for each source that has reached it. A level follows the edges of
//! the nodes that some source has just reached, once for all these sources. Levels have lists of nodes, so a level costs what its
//! nodes cost.

use super::super::checkpoint::Checkpoint;
use super::super::error::GraphError;
use super::space::{BLOCK, SearchSpace};

/// Number of sources of a search.
pub(super) const MAX_SOURCES: usize = 64;

/// Depth of a node that is not reported. Deeper searches share too little.
const NONE: u8 = u8::MAX;

/// A level with more than a part 1/16 of the nodes is scanned in their order, which suits the caches.
const DENSE_PART: usize = 16;

/// Words of a node.
#[derive(Clone, Copy, Debug, Default)]
struct NodeBits {
    /// Sources that have reached the node before this level.
    seen: u64,
    /// Sources that reach it in this level.
    next: u64,
}

/// A level of a search.
#[derive(Debug, Default)]
struct Level {
    nodes: Vec<u32>,
    /// Sources that have just reached each node.
    bits: Vec<u64>,
}

/// Depths of the nodes that sources report.
#[derive(Debug)]
pub(super) struct DepthTable {
    /// A row for each source, with a column for each node that can be reported.
    depths: Vec<u8>,
    columns: usize,
}

impl DepthTable {
    /// Columns and depths of the nodes that a source reports, from a column on.
    pub(super) fn row_from(&self, source: usize, column: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let row = &self.depths[source * self.columns..(source + 1) * self.columns];
        let columns = row.iter().enumerate().skip(column);
        columns.filter(|(_, depth)| **depth != NONE).map(|(column, &depth)| (column, u32::from(depth)))
    }
}

/// Receiver of the sources that reach a node.
pub(super) trait Visitor {
    /// Takes a reported node with the sources that reach it at a depth.
    fn visit(&mut self, node: u32, depth: u32, bits: u64);
}

/// Counts reported nodes.
pub(super) struct Counter {
    /// Number of times that each source counts.
    pub(super) weights: Vec<u64>,
    pub(super) count: u64,
    /// True if all sources count once.
    pub(super) is_plain: bool,
}

impl Visitor for Counter {
    fn visit(&mut self, _: u32, _: u32, bits: u64) {
        if self.is_plain {
            self.count += u64::from(bits.count_ones());
        } else {
            self.count += ones(bits).map(|source| self.weights[source]).sum::<u64>();
        }
    }
}

/// Stores the depths of reported nodes.
pub(super) struct Recorder<'c> {
    pub(super) table: DepthTable,
    columns: &'c Columns,
}

impl<'c> Recorder<'c> {
    pub(super) fn new(sources: usize, columns: &'c Columns) -> Recorder<'c> {
        let table = DepthTable { depths: vec![NONE; sources * columns.count], columns: columns.count };
        Recorder { table, columns }
    }
}

impl Visitor for Recorder<'_> {
    fn visit(&mut self, node: u32, depth: u32, bits: u64) {
        let column = self.columns.column(node);
        for source in ones(bits) {
            self.table.depths[source * self.table.columns + column] = depth as u8;
        }
    }
}

/// Columns of the nodes that can be reported.
#[derive(Debug)]
pub(super) struct Columns {
    count: usize,
    /// Nodes of the columns, ascending; `None` if every node has the column of its number.
    nodes: Option<Vec<u32>>,
}

impl Columns {
    pub(super) fn new(space: &SearchSpace<'_>) -> Columns {
        let nodes = 0..space.graph.node_count() as u32;
        if space.reportable == nodes.len() as u64 {
            return Columns { count: nodes.len(), nodes: None };
        }
        let nodes: Vec<u32> = nodes.filter(|&node| space.reports(node)).collect();
        Columns { count: nodes.len(), nodes: Some(nodes) }
    }

    /// Node of a column.
    pub(super) fn node(&self, column: usize) -> u32 {
        self.nodes.as_ref().map_or(column as u32, |nodes| nodes[column])
    }

    fn column(&self, node: u32) -> usize {
        match &self.nodes {
            Some(nodes) => nodes.partition_point(|&other| other < node),
            None => node as usize,
        }
    }
}

/// Bits that are set, ascending.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros() as usize;
        let is_set = bits != 0;
        bits &= bits.wrapping_sub(1);
        is_set.then_some(bit)
    })
}

/// Memory of the searches of one thread. It is clean between searches.
#[derive(Debug, Default)]
pub(super) struct BitSearch {
    words: Vec<NodeBits>,
    level: Level,
    next: Vec<u32>,
}

impl BitSearch {
    /// Bytes of a search with its depths.
    pub(super) fn bytes(space: &SearchSpace<'_>, sources: usize, keeps_rows: bool) -> u64 {
        let depths = if keeps_rows { space.reportable * sources as u64 } else { 0 };
        32 * space.graph.node_count() as u64 + depths
    }

    /// Searches from up to [`MAX_SOURCES`] distinct nodes. Returns false if the search is too deep for this method; then what the
    /// visitor has received is not complete.
    pub(super) fn search(
        &mut self,
        space: &SearchSpace<'_>,
        sources: &[u32],
        visitor: &mut impl Visitor,
        checkpoint: &mut Checkpoint<'_>,
    ) -> Result<bool, GraphError> {
        let nodes = space.graph.node_count();
        self.words.clear();
        self.words.resize(nodes, NodeBits::default());
        let BitSearch { words, level, next } = self;
        (level.nodes, level.bits) = (sources.to_vec(), (0..sources.len()).map(|source| 1 << source).collect());
        for (&node, &bits) in level.nodes.iter().zip(&level.bits) {
            words[node as usize].seen = bits;
            if space.reports_start(node) {
                visitor.visit(node, 0, bits);
            }
        }
        for depth in 1..=space.max_depth {
            if depth >= u32::from(NONE) {
                return Ok(level.nodes.is_empty());
            }
            // A node enters the next level once. An entry is written before it counts, so that no branch depends on data.
            next.resize(nodes + 1, 0);
            let mut length = 0;
            for (block, bits) in level.nodes.chunks(BLOCK).zip(level.bits.chunks(BLOCK)) {
                for (targets, &bits) in space.expanded_block(block).into_iter().zip(bits) {
                    checkpoint.step()?;
                    for &target in targets {
                        let word = &mut words[target as usize];
                        let new = bits & !word.seen;
                        next[length] = target;
                        length += usize::from(word.next == 0 && new != 0);
                        word.next |= new;
                    }
                }
            }
            next.truncate(length);
            if next.is_empty() {
                break;
            }
            if next.len() > nodes / DENSE_PART {
                next.clear();
                next.extend((0u32..).zip(&*words).filter(|(_, word)| word.next != 0).map(|(node, _)| node));
            }
            std::mem::swap(&mut level.nodes, next);
            level.bits.clear();
            for &node in &level.nodes {
                let word = &mut words[node as usize];
                let bits = std::mem::take(&mut word.next);
                word.seen |= bits;
                level.bits.push(bits);
                if space.reports(node) {
                    visitor.visit(node, depth, bits);
                }
            }
        }
        Ok(true)
    }
}
