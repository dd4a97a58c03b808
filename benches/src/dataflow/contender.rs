//! Contenders that search from a subset of the sources, as large as their time budget allows.

use std::time::Duration;

use rayon::ThreadPool;
use vyre_graph::CsrView;

use super::digest::{Digest, Expected, Findings, Found};
use super::engine::Engine;
use super::graphblas::GraphBlas;
use super::naive::{naive, naive_on_threads};
use super::petgraph::Petgraph;
use super::taint_graph::TaintGraph;
use crate::harness::{Contender, Plan, Role, Series, Timed, compare};

/// Times and findings of one search.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Time of the search.
    pub time: Duration,
    /// Part of that time in which a device ran commands.
    pub device_time: Option<Duration>,
    /// Findings of the search.
    pub findings: Findings,
}

impl Timed for Outcome {
    fn time(&self) -> Duration {
        self.time
    }
}

type Search<'c> = Box<dyn FnMut(&[u32]) -> Result<Outcome, String> + 'c>;

/// Implementation that searches from some sources.
pub struct SourceContender<'c> {
    name: String,
    role: Role,
    /// Maximum number of sources of one search; no limit without it.
    max_sources: Option<usize>,
    search: Search<'c>,
}

/// Figures of one contender.
#[derive(Clone, Debug)]
pub struct SourceTimes {
    /// Name of the contender.
    pub name: String,
    /// Side of the contender.
    pub role: Role,
    /// Number of sources of a search.
    pub sources: usize,
    /// Seconds per source, by iteration.
    pub per_source: Series,
    /// Seconds on the device for all sources, by iteration.
    pub on_device: Series,
}

/// The engine: prepares and loads the graph, and searches from all sources.
pub fn engine_contender<'c>(name: String, engine: &'c Engine, graph: CsrView<'c>) -> SourceContender<'c> {
    let search = move |sources: &[u32]| {
        let run = engine.count(graph, sources)?;
        let findings = Findings::Count(run.summary.findings);
        Ok(Outcome { time: run.time, device_time: run.device_time, findings })
    };
    SourceContender { name, role: Role::Ours, max_sources: None, search: Box::new(search) }
}

/// The engine with a graph that is loaded, for few sources.
pub fn loaded_contender<'c>(name: String, engine: &'c Engine, graph: CsrView<'c>) -> SourceContender<'c> {
    let search = move |sources: &[u32]| {
        let run = engine.count(graph, sources)?;
        let time = run.loaded_time.unwrap_or(run.time);
        Ok(Outcome { time, device_time: None, findings: Findings::Count(run.summary.findings) })
    };
    SourceContender { name, role: Role::Ours, max_sources: None, search: Box::new(search) }
}

fn peer<'c>(name: &str, search: impl Fn(&[u32]) -> Vec<Found> + 'c) -> SourceContender<'c> {
    let search = move |sources: &[u32]| {
        let start = std::time::Instant::now();
        let found = search(sources);
        let time = start.elapsed();
        Ok(Outcome { time, device_time: None, findings: Findings::Digest(Digest::of(found)) })
    };
    SourceContender { name: name.to_owned(), role: Role::Peer, max_sources: None, search: Box::new(search) }
}

/// The peers: naive BFS per source first, and the others if `all` is true.
///
/// # Errors
///
/// GraphBLAS has ended.
pub fn peers<'c>(
    graph: TaintGraph<'c>,
    all: bool,
    threads: &'c ThreadPool,
    graphblas: Option<&'c mut GraphBlas>,
) -> Result<Vec<SourceContender<'c>>, String> {
    let mut peers = vec![peer("naive, 1 thread", move |sources| naive(graph, sources))];
    if !all {
        return Ok(peers);
    }
    let name = format!("naive, sources over {} threads", threads.current_num_threads());
    peers.push(peer(&name, move |sources| threads.install(|| naive_on_threads(graph, sources))));
    let petgraph = Petgraph::new(graph);
    peers.push(peer("petgraph `Bfs` on `Csr`, 1 thread", move |sources| petgraph.search(sources)));
    if let Some(graphblas) = graphblas {
        graphblas.load(graph).map_err(|error| format!("GraphBLAS: {error}"))?;
        let search = move |sources: &[u32]| {
            let (time, digest) = graphblas.search(1, sources).map_err(|error| format!("GraphBLAS: {error}"))?;
            Ok(Outcome { time, device_time: None, findings: Findings::Digest(digest) })
        };
        // GraphBLAS keeps a level for each node and source.
        let (name, max_sources) = ("GraphBLAS, 1 thread".to_owned(), Some(64));
        peers.push(SourceContender { name, role: Role::Peer, max_sources, search: Box::new(search) });
    }
    Ok(peers)
}

