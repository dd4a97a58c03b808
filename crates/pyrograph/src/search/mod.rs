//! Search: which sources reach which sinks, on the dataflow engine.
//!
//! Only nodes that some source reaches and that reach some sink take part; the others are removed by two sweeps before
//! summaries are computed. The engine searches each rule on its own edges, backwards from the sinks, and asks for the nearest
//! source of each sink.

mod compact;
mod engine;
mod inside;
mod nearest;
mod pollution;
mod subgraph;
mod witness;

pub use compact::CompactGraph;
pub use witness::PathStep;

use std::collections::{BTreeMap, BTreeSet};

use vyre_dataflow::{Dataflow, DataflowError};

use crate::knowledge::{Check, Knowledge, RuleMask, Severity, ThreatModel};
use crate::limits::Effort;
use crate::points_to::Layout;
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

/// Labels of sources that are requests and messages of clients.
pub(crate) const REQUESTS: &[&str] = &["http-request", "client-message"];

/// What a search is about.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Graph.
    pub graph: &'a ValueFlow,
    /// Numbers of the formals of functions in the graph.
    pub layout: &'a Layout,
    /// Sources and sinks.
    pub roles: &'a Roles,
    /// Rules.
    pub knowledge: &'a Knowledge,
    /// Threat models that count.
    pub models: &'a [ThreatModel],
    /// Requests and messages count whatever the threat models are.
    pub has_requests: bool,
    /// Work that the summaries may take.
    pub effort: Effort,
    /// True: the search ends early.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Request<'_> {
    /// Rules for which a source counts.
    pub(crate) fn rules_of(&self, source: &Source) -> RuleMask {
        let Some(kind) = self.knowledge.sources.get(usize::from(source.kind)) else { return 0 };
        if self.models.contains(&kind.model) {
            kind.rules
        } else if self.has_requests && REQUESTS.contains(&kind.label.as_str()) {
            let notes = self.knowledge.rules.iter().enumerate().filter(|(_, rule)| rule.severity == Severity::Note);
            notes.fold(kind.rules, |rules, (number, _)| rules & !(1 << number))
        } else {
            0
        }
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
            Check::Path => inside::search(request, &compact, engine, number, &mut found)?,
            Check::PrototypePollution => {
                pollution::search(request, &compact, engine, number, &mut found)?;
                // Functions of libraries that merge objects or set values by a path.
                engine::search_rule(request, &compact, engine, number, &mut found)?;
            }
        }
    }
    drop_general(request, &mut found);
    Ok(found)
}

/// Leaves out findings about paths where a rule of the same weakness says more about the same sink.
fn drop_general(request: Request<'_>, found: &mut Found) {
    let rules = &request.knowledge.rules;
    let mut special: BTreeSet<(u32, u32)> = BTreeSet::new();
    for flow in found.flows.iter().filter(|flow| rules[flow.rule].check != Check::Path) {
        special.extend(rules[flow.rule].cwe.iter().map(|&cwe| (flow.sink.value, cwe)));
    }
    found.flows.retain(|flow| {
        let rule = &rules[flow.rule];
        rule.check != Check::Path || !rule.cwe.iter().any(|&cwe| special.contains(&(flow.sink.value, cwe)))
    });
}
