//! Measures construction, transposition and reading of graphs, and graph ops.
//!
//! `cargo run --release -p vyre-benches --bin graph_report -- --help`

use std::cell::RefCell;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, ValueEnum};
use vyre_benches::graph::{
    EdgeOrder, GraphWorkload, READERS, Reading, Scipy, Task, csr_contenders, op_contenders, read_in_this_process,
};
use vyre_benches::harness::{
    ChartSpec, Comparison, Contender, OutputArgs, Plan, Report, Role, Table, compare, exit_code, finished, step,
};
use vyre_graph::file::write_binary_with_index;
use vyre_graph::generate::rmat;
use vyre_graph::{Format, Graph, write_graph};
use vyre_jit::{JitDevice, JitOptions};
use vyre_ops::graph::GraphOps;
use vyre_runtime::Device;

/// Measures construction, transposition and reading of graphs, and graph ops on the CPU backend.
///
/// Progress goes to standard error, Markdown to standard output. Every contender runs once in each iteration; ratios are taken
/// within an iteration, and the report shows their medians.
#[derive(Debug, Parser)]
#[command(name = "graph_report", after_help = AFTER_HELP)]
struct Options {
    /// Measures only this part (may be given more than once)
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,

    /// Number of iterations; at most 3 for `reading` and 5 for `ops`
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    /// Python with numpy and scipy; scipy is left out without it
    #[arg(long, value_name = "PROGRAM")]
    python: Option<String>,

    /// Folder of the files that are read; missing files are generated and take 4 GB
    #[arg(long, value_name = "FOLDER", default_value = "target/graph-report")]
    folder: PathBuf,

    /// Small sizes, to see that everything works; the figures mean little
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    output: OutputArgs,

    /// Reads FILE in this process and prints seconds, peak KiB and edges; for the child processes of the report
    #[arg(long, value_name = "READER", hide = true, requires = "file")]
    read_here: Option<String>,

    /// File of `--read-here`
    #[arg(hide = true)]
    file: Option<PathBuf>,
}

/// Part of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Construction and transposition of CSR graphs, against a counting sort, petgraph and scipy
    Csr,
    /// Reading of 100 million edges from files
    Reading,
    /// Graph ops on the CPU backend, against their references
    Ops,
}

const AFTER_HELP: &str = "\
Examples:
  graph_report --quick                                every part, in a minute
  graph_report --only csr --python ~/venv/bin/python3
  graph_report --only reading --iterations 3 --python ~/venv/bin/python3
  graph_report --out benches/results                  writes graph_report.md and graph_report.svg too

scipy: python3 -m venv venv && venv/bin/pip install scipy";

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match (&options.read_here, &options.file) {
        (Some(reader), Some(file)) => read_in_this_process(reader, file).map_err(Into::into),
        _ => report(&options),
    };
    exit_code("graph_report", outcome)
}

fn report(options: &Options) -> Result<(), Box<dyn Error>> {
    let is_selected = |part: Part| options.only.is_empty() || options.only.contains(&part);
    let mut report = Report::new("graph_report", "Graphs: construction, files, ops", &options.output);
    report.paragraph(&format!("{} threads, {} iterations.", rayon::current_num_threads(), options.iterations));
    if is_selected(Part::Csr) {
        report_csr(&mut report, options)?;
    }
    if is_selected(Part::Reading) {
        report_reading(&mut report, options)?;
    }
    if is_selected(Part::Ops) {
        report_ops(&mut report, options)?;
    }
    report.finish()?;
    Ok(())
}

fn report_csr(report: &mut Report, options: &Options) -> Result<(), Box<dyn Error>> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let scipy = options.python.as_deref().map(Scipy::start).transpose()?.map(RefCell::new);
    report.heading("Construction and transposition of CSR graphs");
    match &scipy {
        Some(scipy) => report.paragraph(&format!("{}.", scipy.borrow().version)),
        None => report.paragraph("scipy is left out: no `--python` was given."),
    }
    report
        .paragraph("*Times vyre* is the time of the row over that of vyre with all threads: above 1, vyre is faster.");
    report.chart(
        &ChartSpec::speed(
            "Construction and transposition: speed of vyre relative to its peers",
            &["Graph", "Task", "Edges", "Contender"],
            "Times vyre",
            "time of the peer over time of vyre with all threads",
        )
        .only("Side", "peer"),
    );
    let table = Table::new().text("Graph").text("Task").text("Edges").text("Contender").text("Side");
    report.table(&table.numbers(["ns per edge", "Times vyre"]));
    let [small, large, _, calls] = GraphWorkload::ALL;
    for workload in if options.quick { vec![small] } else { vec![large, calls] } {
        let graph = workload.graph();
        for order in EdgeOrder::ALL {
            let edges = order.edges(&graph);
            if let Some(scipy) = &scipy {
                scipy.borrow_mut().load(graph.node_count() as u32, &edges)?;
            }
            let tasks = match order {
                EdgeOrder::Shuffled => &[Task::Construct, Task::Transpose][..],
                // The CSR graph is the same, so its transposition is too.
                EdgeOrder::Sorted => &[Task::Construct],
            };
            for &task in tasks {
                let contenders = csr_contenders(&graph, &edges, task, &one, scipy.as_ref());
                let comparison: Comparison = compare(contenders, Plan::new(usize::from(options.iterations)), |what| {
                    step(&format!("{}, {}, {} edges: {what}", workload.name, task.name(), order.name()));
                })?;
                finished(&format!("{}, {}, {} edges", workload.name, task.name(), order.name()));
                let order = if task == Task::Construct { order.name() } else { "" };
                for measured in &comparison.measured {
                    let seconds = measured.seconds();
                    report.row([
                        format!("{} ({} edges)", workload.name, edges.len()),
                        task.name().to_owned(),
                        order.to_owned(),
                        measured.name.clone(),
                        (if measured.role == Role::Ours { "vyre" } else { "peer" }).to_owned(),
                        format!("{:.2}", seconds.median() * 1e9 / edges.len() as f64),
                        format!("{:.2}", seconds.ratio_to(&comparison.measured[0].seconds())),
                    ]);
                }
            }
        }
    }
    Ok(())
}

