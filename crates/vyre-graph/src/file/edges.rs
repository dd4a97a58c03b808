//! Parallel parsing of the edges of a text, block by block, and construction of their graph.

use rayon::prelude::*;

use super::blocks::Block;
use super::codec::{Parsed, TextFacts};
use super::compact::Occurring;
use super::error::{ReadError, text_error};
use super::fields::{LineError, is_blank, is_blank_or_comment};
use super::graph::Graph;
use super::line::{FastLines, LineSchema, Nodes, Numbered, read_line};
use super::mentions::{Mentions, UNKNOWN};
use super::names::{NamesView, NodeNames};
use super::progress::{Progress, Stage};
use super::text_error::TextErrorKind;
use crate::csr::CsrGraph;
use crate::group::{Chunk, Grouped, SAMPLE, group};

/// Remaining capacity for entries and edges.
#[derive(Clone, Copy, Debug)]
struct Room {
    entries: u64,
    edges: u64,
    /// Maximum number of entries of the text.
    all_entries: u64,
    /// Maximum number of edges of the graph.
    all_edges: u32,
}

impl Room {
    /// Capacity that no block exhausts.
    const UNLIMITED: Room = Room { entries: u64::MAX, edges: u64::MAX, all_entries: u64::MAX, all_edges: u32::MAX };
}

/// Edges of a block.
#[derive(Default)]
struct EdgeBlock {
    edges: Vec<(u32, u32)>,
    /// Empty if edges have no weights.
    weights: Vec<u32>,
    /// Number of self-loops.
    loops: u64,
    /// Highest node, and the first line with it.
    highest: Option<(u32, u64)>,
    /// Line of the first weight that cannot be read, and its error, if weights are optional.
    weight_error: Option<(u64, LineError)>,
    is_mirrored: bool,
}

impl EdgeBlock {
    fn push(&mut self, (source, target): (u32, u32), is_loop: bool, weight: Option<u32>, line: u64) {
        self.edges.push((source, target));
        self.weights.extend(weight);
        self.loops += u64::from(is_loop);
        let highest = source.max(target);
        if self.highest.is_none_or(|(node, _)| highest > node) {
            self.highest = Some((highest, line));
        }
    }

    /// Number of edges of the graph, with mirrored ones.
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

impl EdgeBlock {
    /// Keys of consecutive edges in the middle of the block.
    fn sample(&self) -> Vec<u32> {
        let middle = &self.edges[self.edges.len() / 2..];
        let key = |&(source, target): &(u32, u32)| [Some(source), self.is_mirrored.then_some(target)];
        middle.iter().take(SAMPLE).flat_map(key).flatten().collect()
    }
}

/// A block without weights.
struct Unweighted(EdgeBlock);

impl Chunk for Unweighted {
    type Payload = ();

    fn for_each(&self, mut visit: impl FnMut(u32, u32, ())) {
        self.0.visit(|source, target, _| visit(source, target, ()));
    }

    fn sample(&self) -> Vec<u32> {
        self.0.sample()
    }
}

/// A block with weights.
struct Weighted(EdgeBlock);

impl Chunk for Weighted {
    type Payload = u32;

    fn for_each(&self, mut visit: impl FnMut(u32, u32, u32)) {
        self.0.visit(|source, target, index| visit(source, target, self.0.weights[index]));
    }

