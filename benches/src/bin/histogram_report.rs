//! Measures a histogram with atomics on storage and on workgroup memory, on every backend.
//!
//! `cargo run --release -p vyre-benches --bin histogram_report -- --help`

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;
use vyre_benches::device::{Backend, DeviceRequest, description};
use vyre_benches::harness::{ChartSpec, OutputArgs, Plan, Report, Table, exit_code, finished, step};
use vyre_benches::histogram::{Distribution, Problem, STORAGE, compare_on};

/// Measures a histogram with atomics on storage and on workgroup memory, on every backend.
///
/// Progress goes to standard error, Markdown to standard output. Both programs count the lowest bytes of the same words in 256 bins.
/// Their results are compared with a loop on the host before and after the measurement; every contender runs once in each iteration. A
/// ratio is taken within an iteration; the report shows its median.
#[derive(Debug, Parser)]
#[command(name = "histogram_report", after_help = AFTER_HELP)]
struct Options {
    /// Number of words
    #[arg(long, value_name = "N", default_value_t = 1 << 26, value_parser = clap::value_parser!(u32).range(1..=1 << 29))]
    words: u32,

    /// Number of iterations; medians need about 15
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    /// Measures only this backend (may be given more than once)
    #[arg(long, value_name = "NAME", value_enum)]
    only: Vec<Backend>,

    /// GPU, by its position among those of a backend
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,

    /// Threads of the CPU backend; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,

    #[command(flatten)]
    output: OutputArgs,
}

const AFTER_HELP: &str = "\
Times are those of the host: from the submission of a command list, which clears the bins and counts, until it
is complete. Transfers are not included.

Examples:
  histogram_report                                   every backend of the machine
  histogram_report --only cpu --threads 1            one thread
  histogram_report --only cuda --words 16777216      fewer words
  histogram_report --out benches/results             writes histogram_report.md and histogram_report.svg too";

fn main() -> ExitCode {
    exit_code("histogram_report", report(&Options::parse()))
}

fn report(options: &Options) -> Result<(), Box<dyn Error>> {
    let backends = [Backend::Cpu, Backend::Cuda, Backend::Wgpu];
    let is_selected = |backend: &Backend| options.only.is_empty() || options.only.contains(backend);
    let plan = Plan::new(usize::from(options.iterations)).alternating().with_warm_up(1);
    let title = "A histogram with atomics on storage and on workgroup memory";
    let mut report = Report::new("histogram_report", title, &options.output);
    report.paragraph(&format!(
        "256 bins, {} words, {} iterations. *Ratio* is the time of the row over that of `{STORAGE}` on the same device, within an \
         iteration. *Random* words are spread over all bins; of the *skewed* ones seven of eight belong to one bin.",
        options.words, options.iterations
    ));
    let labels = Table::new().text("Device").text("Words").text("Code");
    report.chart(&ChartSpec::ratio(
        "Time relative to atomics on storage",
        &["Device", "Words", "Code"],
        "Ratio",
        "time of the row over time of storage atomics",
    ));
    report.table(&labels.numbers(["Runs", "Time, ms", "GB/s", "Ratio", "Ratio of minima"]));
    let mut devices = Vec::new();
    let mut notes = Vec::new();
    for backend in backends.into_iter().filter(is_selected) {
        let request = DeviceRequest { backend, gpu: options.gpu, threads: options.threads };
        match request.open() {
            Ok(device) => {
                notes.push(format!("{}: {}.", backend.name(), description(&*device)));
                devices.push((backend, device));
            }
            Err(error) if options.only.is_empty() => notes.push(format!("{} is left out: {error}.", backend.name())),
            Err(error) => return Err(error.into()),
        }
    }
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    for distribution in Distribution::ALL {
        step(&format!("{}: making words", distribution.name()));
        let problem = Problem::new(distribution, options.words as usize);
        for (backend, device) in &devices {
            let label = format!("{}, {}", backend.name(), distribution.name());
            let threads = (*backend == Backend::Cpu).then_some(threads);
            let on_step = |what: &str| step(&format!("{label}: {what}"));
            let comparison = compare_on(&**device, &problem, threads, plan, on_step)?;
            finished(&label);
            let Some(storage) = comparison.named(STORAGE).map(|storage| storage.seconds()) else { continue };
            for measured in &comparison.measured {
                let seconds = measured.seconds();
                report.row([
                    backend.name().to_owned(),
                    distribution.name().to_owned(),
                    measured.name.clone(),
                    measured.runs.to_string(),
                    format!("{:.3}", seconds.median() * 1e3),
                    format!("{:.1}", f64::from(options.words) * 4.0 / seconds.median() / 1e9),
                    format!("{:.3}", seconds.ratio_to(&storage)),
                    format!("{:.3}", seconds.ratio_of_minima(&storage)),
                ]);
            }
        }
    }
    report.list(notes);
    report.finish()?;
    Ok(())
}
