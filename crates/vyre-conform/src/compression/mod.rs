//! Conformance tests of compression ops.
//!
//! [`corpus`] runs the cases of `tests/corpus/ops/compression`, with answers written by hand. [`generated`] generates valid
//! blocks and damaged copies of them; those of Deflate come from [`deflate`], and
//! [`zlib`] is their oracle. [`check`] runs blocks with every program of an op, and compares outputs and statuses. It
//! also checks that no other memory changes, and that results do not depend on prior contents of buffers.

pub mod check;
pub mod corpus;
pub mod deflate;
pub mod generated;
pub mod zlib;
pub mod zstd_frames;
pub mod zstd_writer;

/// Instantiates tests of compression ops on the device of an expression: the corpus, generated blocks of a number of seeds, and
/// all damages of small blocks.
#[macro_export]
macro_rules! compression_checks {
    ($device:expr, $seeds:expr) => {
        #[test]
        fn the_compression_corpus() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            $crate::compression::corpus::expect_all_right(&device, &vyre_runtime::RunOptions::default());
        }

        /// Every program agrees with the reference in plain Rust, on valid and damaged blocks.
        #[test]
        fn compressed_blocks() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let seeds = $crate::generated::Seeds::from_environment($seeds);
            let max = $crate::compression::generated::max_streams($seeds);
            $crate::compression::generated::expect_agreement(&device, &vyre_runtime::RunOptions::default(), seeds, max);
        }

        /// No stream of zlib is refused, whatever its content and parameters.
        #[test]
        fn deflate_streams_of_zlib() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let streams = $crate::compression::zlib::streams_for($seeds);
            $crate::compression::zlib::expect_none_refused(&device, &vyre_runtime::RunOptions::default(), &streams);
        }

        /// Small blocks with every byte changed, and truncated at every byte.
        #[test]
        fn damaged_blocks() {
            let device: std::sync::Arc<dyn vyre_runtime::Device> = std::sync::Arc::new($device);
            let max = $crate::compression::generated::max_streams($seeds);
            $crate::compression::generated::expect_agreement_on_damage(
                &device,
                &vyre_runtime::RunOptions::default(),
                max,
                usize::MAX,
            );
        }
    };
}