    fn sample(&self) -> Vec<u32> {
        self.0.sample()
    }
}

/// Reads the edges of a block.
fn read_block(
    block: &Block,
    schema: &LineSchema,
    nodes: &mut impl Nodes,
    fast: Option<FastLines>,
    room: Room,
) -> Result<EdgeBlock, ReadError> {
    let lines = block.line_count();
    let mut edges = EdgeBlock { is_mirrored: schema.is_mirrored, ..EdgeBlock::default() };
    edges.edges.reserve_exact(lines);
    if schema.weight.is_some() {
        edges.weights.reserve_exact(lines);
    }
    // Only a block that is parsed again because there are too many edges has so little room.
    let is_tight = room.entries < lines as u64 || room.edges < 2 * lines as u64;
    let (mut at, mut number) = (block.start(), block.first_line());
    while at < block.text().len() {
        if let Some(fast) = &fast
            && !is_tight
            && let Some((source, target, weight, next)) = fast.read(block.text(), at)
        {
            edges.push((source, target), source == target, weight, number);
            at = next;
            number += 1;
            continue;
        }
        let Some(line) = block.line(at, number)? else { break };
        let is_skipped = if schema.has_comments { is_blank_or_comment(line.text) } else { is_blank(line.text) };
        if !is_skipped {
            let read = read_line(&line, schema, nodes, &mut edges.weight_error);
            let (source, target, weight) = read.map_err(|(at, kind)| text_error(number, at, kind))?;
            edges.push((source, target), nodes.is_same(source, target), weight, number);
            let at = line.text.len() - line.text.trim_ascii_start().len();
            if edges.edges.len() as u64 > room.entries {
                return Err(text_error(number, at, TextErrorKind::MatrixContinues { expected: room.all_entries }));
            }
            if edges.edge_count() > room.edges {
                return Err(text_error(number, at, TextErrorKind::TooManyEdges { limit: room.all_edges }));
            }
        }
        at = line.next;
        number += 1;
    }
    edges.shrink();
    Ok(edges)
}

/// Collector of the edges of a text.
pub(crate) struct EdgeCollector {
    schema: LineSchema,
    blocks: Vec<EdgeBlock>,
    names: Option<NodeNames>,
    /// Number of entries that the header of a matrix declares.
    expected_entries: Option<u64>,
    max_edges: u32,
    entries: u64,
    edges: u64,
    /// Highest node, and the first line with it.
    highest: Option<(u32, u64)>,
    /// Line of the first weight that cannot be read, and its error.
    weight_error: Option<(u64, LineError)>,
}

/// Number of nodes of a graph besides those of its edges.
pub(crate) struct NodeCount {
    pub(crate) at_least: u32,
    /// Number of nodes that the text declares.
    pub(crate) claim: Option<NodeClaim>,
    /// True if the number of nodes may be out of proportion to the number of edges.
    pub(crate) is_trusted: bool,
    /// True if only nodes whose numbers occur exist.
    pub(crate) is_compact: bool,
}

/// A line that declares a minimum number of nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeClaim {
    pub(crate) nodes: u32,
    pub(crate) line: u64,
    /// Position of the number in the line.
    pub(crate) at: usize,
}

/// Maximum number of nodes of a text with this number of edges, so that memory is bounded by the size of the input.
pub(crate) fn max_nodes_for(edges: u64) -> u64 {
    (16 * edges).max(1 << 24)
}

impl EdgeCollector {
    pub(crate) fn new(
        schema: LineSchema,
        are_named: bool,
        expected_entries: Option<u64>,
        max_edges: u32,
    ) -> EdgeCollector {
        EdgeCollector {
            schema,
            blocks: Vec::new(),
            names: are_named.then(NodeNames::new),
            expected_entries,
            max_edges,
            entries: 0,
            edges: 0,
            highest: None,
            weight_error: None,
        }
    }

    /// Number of entries so far.
    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// Parses blocks on all threads and adds their edges in order.
    ///
    /// # Errors
    ///
    /// The first error, in the order of the text.
    pub(crate) fn add(&mut self, blocks: &[Block]) -> Result<(), ReadError> {
        if let Some(mut names) = self.names.take() {
            let added = self.add_named(blocks, &mut names);
            self.names = Some(names);
            return added;
        }
        let schema = &self.schema;
        let read: Vec<_> = blocks.par_iter().map(|block| read_numbered(block, schema, Room::UNLIMITED)).collect();
        for (block, read) in blocks.iter().zip(read) {
            let edges = match read {
                Ok(edges) if self.has_room(&edges) => edges,
                _ => read_numbered(block, &self.schema, self.room())?,
            };
            self.push(edges);
        }
        Ok(())
    }

    fn add_named(&mut self, blocks: &[Block], names: &mut NodeNames) -> Result<(), ReadError> {
        let (schema, known) = (&self.schema, names.view());
        let read: Vec<_> = blocks.par_iter().map(|block| read_named(block, schema, known, Room::UNLIMITED)).collect();
        for (block, mut named) in blocks.iter().zip(read) {
            if !named.edges.as_ref().is_ok_and(|edges| self.has_room(edges)) {
                named = read_named(block, &self.schema, names.view(), self.room());
            }
            // A name before the error may exceed the limit of nodes.
            self.number(&named.mentions, &mut named.nodes, names)?;
            let mut edges = named.edges?;
            rename(&mut edges, &named.nodes);
            self.push(edges);
        }
        Ok(())
    }

    /// Remaining capacity after the blocks before. A block that exceeds it, or that has an error, is parsed again within it, which
    /// locates the first wrong line.
    fn room(&self) -> Room {
        Room {
            entries: self.expected_entries.map_or(u64::MAX, |expected| expected - self.entries),
            edges: u64::from(self.max_edges) - self.edges,
            all_entries: self.expected_entries.unwrap_or(u64::MAX),
            all_edges: self.max_edges,
        }
    }

