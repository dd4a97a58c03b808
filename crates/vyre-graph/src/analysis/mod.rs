//! Analyses of graphs on the host that are not ops: dominators, cores, triangles, and graphs within graphs.

mod cores;
mod dominators;
mod simple;
mod subgraph;
mod triangles;

pub use cores::core_numbers;
pub use dominators::{NO_DOMINATOR, dominators};
pub use simple::{Simplified, simplified};
pub use subgraph::{Direction, Subgraph, between, induced, neighbourhood};
pub use triangles::triangles;
