//! Value-flow graph of a program, and its reduction to plain reachability over realizable paths.
//!
//! The heap has two forms. A *local* field belongs to the object in a value as one function sees it: a parameter, the
//! receiver, a result of a call or an object that the function allocates, with up to three field names. Calls map local
//! fields of parameters to those of the arguments and back, so that two objects of one class stay apart. A *shared* field
//! belongs to an object of the points-to analysis that fields, captured or global variables hold; flows through it forget
//! the calling context. Both forms of an object that has both are connected.
//!
//! Summaries (Horwitz, Reps and Binkley, TOPLAS 1990) make calls and returns match: [`layers`] turns the graph into two layers,
//! in which every path is realizable.

mod build;
mod calls;
mod captured;
mod collect;
mod conditions;
mod connect;
mod endpoints;
pub mod exports;
mod fields;
mod followed;
mod graph;
mod guards;
mod keyed_calls;
pub mod layers;
mod library_calls;
mod lists;
mod locations;
mod members;
mod names;
mod origins;
mod overwritten;
mod packaged;
mod place;
mod resets;
mod responses;
mod roles;
mod showing;
pub mod summaries;
mod trust;
mod validated;

pub use build::{Built, build};
pub use graph::{ALL, CallInstance, Closure, Edge, EdgeKind, ExtraNode, IDENTITY, ValueFlow};
pub use roles::{KeyUse, Roles, Sink, Source, TextPart};
