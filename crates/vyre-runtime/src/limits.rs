//! Limits of devices.

use vyre_ir::{BufferAccess, ValidProgram};

use crate::error::{Error, Resource};

/// Limits and optional abilities of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum size of a buffer, in bytes.
    pub buffer_bytes: u64,
    /// Maximum size of a uniform buffer, in bytes.
    pub uniform_bytes: u64,
    /// Maximum workgroup memory of a program, in bytes.
    pub workgroup_bytes: u64,
    /// Maximum number of invocations of a workgroup.
    pub workgroup_invocations: u64,
    /// Maximum number of invocations of a workgroup on each axis.
    pub workgroup_size: [u64; 3],
    /// Maximum number of buffers, workgroup memory excluded, that a program may access.
    pub accessed_buffers: u64,
    /// True if a run stops when it is cancelled or its deadline passes. Otherwise the call returns then, the submitted
    /// work continues, and a read of its buffers waits for it.
    pub can_cancel: bool,
    /// True if [`RunOptions::check_races`](crate::RunOptions::check_races) is supported; otherwise it is an error.
    pub can_check_races: bool,
}

impl Limits {
    /// Maximum size of a uniform buffer on every device: 64 KB.
    pub const UNIFORM_BYTES: u64 = 64 * 1024;
    /// Maximum number of invocations of a grid on one axis, on every device.
    pub const GRID_INVOCATIONS: u64 = 1 << 32;

    /// Limits of a device that can neither cancel runs nor check races, and that limits neither the axes of a workgroup
    /// nor the number of buffers.
    #[must_use]
    pub fn new(buffer_bytes: u64, workgroup_bytes: u64, workgroup_invocations: u64) -> Limits {
        Limits {
            buffer_bytes,
            uniform_bytes: Limits::UNIFORM_BYTES,
            workgroup_bytes,
            workgroup_invocations,
            workgroup_size: [workgroup_invocations; 3],
            accessed_buffers: u64::MAX,
            can_cancel: false,
            can_check_races: false,
        }
    }

    /// Checks the size of a new buffer.
    ///
    /// # Errors
    ///
    /// [`Error::ResourceExceeded`].
    pub fn check_buffer(&self, bytes: u64) -> Result<(), Error> {
        check_limit(Resource::BufferBytes, bytes, self.buffer_bytes)
    }

    /// Reports whether an error is a refusal that these limits explain: more was requested than the limit that the error names, and that
    /// limit is not below the one stated here. A device that refuses less has a defect.
    #[must_use]
    pub fn explain(&self, error: &Error) -> bool {
        let &Error::ResourceExceeded { resource, wanted, limit } = error else { return false };
        let stated = match resource {
            Resource::BufferBytes => self.buffer_bytes,
            Resource::UniformBytes => self.uniform_bytes.min(Limits::UNIFORM_BYTES),
            Resource::WorkgroupBytes => self.workgroup_bytes,
            Resource::WorkgroupInvocations => self.workgroup_invocations,
            Resource::WorkgroupSize { axis } => self.workgroup_size.get(axis).copied().unwrap_or(u64::MAX),
            Resource::GridInvocations { .. } => u64::from(u32::MAX),
            // Limits that depend on the program or on the run.
            Resource::RegisterBoundInvocations
            | Resource::AccessedBuffers
            | Resource::PendingValues
            | Resource::KeptValues
            | Resource::RaceCheckedWords
            | Resource::Steps
            | Resource::CancellableRuns => 0,
        };
        wanted > limit && limit >= stated
    }

    /// Checks a program against the limits.
    ///
    /// # Errors
    ///
    /// The first limit that it exceeds.
    pub fn check_program(&self, program: &ValidProgram<'_>) -> Result<(), Error> {
        let program = program.program();
        let workgroup = program.buffers.iter().filter(|buffer| buffer.access == BufferAccess::Workgroup);
        let bytes = workgroup.map(|buffer| u64::from(buffer.count) * buffer.element.min_bytes() as u64);
        let bytes = bytes.fold(0, u64::saturating_add);
        check_limit(Resource::WorkgroupBytes, bytes, self.workgroup_bytes)?;
        check_limit(Resource::WorkgroupInvocations, program.workgroup_invocations(), self.workgroup_invocations)?;
        for (axis, (&size, &limit)) in program.workgroup_size.iter().zip(&self.workgroup_size).enumerate() {
            check_limit(Resource::WorkgroupSize { axis }, u64::from(size), limit)?;
        }
        Ok(())
    }
}

/// Checks an amount against a limit.
///
/// # Errors
///
/// [`Error::ResourceExceeded`] if the amount is larger.
pub fn check_limit(resource: Resource, wanted: u64, limit: u64) -> Result<(), Error> {
    if wanted > limit { Err(Error::ResourceExceeded { resource, wanted, limit }) } else { Ok(()) }
}
