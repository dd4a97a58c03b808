//! Measures operations on programs, and the front end against naga.
//!
//! `cargo run --release -p vyre-benches --bin ir_report -- --help`

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use vyre_benches::harness::{
    ChartSpec, Comparison, Contender, Measured, OutputArgs, Plan, Report, Role, Runs, Series, Table, compare,
    exit_code, finished, step, verdict,
};
use vyre_benches::ir::{
    Case, FrontEnd, Operation, SIZES, Stages, Workload, flat_wgsl, flat_wgsl_functions, node_count,
};

/// Measures parsing, printing, validating and the wire format, and compares the front end with naga.
///
/// Progress goes to standard error, Markdown to standard output. Every operation runs on generated programs of 1,000, 10,000 and
/// 99,000 nodes (statements and expressions). Growth is the cost per node of the largest program over that of the smallest;
/// ratios and growth are taken within an iteration, and the report shows their medians.
#[derive(Debug, Parser)]
#[command(name = "ir_report", after_help = AFTER_HELP)]
struct Options {
    /// Number of iterations; every operation runs once in each
    #[arg(long, value_name = "N", default_value_t = 31, value_parser = clap::value_parser!(u16).range(1..))]
    iterations: u16,

    #[command(flatten)]
    output: OutputArgs,
}

const AFTER_HELP: &str = "\
Examples:
  ir_report                                  the full report, about ten minutes
  ir_report --iterations 1                   to see that everything works
  ir_report --out benches/results            writes ir_report.md and ir_report.svg too

naga parses a function in time quadratic in its length, so the fair comparison is the row `naga,
short functions`: the same statements in functions of the length at which naga is fastest.";

/// Maximum factor by which the cost per node may grow from the smallest to the largest size.
const GROWTH_GOAL: f64 = 2.0;

/// Factor by which parsing and validating should be faster than naga.
const NAGA_GOAL: f64 = 3.0;

/// naga takes seconds for the largest function, so it runs in every n-th iteration.
const SLOW_INTERVAL: usize = 6;

/// Length of the short functions at which naga is fastest, in units.
const UNITS_PER_FUNCTION: usize = 4;

/// Runs of a program in one sample: as many as visit the nodes of the largest one.
fn runs(nodes: usize) -> Runs {
    Runs::Fixed((SIZES[2] / nodes.max(1)).max(1) as u32)
}

fn main() -> ExitCode {
    exit_code("ir_report", report(&Options::parse()))
}

fn report(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let mut report = Report::new("ir_report", "The language: parse, print, validate, wire", &options.output);
    let plan = Plan::new(usize::from(options.iterations));
    report.paragraph(&format!(
        "Medians of {} iterations, in which every operation is measured once; growth and ratios are taken within an iteration.",
        plan.iterations
    ));
    let front_ends = compare_front_ends(plan)?;
    report_front_ends(&mut report, &front_ends);
    report_operations(&mut report, plan)?;
    report.finish()?;
    Ok(())
}

/// Front ends on one size of program, vyre first.
struct FrontEnds {
    nodes: usize,
    comparison: Comparison<Stages>,
}

fn compare_front_ends(plan: Plan) -> Result<Vec<FrontEnds>, String> {
    let mut sizes = Vec::new();
    for nodes in SIZES {
        let text = Workload::Flat.text(nodes);
        let program = vyre_ir::text::parse(&text).map_err(|error| error.to_string())?.program;
        let functions = flat_wgsl_functions(nodes, UNITS_PER_FUNCTION);
        let interval = if nodes == SIZES[2] { SLOW_INTERVAL } else { 1 };
        let runs = runs(node_count(&program));
        let contenders = vec![
            Contender::new("vyre", Role::Ours, FrontEnd::Vyre(text)).with_runs(runs),
            Contender::new("naga, short functions", Role::Peer, FrontEnd::Naga(functions)).with_runs(runs),
            Contender::new("naga, one function", Role::Information, FrontEnd::Naga(flat_wgsl(nodes)))
                .with_runs(runs)
                .every(interval),
        ];
        let comparison = compare(contenders, plan, |what| step(&format!("front ends, {nodes} nodes: {what}")))?;
        sizes.push(FrontEnds { nodes: node_count(&program), comparison });
    }
    finished("front ends");
    Ok(sizes)
}