/// `count` positions below `all`, evenly spaced.
fn spaced(count: usize, all: usize) -> Vec<usize> {
    (0..count).map(|at| at * all / count).collect()
}

/// Chooses the positions of the sources of a contender: all of them for the engine, and as many as a peer searches from in
/// `budget`, estimated from four sources.
fn choose_positions(
    contender: &mut SourceContender<'_>,
    sources: &[u32],
    expected: &Expected,
    budget: Duration,
) -> Result<Vec<usize>, String> {
    let max = contender.max_sources.unwrap_or(usize::MAX).min(sources.len());
    if contender.role == Role::Ours {
        return Ok(spaced(max, sources.len()));
    }
    let positions = spaced(max.min(4), sources.len());
    let outcome = search_at(contender, &positions, sources, expected)?;
    let per_source = outcome.time.as_secs_f64() / positions.len() as f64;
    let count = (budget.as_secs_f64() / per_source).clamp(1.0, max as f64) as usize;
    Ok(spaced(count, sources.len()))
}

/// Searches from the sources at some positions and verifies the findings.
fn search_at(
    contender: &mut SourceContender<'_>,
    positions: &[usize],
    sources: &[u32],
    expected: &Expected,
) -> Result<Outcome, String> {
    let nodes: Vec<u32> = positions.iter().map(|&at| sources[at]).collect();
    let outcome = (contender.search)(&nodes)?;
    match expected.agrees(positions, outcome.findings) {
        true => Ok(outcome),
        false => Err(format!("{}: unexpected findings ({:?})", contender.name, outcome.findings)),
    }
}

/// Compares contenders. The engine searches from all sources; a peer from as many as it can in `peer_budget` per iteration.
/// The findings of every search are verified.
///
/// # Errors
///
/// A contender fails, or has unexpected findings.
pub fn compare_sources(
    contenders: Vec<SourceContender<'_>>,
    sources: &[u32],
    expected: &Expected,
    plan: Plan,
    peer_budget: Duration,
) -> Result<Vec<SourceTimes>, String> {
    let mut counts = Vec::new();
    let mut ready = Vec::new();
    for mut contender in contenders {
        let positions = choose_positions(&mut contender, sources, expected, peer_budget)?;
        counts.push(positions.len());
        let (name, role) = (contender.name.clone(), contender.role);
        let search = move |_| search_at(&mut contender, &positions, sources, expected);
        ready.push(Contender::new(name, role, search));
    }
    let comparison = compare(ready, plan, |_| {})?;
    let times = comparison.measured.into_iter().zip(counts).map(|(measured, sources)| SourceTimes {
        sources,
        per_source: measured.seconds().map(|seconds| seconds / sources as f64),
        on_device: measured.partial_series(|outcome| Some(outcome.device_time?.as_secs_f64())),
        role: measured.role,
        name: measured.name,
    });
    Ok(times.collect())
}

#[cfg(test)]
mod tests {
    use super::spaced;

    #[test]
    fn positions_are_spaced_evenly() {
        assert_eq!(spaced(4, 16), [0, 4, 8, 12]);
        assert_eq!(spaced(3, 3), [0, 1, 2]);
        assert_eq!(spaced(1, 9), [0]);
    }
}