    fn has_room(&self, edges: &EdgeBlock) -> bool {
        let room = self.room();
        edges.edges.len() as u64 <= room.entries && edges.edge_count() <= room.edges
    }

    fn push(&mut self, mut edges: EdgeBlock) {
        if self.weight_error.is_none() {
            self.weight_error = edges.weight_error.take();
        }
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

    /// Numbers the names of a block that did not occur before it.
    fn number(&self, mentions: &Mentions, nodes: &mut [u32], names: &mut NodeNames) -> Result<(), ReadError> {
        let limit = self.schema.bound.count();
        for (mention, node) in nodes.iter_mut().enumerate().filter(|(_, node)| **node == UNKNOWN) {
            let error = |kind| {
                let (line, at) = mentions.position(mention);
                text_error(line, at, kind)
            };
            let found = names.intern_hashed(mentions.hash(mention), mentions.name(mention));
            *node = found.ok_or_else(|| error(TextErrorKind::NamesTooLong))?;
            if *node >= limit {
                return Err(error(TextErrorKind::NodeLimit { node: *node, limit }));
            }
        }
        Ok(())
    }

    /// Constructs the graph of all edges.
    ///
    /// # Errors
    ///
    /// The number of nodes is out of proportion to the number of edges.
    pub(crate) fn finish(mut self, count: NodeCount, progress: &dyn Progress) -> Result<Parsed, ReadError> {
        let mut nodes = count.at_least;
        let mut text = TextFacts::default();
        if count.is_compact && self.names.is_none() {
            self.compact()?;
        }
        if let Some(names) = &self.names {
            nodes = names.view().len() as u32;
        } else {
            let limit = max_nodes_for(self.entries).max(u64::from(count.at_least));
            // Nodes are below `u32::MAX`.
            let highest = self.highest.map(|(highest, line)| NodeClaim { nodes: highest + 1, line, at: 0 });
            for claim in count.claim.into_iter().chain(highest) {
                let asked = u64::from(claim.nodes);
                if !count.is_trusted && asked > limit {
                    let kind = TextErrorKind::SparseNodes { nodes: asked, edges: self.entries, limit };
                    return Err(text_error(claim.line, claim.at, kind));
                }
                text.is_counted_by_highest = claim.nodes > nodes;
                nodes = nodes.max(claim.nodes);
            }
            text.is_counted_by_highest &= self.highest.is_some();
        }
        if let Some((line, (at, kind))) = self.weight_error {
            text.weight_error = Some(Box::new(text_error(line, at, kind)));
        }
        progress.begin(Stage::Building, Some(self.edges));
        let edges = self.edges as u32;
        let (offsets, targets, weights) = if self.schema.weight.is_none() || text.weight_error.is_some() {
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
        Ok(Parsed { text, ..Graph { csr, weights, names }.into() })
    }

    /// Renumbers the nodes that occur, and names them by their numbers.
    fn compact(&mut self) -> Result<(), ReadError> {
        let occurring = Occurring::new(self.blocks.iter().map(|block| &*block.edges));
        self.blocks.iter_mut().for_each(|block| occurring.renumber(&mut block.edges));
        let line = self.highest.map_or(1, |(_, line)| line);
        let names = occurring.names(self.schema.first_node);
        self.names = Some(names.ok_or_else(|| text_error(line, 0, TextErrorKind::NamesTooLong))?);
        Ok(())
    }
}

fn read_numbered(block: &Block, schema: &LineSchema, room: Room) -> Result<EdgeBlock, ReadError> {
    read_block(block, schema, &mut Numbered(schema), FastLines::new(schema), room)
}

/// Edges of a block whose nodes are names.
struct NamedBlock {
    mentions: Mentions,
    /// Node of each mention, if it is known.
    nodes: Vec<u32>,
    /// Edges between mentions.
    edges: Result<EdgeBlock, ReadError>,
}

/// Parses a block. Most of its names occurred in earlier blocks; threads look them up in parallel.
fn read_named(block: &Block, schema: &LineSchema, known: NamesView<'_>, room: Room) -> NamedBlock {
    let mut mentions = Mentions::new(known.index().hasher(), block.text());
    let edges = read_block(block, schema, &mut mentions, None, room);
    NamedBlock { nodes: mentions.find_in(known), mentions, edges }
}

/// Replaces mentions by the numbers of their nodes.
fn rename(edges: &mut EdgeBlock, nodes: &[u32]) {
    edges.edges.par_iter_mut().with_min_len(1 << 14).for_each(|(source, target)| {
        *source = nodes[*source as usize];
        *target = nodes[*target as usize];
    });
}
