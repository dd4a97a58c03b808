//! Inclusion-based points-to analysis (Andersen) with an on-the-fly call graph.
//!
//! Nodes are values, formal nodes of functions, cells and fields of objects. Constraints are solved with difference
//! propagation: a node remembers which objects it has passed on. Objects are allocation sites, functions, prototypes, modules,
//! instances, and values of libraries by their API path. Field look-ups follow the prototype chain and stop at the first
//! object that has the field. Limits are counted, never silent.

mod builtin_methods;
mod callbacks;
mod calls;
mod compiled;
mod composed;
mod fields;
mod iteration;
mod keywords;
mod layout;
mod library;
mod links;
mod objects;
mod orders;
mod paths;
mod promised;
mod receivers;
mod result;
mod sets;
mod setup;
mod solver;
mod special;
mod wrapped;

pub use callbacks::Callbacks;
pub use iteration::Iteration;
pub(crate) use keywords::position_of;
pub use layout::{Formal, Layout, NodeIndex};
pub use links::{ActualArgument, CallbackSite, Definition, LibraryCall, Link};
pub use objects::{ObjectIndex, ObjectKind, Objects, PathIndex};
pub use paths::{Paths, UNKNOWN};
pub use result::PointsTo;
pub use solver::solve;
pub use wrapped::{is_callback, wrapped_arguments};
