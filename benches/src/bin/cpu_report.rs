//! Measures the CPU backend against native Rust in one interleaved run and prints tables in Markdown.
//!
//! `RUSTFLAGS="-C target-cpu=native" cargo run --release -p vyre-benches --bin cpu_report -- --help`

use std::error::Error;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use vyre_benches::cpu::{
    Amount, Duel, EmptyDispatch, Kernels, Scale, Team, WORKLOADS, duels, resident_kib, time_cache_hit, time_compile,
};
use vyre_benches::{KernelCase, KernelWorkload};
use vyre_ir::OpTable;
use vyre_jit::{JitDevice, JitOptions};

/// Measures the CPU backend against native Rust and prints tables in Markdown.
///
/// Progress goes to standard error, tables to standard output. Each workload is a program and native code of the same
/// algorithm. Their results are compared, then both run once in each round; a ratio is taken within a round, and its
/// median is shown.
#[derive(Debug, Parser)]
#[command(name = "cpu_report", after_help = AFTER_HELP)]
struct Options {
    /// Measures only this part (may be given more than once)
    ///
    /// Workloads: xor, polynomial, histogram, histogram_banks, histogram_global, csr, bfs_level, prefix_sum, lz4. The
    /// rest: compile (time to build pipelines), cache (time to find them again), dispatch (one workgroup), memory (10,000
    /// kernels built and dropped).
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// How often everything is measured; medians need about 15
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,

    /// Small sizes, to see that everything works; the figures mean little
    #[arg(long)]
    quick: bool,
}

const AFTER_HELP: &str = "\
Native code is as good as the flags it was compiled with, so compile it for this machine, in a directory of its own:

  RUSTFLAGS=\"-C target-cpu=native\" CARGO_TARGET_DIR=target/native \\
      cargo run --release -p vyre-benches --bin cpu_report

Without AVX2 or AVX-512 in native code on a machine that has them, no goal counts as met.

Examples:
  cpu_report --quick                      every part, in less than a minute
  cpu_report --only csr --only bfs_level  two workloads
  cpu_report --only compile --rounds 5    the time to build pipelines";

/// Parts of the report that are no workloads.
const PARTS: [&str; 4] = ["compile", "cache", "dispatch", "memory"];

/// The sizes of programs that are compiled, in nodes, with the goal for each.
const COMPILED: [(usize, Duration); 3] =
    [(1_000, Duration::from_millis(10)), (10_000, Duration::from_millis(100)), (50_000, Duration::from_secs(1))];

/// Large programs take long, so they are compiled in fewer rounds.
const MOST_COMPILE_ROUNDS: usize = 7;

/// Finding a pipeline that was built before.
const CACHE_GOAL: Duration = Duration::from_micros(10);

fn main() -> ExitCode {
    match report(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            progress("");
            eprintln!("cpu_report: {error}");
            ExitCode::from(2)
        }
    }
}

fn report(options: &Options) -> Result<(), Box<dyn Error>> {
    let names: Vec<&str> = WORKLOADS.iter().map(|entry| entry.name).chain(PARTS).collect();
    if let Some(unknown) = options.only.iter().find(|only| !names.contains(&only.as_str())) {
        return Err(format!("there is no part `{unknown}`; choose from {}", names.join(", ")).into());
    }
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    let rounds = usize::from(options.rounds);
    let teams = [team(1)?, team(2)?];
    describe(rounds, options.quick);
    // What the other parts have used and released would hide what is lost here.
    let memory =
        if wanted("memory") { Some(measure_memory(&teams, if options.quick { 1_000 } else { 10_000 })?) } else { None };
    if WORKLOADS.iter().any(|entry| wanted(entry.name)) {
        report_workloads(&teams, rounds, options.quick, wanted)?;
    }
    if wanted("compile") {
        report_compile(&teams, rounds.min(MOST_COMPILE_ROUNDS), options.quick)?;
    }
    if wanted("cache") {
        report_cache(&teams, rounds)?;
    }
    if wanted("dispatch") {
        report_dispatch(&teams, rounds)?;
    }
    if let Some(memory) = memory {
        report_memory(&memory);
    }
    Ok(())
}

fn team(threads: usize) -> Result<Team, Box<dyn Error>> {
    let device = JitDevice::new(&JitOptions::default().with_threads(threads))?;
    Ok(Team::new(threads, Box::new(device))?)
}

/// What a machine can do, and native code was compiled for.
struct Vectors {
    compiled: &'static str,
    present: &'static str,
}

