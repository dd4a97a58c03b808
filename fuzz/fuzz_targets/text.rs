//! Any text is parsed or refused; what is parsed survives formatting and printing.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| vyre_conform::properties::check_text(text));
