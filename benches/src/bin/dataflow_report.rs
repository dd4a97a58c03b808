//! Measures the dataflow engine beside its peers, in one interleaved run, and prints tables in Markdown.
//!
//! `cargo run --release -p vyre-benches --bin dataflow_report -- --help`

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_benches::dataflow::{
    Answer, Backend, Budget, Digest, Engine, GraphBlas, Machine, Plain, TaintWorkload, Times, Told, Truth,
    engine_contender, loaded_contender, peers, race, sources_of, twin,
};
use vyre_benches::gpu::median;
use vyre_dataflow::{Levels, Options, Strategy};
use vyre_graph::{CsrGraph, CsrView};

/// Measures the dataflow engine beside its peers, and prints tables in Markdown.
///
/// Progress goes to standard error, tables to standard output. Everybody searches once in each round; ratios are taken within a
/// round, and their medians are shown. What the engine finds is compared with known fingerprints where there are any, and
/// with the plain search on the sources that this one is given. Everybody else must find the same. Other findings end the
/// report.
#[derive(Debug, Parser)]
#[command(name = "dataflow_report", after_help = AFTER_HELP)]
struct Arguments {
    /// Measures only this part (may be given more than once)
    #[arg(long, value_name = "PART")]
    part: Vec<Part>,

    /// Measures only these graphs
    #[arg(long, value_name = "GRAPH", num_args = 1..)]
    only: Vec<String>,

    /// Only these numbers of sources; without it 1, 64, 1024 and 16384, and 64 and 1024 for `twins` and `scales`
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u32).range(1..))]
    sources: Vec<u32>,

    /// The RMAT scales of `scales`; without it 16 to 22
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u32).range(1..=26))]
    scale: Vec<u32>,

    /// How often everything is measured, at most
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,

    /// How many threads the engine has; a second row has all of them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// Where the engine runs
    #[arg(long, default_value = "cpu")]
    backend: Backend,

    /// Which GPU, by its number
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,

    /// A Python with python-graphblas; without it, GraphBLAS is left out
    #[arg(long, value_name = "PROGRAM")]
    python: Option<String>,

    /// Leaves out all peers but the plain search, which ratios are taken to
    #[arg(long)]
    no_peers: bool,

    /// About how long a peer may take in a round; it is given fewer sources for that
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    peer_seconds: f64,

    /// After about so long a row of cells has no further rounds
    #[arg(long, value_name = "SECONDS", default_value_t = 90.0)]
    seconds: f64,

    /// How many bytes the engine may use at a time beside the graph
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,

    /// Forces a path
    #[arg(long)]
    path: Option<PathName>,

    /// Forces one kind of levels on the bit-parallel path
    #[arg(long)]
    levels: Option<LevelsName>,

    /// Forces whether nodes that reach no sink are dropped
    #[arg(long, value_name = "BOOL")]
    prune: Option<bool>,

    /// Forces whether chains are contracted
    #[arg(long, value_name = "BOOL")]
    contract: Option<bool>,

    /// Small graphs, to see that everything works; the figures mean little
    #[arg(long)]
    quick: bool,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The engine against its peers, and the memory it takes
    Peers,
    /// The engine against native code of the same algorithm, on the CPU
    Twins,
    /// Time per edge on RMAT graphs of growing scale
    Scales,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PathName {
    BitParallel,
    Words,
    PerSource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LevelsName {
    Dense,
    Thin,
}

const AFTER_HELP: &str = "\
Examples:
  dataflow_report --quick                                      every part, in a minute
  dataflow_report --part peers --only G1 G4 --sources 64 --python ~/venv/bin/python3
  dataflow_report --part scales --sources 64 --rounds 3
  dataflow_report --backend cuda --part peers --no-peers       on an NVIDIA GPU

GraphBLAS: python3 -m venv venv && venv/bin/pip install python-graphblas";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = Report::new(&arguments).and_then(|mut report| report.write());
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dataflow_report: {error}");
            ExitCode::from(2)
        }
    }
}

