//! Options of an unpack call.

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
}

impl Default for Options {
    fn default() -> Options {
        Options { limits: Limits::default(), route: Route::Auto, nested: true, strict: false, list_only: false }
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

    /// Sets whether entries are listed without decoding them, as far as the format allows it.
    #[must_use]
    pub fn with_list_only(self, list_only: bool) -> Options {
        Options { list_only, ..self }
    }
}
