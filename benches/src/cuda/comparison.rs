//! Comparison of programs with hand-written kernels.

use std::time::Duration;

use super::contender::{CudaContender, SharedResult, bare_buffers, device_buffers};
use super::scale::Scale;
use super::session::Session;
use super::transfer::DeviceCopy;
use super::workload::Workload;
use crate::error::Error;
use crate::harness::{Comparison, Contender, Measure, Plan, Role, Runs, Series, compare};

/// Times of a workload.
#[derive(Clone, Debug)]
pub struct WorkloadTimes {
    /// The programs, then the kernels, without those that failed.
    pub comparison: Comparison,
    /// Bytes that the algorithm reads and writes, if memory limits it.
    pub bytes: Option<u64>,
    /// Seconds of a copy on the device, by iteration.
    pub copy: Series,
}

/// Number of runs of a sample: 10 ms at least.
const RUNS: Runs = Runs::AtLeast { time: Duration::from_millis(10), max: 50 };

const COPY: &str = "copy on the device";

/// Verifies all programs and kernels of a workload: all bytes against each other, and parts against a plain computation. Returns
/// the failures, each with its reason.
///
/// # Errors
///
/// There is too little memory for the buffers, or the device does not respond.
pub fn verify_workload(session: &Session, workload: &Workload, scale: Scale) -> Result<Vec<String>, Error> {
    Ok(compare_contenders(session, workload, scale, Plan::new(0), None, |_| {})?.comparison.left_out)
}

/// Compares the programs of a workload with its kernels; calls `on_step` with a description of each step. Contenders that fail or have
/// a wrong result are left out.
///
/// # Errors
///
/// There is too little memory for the buffers, or the device does not respond.
pub fn compare_workload(
    session: &Session,
    workload: &Workload,
    scale: Scale,
    plan: Plan,
    copy: &DeviceCopy<'_>,
    on_step: impl FnMut(&str),
) -> Result<WorkloadTimes, Error> {
    compare_contenders(session, workload, scale, plan, Some(copy), on_step)
}

fn compare_contenders(
    session: &Session,
    workload: &Workload,
    scale: Scale,
    plan: Plan,
    copy: Option<&DeviceCopy<'_>>,
    mut on_step: impl FnMut(&str),
) -> Result<WorkloadTimes, Error> {
    let problem = (workload.problem)(scale);
    on_step("creating buffers");
    let buffers = device_buffers(session.device(), &problem)?;
    let bare = bare_buffers(&session.bare, &problem)?;
    let shared = SharedResult::default();
    let mut failed = Vec::new();
    let mut contenders = Vec::new();
    for program in &workload.programs {
        match CudaContender::program(session.device(), program, &problem, &buffers, &shared) {
            Ok(contender) => contenders.push(optional(contender, Role::Ours)),
            Err(error) => failed.push(format!("vyre, {}: {error}", program.name)),
        }
    }
    for kernel in &workload.kernels {
        match CudaContender::kernel(session, kernel, &problem, &bare, &shared) {
            Ok(contender) => contenders.push(optional(contender, kernel.role)),
            Err(error) => failed.push(format!("nvcc, {}: {error}", kernel.name)),
        }
    }
    if let Some(copy) = copy {
        contenders.push(Contender::new(COPY, Role::Information, |_| copy.time()));
    }
    let mut comparison = compare(contenders, plan, on_step)?;
    let copy = comparison.named(COPY).map(|copy| copy.seconds()).unwrap_or_default();
    comparison.measured.retain(|measured| measured.name != COPY);
    comparison.left_out.splice(0..0, failed);
    Ok(WorkloadTimes { comparison, bytes: problem.bytes, copy })
}

fn optional<'c>(contender: CudaContender<'c>, role: Role) -> Contender<'c, Duration, Error>
where
    CudaContender<'c>: Measure<Duration, Error>,
{
    Contender::new(contender.name().to_owned(), role, contender).with_runs(RUNS).optional()
}
