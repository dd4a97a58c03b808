//! Graph archetypes, named as the specification of graph ops lists them under "What the conformance suite will verify".

use std::sync::Arc;

use vyre_ops::graph::GraphOps;
use vyre_runtime::{Error, Resource};

use crate::embedded_corpus::CorpusFile;
use crate::graphs::corpus::{GraphCase, Repetitions};
use crate::suite::context::{Context, Item, NO_CORPUS, Settings, caught};
use crate::suite::section::Section;

/// The archetypes, and the other hand-written cases of graph ops.
pub(in crate::suite) struct GraphArchetypes;

/// Name in the specification, and cases below `ops/graph`.
pub(in crate::suite) type Archetype = (&'static str, &'static [&'static str]);

/// Archetypes in the order of the specification. Where the supplement overrides it, the name says so.
const ARCHETYPES: [Archetype; 17] = [
    ("structural: empty graph", &["bfs/empty_graph"]),
    (
        "structural: single node, self-loop",
        &["bfs/single_node_self_loop", "bfs/sink_self_loop", "bfs/source_and_sink_self_loop"],
    ),
    ("structural: complete graph", &["bfs/complete_graph"]),
    ("structural: linear chain", &["bfs/chain"]),
    ("structural: star graph", &["bfs/star"]),
    ("structural: binary tree", &["bfs/binary_tree"]),
    ("structural: DAG with diamond merge", &["bfs/diamond", "bfs/diamond_with_a_shortcut"]),
    ("structural: graph with a cycle", &["bfs/cycle", "bfs/cycle_back_to_the_start"]),
    ("structural: disconnected components", &["bfs/disconnected"]),
    ("sanitizer: on the only path", &["bfs/sanitizer_on_the_only_path"]),
    ("sanitizer: on one path but not another", &["bfs/sanitizer_on_one_of_two_paths"]),
    ("sanitizer: that is also a sink", &["bfs/sanitizer_that_is_a_sink"]),
    ("scale: exactly MAX_BFS_QUEUE frontier nodes at one level", &["bfs/queue_exactly_full"]),
    (
        "scale: MAX_BFS_QUEUE + 1 frontier nodes (supplement: counted, not dropped)",
        &["bfs/queue_one_too_short", "bfs/queue_of_16_on_a_star"],
    ),
    (
        "scale: num_sources * words_per_source approaches buffer size limits",
        &["bfs/batches", "bfs/memory_of_one_source", "bfs/memory_of_one_byte", "bfs/batches_with_max_findings"],
    ),
    ("determinism: same graph, same sources, 100 runs", &["bfs/hundred_runs", "reachability/hundred_runs"]),
    ("determinism: different dispatch dimensions", &["bfs/grids", "reachability/grids"]),
];

/// The archetype of buffer limits, which has a check beside its cases.
const BUFFER_LIMITS: &str = ARCHETYPES[14].0;

impl Section for GraphArchetypes {
    fn name(&self) -> &'static str {
        "graph-archetypes"
    }

    fn about(&self) -> &'static str {
        "The archetypes that the specification of graph ops lists under \"What the conformance suite will verify\", and further cases by hand."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        if settings.is_interpreter { 20_000 } else { 3_000 }
    }

    fn run(&self, context: &Context) {
        let ops = GraphOps::new(Arc::clone(context.device()));
        // An interpreter executes invocations in a fixed order, so that every run is the same.
        let repetitions = if context.settings().is_interpreter { Repetitions::One } else { Repetitions::All };
        let has_cases = run_cases(context, "graph", &ARCHETYPES, &mut |op, text| {
            let case = GraphCase::parse(text).map_err(|failure| failure.to_string())?;
            let made = case.check(op, &ops, repetitions).map_err(|failure| failure.to_string())? as u64;
            // A case is repeated in each of its grids.
            let left_out = if repetitions == Repetitions::One { made * (case.runs() - 1) } else { 0 };
            let reason = "the device interprets programs, so that every run is the same";
            Ok(Runs { made, left_out: (left_out > 0).then_some((left_out, reason)) })
        });
        // It stands beside its cases, not for them.
        if !has_cases || context.must_end() {
            return;
        }
        let item = Item::of_op("graph.bfs", BUFFER_LIMITS);
        let limit = context.device().limits().buffer_bytes;
        match context.device().create_buffer(limit.saturating_add(1)).map(|_| ()) {
            Err(error @ Error::ResourceExceeded { resource: Resource::BufferBytes, .. })
                if context.device().limits().explain(&error) =>
            {
                context.passed(&item, 1);
            }
            other => context.failed(&item, format!("a buffer beyond the limit of {limit} bytes gives {other:?}"), None),
        }
    }
}

