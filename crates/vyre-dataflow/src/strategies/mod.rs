//! Search strategies and their table.
//!
//! A strategy is a folder that implements [`SearchStrategy`], and a line in the table below. The strategy of a device is the first
//! of the table that suits, so the order of the table is an order of preference. The cost model compares it with the host search.
//! `vyre_conform::graphs::dataflow` compares all strategies with the reference.

mod bit_parallel;
mod contraction;
mod distances;
mod host;
mod per_source;
mod shared_region;
mod vectors;

use std::fmt;

pub(crate) use self::host::search_bytes as host_search_bytes;
pub(crate) use self::per_source::search_with_transfer;
pub(crate) use self::shared_region::{REGION_SEARCHES, SWEEP_COST, SWEPT_SINKS};
use crate::search::{Estimate, SearchStrategy};

/// Strategy of a device for small analyses, and for those whose strategy gives up.
pub(crate) const FALLBACK: Strategy = Strategy::PerSource;

/// Strategy of a device: the first of the table that suits the estimate, with the reason.
pub(crate) fn suited(estimate: &Estimate) -> (Strategy, &'static str) {
    let suits = |&strategy: &Strategy| Some((strategy, strategy.implementation().suits(estimate)?));
    Strategy::ALL.iter().find_map(suits).unwrap_or((FALLBACK, "no other strategy suits"))
}

/// Declares [`Strategy`] from a table of variant, name, implementation and description.
macro_rules! strategies {
    ($($variant:ident, $name:literal, $implementation:path, $description:literal;)*) => {
        /// Search strategy of an analysis. All strategies have the same findings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Strategy {
            $(#[doc = concat!($description, ".")] $variant,)*
        }

        impl Strategy {
            /// All strategies, in order of preference.
            pub const ALL: &[Strategy] = &[$(Strategy::$variant),*];

            /// Name of the strategy, such as `per-source`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Strategy::$variant => $name,)*
                }
            }

            /// Description of the strategy in one line.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self {
                    $(Strategy::$variant => $description,)*
                }
            }

            /// Strategy with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Strategy> {
                Strategy::ALL.iter().copied().find(|strategy| strategy.name() == name)
            }

            /// Implementation of the strategy.
            pub(crate) fn implementation(self) -> &'static dyn SearchStrategy {
                match self {
                    $(Strategy::$variant => &$implementation,)*
                }
            }
        }
    };
}

strategies! {
    BitParallel, "bit-parallel", bit_parallel::BitParallel, "Multi-source BFS with one bit for each source of a batch";
    Distances, "distances", distances::Distances, "Label-correcting distances from batches of 64 sources";
    SharedRegion, "shared-region", shared_region::SharedRegion, "One BFS for each source up to a region with a table of distances";
    Words, "words", per_source::Words, "BFS of 32 sources with a shared queue";
    PerSource, "per-source", per_source::PerSource, "One BFS for each source, many at a time";
    Host, "host", host::Host, "One BFS for each source in plain code on the host, without the device";
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
