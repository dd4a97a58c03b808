//! Any bytes are decoded or refused; what is decoded has no other encoding.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| vyre_conform::properties::check_wire(bytes));
