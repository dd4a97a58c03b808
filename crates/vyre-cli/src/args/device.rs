//! Flags that select a device, shared by all commands that run programs.

use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use vyre::select::{AUTO, DeviceRequest};

use super::{SuggestedValues, backend_or_auto_names};
use crate::argument::{parse_seconds, parse_threads};

/// The device, its threads and the time limit.
#[derive(Args, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct DeviceArgs {
    /// Backend to run on: one that `vyre devices` lists, or `auto`
    ///
    /// `cpu` runs machine code on all cores, `cuda` PTX on an NVIDIA GPU, `wgpu` shaders on any GPU. `reference` interprets
    /// programs as they are written: it is slow, defines what programs mean, and is the only one that checks for races.
    /// `auto` is the CPU; in the graph commands it is the device with the smallest estimated time, if `vyre devices --calibrate`
    /// has measured this machine.
    #[arg(long, value_name = "NAME", default_value = AUTO, hide_possible_values = true)]
    #[arg(value_parser = SuggestedValues(backend_or_auto_names))]
    pub(crate) backend: String,

    /// Device of the backend: its index in `vyre devices`, or a part of its name that no other device has
    ///
    /// The default is the first device. Case is ignored. Needs --backend.
    #[arg(long, value_name = "WHICH", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) device: Option<String>,

    /// Number of CPU threads; 0, the default, means one for each core
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<usize>,

    /// Fail after this many seconds, such as 0.5
    ///
    /// The command ends at that time even if a compiler or a driver is busy. Results that are being written are completed.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
}

impl DeviceArgs {
    /// The request that the flags express.
    pub(crate) fn request(&self) -> DeviceRequest<'_> {
        DeviceRequest::on(&self.backend).with_device(self.device.as_deref()).with_threads(self.threads)
    }
}
