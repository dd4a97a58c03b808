//! Measures the CPU backend against native Rust.
//!
//! `RUSTFLAGS="-C target-cpu=native" cargo run --release -p vyre-benches --bin cpu_report -- --help`

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use vyre_benches::cpu::{
    CompileTimes, EmptyDispatch, KernelSequence, PeerTimes, Scale, Team, Throughput, WORKLOADS, compare_with_native,
    time_cache_hit, time_compile,
};
use vyre_benches::harness::{
    ChartSpec, Contender, Machine, OutputArgs, Plan, RatioTable, Report, Role, Table, Unit, compare, exit_code,
    finished, resident_kib, step, verdict,
};
use vyre_benches::ir::node_count;
use vyre_benches::kernel::{KernelCase, KernelWorkload};
use vyre_ir::OpTable;
use vyre_jit::{JitDevice, JitOptions};

/// Measures the CPU backend against native Rust.
///
/// Progress goes to standard error, Markdown to standard output. Each workload is a program and native code of the same
/// algorithm. The report verifies that their results are equal, then runs both once in each iteration, on one and on two threads. A
/// ratio is taken within an iteration; the report shows its median.
#[derive(Debug, Parser)]
#[command(name = "cpu_report", after_help = AFTER_HELP)]
struct Options {
    /// Measures only this part (may be given more than once)
    ///
    /// Workloads: xor, polynomial, histogram, histogram_banks, histogram_global, csr, bfs_level, prefix_sum, lz4. Other parts:
    /// compile (time to build pipelines), cache (lookup of a cached pipeline), dispatch (overhead of one workgroup), memory (10,000
    /// kernels built and dropped).
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Number of iterations; medians need about 15
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    /// Small sizes, to see that everything works; the figures mean little
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    output: OutputArgs,
}

const AFTER_HELP: &str = "\
Native code is as fast as its compiler flags allow, so compile it for this machine, in a target directory
of its own:

  RUSTFLAGS=\"-C target-cpu=native\" CARGO_TARGET_DIR=target/native \\
      cargo run --release -p vyre-benches --bin cpu_report

If native code lacks AVX2 or AVX-512 on a machine that has them, no goal counts as met.

Examples:
  cpu_report --quick                         every part, in less than a minute
  cpu_report --only csr --only bfs_level     two workloads
  cpu_report --only compile --iterations 5   time to build pipelines
  cpu_report --out benches/results           writes cpu_report.md and cpu_report.svg too";

/// Parts of the report that are not workloads.
const PARTS: [&str; 4] = ["compile", "cache", "dispatch", "memory"];

/// Sizes of programs that are compiled, in nodes, with the goal for each.
const COMPILED: [(usize, Duration); 3] =
    [(1_000, Duration::from_millis(10)), (10_000, Duration::from_millis(100)), (50_000, Duration::from_secs(1))];

/// Large programs take long, so they are compiled in fewer iterations.
const MAX_COMPILE_ITERATIONS: usize = 7;

/// Maximum time of a lookup of a cached pipeline.
const CACHE_GOAL: Duration = Duration::from_micros(10);

fn main() -> ExitCode {
    exit_code("cpu_report", report(&Options::parse()))
}

fn report(options: &Options) -> Result<(), Box<dyn Error>> {
    let names: Vec<&str> = WORKLOADS.iter().map(|entry| entry.name).chain(PARTS).collect();
    if let Some(unknown) = options.only.iter().find(|only| !names.contains(&only.as_str())) {
        return Err(format!("there is no part `{unknown}`; choose from {}", names.join(", ")).into());
    }
    let is_selected = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    let plan = Plan::new(usize::from(options.iterations));
    let teams = [team(1)?, team(2)?];
    let mut report = Report::new("cpu_report", "The CPU backend against native Rust", &options.output);
    describe(&mut report, plan.iterations, options.quick);
    // Memory that other parts have used and released would hide a leak, so this part runs first.
    let kernels = if options.quick { 1_000 } else { 10_000 };
    let memory = if is_selected("memory") { Some(measure_memory(&teams, kernels)?) } else { None };
    if WORKLOADS.iter().any(|entry| is_selected(entry.name)) {
        report_workloads(&mut report, &teams, plan, options.quick, is_selected)?;
    }
    if is_selected("compile") {
        let plan = Plan::new(plan.iterations.min(MAX_COMPILE_ITERATIONS));
        report_compile(&mut report, &teams, plan, options.quick)?;
    }
    if is_selected("cache") {
        report_cache(&mut report, &teams, plan)?;
    }
    if is_selected("dispatch") {
        report_dispatch(&mut report, &teams, plan)?;
    }
    if let Some(memory) = memory {
        report_memory(&mut report, &memory);
    }
    report.finish()?;
    Ok(())
}

