//! Programs and nvCOMP on the same blocks, in rounds in which everything runs once.

use std::time::Duration;

use super::error::Error;
use super::nvcomp::NvComp;
use super::on_device::{DeviceBlocks, DeviceProgram};

/// The times of one who took part, one for each round.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Who.
    pub name: String,
    /// How long the device took.
    pub times: Vec<Duration>,
}

/// How often everything runs before it is measured.
const WARM_UP: usize = 2;

/// Measures programs and nvCOMP, which comes last. Everybody's output is checked before the first round and after the last.
///
/// # Errors
///
/// Wrong output, or a failure of the device.
pub fn race(
    blocks: &DeviceBlocks<'_>,
    programs: &[DeviceProgram],
    mut nvcomp: Option<&mut NvComp>,
    rounds: usize,
    mut on_step: impl FnMut(String),
) -> Result<Vec<Lane>, Error> {
    let mut check = |nvcomp: &mut Option<&mut NvComp>| {
        for program in programs {
            on_step(format!("checking {}", program.name));
            blocks.check(program)?;
        }
        nvcomp.as_mut().map_or(Ok(()), |nvcomp| nvcomp.check())
    };
    check(&mut nvcomp)?;
    let count = programs.len() + usize::from(nvcomp.is_some());
    let mut times = vec![Vec::new(); count];
    for round in 0..WARM_UP + rounds {
        // There and back, so that nobody always comes after the same one.
        let forward = 0..count;
        let order: Vec<usize> = if round % 2 == 0 { forward.collect() } else { forward.rev().collect() };
        for at in order {
            let time = match (programs.get(at), &mut nvcomp) {
                (Some(program), _) => blocks.run(program)?,
                (None, Some(nvcomp)) => nvcomp.run()?,
                (None, None) => continue,
            };
            if round >= WARM_UP {
                times[at].push(time);
            }
        }
    }
    check(&mut nvcomp)?;
    let names = programs.iter().map(|program| program.name.clone()).chain(nvcomp.map(|nvcomp| nvcomp.version.clone()));
    Ok(names.zip(times).map(|(name, times)| Lane { name, times }).collect())
}
