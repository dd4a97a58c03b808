//! The commands. Each has its own file.

mod calibrate;
pub(crate) mod check;
mod code;
mod compare;
pub(crate) mod completions;
pub(crate) mod conform;
pub(crate) mod convert;
pub(crate) mod devices;
mod diff;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod graph;
mod lockfile;
pub(crate) mod lower;
pub(crate) mod man;
pub(crate) mod ops;
mod probing;
mod ptx;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod scan;
pub(crate) mod score;
mod shader;
mod times;
pub(crate) mod unpack;
