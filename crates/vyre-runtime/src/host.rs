//! Command lists on devices whose buffers are memory of this process.

use std::time::Instant;

use crate::commands::{Bindings, Command, CommandList};
use crate::device::{Buffer, Device, Pipeline, RunOptions, RunReport};
use crate::error::Error;

/// A device whose buffers are memory of this process: what it does with its own objects, from which the functions of this
/// module make what every device offers.
pub trait HostDevice: Device {
    /// Fails for a buffer of another device. Does not wait for runs that use it.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`].
    fn check_buffer(&self, buffer: &Buffer) -> Result<(), Error>;

    /// Fails for a pipeline of another device.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`].
    fn check_pipeline(&self, pipeline: &Pipeline) -> Result<(), Error>;

    /// Gives the bytes of a buffer to `access`, while no run uses them.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`] for a buffer of another device.
    fn with_bytes(&self, buffer: &Buffer, access: &mut dyn FnMut(&mut [u8])) -> Result<(), Error>;

    /// Runs a pipeline over a grid. Bindings, grid and owners have been checked.
    ///
    /// # Errors
    ///
    /// A run that is cancelled or takes too long, or a failure.
    fn dispatch(
        &self,
        pipeline: &Pipeline,
        bindings: &Bindings,
        grid: [u32; 3],
        options: &RunOptions,
        report: &mut RunReport,
    ) -> Result<(), Error>;
}

/// [`Device::write`] for a device of this process.
///
/// # Errors
///
/// As there.
pub fn write(device: &dyn HostDevice, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    device.check_buffer(buffer)?;
    buffer.check_range(offset, bytes.len() as u64)?;
    device.with_bytes(buffer, &mut |contents| contents[range(offset, bytes.len() as u64)].copy_from_slice(bytes))
}

/// [`Device::read`] for a device of this process.
///
/// # Errors
///
/// As there.
pub fn read(device: &dyn HostDevice, buffer: &Buffer) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    device.with_bytes(buffer, &mut |contents| bytes = contents.to_vec())?;
    Ok(bytes)
}

/// [`Device::run`] for a device of this process: everything is checked before the first command runs.
///
/// # Errors
///
/// As there.
pub fn run(device: &dyn HostDevice, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
    commands.check(device.limits())?;
    commands.check_owners(|buffer| device.check_buffer(buffer), |pipeline| device.check_pipeline(pipeline))?;
    if options.check_races && !device.limits().can_check_races {
        return Err(Error::CannotCheckRaces);
    }
    let mut state = RunState::default();
    run_list(device, commands, options, &mut state)?;
    Ok(state.report)
}

/// What a run has said so far.
#[derive(Default)]
struct RunState {
    report: RunReport,
    start: Option<Instant>,
}

/// A range that has been checked against the size of a buffer in memory.
fn range(offset: u64, length: u64) -> std::ops::Range<usize> {
    offset as usize..(offset + length) as usize
}

fn run_list(
    device: &dyn HostDevice,
    list: &CommandList,
    options: &RunOptions,
    state: &mut RunState,
) -> Result<(), Error> {
    for command in list.commands() {
        options.check()?;
        match command {
            Command::Dispatch { pipeline, bindings, grid } => {
                device.dispatch(pipeline, bindings, *grid, options, &mut state.report)?;
            }
            Command::Fill { buffer, offset, length, byte } => {
                device.with_bytes(buffer, &mut |bytes| bytes[range(*offset, *length)].fill(*byte))?;
            }
            Command::Copy { source, source_offset, target, target_offset, length } => {
                let mut copied = Vec::new();
                device.with_bytes(source, &mut |bytes| copied = bytes[range(*source_offset, *length)].to_vec())?;
                device.with_bytes(target, &mut |bytes| {
                    bytes[range(*target_offset, *length)].copy_from_slice(&copied);
                })?;
            }
            Command::Timestamp => {
                let start = *state.start.get_or_insert_with(Instant::now);
                let elapsed = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
                state.report.timestamps.push(elapsed);
            }
            // Lists nest as deep as the host has nested them, which is no input from outside.
            Command::Repeat { count, commands } => {
                for _ in 0..*count {
                    options.check()?;
                    run_list(device, commands, options, state)?;
                }
            }
        }
    }
    Ok(())
}
