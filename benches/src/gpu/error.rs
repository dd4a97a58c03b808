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
    /// The backend does not run the workload.
    Device(vyre_runtime::Error),
    /// wgpu does not do what the hand-written side asks for.
    Wgpu {
        /// What it says.
        message: String,
    },
    /// There are not so many adapters.
    NoSuchAdapter {
        /// The position that was asked for.
        wanted: usize,
        /// How many there are.
        count: usize,
    },
    /// What came out is not what the host has computed.
    Different {
        /// The workload.
        workload: &'static str,
        /// The code.
        code: &'static str,
        /// The first word that differs.
        word: usize,
        /// What the host has there.
        expected: u32,
        /// What the GPU has there.
        found: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program { workload, message } => write!(f, "the program of `{workload}` is not valid: {message}"),
            Error::Device(error) => write!(f, "{error}"),
            Error::Wgpu { message } => write!(f, "wgpu: {message}"),
            Error::NoSuchAdapter { wanted, count } => {
                write!(f, "there is no adapter {wanted}; they are numbered from 0, and there are {count}")
            }
            Error::Different { workload, code, word, expected, found } => {
                write!(f, "`{workload}`, {code}: word {word} is {found:#x} on the GPU and {expected:#x} on the host")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<vyre_runtime::Error> for Error {
    fn from(error: vyre_runtime::Error) -> Error {
        Error::Device(error)
    }
}
