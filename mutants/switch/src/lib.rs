//! The mutant that is on, and the mutants that were reached.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering::Relaxed};

/// Numbers of mutants are less.
pub const MAX_MUTANTS: usize = 1 << 16;

/// Environment variable with the number of a mutant that is on from the start, for the tests of the crates in the copy.
pub const VARIABLE: &str = "VYRE_MUTANT";

/// No mutant: the environment was not read yet.
const UNKNOWN: u32 = u32::MAX;

static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
static RECORDS: AtomicBool = AtomicBool::new(false);
static REACHED: [AtomicU8; MAX_MUTANTS] = [const { AtomicU8::new(0) }; MAX_MUTANTS];

/// Reports whether a mutant is on, and records that it was reached.
#[inline]
#[must_use]
pub fn on(number: u32) -> bool {
    if RECORDS.load(Relaxed) {
        REACHED[number as usize].store(1, Relaxed);
    }
    let active = ACTIVE.load(Relaxed);
    active == number || active == UNKNOWN && number_of_environment() == number
}

/// Switches the mutant of the environment on.
#[cold]
fn number_of_environment() -> u32 {
    let number = std::env::var(VARIABLE).ok().and_then(|value| value.parse().ok()).unwrap_or(0);
    ACTIVE.store(number, Relaxed);
    number
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
