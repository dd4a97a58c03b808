//! What can go wrong in a measurement.

use std::fmt;
use std::path::PathBuf;

/// A measurement that means nothing, or cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no GPU that CUDA can use.
    NoCuda {
        /// What is missing.
        message: String,
    },
    /// A program of this crate is not valid, which is a mistake of this crate.
    Program {
        /// Which one.
        code: String,
        /// What the parser or the validator says.
        message: String,
    },
    /// The backend does not do what it is asked for.
    Device(vyre_runtime::Error),
    /// The driver does not do what the hand-written side asks for.
    Driver {
        /// The function that was called.
        call: &'static str,
        /// What it says.
        message: String,
    },
    /// A file with compiled kernels cannot be read.
    Kernels {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// Two results that should be the same are not.
    Different {
        /// The code with the wrong result, or one of two that disagree.
        code: String,
        /// Whose result it should have.
        against: String,
        /// The first word that differs.
        word: usize,
        /// What it should be.
        expected: u32,
        /// What it is.
        found: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoCuda { message } => write!(
                f,
                "no CUDA: {message}. The report needs an NVIDIA GPU and its driver (libcuda.so.1); `--check` checks the \
                 programs on any machine"
            ),
            Error::Program { code, message } => write!(f, "the program {code} is not valid: {message}"),
            Error::Device(error) => write!(f, "{error}"),
            Error::Driver { call, message } => write!(f, "{call}: {message}"),
            Error::Kernels { path, message } => write!(
                f,
                "{}: {message}. `benches/cuda-against-nvcc.sh build` makes the kernels, `--kernels` says where they are",
                path.display()
            ),
            Error::Different { code, against, word, expected, found } => {
                write!(f, "{code}: word {word} is {found:#x}, {against} has {expected:#x}")
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
