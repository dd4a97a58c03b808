//! Layered drawings of directed graphs (Sugiyama, Tagawa, Toda, 1981), and their SVG files.
//!
//! The steps are those of the paper: some edges are reversed so that no cycle remains, each node gets a layer (`layers`),
//! nodes of a layer are ordered by barycenters so that few edges cross (`order`), and nodes get coordinates (`coordinates`).
//! Coordinates are integers and every number of sweeps is fixed, so equal graphs have equal drawings, byte for byte.
//!
//! A drawing is for people, and a graph beyond [`MAX_NODES`], [`MAX_EDGES`] or [`MAX_ITEMS`] is an error.

mod coordinates;
mod error;
mod label;
mod layers;
mod order;
mod route;
mod svg;

use crate::csr::CsrView;
use crate::role::{Role, role_of};

pub use error::DrawingError;

use label::Label;
use layers::Layering;
use order::Layers;
use route::route;

/// Maximum number of nodes of a drawing.
pub const MAX_NODES: usize = 2000;

/// Maximum number of edges of a drawing. Parallel edges count once.
pub const MAX_EDGES: usize = 10_000;

/// Maximum number of nodes and of points where edges pass layers.
pub const MAX_ITEMS: usize = 100_000;

/// A layered drawing of a graph. Parallel edges are one line. Coordinates are pixels from the upper left corner.
///
/// ```
/// use vyre_graph::drawing::Drawing;
/// use vyre_graph::to_csr;
///
/// let graph = to_csr(3, &[(0, 1), (1, 2), (2, 0)]);
/// let drawing = Drawing::new(graph.view(), |node| format!("node {node}"))?;
/// assert_eq!(drawing.nodes().iter().map(|node| node.layer).collect::<Vec<_>>(), [0, 1, 2]);
/// assert!(drawing.svg("A cycle").starts_with("<svg "));
/// # Ok::<(), vyre_graph::drawing::DrawingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Drawing {
    nodes: Vec<NodeBox>,
    edges: Vec<EdgeLine>,
    width: i64,
    height: i64,
    layers: usize,
}

/// A node of a drawing: a box with a label.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeBox {
    /// Name of the node.
    pub name: String,
    /// Role of the node, which its shape and a word show.
    pub role: Role,
    /// Layer from the top, from 0.
    pub layer: u32,
    /// Left side.
    pub left: i64,
    /// Upper side.
    pub top: i64,
    /// Width.
    pub width: i64,
    /// Height.
    pub height: i64,
    has_loop: bool,
    label: Label,
}

/// An edge of a drawing between different nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EdgeLine {
    /// Node at which the edge begins.
    pub source: u32,
    /// Node at which the edge ends.
    pub target: u32,
    /// True if the edge points up, because it closes a cycle.
    pub is_reversed: bool,
    /// Points from the upper node to the lower one. Segments are vertical lines and curves in turn.
    pub points: Vec<(i64, i64)>,
}

impl Drawing {
    /// Draws a graph. `name` returns the name of a node.
    ///
    /// # Errors
    ///
    /// The graph is not valid, or too large for a drawing.
    pub fn new(graph: CsrView<'_>, name: impl Fn(u32) -> String) -> Result<Drawing, DrawingError> {
        let count = graph.node_count();
        if count > MAX_NODES {
            return Err(DrawingError::Nodes { found: count });
        }
        graph.validate()?;
        let mut edges: Vec<(u32, u32)> = (0..count as u32)
            .flat_map(|node| graph.neighbours(node).iter().map(move |&target| (node, target)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        if edges.len() > MAX_EDGES {
            return Err(DrawingError::Edges { found: edges.len() });
        }
        let mut has_loop = vec![false; count];
        edges.retain(|&(source, target)| {
            has_loop[source as usize] |= source == target;
            source != target
        });
        let is_source = |node: u32| role_of(graph.node_data[node as usize]).is_source();
        let layering = Layering::new(count as u32, &edges, is_source);
        let items = layering.item_count();
        if items > MAX_ITEMS {
            return Err(DrawingError::Items { found: items });
        }
        let nodes = (0..).zip(graph.node_data).zip(has_loop).map(|((node, &word), has_loop)| {
            let (name, role) = (name(node), role_of(word));
            let label = Label::new(&name, role);
            let (width, height) = (label.width(), label.height());
            let layer = layering.layers[node as usize];
            NodeBox { name, role, layer, left: 0, top: 0, width, height, has_loop, label }
        });
        let mut nodes: Vec<NodeBox> = nodes.collect();
        let mut layers = Layers::new(&layering);
        layers.reduce_crossings();
        let centers = coordinates::centers(&layers, &nodes);
        let (lines, width, height) = route(&layering, &layers, &centers, &mut nodes);
        Ok(Drawing { nodes, edges: lines, width, height, layers: layers.rows.len() })
    }

    /// Nodes, by number.
    #[must_use]
    pub fn nodes(&self) -> &[NodeBox] {
        &self.nodes
    }

    /// Edges between different nodes, by source and target.
    #[must_use]
    pub fn edges(&self) -> &[EdgeLine] {
        &self.edges
    }

    /// Width and height.
    #[must_use]
    pub fn size(&self) -> (i64, i64) {
        (self.width, self.height)
    }

    /// The drawing as an SVG file.
    #[must_use]
    pub fn svg(&self, title: &str) -> String {
        svg::svg(self, title)
    }
}
