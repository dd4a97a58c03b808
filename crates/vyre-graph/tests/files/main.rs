//! Tests of graph files: round trips, errors with their positions, and hostile input.

mod attributes;
mod binary;
mod blocks;
mod edge_lists;
mod formats;
mod hostile;
mod index;
mod listed;
mod matrix_market;
mod memory;
mod mutation;
mod nodes;
mod oracle;
mod refused;
mod round_trips;
