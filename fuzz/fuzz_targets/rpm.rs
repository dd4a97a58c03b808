//! Any bytes are opened as an RPM package or refused, within the limits.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vyre_conform::archive_properties::check_container;

fuzz_target!(|bytes: &[u8]| check_container("rpm", bytes));
