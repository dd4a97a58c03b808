//! Programs against kernels, in rounds in which everything runs.

use std::time::Duration;

use crate::gpu::data::{Difference, difference};
use crate::gpu::median;

use super::contender::{Contender, bare_buffers, device_buffers};
use super::error::Error;
use super::machine::Machine;
use super::problem::Problem;
use super::scale::Scale;
use super::transfer::DeviceCopy;
use super::workload::{Role, Workload};

/// The times of a workload.
#[derive(Clone, Debug)]
pub struct Race {
    /// The programs, then what they are compared with.
    pub measured: Vec<Measured>,
    /// What was left out because it failed or because its result was wrong, with the reason.
    pub failed: Vec<String>,
    /// The bytes that the algorithm reads and writes, where memory matters.
    pub bytes: Option<u64>,
    /// What a copy on the device read and wrote in a second, in each round.
    pub copy_bytes_per_second: Vec<f64>,
}

/// The times of one code, one for each round.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What it is called.
    pub name: &'static str,
    /// What it is shown for.
    pub role: Role,
    /// How many runs a time is the mean of.
    pub runs: u32,
    /// The times of a run.
    pub times: Vec<Duration>,
}

impl Measured {
    /// The median in seconds.
    #[must_use]
    pub fn median(&self) -> f64 {
        median(self.times.iter().map(Duration::as_secs_f64))
    }

    /// Half of the way from the tenth to the ninetieth percentile, as a part of the median.
    #[must_use]
    pub fn spread(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort();
        let last = times.len().saturating_sub(1);
        let at = |percent: usize| times.get(last * percent / 100).map_or(f64::NAN, Duration::as_secs_f64);
        (at(90) - at(10)) / 2.0 / self.median()
    }
}

/// How long one measurement is to take at least, and the most runs for that.
const LEAST: Duration = Duration::from_millis(10);
const MOST_RUNS: u128 = 50;

/// The rounds before the first one that counts.
const WARM_UP: usize = 2;

/// Contenders whose results agree with each other and with the host.
struct Checked<'m> {
    contenders: Vec<Contender<'m>>,
    /// The result that all have.
    result: Vec<u8>,
    failed: Vec<String>,
}

/// Compares the results of all programs and kernels of a workload: byte by byte with each other, and parts of them with a
/// plain computation. Returns what failed, with the reason.
///
/// # Errors
///
/// Too little memory for the buffers, or a device that does not answer.
pub fn compare_results(machine: &Machine, workload: &Workload, scale: Scale) -> Result<Vec<String>, Error> {
    Ok(check(machine, workload, &(workload.problem)(scale), &mut |_| {})?.failed)
}

fn check<'m>(
    machine: &'m Machine,
    workload: &Workload,
    problem: &Problem,
    on_step: &mut dyn FnMut(String),
) -> Result<Checked<'m>, Error> {
    on_step("making buffers".to_owned());
    let buffers = device_buffers(machine.device(), problem)?;
    let bare = bare_buffers(&machine.bare, problem)?;
    let programs = workload.programs.iter().map(|program| {
        let contender = Contender::program(machine.device(), program, problem, &buffers);
        contender.map_err(|error| format!("vyre, {}: {error}", program.name))
    });
    let kernels = workload.kernels.iter().map(|kernel| {
        let contender = Contender::kernel(machine, kernel, problem, &bare);
        contender.map_err(|error| format!("nvcc, {}: {error}", kernel.name))
    });
    let mut checked = Checked { contenders: Vec::new(), result: Vec::new(), failed: Vec::new() };
    for contender in programs.chain(kernels) {
        let outcome = contender.and_then(|contender| {
            on_step(format!("checking {}", contender.full_name()));
            let result = check_one(&contender, problem, &checked);
            result.map(|result| (contender, result))
        });
        match outcome {
            Ok((contender, result)) => {
                checked.contenders.push(contender);
                checked.result = result;
            }
            Err(why) => checked.failed.push(why),
        }
    }
    Ok(checked)
}

