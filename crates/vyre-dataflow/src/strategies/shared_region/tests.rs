use std::sync::Arc;

use vyre_graph::generate::{SplitMix64, calls, roles, sources};
use vyre_graph::{CsrGraph, CsrView, Role};
use vyre_jit::{JitDevice, JitOptions};
use vyre_ops::graph::reachable_sinks;
use vyre_runtime::{Device, ReferenceDevice, RunOptions};

use super::completion::{TILE_SINKS, UNREACHED};
use super::region::Region;
use super::table::{SWEPT_SINKS, SweepLimits, TableOutcome, distance_table};
use crate::node_set::NodeSet;
use crate::strategies::contraction::ContractedGraph;
use crate::strategies::contraction::tests::{contracted, deep, graph};
use crate::{Dataflow, DataflowError, Options, Strategy, Transfer, taint_on_host};

/// Limits without effect.
const UNLIMITED: SweepLimits = SweepLimits { visits: u64::MAX, memory: u64::MAX };

fn cpu(threads: usize) -> Arc<dyn Device> {
    Arc::new(JitDevice::new(&JitOptions::default().with_threads(threads)).expect("threads can be started"))
}

/// Programs of `program` nodes with a library, and sources, among them sinks, sanitizers, nodes of the library and duplicates.
fn programs(nodes: u32, program: u32, count: usize, seed: u64) -> (CsrGraph, Vec<u32>) {
    let mut graph = calls(nodes, program, seed).expect("the sizes are valid");
    roles(&mut graph, seed + 1);
    let mut chosen = sources(graph.view(), count, seed + 2).expect("the graph has enough nodes");
    let mut random = SplitMix64::new(seed + 3);
    for _ in 0..count / 4 {
        let node = random.below(u64::from(nodes)) as u32;
        chosen.push(node);
        chosen.push(nodes - 1 - random.below(u64::from(nodes / 20)) as u32);
        graph.node_data[random.below(u64::from(nodes)) as usize] =
            [Role::Sink, Role::SourceAndSink, Role::Sanitizer][random.below(3) as usize].word();
    }
    chosen.push(chosen[0]);
    (graph, chosen)
}

fn requested() -> Options {
    Options::default().with_strategy(Strategy::SharedRegion)
}

fn check(engine: &Dataflow, graph: CsrView<'_>, sources: &[u32], options: &Options) {
    let max_depth = options.max_depth.unwrap_or(u32::MAX);
    let wanted = taint_on_host(graph, sources, None, max_depth, |_, _, _, _, facts| facts);
    let loaded = engine.load(graph).expect("the graph is valid");
    let (found, summary) = loaded.taint(sources, options).expect("the options are valid");
    assert_eq!(found, wanted, "{}", summary.explanation);
}

#[test]
fn findings_are_those_of_the_reference_on_programs_with_a_library() {
    let engine = Dataflow::new(cpu(2));
    for seed in 0..24 {
        let (graph, sources) = programs(600 + 150 * seed as u32, [64, 128, 512][seed as usize % 3], 40, seed);
        let depth = [u32::MAX, 0, 1, 5, 17, 40][seed as usize % 6];
        for prune in [true, false] {
            check(&engine, graph.view(), &sources, &requested().with_max_depth(depth).with_prune(prune));
        }
    }
}

#[test]
fn programs_for_gpus_have_no_races() {
    let run_options = RunOptions::default().with_race_check(true);
    for for_gpu in [false, true] {
        let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
        let engine = Dataflow::new(device).with_run_options(run_options.clone()).with_gpu_programs(for_gpu);
        for seed in 0..3 {
            let (graph, sources) = programs(120, 20, 8, 100 + seed);
            check(&engine, graph.view(), &sources, &requested());
        }
    }
}

#[test]
fn blocked_edges_are_not_followed() {
    let engine = Dataflow::new(cpu(1));
    let (graph, sources) = programs(2_000, 128, 60, 7);
    let transfer = Transfer::new(|_, edge| ((edge.current + edge.target) % 5u32).ne(0u32)).expect("is valid");
    let rule = |_, current: u32, target: u32, _, facts| if (current + target).is_multiple_of(5) { 0 } else { facts };
    let wanted = taint_on_host(graph.view(), &sources, None, u32::MAX, rule);
    let loaded = engine.load(graph.view()).expect("the graph is valid");
    for prune in [true, false] {
        let options = requested().with_prune(prune).with_transfer(transfer.clone());
        assert_eq!(loaded.taint(&sources, &options).expect("the options are valid").0, wanted);
    }
}

