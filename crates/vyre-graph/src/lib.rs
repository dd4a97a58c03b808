//! Directed graphs in host memory and in files.
//!
//! The feature `files`, on by default, adds graph files: [`read_graph`], [`write_graph`] and their formats.
//!
//! A [`CsrGraph`] is a directed graph in compressed sparse rows: three arrays of words. [`to_csr`], [`to_csr_counted`] and
//! [`try_to_csr`] construct it from a list of edges, [`read_graph`] reads it from a file, and [`generate`] generates it.
//! [`CsrGraph::validate`] checks the properties that ops rely on. Ops and other readers take a [`CsrView`], whose arrays may lie in
//! a memory-mapped file. A [`ValidGraph`] is a view that was checked, with the transposed graph if its file has it
//! ([`GraphIndex`]).
//!
//! ```
//! use vyre_graph::{Role, to_csr};
//!
//! let mut graph = to_csr(4, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 9)]);
//! assert_eq!(graph.edge_count(), 4); // there is no node 9
//! graph.node_data[3] = Role::Sink.word();
//! assert_eq!(graph.view().neighbours(0), [1, 2]);
//! assert_eq!(graph.transposed().view().neighbours(3), [1, 2]);
//! assert!(graph.validate().is_ok());
//! ```
//!
//! Numbers of nodes and edges are `u32`. A larger graph cannot be constructed.

pub mod analysis;
mod construct;
mod csr;
pub mod drawing;
mod error;
#[cfg(feature = "files")]
pub mod file;
pub mod generate;
mod group;
mod index;
mod role;
mod search;
mod transpose;
mod valid;

pub use construct::{Construction, to_csr, to_csr_counted, try_to_csr};
pub use csr::{CsrGraph, CsrView};
pub use error::CsrError;
#[cfg(feature = "files")]
pub use file::{
    Attributes, Format, Graph, GraphFile, GraphView, Header, Input, Loaded, NamesView, NodeIds, NodeNames, Progress,
    ReadError, ReadOptions, Separators, Stage, Weights, WriteError, read_attributes, read_graph, read_node_list,
    read_nodes, write_graph, write_nodes, write_nodes_csv,
};
pub use index::{GraphIndex, IndexError, IndexView};
pub use role::{
    LABEL_NORMAL, LABEL_SANITIZER, LABEL_SINK, LABEL_SOURCE, LABEL_SOURCE_AND_SINK, PlainRoleError, Role,
    from_plain_roles, role_of,
};
pub use transpose::in_degrees;
pub use valid::ValidGraph;