/// The result of a contender if it is right, or else why it is not.
fn check_one(contender: &Contender<'_>, problem: &Problem, others: &Checked<'_>) -> Result<Vec<u8>, String> {
    let code = contender.full_name();
    let result = contender.result().map_err(|error| format!("{code}: {error}"))?;
    problem.check_parts(&code, &result).map_err(|error| error.to_string())?;
    if let Some(other) = others.contenders.first() {
        same_bytes(&code, &result, &other.full_name(), &others.result).map_err(|error| error.to_string())?;
    }
    Ok(result)
}

/// Fails where results differ.
fn same_bytes(code: &str, result: &[u8], against: &str, expected: &[u8]) -> Result<(), Error> {
    if result == expected {
        return Ok(());
    }
    let words =
        |bytes: &[u8]| -> Vec<u32> { bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect() };
    let found = difference(0, result, &words(expected));
    let Difference { word, expected, found } = found.unwrap_or(Difference { word: 0, expected: 0, found: 0 });
    Err(Error::Different { code: code.to_owned(), against: against.to_owned(), word, expected, found })
}

/// Measures a workload; calls `on_step` with what is being done. Results are compared as by [`compare_results`] before the
/// first round, and with each other after the last one. What fails takes no part, and the race says why.
///
/// # Errors
///
/// Too little memory for the buffers, or a device that does not answer.
pub fn race(
    machine: &Machine,
    workload: &Workload,
    scale: Scale,
    rounds: usize,
    copy: &DeviceCopy<'_>,
    mut on_step: impl FnMut(String),
) -> Result<Race, Error> {
    let problem = (workload.problem)(scale);
    let Checked { contenders, result, mut failed } = check(machine, workload, &problem, &mut on_step)?;
    let mut measured = Vec::new();
    for contender in &contenders {
        let once = contender.time(1)?;
        let runs = (LEAST.as_nanos() / once.as_nanos().max(1)).clamp(1, MOST_RUNS) as u32;
        measured.push(Measured { name: contender.name, role: contender.role, runs, times: Vec::new() });
    }
    let order = alternating(&contenders);
    let mut copy_bytes_per_second = Vec::new();
    for round in 0..WARM_UP + rounds {
        on_step(format!("round {} of {}", round + 1, WARM_UP + rounds));
        let copied = copy.bytes_per_second()?;
        if round >= WARM_UP {
            copy_bytes_per_second.push(copied);
        }
        // There and back, so that nobody always comes after the same one.
        let mut order = order.clone();
        if round % 2 == 1 {
            order.reverse();
        }
        for at in order {
            let time = contenders[at].time(measured[at].runs)?;
            if round >= WARM_UP {
                measured[at].times.push(time);
            }
        }
    }
    for contender in &contenders {
        let name = contender.full_name();
        on_step(format!("checking {name} again"));
        if let Err(error) = same_bytes(&name, &contender.result()?, "the first check", &result) {
            failed.push(error.to_string());
        }
    }
    Ok(Race { measured, failed, bytes: problem.bytes, copy_bytes_per_second })
}

/// The positions of contenders, programs and kernels in turn.
fn alternating(contenders: &[Contender<'_>]) -> Vec<usize> {
    let first_kernel = contenders.iter().take_while(|contender| contender.role == Role::Program).count();
    let turns = first_kernel.max(contenders.len() - first_kernel);
    let turn = |turn| [Some(turn).filter(|&at| at < first_kernel), Some(first_kernel + turn)];
    (0..turns).flat_map(turn).flatten().filter(|&at| at < contenders.len()).collect()
}

impl Race {
    /// The fastest code with a role.
    #[must_use]
    pub fn fastest(&self, role: Role) -> Option<&Measured> {
        let of_role = self.measured.iter().filter(|measured| measured.role == role);
        of_role.min_by(|one, other| one.median().total_cmp(&other.median()))
    }
}
