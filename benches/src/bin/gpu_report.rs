//! Measures the GPU backend against WGSL that was written by hand, in one interleaved run on one adapter, and prints tables
//! in Markdown.
//!
//! `cargo run --release -p vyre-benches --bin gpu_report -- --help`

use std::error::Error;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use vyre_benches::gpu::{
    Bench, DISPATCHES, Measured, Overhead, OverheadTimes, Race, Role, WORKLOADS, Workload, median, median_ratio, race,
    ratio_of_minima,
};
use vyre_runtime::Device as _;
use vyre_wgpu::{GpuOptions, WgpuDevice};

/// Measures the GPU backend against WGSL that was written by hand, and prints tables in Markdown.
///
/// Progress goes to standard error, tables to standard output. Each workload is a program and shaders with the same result,
/// which run through bare wgpu on the same adapter. All results are compared with those of the host before and after the
/// measurement; everything runs once in each round. A ratio is taken within a round, and its median is shown.
#[derive(Debug, Parser)]
#[command(name = "gpu_report", after_help = AFTER_HELP)]
struct Options {
    /// The adapter to measure on, by its number in --list
    #[arg(long, value_name = "N", default_value_t = 0)]
    adapter: usize,

    /// The bytes of each large buffer, of which there are four; less where the adapter takes less
    #[arg(long, value_name = "N", default_value_t = 1 << 30, value_parser = clap::value_parser!(u64).range(16..=1 << 33))]
    bytes: u64,

    /// How often everything is measured; medians need about 15
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,

    /// Measures only this part (may be given more than once); --list has the names
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Lists the adapters of this machine and the parts of the report, and measures nothing
    #[arg(long)]
    list: bool,
}

const AFTER_HELP: &str = "\
Shaders written by hand are measured in two ways: with the checks that wgpu adds to every shader
and with workgroup memory that it sets to zero, which is what one gets without asking; and
without either, with the guard that is written in the shader. Programs have the guards of the
language and none of wgpu.

Times are those of the device where it can take them, and the report says so. A software adapter
shows that everything works; its figures mean little.

Examples:
  gpu_report --list                              adapters and parts
  gpu_report                                     everything, with 1 GiB in each buffer
  gpu_report --only xor --only scan --rounds 41  two workloads, more rounds
  gpu_report --adapter 1 --bytes 16777216        another adapter, small buffers";

/// The part of the report that is no workload.
const DISPATCH: (&str, &str) = ("dispatch", "what dispatches cost that do next to nothing");

fn main() -> ExitCode {
    match report(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            progress("");
            eprintln!("gpu_report: {error}");
            ExitCode::from(2)
        }
    }
}

fn report(options: &Options) -> Result<(), Box<dyn Error>> {
    let parts: Vec<(&str, &str)> =
        WORKLOADS.iter().map(|workload| (workload.name, workload.summary)).chain([DISPATCH]).collect();
    if let Some(unknown) = options.only.iter().find(|only| parts.iter().all(|(name, _)| name != only)) {
        let names: Vec<&str> = parts.iter().map(|&(name, _)| name).collect();
        return Err(format!("there is no part `{unknown}`; choose from {}", names.join(", ")).into());
    }
    let devices = WgpuDevice::all(&GpuOptions::default())?;
    if options.list {
        list(&devices, &parts);
        return Ok(());
    }
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    let rounds = usize::from(options.rounds);
    let Some(adapter) = devices.get(options.adapter).map(description) else {
        let count = devices.len();
        return Err(format!("there is no adapter {}; --list has those there are, {count}", options.adapter).into());
    };
    progress("making buffers");
    let bench = Bench::new(devices, options.adapter, options.bytes)
        .map_err(|error| format!("{error}; smaller buffers may help: --bytes"))?;
    describe(&adapter, &bench, rounds);
    if WORKLOADS.iter().any(|workload| wanted(workload.name)) {
        report_workloads(&bench, rounds, wanted)?;
    }
    if wanted(DISPATCH.0) {
        report_dispatch(&bench, rounds)?;
    }
    Ok(())
}

fn description(device: &WgpuDevice) -> String {
    format!("{}, {}", device.name(), device.driver().unwrap_or_default())
}

fn list(devices: &[WgpuDevice], parts: &[(&str, &str)]) {
    println!("Adapters:");
    for (position, device) in devices.iter().enumerate() {
        println!("  {position}  {}", description(device));
    }
    println!("Parts:");
    for (name, summary) in parts {
        println!("  {name:<12}{summary}");
    }
}

