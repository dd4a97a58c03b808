//! What can go wrong when programs run.
//!
//! Out of bounds, division by zero and excess invocations are not errors: programs define them.

use std::fmt;

use vyre_ir::{BufferAccess, Convention, Name, SpecializationError};

/// A failure of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// More of something than the device has; the caller's fault.
    ResourceExceeded {
        /// What is limited.
        resource: Resource,
        /// How much was wanted.
        wanted: u64,
        /// How much there is.
        limit: u64,
    },
    /// Bindings that do not fit the program; the caller's fault.
    Binding(BindingError),
    /// A copy, fill, write or read beyond the end of a buffer; the caller's fault.
    OutOfBuffer {
        /// The first byte after the range.
        end: u64,
        /// The size of the buffer.
        size: u64,
    },
    /// A program whose buffers do not have the roles of the calling convention; the caller's fault.
    UnsupportedConvention(Convention),
    /// Fixed values that do not fit the program; the caller's fault.
    Specialization(SpecializationError),
    /// A buffer or pipeline of another device; the caller's fault.
    ForeignObject,
    /// Races were to be looked for on a device that cannot; the caller's fault.
    CannotCheckRaces,
    /// The run was cancelled. Buffers hold what had been written by then.
    Cancelled,
    /// The run took longer than it was given. Buffers hold what had been written by then.
    DeadlineExceeded,
    /// No GPU was found: there is no driver, or none that computes. The library never falls back by itself. The text names
    /// the drivers of all backends, since what is missing is one of them.
    NoGpuAdapter,
    /// The device or its driver failed.
    Backend {
        /// What it said.
        message: String,
    },
}

/// What a device has only so much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resource {
    /// Bytes of a buffer.
    BufferBytes,
    /// Bytes of a uniform buffer.
    UniformBytes,
    /// Bytes of workgroup memory.
    WorkgroupBytes,
    /// Invocations of a workgroup.
    WorkgroupInvocations,
    /// Invocations of a workgroup on an axis.
    WorkgroupSize {
        /// 0 (x), 1 (y) or 2 (z).
        axis: usize,
    },
    /// Buffers that a program accesses.
    AccessedBuffers,
    /// Values of a deep expression that wait for the rest of it, over all invocations of a workgroup.
    PendingValues,
    /// Values of variables, over all invocations of a workgroup.
    KeptValues,
    /// Words whose accesses are remembered to find races.
    RaceCheckedWords,
    /// Invocations of a grid on an axis.
    GridInvocations {
        /// 0 (x), 1 (y) or 2 (z).
        axis: usize,
    },
}

/// Bindings that do not fit a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingError {
    /// A buffer of the program that is not bound.
    Missing {
        /// The buffer.
        name: Name,
        /// Its slot.
        binding: u32,
    },
    /// A slot that is bound and that the program does not have.
    Superfluous {
        /// The slot.
        binding: u32,
    },
    /// A uniform buffer that does not have all elements that are fixed in the pipeline.
    TooSmall {
        /// The buffer.
        name: Name,
        /// Its slot.
        binding: u32,
        /// Its size in bytes.
        bytes: u64,
        /// The fewest bytes that hold the fixed elements.
        wanted: u64,
    },
    /// One device buffer in two slots, at least one of which can be written.
    Aliased {
        /// The first slot.
        first: u32,
        /// The second slot.
        second: u32,
        /// How the program may use the one that can be written.
        access: BufferAccess,
    },
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::BufferBytes => write!(f, "bytes of a buffer"),
            Resource::UniformBytes => write!(f, "bytes of a uniform buffer"),
            Resource::WorkgroupBytes => write!(f, "bytes of workgroup memory"),
            Resource::WorkgroupInvocations => write!(f, "invocations of a workgroup"),
            Resource::WorkgroupSize { axis } => write!(f, "invocations of a workgroup on axis {axis}"),
            Resource::AccessedBuffers => write!(f, "accessed buffers"),
            Resource::PendingValues => write!(f, "waiting values of an expression"),
            Resource::KeptValues => write!(f, "values of variables"),
            Resource::RaceCheckedWords => write!(f, "words that are checked for races"),
            Resource::GridInvocations { axis } => write!(f, "invocations of the grid on axis {axis}"),
        }
    }
}

impl fmt::Display for BindingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BindingError::Missing { name, binding } => write!(f, "buffer `{name}` (slot {binding}) is not bound"),
            BindingError::Superfluous { binding } => write!(f, "the program has no slot {binding}"),
            BindingError::TooSmall { name, binding, bytes, wanted } => write!(
                f,
                "buffer `{name}` (slot {binding}) has {bytes} bytes, and values are fixed in its first {wanted}"
            ),
            BindingError::Aliased { first, second, access } => {
                write!(f, "slots {first} and {second} have the same buffer, and one of them is {access}")
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ResourceExceeded { resource, wanted, limit } => {
                write!(f, "{wanted} {resource} were wanted, the limit is {limit}")
            }
            Error::Binding(error) => write!(f, "{error}"),
            Error::OutOfBuffer { end, size } => {
                write!(f, "a range that ends at byte {end} does not fit a buffer of {size} bytes")
            }
            Error::UnsupportedConvention(convention) => {
                write!(f, "the buffers of the program do not have the roles of convention {convention:?}")
            }
            Error::Specialization(error) => write!(f, "{error}"),
            Error::ForeignObject => write!(f, "a buffer or pipeline belongs to another device"),
            Error::CannotCheckRaces => write!(f, "the device cannot look for races"),
            Error::Cancelled => write!(f, "the run was cancelled"),
            Error::DeadlineExceeded => write!(f, "the run took longer than its deadline"),
            Error::NoGpuAdapter => write!(
                f,
                "no GPU was found; for `wgpu` install a Vulkan driver (the vendor's, or Mesa 25 or newer, which also has \
                 one for the CPU: `mesa-vulkan-drivers` and `libvulkan1` on Debian and Ubuntu), for `cuda` NVIDIA's \
                 driver, 525 or newer, or choose another backend"
            ),
            Error::Backend { message } => write!(f, "the device failed: {message}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<BindingError> for Error {
    fn from(error: BindingError) -> Error {
        Error::Binding(error)
    }
}

impl From<SpecializationError> for Error {
    fn from(error: SpecializationError) -> Error {
        Error::Specialization(error)
    }
}
