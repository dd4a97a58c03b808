//! What can go wrong in a measurement.

use std::fmt;

/// A measurement that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The text of a workload is no valid program, which is a mistake of this crate.
    Program {
        /// The workload.
        workload: &'static str,
        /// What the parser or the validator says.
        message: String,
    },
    /// A kernel cannot be lowered or optimized.
    Kernel {
        /// What the compiler says.
        message: String,
    },
    /// The device does not run the workload.
    Device(vyre_runtime::Error),
    /// The device and native code disagree, which is a mistake of one of them.
    Different {
        /// The workload.
        workload: &'static str,
        /// The native code.
        peer: &'static str,
        /// The slot of the buffer.
        slot: usize,
        /// The first word that differs.
        word: usize,
        /// What native code has there.
        native: Option<u32>,
        /// What the device has there.
        device: Option<u32>,
    },
    /// A pipeline that was cached is built again.
    NotCached,
    /// Threads that cannot be started.
    Threads {
        /// What the system says.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program { workload, message } => write!(f, "the program of `{workload}` is not valid: {message}"),
            Error::Kernel { message } => write!(f, "a kernel does not compile: {message}"),
            Error::Device(error) => write!(f, "{error}"),
            Error::Different { workload, peer, slot, word, native, device } => write!(
                f,
                "`{workload}`: word {word} of buffer {slot} is {device:x?} on the device and {native:x?} in native code \
                 ({peer})"
            ),
            Error::NotCached => write!(f, "a pipeline that was asked for twice was built twice"),
            Error::Threads { message } => write!(f, "threads cannot be started: {message}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<vyre_runtime::Error> for Error {
    fn from(error: vyre_runtime::Error) -> Error {
        Error::Device(error)
    }
}
