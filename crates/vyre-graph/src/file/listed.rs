//! Assembly of graphs from formats that list nodes by identifier, with attributes.

use super::codec::{Parsed, TextFacts};
use super::error::{ReadError, text_error};
use super::graph::Graph;
use super::names::NodeNames;
use super::node_table::NodeTable;
use super::options::{ReadOptions, Weights};
use super::progress::{Progress, Stage};
use super::text_error::{TextErrorKind, shown};
use super::weight::WeightRules;
use crate::csr::CsrGraph;
use crate::group::{Chunk, Grouped, group};

/// What is wrong with a text of several graphs: nodes with the same identifier would become one.
pub(crate) const SEVERAL_GRAPHS: &str = "the text has several graphs, but one is read; split it";

/// Position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Line number, from 1.
    pub(crate) line: u64,
    /// Byte of the line, from 0.
    pub(crate) at: usize,
}

impl Place {
    pub(crate) fn error(self, kind: TextErrorKind) -> ReadError {
        text_error(self.line, self.at, kind)
    }

    /// An error of the syntax.
    pub(crate) fn syntax(self, what: impl Into<String>) -> ReadError {
        self.error(TextErrorKind::Syntax { what: what.into() })
    }
}

/// An edge of a text.
pub(crate) struct ListedEdge<'t> {
    pub(crate) source: u32,
    pub(crate) target: u32,
    pub(crate) is_directed: bool,
    pub(crate) weight: Option<&'t str>,
}

/// A graph that is being read. Memory is proportional to the size of the text.
pub(crate) struct ListedGraph<'o> {
    options: &'o ReadOptions,
    /// Identifiers of nodes.
    ids: NodeNames,
    /// True for nodes that were declared.
    declared: Vec<bool>,
    edges: Vec<(u32, u32)>,
    /// Empty if edges have no weights.
    weights: Vec<u32>,
    /// True if the first edge has a weight, and its line.
    has_weights: Option<(bool, u64)>,
    weight_error: Option<Box<ReadError>>,
    table: NodeTable,
}

