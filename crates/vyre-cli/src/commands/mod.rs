//! The commands, one a file.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
mod diff;
pub(crate) mod explain;
pub(crate) mod fmt;
mod wrap;
