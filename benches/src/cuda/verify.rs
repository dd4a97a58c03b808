//! Verification of programs on any device, against plain computations.

use vyre_runtime::Device;

use super::contender::{CudaContender, SharedResult, device_buffers};
use super::scale::Scale;
use super::workload::Workload;
use crate::error::Error;
use crate::harness::Measure as _;

/// Runs every program of a workload on a device and compares its result with a plain computation. Returns the number of programs.
///
/// # Errors
///
/// A program fails or has a wrong result.
pub fn verify_on(device: &dyn Device, workload: &Workload, scale: Scale) -> Result<usize, Error> {
    let problem = (workload.problem)(scale);
    let buffers = device_buffers(device, &problem)?;
    for program in &workload.programs {
        let shared = SharedResult::default();
        CudaContender::program(device, program, &problem, &buffers, &shared)?.verify(1)?;
    }
    Ok(workload.programs.len())
}

#[cfg(test)]
mod tests {
    use vyre_jit::{JitDevice, JitOptions};
    use vyre_runtime::ReferenceDevice;

    use super::*;
    use crate::cuda::workloads;

    /// Not a multiple of workgroups or blocks.
    const ODD: Scale = Scale::Elements(4_116);

    #[test]
    fn programs_have_the_expected_results_on_the_cpu() {
        let device = JitDevice::new(&JitOptions::default()).expect("the CPU runs programs");
        for workload in workloads() {
            verify_on(&device, &workload, ODD).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    #[test]
    fn programs_have_the_expected_results_on_the_reference_device() {
        let device = ReferenceDevice::new();
        for workload in workloads() {
            verify_on(&device, &workload, Scale::Elements(36)).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
