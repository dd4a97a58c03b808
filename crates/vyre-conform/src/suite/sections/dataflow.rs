//! Every strategy of the dataflow engine.

use std::sync::Arc;

use vyre_dataflow::Dataflow;
use vyre_ops::graph::GraphOps;

use super::graph_ops::sizes_of;
use crate::graphs::dataflow::check_each;
use crate::graphs::generated::{Sizes, graph_case};
use crate::suite::context::{Context, Item, Settings};
use crate::suite::section::Section;

/// The dataflow engine in every configuration, each an item.
pub(in crate::suite) struct DataflowStrategies;

impl Section for DataflowStrategies {
    fn name(&self) -> &'static str {
        "dataflow"
    }

    fn about(&self) -> &'static str {
        "Every strategy of the dataflow engine has the findings of the reference: with batches, facts, transfer functions and witnesses."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        settings.amounts.dataflow_graphs * 300
    }

    fn can_be_divided(&self) -> bool {
        true
    }

    fn run(&self, context: &Context) {
        let settings = context.settings();
        let ops = GraphOps::new(Arc::clone(context.device()));
        let engines =
            [false, true].map(|for_gpu| Dataflow::new(Arc::clone(context.device())).with_gpu_programs(for_gpu));
        // Each level of a strategy may visit every node, so long chains take quadratic time.
        let (small, large) = (Sizes { max_nodes: 24, chain: 48 }, Sizes { max_nodes: 400, chain: 400 });
        let sizes = sizes_of(context, settings.amounts.dataflow_graphs, small, large);
        // Each is a check of every strategy.
        if context.is_first_part() {
            let left_out = settings.left_out(|amounts| amounts.dataflow_graphs);
            context.skipped_by_interpreter(&Item::new("further graphs"), left_out);
        }
        context.in_parallel_by_seed(settings.amounts.dataflow_graphs, 1, |_, seed| {
            let case = graph_case(seed, sizes);
            let engine = &engines[(seed % 2) as usize];
            let checked = check_each(engine, &ops, &case, &mut |name, outcome| match outcome {
                Ok(()) => context.passed(&Item::new(name.to_owned()), 1),
                Err(disagreement) => {
                    let message = format!("{}, depth {}: {disagreement}", case.name, case.max_depth);
                    context.failed(&Item::new(name.to_owned()), message, Some(seed));
                }
            });
            if let Err(error) = checked {
                context.failed(&Item::new("load"), format!("{}: {error}", case.name), Some(seed));
            }
        });
    }
}
