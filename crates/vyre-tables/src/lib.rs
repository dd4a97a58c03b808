//! Edge tables and result tables in Parquet and Arrow files.
//!
//! [`read_edge_table`] reads a graph from a table with a row for each edge, and [`write_edge_table`] writes one. [`TableWriter`] writes
//! any table in row groups, so that results of any size need little memory.
//!
//! The columns of an edge table are `source` and `target`, or other usual titles ([`EdgeColumn`](vyre_graph::file::EdgeColumn)), or else the
//! first two columns. Integers are numbers of nodes, and strings are names. A column `weight` has the weights of edges. Input is
//! untrusted: errors have the row, and a table that is out of proportion to its file is an error.

mod arrow_stream;
mod cells;
mod columns;
mod edge_text;
mod edge_writer;
mod error;
mod format;
mod guarded;
mod input;
mod limit;
mod parquet_file;
mod read;
mod shared_output;
mod writer;

pub use edge_writer::write_edge_table;
pub use error::{NameProblem, TableError};
pub use format::TableFormat;
pub use guarded::is_guarded;
pub use input::TableInput;
pub use read::{read_edge_table, row_error};
pub use writer::{TableColumn, TableWriter, Value, ValueKind};
