//! Measures the wgpu backend against hand-written WGSL on one adapter.
//!
//! `cargo run --release -p vyre-benches --bin gpu_report -- --help`

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use vyre_benches::device::description;
use vyre_benches::gpu::{
    DISPATCHES, Overhead, OverheadTimes, Session, ShaderTimes, WORKLOADS, Workload, WorkloadTimes, compare_workload,
};
use vyre_benches::harness::{
    ChartSpec, Contender, Measured, OutputArgs, Plan, RatioTable, Report, Role, Table, Unit, compare, exit_code,
    finished, step,
};
use vyre_wgpu::{GpuOptions, WgpuDevice};

/// Measures the wgpu backend against hand-written WGSL on one adapter.
///
/// Progress goes to standard error, Markdown to standard output. Each workload is a program and shaders with the same result,
/// which run through wgpu on the same adapter. All results are verified on the host before and after the measurement; every contender
/// runs once in each iteration. A ratio is taken within an iteration; the report shows its median.
#[derive(Debug, Parser)]
#[command(name = "gpu_report", after_help = AFTER_HELP)]
struct Options {
    /// Adapter, by its number in --list
    #[arg(long, value_name = "N", default_value_t = 0)]
    adapter: usize,

    /// Bytes of each of the four large buffers; limited by the adapter
    #[arg(long, value_name = "N", default_value_t = 1 << 30, value_parser = clap::value_parser!(u64).range(16..=1 << 33))]
    bytes: u64,

    /// Number of iterations; medians need about 15
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    /// Measures only this part (may be given more than once); --list has the names
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Lists the adapters of this machine and the parts of the report, and measures nothing
    #[arg(long)]
    list: bool,

    #[command(flatten)]
    output: OutputArgs,
}

const AFTER_HELP: &str = "\
Each hand-written shader is measured twice: with the checks that wgpu adds to every shader and workgroup
memory that wgpu sets to zero, which is the default of wgpu; and without both, with the guard that is
written in the shader. Programs have the guards of the language and none of wgpu.

Times come from timestamps of the device if it has them, and the report states so. A software adapter
shows that everything works; its figures mean little.

Examples:
  gpu_report --list                                  adapters and parts
  gpu_report                                         everything, with 1 GiB in each buffer
  gpu_report --only xor --only scan --iterations 41  two workloads, more iterations
  gpu_report --adapter 1 --bytes 16777216            another adapter, small buffers
  gpu_report --out benches/results                   writes gpu_report.md and gpu_report.svg too";

/// Part of the report that is not a workload.
const DISPATCH: (&str, &str) = ("dispatch", "overhead of dispatches");

