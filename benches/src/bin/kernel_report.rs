//! Measures lowering and every pass in one interleaved run and prints tables in Markdown.
//!
//! `cargo run --release -p vyre-benches --bin kernel_report -- [ROUNDS]`

use std::time::Duration;

use vyre_benches::{KernelCase, KernelTimes, KernelWorkload, SIZES};

const ROUNDS: usize = 11;

/// Lowering and optimizing 99,000 nodes should take less.
const TIME_GOAL: Duration = Duration::from_secs(1);

/// Cost per node may grow by this factor from the smallest to the largest size.
const GROWTH_GOAL: f64 = 2.0;

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The median over rounds of something in nanoseconds.
fn of(times: &[KernelTimes], part: impl Fn(&KernelTimes) -> Duration) -> f64 {
    median(times.iter().map(|times| part(times).as_secs_f64() * 1e9).collect())
}

fn total(times: &KernelTimes) -> Duration {
    times.lower + times.optimize()
}

/// Small programs run as often as it takes to see as many nodes as the largest has.
fn repeats(nodes: usize) -> usize {
    (SIZES[2] / nodes.max(1)).max(1)
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let families: Vec<[KernelCase; 3]> =
        KernelWorkload::ALL.iter().map(|&workload| SIZES.map(|nodes| KernelCase::new(workload, nodes))).collect();
    let mut measured: Vec<[Vec<KernelTimes>; 3]> = families.iter().map(|_| Default::default()).collect();
    // The growth of a round compares what was measured next to each other.
    let mut growths: Vec<Vec<f64>> = vec![Vec::new(); families.len()];
    for _ in 0..rounds {
        for ((family, measured), growths) in families.iter().zip(&mut measured).zip(&mut growths) {
            let mut per_node = [0.0; 3];
            for ((case, measured), per_node) in family.iter().zip(measured).zip(&mut per_node) {
                let repeats = repeats(case.nodes);
                let runs: Vec<KernelTimes> = (0..repeats).map(|_| case.time()).collect();
                let sum: Duration = runs.iter().map(total).sum();
                *per_node = sum.as_secs_f64() / (repeats * case.nodes) as f64;
                measured.extend(runs.into_iter().last());
            }
            growths.push(per_node[2] / per_node[0]);
        }
    }

    println!("Medians of {rounds} interleaved rounds. Growth is the cost per node at 99k over that at 1k.\n");
    println!(
        "| Workload | Nodes | Lower, ms | Optimize, ms | Both, ms | Growth | Statements as lowered | Optimized | Goal {} s | Goal {GROWTH_GOAL} |",
        TIME_GOAL.as_secs()
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|---|---|");
    for ((family, measured), growths) in families.iter().zip(&measured).zip(&growths) {
        let (case, times) = (&family[2], &measured[2]);
        let both = of(times, total);
        let growth = median(growths.clone());
        let statements = times.last().map(|times| (times.lowered_statements, times.optimized_statements));
        let (lowered, optimized) = statements.unwrap_or_default();
        println!(
            "| {} | {} | {:.1} | {:.1} | {:.1} | {growth:.2} | {lowered} | {optimized} | {} | {} |",
            case.workload.name(),
            case.nodes,
            of(times, |times| times.lower) / 1e6,
            of(times, KernelTimes::optimize) / 1e6,
            both / 1e6,
            verdict(both < TIME_GOAL.as_secs_f64() * 1e9),
            verdict(growth <= GROWTH_GOAL),
        );
    }

    println!("\nMilliseconds of each pass of the standard pipeline at 99k nodes.\n");
    let names: Vec<&str> =
        measured[0][2].last().map(|times| times.passes.iter().map(|&(name, _)| name).collect()).unwrap_or_default();
    println!("| Workload | {} |", names.join(" | "));
    println!("|---|{}", "--:|".repeat(names.len()));
    for (family, measured) in families.iter().zip(&measured) {
        let cells: Vec<String> =
            (0..names.len()).map(|at| format!("{:.1}", of(&measured[2], |times| times.passes[at].1) / 1e6)).collect();
        println!("| {} | {} |", family[2].workload.name(), cells.join(" | "));
    }
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}