struct Report<'a> {
    arguments: &'a Arguments,
    options: Options,
    machine: Machine,
    threads: ThreadPool,
    one: ThreadPool,
    graphblas: Option<GraphBlas>,
    /// Finds what is right, with all threads.
    checker: Engine,
}

/// What the engine said of a run, for the table of memory.
struct Remark {
    graph: String,
    sources: usize,
    told: Told,
}

impl<'a> Report<'a> {
    fn new(arguments: &'a Arguments) -> Result<Report<'a>, Box<dyn Error>> {
        let mut options = Options::default();
        options.memory = arguments.memory;
        options.prune = arguments.prune;
        options.contract = arguments.contract;
        options.strategy = arguments.path.map(|path| match path {
            PathName::BitParallel => Strategy::BitParallel,
            PathName::Words => Strategy::Words,
            PathName::PerSource => Strategy::PerSource,
        });
        options.levels = arguments.levels.map(|levels| match levels {
            LevelsName::Dense => Levels::Dense,
            LevelsName::Thin => Levels::Sparse,
        });
        let machine =
            Machine { backend: arguments.backend, gpu: arguments.gpu, threads: usize::from(arguments.threads) };
        let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Report {
            arguments,
            checker: Engine::new(Machine { threads: 0, ..machine }, &options)?,
            options,
            machine,
            threads: pool(0)?,
            one: pool(1)?,
            graphblas: arguments.python.as_deref().map(GraphBlas::start).transpose()?,
        })
    }

    fn write(&mut self) -> Result<(), Box<dyn Error>> {
        let arguments = self.arguments;
        let is_wanted = |part: Part| arguments.part.is_empty() || arguments.part.contains(&part);
        println!("{}; up to {} rounds.", self.checker.description(), arguments.rounds);
        match &self.graphblas {
            Some(graphblas) => println!("{}.", graphblas.version),
            None => println!("GraphBLAS was left out: no `--python` was given."),
        }
        if is_wanted(Part::Peers) {
            self.peers()?;
        }
        if is_wanted(Part::Twins) && arguments.backend == Backend::Cpu {
            self.twins()?;
        }
        if is_wanted(Part::Scales) {
            self.scales()?;
        }
        Ok(())
    }

    fn workloads(&self) -> Result<Vec<TaintWorkload>, String> {
        let mut all = if self.arguments.quick { TaintWorkload::small() } else { TaintWorkload::all() };
        let only = &self.arguments.only;
        if let Some(unknown) = only.iter().find(|name| all.iter().all(|workload| workload.name != **name)) {
            return Err(format!("there is no graph `{unknown}`"));
        }
        all.retain(|workload| only.is_empty() || only.contains(&workload.name));
        Ok(all)
    }

    fn source_counts(&self, all: &[usize]) -> Vec<usize> {
        match self.arguments.sources[..] {
            [] if self.arguments.quick => all.iter().copied().filter(|&count| count <= 1024).collect(),
            [] => all.to_vec(),
            ref wanted => wanted.iter().map(|&count| count as usize).collect(),
        }
    }

    fn budget(&self) -> Budget {
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        let arguments = self.arguments;
        let [peer, all] = [arguments.peer_seconds, arguments.seconds].map(seconds);
        Budget { peer, all, rounds: usize::from(arguments.rounds) }
    }

    /// What is right for these sources, and what the engine says of it.
    fn truth(
        &self,
        workload: &TaintWorkload,
        graph: CsrView<'_>,
        sources: &[u32],
    ) -> Result<(Truth, Told), Box<dyn Error>> {
        let (truth, run) = self.checker.find(graph, sources)?;
        let is_known = workload.check(sources.len(), &truth)?;
        eprintln!(
            "{}, {} sources: {} findings, fingerprint {:016x}, {}",
            workload.name,
            sources.len(),
            truth.findings(),
            truth.fingerprint(),
            if is_known { "as it must be" } else { "compared with the plain search on some sources" }
        );
        run.summary.explanation.lines().iter().for_each(|line| eprintln!("  {line}"));
        Ok((truth, Told::of(&run.summary.explanation)))
    }