impl<'o> ListedGraph<'o> {
    pub(crate) fn new(options: &'o ReadOptions) -> ListedGraph<'o> {
        ListedGraph {
            options,
            ids: NodeNames::new(),
            declared: Vec::new(),
            edges: Vec::new(),
            weights: Vec::new(),
            has_weights: None,
            weight_error: None,
            table: NodeTable::default(),
        }
    }

    /// The node with this identifier. A new identifier is a new node.
    pub(crate) fn node(&mut self, id: &str, place: Place) -> Result<u32, ReadError> {
        if id.contains('\0') {
            return Err(place.error(TextErrorKind::Nul));
        }
        let node = self.ids.intern(id).ok_or_else(|| place.error(TextErrorKind::NamesTooLong))?;
        match self.options.max_nodes {
            Some(limit) if node >= limit => Err(place.error(TextErrorKind::NodeLimit { node, limit })),
            _ => Ok(node),
        }
    }

    /// The node that is declared with this identifier. A second declaration is an error, since one of the two nodes would be lost.
    pub(crate) fn declared_node(&mut self, id: &str, place: Place) -> Result<u32, ReadError> {
        let node = self.node(id, place)?;
        let index = node as usize;
        self.declared.resize(self.declared.len().max(index + 1), false);
        if std::mem::replace(&mut self.declared[index], true) {
            return Err(place.syntax(format!("there is another node with the identifier `{}`", shown(id.as_bytes()))));
        }
        Ok(node)
    }

    /// Sets an attribute of a node.
    pub(crate) fn attribute(&mut self, node: u32, name: &str, value: &str, place: Place) -> Result<(), ReadError> {
        self.table.set(node, name, value).map_err(|kind| place.error(kind))
    }

    /// Adds an edge, in both directions if it has none.
    pub(crate) fn edge(&mut self, edge: &ListedEdge<'_>, place: Place) -> Result<(), ReadError> {
        let weight = self.weight(edge.weight, place)?;
        let is_mirrored = (self.options.undirected || !edge.is_directed) && edge.source != edge.target;
        let limit = self.options.tuning.max_edges;
        if self.edges.len() as u64 + 1 + u64::from(is_mirrored) > u64::from(limit) {
            return Err(place.error(TextErrorKind::TooManyEdges { limit }));
        }
        let mirrored = is_mirrored.then_some((edge.target, edge.source));
        for ends in [Some((edge.source, edge.target)), mirrored].into_iter().flatten() {
            self.edges.push(ends);
            self.weights.extend(weight);
        }
        Ok(())
    }

    /// Adds the opposite of each edge behind it, for formats that may say at their end that edges have no direction.
    pub(crate) fn mirror(&mut self, place: Place) -> Result<(), ReadError> {
        if self.options.undirected {
            return Ok(());
        }
        let limit = self.options.tuning.max_edges;
        let loops = self.edges.iter().filter(|(source, target)| source == target).count();
        if 2 * self.edges.len() as u64 - loops as u64 > u64::from(limit) {
            return Err(place.error(TextErrorKind::TooManyEdges { limit }));
        }
        let (edges, weights) = (std::mem::take(&mut self.edges), std::mem::take(&mut self.weights));
        for (index, (source, target)) in edges.into_iter().enumerate() {
            let weight = weights.get(index).copied();
            let mirrored = (source != target).then_some((target, source));
            for ends in [Some((source, target)), mirrored].into_iter().flatten() {
                self.edges.push(ends);
                self.weights.extend(weight);
            }
        }
        Ok(())
    }

    /// Weight of an edge. The first edge determines whether edges have weights.
    fn weight(&mut self, text: Option<&str>, place: Place) -> Result<Option<u32>, ReadError> {
        let rules = WeightRules::new(self.options);
        let (has_weights, first_line) = match self.options.weights {
            Weights::Ignore => return Ok(None),
            Weights::Required => (true, 0),
            Weights::Auto | Weights::IfValid => *self.has_weights.get_or_insert((text.is_some(), place.line)),
        };
        let parsed = match (has_weights, text) {
            (false, None) => return Ok(None),
            (true, _) if self.weight_error.is_some() => return Ok(Some(0)),
            (true, None) => Err(TextErrorKind::Missing { field: rules.field() }),
            (false, Some(text)) => Err(TextErrorKind::UnexpectedWeight { found: shown(text.as_bytes()), first_line }),
            (true, Some(text)) => {
                rules.parse(text.trim().as_bytes()).map_err(|reason| rules.error(text.as_bytes(), reason))
            }
        };
        match parsed {
            Ok(weight) => Ok(Some(weight)),
            Err(_) if rules.are_optional && !has_weights => Ok(None),
            Err(kind) if rules.are_optional => {
                self.weight_error = Some(Box::new(place.error(kind)));
                Ok(Some(0))
            }
            Err(kind) => Err(place.error(kind)),
        }
    }

    /// Number of nodes so far.
    pub(crate) fn node_count(&self) -> usize {
        self.ids.view().len()
    }

    /// Replaces identifiers by names, if each node has one and they are distinct. Otherwise they are kept.
    pub(crate) fn rename(&mut self, names: &[Option<String>]) {
        let mut renamed = NodeNames::new();
        let is_renamed = names.len() == self.node_count()
            && (0..).zip(names).all(|(node, name)| name.as_deref().and_then(|name| renamed.intern(name)) == Some(node));
        if is_renamed {
            self.ids = renamed;
        }
    }

    /// Constructs the graph. If the identifiers are the numbers from 0 in order, the graph has no names.
    pub(crate) fn finish(mut self, progress: &dyn Progress) -> Result<Parsed, ReadError> {
        let count = self.node_count();
        let mut digits = itoa::Buffer::new();
        let is_numbered = (0..).zip(self.ids.view().iter()).all(|(node, id): (u32, _)| digits.format(node) == id);
        self.options.check_names(!is_numbered)?;
        let nodes = (count as u32).max(self.options.min_nodes);
        let edges = self.edges.len() as u32;
        progress.begin(Stage::Building, Some(u64::from(edges)));
        let has_weights = self.weights.len() == self.edges.len() && self.weight_error.is_none();
        let has_weights = has_weights && (self.has_weights.is_some_and(|(has, _)| has) || !self.weights.is_empty());
        let (csr, weights) = grouped(nodes, &self.edges, has_weights.then_some(&*self.weights));
        progress.advance(u64::from(edges));
        let names = (!is_numbered).then(|| {
            self.ids.shrink();
            self.ids
        });
        let text = TextFacts { weight_error: self.weight_error, ..TextFacts::default() };
        let attributes = self.table.finish(nodes as usize);
        Ok(Parsed { graph: Graph { csr, weights, names }, index: None, text, attributes, version: None })
    }
}

/// The graph of edges, and their weights in its order.
pub(crate) fn grouped(nodes: u32, edges: &[(u32, u32)], weights: Option<&[u32]>) -> (CsrGraph, Option<Vec<u32>>) {
    let chunks = edges.chunks(CHUNK_EDGES);
    let count = edges.len() as u32;
    let (offsets, targets, weights) = if let Some(weights) = weights {
        let chunks = chunks.zip(weights.chunks(CHUNK_EDGES)).map(Weighted).collect();
        let Grouped { offsets, values, payloads } = group(nodes, count, chunks);
        (offsets, values, Some(payloads))
    } else {
        let Grouped { offsets, values, payloads: _ } = group(nodes, count, chunks.map(Unweighted).collect());
        (offsets, values, None)
    };
    (CsrGraph { offsets, targets, node_data: vec![0; nodes as usize] }, weights)
}

/// Number of edges that one thread groups.
const CHUNK_EDGES: usize = 1 << 18;

struct Unweighted<'e>(&'e [(u32, u32)]);

impl Chunk for Unweighted<'_> {
    type Payload = ();

    fn for_each(&self, mut visit: impl FnMut(u32, u32, ())) {
        self.0.iter().for_each(|&(source, target)| visit(source, target, ()));
    }
}

struct Weighted<'e>((&'e [(u32, u32)], &'e [u32]));

impl Chunk for Weighted<'_> {
    type Payload = u32;

    fn for_each(&self, mut visit: impl FnMut(u32, u32, u32)) {
        let (edges, weights) = self.0;
        edges.iter().zip(weights).for_each(|(&(source, target), &weight)| visit(source, target, weight));
    }
}
