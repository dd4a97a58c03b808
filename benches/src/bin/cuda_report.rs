//! Measures the CUDA backend against hand-written CUDA C++ on one GPU.
//!
//! `benches/cuda-against-nvcc.sh` compiles the kernels and runs this program; `cuda_report --help` has the options.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use vyre_benches::cuda::{
    DISPATCHES, DeviceCopy, Overhead, OverheadTimes, Scale, Session, TransferTimes, Transfers, Workload, WorkloadTimes,
    compare_workload, verify_on, verify_workload, workloads,
};
use vyre_benches::harness::{
    ChartSpec, Comparison, Contender, Measured, OutputArgs, Plan, RatioTable, Report, Role, Series, Table, Unit,
    compare, exit_code, finished, median, step,
};
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{Device, ReferenceDevice};

/// Measures the CUDA backend against hand-written CUDA C++ on one GPU.
///
/// Progress goes to standard error, Markdown to standard output. Each workload has programs, which run through the backend, and
/// kernels that nvcc compiled, which run through the driver in the same process on the same data. Before the first iteration and
/// after the last one, all bytes of the results are compared with each other, and parts with a plain computation. Every contender
/// runs once in each iteration; ratios are taken within an iteration, and the report shows their medians.
#[derive(Debug, Parser)]
#[command(name = "cuda_report", after_help = AFTER_HELP)]
struct Options {
    /// Folder of the compiled kernels, NAME.cubin for each NAME.cu
    #[arg(long, value_name = "DIR", default_value = "target/cuda-report")]
    kernels: PathBuf,

    /// Position of the GPU
    #[arg(long, value_name = "N", default_value_t = 0)]
    gpu: usize,

    /// Number of iterations, after two that do not count
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    /// Divides the size of every problem by this number, for GPUs with less than 16 GiB and for trials
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,

    /// Measures only the parts whose names begin with NAME (may be given more than once); --list has the names
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Lists the parts of the report, and measures nothing
    #[arg(long)]
    list: bool,

    /// Verifies results at small sizes and measures nothing: on the CPU and on the reference interpreter of any machine, and on
    /// both sides of the GPU if there is one
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    output: OutputArgs,
}

const AFTER_HELP: &str = "\
The ratio of a workload is the time of the fastest program over that of the fastest kernel of the same
algorithm: 1.00 is the speed of hand-written code, and larger is slower. Kernels of another algorithm are
shown for information. Times are those of the GPU, by events or timestamps around several runs. GB/s counts
the bytes that the algorithm reads and writes; 'of copy' compares it with a copy of 2 GiB on the device by
the driver, in the same iteration.

Exit status: 0 if all results agree; 1 if a contender failed or had a wrong result, which the report
states; 2 if there is no CUDA, or an option is wrong.

Examples:
  cuda_report --check                      verifies the programs; needs no GPU
  cuda_report --list                       the parts of the report
  cuda_report                              everything, on the first GPU
  cuda_report --only xor --iterations 51   two workloads, more iterations
  cuda_report --only small --scale 16      small workgroups, a sixteenth of them
  cuda_report --kernels DIR                with kernels that were compiled elsewhere
  cuda_report --out benches/results        writes cuda_report.md and cuda_report.svg too

`benches/cuda-against-nvcc.sh build` compiles the kernels and needs nvcc or a network; this program needs
only the compiled kernels and NVIDIA's driver.";

/// Parts of the report that are not workloads.
const DISPATCH: (&str, &str) = ("dispatch", "overhead of dispatches");
const TRANSFER: (&str, &str) = ("transfer", "copies of 1 GiB between host and device, and on the device");

/// Sizes of verifications; not multiples of workgroups or blocks.
const CPU_CHECK: Scale = Scale::Elements(20_012);
const REFERENCE_CHECK: Scale = Scale::Elements(300);
const GPU_CHECK: Scale = Scale::Elements(200_012);

/// Iterations that do not count.
const WARM_UP: usize = 2;

fn main() -> ExitCode {
    match report(&Options::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => exit_code("cuda_report", Err(error)),
    }
}

