//! Use of weights by commands, and the scale of real weights.

use vyre::graph::Weights;

use crate::args::graph::{ReadArgs, WeightsArg};

/// Use that a command makes of the weights of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightUse {
    /// The command has no use for weights, so it accepts files with any.
    None,
    /// The command passes weights on if they are valid.
    IfValid,
    /// The result depends on the weights.
    Needed,
}

impl WeightUse {
    /// Option of the reader. A flag of the user takes precedence.
    pub(super) fn option(self, args: &ReadArgs) -> Weights {
        match (args.weights, self) {
            (WeightsArg::Required, _) => Weights::Required,
            (WeightsArg::Ignore, _) | (WeightsArg::Auto, WeightUse::None) => Weights::Ignore,
            (WeightsArg::Auto, WeightUse::IfValid) => Weights::IfValid,
            (WeightsArg::Auto, WeightUse::Needed) => Weights::Auto,
        }
    }
}
