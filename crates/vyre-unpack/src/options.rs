//! How archives are opened.

use super::limits::Limits;

/// How archives are opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// How much they may ask for.
    pub limits: Limits,
    /// Where blocks are decoded.
    pub route: Route,
    /// Whether archives inside the archive are opened.
    pub nested: bool,
    /// Whether entries are only listed, as far as that can be done without decoding them.
    pub list_only: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { limits: Limits::default(), route: Route::Auto, nested: true, list_only: false }
    }
}

/// Where blocks are decoded that a device could decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Route {
    /// On a GPU where a layer has many of them and the host one thread for them, else on the host: two cores decode LZ4 as fast as
    /// blocks get to a GPU and their bytes back.
    #[default]
    Auto,
    /// On the device, however few they are.
    Device,
    /// On the host.
    Host,
}
