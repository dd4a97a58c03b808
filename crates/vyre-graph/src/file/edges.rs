//! Edges of a text, block by block, and the graph of them.

use rayon::prelude::*;

use super::blocks::Block;
use super::error::{ReadError, text_error};
use super::fields::is_silent;
use super::graph::Graph;
use super::line::{FastLines, Layout, Named, Nodes, Numbered, WeightColumn, read_line};
use super::names::NodeNames;
use super::progress::{Progress, Stage};
use super::text_problem::TextProblem;
use crate::csr::CsrGraph;
use crate::group::{Chunk, Grouped, group};

/// How many entries and edges there may still be.
#[derive(Clone, Copy, Debug)]
struct Room {
    entries: u64,
    edges: u64,
    /// How many entries there may be in all.
    all_entries: u64,
    /// How many edges there may be in all.
    all_edges: u32,
}

impl Room {
    /// Room that no block fills.
    const ENDLESS: Room = Room { entries: u64::MAX, edges: u64::MAX, all_entries: u64::MAX, all_edges: u32::MAX };
}

/// The edges of a block.
#[derive(Default)]
struct EdgeBlock {
    edges: Vec<(u32, u32)>,
    /// Empty if there are none.
    weights: Vec<u32>,
    /// How many edges go from a node to itself.
    loops: u64,
    /// The highest node, and the first line that has it.
    highest: Option<(u32, u64)>,
    is_mirrored: bool,
}

impl EdgeBlock {
    fn push(&mut self, source: u32, target: u32, weight: Option<u32>, line: u64) {
        self.edges.push((source, target));
        self.weights.extend(weight);
        self.loops += u64::from(source == target);
        let highest = source.max(target);
        if self.highest.is_none_or(|(node, _)| highest > node) {
            self.highest = Some((highest, line));
        }
    }

    /// How many edges the graph gets.
    fn edge_count(&self) -> u64 {
        let entries = self.edges.len() as u64;
        if self.is_mirrored { 2 * entries - self.loops } else { entries }
    }

    fn shrink(&mut self) {
        self.edges.shrink_to_fit();
        self.weights.shrink_to_fit();
    }

    fn visit(&self, mut visit: impl FnMut(u32, u32, usize)) {
        for (index, &(source, target)) in self.edges.iter().enumerate() {
            visit(source, target, index);
            if self.is_mirrored && source != target {
                visit(target, source, index);
            }
        }
    }
}

/// A block without weights.
struct Unweighted(EdgeBlock);

impl Chunk for Unweighted {
    type Payload = ();

    fn for_each(&self, mut visit: impl FnMut(u32, u32, ())) {
        self.0.visit(|source, target, _| visit(source, target, ()));
    }
}

/// A block with weights.
struct Weighted(EdgeBlock);

impl Chunk for Weighted {
    type Payload = u32;

    fn for_each(&self, mut visit: impl FnMut(u32, u32, u32)) {
        self.0.visit(|source, target, index| visit(source, target, self.0.weights[index]));
    }
}

/// Reads the edges of a block.
fn read_block(
    block: &Block,
    layout: &Layout,
    nodes: &mut impl Nodes,
    fast: Option<FastLines>,
    room: Room,
) -> Result<EdgeBlock, ReadError> {
    let lines = block.line_count();
    let mut edges = EdgeBlock { is_mirrored: layout.is_mirrored, ..EdgeBlock::default() };
    edges.edges.reserve_exact(lines);
    if layout.weight != WeightColumn::None {
        edges.weights.reserve_exact(lines);
    }
    // Only a block that is read again because there are too many edges has so little room.
    let is_tight = room.entries < lines as u64 || room.edges < 2 * lines as u64;
    let (mut at, mut number) = (block.start(), block.first_line());
    while at < block.text().len() {
        if let Some(fast) = &fast
            && !is_tight
            && let Some((source, target, weight, next)) = fast.read(block.text(), at)
        {
            edges.push(source, target, weight, number);
            at = next;
            number += 1;
            continue;
        }
        let Some(line) = block.line(at, number)? else { break };
        if !is_silent(line.text) {
            let read = read_line(&line, layout, nodes);
            let (source, target, weight) = read.map_err(|(at, problem)| text_error(number, at, problem))?;
            edges.push(source, target, weight, number);
            let at = line.text.len() - line.text.trim_ascii_start().len();
            if edges.edges.len() as u64 > room.entries {
                return Err(text_error(number, at, TextProblem::MatrixContinues { expected: room.all_entries }));
            }
            if edges.edge_count() > room.edges {
                return Err(text_error(number, at, TextProblem::TooManyEdges { limit: room.all_edges }));
            }
        }
        at = line.next;
        number += 1;
    }
    edges.shrink();
    Ok(edges)
}

