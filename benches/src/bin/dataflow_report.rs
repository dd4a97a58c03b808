//! Measures the dataflow engine against its peers.
//!
//! `cargo run --release -p vyre-benches --bin dataflow_report -- --help`

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_benches::dataflow::{
    Digest, Engine, Expected, Explained, Findings, GraphBlas, LOADED_SEARCH_SOURCES, SourceTimes, TaintGraph,
    TaintWorkload, compare_sources, engine_contender, loaded_contender, native_search, peers, sources_of,
};
use vyre_benches::device::{Backend, DeviceRequest};
use vyre_benches::harness::{
    ChartSpec, Comparison, Contender, OutputArgs, Plan, Report, Role, Series, Table, Timed, compare, exit_code,
    finished, step,
};
use vyre_dataflow::{Levels, Options, Strategy};
use vyre_graph::{CsrGraph, CsrView};

/// Measures the dataflow engine against BFS per source, petgraph, GraphBLAS and native code.
///
/// Progress goes to standard error, Markdown to standard output. Every contender searches once in each iteration; ratios are taken
/// within an iteration, and the report shows their medians. The findings of the engine are verified against known fingerprints,
/// and against the naive search on the sources that it is given. All contenders must have the same findings; a difference ends the
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

    /// Numbers of sources [default: 1 64 1024 16384; 64 and 1024 for `native` and `scales`]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u32).range(1..))]
    sources: Vec<u32>,

    /// R-MAT scales of the part `scales` [default: 16 to 22]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u32).range(1..=26))]
    scale: Vec<u32>,

    /// Maximum number of iterations
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    /// Threads of the engine; a second row has one thread per core
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// Device of the engine
    #[arg(long, default_value = "cpu")]
    backend: Backend,

    /// Position of the GPU among those of the backend
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,

    /// Python with python-graphblas; GraphBLAS is left out without it
    #[arg(long, value_name = "PROGRAM")]
    python: Option<String>,

    /// Leaves out all peers but the naive search, which ratios refer to
    #[arg(long)]
    no_peers: bool,

    /// Time of a peer in one iteration, about; it searches from as few sources as that takes
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    peer_seconds: f64,

    /// Time after which no further iteration starts, for each graph and number of sources
    #[arg(long, value_name = "SECONDS", default_value_t = 90.0)]
    seconds: f64,

    /// Maximum memory of the engine beside the graph
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,

    /// Forces a strategy
    #[arg(long)]
    strategy: Option<StrategyName>,

    /// Forces one kind of levels of the bit-parallel strategy
    #[arg(long)]
    levels: Option<LevelsName>,

    /// Forces pruning of nodes that reach no sink, or forbids it
    #[arg(long, value_name = "BOOL")]
    prune: Option<bool>,

    /// Forces contraction of chains, or forbids it
    #[arg(long, value_name = "BOOL")]
    contract: Option<bool>,

    /// Small graphs, to see that everything works; the figures mean little
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    output: OutputArgs,
}

/// Part of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The engine against its peers, and its memory
    Peers,
    /// The engine against native code of the same algorithms, on the CPU
    Native,
    /// Time per edge on R-MAT graphs of growing scale
    Scales,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StrategyName {
    /// Multi-source BFS with a bit per source
    BitParallel,
    /// Label-correcting search of multi-source distances
    Distances,
    /// One BFS per source up to a region that most searches share
    SharedRegion,
    /// A word of facts per node and source
    Words,
    /// One BFS per source
    PerSource,
    /// One BFS per source in plain code
    Host,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LevelsName {
    /// Every node reads its predecessors
    Dense,
    /// Nodes of the frontier write their successors
    Sparse,
}

const AFTER_HELP: &str = "\
Examples:
  dataflow_report --quick                                      every part, in a minute
  dataflow_report --part peers --only G1 G4 --sources 64 --python ~/venv/bin/python3
  dataflow_report --part scales --sources 64 --iterations 3
  dataflow_report --backend cuda --part peers --no-peers       on an NVIDIA GPU
  dataflow_report --out benches/results                        writes dataflow_report.md and .svg too

GraphBLAS: python3 -m venv venv && venv/bin/pip install python-graphblas";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    exit_code("dataflow_report", DataflowReport::new(&arguments).and_then(DataflowReport::write))
}

struct DataflowReport<'a> {
    arguments: &'a Arguments,
    report: Report,
    options: Options,
    request: DeviceRequest,
    threads: ThreadPool,
    one_thread: ThreadPool,
    graphblas: Option<GraphBlas>,
    /// Engine with all threads that computes the expected findings.
    verifier: Engine,
}

