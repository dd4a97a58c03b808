//! Conformance of the dataflow engine on the graphs of [`generated`](super::generated): every strategy, with and without
//! pruning, against the reference implementation.

use std::sync::Arc;

use vyre_dataflow::{Dataflow, Finding, Levels, Loaded, Options, Strategy, Transfer, taint_on_host};
use vyre_graph::CsrView;
use vyre_graph::generate::SplitMix64;
use vyre_ops::graph::{GraphOps, TraversalOptions, reachable_sinks};
use vyre_runtime::{Device, RunOptions};

use super::case::{Disagreement, GraphCase, same};
use super::generated::{Sizes, graph_case};
use crate::generated::Seeds;

/// A configuration of the engine, with a name for messages.
struct Configuration {
    name: String,
    options: Options,
}

/// Configurations of the engine: each strategy with and without pruning, and the options of single strategies.
fn configurations() -> Vec<Configuration> {
    let default = Options::default;
    let mut all = vec![Configuration { name: "chosen by the engine".to_owned(), options: default() }];
    for &strategy in Strategy::ALL {
        for prune in [true, false] {
            let name = format!("{strategy}, {}", if prune { "pruned" } else { "not pruned" });
            all.push(Configuration { name, options: default().with_strategy(strategy).with_prune(prune) });
        }
    }
    let bit_parallel = || default().with_strategy(Strategy::BitParallel);
    let distances = || default().with_strategy(Strategy::Distances);
    let of_one_strategy = [
        ("bit-parallel, dense, pruned", bit_parallel().with_levels(Levels::Dense).with_prune(true)),
        ("bit-parallel, dense, not pruned", bit_parallel().with_levels(Levels::Dense).with_prune(false)),
        ("bit-parallel, sparse, pruned", bit_parallel().with_levels(Levels::Sparse).with_prune(true)),
        ("bit-parallel, sparse, not pruned", bit_parallel().with_levels(Levels::Sparse).with_prune(false)),
        ("distances, not contracted", distances().with_prune(true).with_contract(false)),
    ];
    all.extend(of_one_strategy.map(|(name, options)| Configuration { name: name.to_owned(), options }));
    all
}

/// A transfer function in Rust: from the case, the source, both ends of an edge, its index and the facts to the facts that
/// arrive.
type InRust = fn(&GraphCase, u32, u32, u32, usize, u32) -> u32;