/// Runs of a case.
pub(in crate::suite) struct Runs {
    made: u64,
    /// Those that the case asks for and that were not made, with the reason.
    left_out: Option<(u64, &'static str)>,
}

impl Runs {
    /// All runs that the case asks for.
    pub(in crate::suite) fn all(made: u64) -> Runs {
        Runs { made, left_out: None }
    }
}

/// Runs all cases of a family of ops: those of archetypes under their names, the others under the id of their op. False if the corpus has
/// none.
pub(in crate::suite) fn run_cases(
    context: &Context,
    family: &str,
    archetypes: &[Archetype],
    check: &mut dyn FnMut(&str, &str) -> Result<Runs, String>,
) -> bool {
    let corpus = &context.settings().corpus;
    let start = format!("ops/{family}/");
    let files: Vec<&CorpusFile> = corpus.below(&start).collect();
    if files.is_empty() {
        for (name, _) in archetypes {
            context.skipped(&Item::new(*name), 1, NO_CORPUS);
        }
        context.skipped(&Item::new(format!("further cases of {family}")), 1, NO_CORPUS);
        return false;
    }
    let path = |case: &str| format!("{start}{case}.case");
    let mut done = 0;
    let mut run = |item: &Item, op: &str, file: &CorpusFile| {
        context.advanced(done, files.len() as u64);
        done += 1;
        match caught(|| check(op, &file.text)).and_then(|checked| checked) {
            Ok(Runs { made, left_out }) => {
                context.passed(item, made);
                if let Some((runs, reason)) = left_out {
                    context.skipped(item, runs, reason);
                }
            }
            Err(message) => context.failed(item, format!("{}: {message}", file.name()), None),
        }
    };
    let op_of = |case: &'static str| case.split('/').next().unwrap_or_default();
    for (name, cases) in archetypes {
        // Names of items are unique. An archetype of several ops has an item for each.
        let has_one_op = cases.iter().all(|case| op_of(case) == op_of(cases[0]));
        for &case in *cases {
            if context.must_end() {
                return true;
            }
            let op = op_of(case);
            let item = match has_one_op {
                true => item_of(family, op, (*name).to_owned()),
                false => item_of(family, op, format!("{name} ({family}.{op})")),
            };
            match corpus.file(&path(case)) {
                Some(file) => run(&item, op, file),
                None => context.failed(&item, format!("the corpus has no case `{case}`"), None),
            }
        }
    }
    let is_archetype =
        |file: &CorpusFile| archetypes.iter().any(|(_, cases)| cases.iter().any(|case| path(case) == file.path));
    for file in files.iter().filter(|file| !is_archetype(file)) {
        if context.must_end() {
            return true;
        }
        let op = file.path[start.len()..].split('/').next().unwrap_or_default();
        run(&item_of(family, op, format!("further cases of {family}.{op}")), op, file);
    }
    true
}

/// An item of the op of a family; of none if the library has no such op.
fn item_of(family: &str, op: &str, name: String) -> Item {
    match vyre_ops::find(&format!("{family}.{op}")) {
        Some(op) => Item::of_op(op.id, name),
        None => Item::new(name),
    }
}