/// Explanation of a run, for the table of memory.
struct MemoryRow {
    graph: String,
    sources: usize,
    explained: Explained,
}

/// Times of the engine or of native code.
#[derive(Clone, Copy)]
struct NativeSample {
    whole: Duration,
    traversal: Option<Duration>,
}

impl Timed for NativeSample {
    fn time(&self) -> Duration {
        self.whole
    }
}

/// Graph with sources and their number of findings, for the part `scales`.
struct ScaleCase<'g> {
    scale: u32,
    graph: &'g CsrGraph,
    sources: Vec<u32>,
    findings: u64,
    explained: Explained,
}

impl<'a> DataflowReport<'a> {
    fn new(arguments: &'a Arguments) -> Result<DataflowReport<'a>, Box<dyn Error>> {
        let mut options = Options::default();
        options.memory = arguments.memory;
        options.prune = arguments.prune;
        options.contract = arguments.contract;
        options.strategy = arguments.strategy.map(|strategy| match strategy {
            StrategyName::BitParallel => Strategy::BitParallel,
            StrategyName::Distances => Strategy::Distances,
            StrategyName::SharedRegion => Strategy::SharedRegion,
            StrategyName::Words => Strategy::Words,
            StrategyName::PerSource => Strategy::PerSource,
            StrategyName::Host => Strategy::Host,
        });
        options.levels = arguments.levels.map(|levels| match levels {
            LevelsName::Dense => Levels::Dense,
            LevelsName::Sparse => Levels::Sparse,
        });
        let threads = usize::from(arguments.threads);
        let request = DeviceRequest { backend: arguments.backend, gpu: arguments.gpu, threads };
        let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(DataflowReport {
            arguments,
            verifier: Engine::new(DeviceRequest { threads: 0, ..request }, &options)?,
            options,
            request,
            threads: pool(0)?,
            one_thread: pool(1)?,
            graphblas: arguments.python.as_deref().map(GraphBlas::start).transpose()?,
            report: Report::new("dataflow_report", "Dataflow: sources that reach sinks", &arguments.output),
        })
    }

    fn write(mut self) -> Result<(), Box<dyn Error>> {
        let arguments = self.arguments;
        let is_selected = |part: Part| arguments.part.is_empty() || arguments.part.contains(&part);
        let device = self.verifier.description();
        self.report.paragraph(&format!("{device}; up to {} iterations.", arguments.iterations));
        match &self.graphblas {
            Some(graphblas) => self.report.paragraph(&format!("{}.", graphblas.version)),
            None => self.report.paragraph("GraphBLAS is left out: no `--python` was given."),
        }
        if is_selected(Part::Peers) {
            self.report_peers()?;
        }
        if is_selected(Part::Native) && arguments.backend == Backend::Cpu {
            self.report_native()?;
        }
        if is_selected(Part::Scales) {
            self.report_scales()?;
        }
        self.report.finish()?;
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
            ref counts => counts.iter().map(|&count| count as usize).collect(),
        }
    }

    fn plan(&self) -> Plan {
        Plan::new(usize::from(self.arguments.iterations)).with_time_limit(seconds(self.arguments.seconds))
    }

    /// Computes the expected findings of some sources, and returns them with the explanation of the engine.
    fn expected(
        &self,
        workload: &TaintWorkload,
        graph: CsrView<'_>,
        sources: &[u32],
    ) -> Result<(Expected, Explained), Box<dyn Error>> {
        let (expected, run) = self.verifier.find(graph, sources)?;
        let is_known = workload.check(sources.len(), &expected)?;
        step("");
        eprintln!(
            "{}, {} sources: {} findings, fingerprint {:016x}, {}",
            workload.name,
            sources.len(),
            expected.findings(),
            expected.fingerprint(),
            if is_known { "which is the known one" } else { "verified against the naive search on some sources" }
        );
        run.summary.explanation.lines().iter().for_each(|line| eprintln!("  {line}"));
        Ok((expected, Explained::new(&run.summary.explanation)))
    }

    /// Engine that has compiled the programs it needs.
    fn warm_engine(&self, request: DeviceRequest, explained: Explained, sources: usize) -> Result<Engine, String> {
        let mut engine = Engine::new(request, &self.options)?;
        engine.warm_up(explained.strategy, sources)?;
        Ok(engine)
    }

