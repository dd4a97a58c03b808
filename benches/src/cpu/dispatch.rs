//! The cost of a dispatch that does next to nothing.

use std::time::{Duration, Instant};

use vyre_ir::{OpTable, text};
use vyre_runtime::{Bindings, CommandList, Device, PipelineOptions, RunOptions};

use super::error::Error;

const EMPTY: &str = "workgroup_size 1; buffer out: read_write u32 @0; entry { out[0] = 1; }";

/// One workgroup of one invocation that stores a word.
pub struct EmptyDispatch<'d> {
    device: &'d dyn Device,
    commands: CommandList,
}

impl<'d> EmptyDispatch<'d> {
    /// Makes it ready.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn new(device: &'d dyn Device) -> Result<EmptyDispatch<'d>, Error> {
        let failed = |message| Error::Program { workload: "empty dispatch", message };
        let parsed = text::parse(EMPTY).map_err(|error| failed(error.to_string()))?;
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).map_err(|errors| failed(format!("{} errors", errors.len())))?;
        let pipeline = device.create_pipeline(&valid, &PipelineOptions::default())?;
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &Bindings::new().with(0, &device.create_buffer(4)?), [1, 1, 1]);
        Ok(EmptyDispatch { device, commands })
    }

    /// How long one of `count` takes.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn time(&self, count: u32) -> Result<Duration, Error> {
        let options = RunOptions::default();
        let start = Instant::now();
        for _ in 0..count {
            self.device.run(&self.commands, &options)?;
        }
        Ok(start.elapsed() / count.max(1))
    }
}