/// Writes the report and returns the number of failures.
fn report(options: &Options) -> Result<usize, Box<dyn Error>> {
    let mut workloads = workloads();
    let own_parts = workloads.iter().map(|workload| (&*workload.name, workload.summary));
    let parts: Vec<(&str, &str)> = own_parts.chain([DISPATCH, TRANSFER]).collect();
    if options.list {
        parts.iter().for_each(|(name, summary)| println!("{name:<20}{summary}"));
        return Ok(0);
    }
    if let Some(unknown) = options.only.iter().find(|only| parts.iter().all(|(name, _)| !name.starts_with(&***only))) {
        let names: Vec<&str> = parts.iter().map(|&(name, _)| name).collect();
        return Err(format!("no part begins with `{unknown}`; choose from {}", names.join(", ")).into());
    }
    let is_selected = |name: &str| options.only.is_empty() || options.only.iter().any(|only| name.starts_with(&**only));
    workloads.retain(|workload| is_selected(&workload.name));
    if options.check {
        return check(options, &workloads);
    }
    let session = Session::open(options.gpu, &options.kernels)?;
    let plan = Plan::new(usize::from(options.iterations)).with_warm_up(WARM_UP).alternating();
    let scale = Scale::DividedBy(options.scale);
    let mut report = Report::new("cuda_report", "The CUDA backend against nvcc", &options.output);
    let divided = if options.scale == 1 { String::new() } else { format!("; sizes divided by {}", options.scale) };
    report.paragraph(&format!("{}; {} iterations{divided}.", session.description(), plan.iterations));
    let mut failures = 0;
    if !workloads.is_empty() {
        failures += report_workloads(&mut report, &session, &workloads, scale, plan)?;
    }
    for ((name, _), report_part) in [(DISPATCH, report_dispatch as ReportPart), (TRANSFER, report_transfer)] {
        if !is_selected(name) {
            continue;
        }
        let outcome = report_part(&mut report, &session, scale, plan);
        finished(name);
        if let Err(error) = outcome {
            report.list([format!("Failed: `{name}`: {error}.")]);
            failures += 1;
        }
    }
    report.finish()?;
    Ok(failures)
}

/// Reports a part that is not a workload.
type ReportPart = fn(&mut Report, &Session, Scale, Plan) -> Result<(), vyre_benches::Error>;

/// Verifies all programs and kernels and returns the number of failures.
fn check(options: &Options, workloads: &[Workload]) -> Result<usize, Box<dyn Error>> {
    let mut failures = 0;
    let cpu = JitDevice::new(&JitOptions::default())?;
    let reference = ReferenceDevice::new();
    let devices: [(&str, &dyn Device, Scale); 2] =
        [("the CPU", &cpu, CPU_CHECK), ("the reference interpreter", &reference, REFERENCE_CHECK)];
    for (name, device, scale) in devices {
        let mut verified = 0;
        for workload in workloads {
            step(&format!("{}: on {name}", workload.name));
            match verify_on(device, workload, scale) {
                Ok(programs) => verified += programs,
                Err(error) => {
                    step("");
                    println!("wrong on {name}: {}: {error}", workload.name);
                    failures += 1;
                }
            }
        }
        step("");
        println!("{verified} programs of {} workloads have the expected results on {name}", workloads.len());
    }
    match Session::open(options.gpu, &options.kernels) {
        Err(vyre_benches::Error::NoCuda { message }) => println!("not verified on a GPU: {message}"),
        Err(error) => return Err(error.into()),
        Ok(session) => {
            println!("on {}:", session.description());
            for workload in workloads {
                step(&format!("{}: on the GPU", workload.name));
                let failed = verify_workload(&session, workload, GPU_CHECK)?;
                step("");
                println!("{}: {}", workload.name, if failed.is_empty() { "all agree" } else { "wrong" });
                failed.iter().for_each(|reason| println!("  {reason}"));
                failures += failed.len();
            }
        }
    }
    Ok(failures)
}

