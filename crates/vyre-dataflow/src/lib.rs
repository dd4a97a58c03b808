//! Multi-source reachability over graphs: which sources reach which sinks, for thousands of sources at once.
//!
//! [`Dataflow`] is the engine on one device, [`Loaded`] a graph for any number of analyses. An analysis yields [`Finding`]s:
//! triples of source, sink and depth, ordered and complete. [`taint_on_host`] is the reference implementation that defines them.
//! `docs/dataflow.md` describes the semantics, transfer functions and strategies.
//!
//! The modules form layers without cycles:
//!
//! | Layer | Modules |
//! |---|---|
//! | values | `finding`, `fingerprint`, `starts`, `stages`, `report`, `explanation`, `error`, `transfer` |
//! | device | `strides`, `executor`, `device_scan`, `edge_filter` |
//! | graph | `node_set`, `renumbering`, `preparation`, `sample`, `uploaded_graph`, `device_validation`, `device_preparation`, `device_graph` |
//! | output | `compaction`, `depth_matrix`, `emitter`, `expansion`, `output` |
//! | search | `search` (the trait), `strategies` (the table and a folder for each strategy) |
//! | cost model | `cost` |
//! | choice | `options`, `request`, `analysis` |
//! | entry points | `witness`, `loaded`, `engine`, `algorithm_calibration`, `calibration` |
//!
//! [`rules`] is independent: it derives roles and labels of nodes from names and attributes.

mod algorithm_calibration;
mod analysis;
mod calibration;
mod compaction;
pub mod cost;
mod depth_matrix;
mod device_graph;
mod device_preparation;
mod device_scan;
mod device_validation;
mod edge_filter;
mod emitter;
mod engine;
mod error;
mod executor;
mod expansion;
mod explanation;
mod finding;
mod fingerprint;
mod kept;
mod loaded;
mod node_set;
mod options;
mod output;
pub mod preparation;
mod reference;
mod renumbering;
mod report;
mod request;
pub mod rules;
mod sample;
mod search;
mod stages;
mod starts;
mod strategies;
mod strides;
mod transfer;
mod uploaded_graph;
mod witness;

pub use algorithm_calibration::MeasureError;
pub use calibration::{CalibrationGraphs, measure_device, measure_host};
pub use engine::Dataflow;
pub use error::{Allocation, DataflowError, MetadataUnit};
pub use explanation::Explanation;
pub use finding::Finding;
pub use fingerprint::Fingerprint;
pub use loaded::Loaded;
pub use options::Options;
pub use reference::taint_on_host;
pub use report::{Progress, Summary};
pub use search::Levels;
pub use stages::{Stage, Stages};
pub use strategies::Strategy;
pub use transfer::{Edge, Transfer, TransferError};