fn report_reading(report: &mut Report, options: &Options) -> Result<(), Box<dyn Error>> {
    // Parallel edges are dropped, so more than 100 million edges are generated.
    let (scale, factor) = if options.quick { (16, 16) } else { (23, 13) };
    let file = |extension: &str| options.folder.join(format!("rmat-{scale}-{factor}.{extension}"));
    generate_files(&options.folder, scale, factor, file)?;
    report.heading("Reading");
    report.paragraph(
        "Each read runs in a process of its own, with the files in the page cache. *Peak memory* includes the mapped file.",
    );
    let python = options.python.as_deref();
    let contenders = READERS.iter().filter(|reader| python.is_some() || !reader.needs_python()).map(|reader| {
        let path = file(reader.extension);
        let role = if reader.about.starts_with("vyre") { Role::Ours } else { Role::Peer };
        Contender::new(reader.about, role, move |_| reader.read(&path, python))
    });
    let plan = Plan::new(usize::from(options.iterations.min(3)));
    let comparison: Comparison<Reading> =
        compare(contenders.collect(), plan, |what| step(&format!("reading: {what}")))?;
    finished("reading");
    let columns =
        ["File", "Seconds", "Million edges per second", "Peak memory, MiB", "Bytes per edge", "Times the text reader"];
    report.table(&Table::new().text("Reader").numbers(columns));
    for measured in &comparison.measured {
        let Some(reader) = READERS.iter().find(|reader| reader.about == measured.name) else { continue };
        let seconds = measured.seconds();
        let peak = measured.series(|reading| reading.peak_kib as f64).median();
        let edges = measured.last().map_or(0, |reading| reading.edges) as f64;
        report.row([
            reader.about.to_owned(),
            format!("{} MB", std::fs::metadata(file(reader.extension))?.len() / 1_000_000),
            format!("{:.2}", seconds.median()),
            format!("{:.1}", edges / seconds.median() / 1e6),
            format!("{:.0}", peak / 1024.0),
            format!("{:.1}", peak * 1024.0 / edges),
            format!("{:.2}", seconds.ratio_to(&comparison.measured[0].seconds())),
        ]);
    }
    let edges = comparison.measured.first().and_then(|measured| measured.last()).map_or(0, |reading| reading.edges);
    report.paragraph(&format!("{edges} edges."));
    if python.is_none() {
        report.paragraph("scipy is left out: no `--python` was given.");
    }
    Ok(())
}

fn generate_files(
    folder: &Path,
    scale: u32,
    factor: u32,
    file: impl Fn(&str) -> PathBuf,
) -> Result<(), Box<dyn Error>> {
    let formats = [("txt", Format::EDGE_LIST), ("mtx", Format::MATRIX_MARKET), ("vgr", Format::BINARY)];
    let indexed = file("indexed.vgr");
    if indexed.exists() && formats.iter().all(|(extension, _)| file(extension).exists()) {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    step("reading: generating the graph");
    let graph = Graph { csr: rmat(scale, factor, 0x5EED_0005)?, weights: None, names: None };
    for (extension, format) in formats {
        step(&format!("reading: writing {}", file(extension).display()));
        write_graph(format, graph.view(), BufWriter::new(File::create(file(extension))?), &())?;
    }
    step(&format!("reading: writing {}", indexed.display()));
    write_binary_with_index(graph.view(), BufWriter::new(File::create(&indexed)?), &())?;
    Ok(())
}

fn report_ops(report: &mut Report, options: &Options) -> Result<(), Box<dyn Error>> {
    report.heading("Ops on the CPU backend against their references");
    report.paragraph("The references are plain Rust on one thread. Above 1, the op is faster.");
    report.chart(&ChartSpec::speed(
        "Graph ops on the CPU backend: speed relative to sequential references",
        &["Graph", "Op"],
        "Reference / backend",
        "time of the reference over time of the op",
    ));
    let columns = ["CPU backend, ms", "Reference, ms", "Reference / backend"];
    report.table(&Table::new().text("Graph").text("Op").numbers(columns));
    let device: Arc<dyn Device> = Arc::new(JitDevice::new(&JitOptions::default())?);
    let ops = GraphOps::new(device);
    let workloads = if options.quick { &GraphWorkload::ALL[..1] } else { &GraphWorkload::ALL[..] };
    for workload in workloads {
        step(&format!("ops on {}: verifying", workload.name));
        let graph = workload.graph();
        for op in op_contenders(&ops, graph.view(), if options.quick { 64 } else { 128 })? {
            let plan = Plan::new(usize::from(options.iterations.min(5)));
            let on_step = |what: &str| step(&format!("{} on {}: {what}", op.name, workload.name));
            let comparison: Comparison = compare(op.contenders, plan, on_step)?;
            let [backend, reference] = &comparison.measured[..] else { continue };
            let [backend, reference] = [backend.seconds(), reference.seconds()];
            report.row([
                workload.name.to_owned(),
                format!("`{}`", op.name),
                format!("{:.1}", backend.median() * 1e3),
                format!("{:.1}", reference.median() * 1e3),
                format!("{:.2}", reference.ratio_to(&backend)),
            ]);
        }
        finished(&format!("ops on {}", workload.name));
    }
    Ok(())
}