fn report_front_ends(report: &mut Report, sizes: &[FrontEnds]) {
    report.heading("Front end against naga");
    report.paragraph(
        "The statements of `flat` in both languages, milliseconds per program. naga runs with all flags and capabilities. \
         *Ratio* is the time of the row over that of vyre, for parsing and validating; *with release* includes the release \
         of the program.",
    );
    report.chart(
        &ChartSpec::speed(
            "Front end: speed of vyre relative to naga, parse and validate",
            &["Nodes", "Front end"],
            "Ratio",
            "time of naga over time of vyre",
        )
        .only("Goal 3", "*"),
    );
    report.table(
        &Table::new()
            .number("Nodes")
            .text("Front end")
            .numbers(["Parse", "Validate", "Both", "Both and release", "Ratio", "With release"])
            .text(format!("Goal {NAGA_GOAL}")),
    );
    for FrontEnds { nodes, comparison } in sizes {
        let Some(vyre) = comparison.named("vyre") else { continue };
        for row in &comparison.measured {
            let of =
                |row: &Measured<Stages>, part: fn(Stages) -> Duration| row.series(|stages| part(*stages).as_secs_f64());
            let cell = |part| format!("{:.3}", of(row, part).median() * 1e3);
            let ratio = |part| of(row, part).ratio_to(&of(vyre, part));
            let goal = if row.role == Role::Ours { "" } else { verdict(ratio(Stages::checked) >= NAGA_GOAL) };
            report.row([
                nodes.to_string(),
                row.name.clone(),
                cell(|stages| stages.parse),
                cell(|stages| stages.validate),
                cell(Stages::checked),
                cell(Stages::whole),
                format!("{:.2}", ratio(Stages::checked)),
                format!("{:.2}", ratio(Stages::whole)),
                goal.to_owned(),
            ]);
        }
    }
}

fn report_operations(report: &mut Report, plan: Plan) -> Result<(), String> {
    report.heading("Cost per node");
    report.paragraph("Nanoseconds per node; growth is the figure at 99k over that at 1k.");
    report.table(
        &Table::new()
            .text("Workload")
            .text("Operation")
            .numbers(["1k", "10k", "99k", "Growth", "Growth of minima"])
            .text(format!("Goal {GROWTH_GOAL}")),
    );
    let mut sizes = Vec::new();
    for workload in Workload::ALL {
        let cases = SIZES.map(|nodes| Case::new(workload, nodes));
        let contenders = Operation::ALL.iter().flat_map(|&operation| {
            cases.iter().map(move |case| {
                let work =
                    move |runs| Ok::<_, String>((0..runs).map(|_| case.time(operation)).sum::<Duration>() / runs);
                Contender::new(operation.name(), Role::Ours, work).with_runs(runs(case.nodes))
            })
        });
        let on_step = |what: &str| step(&format!("{}: {what}", workload.name()));
        let comparison: Comparison = compare(contenders.collect(), plan, on_step)?;
        finished(workload.name());
        // Contenders are in the order of operations, then of sizes.
        for (operation, measured) in Operation::ALL.iter().zip(comparison.measured.chunks(SIZES.len())) {
            let per_node: Vec<Series> = measured
                .iter()
                .zip(&cases)
                .map(|(measured, case)| measured.seconds().map(|seconds| seconds * 1e9 / case.nodes as f64))
                .collect();
            let [small, .., large] = &per_node[..] else { continue };
            let growth = large.ratio_to(small);
            let medians = per_node.iter().map(|series| format!("{:.1}", series.median()));
            let labels = [workload.name(), operation.name()].map(str::to_owned);
            let growths = [format!("{growth:.2}"), format!("{:.2}", large.ratio_of_minima(small))];
            let goal = verdict(growth <= GROWTH_GOAL).to_owned();
            report.row(labels.into_iter().chain(medians).chain(growths).chain([goal]));
        }
        let [small, medium, large] = cases.each_ref().map(|case| case.nodes);
        sizes.push(format!("`{}` has {small}, {medium} and {large} nodes.", workload.name()));
    }
    report.list(sizes);
    Ok(())
}
