//! Measures the CUDA backend against CUDA C++ that was written by hand, in one interleaved run on one GPU, and prints tables
//! in Markdown.
//!
//! `benches/cuda-against-nvcc.sh` compiles the kernels and runs this; `cuda_report --help` has the options.

use std::error::Error;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use vyre_benches::cuda::{
    self, DISPATCHES, DeviceCopy, Machine, Measured, Overhead, OverheadTimes, Race, Role, Scale, TransferTimes,
    Transfers, Workload, check_on, compare_results, race, workloads,
};
use vyre_benches::gpu::{median, median_ratio, ratio_of_minima};
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{Device, ReferenceDevice};

/// Measures the CUDA backend against CUDA C++ that was written by hand, and prints tables in Markdown.
///
/// Progress goes to standard error, tables to standard output. Each workload has programs, which run through the backend,
/// and kernels that nvcc has compiled, which run through the driver in the same process on the same data. All results are
/// compared byte by byte with each other and in parts with a plain computation, before the first round and after the last
/// one. In each round everything runs in turn; ratios are taken within a round, and their median is shown.
#[derive(Debug, Parser)]
#[command(name = "cuda_report", after_help = AFTER_HELP)]
struct Options {
    /// The folder with the compiled kernels, NAME.cubin for each NAME.cu
    #[arg(long, value_name = "DIR", default_value = "target/cuda-report")]
    kernels: PathBuf,

    /// The GPU to measure on, by its number
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,

    /// How often everything is measured, after two rounds that do not count
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    samples: u16,

    /// Divides the size of every problem by this, for GPUs with less than 16 GiB and for trials
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,

    /// Measures only the parts whose names begin so (may be given more than once); --list has the names
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Lists the parts of the report, and measures nothing
    #[arg(long)]
    list: bool,

    /// Compares results at small sizes and measures nothing: on the CPU and on the reference interpreter of any machine, and
    /// on both sides of the GPU where there is one
    #[arg(long)]
    check: bool,
}

const AFTER_HELP: &str = "\
How to read it: the ratio of a workload is the time of the fastest program over that of the fastest
kernel of the same algorithm, so 1.00 is as fast as by hand and more is slower. Kernels by another
way to the same result are shown for information and are not in the ratio. Times are those of the
GPU, by events or timestamps around several runs. GB/s counts what the algorithm reads and writes,
and 'of copy' compares that with a copy of 2 GiB on the device by the driver, in the same round.

Exit codes: 0 everything agrees; 1 something failed or had a wrong result, and the report says what;
2 there is no CUDA here, or an option is wrong.

Examples:
  cuda_report --check                      are the programs right? Needs no GPU
  cuda_report --list                       the parts of the report
  cuda_report                              everything, on the first GPU
  cuda_report --only xor --samples 51      two workloads, more rounds
  cuda_report --only small --scale 16      small workgroups, a sixteenth of them
  cuda_report --kernels DIR                with kernels that were compiled elsewhere

Kernels come from `benches/cuda-against-nvcc.sh build`, which needs nvcc or a network; this program
needs only the compiled kernels and NVIDIA's driver.";

/// The parts of the report that are no workloads.
const DISPATCH: (&str, &str) = ("dispatch", "what dispatches cost that do next to nothing");
const TRANSFER: (&str, &str) = ("transfer", "copies of 1 GiB between host and device, and on the device");

/// The sizes of checks: neither whole workgroups nor whole blocks.
const CPU_CHECK: Scale = Scale::Elements(20_012);
const REFERENCE_CHECK: Scale = Scale::Elements(300);
const GPU_CHECK: Scale = Scale::Elements(200_012);

fn main() -> ExitCode {
    match report(&Options::parse()) {
        Ok(Outcome::AllAgree) => ExitCode::SUCCESS,
        Ok(Outcome::SomethingFailed) => ExitCode::from(1),
        Err(error) => {
            progress("");
            eprintln!("cuda_report: {error}");
            ExitCode::from(2)
        }
    }
}

/// What a report amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    AllAgree,
    SomethingFailed,
}

