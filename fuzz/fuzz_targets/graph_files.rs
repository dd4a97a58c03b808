//! Any file is a graph or refused; a graph that was read survives writing.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| vyre_conform::properties::check_graph_files(bytes));
