//! Compressed blocks are decoded alike by programs, references, the engine and another decoder.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| vyre_conform::archive_properties::check_blocks(bytes));