impl Outcome {
    fn of(failures: usize) -> Outcome {
        if failures == 0 { Outcome::AllAgree } else { Outcome::SomethingFailed }
    }
}

fn report(options: &Options) -> Result<Outcome, Box<dyn Error>> {
    let mut workloads = workloads();
    let own_parts = workloads.iter().map(|workload| (&*workload.name, workload.summary));
    let parts: Vec<(&str, &str)> = own_parts.chain([DISPATCH, TRANSFER]).collect();
    if options.list {
        parts.iter().for_each(|(name, summary)| println!("{name:<20}{summary}"));
        return Ok(Outcome::AllAgree);
    }
    if let Some(unknown) = options.only.iter().find(|only| parts.iter().all(|(name, _)| !name.starts_with(&***only))) {
        let names: Vec<&str> = parts.iter().map(|&(name, _)| name).collect();
        return Err(format!("no part begins with `{unknown}`; there are {}", names.join(", ")).into());
    }
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|only| name.starts_with(&**only));
    workloads.retain(|workload| wanted(&workload.name));
    if options.check {
        return check(options, &workloads);
    }
    let machine = Machine::open(options.gpu, &options.kernels)?;
    let (samples, scale) = (usize::from(options.samples), Scale::DividedBy(options.scale));
    print!("{}; {samples} rounds", machine.description());
    println!("{}.", if options.scale == 1 { String::new() } else { format!("; sizes divided by {}", options.scale) });
    let mut failures = 0;
    if !workloads.is_empty() {
        failures += report_workloads(&machine, &workloads, scale, samples)?;
    }
    for ((name, _), report) in [(DISPATCH, report_dispatch as ReportPart), (TRANSFER, report_transfer)] {
        if !wanted(name) {
            continue;
        }
        let outcome = report(&machine, scale, samples);
        done(name);
        if let Err(error) = outcome {
            println!("\n- Failed: `{name}`: {error}.");
            failures += 1;
        }
    }
    Ok(Outcome::of(failures))
}

/// Reports something that is no workload.
type ReportPart = fn(&Machine, Scale, usize) -> Result<(), cuda::Error>;

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

fn check(options: &Options, workloads: &[Workload]) -> Result<Outcome, Box<dyn Error>> {
    let mut failures = 0;
    let cpu = JitDevice::new(&JitOptions::default())?;
    let reference = ReferenceDevice::new();
    let devices: [(&str, &dyn Device, Scale); 2] =
        [("the CPU", &cpu, CPU_CHECK), ("the reference interpreter", &reference, REFERENCE_CHECK)];
    for (name, device, scale) in devices {
        let mut right = 0;
        for workload in workloads {
            progress(&format!("{}: on {name}", workload.name));
            match check_on(device, workload, scale) {
                Ok(programs) => right += programs,
                Err(error) => {
                    progress("");
                    println!("wrong on {name}: {error}");
                    failures += 1;
                }
            }
        }
        progress("");
        println!("{right} programs of {} workloads are right on {name}", workloads.len());
    }
    match Machine::open(options.gpu, &options.kernels) {
        Err(cuda::Error::NoCuda { message }) => println!("not checked on a GPU: {message}"),
        Err(error) => return Err(error.into()),
        Ok(machine) => {
            println!("on {}:", machine.description());
            for workload in workloads {
                progress(&format!("{}: on the GPU", workload.name));
                let failed = compare_results(&machine, workload, GPU_CHECK)?;
                progress("");
                println!("{}: {}", workload.name, if failed.is_empty() { "all agree" } else { "wrong" });
                failed.iter().for_each(|why| println!("  {why}"));
                failures += failed.len();
            }
        }
    }
    Ok(Outcome::of(failures))
}