fn report_workloads(
    report: &mut Report,
    session: &Session,
    workloads: &[Workload],
    scale: Scale,
    plan: Plan,
) -> Result<usize, Box<dyn Error>> {
    let smaller = |error| format!("{error}; smaller problems may help: --scale");
    let copy = DeviceCopy::new(session, scale).map_err(smaller)?;
    let mut measured = Vec::new();
    let mut failed = Vec::new();
    report.heading("All contenders");
    report.paragraph(&format!(
        "Medians of {} iterations; ± is half of the distance from the tenth to the ninetieth percentile. *GB/s* counts the bytes that \
         the algorithm reads and writes; *of copy* compares it with `cuMemcpyDtoD` of {} bytes in the same iteration. *Ratio* is \
         the time of the fastest program over that of the row.",
        plan.iterations,
        copy.bytes()
    ));
    let table =
        Table::new().text("Workload").text("Contender").numbers(["Runs", "Time, us", "±", "GB/s", "Of copy", "Ratio"]);
    report.table(&table.text("Role"));
    for workload in workloads {
        let on_step = |what: &str| step(&format!("{}: {what}", workload.name));
        let outcome = compare_workload(session, workload, scale, plan, &copy, on_step);
        finished(&workload.name);
        match outcome {
            Ok(times) => {
                report_contenders(report, workload, &times, copy.bytes());
                failed.extend(times.comparison.left_out.iter().map(|reason| format!("`{}`: {reason}", workload.name)));
                measured.push((workload, times));
            }
            Err(error) => failed.push(format!("`{}`: {}", workload.name, smaller(error))),
        }
    }
    report_summary(report, &measured, copy.bytes());
    let copies = measured.iter().flat_map(|(_, times)| times.copy.values().collect::<Vec<_>>());
    let copied = format!(
        "The copy on the device reads and writes {:.0} GB/s.",
        copy.bytes() as f64 * 2.0 / median(copies) / 1e9
    );
    report.list([copied, "Runs: a time is the mean of this number of consecutive runs.".to_owned()]);
    report.list(measured.iter().map(|(workload, _)| format!("`{}`: {}.", workload.name, workload.summary)));
    report.list(failed.iter().map(|failure| format!("Failed: {failure}.")));
    Ok(failed.len())
}

/// Bandwidth, and its fraction of that of a copy of `copied` bytes in the same iteration.
fn bandwidth(times: &WorkloadTimes, seconds: &Series, copied: u64) -> [String; 2] {
    let Some(bytes) = times.bytes.map(|bytes| bytes as f64) else { return [String::new(), String::new()] };
    let of_copy = times.copy.ratio_to(seconds) * bytes / (copied as f64 * 2.0);
    [format!("{:.0}", bytes / seconds.median() / 1e9), format!("{:.1} %", of_copy * 100.0)]
}

fn report_contenders(report: &mut Report, workload: &Workload, times: &WorkloadTimes, copied: u64) {
    let program = times.comparison.fastest(Role::Ours).map(Measured::seconds);
    for row in &times.comparison.measured {
        let seconds = row.seconds();
        let [gigabytes, of_copy] = bandwidth(times, &seconds, copied);
        let ratio = program.as_ref().map(|program| format!("{:.3}", program.ratio_to(&seconds)));
        report.row([
            workload.name.clone(),
            row.name.clone(),
            row.runs.to_string(),
            format!("{:.2}", seconds.median() * 1e6),
            format!("{:.1} %", seconds.spread() * 100.0),
            gigabytes,
            of_copy,
            ratio.unwrap_or_default(),
            role(row, &times.comparison).to_owned(),
        ]);
    }
}

fn role(row: &Measured, comparison: &Comparison) -> &'static str {
    let is_fastest = comparison.fastest(row.role).is_some_and(|fastest| std::ptr::eq(fastest, row));
    match row.role {
        Role::Ours if is_fastest => "vyre",
        Role::Peer if is_fastest => "peer",
        Role::Ours | Role::Peer => "slower variant",
        Role::Information => "other algorithm",
    }
}

fn report_summary(report: &mut Report, measured: &[(&Workload, WorkloadTimes)], copied: u64) {
    report.heading("Summary");
    report.paragraph("The fastest program against the fastest kernel of the same algorithm. *Ratio* is the time of vyre over that of nvcc.");
    report.chart(&ChartSpec::ratio(
        "Run time relative to CUDA C++ compiled by nvcc",
        &["Workload"],
        "Ratio",
        "time of vyre over time of nvcc",
    ));
    let ratios = RatioTable::new(Table::new().text("Workload"), "nvcc", "vyre", Unit::Microseconds).with_digits(2, 3);
    report.table(&ratios.table().numbers(["vyre, GB/s", "nvcc, GB/s", "vyre, of copy"]));
    for (workload, times) in measured {
        let fastest = |role| times.comparison.fastest(role).map(Measured::seconds);
        let (Some(vyre), Some(nvcc)) = (fastest(Role::Ours), fastest(Role::Peer)) else { continue };
        let [gigabytes, of_copy] = bandwidth(times, &vyre, copied);
        let [peer_gigabytes, _] = bandwidth(times, &nvcc, copied);
        let cells = ratios.cells(&[&workload.name], &nvcc, &vyre);
        report.row(cells.into_iter().chain([gigabytes, peer_gigabytes, of_copy]));
    }
}