/// Collects the edges of a text.
pub(crate) struct EdgeCollector {
    layout: Layout,
    blocks: Vec<EdgeBlock>,
    names: Option<NodeNames>,
    /// How many entries a matrix must have.
    expected_entries: Option<u64>,
    most_edges: u32,
    entries: u64,
    edges: u64,
    /// The highest node, and the first line that has it.
    highest: Option<(u32, u64)>,
}

/// How many nodes a graph gets that does not say.
pub(crate) struct NodeCount {
    pub(crate) at_least: u32,
    /// Whether a number of nodes that is out of proportion is wanted.
    pub(crate) is_trusted: bool,
}

/// The most nodes that a text may ask for that has so many edges: memory is bounded by the size of the input.
pub(crate) fn most_nodes(edges: u64) -> u64 {
    (16 * edges).max(1 << 24)
}

impl EdgeCollector {
    pub(crate) fn new(
        layout: Layout,
        are_named: bool,
        expected_entries: Option<u64>,
        most_edges: u32,
    ) -> EdgeCollector {
        EdgeCollector {
            layout,
            blocks: Vec::new(),
            names: are_named.then(NodeNames::new),
            expected_entries,
            most_edges,
            entries: 0,
            edges: 0,
            highest: None,
        }
    }

    /// How many entries there were.
    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// Reads blocks on all threads and adds their edges in order.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, in the order of the text.
    pub(crate) fn add(&mut self, blocks: &[Block]) -> Result<(), ReadError> {
        let layout = &self.layout;
        if self.names.is_some() {
            let known = self.names.as_ref().map(NodeNames::view);
            let read: Vec<_> = blocks
                .par_iter()
                .map(|block| {
                    let (named, read) = read_named(block, layout, Room::ENDLESS);
                    // Most names are known from blocks before, and are found by all threads at once.
                    let found = known.map(|known| known.find_all(named.names.view())).unwrap_or_default();
                    (named, found, read)
                })
                .collect();
            for (block, (named, found, read)) in blocks.iter().zip(read) {
                let (named, found, read) = match read {
                    Ok(edges) if self.has_room(&edges) => (named, found, Ok(edges)),
                    _ => {
                        let (named, read) = read_named(block, &self.layout, self.room());
                        (named, found, read)
                    }
                };
                // Names that come before an error may be one too many.
                let nodes = self.number(&named, &found)?;
                let mut edges = read?;
                rename(&mut edges, &nodes);
                self.push(edges);
            }
        } else {
            let read: Vec<_> = blocks.par_iter().map(|block| read_numbered(block, layout, Room::ENDLESS)).collect();
            for (block, read) in blocks.iter().zip(read) {
                let edges = match read {
                    Ok(edges) if self.has_room(&edges) => edges,
                    _ => read_numbered(block, &self.layout, self.room())?,
                };
                self.push(edges);
            }
        }
        Ok(())
    }

    /// What there is room for besides the edges of the blocks before. A block for which there is none, or with an error,
    /// is read again within it, so that the first line that is wrong is found.
    fn room(&self) -> Room {
        Room {
            entries: self.expected_entries.map_or(u64::MAX, |expected| expected - self.entries),
            edges: u64::from(self.most_edges) - self.edges,
            all_entries: self.expected_entries.unwrap_or(u64::MAX),
            all_edges: self.most_edges,
        }
    }

