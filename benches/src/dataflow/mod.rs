//! Dataflow: which sources reach which sinks, against searches as one would write them, petgraph, GraphBLAS and native twins
//! of the engine's own paths.

mod answer;
mod engine;
mod graphblas;
mod naive;
mod native;
mod petgraph;
mod plain;
mod race;
mod told;
mod workload;

pub use answer::{Answer, Digest, Found, Truth};
pub use engine::{Backend, Engine, Machine, Run};
pub use graphblas::GraphBlas;
pub use native::{Twin, twin};
pub use plain::Plain;
pub use race::{Budget, Contender, Outcome, Times, engine_contender, loaded_contender, peers, race};
pub use told::Told;
pub use workload::{Known, TaintWorkload, sources_of};
