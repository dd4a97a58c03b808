//! Runtime of vyre programs: devices, buffers, pipelines and command lists, and the reference interpreter.
//!
//! A [`Backend`] lists [`Device`]s. A device allocates [`Buffer`]s, which stay on it between dispatches, and compiles a
//! [`ValidProgram`](vyre_ir::ValidProgram) to a [`Pipeline`]. A [`CommandList`] holds dispatches, fills, copies and
//! timestamps that run without a round trip to the host. Bindings, grids and sizes are checked before the first command.
//!
//! Devices, buffers, pipelines and command lists are `Send + Sync`, so threads share them. [`Element`] lists the types of
//! elements that the methods of `dyn Device` read and write. [`Bindings`] bind buffers by name or by slot.
//!
//! Backends share [`shell`], the device-independent part of a device, and [`host`], for devices whose buffers are memory of
//! this process. [`probe()`] tests a device and its driver.
//!
//! ```
//! use vyre_ir::{OpTable, text};
//! use vyre_runtime::{CommandList, Device, Grid, PipelineOptions, ReferenceDevice, RunOptions};
//!
//! let text = "workgroup_size 4; buffer data: read_write u32 @0; entry { data[local_id.x] = local_id.x * 3; }";
//! let parsed = text::parse(text).expect("parses");
//! let ops = OpTable::default();
//! let program = parsed.validate(&ops).expect("is valid");
//!
//! let device: &dyn Device = &ReferenceDevice::new();
//! let data = device.zeros::<u32>(4)?;
//! let pipeline = device.create_pipeline(&program, &PipelineOptions::default())?;
//! let mut commands = CommandList::new();
//! commands.dispatch_named(&pipeline, [("data", &data)], Grid::invocations(4))?;
//! device.run(&commands, &RunOptions::default())?;
//! assert_eq!(device.read_vec::<u32>(&data)?, [0, 3, 6, 9]);
//! # Ok::<(), vyre_runtime::Error>(())
//! ```

mod buffer;
mod cache;
mod commands;
mod contents;
mod device;
mod elements;
mod error;
mod grid;
pub mod host;
mod host_memory;
mod keyed_runner;
mod limits;
mod pipeline;
mod probe;
mod races;
mod reference;
mod run;
pub mod shell;

pub use buffer::{Buffer, DeviceId, element_count};
pub use cache::PipelineCache;
pub use commands::{Bindings, Command, CommandList};
pub use contents::{ContentsError, parse_contents, words};
pub use device::{Backend, Device};
pub use elements::Element;
pub use error::{BindingError, Cause, Error, LossReason, MemoryKind, Resource};
pub use grid::Grid;
pub use host_memory::HostMemory;
pub use keyed_runner::KeyedRunner;
pub use limits::{Limits, check_limit};
pub use pipeline::{Interface, Pipeline, PipelineOptions};
pub use probe::{ProbeCheck, ProbeOutcome, ProbeResult, ProbeStep, probe, probe_checks, probe_watched};
pub use races::{Access, Action, Race, RaceKind, RaceReport};
pub use reference::{ReferenceBackend, ReferenceDevice};
pub use run::{CancelToken, RunOptions, RunReport};
