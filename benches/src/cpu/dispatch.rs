//! Overhead of a dispatch.

use std::time::{Duration, Instant};

use vyre_runtime::{Bindings, CommandList, Device, RunOptions};

use crate::device::{build_pipeline, parse_program};
use crate::error::Error;

const STORE_WORD: &str = "workgroup_size 1; buffer out: read_write u32 @0; entry { out[0] = 1; }";

/// Dispatch of one workgroup of one invocation that stores a word.
pub struct EmptyDispatch<'d> {
    device: &'d dyn Device,
    commands: CommandList,
}

impl<'d> EmptyDispatch<'d> {
    /// Builds the pipeline and the command list.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn new(device: &'d dyn Device) -> Result<EmptyDispatch<'d>, Error> {
        let pipeline = build_pipeline(device, "store_word", &parse_program("store_word", STORE_WORD)?)?;
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &Bindings::new().with(0, &device.create_buffer(4)?), [1, 1, 1]);
        Ok(EmptyDispatch { device, commands })
    }

    /// Mean time of `count` dispatches.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn time(&self, count: u32) -> Result<Duration, Error> {
        let options = RunOptions::default();
        let start = Instant::now();
        for _ in 0..count {
            self.device.run(&self.commands, &options)?;
        }
        Ok(start.elapsed() / count.max(1))
    }
}
