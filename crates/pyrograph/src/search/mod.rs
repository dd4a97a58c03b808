//! Search: which sources reach which sinks, on the dataflow engine.
//!
//! Only nodes that some source reaches and that reach some sink take part; the others are removed by two sweeps before
//! summaries are computed. The engine searches each rule on its own edges, backwards from the sinks, and asks for the nearest
//! source of each sink.

mod compact;
mod engine;
mod nearest;
mod pollution;
mod subgraph;
mod witness;

pub use compact::CompactGraph;
pub use witness::PathStep;

use std::collections::BTreeMap;

use vyre_dataflow::{Dataflow, DataflowError};

use crate::knowledge::{Check, Knowledge, RuleMask, ThreatModel};
use crate::value_flow::{Roles, Sink, Source, ValueFlow};

/// A flow from a source to a sink.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Rule.
    pub rule: usize,
    /// Sink.
    pub sink: Sink,
    /// Nearest source.
    pub source: Source,
    /// Steps from the source to the sink.
    pub path: Vec<PathStep>,
    /// Other sources, nearest first.
    pub others: Vec<Source>,
}

/// Result of the search.
#[derive(Debug, Default)]
pub struct Found {
    /// Flows in order of rule and sink.
    pub flows: Vec<Flow>,
    /// Nodes of both layers.
    pub nodes: u64,
    /// Edges of both layers.
    pub edges: u64,
    /// Limits that were reached, with the number of times.
    pub limits: BTreeMap<&'static str, u64>,
}

/// What a search is about.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Graph.
    pub graph: &'a ValueFlow,
    /// Sources and sinks.
    pub roles: &'a Roles,
    /// Rules.
    pub knowledge: &'a Knowledge,
    /// Threat models that count.
    pub models: &'a [ThreatModel],
    /// True: the search ends early.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Request<'_> {
    /// Rules for which a source counts.
    pub(crate) fn rules_of(&self, source: &Source) -> RuleMask {
        self.knowledge
            .sources
            .get(usize::from(source.kind))
            .filter(|kind| self.models.contains(&kind.model))
            .map_or(0, |kind| kind.rules)
    }
}

/// Searches all rules.
///
/// # Errors
///
/// Errors of the dataflow engine.
pub fn search(request: Request<'_>, engine: &Dataflow) -> Result<Found, DataflowError> {
    let compact = CompactGraph::new(request);
    let mut found = Found {
        nodes: u64::from(compact.layered.nodes) * 2,
        edges: compact.layered.edges.len() as u64,
        ..Found::default()
    };
    if !compact.is_complete {
        found.limits.insert("work of the summaries", 1);
    }
    for (number, rule) in request.knowledge.rules.iter().enumerate() {
        if (request.is_cancelled)() {
            break;
        }
        match rule.check {
            Check::Flow => engine::search_rule(request, &compact, engine, number, &mut found)?,
            Check::PrototypePollution => {
                pollution::search(request, &compact, engine, number, &mut found)?;
                // Functions of libraries that merge objects or set values by a path.
                engine::search_rule(request, &compact, engine, number, &mut found)?;
            }
        }
    }
    Ok(found)
}