    fn has_room(&self, edges: &EdgeBlock) -> bool {
        let room = self.room();
        edges.edges.len() as u64 <= room.entries && edges.edge_count() <= room.edges
    }

    fn push(&mut self, edges: EdgeBlock) {
        self.entries += edges.edges.len() as u64;
        self.edges += edges.edge_count();
        if let Some((node, line)) = edges.highest
            && self.highest.is_none_or(|(highest, _)| node > highest)
        {
            self.highest = Some((node, line));
        }
        if !edges.edges.is_empty() {
            self.blocks.push(edges);
        }
    }

    /// The numbers that the nodes of a block have in the whole text. Some were found already.
    fn number(&mut self, named: &Named, found: &[Option<u32>]) -> Result<Vec<u32>, ReadError> {
        let Some(names) = &mut self.names else { return Ok(Vec::new()) };
        let limit = self.layout.bound.count();
        let mut nodes = Vec::with_capacity(named.places.len());
        for (index, &(line, at)) in named.places.iter().enumerate() {
            if let Some(&Some(node)) = found.get(index) {
                nodes.push(node);
                continue;
            }
            let error = |problem| text_error(line, at as usize, problem);
            let name = named.names.view().name(index as u32).unwrap_or_default();
            let node = names.intern(name).ok_or_else(|| error(TextProblem::NamesTooLong))?;
            if node >= limit {
                return Err(error(TextProblem::NodeLimit { node, limit }));
            }
            nodes.push(node);
        }
        Ok(nodes)
    }

    /// The graph of all edges.
    ///
    /// # Errors
    ///
    /// Many more nodes than edges.
    pub(crate) fn finish(self, count: NodeCount, progress: &dyn Progress) -> Result<Graph, ReadError> {
        let mut nodes = count.at_least;
        if let Some(names) = &self.names {
            nodes = names.view().len() as u32;
        } else if let Some((highest, line)) = self.highest {
            let asked = u64::from(highest) + 1;
            let limit = most_nodes(self.entries).max(u64::from(count.at_least));
            if !count.is_trusted && asked > limit {
                let problem = TextProblem::SparseNodes { nodes: asked, edges: self.entries, limit };
                return Err(text_error(line, 0, problem));
            }
            nodes = nodes.max(highest + 1);
        }
        progress.begin(Stage::Building, Some(self.edges));
        let edges = self.edges as u32;
        let (offsets, targets, weights) = if self.layout.weight == WeightColumn::None {
            let Grouped { offsets, values, payloads: _ } =
                group(nodes, edges, self.blocks.into_iter().map(Unweighted).collect());
            (offsets, values, None)
        } else {
            let Grouped { offsets, values, payloads } =
                group(nodes, edges, self.blocks.into_iter().map(Weighted).collect());
            (offsets, values, Some(payloads))
        };
        progress.advance(self.edges);
        let csr = CsrGraph { offsets, targets, node_data: vec![0; nodes as usize] };
        let names = self.names.map(|mut names| {
            names.shrink();
            names
        });
        Ok(Graph { csr, weights, names })
    }
}

fn read_numbered(block: &Block, layout: &Layout, room: Room) -> Result<EdgeBlock, ReadError> {
    read_block(block, layout, &mut Numbered(layout), FastLines::new(layout), room)
}

fn read_named(block: &Block, layout: &Layout, room: Room) -> (Named, Result<EdgeBlock, ReadError>) {
    let mut named = Named::default();
    let edges = read_block(block, layout, &mut named, None, room);
    (named, edges)
}

/// Gives the nodes of a block the numbers of the whole text.
fn rename(edges: &mut EdgeBlock, nodes: &[u32]) {
    edges.edges.par_iter_mut().with_min_len(1 << 14).for_each(|(source, target)| {
        *source = nodes[*source as usize];
        *target = nodes[*target as usize];
    });
}
