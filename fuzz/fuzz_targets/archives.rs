//! Any bytes are opened with the archives inside or refused, within the limits, and alike on a device.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| vyre_conform::archive_properties::check_archives(bytes));
