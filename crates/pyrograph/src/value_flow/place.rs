//! Where a field of a value is stored.

use super::graph::{ALL, EdgeKind, IDENTITY};
use crate::knowledge::RuleMask;
use crate::points_to::NodeIndex;

/// A node that holds a field of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Node.
    pub(super) node: NodeIndex,
    /// Functions share the field: the object escapes.
    pub(super) is_shared: bool,
    /// The node is the object itself, because the field has no node of its own beyond a limit.
    pub(super) is_collapsed: bool,
    /// The field is one of a literal that keeps the objects of one call together, such as a position of an array.
    pub(super) is_tuple: bool,
}

impl Place {
    /// A field of an object that several functions see.
    pub(super) fn shared(node: NodeIndex) -> Place {
        Place { node, is_shared: true, is_collapsed: false, is_tuple: false }
    }

    /// A field of a node, given the node that [`child`](super::build::Builder::child) returned for it.
    pub(super) fn child(parent: NodeIndex, node: NodeIndex) -> Place {
        Place { node, is_shared: false, is_collapsed: parent == node, is_tuple: false }
    }

    /// Kind of edges to and from the field.
    pub(super) fn kind(self) -> EdgeKind {
        if self.is_shared { EdgeKind::Heap } else { EdgeKind::Intra }
    }

    /// Rules of edges to and from the field.
    ///
    /// A shared field holds the objects of many calls, and which of them a load gives is not known. A collapsed one is not the
    /// object that was stored. So neither is followed as the base of prototype pollution, except a tuple in a queue.
    pub(super) fn mask(self) -> RuleMask {
        if self.is_shared && !self.is_tuple || self.is_collapsed { ALL & !IDENTITY } else { ALL }
    }
}