    fn report_peers(&mut self) -> Result<(), Box<dyn Error>> {
        self.report.heading("The engine against its peers");
        self.report.paragraph(
            "*Measured* is the number of sources that a contender searches from in an iteration; times of all sources are scaled \
             from it. The time of the engine includes preparing and loading the graph, that of the peers does not. Compilation is \
             in *first use* only. *Speed* is the time of the naive search over that of the row, per source.",
        );
        self.report.chart(
            &ChartSpec::speed(
                "Speed of the engine relative to naive BFS per source on one thread",
                &["Graph", "Sources", "Contender"],
                "Speed",
                "time of naive BFS over time of vyre, per source",
            )
            .only("Side", "vyre"),
        );
        let table = Table::new()
            .text("Graph")
            .number("Sources")
            .text("Contender")
            .text("Side")
            .numbers(["Measured", "ms per source"]);
        self.report.table(&table.numbers([
            "All sources, ms",
            "Speed",
            "On the device, ms",
            "First use, ms",
            "Iterations",
        ]));
        let mut rows = Vec::new();
        for workload in self.workloads()? {
            step(&format!("{}: generating {}", workload.name, workload.about));
            let graph = workload.graph()?;
            for count in self.source_counts(&[1, 64, 1024, 16_384]) {
                rows.push(self.report_peers_of(&workload, &graph, count)?);
                finished(&format!("{}, {count} sources", workload.name));
            }
        }
        self.report_memory(&rows);
        Ok(())
    }

    fn report_peers_of(
        &mut self,
        workload: &TaintWorkload,
        graph: &CsrGraph,
        count: usize,
    ) -> Result<MemoryRow, Box<dyn Error>> {
        let sources = sources_of(graph.view(), count)?;
        let (expected, explained) = self.expected(workload, graph.view(), &sources)?;
        let mut engines = vec![self.warm_engine(self.request, explained, count)?];
        if self.request.backend == Backend::Cpu && engines[0].threads() != self.threads.current_num_threads() {
            engines.push(self.warm_engine(DeviceRequest { threads: 0, ..self.request }, explained, count)?);
        }
        let plan = self.plan();
        let roles = TaintGraph::roles(graph.view());
        let with_peers = !self.arguments.no_peers;
        let taint_graph = TaintGraph::new(graph.view(), &roles);
        let mut contenders = peers(taint_graph, with_peers, &self.threads, self.graphblas.as_mut())?;
        let strategy = explained.strategy.map_or(String::new(), |strategy| format!(", {strategy}"));
        // First use of the engine of each row.
        let mut first_uses = vec![None; contenders.len()];
        for engine in &engines {
            let name = match self.request.backend {
                Backend::Cpu => format!("**vyre**, {}{strategy}", threads(engine.threads())),
                backend => format!("**vyre**, {}{strategy}", backend.name()),
            };
            if count < LOADED_SEARCH_SOURCES {
                contenders.push(loaded_contender(format!("{name}, graph loaded"), engine, graph.view()));
                first_uses.push(engine.first_use);
            }
            contenders.push(engine_contender(name, engine, graph.view()));
            first_uses.push(engine.first_use);
        }
        let times = compare_sources(contenders, &sources, &expected, plan, seconds(self.arguments.peer_seconds))?;
        let Some(naive) = times.first() else { return Err("there is no naive search".into()) };
        for (row, first_use) in times.iter().zip(first_uses) {
            self.report.row(peer_cells(&workload.name, count, row, naive, first_use));
        }
        Ok(MemoryRow { graph: workload.name.clone(), sources: count, explained })
    }

    fn report_memory(&mut self, rows: &[MemoryRow]) {
        self.report.paragraph(
            "Memory beside the graph, as the engine explains it for a batch, in whole MiB. Bit-parallel search takes 12 bytes per node \
             and 32 sources, 16 per node, and 4 per source and sink. Search per source takes 8 bytes per node (4.125 on a GPU) for \
             each concurrent search, and 4 bytes per source and sink.",
        );
        let columns = ["Nodes left", "Batches", "Sources in a batch", "MiB", "Bytes per node and source"];
        self.report.table(&Table::new().text("Graph").number("Sources").text("Strategy").numbers(columns));
        for MemoryRow { graph, sources, explained } in rows {
            let number = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
            self.report.row([
                graph.clone(),
                sources.to_string(),
                explained.strategy_name(),
                number(explained.nodes),
                number(explained.batches.map(|batches| batches.count)),
                number(explained.batches.map(|batches| batches.sources)),
                number(explained.batches.map(|batches| batches.mebibytes)),
                explained.bytes_per_node_and_source().map_or(String::new(), |bytes| format!("{bytes:.3}")),
            ]);
        }
    }

