//! Comparison of a program with hand-written shaders.

use std::time::Duration;

use super::checks::Checks;
use super::contender::GpuContender;
use super::session::Session;
use super::workload::Workload;
use crate::error::Error;
use crate::harness::{Contender, Measured, Plan, Role, Runs, Series, compare};

/// Times of a workload.
#[derive(Clone, Debug)]
pub struct WorkloadTimes {
    /// The program, then the shaders.
    pub rows: Vec<ShaderTimes>,
    /// Shaders that were left out, with the reason.
    pub left_out: Vec<String>,
    /// Seconds of a copy of the input by a shader, four words per invocation.
    pub shader_copy: Series,
    /// Samples of a copy of the input by the API.
    pub api_copy: Option<Measured>,
}

/// Samples of a program or a shader.
#[derive(Clone, Debug)]
pub struct ShaderTimes {
    /// Name of the code.
    pub name: &'static str,
    /// Origin of its bounds checks.
    pub checks: Checks,
    /// Its samples.
    pub measured: Measured,
}

/// Number of runs of a sample: 10 ms at least.
const RUNS: Runs = Runs::AtLeast { time: Duration::from_millis(10), max: 20 };

const SHADER_COPY: &str = "shader copy";
const API_COPY: &str = "API copy";

/// Compares the program of a workload with its shaders; calls `on_step` with a description of each step.
///
/// # Errors
///
/// A result is wrong, or one of the sides fails.
pub fn compare_workload(
    session: &Session,
    workload: &Workload,
    plan: Plan,
    on_step: impl FnMut(&str),
) -> Result<WorkloadTimes, Error> {
    let mut left_out = Vec::new();
    let mut keys = vec![("vyre", Checks::Language)];
    let full_name = |(name, checks): (&str, Checks)| format!("{name}, {}", checks.name());
    let program = GpuContender::program(session, workload)?;
    let mut contenders = vec![Contender::new(full_name(keys[0]), Role::Ours, program).with_runs(RUNS)];
    for shader in workload.shaders {
        if shader.needs_subgroups && !session.bare().has_subgroups() {
            left_out.push(format!("{}: the adapter has no subgroups", shader.name));
            continue;
        }
        for checks in [Checks::Wgpu, Checks::Own] {
            keys.push((shader.name, checks));
            let work = GpuContender::shader(session, workload, shader, checks)?;
            let contender = Contender::new(full_name((shader.name, checks)), shader.role, work).with_runs(RUNS);
            contenders.push(if shader.role == Role::Information { contender.optional() } else { contender });
        }
    }
    let copy = GpuContender::shader_copy(session, workload)?;
    contenders.push(Contender::new(SHADER_COPY, Role::Information, copy).with_runs(RUNS));
    let copy = GpuContender::api_copy(session, workload);
    contenders.push(Contender::new(API_COPY, Role::Information, copy).with_runs(RUNS));

    let comparison = compare(contenders, plan, on_step)?;
    let row = |&(name, checks): &(&'static str, Checks)| {
        let measured = comparison.named(&full_name((name, checks)))?.clone();
        Some(ShaderTimes { name, checks, measured })
    };
    Ok(WorkloadTimes {
        rows: keys.iter().filter_map(row).collect(),
        shader_copy: comparison.named(SHADER_COPY).map(Measured::seconds).unwrap_or_default(),
        api_copy: comparison.named(API_COPY).cloned(),
        left_out: left_out.into_iter().chain(comparison.left_out).collect(),
    })
}

impl WorkloadTimes {
    /// The program.
    #[must_use]
    pub fn program(&self) -> Option<&ShaderTimes> {
        self.rows.iter().find(|row| row.measured.role == Role::Ours)
    }
}
