//! Tests that hold for every op of the library. They walk the table, so a new op is tested as soon as it is in it.

mod agreement;
mod arguments;
mod evaluator;
mod laws;
mod samples;
mod table;
mod values;
