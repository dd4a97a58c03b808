//! A program against shaders, in rounds in which everything runs once.

use std::time::Duration;

use super::bench::Bench;
use super::contender::{Checks, Contender};
use super::error::Error;
use super::workload::{Role, Workload};

/// The times of a workload.
#[derive(Clone, Debug)]
pub struct Race {
    /// How many runs a time is the mean of.
    pub runs: u32,
    /// The program first, then what it is compared with.
    pub measured: Vec<Measured>,
    /// What was left out, and why.
    pub left_out: Vec<String>,
    /// The times of a copy of the input by a shader, four words at a time.
    pub kernel_copy: Vec<Duration>,
    /// The times of one by the API.
    pub api_copy: Vec<Duration>,
}

/// The times of one code, one for each round.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What it is called.
    pub name: &'static str,
    /// Who checks accesses.
    pub checks: Checks,
    /// What it is shown for.
    pub role: Role,
    /// The times of a run.
    pub times: Vec<Duration>,
}

/// How long one measurement is to take at least, and the most runs for that.
const LEAST: Duration = Duration::from_millis(10);
const MOST_RUNS: u128 = 20;

/// Measures a workload; calls `on_step` with what is being done. All results are compared with those of the host before the
/// first round, which warms everything up too, and after the last one.
///
/// # Errors
///
/// Results that differ, or a failure of one of the sides.
pub fn race(bench: &Bench, workload: &Workload, rounds: usize, mut on_step: impl FnMut(String)) -> Result<Race, Error> {
    let copy = Contender::api_copy(bench, workload);
    let fast_copy = Contender::kernel_copy(bench, workload)?;
    let mut contenders = vec![Contender::program(bench, workload)?];
    let mut left_out = Vec::new();
    for shader in workload.shaders {
        if shader.needs_subgroups && !bench.bare().has_subgroups() {
            left_out.push(format!("{}: the adapter has none", shader.name));
            continue;
        }
        for checks in [Checks::Wgpu, Checks::Own] {
            contenders.push(Contender::shader(bench, workload, shader, checks)?);
        }
    }
    let mut slowest = Duration::ZERO;
    let mut checked = Vec::new();
    for contender in contenders {
        on_step(format!("checking {}", contender.name));
        match contender.check(1) {
            Err(different @ Error::Different { .. }) if contender.role == Role::Information => {
                left_out.push(different.to_string());
                continue;
            }
            outcome => outcome?,
        }
        slowest = slowest.max(contender.time(1)?);
        checked.push(contender);
    }
    let runs = (LEAST.as_nanos() / slowest.as_nanos().max(1)).clamp(1, MOST_RUNS) as u32;
    copy.time(1)?;
    fast_copy.time(1)?;
    let mut times = vec![Vec::new(); checked.len()];
    let (mut api_copy, mut kernel_copy) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        on_step(format!("round {} of {rounds}", round + 1));
        api_copy.push(copy.time(runs)?);
        kernel_copy.push(fast_copy.time(runs)?);
        // There and back, so that nobody always comes after the same one.
        let forward = 0..checked.len();
        let order: Vec<usize> = if round % 2 == 0 { forward.collect() } else { forward.rev().collect() };
        for at in order {
            times[at].push(checked[at].time(runs)?);
        }
    }
    for contender in &checked {
        on_step(format!("checking {} again", contender.name));
        contender.check(runs)?;
    }
    let of = |(contender, times): (&Contender<'_>, Vec<Duration>)| {
        let Contender { name, checks, role, .. } = *contender;
        Measured { name, checks, role, times }
    };
    Ok(Race { runs, measured: checked.iter().zip(times).map(of).collect(), left_out, kernel_copy, api_copy })
}

impl Race {
    /// The program.
    #[must_use]
    pub fn program(&self) -> Option<&Measured> {
        self.measured.iter().find(|measured| measured.role == Role::Program)
    }
}
