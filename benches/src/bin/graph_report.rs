//! Measures graphs: making and turning them, reading them, and ops on them. Prints tables in Markdown.
//!
//! `cargo run --release -p vyre-benches --bin graph_report -- --help`

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use vyre_benches::gpu::{median, median_ratio};
use vyre_benches::graph::{
    Contender, EdgeOrder, GraphWorkload, Reading, Scipy, Task, contenders, op_duels, read_here, readers,
};
use vyre_graph::generate::rmat;
use vyre_graph::{Format, Graph, write_graph};
use vyre_jit::{JitDevice, JitOptions};
use vyre_ops::graph::GraphOps;
use vyre_runtime::Device;

/// Measures graphs and prints tables in Markdown.
///
/// Progress goes to standard error, tables to standard output. Everybody who does a task runs once in each round; ratios are
/// taken within a round, and their medians are shown.
#[derive(Debug, Parser)]
#[command(name = "graph_report", after_help = AFTER_HELP)]
struct Options {
    /// Measures only this part (may be given more than once)
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,

    /// How often everything is measured
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,

    /// A Python with numpy and scipy; without it, scipy is left out
    #[arg(long, value_name = "PROGRAM")]
    python: Option<String>,

    /// Where files that are read lie; they are made where they are missing, and take 4 GB
    #[arg(long, value_name = "FOLDER", default_value = "target/graph-report")]
    folder: PathBuf,

    /// Small sizes, to see that everything works; the figures mean little
    #[arg(long)]
    quick: bool,

    /// Reads FILE in this process and prints seconds, the most KiB of memory, and edges; for the report itself
    #[arg(long, value_name = "READER", hide = true, requires = "file")]
    read_here: Option<String>,

    /// The file of `--read-here`
    #[arg(hide = true)]
    file: Option<PathBuf>,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Construction and transposition, against petgraph and scipy
    Rows,
    /// Reading 100 million edges
    Reading,
    /// Ops on the CPU backend, against their references
    Ops,
}

const AFTER_HELP: &str = "\
Examples:
  graph_report --quick                               every part, in a minute
  graph_report --only rows --python ~/venv/bin/python3
  graph_report --only reading --rounds 3 --python ~/venv/bin/python3";

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match (&options.read_here, &options.file) {
        (Some(reader), Some(file)) => read_here(reader, file).map_err(Into::into),
        _ => report(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("graph_report: {error}");
            ExitCode::from(2)
        }
    }
}

fn report(options: &Options) -> Result<(), Box<dyn Error>> {
    let is_wanted = |part: Part| options.only.is_empty() || options.only.contains(&part);
    println!("{} threads, {} rounds.", rayon::current_num_threads(), options.rounds);
    if is_wanted(Part::Rows) {
        report_rows(options)?;
    }
    if is_wanted(Part::Reading) {
        report_reading(options)?;
    }
    if is_wanted(Part::Ops) {
        report_ops(options)?;
    }
    Ok(())
}

fn report_rows(options: &Options) -> Result<(), Box<dyn Error>> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut scipy = options.python.as_deref().map(Scipy::start).transpose()?;
    match &scipy {
        Some(scipy) => println!("\n{}.", scipy.version),
        None => println!("\nscipy was left out: no `--python` was given."),
    }
    println!("\n| Graph | Task | Edges | Who | ns per edge | Times vyre's |\n|---|---|---|---|--:|--:|");
    let [small, large, _, calls] = GraphWorkload::ALL;
    for workload in if options.quick { vec![small] } else { vec![large, calls] } {
        let graph = workload.graph();
        for order in EdgeOrder::ALL {
            let edges = order.edges(&graph);
            let tasks = match order {
                EdgeOrder::Shuffled => &[Task::Construct, Task::Transpose][..],
                // Rows are the same, so transposition is too.
                EdgeOrder::Sorted => &[Task::Construct],
            };
            let mut contenders = contenders(&graph, &edges, &one, scipy.as_mut());
            for &task in tasks {
                eprintln!("{}, {}, {} edges", workload.name, task.name(), order.name());
                let times = race(&mut contenders, task, usize::from(options.rounds));
                let order = if task == Task::Construct { order.name() } else { "" };
                for (name, times_of) in &times {
                    let nanoseconds = median(times_of.iter().map(Duration::as_secs_f64)) * 1e9 / edges.len() as f64;
                    let ratio = median_ratio(times_of, &times[0].1);
                    let graph = format!("{} ({} edges)", workload.name, edges.len());
                    println!("| {graph} | {} | {order} | {name} | {nanoseconds:.2} | {ratio:.2} |", task.name());
                }
            }
        }
    }
    Ok(())
}

