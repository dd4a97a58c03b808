//! Calls of a library that may panic on damaged input.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::TableError;
use crate::format::TableFormat;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Reports whether a panic of this thread will become an error of a table, so that a panic hook need not report it.
#[must_use]
pub fn is_guarded() -> bool {
    IS_GUARDED.get()
}

/// Calls a function of the libraries of Parquet and Arrow, whose decoders assert what damaged data can violate: a panic is an error.
pub(crate) fn guarded<T>(format: TableFormat, call: impl FnOnce() -> T) -> Result<T, TableError> {
    let before = IS_GUARDED.replace(true);
    // What the call has changed is dropped after a panic.
    let result = catch_unwind(AssertUnwindSafe(call));
    IS_GUARDED.set(before);
    result.map_err(|_| TableError::damaged(format, "its data contradict their description"))
}
