//! The mutant that is on, and the mutants that were reached.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering::Relaxed};

/// Numbers of mutants are less.
pub const MAX_MUTANTS: usize = 1 << 16;

static ACTIVE: AtomicU32 = AtomicU32::new(0);
static RECORDS: AtomicBool = AtomicBool::new(false);
static REACHED: [AtomicU8; MAX_MUTANTS] = [const { AtomicU8::new(0) }; MAX_MUTANTS];

/// Reports whether a mutant is on, and records that it was reached.
#[inline]
#[must_use]
pub fn on(number: u32) -> bool {
    if RECORDS.load(Relaxed) {
        REACHED[number as usize].store(1, Relaxed);
    }
    ACTIVE.load(Relaxed) == number
}

/// Switches a mutant on; 0 is none.
pub fn switch(number: u32) {
    ACTIVE.store(number, Relaxed);
}

/// Starts or ends the recording of reached mutants.
pub fn record(records: bool) {
    RECORDS.store(records, Relaxed);
}

/// Numbers of the mutants that were reached since the last call.
#[must_use]
pub fn take_reached() -> Vec<u32> {
    (0u32..).zip(&REACHED).filter(|(_, reached)| reached.swap(0, Relaxed) != 0).map(|(number, _)| number).collect()
}
