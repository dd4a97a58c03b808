//! Device shell: the parts of a device that do not depend on its hardware, shared by all backends.
//!
//! | Item | Purpose |
//! |---|---|
//! | [`DeviceShell`] | identity, limits, ownership check and downcast, checks before allocation, compilation and runs |
//! | [`GpuOptions`] | options of GPU backends |
//! | [`Backoff`] | polling with increasing pauses |
//! | [`GridPart`], [`split_grid`], [`fold_grid`] | grids that exceed one dispatch of the hardware |
//! | [`on_large_stack`] | threads for recursive compilers |
//! | [`artifact`] | files of compiled code |

pub mod artifact;
mod backoff;
mod grid;
mod options;
mod private_folder;
mod stack;

use std::any::Any;
use std::sync::Arc;

use vyre_ir::ValidProgram;

use crate::buffer::{Buffer, DeviceId};
use crate::commands::CommandList;
use crate::error::Error;
use crate::limits::Limits;
use crate::pipeline::{Pipeline, PipelineOptions};
use crate::run::RunOptions;

pub use backoff::Backoff;
pub use grid::{GridPart, can_fold, count_parts, fold_grid, split_grid};
pub use options::GpuOptions;
pub use stack::on_large_stack;

/// Identity and limits of a device, with the checks that every device makes.
#[derive(Clone, Debug)]
pub struct DeviceShell {
    id: DeviceId,
    limits: Limits,
}

impl DeviceShell {
    /// Creates the shell of a new device.
    #[must_use]
    pub fn new(limits: Limits) -> DeviceShell {
        DeviceShell { id: DeviceId::fresh(), limits }
    }

    /// Identity of the device.
    #[must_use]
    pub fn id(&self) -> DeviceId {
        self.id
    }

    /// The limits of the device.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Creates a buffer: checks the size, then calls `allocate` for its representation.
    ///
    /// # Errors
    ///
    /// [`Error::ResourceExceeded`], or an error of `allocate`.
    pub fn create_buffer<T: Any + Send + Sync>(
        &self,
        bytes: u64,
        allocate: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Buffer, Error> {
        self.limits.check_buffer(bytes)?;
        Ok(Buffer::new(self.id, bytes, Arc::new(allocate()?)))
    }

    /// Creates a pipeline: checks the program, then calls `compile` for its representation.
    ///
    /// # Errors
    ///
    /// A program that does not match the options or the limits, a passed deadline, or an error of `compile`.
    pub fn create_pipeline<T: Any + Send + Sync>(
        &self,
        program: &ValidProgram<'_>,
        options: &PipelineOptions,
        compile: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Pipeline, Error> {
        options.check_program(program)?;
        self.limits.check_program(program)?;
        options.check()?;
        Ok(Pipeline::new(self.id, program, options, Arc::new(compile()?)))
    }

    /// Representation of a buffer of this device.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`].
    pub fn contents<'b, T: Any>(&self, buffer: &'b Buffer) -> Result<&'b T, Error> {
        buffer.contents(self.id)
    }

    /// Representation of a pipeline of this device.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`].
    pub fn code<'p, T: Any>(&self, pipeline: &'p Pipeline) -> Result<&'p T, Error> {
        pipeline.code(self.id)
    }

    /// Checks a run before its first command: bindings, grids, ranges, owners and options.
    ///
    /// # Errors
    ///
    /// The first mismatch.
    pub fn check_run(&self, commands: &CommandList, options: &RunOptions) -> Result<(), Error> {
        commands.check(&self.limits)?;
        commands.check_owner(self.id)?;
        if options.check_races && !self.limits.can_check_races {
            return Err(Error::CannotCheckRaces);
        }
        Ok(())
    }
}

/// Size of the allocation behind a buffer of a GPU: whole vectors of 16 bytes, and at least one, so that every binding has
/// an element 0 for each element type. Programs never see the bytes after the end of their buffer.
#[must_use]
pub const fn padded_bytes(bytes: u64) -> u64 {
    let padded = bytes.saturating_add(15) / 16 * 16;
    if padded == 0 { 16 } else { padded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_buffers_have_whole_vectors() {
        assert_eq!([0, 1, 15, 16, 17].map(padded_bytes), [16, 16, 16, 16, 32]);
    }

    #[test]
    fn objects_of_another_device_are_foreign() {
        let limits = Limits::new(1 << 10, 1 << 10, 64);
        let (shell, other) = (DeviceShell::new(limits.clone()), DeviceShell::new(limits));
        let buffer = shell.create_buffer(4, || Ok(7_u32)).expect("the size is within the limits");
        assert_eq!(shell.contents::<u32>(&buffer), Ok(&7));
        assert_eq!(shell.contents::<u64>(&buffer), Err(Error::ForeignObject), "another type");
        assert_eq!(other.contents::<u32>(&buffer), Err(Error::ForeignObject), "another device");
        let too_large = shell.create_buffer::<u32>(1 << 11, || panic!("the size is checked first"));
        assert!(matches!(too_large, Err(Error::ResourceExceeded { wanted: 2048, limit: 1024, .. })));
    }
}
