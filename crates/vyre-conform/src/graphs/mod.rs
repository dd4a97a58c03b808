//! Graph ops on the devices of a backend, against their references.
//!
//! [`corpus`] runs the cases of `tests/corpus/ops/graph`, whose answers were written by hand. [`generated`] makes random graphs
//! of many shapes, and [`dataflow`] has the dataflow engine analyse them in every way that it knows. Every case is compared with the reference in plain Rust, too. [`raw`] runs the programs of searches without the
//! host that runs them otherwise.

pub mod corpus;
pub mod dataflow;
pub mod generated;
pub mod raw;
pub mod shapes;

/// Tests of graph ops on the device of an expression: the corpus, random graphs of these sizes, and the programs of searches alone.
#[macro_export]
macro_rules! graph_checks {
    ($device:expr, $sizes:expr) => {
        #[test]
        fn the_graph_corpus() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            $crate::graphs::corpus::expect_all_right(&device, &vyre_runtime::RunOptions::default());
        }

        /// Graphs of many shapes; every graph op agrees with its reference in plain Rust.
        #[test]
        fn graph_ops() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let seeds = $crate::generated::Seeds::from_environment(500);
            let options = vyre_runtime::RunOptions::default();
            $crate::graphs::generated::expect_agreement(&device, &options, seeds, $sizes);
        }

        /// The dataflow engine on graphs of many shapes, in every way that it knows.
        #[test]
        fn dataflow_engine() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let seeds = $crate::generated::Seeds::from_environment($crate::graphs::dataflow::cases(&*device, $sizes));
            let options = vyre_runtime::RunOptions::default();
            $crate::graphs::dataflow::expect_agreement(&device, &options, seeds, $sizes);
        }

        /// The programs of searches by themselves, with too little room and sources outside of the graph.
        #[test]
        fn programs_of_searches() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            $crate::graphs::raw::expect_documented_behaviour(&device, 200);
        }
    };
}
