//! Which sources reach which sinks, for thousands of sources at once.

mod analysis;
mod contract;
mod distances;
mod emit;
mod engine;
mod error;
mod explain;
mod filter;
mod finding;
mod options;
mod prepare;
mod reference;
mod request;
mod rows;
pub mod rules;
mod runner;
mod sample;
mod transfer;
mod walk;
mod witness;

pub use engine::{Dataflow, Loaded, Progress, Summary};
pub use error::DataflowError;
pub use explain::Explanation;
pub use finding::Finding;
pub use options::{Levels, Options, Strategy};
pub use reference::taint_on_host;
pub use transfer::{Edge, Transfer, TransferError};
