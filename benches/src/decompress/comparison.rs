//! Comparison of programs with nvCOMP on the same blocks.

use std::time::Duration;

use super::device_blocks::{DeviceBlocks, DeviceProgram};
use super::nvcomp::NvComp;
use crate::error::Error;
use crate::harness::{Comparison, Contender, Measure, Plan, Role, compare};

/// Program on blocks in the memory of a device.
pub struct ProgramContender<'c, 'b> {
    /// The blocks.
    pub blocks: &'c DeviceBlocks<'b>,
    /// The program.
    pub program: &'c DeviceProgram,
}

impl Measure<Duration, Error> for ProgramContender<'_, '_> {
    fn measure(&mut self, _runs: u32) -> Result<Duration, Error> {
        self.blocks.run(self.program)
    }

    fn verify(&mut self, _runs: u32) -> Result<(), Error> {
        self.blocks.verify(self.program)
    }
}

impl Measure<Duration, Error> for &mut NvComp {
    fn measure(&mut self, _runs: u32) -> Result<Duration, Error> {
        self.run()
    }

    fn verify(&mut self, _runs: u32) -> Result<(), Error> {
        NvComp::verify(self)
    }
}

/// Compares programs with nvCOMP, which comes last. All outputs are verified before the first iteration and after the last one. A
/// program with a wrong output is left out.
///
/// # Errors
///
/// nvCOMP has a wrong output, or a device fails in an iteration.
pub fn compare_decoders(
    blocks: &DeviceBlocks<'_>,
    programs: &[DeviceProgram],
    nvcomp: Option<&mut NvComp>,
    plan: Plan,
    on_step: impl FnMut(&str),
) -> Result<Comparison, Error> {
    let mut contenders: Vec<Contender<'_, Duration, Error>> = programs
        .iter()
        .map(|program| {
            Contender::new(program.name.clone(), Role::Ours, ProgramContender { blocks, program }).optional()
        })
        .collect();
    if let Some(nvcomp) = nvcomp {
        contenders.push(Contender::new(nvcomp.version.clone(), Role::Peer, nvcomp));
    }
    compare(contenders, plan, on_step)
}
