//! Any text is lowered as Python to a flow module that keeps the contract of front ends, or refused.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| vyre_conform::scan_properties::check_python(text));
