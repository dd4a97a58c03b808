//! Conformance tests of checksum ops.
//!
//! [`corpus`] runs the cases of `tests/corpus/ops/checksum`, with the answers that specifications publish. [`generated`] compares every
//! program with its host reference and with a library, on random ranges of random bytes.

pub mod check;
pub mod corpus;
pub mod generated;

/// Instantiates tests of checksum ops on the device of an expression: the corpus, and generated ranges of a number of seeds.
#[macro_export]
macro_rules! checksum_checks {
    ($device:expr, $seeds:expr) => {
        #[test]
        fn the_checksum_corpus() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            $crate::checksums::corpus::expect_all_right(&device, &vyre_runtime::RunOptions::default());
        }

        /// Every program agrees with the reference in plain Rust and with a library.
        #[test]
        fn checksums_of_ranges() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let seeds = $crate::generated::Seeds::from_environment($seeds);
            $crate::checksums::generated::expect_agreement(&device, &vyre_runtime::RunOptions::default(), seeds);
        }
    };
}
