//! Output buffer of a stream. Bytes are reserved from the budget before they are allocated.

use bytes::Bytes;

use crate::buffer::Buffer;
use crate::limits::{Budget, LimitExceeded};
use crate::problem::ProblemKind;

/// Output buffer of a stream. Its size must never exceed its reservation.
pub(crate) struct Output<'b> {
    buffer: Buffer,
    /// Bytes reserved from the budget.
    reserved: u64,
    /// Size of the compressed input in bytes.
    input: u64,
    budget: &'b Budget,
}

impl<'b> Output<'b> {
    /// An empty output for a stream of `input` compressed bytes.
    pub(crate) fn new(budget: &'b Budget, input: usize) -> Output<'b> {
        Output { buffer: Buffer::new(budget.memory()), reserved: 0, input: input as u64, budget }
    }

    /// The budget that the output is reserved from.
    pub(crate) fn budget(&self) -> &'b Budget {
        self.budget
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Maximum size of a window in bytes.
    pub(crate) fn max_window(&self) -> u64 {
        self.budget.limits().window
    }

    /// The bytes from `start`.
    pub(crate) fn since(&self, start: usize) -> &[u8] {
        self.buffer.bytes().get(start..).unwrap_or_default()
    }

    /// True if the call was cancelled or its deadline has passed.
    pub(crate) fn is_stopped(&self) -> bool {
        self.budget.is_stopped()
    }

    /// Number of further bytes that the limits allow.
    pub(crate) fn left(&self) -> u64 {
        self.budget.max_output_with(self.input, self.reserved).saturating_sub(self.buffer.len() as u64)
    }

    /// Fails if the limits forbid `more` bytes. Nothing is reserved.
    pub(crate) fn check(&self, more: u64) -> Result<(), LimitExceeded> {
        let requested = (self.buffer.len() as u64).saturating_add(more);
        self.budget.check_output(self.input, requested)?;
        if more <= self.left() {
            return Ok(());
        }
        let others = self.budget.reserved_output().saturating_sub(self.reserved);
        Err(self.budget.beyond(others.saturating_add(requested)))
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
        let needed = (self.buffer.len() as u64).saturating_add(more as u64);
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
    /// zeroed bytes, and returns the number of bytes written. Fails if the system refuses the space.
    pub(crate) fn fill<R>(
        &mut self,
        room: usize,
        write: impl FnOnce(&[u8], &mut [u8]) -> (usize, R),
    ) -> Result<R, ProblemKind> {
        let start = self.buffer.len();
        self.rewrite_from(0, room, |all| {
            let (before, zeros) = all.split_at_mut(start);
            let (written, result) = write(before, zeros);
            (start + written.min(room), result)
        })
    }

    /// Passes the bytes from `start` with `room` zeroed bytes after them, which must be reserved, to `write`. It returns the
    /// number of these bytes to keep. Fails if the system refuses the space.
    pub(crate) fn rewrite_from<R>(
        &mut self,
        start: usize,
        room: usize,
        write: impl FnOnce(&mut [u8]) -> (usize, R),
    ) -> Result<R, ProblemKind> {
        let end = self.buffer.len() + room;
        debug_assert!(end as u64 <= self.reserved);
        self.allocate(room)?;
        self.buffer.resize(end);
        let (remaining, result) = write(self.buffer.bytes_mut().get_mut(start..).unwrap_or_default());
        self.buffer.resize(start.saturating_add(remaining).min(end));
        Ok(result)
    }

    /// Allocates space for `more` bytes, which must be reserved: for the whole reservation if the system has it.
    fn allocate(&mut self, more: usize) -> Result<(), ProblemKind> {
        let needed = self.buffer.len().saturating_add(more);
        self.buffer.reserve(needed, usize::try_from(self.reserved).unwrap_or(needed))
    }

    /// Appends bytes, all or none.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), ProblemKind> {
        self.reserve(bytes.len()).map_err(ProblemKind::Limit)?;
        self.allocate(bytes.len())?;
        self.buffer.append(bytes);
        Ok(())
    }

    /// Appends `count` copies of a byte, all or none.
    pub(crate) fn append_repeated(&mut self, byte: u8, count: usize) -> Result<(), ProblemKind> {
        self.reserve(count).map_err(ProblemKind::Limit)?;
        self.fill(count, |_, zeros| {
            zeros.fill(byte);
            (count, ())
        })
    }

    /// Truncates the output to `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.discard(self.buffer.len().saturating_sub(length));
        self.buffer.resize(length.min(self.buffer.len()));
    }

    /// Counts bytes that were decoded but are not part of the output.
    pub(crate) fn discard(&self, bytes: usize) {
        self.budget.discard_output(bytes as u64);
    }

    /// Returns the bytes and releases the rest of the reservation.
    pub(crate) fn finish(self) -> Bytes {
        self.budget.release_output(self.reserved - self.buffer.len() as u64);
        self.buffer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    /// Budgets without limits, so that only the system refuses memory.
    fn unlimited() -> Budget {
        Budget::new(Limits { total: u64::MAX, entry: u64::MAX, ratio: u64::MAX, ..Limits::default() })
    }

    /// No machine has 2^60 bytes of memory or disk space.
    #[test]
    fn space_that_the_system_refuses_is_an_error() {
        const TOO_MUCH: usize = 1 << 60;
        let is_refused = |result: Result<(), ProblemKind>, size: usize| matches!(result, Err(ProblemKind::OutOfStorage { bytes, .. }) if bytes == size as u64);
        let budget = unlimited();
        let mut output = Output::new(&budget, 1);
        output.reserve(TOO_MUCH).expect("the limits allow it");
        assert!(is_refused(output.fill(TOO_MUCH, |_, _| (0, ())), TOO_MUCH));
        assert!(is_refused(output.append_repeated(7, TOO_MUCH), TOO_MUCH));
        assert!(output.finish().is_empty());
        assert_eq!(budget.reserved_output(), 0);

        let mut output = Output::new(&budget, 1);
        output.append(b"abc").expect("there is memory");
        assert!(is_refused(output.append_repeated(7, TOO_MUCH), TOO_MUCH + 3));
        // The reservation exceeds the space, but what is needed does not.
        output.append(b"def").expect("there is memory");
        output.append_repeated(b'!', 2).expect("there is memory");
        assert_eq!(&output.finish()[..], b"abcdef!!");
        assert_eq!(budget.reserved_output(), 8);
    }
}
