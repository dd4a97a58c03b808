//! Limit on the text of a table, so that a small file cannot exhaust memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::TableError;

/// Bytes of text for each byte of the file: the ratio that other compressed inputs are allowed.
const RATIO: u64 = 250;

/// Bytes of text that every file may have.
const EXEMPT_BYTES: u64 = 16 << 20;

/// Maximum bytes of text for a number of bytes of a file.
pub(crate) fn max_bytes(stored: u64) -> u64 {
    stored.saturating_mul(RATIO).max(EXEMPT_BYTES)
}

/// Comparison of the bytes of a text with those that were read for it.
pub(crate) struct TextLimit {
    stored: Arc<AtomicU64>,
    written: u64,
}

impl TextLimit {
    /// The limit for a number of stored bytes, which may still grow.
    pub(crate) fn new(stored: Arc<AtomicU64>) -> TextLimit {
        TextLimit { stored, written: 0 }
    }

    /// Adds bytes of text.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), TableError> {
        self.written += bytes as u64;
        let limit = max_bytes(self.stored.load(Ordering::Relaxed));
        if self.written > limit { Err(TableError::Bomb { limit }) } else { Ok(()) }
    }
}
