//! The error of the front door: one type that `?` converts all others to.

use std::path::PathBuf;
use std::{error, fmt, io};

use crate::ir::text::ParseErrors;
use crate::ir::wire::WireError;
use crate::ir::{Diagnostics, DuplicateOp};
use crate::runtime::RaceReport;
use crate::select::SelectError;

/// Failure of a call of this crate.
///
/// `?` converts the errors that its variants hold to it. `Display` prints the whole text, code frames included; `Debug` prints the
/// same, because a `main` that returns an error prints its `Debug` form.
///
/// ```
/// use vyre::{Error, Session};
///
/// let session = Session::new()?;
/// let text = "workgroup_size 1;\nbuffer out: read_write u32 @0;\nentry { uot[0] = 7; }";
/// match session.compile_text(text) {
///     Err(Error::Invalid(diagnostics)) => assert_eq!(diagnostics.len(), 1),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Error>(())
/// ```
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A program file has an error.
    InFile {
        /// The file.
        path: PathBuf,
        /// The error of its contents.
        error: Box<Error>,
    },
    /// A text is no program.
    Syntax(ParseErrors),
    /// Bytes are no program in the wire format.
    Wire(WireError),
    /// A program breaks rules. All violations are listed.
    Invalid(Diagnostics),
    /// Two ops have the same id.
    Op(DuplicateOp),
    /// No device meets a request.
    Select(SelectError),
    /// A device failed, or a request to it was wrong.
    Device(crate::runtime::Error),
    /// A run that checks for races found some.
    Races(RaceReport),
    /// A graph is not valid.
    Graph(crate::graph::CsrError),
    /// A graph file cannot be read.
    #[cfg(feature = "graph-files")]
    GraphFile(crate::graph::ReadError),
    /// A graph op failed.
    GraphOp(crate::ops::graph::GraphError),
    /// No node of a graph has the role source, so an analysis has nowhere to begin.
    #[cfg(feature = "dataflow")]
    NoSources,
    /// An analysis failed.
    #[cfg(feature = "dataflow")]
    Dataflow(crate::engine::dataflow::DataflowError),
    /// A rules file has errors.
    #[cfg(feature = "dataflow")]
    Rules(crate::engine::dataflow::rules::RulesError),
    /// An archive cannot be unpacked.
    #[cfg(feature = "unpack")]
    Unpack(crate::engine::decompress::DecompressError),
    /// A scan has no report.
    #[cfg(feature = "scan")]
    Scan(crate::pyrograph::scan::ScanError),
}

impl Error {
    /// The error that this one wraps, if its text is that of the wrapped error.
    fn wrapped(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(match self {
            Error::Syntax(error) => error,
            Error::Wire(error) => error,
            Error::Invalid(error) => error,
            Error::Op(error) => error,
            Error::Select(error) => error,
            Error::Device(error) => error,
            Error::Graph(error) => error,
            #[cfg(feature = "graph-files")]
            Error::GraphFile(error) => error,
            Error::GraphOp(error) => error,
            #[cfg(feature = "dataflow")]
            Error::Dataflow(error) => error,
            #[cfg(feature = "dataflow")]
            Error::Rules(error) => error,
            #[cfg(feature = "unpack")]
            Error::Unpack(error) => error,
            #[cfg(feature = "scan")]
            Error::Scan(error) => error,
            #[cfg(feature = "dataflow")]
            Error::NoSources => return None,
            Error::File { .. } | Error::InFile { .. } | Error::Races(_) => return None,
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(wrapped) = self.wrapped() {
            return fmt::Display::fmt(wrapped, f);
        }
        match self {
            Error::File { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Error::InFile { path, error } => match &**error {
                // The locations of these two begin with a line number.
                Error::Invalid(diagnostics) => diagnostics.in_file(&path.to_string_lossy()).fmt(f),
                Error::Syntax(errors) => errors.in_file(&path.to_string_lossy()).fmt(f),
                error => write!(f, "{}: {error}", path.display()),
            },
            Error::Races(races) => {
                let plural = if races.total == 1 { "" } else { "es" };
                write!(f, "{} racy access{plural}", races.total)?;
                races.races.iter().try_for_each(|race| write!(f, "\n{race}"))
            }
            #[cfg(feature = "dataflow")]
            Error::NoSources => f.write_str("no node has the role source, so there is nowhere to begin"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl error::Error for Error {
    /// The cause below the text of this error: a text that contains the text of its cause does not repeat it.
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::File { source, .. } => source.source(),
            Error::InFile { error, .. } => error.source(),
            other => other.wrapped()?.source(),
        }
    }
}

macro_rules! conversions {
    ($($(#[$attribute:meta])* $variant:ident($error:ty),)*) => {
        $($(#[$attribute])*
        impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::$variant(error.into())
            }
        })*
    };
}

conversions! {
    Syntax(ParseErrors),
    Wire(WireError),
    Invalid(Diagnostics),
    Op(DuplicateOp),
    Select(SelectError),
    Device(crate::runtime::Error),
    Device(crate::runtime::BindingError),
    Device(crate::ir::SpecializationError),
    Graph(crate::graph::CsrError),
    #[cfg(feature = "graph-files")]
    GraphFile(crate::graph::ReadError),
    GraphOp(crate::ops::graph::GraphError),
    #[cfg(feature = "dataflow")]
    Dataflow(crate::engine::dataflow::DataflowError),
    #[cfg(feature = "dataflow")]
    Dataflow(crate::engine::dataflow::TransferError),
    #[cfg(feature = "dataflow")]
    Rules(crate::engine::dataflow::rules::RulesError),
    #[cfg(feature = "unpack")]
    Unpack(crate::engine::decompress::DecompressError),
    #[cfg(feature = "unpack")]
    Unpack(crate::engine::decompress::ExtractError),
    #[cfg(feature = "scan")]
    Scan(crate::pyrograph::scan::ScanError),
}