impl Vectors {
    fn here() -> Vectors {
        let name = |avx512: bool, avx2: bool| match (avx512, avx2) {
            (true, _) => "AVX-512",
            (false, true) => "AVX2",
            (false, false) => "neither AVX2 nor AVX-512",
        };
        let compiled = name(cfg!(target_feature = "avx512f"), cfg!(target_feature = "avx2"));
        #[cfg(target_arch = "x86_64")]
        let present = name(is_x86_feature_detected!("avx512f"), is_x86_feature_detected!("avx2"));
        #[cfg(not(target_arch = "x86_64"))]
        let present = compiled;
        Vectors { compiled, present }
    }

    /// Whether native code was compiled with what the machine has.
    fn fit(&self) -> bool {
        self.compiled == self.present || self.compiled.starts_with("AVX")
    }
}

fn describe(rounds: usize, quick: bool) {
    let vectors = Vectors::here();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{cores} cores with {}; native code compiled for {}; {rounds} rounds{}.",
        vectors.present,
        vectors.compiled,
        if quick { ", small sizes" } else { "" }
    );
    if !vectors.fit() {
        println!(
            "\nNative code was not compiled for this machine, so no goal counts as met: set RUSTFLAGS=\"-C \
             target-cpu=native\"."
        );
    }
}

/// What is being done, on a line that the next one replaces; nothing where nobody watches.
fn progress(line: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{line}");
    }
}

