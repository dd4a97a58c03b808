//! Validation never panics, agrees between the forms of a program, and agrees with the uniformity oracle.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| vyre_conform::properties::check_validate(bytes));
