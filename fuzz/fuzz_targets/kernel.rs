//! Any valid program lowers, passes keep the rules, and without races kernels give what the interpreter gives.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| vyre_conform::properties::check_kernel(bytes));