fn report_workloads(
    machine: &Machine,
    workloads: &[Workload],
    scale: Scale,
    rounds: usize,
) -> Result<usize, Box<dyn Error>> {
    let smaller = |error| format!("{error}; smaller problems may help: --scale");
    let copy = DeviceCopy::new(machine, scale).map_err(smaller)?;
    println!(
        "\nEvery code, medians of {rounds} rounds; ± is half of the way from the tenth to the ninetieth percentile. *GB/s* \
         counts what the algorithm reads and writes; *of copy* compares that with `cuMemcpyDtoD` of {} bytes in the same \
         round. *Ratio* is the time of the fastest program over that of the row.\n",
        copy.bytes()
    );
    println!("| Workload | Side | Code | Runs | Time, us | ± | GB/s | Of copy | Ratio | |");
    println!("|---|---|---|--:|--:|--:|--:|--:|--:|---|");
    let mut races = Vec::new();
    let mut failed = Vec::new();
    for workload in workloads {
        let step = |step: String| progress(&format!("{}: {step}", workload.name));
        let outcome = race(machine, workload, scale, rounds, &copy, step);
        done(&workload.name);
        match outcome {
            Ok(race) => {
                print_codes(workload, &race);
                failed.extend(race.failed.iter().map(|why| format!("`{}`: {why}", workload.name)));
                races.push((workload, race));
            }
            Err(error) => failed.push(format!("`{}`: {}", workload.name, smaller(error))),
        }
    }
    println!(
        "\nThe fastest program against the fastest kernel of the same algorithm. *Ratio* is the time of vyre over that of \
         nvcc.\n"
    );
    println!("| Workload | vyre, us | nvcc, us | Ratio | Ratio of minima | vyre, GB/s | nvcc, GB/s | vyre, of copy |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    races.iter().for_each(|(workload, race)| print_summary(workload, race));
    let copies = races.iter().flat_map(|(_, race)| race.copy_bytes_per_second.iter().copied());
    println!("\n- The copy on the device reads and writes {:.0} GB/s.", median(copies) / 1e9);
    println!("- Runs: a time is the mean of so many runs, one after the other.");
    races.iter().for_each(|(workload, _)| println!("- `{}`: {}.", workload.name, workload.summary));
    failed.iter().for_each(|failure| println!("- Failed: {failure}."));
    Ok(failed.len())
}

/// Bandwidth, and its part of that of a copy in the same round.
fn bandwidth(race: &Race, measured: &Measured) -> (String, String) {
    let Some(bytes) = race.bytes.map(|bytes| bytes as f64) else { return (String::new(), String::new()) };
    let of_copy = measured.times.iter().zip(&race.copy_bytes_per_second);
    let of_copy = median(of_copy.map(|(time, copy)| bytes / time.as_secs_f64() / copy));
    (format!("{:.0}", bytes / measured.median() / 1e9), format!("{:.1} %", of_copy * 100.0))
}

fn print_codes(workload: &Workload, race: &Race) {
    let program = race.fastest(Role::Program);
    for row in &race.measured {
        let (gigabytes, of_copy) = bandwidth(race, row);
        let ratio = program.map(|program| format!("{:.3}", median_ratio(&program.times, &row.times)));
        println!(
            "| {} | {} | {} | {} | {:.2} | {:.1} % | {gigabytes} | {of_copy} | {} | {} |",
            workload.name,
            if row.role == Role::Program { "vyre" } else { "nvcc" },
            row.name,
            row.runs,
            row.median() * 1e6,
            row.spread() * 100.0,
            ratio.unwrap_or_default(),
            mark(row, race),
        );
    }
}

/// What a row is for.
fn mark(row: &Measured, race: &Race) -> &'static str {
    let is_fastest = race.fastest(row.role).is_some_and(|fastest| std::ptr::eq(fastest, row));
    match row.role {
        Role::Program if is_fastest => "vyre",
        Role::Peer if is_fastest => "peer",
        Role::Program | Role::Peer => "a slower way",
        Role::OtherWay => "not the same algorithm",
    }
}

fn print_summary(workload: &Workload, race: &Race) {
    let (Some(vyre), Some(nvcc)) = (race.fastest(Role::Program), race.fastest(Role::Peer)) else {
        println!("| {} | | | | | | | |", workload.name);
        return;
    };
    let (gigabytes, of_copy) = bandwidth(race, vyre);
    let (peer_gigabytes, _) = bandwidth(race, nvcc);
    println!(
        "| {} | {:.2} | {:.2} | {:.3} | {:.3} | {gigabytes} | {peer_gigabytes} | {of_copy} |",
        workload.name,
        vyre.median() * 1e6,
        nvcc.median() * 1e6,
        median_ratio(&vyre.times, &nvcc.times),
        ratio_of_minima(&vyre.times, &nvcc.times),
    );
}

