//! Reasons why a measurement has no result.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::data::Difference;

/// Measurement that cannot be made, or whose figures would be meaningless.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A program of this crate is not valid, which is a defect of this crate.
    InvalidProgram {
        /// Name of the program.
        program: String,
        /// Message of the parser or the validator.
        message: String,
    },
    /// Failure of a device of this project.
    Device(vyre_runtime::Error),
    /// Failure of wgpu on the hand-written side.
    Wgpu {
        /// Message of wgpu.
        message: String,
    },
    /// Failure of NVIDIA's driver on the hand-written side.
    Driver {
        /// Function that failed.
        call: &'static str,
        /// Its result.
        message: String,
    },
    /// No CUDA device can be used.
    NoCuda {
        /// Missing resource.
        message: String,
    },
    /// A device, an adapter or a thread is not available.
    Unavailable {
        /// Missing resource.
        message: String,
    },
    /// A file of compiled kernels cannot be read or loaded.
    Kernels {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// Two results that must be equal differ in a word.
    Mismatch {
        /// Contender with the wrong result.
        contender: String,
        /// Name of the expected result.
        against: String,
        /// First word that differs.
        difference: Difference,
    },
    /// A contender has a wrong result.
    WrongResult {
        /// The contender.
        contender: String,
        /// Description of the error.
        message: String,
    },
    /// A pipeline that was cached is built again.
    NotCached,
    /// A process that is measured cannot be started, or fails.
    Process {
        /// The program.
        program: String,
        /// Description of the error.
        message: String,
    },
    /// A package is missing.
    MissingPackage {
        /// Its file.
        file: String,
    },
    /// The text to compress is not the fixed one of the benchmarks.
    UnexpectedText {
        /// Its fingerprint.
        fingerprint: u64,
    },
    /// A file cannot be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of blocks is damaged or of another kind.
    BlocksFile {
        /// Description of the defect.
        message: &'static str,
    },
}

impl Error {
    /// Conversion of an input or output error at a path.
    pub(crate) fn of_file(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |error| Error::File { path, error }
    }

    /// Conversion of a message to that of an unavailable resource.
    pub(crate) fn unavailable(error: impl fmt::Display) -> Error {
        Error::Unavailable { message: error.to_string() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::InvalidProgram { program, message } => write!(f, "the program `{program}` is not valid: {message}"),
            Error::Device(error) => write!(f, "{error}"),
            Error::Wgpu { message } => write!(f, "wgpu: {message}"),
            Error::Driver { call, message } => write!(f, "{call}: {message}"),
            Error::NoCuda { message } => write!(
                f,
                "no CUDA: {message}. The report needs an NVIDIA GPU and its driver (libcuda.so.1); `--check` verifies the \
                 programs on any machine"
            ),
            Error::Unavailable { message } => f.write_str(message),
            Error::Kernels { path, message } => write!(
                f,
                "{}: {message}. `benches/cuda-against-nvcc.sh build` compiles the kernels; `--kernels` names their folder",
                path.display()
            ),
            Error::Mismatch { contender, against, difference: Difference { word, expected, found } } => {
                write!(f, "{contender}: word {word} is {found:#x}, and {expected:#x} according to {against}")
            }
            Error::WrongResult { contender, message } => write!(f, "{contender}: {message}"),
            Error::NotCached => write!(f, "a pipeline that is in the cache was built again"),
            Error::Process { program, message } => write!(f, "{program}: {message}"),
            Error::MissingPackage { file } => write!(f, "{file} is missing; `benches/fetch-packages` fetches it"),
            Error::UnexpectedText { fingerprint } => {
                write!(f, "the text has the fingerprint {fingerprint:016x}, which is not that of the benchmarks")
            }
            Error::File { path, error } => write!(f, "{}: {error}", path.display()),
            Error::BlocksFile { message } => write!(f, "the file of blocks {message}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<vyre_runtime::Error> for Error {
    fn from(error: vyre_runtime::Error) -> Error {
        Error::Device(error)
    }
}