fn main() -> ExitCode {
    exit_code("gpu_report", report(&Options::parse()))
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
    let is_selected = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    let plan = Plan::new(usize::from(options.iterations)).alternating();
    let adapter = devices.get(options.adapter).map(|device| description(device)).unwrap_or_default();
    step("creating buffers");
    let session = Session::new(devices, options.adapter, options.bytes)
        .map_err(|error| format!("{error}; smaller buffers may help: --bytes"))?;
    let mut report = Report::new("gpu_report", "The wgpu backend against hand-written WGSL", &options.output);
    let clock = match session.bare().has_timestamps() {
        true => "Times are by timestamps of the device, before the first and after the last run of a submission.",
        false => "The device has no timestamps, so times are those of the host, from submission to completion.",
    };
    let bytes = session.words() * 4;
    report.paragraph(&format!("{adapter}; buffers of {bytes} bytes; {} iterations. {clock}", plan.iterations));
    if WORKLOADS.iter().any(|workload| is_selected(workload.name)) {
        report_workloads(&mut report, &session, plan, is_selected)?;
    }
    if is_selected(DISPATCH.0) {
        report_dispatch(&mut report, &session, plan)?;
    }
    report.finish()?;
    Ok(())
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

fn report_workloads(
    report: &mut Report,
    session: &Session,
    plan: Plan,
    is_selected: impl Fn(&str) -> bool,
) -> Result<(), Box<dyn Error>> {
    report.heading("Run time");
    report.paragraph(
        "A program against hand-written shaders; all results are verified on the host before and after. *GB/s* counts the bytes that \
         are read and written. *Of copy* compares that with a shader that copies four words per invocation, in the same \
         iteration. *Ratio* is the time of vyre over that of the row.",
    );
    report.chart(
        &ChartSpec::ratio(
            "Run time relative to hand-written WGSL",
            &["Workload", "Code", "Checks"],
            "Ratio",
            "time of vyre over time of the shader",
        )
        .only("Role", "peer"),
    );
    let table = Table::new().text("Workload").text("Code").text("Checks");
    report.table(&table.numbers(["Runs", "Time, ms", "GB/s", "Of copy", "Ratio", "Ratio of minima"]).text("Role"));
    let mut left_out = Vec::new();
    for workload in WORKLOADS.iter().filter(|workload| is_selected(workload.name)) {
        let on_step = |what: &str| step(&format!("{}: {what}", workload.name));
        let times = compare_workload(session, workload, plan, on_step)?;
        finished(workload.name);
        report_rows(report, session, workload, &times);
        left_out.extend(times.left_out.iter().map(|reason| format!("Left out of `{}`: {reason}.", workload.name)));
    }
    report.list([
        "Runs: a time is the mean of this number of runs in one submission.",
        "Checks: vyre's are the guards of the language, and wgpu adds none. wgpu's are those that `create_shader_module` adds to the \
         guard in the shader, with workgroup memory set to zero; *own guard* is the same shader without them.",
        "Grids longer than an axis of the adapter: vyre folds or splits them automatically; hand-written shaders have one dispatch \
         over two axes, except in the row that states otherwise.",
    ]);
    report.list(left_out);
    Ok(())
}

fn report_rows(report: &mut Report, session: &Session, workload: &Workload, times: &WorkloadTimes) {
    let words = session.words() as u64;
    let Some(program) = times.program().map(|program| program.measured.seconds()) else { return };
    let bytes = words * workload.bytes_per_word;
    let mut row = |name: &str, checks: &str, measured: &Measured, role: &str| {
        let seconds = measured.seconds();
        // A copy reads and writes every word.
        let of_copy = times.shader_copy.ratio_to(&seconds) * bytes as f64 / (words * 8) as f64;
        report.row([
            workload.name.to_owned(),
            name.to_owned(),
            checks.to_owned(),
            measured.runs.to_string(),
            format!("{:.3}", seconds.median() * 1e3),
            format!("{:.1}", bytes as f64 / seconds.median() / 1e9),
            format!("{:.1} %", of_copy * 100.0),
            format!("{:.2}", program.ratio_to(&seconds)),
            format!("{:.2}", program.ratio_of_minima(&seconds)),
            role.to_owned(),
        ]);
    };
    for shader in &times.rows {
        row(shader.name, shader.checks.name(), &shader.measured, role(shader, times));
    }
    if let Some(api_copy) = times.api_copy.as_ref().filter(|_| workload.name == "copy") {
        row("copy_buffer_to_buffer", "", api_copy, "for information");
    }
}

/// Role of a row: the peer is the fastest shader with the same checks.
fn role(row: &ShaderTimes, times: &WorkloadTimes) -> &'static str {
    let median = |row: &ShaderTimes| row.measured.seconds().median();
    let mut rivals = times.rows.iter().filter(|other| other.measured.role == Role::Peer && other.checks == row.checks);
    match row.measured.role {
        Role::Ours => "",
        Role::Peer if rivals.all(|other| median(row) <= median(other)) => "peer",
        Role::Peer => "slower variant",
        Role::Information => "for information",
    }
}

fn report_dispatch(report: &mut Report, session: &Session, plan: Plan) -> Result<(), Box<dyn Error>> {
    let overhead = Overhead::new(session)?;
    let contenders = vec![
        Contender::new("vyre", Role::Ours, |_| overhead.time_vyre()),
        Contender::new("bare wgpu", Role::Peer, |_| overhead.time_bare()),
    ];
    let comparison = compare(contenders, plan, |what| step(&format!("dispatch: {what}")))?;
    overhead.check()?;
    finished("dispatch");
    report.heading("Dispatch overhead");
    report.paragraph(
        "Dispatches of one workgroup that stores a word, against wgpu with one bind group for all submissions and one pass per \
         submission. *Wall* is from the call to the end of waiting, encoding included.",
    );
    let ratios = RatioTable::new(Table::new().text("Dispatch"), "Bare wgpu", "vyre", Unit::Microseconds);
    report.table(&ratios.table());
    let [vyre, bare] = &comparison.measured[..] else { return Ok(()) };
    let mut row = |label: &str, figure: fn(&OverheadTimes) -> Option<Duration>| {
        let [vyre, bare] = [vyre, bare].map(|side| side.partial_series(|times| Some(figure(times)?.as_secs_f64())));
        if !vyre.is_empty() && !bare.is_empty() {
            report.row(ratios.cells(&[label], &bare, &vyre));
        }
    };
    row("one dispatch, wall", |times| Some(times.single));
    row(&format!("one of {DISPATCHES} in a submission, wall"), |times| Some(times.many));
    row(&format!("one of {DISPATCHES} in a submission, device"), |times| times.many_on_device);
    Ok(())
}