fn report_dispatch(machine: &Machine, _scale: Scale, rounds: usize) -> Result<(), cuda::Error> {
    let overhead = Overhead::new(machine)?;
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
    progress("");
    println!(
        "\nDispatches of one workgroup that stores a word, against `cuLaunchKernel` and a graph of launches. *Wall* is from \
         the call to the end of waiting.\n"
    );
    println!("| What, for each dispatch | Driver, us | vyre, us | Ratio | Ratio of minima |");
    println!("|---|--:|--:|--:|--:|");
    let print = |what: &str, of: fn(&OverheadTimes) -> Duration| {
        print_pair(what, &bare.iter().map(of).collect::<Vec<_>>(), &vyre.iter().map(of).collect::<Vec<_>>());
    };
    print("one, wall", |times| times.once);
    print(&format!("list of {DISPATCHES}, wall"), |times| times.list);
    print(&format!("list of {DISPATCHES}, device"), |times| times.list_on_device);
    print(&format!("repeat of {DISPATCHES}, a graph that is there, wall"), |times| times.repeat);
    print(&format!("repeat of {DISPATCHES}, a graph that is there, device"), |times| times.repeat_on_device);
    let anew: Vec<Duration> = bare.iter().filter_map(|times| times.repeat_anew).collect();
    let repeat: Vec<Duration> = vyre.iter().map(|times| times.repeat).collect();
    print_pair(&format!("repeat of {DISPATCHES}, a graph recorded for it, wall"), &anew, &repeat);
    println!(
        "\n- The backend may keep the graph of a repeat or record it in each run; its time is in the rows for both, and the \
         one that applies counts."
    );
    Ok(())
}

fn print_pair(what: &str, bare: &[Duration], vyre: &[Duration]) {
    println!(
        "| {what} | {:.3} | {:.3} | {:.2} | {:.2} |",
        median(bare.iter().map(Duration::as_secs_f64)) * 1e6,
        median(vyre.iter().map(Duration::as_secs_f64)) * 1e6,
        median_ratio(vyre, bare),
        ratio_of_minima(vyre, bare)
    );
}

fn report_transfer(machine: &Machine, scale: Scale, rounds: usize) -> Result<(), cuda::Error> {
    let mut transfers = Transfers::new(machine, scale)?;
    transfers.time()?;
    let mut times = Vec::new();
    for round in 0..rounds {
        progress(&format!("transfer: round {} of {rounds}", round + 1));
        times.push(transfers.time()?);
    }
    progress("");
    println!(
        "\nCopies of {} bytes, GB/s. Between host and device by the host's clock, from the call to the end of waiting; on the \
         device by its own, reading and writing counted. `Device::read` makes the memory that it reads to, and so does the \
         driver's side but where memory is pinned.\n",
        transfers.bytes()
    );
    println!("| What | vyre | Driver, memory as it is | Driver, pinned memory |");
    println!("|---|--:|--:|--:|");
    let speed = |factor: f64, of: fn(&TransferTimes) -> Duration| {
        let seconds = median(times.iter().map(|times| of(times).as_secs_f64()));
        format!("{:.2}", transfers.bytes() as f64 * factor / seconds / 1e9)
    };
    let print = |what: &str, cells: [String; 3]| println!("| {what} | {} |", cells.join(" | "));
    let [write, bare, pinned] = [speed(1.0, |t| t.write), speed(1.0, |t| t.bare_write), speed(1.0, |t| t.pinned_write)];
    print("host to device", [write, bare, pinned]);
    let [read, bare, pinned] = [speed(1.0, |t| t.read), speed(1.0, |t| t.bare_read), speed(1.0, |t| t.pinned_read)];
    print("device to host", [read, bare, pinned]);
    print("on the device", [speed(2.0, |t| t.copy), speed(2.0, |t| t.bare_copy), String::new()]);
    Ok(())
}