#[test]
fn the_engine_chooses_the_strategy_and_falls_back() {
    let engine = Dataflow::new(cpu(2)).with_host_search(false);
    let (mut graph, sources) = programs(60_000, 1_024, 800, 5);
    let run = |graph: &CsrGraph, sources: &[u32], options: &Options| {
        let loaded = engine.load(graph.view()).expect("the graph is valid");
        let (found, summary) = loaded.taint(sources, options).expect("the options are valid");
        let per_source = Options::default().with_strategy(Strategy::PerSource);
        assert!(found == loaded.taint(sources, &per_source).expect("the options are valid").0);
        let starts_with =
            |line: &&String| ["strategy", "region", "distance table"].iter().any(|key| line.starts_with(key));
        summary.explanation.lines().iter().filter(starts_with).cloned().collect::<Vec<_>>()
    };
    let lines = run(&graph, &sources, &Options::default());
    assert!(lines.len() == 3 && lines[0].starts_with("strategy: shared-region, because"), "{lines:?}");
    assert!(lines[1].starts_with("region: ") && lines[2].starts_with("distance table: "), "{lines:?}");
    // Memory for searches, but not for the table.
    let lines = run(&graph, &sources, &Options::default().with_memory(640 << 10));
    assert!(
        lines.last().is_some_and(|line| line.starts_with("strategy: per-source, because the distance")),
        "{lines:?}"
    );
    for node in 57_000..60_000 {
        graph.node_data[node] = Role::Sink.word();
    }
    let lines = run(&graph, &sources[..400], &Options::default());
    assert_eq!(
        lines.last().map(String::as_str),
        Some(
            "strategy: per-source, because the region that searches share has too many sinks for the number of sources"
        )
    );
}

#[test]
fn a_table_that_does_not_fit_the_memory_is_an_error() {
    let engine = Dataflow::new(cpu(1));
    let (graph, sources) = programs(4_000, 128, 60, 9);
    let loaded = engine.load(graph.view()).expect("the graph is valid");
    let failed = loaded.taint(&sources, &requested().with_memory(1_000)).expect_err("the memory is too small");
    assert!(matches!(failed, DataflowError::DoesNotFit { .. }), "{failed}");
    // A limit below that of one batch needs several batches.
    check(&engine, graph.view(), &sources, &requested().with_memory(400 << 10));
}

#[test]
fn empty_regions_and_graphs_without_sinks() {
    let engine = Dataflow::new(cpu(1));
    // Searches from 0, 2 and 4 share nothing.
    let apart = graph(6, &[(0, 1), (2, 3), (4, 5)], &[(1, Role::Sink), (5, Role::Sink)]);
    check(&engine, apart.view(), &[0, 2, 4], &requested());
    check(&engine, apart.view(), &[1], &requested());
    check(&engine, graph(3, &[(0, 1), (1, 2)], &[]).view(), &[0, 1], &requested());
    // The searched nodes are the region, with a ring and a sanitizer.
    let ring = graph(5, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)], &[(3, Role::Sanitizer), (1, Role::SourceAndSink)]);
    check(&engine, ring.view(), &[0, 1, 2, 3, 4, 1], &requested());
}

#[test]
fn regions_have_no_edges_to_other_nodes() {
    let (graph, sources) = programs(20_000, 512, 200, 3);
    let sinks: Vec<u32> =
        (0..20_000).filter(|&node| vyre_graph::role_of(graph.node_data[node as usize]).is_sink()).collect();
    let region = Region::new(graph.view(), &sources, &sinks);
    let sizes = (region.nodes.len(), region.access.len(), region.rows.len());
    assert!(sizes.0 > 400 && sizes.1 > 50 && (10..sizes.1).contains(&sizes.2), "{sizes:?}");
    for node in region.nodes.iter() {
        let is_sanitizer = vyre_graph::role_of(graph.node_data[node as usize]) == Role::Sanitizer;
        assert!(is_sanitizer || graph.view().neighbours(node).iter().all(|&target| region.nodes.contains(target)));
    }
    assert!(region.access.iter().all(|&node| region.nodes.contains(node)));
    assert_eq!(region.columns.len(), region.graph.sinks.len());
}

