//! Sections: the subjects of the suite.

use super::context::{Context, Settings};
use super::sections as all;

/// A subject of the suite.
pub trait Section: Send + Sync {
    /// Permanent name, in lower case with hyphens.
    fn name(&self) -> &'static str;

    /// The subject in a sentence.
    fn about(&self) -> &'static str;

    /// Rough cost in milliseconds on a fast processor, for the progress bar.
    fn cost(&self, settings: &Settings) -> u64;

    /// Reports whether the section can be divided: it makes its checks in [`Context::in_parallel`], and others only if
    /// [`Context::is_first_part`] says so.
    fn can_be_divided(&self) -> bool {
        false
    }

    /// Makes the checks. Every check ends in [`Context::passed`], [`Context::failed`] or [`Context::skipped`], which
    /// [`Context::judge`] calls too.
    fn run(&self, context: &Context);
}

/// The sections of this crate, in the order in which they run: simple ones first.
#[must_use]
pub fn sections() -> Vec<Box<dyn Section>> {
    vec![
        Box::new(all::probes::DriverProbes),
        Box::new(all::run_corpus::RunCorpus),
        Box::new(all::laws::Laws),
        Box::new(all::casts::Casts),
        Box::new(all::bounds::OutOfBounds),
        Box::new(all::atomics::Atomics),
        Box::new(all::barriers::Barriers),
        Box::new(all::collectives::Collectives),
        Box::new(all::round_trips::RoundTrips::OF_LIBRARY),
        Box::new(all::determinism::Determinism),
        Box::new(all::composition::Composition),
        Box::new(all::graph_archetypes::GraphArchetypes),
        Box::new(all::graph_ops::GraphOpsSection),
        Box::new(all::dataflow::DataflowStrategies),
        Box::new(all::compression_archetypes::CompressionArchetypes),
        Box::new(all::compression::CompressedBlocks),
        Box::new(all::checksums::Checksums),
        Box::new(all::generated::GeneratedPrograms),
    ]
}