fn team(threads: usize) -> Result<Team, Box<dyn Error>> {
    let device = JitDevice::new(&JitOptions::default().with_threads(threads))?;
    Ok(Team::new(threads, Box::new(device))?)
}

fn describe(report: &mut Report, iterations: usize, quick: bool) {
    let machine = Machine::current();
    report.paragraph(&format!(
        "Native code is compiled for {}. Medians of {iterations} iterations{}.",
        machine.compiled_vectors,
        if quick { ", small sizes" } else { "" }
    ));
    if !machine.native_code_fits() {
        report.paragraph(
            "Native code is not compiled for this machine, so no goal counts as met: set RUSTFLAGS=\"-C target-cpu=native\".",
        );
    }
}

fn report_workloads(
    report: &mut Report,
    teams: &[Team],
    plan: Plan,
    quick: bool,
    is_selected: impl Fn(&str) -> bool,
) -> Result<(), Box<dyn Error>> {
    report.heading("Run time");
    report.paragraph(
        "A program on the CPU backend against native Rust; results are verified before and after the measurement.",
    );
    report.chart(
        &ChartSpec::ratio(
            "Run time relative to native code of the same algorithm",
            &["Workload", "Threads"],
            "Ratio",
            "time of the backend over time of native Rust",
        )
        .only("Goal", "*"),
    );
    let labels = Table::new().text("Workload").text("Native code").number("Threads");
    let ratios = RatioTable::new(labels, "Native", "Backend", Unit::Milliseconds);
    report.table(&ratios.table().numbers(["Native", "Backend", "Goal"]).text(""));
    for entry in WORKLOADS.iter().filter(|entry| is_selected(entry.name)) {
        step(&format!("{}: creating buffers", entry.name));
        let workload = (entry.create)(if quick { Scale::Quick } else { Scale::Full });
        let on_step = |what: &str| step(&format!("{}: {what}", entry.name));
        for times in compare_with_native(&workload, teams, plan, on_step)? {
            let threads = times.threads.to_string();
            let cells = ratios.cells(&[entry.name, times.peer, &threads], &times.native, &times.device);
            let rates = [&times.native, &times.device].map(|series| rate(workload.throughput, series.median()));
            report.row(cells.into_iter().chain(rates).chain(goal_cells(&times)));
        }
        finished(entry.name);
    }
    Ok(())
}

fn goal_cells(times: &PeerTimes) -> [String; 2] {
    let Some(goal) = times.goal else { return [String::new(), String::new()] };
    let is_met = match Machine::current().native_code_fits() {
        true => verdict(times.device.ratio_to(&times.native) <= goal),
        false => "not comparable",
    };
    [format!("{goal:.1}"), is_met.to_owned()]
}

/// Work per second.
fn rate(throughput: Throughput, seconds: f64) -> String {
    match throughput {
        Throughput::Bytes(bytes) => format!("{:.2} GB/s", bytes as f64 / seconds / 1e9),
        Throughput::Items(items, name) => format!("{:.0} M {name}/s", items as f64 / seconds / 1e6),
    }
}

fn report_compile(report: &mut Report, teams: &[Team], plan: Plan, quick: bool) -> Result<(), Box<dyn Error>> {
    report.heading("Compile time");
    report.paragraph(&format!(
        "From a validated program to a pipeline, optimizer included, medians of {} iterations. *Generate* is the time that is \
         neither lowering nor optimizing.",
        plan.iterations
    ));
    let columns = ["Nodes", "Lower, ms", "Optimize, ms", "Generate, ms", "All, ms", "Goal, ms"];
    report.table(&Table::new().text("Workload").numbers(columns).text(""));
    let sizes = if quick { &COMPILED[..2] } else { &COMPILED };
    let device = &*teams[0].device;
    for workload in KernelWorkload::ALL {
        let cases: Vec<KernelCase> = sizes.iter().map(|&(nodes, _)| KernelCase::new(workload, nodes)).collect();
        let contenders = cases
            .iter()
            .map(|case| Contender::new(case.nodes.to_string(), Role::Ours, move |_| time_compile(case, device)));
        let on_step = |what: &str| step(&format!("compile, {}: {what}", workload.name()));
        let comparison = compare(contenders.collect(), plan, on_step)?;
        for ((case, measured), (_, goal)) in cases.iter().zip(&comparison.measured).zip(sizes) {
            let median =
                |part: fn(&CompileTimes) -> Duration| measured.series(|times| part(times).as_secs_f64()).median();
            let all = median(|times| times.all);
            let milliseconds = |seconds: f64| format!("{:.2}", seconds * 1e3);
            report.row([
                workload.name().to_owned(),
                case.nodes.to_string(),
                milliseconds(median(|times| times.lower)),
                milliseconds(median(|times| times.optimize)),
                milliseconds(median(CompileTimes::generate)),
                milliseconds(all),
                goal.as_millis().to_string(),
                verdict(all <= goal.as_secs_f64()).to_owned(),
            ]);
        }
    }
    finished("compile");
    Ok(())
}

