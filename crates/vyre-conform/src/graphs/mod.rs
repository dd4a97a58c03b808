//! Conformance tests of graph ops and of the dataflow engine.
//!
//! [`corpus`] runs the cases of `tests/corpus/ops/graph`, with answers written by hand. [`generated`] generates random graphs of
//! many shapes, and [`dataflow`] analyses them with all strategies of the dataflow engine. Every result is also compared with
//! the reference in plain Rust. [`host`] compares the algorithms of the host with the same references. [`raw`] runs the
//! programs of graph searches without their host code. [`validation`] compares the errors of damaged graphs with those of the host.

pub mod case;
pub mod corpus;
pub mod dataflow;
pub mod generated;
pub mod host;
pub mod raw;
pub mod shapes;
pub mod validation;

/// Instantiates tests of graph ops on the device of an expression: the corpus, random graphs of these sizes, and the search
/// programs alone. The last operand states how often the cases of the corpus are repeated, by a name of
/// [`Repetitions`](corpus::Repetitions).
#[macro_export]
macro_rules! graph_checks {
    ($device:expr, $sizes:expr, $repetitions:ident) => {
        #[test]
        fn the_graph_corpus() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let repetitions = $crate::graphs::corpus::Repetitions::$repetitions;
            $crate::graphs::corpus::expect_all_right(&device, &vyre_runtime::RunOptions::default(), repetitions);
        }

        /// Every graph op agrees with its reference in plain Rust, on graphs of many shapes.
        #[test]
        fn graph_ops() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let seeds = $crate::generated::Seeds::from_environment(500);
            let options = vyre_runtime::RunOptions::default();
            $crate::graphs::generated::expect_agreement(&device, &options, seeds, $sizes);
        }

        /// All strategies of the dataflow engine, on graphs of many shapes.
        #[test]
        fn dataflow_engine() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let seeds = $crate::generated::Seeds::from_environment($crate::graphs::dataflow::cases(&*device, $sizes));
            let options = vyre_runtime::RunOptions::default();
            $crate::graphs::dataflow::expect_agreement(&device, &options, seeds, $sizes);
        }

        /// The search programs alone, with too small buffers and with sources outside of the graph.
        #[test]
        fn programs_of_searches() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            $crate::graphs::raw::expect_documented_behaviour(&device, 200);
        }
    };
}