fn report_dispatch(
    report: &mut Report,
    session: &Session,
    _scale: Scale,
    plan: Plan,
) -> Result<(), vyre_benches::Error> {
    let overhead = Overhead::new(session)?;
    let contenders = vec![
        Contender::new("vyre", Role::Ours, |_| overhead.time_vyre()),
        Contender::new("driver", Role::Peer, |_| overhead.time_bare()),
    ];
    let comparison = compare(contenders, plan, |what| step(&format!("dispatch: {what}")))?;
    report.heading("Dispatch overhead");
    report.paragraph(
        "Dispatches of one workgroup that stores a word, against `cuLaunchKernel` and a CUDA graph of launches. *Wall* is from the call \
         to the end of waiting.",
    );
    let ratios =
        RatioTable::new(Table::new().text("Per dispatch"), "Driver", "vyre", Unit::Microseconds).with_digits(3, 2);
    report.table(&ratios.table());
    let [vyre, driver] = &comparison.measured[..] else { return Ok(()) };
    let mut row =
        |label: &str, ours: fn(&OverheadTimes) -> Duration, theirs: fn(&OverheadTimes) -> Option<Duration>| {
            let vyre = vyre.series(|times| ours(times).as_secs_f64());
            let driver = driver.partial_series(|times| Some(theirs(times)?.as_secs_f64()));
            report.row(ratios.cells(&[label], &driver, &vyre));
        };
    row("one, wall", |times| times.single, |times| Some(times.single));
    row(&format!("list of {DISPATCHES}, wall"), |times| times.list, |times| Some(times.list));
    row(&format!("list of {DISPATCHES}, device"), |times| times.list_on_device, |times| Some(times.list_on_device));
    row(&format!("repeat of {DISPATCHES}, existing graph, wall"), |times| times.repeat, |times| Some(times.repeat));
    let on_device = |times: &OverheadTimes| times.repeat_on_device;
    row(&format!("repeat of {DISPATCHES}, existing graph, device"), on_device, |times| Some(times.repeat_on_device));
    row(
        &format!("repeat of {DISPATCHES}, graph recorded for it, wall"),
        |times| times.repeat,
        |times| times.repeat_recorded,
    );
    report.list([
        "The backend may keep the graph of a repeat or record it in each run. Its time is in the rows for both; the row that applies \
         counts.",
    ]);
    Ok(())
}

fn report_transfer(
    report: &mut Report,
    session: &Session,
    scale: Scale,
    plan: Plan,
) -> Result<(), vyre_benches::Error> {
    let mut transfers = Transfers::new(session, scale)?;
    let bytes = transfers.bytes();
    let contenders = vec![Contender::new("copies", Role::Ours, move |_| transfers.time())];
    let comparison = compare(contenders, plan, |what| step(&format!("transfer: {what}")))?;
    report.heading("Copies");
    report.paragraph(&format!(
        "Copies of {bytes} bytes, GB/s. Between host and device by the clock of the host, from the call to the end of waiting; on the \
         device by its own clock, with reads and writes counted. `Device::read` allocates its result, and so does the side of the \
         driver, except for pinned memory."
    ));
    report.table(&Table::new().text("Copy").numbers(["vyre", "Driver, pageable memory", "Driver, pinned memory"]));
    let Some(copies) = comparison.measured.first() else { return Ok(()) };
    let speed = |factor: f64, figure: fn(&TransferTimes) -> Duration| {
        let seconds = copies.series(|times| figure(times).as_secs_f64()).median();
        format!("{:.2}", bytes as f64 * factor / seconds / 1e9)
    };
    let write = [speed(1.0, |t| t.write), speed(1.0, |t| t.bare_write), speed(1.0, |t| t.pinned_write)];
    let read = [speed(1.0, |t| t.read), speed(1.0, |t| t.bare_read), speed(1.0, |t| t.pinned_read)];
    let copy = [speed(2.0, |t| t.copy), speed(2.0, |t| t.bare_copy), String::new()];
    for (label, cells) in [("host to device", write), ("device to host", read), ("on the device", copy)] {
        report.row([label.to_owned()].into_iter().chain(cells));
    }
    Ok(())
}