    fn report_native(&mut self) -> Result<(), Box<dyn Error>> {
        self.report.heading("The engine against native code of the same algorithms");
        self.report.paragraph(
            "One thread, all levels dense. *Whole* includes preparing the graph and emitting findings, *traversal* does not. Ratios \
             are the time of vyre over that of native Rust.",
        );
        self.report.chart(&ChartSpec::ratio(
            "Time of the engine relative to native code of the same algorithm",
            &["Graph", "Sources", "Strategy"],
            "Ratio of the whole",
            "time of vyre over time of native Rust",
        ));
        let table = Table::new().text("Graph").number("Sources").text("Strategy");
        let table = table.numbers(["vyre whole, ms", "Native whole, ms", "Ratio of the whole", "vyre traversal, ms"]);
        self.report.table(&table.numbers(["Native traversal, ms", "Ratio of the traversal", "Iterations"]));
        for workload in self.workloads()? {
            let graph = workload.graph()?;
            for count in self.source_counts(&[64, 1024]) {
                let sources = sources_of(graph.view(), count)?;
                let (expected, _) = self.expected(&workload, graph.view(), &sources)?;
                for strategy in [Strategy::BitParallel, Strategy::PerSource] {
                    let is_forced = self.options.strategy == Some(strategy);
                    let is_suitable = strategy == Strategy::PerSource || workload.is_shallow;
                    if is_forced || self.options.strategy.is_none() && is_suitable {
                        let cells = self.native_cells(&graph, &sources, &expected, strategy)?;
                        let labels = [workload.name.clone(), sources.len().to_string(), strategy.to_string()];
                        self.report.row(labels.into_iter().chain(cells));
                        finished(&format!("{}, {count} sources, {strategy}: native code", workload.name));
                    }
                }
            }
        }
        Ok(())
    }

