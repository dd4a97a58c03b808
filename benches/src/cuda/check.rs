//! Programs alone, on any device, against plain computations.

use vyre_runtime::Device;

use super::contender::{Contender, device_buffers};
use super::error::Error;
use super::scale::Scale;
use super::workload::Workload;

/// Runs every program of a workload on a device and compares what comes out with a plain computation. Returns how many
/// programs there are.
///
/// # Errors
///
/// The first program that does not run or whose result is wrong.
pub fn check_on(device: &dyn Device, workload: &Workload, scale: Scale) -> Result<usize, Error> {
    let problem = (workload.problem)(scale);
    let buffers = device_buffers(device, &problem)?;
    for program in &workload.programs {
        let contender = Contender::program(device, program, &problem, &buffers)?;
        problem.check_parts(&format!("{}: {}", workload.name, program.name), &contender.result()?)?;
    }
    Ok(workload.programs.len())
}

#[cfg(test)]
mod tests {
    use vyre_jit::{JitDevice, JitOptions};
    use vyre_runtime::ReferenceDevice;

    use super::*;
    use crate::cuda::workloads;

    /// Neither whole workgroups nor whole blocks.
    const ODD: Scale = Scale::Elements(4_116);

    #[test]
    fn programs_are_right_on_the_cpu() {
        let device = JitDevice::new(&JitOptions::default()).expect("the CPU runs programs");
        for workload in workloads() {
            check_on(&device, &workload, ODD).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    #[test]
    fn programs_are_right_on_the_reference() {
        let device = ReferenceDevice::new();
        for workload in workloads() {
            check_on(&device, &workload, Scale::Elements(36)).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
