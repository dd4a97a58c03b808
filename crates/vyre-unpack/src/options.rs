//! Options of an unpack call.

use std::path::{Path, PathBuf};

use crate::limits::Limits;
use crate::route::Route;

/// Options of an unpack call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Limits on output, entries and nesting.
    pub limits: Limits,
    /// Choice between the host and the device for blocks.
    pub route: Route,
    /// True to unpack nested containers.
    pub nested: bool,
    /// True to refuse archives on which readers disagree.
    pub strict: bool,
    /// True to list entries without decoding them, as far as the format allows it.
    pub list_only: bool,
    /// Directory of the files that are beside the outermost archive: `app.asar.unpacked`.
    pub beside: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limits: Limits::default(),
            route: Route::Auto,
            nested: true,
            strict: false,
            list_only: false,
            beside: None,
        }
    }
}

impl Options {
    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Options {
        Options { limits, ..self }
    }

    /// Sets the choice between the host and the device for blocks.
    #[must_use]
    pub fn with_route(self, route: Route) -> Options {
        Options { route, ..self }
    }

    /// Sets whether nested containers are unpacked.
    #[must_use]
    pub fn with_nested(self, nested: bool) -> Options {
        Options { nested, ..self }
    }

    /// Sets whether archives on which readers disagree are refused.
    #[must_use]
    pub fn with_strict(self, strict: bool) -> Options {
        Options { strict, ..self }
    }

    /// Reads the files that an ASAR archive has beside it from the directory `ARCHIVE.unpacked`.
    #[must_use]
    pub fn with_files_beside(self, archive: &Path) -> Options {
        let mut directory = archive.as_os_str().to_owned();
        directory.push(".unpacked");
        Options { beside: Some(directory.into()), ..self }
    }

    /// Sets whether entries are listed without decoding them, as far as the format allows it.
    #[must_use]
    pub fn with_list_only(self, list_only: bool) -> Options {
        Options { list_only, ..self }
    }
}