fn report_cache(report: &mut Report, teams: &[Team], plan: Plan) -> Result<(), Box<dyn Error>> {
    const HITS: u32 = 1_000;
    report.heading("Pipeline cache");
    report.paragraph(&format!(
        "Lookup of a cached pipeline, means of {HITS}, medians of {} iterations. *New key* is the lookup of a program that was just \
         validated, whose key must be computed.",
        plan.iterations
    ));
    report
        .table(&Table::new().text("Program").numbers(["Nodes", "Time, us", "Goal, us"]).text("").number("New key, us"));
    let mut programs = Vec::new();
    for entry in WORKLOADS {
        let program = (entry.create)(Scale::Tiny).parse()?;
        programs.push((entry.name, program, OpTable::default()));
    }
    for workload in KernelWorkload::ALL {
        let case = KernelCase::new(workload, COMPILED[0].0);
        programs.push((workload.name(), case.program().clone(), case.ops().clone()));
    }
    let device = &*teams[0].device;
    let contenders = programs.iter().map(|(name, program, ops)| {
        Contender::new(*name, Role::Ours, move |_| time_cache_hit(program, ops, device, HITS))
    });
    let comparison = compare(contenders.collect(), plan, |what| step(&format!("cache: {what}")))?;
    for ((name, program, _), measured) in programs.iter().zip(&comparison.measured) {
        let known = measured.series(|times| times.known_key.as_secs_f64()).median();
        let new = measured.series(|times| times.new_key.as_secs_f64()).median();
        report.row([
            (*name).to_owned(),
            node_count(program).to_string(),
            format!("{:.2}", known * 1e6),
            CACHE_GOAL.as_micros().to_string(),
            verdict(known <= CACHE_GOAL.as_secs_f64()).to_owned(),
            format!("{:.2}", new * 1e6),
        ]);
    }
    finished("cache");
    Ok(())
}

fn report_dispatch(report: &mut Report, teams: &[Team], plan: Plan) -> Result<(), Box<dyn Error>> {
    const DISPATCHES: u32 = 1_000;
    report.heading("Dispatch overhead");
    report.paragraph(&format!(
        "A dispatch of one workgroup that stores a word, means of {DISPATCHES}, medians of {} iterations.",
        plan.iterations
    ));
    report.table(&Table::new().numbers(["Threads", "Time, us"]));
    let dispatches = teams.iter().map(|team| EmptyDispatch::new(&*team.device)).collect::<Result<Vec<_>, _>>()?;
    let contenders = teams.iter().zip(&dispatches).map(|(team, dispatch)| {
        Contender::new(team.threads.to_string(), Role::Ours, move |_| dispatch.time(DISPATCHES))
    });
    let comparison = compare(contenders.collect(), plan, |what| step(&format!("dispatch: {what}")))?;
    for measured in &comparison.measured {
        report.row([measured.name.clone(), format!("{:.2}", measured.seconds().median() * 1e6)]);
    }
    finished("dispatch");
    Ok(())
}

/// Resident memory of the process after some kernels.
struct MemoryUse {
    kernels: u32,
    kib: u64,
}

/// Builds and drops kernels and samples the resident memory. Returns no sample on systems other than Linux.
fn measure_memory(teams: &[Team], count: u32) -> Result<Vec<MemoryUse>, Box<dyn Error>> {
    let mut sequence = KernelSequence::default();
    let mut uses = Vec::new();
    let mut built = 0;
    for target in [0, count / 10, count / 2, count] {
        step(&format!("memory: up to {target} kernels"));
        sequence.build_and_drop(target - built, &*teams[0].device)?;
        built = target;
        uses.extend(resident_kib().map(|kib| MemoryUse { kernels: built, kib }));
    }
    finished("memory");
    Ok(uses)
}

fn report_memory(report: &mut Report, uses: &[MemoryUse]) {
    report.heading("Memory");
    report.paragraph("Resident memory of the process while different small kernels are built and dropped in sequence.");
    let Some(before) = uses.first() else {
        report.paragraph("Skipped: resident memory is known on Linux only.");
        return;
    };
    report.table(&Table::new().numbers(["Kernels so far", "Memory, KiB", "Since the first line, KiB"]));
    for now in uses {
        let growth = now.kib.cast_signed() - before.kib.cast_signed();
        report.row([now.kernels.to_string(), now.kib.to_string(), format!("{growth:+}")]);
    }
}