    fn native_cells(
        &self,
        graph: &CsrGraph,
        sources: &[u32],
        expected: &Expected,
        strategy: Strategy,
    ) -> Result<[String; 7], Box<dyn Error>> {
        let mut options = self.options.clone().with_strategy(strategy).with_levels(Levels::Dense).with_prune(true);
        options.contract = options.contract.or(Some(false));
        let mut engine = Engine::new(DeviceRequest { threads: 1, ..self.request }, &options)?;
        engine.warm_up(Some(strategy), sources.len())?;
        let positions: Vec<usize> = (0..sources.len()).collect();
        let verify = |name: &str, findings| match expected.agrees(&positions, findings) {
            true => Ok(()),
            false => Err(format!("{name}, {strategy}: unexpected findings ({findings:?})")),
        };
        let mut digest = Digest::default();
        self.one_thread.install(|| native_search(strategy, graph.view(), sources, |found| digest.add(found)));
        verify("native code", Findings::Digest(digest))?;
        let ours: Contender<'_, NativeSample, String> = Contender::new("vyre", Role::Ours, |_| {
            let run = engine.count(graph.view(), sources)?;
            verify("vyre", Findings::Count(run.summary.findings))?;
            Ok(NativeSample { whole: run.time, traversal: run.device_time })
        });
        let native = Contender::new("native", Role::Peer, |_| {
            let (start, mut findings) = (Instant::now(), 0);
            let native = self.one_thread.install(|| native_search(strategy, graph.view(), sources, |_| findings += 1));
            let whole = start.elapsed();
            verify("native code", Findings::Count(findings))?;
            Ok(NativeSample { whole, traversal: native.map(|native| native.time) })
        });
        let comparison: Comparison<NativeSample> = compare(vec![ours, native], self.plan(), |_| {})?;
        let [ours, native] = &comparison.measured[..] else { return Err("a contender is missing".into()) };
        let [whole, native_whole] = [ours.seconds(), native.seconds()];
        let [traversal, native_traversal] =
            [ours, native].map(|row| row.partial_series(|sample| Some(sample.traversal?.as_secs_f64())));
        Ok([
            milliseconds(&whole),
            milliseconds(&native_whole),
            number(whole.ratio_to(&native_whole)),
            milliseconds(&traversal),
            milliseconds(&native_traversal),
            number(traversal.ratio_to(&native_traversal)),
            whole.len().to_string(),
        ])
    }

    fn report_scales(&mut self) -> Result<(), Box<dyn Error>> {
        let scales: Vec<u32> = match self.arguments.scale[..] {
            [] if self.arguments.quick => (12..=14).collect(),
            [] => (16..=22).collect(),
            ref scales => scales.to_vec(),
        };
        self.report.heading("Scaling");
        self.report.paragraph(
            "Time per edge of the graph and source on R-MAT graphs with 16 edges per node, interleaved in each iteration.",
        );
        let table = Table::new().numbers(["Scale", "Nodes", "Edges", "Sources"]).text("Strategy");
        self.report.table(&table.numbers(["All sources, ms", "ns per edge and source", "Iterations"]));
        let mut graphs = Vec::new();
        for &scale in &scales {
            step(&format!("scales: generating the graph of scale {scale}"));
            let workload = TaintWorkload::scaled(scale);
            graphs.push((scale, workload.graph()?, workload));
        }
        let mut growths = Vec::new();
        for count in self.source_counts(&[64, 1024]) {
            let growth = self.report_growth(&graphs, count)?;
            growths.push(format!(
                "{count} sources: the largest time per edge is {growth:.2} times the smallest (median over iterations)."
            ));
        }
        finished("scales");
        self.report.list(growths);
        Ok(())
    }

    /// Reports all scales and returns the ratio of the largest time per edge to the smallest.
    fn report_growth(
        &mut self,
        graphs: &[(u32, CsrGraph, TaintWorkload)],
        count: usize,
    ) -> Result<f64, Box<dyn Error>> {
        let mut cases = Vec::new();
        for (scale, graph, workload) in graphs {
            let sources = sources_of(graph.view(), count)?;
            let (expected, explained) = self.expected(workload, graph.view(), &sources)?;
            let roles = TaintGraph::roles(graph.view());
            // The naive search on some sources must agree.
            let naive = peers(TaintGraph::new(graph.view(), &roles), false, &self.threads, None)?;
            compare_sources(naive, &sources, &expected, Plan::new(1), seconds(self.arguments.peer_seconds))?;
            cases.push(ScaleCase { scale: *scale, graph, sources, findings: expected.findings(), explained });
        }
        let mut engine = Engine::new(self.request, &self.options)?;
        for case in &cases {
            engine.warm_up(case.explained.strategy, case.sources.len())?;
        }
        let contenders = cases.iter().map(|case| {
            let engine = &engine;
            Contender::new(case.scale.to_string(), Role::Ours, move |_| {
                let run = engine.count(case.graph.view(), &case.sources)?;
                match run.summary.findings == case.findings {
                    true => Ok(run.time),
                    false => Err(format!("{} findings instead of {}", run.summary.findings, case.findings)),
                }
            })
        });
        let comparison: Comparison =
            compare(contenders.collect(), self.plan(), |what| step(&format!("scales, {count} sources: {what}")))?;
        let mut costs: Vec<Series> = Vec::new();
        for (case, measured) in cases.iter().zip(&comparison.measured) {
            let times = measured.seconds();
            let cost = times.map(|seconds| seconds / (case.graph.edge_count() * count) as f64);
            self.report.row([
                case.scale.to_string(),
                case.graph.node_count().to_string(),
                case.graph.edge_count().to_string(),
                count.to_string(),
                case.explained.strategy_name(),
                milliseconds(&times),
                format!("{:.3}", cost.median() * 1e9),
                times.len().to_string(),
            ]);
            costs.push(cost);
        }
        let by_median = |one: &&Series, other: &&Series| one.median().total_cmp(&other.median());
        let (largest, smallest) = (costs.iter().max_by(by_median), costs.iter().min_by(by_median));
        Ok(largest.zip(smallest).map_or(f64::NAN, |(largest, smallest)| largest.ratio_to(smallest)))
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO)
}

fn threads(count: usize) -> String {
    if count == 1 { "1 thread".to_owned() } else { format!("{count} threads") }
}

/// Cell of a figure; empty for NaN.
fn number(number: f64) -> String {
    if number.is_nan() { String::new() } else { format!("{number:.2}") }
}

fn milliseconds(seconds: &Series) -> String {
    number(seconds.median() * 1e3)
}

fn peer_cells(
    graph: &str,
    count: usize,
    row: &SourceTimes,
    naive: &SourceTimes,
    first_use: Option<Duration>,
) -> [String; 11] {
    let per_source = row.per_source.median() * 1e3;
    [
        graph.to_owned(),
        count.to_string(),
        row.name.clone(),
        (if row.role == Role::Ours { "vyre" } else { "peer" }).to_owned(),
        row.sources.to_string(),
        format!("{per_source:.4}"),
        format!("{:.1}", per_source * count as f64),
        format!("{:.2}", naive.per_source.ratio_to(&row.per_source)),
        milliseconds(&row.on_device),
        number(first_use.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)),
        row.per_source.len().to_string(),
    ]
}