    /// An engine that has compiled what it needs.
    fn warm(&self, machine: Machine, told: Told, sources: usize) -> Result<Engine, String> {
        let mut engine = Engine::new(machine, &self.options)?;
        engine.warm_up(told.path, sources)?;
        Ok(engine)
    }

    fn peers(&mut self) -> Result<(), Box<dyn Error>> {
        println!(
            "\nThe engine against its peers. *Sources* is how many there are, *measured* from how many each of them searched in a \
             round; times of all sources are scaled from these. Preparing and loading the graph is in the engine's time, and not \
             in that of the peers; compiling is neither, but in *first use*. *Speed* is the time of the plain search over that of \
             the row, for each source.\n"
        );
        println!(
            "| Graph | Sources | Who | Measured | ms per source | All sources, ms | Speed | On the device, ms | First use, ms | \
             Rounds |"
        );
        println!("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|");
        let mut remarks = Vec::new();
        for workload in self.workloads()? {
            eprintln!("{}: {}", workload.name, workload.about);
            let graph = workload.graph()?;
            for count in self.source_counts(&[1, 64, 1024, 16_384]) {
                remarks.push(self.peers_of(&workload, &graph, count)?);
            }
        }
        print_memory(&remarks);
        Ok(())
    }

    fn peers_of(&mut self, workload: &TaintWorkload, graph: &CsrGraph, count: usize) -> Result<Remark, Box<dyn Error>> {
        let sources = sources_of(graph.view(), count)?;
        let (truth, told) = self.truth(workload, graph.view(), &sources)?;
        let mut engines = vec![self.warm(self.machine, told, count)?];
        if self.machine.backend == Backend::Cpu && engines[0].threads() != self.threads.current_num_threads() {
            engines.push(self.warm(Machine { threads: 0, ..self.machine }, told, count)?);
        }
        let budget = self.budget();
        let roles = Plain::roles(graph.view());
        let plain = Plain::new(graph.view(), &roles);
        let with_peers = !self.arguments.no_peers;
        let mut contenders = peers(plain, with_peers, &self.threads, self.graphblas.as_mut())?;
        let path = told.path.map_or(String::new(), |path| format!(", {path}"));
        for engine in &engines {
            let who = match self.machine.backend {
                Backend::Cpu => format!("**vyre**, {}{path}", threads(engine.threads())),
                Backend::Cuda => format!("**vyre**, CUDA{path}"),
                Backend::Wgpu => format!("**vyre**, wgpu{path}"),
            };
            if count < 8 {
                contenders.push(loaded_contender(format!("{who}, graph loaded before"), engine, graph.view()));
            }
            contenders.push(engine_contender(who, engine, graph.view()));
        }
        let times = race(&mut contenders, &sources, &truth, budget)?;
        let rows_of_engine = if count < 8 { 2 } else { 1 };
        let first_engine = times.len() - rows_of_engine * engines.len();
        for (at, row) in times.iter().enumerate() {
            let engine = at.checked_sub(first_engine).map(|at| &engines[at / rows_of_engine]);
            print_row(&workload.name, count, row, &times[0], engine);
        }
        Ok(Remark { graph: workload.name.clone(), sources: count, told })
    }

