//! Everybody who can search, and rounds in which each of them does.

use std::time::Duration;

use rayon::ThreadPool;
use vyre_graph::CsrView;

use super::answer::{Answer, Digest, Found, Truth};
use super::engine::Engine;
use super::graphblas::GraphBlas;
use super::naive::{naive, naive_on_threads};
use super::petgraph::Petgraph;
use super::plain::Plain;
use crate::gpu::median;

/// What a search took, and what it found.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// How long it took.
    pub time: Duration,
    /// The part of that on a device.
    pub device_time: Option<Duration>,
    /// What it found.
    pub answer: Answer,
}

type Search<'c> = Box<dyn FnMut(&[u32]) -> Result<Outcome, String> + 'c>;

/// Somebody who can search from some sources.
pub struct Contender<'c> {
    /// What it is called.
    pub name: String,
    /// The most sources at a time; all without it.
    most: Option<usize>,
    is_engine: bool,
    search: Search<'c>,
}

/// How long peers may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// A peer is given no more sources than it can search from in about this time.
    pub peer: Duration,
    /// Rounds end when everybody together has taken so long.
    pub all: Duration,
    /// The most rounds.
    pub rounds: usize,
}

/// What somebody took in each round.
#[derive(Clone, Debug)]
pub struct Times {
    /// What it is called.
    pub name: String,
    /// How many sources it searched from.
    pub sources: usize,
    /// Seconds for each source, by round.
    pub per_source: Vec<f64>,
    /// Seconds on the device in all, by round.
    pub on_device: Vec<f64>,
}

impl Times {
    /// The median of how many times as long it takes as `other`, for each source.
    #[must_use]
    pub fn ratio_to(&self, other: &Times) -> f64 {
        median(self.per_source.iter().zip(&other.per_source).map(|(own, other)| own / other))
    }
}

/// The engine as a contender.
pub fn engine_contender<'c>(name: String, engine: &'c Engine, graph: CsrView<'c>) -> Contender<'c> {
    let search = move |sources: &[u32]| {
        let run = engine.count(graph, sources)?;
        let answer = Answer::Count(run.summary.findings);
        Ok(Outcome { time: run.time, device_time: run.device_time, answer })
    };
    Contender { name, most: None, is_engine: true, search: Box::new(search) }
}

/// The engine when the graph is loaded already, for few sources.
pub fn loaded_contender<'c>(name: String, engine: &'c Engine, graph: CsrView<'c>) -> Contender<'c> {
    let search = move |sources: &[u32]| {
        let run = engine.count(graph, sources)?;
        let time = run.again.unwrap_or(run.time);
        Ok(Outcome { time, device_time: None, answer: Answer::Count(run.summary.findings) })
    };
    Contender { name, most: None, is_engine: true, search: Box::new(search) }
}

fn timed<'c>(name: &str, search: impl Fn(&[u32]) -> Vec<Found> + 'c) -> Contender<'c> {
    let search = move |sources: &[u32]| {
        let start = std::time::Instant::now();
        let found = search(sources);
        let time = start.elapsed();
        Ok(Outcome { time, device_time: None, answer: Answer::Digest(Digest::of(found)) })
    };
    Contender { name: name.to_owned(), most: None, is_engine: false, search: Box::new(search) }
}

/// The peers, the plain search first, and nobody else unless `all` are wanted.
///
/// # Errors
///
/// GraphBLAS has ended.
pub fn peers<'c>(
    graph: Plain<'c>,
    all: bool,
    threads: &'c ThreadPool,
    graphblas: Option<&'c mut GraphBlas>,
) -> Result<Vec<Contender<'c>>, String> {
    let mut peers = vec![timed("naive, 1 thread", move |sources| naive(graph, sources))];
    if !all {
        return Ok(peers);
    }
    let name = format!("naive, sources over {} threads", threads.current_num_threads());
    peers.push(timed(&name, move |sources| threads.install(|| naive_on_threads(graph, sources))));
    let petgraph = Petgraph::new(graph);
    peers.push(timed("petgraph `Bfs` on `Csr`, 1 thread", move |sources| petgraph.search(sources)));
    if let Some(graphblas) = graphblas {
        graphblas.load(graph).map_err(|error| format!("GraphBLAS: {error}"))?;
        let search = move |sources: &[u32]| {
            let (time, digest) = graphblas.search(1, sources).map_err(|error| format!("GraphBLAS: {error}"))?;
            Ok(Outcome { time, device_time: None, answer: Answer::Digest(digest) })
        };
        // It keeps a level for each node and source.
        let most = Some(64);
        let name = "GraphBLAS, 1 thread".to_owned();
        peers.push(Contender { name, most, is_engine: false, search: Box::new(search) });
    }
    Ok(peers)
}

/// So many positions below `all`, evenly spaced.
fn spaced(count: usize, all: usize) -> Vec<usize> {
    (0..count).map(|at| at * all / count).collect()
}

/// One who takes part, with the sources that it is given.
struct Runner<'r, 'c> {
    contender: &'r mut Contender<'c>,
    positions: Vec<usize>,
    nodes: Vec<u32>,
}

impl Runner<'_, '_> {
    fn run(&mut self, truth: &Truth) -> Result<Outcome, String> {
        let outcome = (self.contender.search)(&self.nodes)?;
        match truth.agrees(&self.positions, outcome.answer) {
            true => Ok(outcome),
            false => Err(format!("{}: other findings ({:?})", self.contender.name, outcome.answer)),
        }
    }
}

/// Has everybody search, in turns. The engine always has all sources; each of the others has as many as its budget allows.
///
/// # Errors
///
/// Somebody failed, or found something else than the truth.
pub fn race(
    contenders: &mut [Contender<'_>],
    sources: &[u32],
    truth: &Truth,
    budget: Budget,
) -> Result<Vec<Times>, String> {
    let mut runners = Vec::new();
    let mut first = Duration::ZERO;
    for contender in contenders {
        let most = contender.most.unwrap_or(usize::MAX).min(sources.len());
        let at = |positions: &[usize]| positions.iter().map(|&at| sources[at]).collect::<Vec<u32>>();
        let mut positions = spaced(if contender.is_engine { most } else { most.min(4) }, sources.len());
        let mut runner = Runner { contender, nodes: at(&positions), positions };
        let mut outcome = runner.run(truth)?;
        if !runner.contender.is_engine {
            let per_source = outcome.time.as_secs_f64() / runner.nodes.len() as f64;
            let count = (budget.peer.as_secs_f64() / per_source).clamp(1.0, most as f64) as usize;
            positions = spaced(count, sources.len());
            outcome.time = Duration::from_secs_f64(per_source * count as f64);
            (runner.nodes, runner.positions) = (at(&positions), positions);
        }
        first += outcome.time;
        runners.push(runner);
    }
    let rounds = (budget.all.as_secs_f64() / first.as_secs_f64()).clamp(1.0, budget.rounds as f64) as usize;
    let none = |runner: &Runner<'_, '_>| Times {
        name: runner.contender.name.clone(),
        sources: runner.nodes.len(),
        per_source: Vec::new(),
        on_device: Vec::new(),
    };
    let mut all: Vec<Times> = runners.iter().map(none).collect();
    for _ in 0..rounds {
        for (runner, times) in runners.iter_mut().zip(&mut all) {
            let outcome = runner.run(truth)?;
            times.per_source.push(outcome.time.as_secs_f64() / times.sources as f64);
            times.on_device.extend(outcome.device_time.map(|time| time.as_secs_f64()));
        }
    }
    Ok(all)
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
