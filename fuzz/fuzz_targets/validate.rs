//! Any program is judged without a panic, alike in every form, and as the oracle of uniformity says.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| vyre_conform::properties::check_validate(bytes));