fn describe(adapter: &str, bench: &Bench, rounds: usize) {
    let clock = if bench.bare().has_timestamps() {
        "Times are those of the device, by timestamps before the first and after the last run of a submission."
    } else {
        "The device takes no times, so they are those of the host, from submission to finish."
    };
    println!("{adapter}; buffers of {} bytes; {rounds} rounds. {clock}", bench.words() * 4);
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

fn report_workloads(bench: &Bench, rounds: usize, wanted: impl Fn(&str) -> bool) -> Result<(), Box<dyn Error>> {
    println!(
        "\nA program against shaders written by hand; all results are compared with those of the host before and after. \
         *GB/s* counts what is read and what is written, *of copy* compares that with a shader that \
         copies four words at a time, in the same round. *Ratio* is the time of vyre over that of the row.\n"
    );
    println!("| Workload | Code | Checks | Runs | Time, ms | GB/s | Of copy | Ratio | Ratio of minima | |");
    println!("|---|---|---|--:|--:|--:|--:|--:|--:|---|");
    let mut left_out = Vec::new();
    for workload in WORKLOADS.iter().filter(|workload| wanted(workload.name)) {
        let step = |step: String| progress(&format!("{}: {step}", workload.name));
        let race = race(bench, workload, rounds, step)?;
        done(workload.name);
        print_race(bench, workload, &race);
        left_out.extend(race.left_out.iter().map(|why| format!("- Left out of `{}`: {why}.", workload.name)));
    }
    println!("\n- Runs: a time is the mean of so many runs in one submission.");
    println!(
        "- Checks: vyre's are the guards of the language, and wgpu adds none. wgpu's are what `create_shader_module` adds \
         to the guard in the shader, with workgroup memory set to zero; *own guard* is the same shader without them."
    );
    println!(
        "- Grids longer than an axis of the adapter: vyre folds or splits them by itself; shaders written by hand have one \
         dispatch over two axes, but for the row that says otherwise."
    );
    left_out.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn print_race(bench: &Bench, workload: &Workload, race: &Race) {
    let words = bench.words() as u64;
    let Some(program) = race.program() else { return };
    let print = |name: &str, checks: &str, times: &[Duration], bytes: u64, mark: &str| {
        let time = median(times.iter().map(Duration::as_secs_f64));
        // A copy reads and writes every word.
        let of_copy = median_ratio(&race.kernel_copy, times) * bytes as f64 / (words * 8) as f64;
        println!(
            "| {} | {name} | {checks} | {} | {:.3} | {:.1} | {:.1} % | {:.2} | {:.2} | {mark} |",
            workload.name,
            race.runs,
            time * 1e3,
            bytes as f64 / time / 1e9,
            of_copy * 100.0,
            median_ratio(&program.times, times),
            ratio_of_minima(&program.times, times),
        );
    };
    let bytes = words * workload.bytes_per_word;
    for row in &race.measured {
        print(row.name, row.checks.name(), &row.times, bytes, mark(row, race));
    }
    if workload.name == "copy" {
        print("copy_buffer_to_buffer", "", &race.api_copy, bytes, "for information");
    }
}

/// What a row is for: the peer is the fastest of those with the same checks.
fn mark(row: &Measured, race: &Race) -> &'static str {
    let time = |row: &Measured| median(row.times.iter().map(Duration::as_secs_f64));
    let rivals = race.measured.iter().filter(|other| other.role == Role::Peer && other.checks == row.checks);
    match row.role {
        Role::Program => "",
        Role::Peer if rivals.into_iter().all(|other| time(row) <= time(other)) => "peer",
        Role::Peer => "a slower way",
        Role::Information => "for information",
    }
}

fn report_dispatch(bench: &Bench, rounds: usize) -> Result<(), Box<dyn Error>> {
    let overhead = Overhead::new(bench)?;
    let (mut vyre, mut bare) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        progress(&format!("dispatch: round {} of {rounds}", round + 1));
        if round % 2 == 0 {
            vyre.push(overhead.time_vyre()?);
            bare.push(overhead.time_bare()?);
        } else {
            bare.push(overhead.time_bare()?);
            vyre.push(overhead.time_vyre()?);
        }
    }
    overhead.check()?;
    done("dispatch");
    println!(
        "\nDispatches of one workgroup that stores a word, against bare wgpu with a bind group that is made once and one pass \
         in a submission. *Wall* is from the call to the end of waiting, encoding included.\n"
    );
    println!("| What | Bare wgpu, us | vyre, us | Ratio | Ratio of minima |");
    println!("|---|--:|--:|--:|--:|");
    let print = |what: &str, of: fn(&OverheadTimes) -> Option<Duration>| {
        let vyre: Vec<Duration> = vyre.iter().filter_map(of).collect();
        let bare: Vec<Duration> = bare.iter().filter_map(of).collect();
        if vyre.is_empty() || bare.is_empty() {
            return;
        }
        println!(
            "| {what} | {:.2} | {:.2} | {:.2} | {:.2} |",
            median(bare.iter().map(Duration::as_secs_f64)) * 1e6,
            median(vyre.iter().map(Duration::as_secs_f64)) * 1e6,
            median_ratio(&vyre, &bare),
            ratio_of_minima(&vyre, &bare)
        );
    };
    print("one dispatch, wall", |times| Some(times.once));
    print(&format!("one of {DISPATCHES} in a submission, wall"), |times| Some(times.many));
    print(&format!("one of {DISPATCHES} in a submission, device"), |times| times.many_on_device);
    Ok(())
}
