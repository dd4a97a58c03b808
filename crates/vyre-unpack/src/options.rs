//! Options of an unpack call.

use crate::limits::Limits;
use crate::route::Route;

/// Options of an unpack call.
#[derive(Clone, Debug)]
pub struct Options {
    /// Limits on output, entries and nesting.
    pub limits: Limits,
    /// Choice between the host and the device for blocks.
    pub route: Route,
    /// True to unpack nested containers.
    pub nested: bool,
    /// True to list entries without decoding them, as far as the format allows it.
    pub list_only: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { limits: Limits::default(), route: Route::Auto, nested: true, list_only: false }
    }
}
