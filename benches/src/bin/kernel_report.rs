//! Measures lowering and every pass.
//!
//! `cargo run --release -p vyre-benches --bin kernel_report -- --help`

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use vyre_benches::harness::{
    ChartSpec, Comparison, Contender, Measured, OutputArgs, Plan, Report, Role, Runs, Table, Timed, compare, exit_code,
    finished, step, verdict,
};
use vyre_benches::ir::SIZES;
use vyre_benches::kernel::{KernelCase, KernelTimes, KernelWorkload};

/// Measures lowering and every pass on generated programs of 1,000, 10,000 and 99,000 nodes.
///
/// Progress goes to standard error, Markdown to standard output. Growth is the cost per node of the largest program over that of
/// the smallest, taken within an iteration; the report shows medians. Neither validation nor the verifier is counted.
#[derive(Debug, Parser)]
#[command(name = "kernel_report", after_help = AFTER_HELP)]
struct Options {
    /// Number of iterations; every program is lowered and optimized once in each
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    #[command(flatten)]
    output: OutputArgs,
}

const AFTER_HELP: &str = "\
Examples:
  kernel_report                          the full report, about five minutes
  kernel_report --iterations 1           to see that everything works
  kernel_report --out benches/results    writes kernel_report.md and kernel_report.svg too";

/// Maximum time to lower and optimize 99,000 nodes.
const TIME_GOAL: Duration = Duration::from_secs(1);

/// Maximum factor by which the cost per node may grow from the smallest to the largest size.
const GROWTH_GOAL: f64 = 2.0;

fn main() -> ExitCode {
    exit_code("kernel_report", report(&Options::parse()))
}

fn report(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let mut report = Report::new("kernel_report", "The kernel form: lowering and optimizing", &options.output);
    let plan = Plan::new(usize::from(options.iterations));
    report.paragraph(&format!(
        "Medians of {} interleaved iterations. Growth is the cost per node at 99k over that at 1k.",
        plan.iterations
    ));
    report.chart(&ChartSpec::ratio(
        "Growth of the cost per node from 1,000 to 99,000 nodes",
        &["Workload"],
        "Growth",
        "cost per node at 99k over that at 1k, which is the peer; the goal is 2",
    ));
    report.table(
        &Table::new()
            .text("Workload")
            .numbers(["Nodes", "Lower, ms", "Optimize, ms", "Both, ms", "Growth", "Statements as lowered", "Optimized"])
            .text(format!("Goal {} s", TIME_GOAL.as_secs()))
            .text(format!("Goal {GROWTH_GOAL}")),
    );
    let mut largest = Vec::new();
    for workload in KernelWorkload::ALL {
        largest.push((workload, report_workload(&mut report, workload, plan)?));
    }
    report_passes(&mut report, &largest);
    report.finish()?;
    Ok(())
}

/// Measures a workload at all sizes and returns the samples of the largest one.
fn report_workload(
    report: &mut Report,
    workload: KernelWorkload,
    plan: Plan,
) -> Result<Measured<KernelTimes>, Box<dyn std::error::Error>> {
    let cases = SIZES.map(|nodes| KernelCase::new(workload, nodes));
    let contenders = cases.iter().map(|case| {
        let runs = (SIZES[2] / case.nodes.max(1)).max(1) as u32;
        Contender::new(case.nodes.to_string(), Role::Ours, |runs: u32| Ok(mean(case, runs)))
            .with_runs(Runs::Fixed(runs))
    });
    let on_step = |what: &str| step(&format!("{}: {what}", workload.name()));
    let comparison: Comparison<KernelTimes> =
        compare(contenders.collect::<Vec<Contender<'_, _, String>>>(), plan, on_step)?;
    finished(workload.name());
    let [small, .., large] = &comparison.measured[..] else { return Err("there are no sizes".into()) };
    let per_node = |measured: &Measured<KernelTimes>, case: &KernelCase| {
        measured.seconds().map(|seconds| seconds / case.nodes as f64)
    };
    let growth = per_node(large, &cases[2]).ratio_to(&per_node(small, &cases[0]));
    let both = large.seconds().median();
    let milliseconds = |part: fn(&KernelTimes) -> Duration| {
        format!("{:.1}", large.series(|times| part(times).as_secs_f64()).median() * 1e3)
    };
    let statements = large.last().map(|times| (times.lowered_statements, times.optimized_statements));
    let (lowered, optimized) = statements.unwrap_or_default();
    report.row([
        workload.name().to_owned(),
        cases[2].nodes.to_string(),
        milliseconds(|times| times.lower),
        milliseconds(KernelTimes::optimize),
        milliseconds(KernelTimes::time),
        format!("{growth:.2}"),
        lowered.to_string(),
        optimized.to_string(),
        verdict(both < TIME_GOAL.as_secs_f64()).to_owned(),
        verdict(growth <= GROWTH_GOAL).to_owned(),
    ]);
    Ok(large.clone())
}

/// Mean of several runs.
fn mean(case: &KernelCase, runs: u32) -> KernelTimes {
    let mut sum = case.time();
    for _ in 1..runs {
        let times = case.time();
        sum.lower += times.lower;
        sum.passes.iter_mut().zip(times.passes).for_each(|((_, sum), (_, time))| *sum += time);
    }
    sum.lower /= runs;
    sum.passes.iter_mut().for_each(|(_, time)| *time /= runs);
    sum
}

fn report_passes(report: &mut Report, largest: &[(KernelWorkload, Measured<KernelTimes>)]) {
    report.paragraph("Milliseconds of each pass of the standard pass pipeline at 99k nodes:");
    let first = largest.first().and_then(|(_, measured)| measured.last());
    let names: Vec<&str> = first.map(|times| times.passes.iter().map(|&(name, _)| name).collect()).unwrap_or_default();
    report.table(&Table::new().text("Workload").numbers(names.iter().copied()));
    for (workload, measured) in largest {
        let cell = |at: usize| {
            let seconds = measured.partial_series(|times| times.passes.get(at).map(|(_, time)| time.as_secs_f64()));
            format!("{:.1}", seconds.median() * 1e3)
        };
        report.row([workload.name().to_owned()].into_iter().chain((0..names.len()).map(cell)));
    }
}