/// The times of all who can do the task, taken in turns.
fn race(contenders: &mut [Contender<'_>], task: Task, rounds: usize) -> Vec<(String, Vec<Duration>)> {
    let mut times: Vec<(String, Vec<Duration>)> = contenders.iter().map(|who| (who.name.clone(), Vec::new())).collect();
    for _ in 0..rounds {
        for (who, (_, times)) in contenders.iter_mut().zip(&mut times) {
            times.extend(who.time(task));
        }
    }
    times.retain(|(_, times)| !times.is_empty());
    times
}

fn report_reading(options: &Options) -> Result<(), Box<dyn Error>> {
    // Parallel edges are left out, so there are a few more than 100 million to begin with.
    let (scale, factor) = if options.quick { (16, 16) } else { (23, 13) };
    let file = |ending: &str| options.folder.join(format!("rmat-{scale}-{factor}.{ending}"));
    make_files(&options.folder, scale, factor, file)?;
    println!(
        "\n| Reader | File | Seconds | Million edges per second | Peak memory, MiB | Bytes per edge | Times the text reader's |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let mut times: Vec<Vec<Reading>> = vec![Vec::new(); readers().len()];
    for round in 0..options.rounds.min(3) {
        for (reader, times) in readers().iter().zip(&mut times) {
            eprintln!("round {round}: {}", reader.about);
            match reader.read(&file(reader.ending), options.python.as_deref()) {
                Ok(reading) => times.push(reading),
                Err(error) => eprintln!("{}: left out: {}", reader.about, error.trim()),
            }
        }
    }
    let first: Vec<Duration> = times[0].iter().map(|reading| reading.time).collect();
    for (reader, readings) in readers().iter().zip(&times).filter(|(_, readings)| !readings.is_empty()) {
        let own: Vec<Duration> = readings.iter().map(|reading| reading.time).collect();
        let seconds = median(own.iter().map(Duration::as_secs_f64));
        let peak = median(readings.iter().map(|reading| reading.peak_kib as f64));
        let edges = readings[0].edges as f64;
        let size = std::fs::metadata(file(reader.ending))?.len();
        println!(
            "| {} | {} MB | {seconds:.2} | {:.1} | {:.0} | {:.1} | {:.2} |",
            reader.about,
            size / 1_000_000,
            edges / seconds / 1e6,
            peak / 1024.0,
            peak * 1024.0 / edges,
            median_ratio(&own, &first)
        );
    }
    println!("\n{} edges.", times[0].first().map_or(0, |reading| reading.edges));
    Ok(())
}

fn make_files(folder: &Path, scale: u32, factor: u32, file: impl Fn(&str) -> PathBuf) -> Result<(), Box<dyn Error>> {
    let formats = [("txt", Format::EDGE_LIST), ("mtx", Format::MATRIX_MARKET), ("vgr", Format::BINARY)];
    if formats.iter().all(|(ending, _)| file(ending).exists()) {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    eprintln!("making the graph");
    let graph = Graph { csr: rmat(scale, factor, 0x5EED_0005)?, weights: None, names: None };
    for (ending, format) in formats {
        eprintln!("writing {}", file(ending).display());
        write_graph(format, graph.view(), BufWriter::new(File::create(file(ending))?), &())?;
    }
    Ok(())
}

fn report_ops(options: &Options) -> Result<(), Box<dyn Error>> {
    println!("\n| Graph | Op | CPU backend, ms | Reference, ms | Reference / backend |\n|---|---|--:|--:|--:|");
    let device: Arc<dyn Device> = Arc::new(JitDevice::new(&JitOptions::default())?);
    let ops = GraphOps::new(device);
    let workloads = if options.quick { &GraphWorkload::ALL[..1] } else { &GraphWorkload::ALL[..] };
    for workload in workloads {
        eprintln!("ops on {}", workload.name);
        let graph = workload.graph();
        for duel in op_duels(&ops, graph.view(), if options.quick { 64 } else { 128 })? {
            let rounds = 0..options.rounds.min(5);
            let (times, references): (Vec<_>, Vec<_>) = rounds.map(|_| (duel.time(), duel.time_reference())).unzip();
            let milliseconds = |times: &[Duration]| median(times.iter().map(Duration::as_secs_f64)) * 1e3;
            println!(
                "| {} | `{}` | {:.1} | {:.1} | {:.2} |",
                workload.name,
                duel.name,
                milliseconds(&times),
                milliseconds(&references),
                median_ratio(&references, &times)
            );
        }
    }
    Ok(())
}