/// A transfer function as a program and in Rust, with its name.
type Function = (&'static str, Transfer, InRust);

fn built<E: std::fmt::Debug>(built: Result<Transfer, E>) -> Transfer {
    built.expect("these are valid")
}

/// Transfer functions that neither depend on the source nor on facts. They remove edges, so every strategy has them.
fn filters(case: &GraphCase) -> [Function; 3] {
    [
        (
            "by the word of the node",
            built(Transfer::new(|_, edge| (edge.metadata % 5u32).ne(0u32))),
            |case, _, _, target, _, facts| if case.graph.node_data[target as usize] % 5 == 0 { 0 } else { facts },
        ),
        (
            "by the word of the edge",
            built(Transfer::new(|_, edge| edge.metadata & 1u32)).with_edge_words(case.weights.clone()),
            |case, _, _, _, edge, facts| if case.weights[edge] & 1 == 0 { 0 } else { facts },
        ),
        (
            "by both ends",
            built(Transfer::new(|_, edge| (edge.current ^ edge.target).popcount().gt(1u32))),
            |_, _, current, target, _, facts| if (current ^ target).count_ones() > 1 { facts } else { 0 },
        ),
    ]
}

/// Transfer functions of all kinds.
fn functions(case: &GraphCase) -> Vec<Function> {
    let others: [Function; 4] = [
        (
            "by the source",
            built(Transfer::new(|_, edge| ((edge.source + edge.target) % 3u32).ne(0u32))),
            |_, source, _, target, _, facts| if (source + target) % 3 == 0 { 0 } else { facts },
        ),
        (
            "by the source and the edge",
            built(Transfer::new(|_, edge| (edge.source ^ edge.metadata) & 3u32)).with_edge_words(case.weights.clone()),
            |case, source, _, _, edge, facts| if (source ^ case.weights[edge]) & 3 == 0 { 0 } else { facts },
        ),
        (
            "facts that become others",
            built(Transfer::of_facts(|_, edge, facts| (facts << (edge.target & 3u32)) & !(edge.metadata & 0xf0u32))),
            |case, _, _, target, _, facts| (facts << (target & 3)) & !(case.graph.node_data[target as usize] & 0xf0),
        ),
        (
            "facts that depend on the source",
            built(Transfer::of_facts(|_, edge, facts| {
                (facts & edge.metadata.clone()) | (edge.metadata & (edge.source & 7u32))
            }))
            .with_edge_words(case.weights.clone()),
            |case, source, _, _, edge, facts| (facts & case.weights[edge]) | (case.weights[edge] & source & 7),
        ),
    ];
    filters(case).into_iter().chain(others).collect()
}

/// Runs the engine on a case in every configuration, and compares with the reference, with `graph.bfs` and with its reference.
///
/// # Errors
///
/// The first configuration with different findings.
pub fn check_case(engine: &Dataflow, ops: &GraphOps, case: &GraphCase) -> Result<(), Disagreement> {
    let mut first = Ok(());
    check_each(engine, ops, case, &mut |name, outcome| {
        if let (Ok(()), Err(error)) = (&first, outcome) {
            first = Err(Disagreement { message: format!("{name}: {}", error.message), ..error });
        }
    })?;
    first
}

/// Runs the engine on a case in every configuration, and emits the name and the outcome of each.
///
/// # Errors
///
/// The case cannot be loaded, or the references differ.
pub fn check_each(
    engine: &Dataflow,
    ops: &GraphOps,
    case: &GraphCase,
    done: &mut dyn FnMut(&str, Result<(), Disagreement>),
) -> Result<(), Disagreement> {
    let view = case.graph.view();
    let depth = case.max_depth;
    let expected = taint_on_host(view, &case.sources, None, depth, |_, _, _, _, facts| facts);
    let by_ops: Vec<Finding> = reachable_sinks(view, &case.sources, depth).into_iter().map(Finding::from).collect();
    same("the two references", &by_ops, &expected)?;
    let failed = |error: &dyn std::fmt::Display| Disagreement { op: "load", message: error.to_string() };
    let on_device = ops.load(view).map_err(|error| failed(&error))?;
    let found = on_device.bfs(&case.sources, &TraversalOptions::default().with_max_depth(depth));
    let found = found.map(|findings| findings.into_iter().map(Finding::from).collect::<Vec<_>>());
    done("graph.bfs", same("graph.bfs", &found, &Ok(expected.clone())));
    let graph = engine.load(view).map_err(|error| failed(&error))?;
    for Configuration { name, options } in configurations() {
        let options = options.with_max_depth(depth);
        let found = graph.taint(&case.sources, &options).map(|(findings, _)| findings);
        done(&name, same("taint", &found, &Ok(expected.clone())));
    }
    done("small batches", check_small_batches(&graph, case, &expected));
    done("facts", check_facts(&graph, view, case));
    let options = Options::default().with_max_depth(depth);
    done("witnesses", check_witnesses(&graph, case, &options, &expected, |_, _, _, _, facts| facts));
    done("transfer functions", check_functions(&graph, view, case));
    done("filters on every strategy", check_filters(&graph, view, case));
    Ok(())
}

/// Every strategy with every filter, with and without pruning. A graph has a third of the pairs, by its number of edges.
fn check_filters(graph: &Loaded<'_>, view: CsrView<'_>, case: &GraphCase) -> Result<(), Disagreement> {
    let first = case.graph.edge_count();
    for (number, (name, transfer, in_rust)) in filters(case).into_iter().enumerate() {
        let rule = |source, current, target, edge, facts| in_rust(case, source, current, target, edge, facts);
        let expected = taint_on_host(view, &case.sources, None, case.max_depth, rule);
        let strategies = Strategy::ALL.iter().copied().enumerate();
        for (_, strategy) in strategies.filter(|(position, _)| (first + number + position).is_multiple_of(3)) {
            for prune in [true, false] {
                let options = Options::default().with_max_depth(case.max_depth).with_transfer(transfer.clone());
                let options = options.with_strategy(strategy).with_prune(prune);
                let found = graph.taint(&case.sources, &options).map(|(findings, _)| findings);
                same("filters", &found, &Ok(expected.clone())).map_err(|error| {
                    let message = format!("{name}, {strategy}, pruned: {prune}: {}", error.message);
                    Disagreement { message, ..error }
                })?;
            }
        }
    }
    Ok(())
}

/// With memory for few sources, a search has several batches and the same findings.
fn check_small_batches(graph: &Loaded<'_>, case: &GraphCase, expected: &[Finding]) -> Result<(), Disagreement> {
    let sinks = case.graph.node_data.iter().filter(|&&word| vyre_graph::role_of(word).is_sink()).count() as u64;
    let nodes = case.graph.node_count() as u64;
    for (strategy, bytes) in [
        (Strategy::BitParallel, nodes * 28 + sinks * 128 + 64),
        (Strategy::Words, (nodes + 1) * 24 + sinks * 128 + 64),
        (Strategy::PerSource, (nodes + 1) * 8 + sinks * 12 + 64),
    ] {
        let options = Options::default().with_strategy(strategy).with_memory(bytes).with_max_depth(case.max_depth);
        let found = graph.taint(&case.sources, &options).map(|(findings, _)| findings);
        same("small batches", &found, &Ok(expected.to_vec()))?;
    }
    Ok(())
}

/// Sources that occur twice, with equal or different facts and without a transfer function, on every strategy.
fn check_facts(graph: &Loaded<'_>, view: CsrView<'_>, case: &GraphCase) -> Result<(), Disagreement> {
    let mut random = SplitMix64::new(case.graph.node_count() as u64);
    let sources = [&case.sources[..], &case.sources[..]].concat();
    let facts: Vec<u32> = sources.iter().map(|_| 1 + random.below(2) as u32).collect();
    let expected = taint_on_host(view, &sources, Some(&facts), case.max_depth, |_, _, _, _, facts| facts);
    for strategy in Strategy::ALL.iter().copied().map(Some).chain([None]) {
        let mut options = Options::default().with_max_depth(case.max_depth).with_facts(facts.clone());
        options.strategy = strategy;
        let found = graph.taint(&sources, &options).map(|(findings, _)| findings);
        let name = strategy.map_or("chosen by the engine", Strategy::name);
        same("facts", &found, &Ok(expected.clone()))
            .map_err(|error| Disagreement { message: format!("{name}: {}", error.message), ..error })?;
    }
    Ok(())
}

fn check_functions(graph: &Loaded<'_>, view: CsrView<'_>, case: &GraphCase) -> Result<(), Disagreement> {
    let mut random = SplitMix64::new(case.graph.edge_count() as u64);
    let facts: Vec<u32> = case.sources.iter().map(|_| 1 + random.below(14) as u32).collect();
    for (name, transfer, in_rust) in functions(case) {
        for facts in [None, Some(facts.clone())] {
            let rule = |source, current, target, edge, facts| in_rust(case, source, current, target, edge, facts);
            let expected = taint_on_host(view, &case.sources, facts.as_deref(), case.max_depth, rule);
            let mut options = Options::default().with_max_depth(case.max_depth).with_transfer(transfer.clone());
            options.facts = facts;
            let found = graph.taint(&case.sources, &options).map(|(findings, _)| findings);
            same(name, &found, &Ok(expected.clone()))?;
            // A witness of a long chain needs a dispatch for each level.
            if case.graph.node_count() <= 1_000 {
                check_witnesses(graph, case, &options, &expected, rule)?;
            }
        }
    }
    Ok(())
}

/// Maximum number of findings of a case whose witnesses are checked, evenly spaced.
const MAX_WITNESSES: usize = 256;

/// Witnesses have the length of their findings, one fact survives all their edges, and they do not depend on other findings of a
/// request.
fn check_witnesses(
    graph: &Loaded<'_>,
    case: &GraphCase,
    options: &Options,
    findings: &[Finding],
    rule: impl Fn(u32, u32, u32, usize, u32) -> u32,
) -> Result<(), Disagreement> {
    let requested: Vec<Finding> = findings.iter().copied().step_by(findings.len() / MAX_WITNESSES + 1).collect();
    let witnesses = graph.witnesses(&requested, options);
    let witnesses = witnesses.map_err(|error| Disagreement { op: "witnesses", message: error.to_string() })?;
    if witnesses.len() != requested.len() {
        let message = format!("{} findings have {} witnesses", requested.len(), witnesses.len());
        return Err(Disagreement { op: "witnesses", message });
    }
    for (finding, path) in requested.iter().zip(&witnesses) {
        let wrong =
            |problem: &str| Disagreement { op: "witnesses", message: format!("{finding:?}: {path:?} {problem}") };
        if path.first() != Some(&finding.source) || path.last() != Some(&finding.sink) {
            return Err(wrong("has other ends"));
        }
        if path.len() as u64 != u64::from(finding.depth) + 1 {
            return Err(wrong("has another length"));
        }
        let facts = options.facts.as_ref().map_or(1, |facts| facts[finding.source_index as usize]);
        let arrived = path.windows(2).fold(facts, |facts, pair| {
            let view = case.graph.view();
            let edges = view.edges_of(pair[0]).filter(|&edge| view.targets[edge] == pair[1]);
            edges.fold(0, |arrived, edge| arrived | each_fact(finding.source, [pair[0], pair[1]], edge, facts, &rule))
        });
        if arrived == 0 {
            return Err(wrong("carries no fact from its source to its sink"));
        }
    }
    let last = requested.len().saturating_sub(1);
    let again = graph.witnesses(requested.get(last..).unwrap_or_default(), options);
    same("a witness requested alone", &again, &Ok(witnesses.get(last..).unwrap_or_default().to_vec()))
}

/// Facts that arrive at the end of an edge if each fact at its beginning travels alone.
fn each_fact(
    source: u32,
    [current, target]: [u32; 2],
    edge: usize,
    facts: u32,
    rule: impl Fn(u32, u32, u32, usize, u32) -> u32,
) -> u32 {
    let alone = (0..u32::BITS).map(|fact| facts & (1 << fact)).filter(|fact| *fact != 0);
    alone.fold(0, |arrived, fact| arrived | rule(source, current, target, edge, fact))
}

/// Number of graphs of a test. Programs with hundreds of invocations are slow on software GPUs and on interpreters.
#[must_use]
pub fn cases(device: &dyn Device, sizes: Sizes) -> u64 {
    match sizes {
        Sizes::LARGE if !device.is_software() => 500,
        Sizes::LARGE => 40,
        _ => 10,
    }
}

/// Analyses the graphs of these seeds, with the programs for GPUs and with those for CPUs.
///
/// # Panics
///
/// At the first graph with different findings.
#[track_caller]
pub fn expect_agreement(device: &Arc<dyn Device>, options: &RunOptions, seeds: Seeds, sizes: Sizes) {
    let ops = GraphOps::new(Arc::clone(device)).with_run_options(options.clone());
    let engines = [false, true]
        .map(|for_gpu| Dataflow::new(Arc::clone(device)).with_run_options(options.clone()).with_gpu_programs(for_gpu));
    // Each level of a requested strategy may visit every node, so long chains take quadratic time.
    let sizes = match sizes {
        Sizes::LARGE => Sizes { max_nodes: 600, chain: 500 },
        _ => Sizes { max_nodes: 24, chain: 48 },
    };
    let mut agreed = 0;
    for seed in seeds.iter() {
        let case = graph_case(seed, sizes);
        if crate::settings::is_traced() {
            eprintln!("seed {seed}: {}", case.name);
        }
        let engine = &engines[(seed % 2) as usize];
        if let Err(disagreement) = check_case(engine, &ops, &case) {
            panic!("seed {seed}, {}, depth {}: {disagreement}", case.name, case.max_depth);
        }
        agreed += 1;
    }
    println!("{agreed} graphs: the engine agrees with its reference in every configuration");
}
