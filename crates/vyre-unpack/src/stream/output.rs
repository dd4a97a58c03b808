//! Output buffer of a stream. Bytes are reserved from the budget before they are allocated.

use vyre_memory::zeros;

use crate::limits::{Budget, Limit, LimitExceeded};

/// Output buffer of a stream. Its memory must never exceed its reservation.
pub(crate) struct Output<'b> {
    bytes: Vec<u8>,
    /// Bytes reserved from the budget.
    reserved: u64,
    /// Size of the compressed input in bytes.
    input: u64,
    budget: &'b Budget,
}

impl<'b> Output<'b> {
    /// An empty output for a stream of `input` compressed bytes.
    pub(crate) fn new(budget: &'b Budget, input: usize) -> Output<'b> {
        Output { bytes: Vec::new(), reserved: 0, input: input as u64, budget }
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes from `start`.
    pub(crate) fn since(&self, start: usize) -> &[u8] {
        self.bytes.get(start..).unwrap_or_default()
    }

    /// True if the call was cancelled or its deadline has passed.
    pub(crate) fn is_stopped(&self) -> bool {
        self.budget.is_stopped()
    }

    /// Number of further bytes that the limits allow.
    pub(crate) fn left(&self) -> u64 {
        self.budget.max_output_with(self.input, self.reserved).saturating_sub(self.bytes.len() as u64)
    }

    /// Fails if the limits forbid `more` bytes. Nothing is reserved.
    pub(crate) fn check(&self, more: u64) -> Result<(), LimitExceeded> {
        let requested = (self.bytes.len() as u64).saturating_add(more);
        self.budget.check_output(self.input, requested)?;
        if more <= self.left() {
            return Ok(());
        }
        let others = self.budget.reserved_output().saturating_sub(self.reserved);
        let requested = others.saturating_add(requested);
        Err(LimitExceeded { limit: Limit::Total, requested, allowed: self.budget.limits().total })
    }

    /// Reserves `more` bytes in addition.
    fn extend_reservation(&mut self, more: u64) -> Result<(), LimitExceeded> {
        self.budget.check_output(self.input, self.reserved.saturating_add(more))?;
        self.budget.reserve_output(self.input, more)?;
        self.reserved += more;
        Ok(())
    }

    /// Makes room for `more` bytes. An existing reservation grows to up to twice its size, so that streams of many small
    /// parts are not copied for each part. Most of what the limits allow is left to other streams.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), LimitExceeded> {
        let needed = (self.bytes.len() as u64).saturating_add(more as u64);
        if needed <= self.reserved {
            return Ok(());
        }
        let spare = self.budget.max_output_with(self.input, self.reserved).saturating_sub(needed);
        let doubled = self.reserved.saturating_mul(2).min(needed.saturating_add(spare / 8));
        if doubled > needed && self.extend_reservation(doubled - self.reserved).is_ok() {
            return Ok(());
        }
        self.check(more as u64)?;
        self.extend_reservation(needed - self.reserved)
    }

    /// Appends what `write` writes into `room` zeroed bytes, which must be reserved. `write` gets the output so far and the
    /// zeroed bytes, and returns the number of bytes written.
    pub(crate) fn fill<R>(&mut self, room: usize, write: impl FnOnce(&[u8], &mut [u8]) -> (usize, R)) -> R {
        let start = self.bytes.len();
        self.rewrite_from(0, room, |all| {
            let (before, zeros) = all.split_at_mut(start);
            let (written, result) = write(before, zeros);
            (start + written.min(room), result)
        })
    }

    /// Passes the bytes from `start` with `room` zeroed bytes after them, which must be reserved, to `write`. It returns the
    /// number of these bytes to keep.
    pub(crate) fn rewrite_from<R>(
        &mut self,
        start: usize,
        room: usize,
        write: impl FnOnce(&mut [u8]) -> (usize, R),
    ) -> R {
        let length = self.bytes.len();
        let end = length + room;
        debug_assert!(end as u64 <= self.reserved);
        if length == 0 && self.bytes.capacity() < room {
            // Pages from the system are zero already.
            self.bytes = Vec::new();
            self.bytes = zeros(room);
        } else {
            if end > self.bytes.capacity() {
                self.bytes.reserve_exact(self.reserved as usize - length);
            }
            self.bytes.resize(end, 0);
        }
        let (remaining, result) = write(self.bytes.get_mut(start..).unwrap_or_default());
        self.bytes.truncate(start + remaining);
        result
    }

    /// Appends bytes, all or none.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), LimitExceeded> {
        self.reserve(bytes.len())?;
        if self.bytes.len() + bytes.len() > self.bytes.capacity() {
            self.bytes.reserve_exact(self.reserved as usize - self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends `count` copies of a byte, all or none.
    pub(crate) fn append_repeated(&mut self, byte: u8, count: usize) -> Result<(), LimitExceeded> {
        self.reserve(count)?;
        self.fill(count, |_, zeros| {
            zeros.fill(byte);
            (count, ())
        });
        Ok(())
    }

    /// Truncates the output to `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// Returns the bytes and releases the rest of the reservation.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let surplus = self.bytes.capacity() - self.bytes.len();
        if surplus > 4096 + self.bytes.len() / 16 {
            self.bytes.shrink_to_fit();
        }
        self.budget.release_output(self.reserved - self.bytes.len() as u64);
        self.bytes
    }
}
