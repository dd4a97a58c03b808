//! Measures the first and later analyses of a loaded graph, stage by stage.
//!
//! `cargo run --release -p vyre-benches --bin queries_report -- --help`

use std::error::Error;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use clap::Parser;
use vyre_benches::dataflow::{TaintWorkload, sources_of};
use vyre_benches::device::{Backend, DeviceRequest, description};
use vyre_dataflow::{Dataflow, Options, Summary};

/// Measures the first and later analyses of a loaded graph.
///
/// Each round loads the graph anew and analyses it three times on a device that is open and whose programs are compiled by a first
/// round, which is not shown. The table has the median round by the time of its first analysis. Findings are counted, and their number is compared between
/// all analyses.
#[derive(Debug, Parser)]
#[command(name = "queries_report")]
struct Arguments {
    /// Graphs
    #[arg(long, value_name = "GRAPH", num_args = 1.., default_values = ["G1", "G2", "G4"])]
    only: Vec<String>,

    /// Numbers of sources
    #[arg(long, value_name = "N", num_args = 1.., default_values_t = [64, 1024])]
    sources: Vec<usize>,

    /// Devices
    #[arg(long, value_name = "BACKEND", num_args = 1.., default_values = ["cpu"])]
    backend: Vec<Backend>,

    /// Position of the GPU among those of the backend
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,

    /// Threads of the CPU device; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,

    /// Number of rounds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,

    /// Prints the decisions of the engine
    #[arg(long)]
    explain: bool,
}

/// Times of a round.
struct Round {
    validate: Duration,
    analyses: Vec<(Duration, Summary)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    println!("| Graph, sources | Device | Validate | Analysis | Wall | Device busy | Stages |");
    println!("|---|---|--:|---|--:|--:|---|");
    for workload in TaintWorkload::all().into_iter().filter(|workload| arguments.only.contains(&workload.name)) {
        let graph = workload.graph()?;
        for &backend in &arguments.backend {
            let request = DeviceRequest { backend, gpu: arguments.gpu, threads: arguments.threads };
            let device = request.open()?;
            eprintln!("{}: {}", backend.name(), description(&*device));
            let engine = Dataflow::new(device).with_device_time();
            for &count in &arguments.sources {
                let sources = sources_of(graph.view(), count)?;
                let mut rounds = Vec::new();
                for number in 0..=arguments.rounds {
                    let begin = Instant::now();
                    let loaded = engine.load(graph.view())?;
                    let mut round = Round { validate: begin.elapsed(), analyses: Vec::new() };
                    for _ in 0..3 {
                        let begin = Instant::now();
                        let summary = loaded.stream(&sources, &Options::default(), |_| ControlFlow::Continue(()))?;
                        round.analyses.push((begin.elapsed(), summary));
                    }
                    if number > 0 {
                        rounds.push(round);
                    }
                }
                rounds.sort_by_key(|round| round.analyses[0].0);
                let median = rounds.swap_remove(rounds.len() / 2);
                let expected = median.analyses[0].1.findings;
                let counts = rounds.iter().flat_map(|round| &round.analyses).map(|(_, summary)| summary.findings);
                if counts
                    .chain(median.analyses.iter().map(|(_, summary)| summary.findings))
                    .any(|count| count != expected)
                {
                    return Err(format!("{}: the analyses differ in the number of findings", workload.name).into());
                }
                if arguments.explain {
                    median.analyses[0].1.explanation.lines().iter().for_each(|line| eprintln!("  {line}"));
                }
                for (number, (wall, summary)) in median.analyses.iter().enumerate() {
                    println!(
                        "| {}, {count} | {} | {:.1} ms | {} | {:.2} ms | {:.2} ms | {} |",
                        workload.name,
                        backend.name(),
                        milliseconds(median.validate),
                        ["first", "second", "third"][number],
                        milliseconds(*wall),
                        milliseconds(summary.device_time.unwrap_or_default()),
                        summary.stages
                    );
                }
            }
        }
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}