    fn twins(&self) -> Result<(), Box<dyn Error>> {
        println!(
            "\nThe engine on one thread against native Rust of the same algorithm, all levels dense. *Whole* is with preparing the \
             graph and handing findings on, *going through* without. Ratios are vyre over native.\n"
        );
        println!(
            "| Graph | Sources | Path | vyre whole, ms | Native whole, ms | Ratio | vyre going through, ms | Native going \
             through, ms | Ratio | Rounds |"
        );
        println!("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|");
        for workload in self.workloads()? {
            let graph = workload.graph()?;
            for count in self.source_counts(&[64, 1024]) {
                let sources = sources_of(graph.view(), count)?;
                let (truth, _) = self.truth(&workload, graph.view(), &sources)?;
                for path in [Strategy::BitParallel, Strategy::PerSource] {
                    let is_asked_for = self.options.strategy == Some(path);
                    let is_wanted = path == Strategy::PerSource || workload.is_shallow;
                    if is_asked_for || self.options.strategy.is_none() && is_wanted {
                        self.twin(&workload, &graph, &sources, &truth, path)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn twin(
        &self,
        workload: &TaintWorkload,
        graph: &CsrGraph,
        sources: &[u32],
        truth: &Truth,
        path: Strategy,
    ) -> Result<(), Box<dyn Error>> {
        eprintln!("{}, {} sources, {path}: native code", workload.name, sources.len());
        let mut options = self.options.clone().with_strategy(path).with_levels(Levels::Dense).with_prune(true);
        options.contract = options.contract.or(Some(false));
        let mut engine = Engine::new(Machine { threads: 1, ..self.machine }, &options)?;
        engine.warm_up(Some(path), sources.len())?;
        let positions: Vec<usize> = (0..sources.len()).collect();
        let check = |who: &str, answer| match truth.agrees(&positions, answer) {
            true => Ok(()),
            false => Err(format!("{who}, {path}: other findings ({answer:?})")),
        };
        let mut digest = Digest::default();
        self.one.install(|| twin(path, graph.view(), sources, |found| digest.add(found)));
        check("native code", Answer::Digest(digest))?;
        let (mut whole, mut through) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let begin = Instant::now();
        for _ in 0..self.arguments.rounds {
            let run = engine.count(graph.view(), sources)?;
            check("vyre", Answer::Count(run.summary.findings))?;
            whole[0].push(run.time.as_secs_f64());
            through[0].extend(run.device_time.map(|time| time.as_secs_f64()));
            let (start, mut findings) = (Instant::now(), 0);
            let native = self.one.install(|| twin(path, graph.view(), sources, |_| findings += 1));
            whole[1].push(start.elapsed().as_secs_f64());
            through[1].extend(native.map(|native| native.traversal.as_secs_f64()));
            check("native code", Answer::Count(findings))?;
            if begin.elapsed().as_secs_f64() > self.arguments.seconds {
                break;
            }
        }
        let ratio =
            |[ours, native]: &[Vec<f64>; 2]| median(ours.iter().zip(native).map(|(ours, native)| ours / native));
        println!(
            "| {} | {} | {path} | {} | {} | {} | {} | {} | {} | {} |",
            workload.name,
            sources.len(),
            milliseconds(&whole[0]),
            milliseconds(&whole[1]),
            number(ratio(&whole)),
            milliseconds(&through[0]),
            milliseconds(&through[1]),
            number(ratio(&through)),
            whole[0].len()
        );
        Ok(())
    }

    fn scales(&self) -> Result<(), Box<dyn Error>> {
        let scales: Vec<u32> = match self.arguments.scale[..] {
            [] if self.arguments.quick => (12..=14).collect(),
            [] => (16..=22).collect(),
            ref scales => scales.to_vec(),
        };
        println!(
            "\nTime per edge of the graph and source, RMAT graphs with 16 edges for each node, one after the other in each round.\n"
        );
        println!("| Scale | Nodes | Edges | Sources | Path | All sources, ms | ns per edge and source | Rounds |");
        println!("|--:|--:|--:|--:|---|--:|--:|--:|");
        let mut graphs = Vec::new();
        for &scale in &scales {
            eprintln!("making the graph of scale {scale}");
            let workload = TaintWorkload::scaled(scale);
            graphs.push((workload.graph()?, workload));
        }
        let mut growths = Vec::new();
        for count in self.source_counts(&[64, 1024]) {
            growths.push((count, self.growth(&scales, &graphs, count)?));
        }
        println!();
        for (count, growth) in growths {
            println!(
                "- {count} sources: the largest time per edge is {growth:.2} times the smallest (median over rounds)."
            );
        }
        Ok(())
    }

    /// How many times the smallest time per edge the largest is.
    fn growth(
        &self,
        scales: &[u32],
        graphs: &[(CsrGraph, TaintWorkload)],
        count: usize,
    ) -> Result<f64, Box<dyn Error>> {
        let budget = Budget { rounds: 1, ..self.budget() };
        let mut cases = Vec::new();
        for (graph, workload) in graphs {
            let sources = sources_of(graph.view(), count)?;
            let (truth, told) = self.truth(workload, graph.view(), &sources)?;
            let roles = Plain::roles(graph.view());
            // The plain search on some sources agrees, or there are no figures.
            race(&mut peers(Plain::new(graph.view(), &roles), false, &self.threads, None)?, &sources, &truth, budget)?;
            cases.push((graph, sources, truth.findings(), told));
        }
        let mut engine = Engine::new(self.machine, &self.options)?;
        for (_, sources, _, told) in &cases {
            engine.warm_up(told.path, sources.len())?;
        }
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); cases.len()];
        let begin = Instant::now();
        for _ in 0..self.arguments.rounds {
            for ((graph, sources, findings, _), times) in cases.iter().zip(&mut times) {
                let run = engine.count(graph.view(), sources)?;
                if run.summary.findings != *findings {
                    return Err(format!("{} findings instead of {findings}", run.summary.findings).into());
                }
                times.push(run.time.as_secs_f64());
            }
            if begin.elapsed().as_secs_f64() > self.arguments.seconds {
                break;
            }
        }
        let per_edge = |case: usize, seconds: f64| seconds / (cases[case].0.edge_count() * count) as f64;
        for (case, ((graph, _, _, told), times)) in cases.iter().zip(&times).enumerate() {
            println!(
                "| {} | {} | {} | {count} | {} | {} | {:.3} | {} |",
                scales[case],
                graph.node_count(),
                graph.edge_count(),
                told.path.map_or(String::new(), |path| path.to_string()),
                milliseconds(times),
                per_edge(case, median(times.iter().copied())) * 1e9,
                times.len()
            );
        }
        let in_round = |round: usize| {
            let costs = (0..cases.len()).map(|case| per_edge(case, times[case][round]));
            costs.clone().fold(0.0, f64::max) / costs.fold(f64::INFINITY, f64::min)
        };
        Ok(median((0..times.first().map_or(0, Vec::len)).map(in_round)))
    }
}

fn threads(count: usize) -> String {
    if count == 1 { "1 thread".to_owned() } else { format!("{count} threads") }
}

/// Nothing for what is not a number.
fn number(number: f64) -> String {
    if number.is_nan() { String::new() } else { format!("{number:.2}") }
}

fn milliseconds(seconds: &[f64]) -> String {
    number(median(seconds.iter().copied()) * 1e3)
}

fn print_row(graph: &str, count: usize, row: &Times, naive: &Times, engine: Option<&Engine>) {
    let per_source = median(row.per_source.iter().copied()) * 1e3;
    let first_use = engine.and_then(|engine| engine.first_use).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
    println!(
        "| {graph} | {count} | {} | {} | {per_source:.4} | {:.1} | {:.2} | {} | {} | {} |",
        row.name,
        row.sources,
        per_source * count as f64,
        naive.ratio_to(row),
        milliseconds(&row.on_device),
        number(first_use),
        row.per_source.len()
    );
}

fn print_memory(remarks: &[Remark]) {
    println!(
        "\nMemory beside the graph, as the engine tells it for a batch, in whole MiB. Rows take 12 bytes for each node and 32 sources, 16 for \
         each node, and 4 for each source and sink. A search of its own takes 8 bytes for each node (4.125 on a GPU), as many \
         searches as run side by side; and 4 bytes for each source and sink.\n"
    );
    println!(
        "| Graph | Sources | Path | Nodes left | Batches | Sources in a batch | MiB | Bytes per node and source |"
    );
    println!("|---|--:|---|--:|--:|--:|--:|--:|");
    for Remark { graph, sources, told } in remarks {
        let path = told.path.map_or(String::new(), |path| path.to_string());
        let nodes = told.nodes.map_or(String::new(), |nodes| nodes.to_string());
        let [batches, each, mebibytes] =
            told.batches.map_or_else(Default::default, |numbers| numbers.map(|number| number.to_string()));
        let bytes = told.bytes_per_node_and_source().map_or(String::new(), |bytes| format!("{bytes:.3}"));
        println!("| {graph} | {sources} | {path} | {nodes} | {batches} | {each} | {mebibytes} | {bytes} |");
    }
}