fn done(part: &str) {
    progress("");
    eprintln!("{part}: done");
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

fn median_of(times: impl IntoIterator<Item = Duration>) -> f64 {
    median(times.into_iter().map(|time| time.as_secs_f64()).collect())
}

fn shortest(times: &[Duration]) -> f64 {
    times.iter().min().map_or(f64::NAN, Duration::as_secs_f64)
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}

fn report_workloads(
    teams: &[Team],
    rounds: usize,
    quick: bool,
    wanted: impl Fn(&str) -> bool,
) -> Result<(), Box<dyn Error>> {
    println!("\nA program on the CPU backend against native Rust; results are compared before anything is measured.\n");
    println!(
        "| Workload | Native code | Threads | Native, ms | Backend, ms | Ratio | Ratio of minima | Native | Backend | \
         Goal | |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    for entry in WORKLOADS.iter().filter(|entry| wanted(entry.name)) {
        progress(&format!("{}: making contents", entry.name));
        let workload = (entry.make)(if quick { Scale::Quick } else { Scale::Full });
        let duels = duels(&workload, teams, rounds, |round| {
            progress(&format!("{}: round {} of {rounds}", entry.name, round + 1))
        })?;
        done(entry.name);
        for duel in &duels {
            print_duel(entry.name, duel, workload.amount);
        }
    }
    Ok(())
}

fn print_duel(workload: &str, duel: &Duel, amount: Amount) {
    let ratio = |native: &Duration, device: &Duration| device.as_secs_f64() / native.as_secs_f64();
    let ratio = median(duel.native.iter().zip(&duel.device).map(|(native, device)| ratio(native, device)).collect());
    let (native, device) = (median_of(duel.native.iter().copied()), median_of(duel.device.iter().copied()));
    let (goal, met) = match duel.goal {
        None => ("".to_owned(), ""),
        Some(goal) if !Vectors::here().fit() => (format!("{goal:.1}"), "not comparable"),
        Some(goal) => (format!("{goal:.1}"), verdict(ratio <= goal)),
    };
    println!(
        "| {workload} | {} | {} | {:.2} | {:.2} | {ratio:.2} | {:.2} | {} | {} | {goal} | {met} |",
        duel.peer,
        duel.threads,
        native * 1e3,
        device * 1e3,
        shortest(&duel.device) / shortest(&duel.native),
        rate(amount, native),
        rate(amount, device),
    );
}

/// How much is done in a second.
fn rate(amount: Amount, seconds: f64) -> String {
    match amount {
        Amount::Bytes(bytes) => format!("{:.2} GB/s", bytes as f64 / seconds / 1e9),
        Amount::Items(items, name) => format!("{:.0} M {name}/s", items as f64 / seconds / 1e6),
    }
}

fn report_compile(teams: &[Team], rounds: usize, quick: bool) -> Result<(), Box<dyn Error>> {
    println!(
        "\nFrom a validated program to a pipeline, optimizer included, medians of {rounds} rounds. *Generate* is what is \
         neither lowering nor optimizing.\n"
    );
    println!("| Workload | Nodes | Lower, ms | Optimize, ms | Generate, ms | All, ms | Goal, ms | |");
    println!("|---|--:|--:|--:|--:|--:|--:|---|");
    let sizes = if quick { &COMPILED[..2] } else { &COMPILED };
    for workload in KernelWorkload::ALL {
        for &(nodes, goal) in sizes {
            progress(&format!("compile: {} of {nodes} nodes", workload.name()));
            let case = KernelCase::new(workload, nodes);
            let times = (0..rounds).map(|_| time_compile(&case, &*teams[0].device)).collect::<Result<Vec<_>, _>>()?;
            let all = median_of(times.iter().map(|times| times.all));
            println!(
                "| {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {} | {} |",
                workload.name(),
                case.nodes,
                median_of(times.iter().map(|times| times.lower)) * 1e3,
                median_of(times.iter().map(|times| times.optimize)) * 1e3,
                median_of(times.iter().map(|times| times.generate())) * 1e3,
                all * 1e3,
                goal.as_millis(),
                verdict(all <= goal.as_secs_f64()),
            );
        }
    }
    done("compile");
    Ok(())
}

fn report_cache(teams: &[Team], rounds: usize) -> Result<(), Box<dyn Error>> {
    const HITS: u32 = 1_000;
    println!(
        "\nA pipeline from a cache that has it, medians of {rounds} rounds of {HITS}. *Anew* is with a program that was just \
         validated, whose key has to be made.\n"
    );
    println!("| Program | Nodes | Time, us | Goal, us | | Anew, us |");
    println!("|---|--:|--:|--:|---|--:|");
    let mut programs = Vec::new();
    for entry in WORKLOADS {
        let program = (entry.make)(Scale::Tiny).parse()?;
        programs.push((entry.name.to_owned(), program, OpTable::default()));
    }
    for workload in KernelWorkload::ALL {
        let case = KernelCase::new(workload, COMPILED[0].0);
        programs.push((workload.name().to_owned(), case.program().clone(), case.ops().clone()));
    }
    for (name, program, ops) in &programs {
        progress(&format!("cache: {name}"));
        let times = (0..rounds)
            .map(|_| time_cache_hit(program, ops, &*teams[0].device, HITS))
            .collect::<Result<Vec<_>, _>>()?;
        let time = median_of(times.iter().map(|times| times.again));
        let anew = median_of(times.iter().map(|times| times.anew));
        println!(
            "| {name} | {} | {:.2} | {} | {} | {:.2} |",
            vyre_benches::node_count(program),
            time * 1e6,
            CACHE_GOAL.as_micros(),
            verdict(time <= CACHE_GOAL.as_secs_f64()),
            anew * 1e6
        );
    }
    done("cache");
    Ok(())
}

fn report_dispatch(teams: &[Team], rounds: usize) -> Result<(), Box<dyn Error>> {
    const DISPATCHES: u32 = 1_000;
    println!("\nA dispatch of one workgroup that stores a word, medians of {rounds} rounds of {DISPATCHES}.\n");
    println!("| Threads | Time, us |");
    println!("|--:|--:|");
    let dispatches = teams.iter().map(|team| EmptyDispatch::new(&*team.device)).collect::<Result<Vec<_>, _>>()?;
    let mut times = vec![Vec::new(); teams.len()];
    for _ in 0..rounds {
        for (dispatch, times) in dispatches.iter().zip(&mut times) {
            times.push(dispatch.time(DISPATCHES)?);
        }
    }
    for (team, times) in teams.iter().zip(times) {
        println!("| {} | {:.2} |", team.threads, median_of(times) * 1e6);
    }
    done("dispatch");
    Ok(())
}

/// Memory of the process after some kernels, in KiB.
struct MemoryUse {
    kernels: u32,
    kib: u64,
}

/// Builds and drops kernels and looks at the memory of the process now and then; nothing where the system does not tell.
fn measure_memory(teams: &[Team], count: u32) -> Result<Vec<MemoryUse>, Box<dyn Error>> {
    let mut kernels = Kernels::default();
    let mut uses = Vec::new();
    let mut made = 0;
    for goal in [0, count / 10, count / 2, count] {
        progress(&format!("memory: up to {goal} kernels"));
        kernels.build_and_drop(goal - made, &*teams[0].device)?;
        made = goal;
        uses.extend(resident_kib().map(|kib| MemoryUse { kernels: made, kib }));
    }
    done("memory");
    Ok(uses)
}

fn report_memory(uses: &[MemoryUse]) {
    println!("\nMemory of the process while different small kernels are built and dropped one after the other.\n");
    let Some(before) = uses.first() else {
        println!("Skipped: this system does not tell in the way of Linux.");
        return;
    };
    println!("| Kernels so far | Memory, KiB | Since the first line, KiB |");
    println!("|--:|--:|--:|");
    for now in uses {
        println!("| {} | {} | {:+} |", now.kernels, now.kib, now.kib.cast_signed() - before.kib.cast_signed());
    }
}