/// Compares a table of all nodes with a BFS from each.
fn check_table(source: &CsrGraph, short: &ContractedGraph) {
    let rows: Vec<u32> = (0..short.node_count() as u32).collect();
    let table = distance_table(short, &rows, UNLIMITED, || Ok(())).expect("no error occurs");
    let TableOutcome::Complete(table) = table else { panic!("there is no limit of visits") };
    assert_eq!(table.len(), rows.len() * short.sinks.len().next_multiple_of(SWEPT_SINKS));
    let sinks = short.original_sinks();
    let mut wanted = vec![UNREACHED; table.len()];
    let word = |row: usize, sink: usize| (sink / TILE_SINKS * rows.len() + row) * TILE_SINKS + sink % TILE_SINKS;
    for finding in reachable_sinks(source.view(), &short.original_ids, u32::MAX) {
        let sink = sinks.binary_search(&finding.node).expect("is a sink");
        wanted[word(finding.source_index as usize, sink)] = finding.depth;
    }
    for (sink, &row) in short.sinks.iter().enumerate() {
        wanted[word(row as usize, sink)] = 0;
    }
    assert_eq!(table, wanted);
}

#[test]
fn tables_have_the_distances_of_searches() {
    for seed in 0..30 {
        let (graph, sources) = deep(40 + 60 * seed as u32, 5, seed);
        check_table(&graph, &contracted(&graph, &sources));
    }
}

#[test]
fn long_distances_have_wider_types() {
    // A sink at each third node, so chains of three are contracted and the longest distance is 70,000.
    for length in [100, 255, 256, 400, 70_000] {
        let edges: Vec<(u32, u32)> = (0..length).map(|node| (node, node + 1)).collect();
        let long = graph(length + 1, &edges, &[(length - 2, Role::Sink), (length, Role::Sink)]);
        let sources: Vec<u32> = [0, 1, length / 2, length - 1].to_vec();
        check_table(&long, &contracted(&long, &sources));
    }
    // Without contraction, each node has its vector.
    let edges: Vec<(u32, u32)> = (0..600).map(|node| (node, node + 1)).collect();
    let all: Vec<u32> = (0..600).collect();
    let long = graph(601, &edges, &[(600, Role::Sink)]);
    check_table(&long, &contracted(&long, &all));
}

#[test]
fn distances_of_all_threads_fit_the_memory() {
    let (graph, sources) = deep(2_000, 200, 5);
    let short = contracted(&graph, &sources);
    let vectors = (short.node_count() * SWEPT_SINKS) as u64;
    let limited = |memory| {
        let limits = SweepLimits { memory, ..UNLIMITED };
        distance_table(&short, &[0, 1], limits, || Ok(())).expect("no error occurs")
    };
    let unlimited = limited(u64::MAX);
    assert!(matches!(unlimited, TableOutcome::Complete(_)));
    // The distances of this graph exceed 8 bits or not, so a group needs the vectors once or twice.
    let needed = [vectors, 2 * vectors].into_iter().find(|&memory| limited(memory) == unlimited).expect("one suffices");
    assert_eq!(limited(3 * needed), unlimited);
    assert_eq!(limited(needed - 1), TableOutcome::DoesNotFit(needed));
    assert_eq!(limited(0), TableOutcome::DoesNotFit(vectors));
}

#[test]
fn tables_give_up_after_too_many_visits() {
    let (graph, sources) = deep(2_000, 16, 5);
    let short = contracted(&graph, &sources);
    let limited = |visits| {
        let limits = SweepLimits { visits, ..UNLIMITED };
        distance_table(&short, &[0], limits, || Ok(())).expect("no error occurs")
    };
    assert_eq!(limited(100), TableOutcome::TooManyVisits);
    assert!(matches!(limited(1 << 20), TableOutcome::Complete(_)));
}

#[test]
fn the_whole_graph_can_be_the_region() {
    let (graph, sources) = deep(900, 30, 8);
    let sinks: Vec<u32> =
        (0..900).filter(|&node| vyre_graph::role_of(graph.node_data[node as usize]).is_sink()).collect();
    let region = Region::of(graph.view(), NodeSet::new(900, |_| true), &sources, &sinks);
    let mut distinct = sources.clone();
    distinct.dedup();
    assert!(region.access.iter().all(|node| distinct.contains(node)));
    check(&Dataflow::new(cpu(1)), graph.view(), &sources[..1], &requested());
}
