//! What the commands of `vyre graph` share: reading graphs, choosing sources, running ops, writing results.

mod load;
mod progress;
mod results;
mod run;
mod sources;
mod written;

pub(crate) use load::{LoadedGraph, check_stdin};
pub(crate) use progress::Bar;
pub(crate) use results::{Cell, Column, Shown, Table, csv_field, keep_inputs, to_destination, write_way};
pub(crate) use run::{Runner, choose};
pub(crate) use sources::{node, sources};
pub(crate) use written::Target;
