//! Compression ops on the devices of a backend, against their references.
//!
//! [`corpus`] runs the cases of `tests/corpus/ops/compression`, whose answers were written by hand. [`generated`] makes blocks:
//! right ones, and damaged copies of them. [`check`] runs blocks by every program of an op and compares all that a program writes:
//! outputs, statuses, and that nothing else was touched, whatever the buffers held before.

pub mod check;
pub mod corpus;
pub mod generated;

/// Tests of compression ops on the device of an expression: the corpus, generated blocks of this many seeds, and all damages of
/// small blocks.
#[macro_export]
macro_rules! compression_checks {
    ($device:expr, $seeds:expr) => {
        #[test]
        fn the_compression_corpus() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            $crate::compression::corpus::expect_all_right(&device, &vyre_runtime::RunOptions::default());
        }

        /// Right blocks and damaged ones of many shapes; every program agrees with the reference in plain Rust.
        #[test]
        fn compressed_blocks() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let seeds = $crate::generated::Seeds::from_environment($seeds);
            $crate::compression::generated::expect_agreement(&device, &vyre_runtime::RunOptions::default(), seeds);
        }

        /// Every byte of small blocks changed, and small blocks cut off at every byte.
        #[test]
        fn damaged_blocks() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            $crate::compression::generated::expect_agreement_on_damage(&device, &vyre_runtime::RunOptions::default());
        }
    };
}
