//! Tests of graph files: what is written is read back, what is wrong is told with its place, and nothing is trusted.

mod attributes;
mod binary;
mod blocks;
mod edge_lists;
mod hostile;
mod matrix_market;
mod memory;
mod mutation;
mod nodes;
mod oracle;
mod round_trips;
