//! Any package is scanned, with the same reports for any number of threads.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| vyre_conform::scan_properties::check_package(bytes));
