//! Tests of whole scans. One program, because every test program contains all parsers and compilers.

mod call_graph;
mod capabilities;
mod hostile;
mod realizable_paths;
mod reports;
mod saved_inputs;
