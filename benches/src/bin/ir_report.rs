//! Measures every operation in one interleaved run and prints tables in Markdown.
//!
//! `cargo run --release -p vyre-benches --bin ir_report -- [ROUNDS]`

use std::time::Duration;

use vyre_benches::{Case, Operation, SIZES, Stages, Workload, flat_wgsl, flat_wgsl_functions, time_naga, time_vyre};

const ROUNDS: usize = 31;

/// Cost per node may grow by this factor from the smallest to the largest size.
const GROWTH_GOAL: f64 = 2.0;

/// Parsing and validating should be faster than naga by this factor.
const NAGA_GOAL: f64 = 3.0;

/// Naga takes seconds for the largest function, so it is measured in one round of so many.
const SLOW_INTERVAL: usize = 6;

/// The length of the short functions at which naga is fastest.
const UNITS_PER_FUNCTION: usize = 4;

/// One number per round.
#[derive(Clone, Default)]
struct Samples(Vec<f64>);

impl Samples {
    fn push(&mut self, total: Duration, parts: usize) {
        self.0.push(total.as_secs_f64() * 1e9 / parts as f64);
    }

    fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }

    fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// How much larger the numbers are than those of `base`, which has `interval` of them for each of these.
    ///
    /// The ratio is taken in each round and then its median, because a busy machine slows whole rounds down.
    fn over(&self, base: &Samples, interval: usize) -> f64 {
        let base = base.0.iter().step_by(interval);
        Samples(self.0.iter().zip(base).map(|(number, base)| number / base).collect()).median()
    }
}

/// `flat` of one size in both languages.
struct Heat {
    nodes: usize,
    vyre: Race,
    /// All statements in one function, as in vyre.
    naga_one: Race,
    /// The same statements in many short functions.
    naga_many: Race,
}

/// What was measured on one text, in nanoseconds a run.
struct Race {
    text: String,
    /// The rounds from one measurement to the next.
    interval: usize,
    parse: Samples,
    validate: Samples,
    checked: Samples,
    whole: Samples,
}

impl Race {
    fn new(text: String, interval: usize) -> Race {
        let none = Samples::default;
        Race { text, interval, parse: none(), validate: none(), checked: none(), whole: none() }
    }

    fn round(&mut self, round: usize, repeats: usize, run: impl Fn(&str) -> Stages) {
        if !round.is_multiple_of(self.interval) {
            return;
        }
        let mut sum = [Duration::ZERO; 4];
        for _ in 0..repeats {
            let stages = run(&self.text);
            sum[0] += stages.parse;
            sum[1] += stages.validate;
            sum[2] += stages.checked();
            sum[3] += stages.whole();
        }
        self.parse.push(sum[0], repeats);
        self.validate.push(sum[1], repeats);
        self.checked.push(sum[2], repeats);
        self.whole.push(sum[3], repeats);
    }
}

/// Small programs run as often as it takes to visit as many nodes as the largest has.
fn repeats(nodes: usize) -> usize {
    (SIZES[2] / nodes).max(1)
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let families: Vec<[Case; 3]> =
        Workload::ALL.iter().map(|&workload| SIZES.map(|nodes| Case::new(workload, nodes))).collect();
    let mut samples = vec![[(); 7].map(|()| [(); 3].map(|()| Samples::default())); families.len()];
    let mut heats = SIZES.map(|nodes| Heat {
        nodes: Case::new(Workload::Flat, nodes).nodes,
        vyre: Race::new(Workload::Flat.text(nodes), 1),
        naga_one: Race::new(flat_wgsl(nodes), if nodes == SIZES[2] { SLOW_INTERVAL } else { 1 }),
        naga_many: Race::new(flat_wgsl_functions(nodes, UNITS_PER_FUNCTION), 1),
    });

    for round in 0..rounds {
        for (family, samples) in families.iter().zip(&mut samples) {
            for (operation, samples) in Operation::ALL.into_iter().zip(samples) {
                for (case, samples) in family.iter().zip(samples) {
                    let repeats = repeats(case.nodes);
                    let total = (0..repeats).map(|_| case.time(operation)).sum();
                    samples.push(total, repeats * case.nodes);
                }
            }
        }
        for Heat { nodes, vyre, naga_one, naga_many } in &mut heats {
            let repeats = repeats(*nodes);
            vyre.round(round, repeats, time_vyre);
            naga_many.round(round, repeats, time_naga);
            naga_one.round(round, repeats, time_naga);
        }
    }

    println!("Medians of {rounds} interleaved rounds; growth and ratios are taken in each round, then their median.\n");
    print_operations(&families, &samples);
    print_comparison(&heats);
}

fn print_operations(families: &[[Case; 3]], samples: &[[[Samples; 3]; 7]]) {
    println!("Nanoseconds per node (statement or expression); growth is that at 99k over that at 1k.\n");
    println!("| Workload | Operation | 1k | 10k | 99k | Growth | Growth of minima | Goal {GROWTH_GOAL} |");
    println!("|---|---|--:|--:|--:|--:|--:|---|");
    for (family, samples) in families.iter().zip(samples) {
        for (operation, samples) in Operation::ALL.into_iter().zip(samples) {
            let [small, medium, large] = samples.each_ref().map(Samples::median);
            let growth = samples[2].over(&samples[0], 1);
            println!(
                "| {} | {} | {small:.1} | {medium:.1} | {large:.1} | {growth:.2} | {:.2} | {} |",
                family[0].workload.name(),
                operation.name(),
                samples[2].least() / samples[0].least(),
                verdict(growth <= GROWTH_GOAL),
            );
        }
    }
    println!();
    for family in families {
        let [small, medium, large] = family.each_ref().map(|case| case.nodes);
        println!("- `{}` has {small}, {medium} and {large} nodes.", family[0].workload.name());
    }
}

fn print_comparison(heats: &[Heat; 3]) {
    println!(
        "\n`flat` against naga on the same statements in WGSL, milliseconds a program. The ratios are naga / vyre.\n"
    );
    println!(
        "| Nodes | Front end | Parse | Validate | Both | Both and release | Ratio | With release | Goal {NAGA_GOAL} |"
    );
    println!("|--:|---|--:|--:|--:|--:|--:|--:|---|");
    for Heat { nodes, vyre, naga_one, naga_many } in heats {
        let entries = [("vyre", vyre), ("naga, short functions", naga_many), ("naga, one function", naga_one)];
        for (name, race) in entries {
            let cells = [&race.parse, &race.validate, &race.checked, &race.whole];
            let cells = cells.map(|samples| format!("{:.3}", samples.median() / 1e6)).join(" | ");
            let ratio = race.checked.over(&vyre.checked, race.interval);
            let whole = race.whole.over(&vyre.whole, race.interval);
            let goal = if name == "vyre" { "" } else { verdict(ratio >= NAGA_GOAL) };
            println!("| {nodes} | {name} | {cells} | {ratio:.2} | {whole:.2} | {goal} |");
        }
    }
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}
