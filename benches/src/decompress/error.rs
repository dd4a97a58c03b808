//! What can go wrong in a measurement.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A measurement that means nothing, or cannot be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A package is not there.
    MissingPackage {
        /// Its file.
        file: String,
    },
    /// The text is not the one that is always measured.
    OtherText {
        /// Its fingerprint.
        fingerprint: u64,
    },
    /// A file cannot be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file is none of blocks, or is damaged.
    BlocksFile {
        /// What is wrong with it.
        what: &'static str,
    },
    /// A device does not do what it is asked for.
    Device(vyre_runtime::Error),
    /// There is no such device, or no such program for it.
    Unavailable(String),
    /// The result of somebody is wrong.
    Wrong {
        /// Who.
        who: String,
        /// What is wrong.
        what: String,
    },
    /// A program that is measured cannot be started, or fails.
    Program {
        /// Which.
        program: String,
        /// What is wrong.
        what: String,
    },
}

impl Error {
    /// What to do with the error of a file.
    pub(super) fn of(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |error| Error::File { path, error }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::MissingPackage { file } => write!(f, "{file} is not there; `benches/fetch-packages` fetches it"),
            Error::OtherText { fingerprint } => {
                write!(f, "the text has the fingerprint {fingerprint:016x}, so it is not the one that is measured")
            }
            Error::File { path, error } => write!(f, "{}: {error}", path.display()),
            Error::BlocksFile { what } => write!(f, "the file of blocks {what}"),
            Error::Device(error) => error.fmt(f),
            Error::Unavailable(what) => f.write_str(what),
            Error::Wrong { who, what } => write!(f, "{who}: {what}"),
            Error::Program { program, what } => write!(f, "{program}: {what}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<vyre_runtime::Error> for Error {
    fn from(error: vyre_runtime::Error) -> Error {
        Error::Device(error)
    }
}
