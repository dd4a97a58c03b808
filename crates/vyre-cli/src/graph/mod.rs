//! Shared parts of the `vyre graph` commands: reading graphs, parsing sources, running ops, writing results.

mod aligned;
mod analysis;
mod compressed;
mod drawing;
mod explain;
mod findings;
mod input;
mod labels;
mod load;
mod node_file;
mod open;
mod packages;
mod progress;
mod reading;
mod restart;
mod results;
mod reversal;
mod run;
mod sinks;
mod sources;
mod stages;
#[cfg(feature = "tables")]
mod table_cells;
mod transfer;
mod weights;
mod write;

pub(crate) use analysis::DataflowRunner;
pub(crate) use drawing::{drawing_error, names_of};
pub(crate) use explain::{Plan, estimates_note};
pub(crate) use findings::{
    Failure, FindSuppression, FindingContext, Receiver, Snippets, Totals, source_folder, write_totals,
    writer as finding_writer,
};
pub(crate) use labels::{Labels, RulesFile, read_attributes_of};
pub(crate) use load::{LoadedGraph, check_stdin};
pub(crate) use open::open;
pub(crate) use progress::Bar;
pub(crate) use restart::restart;
pub(crate) use results::{
    Cell, CellKind, Column, Table, TableBody, check_output, csv_field, to_destination, write_path,
};
pub(crate) use run::Runner;
pub(crate) use sinks::set_sinks;
pub(crate) use sources::{PathEnds, check_sinks, path_ends, selected, sources};
pub(crate) use stages::{print_clock, start_clock, times_line};
#[cfg(feature = "tables")]
pub(crate) use table_cells::write_row;
pub(crate) use transfer::read_transfer;
pub(crate) use weights::WeightUse;
pub(crate) use write::GraphOutput;
