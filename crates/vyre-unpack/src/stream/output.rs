//! Output buffer of a stream. Bytes are reserved from the budget before they are allocated.

use vyre_memory::try_zeroed_bytes;

use crate::limits::{Budget, LimitExceeded};
use crate::problem::ProblemKind;

/// Reason why an output cannot grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputError {
    /// A limit forbids it.
    Limit(LimitExceeded),
    /// The system refuses this number of bytes of memory.
    Memory(u64),
}

impl OutputError {
    /// The problem of an entry or stream with such an output.
    pub(crate) fn kind(self) -> ProblemKind {
        match self {
            OutputError::Limit(exceeded) => ProblemKind::Limit(exceeded),
            OutputError::Memory(bytes) => ProblemKind::OutOfMemory { bytes },
        }
    }
}

impl From<LimitExceeded> for OutputError {
    fn from(exceeded: LimitExceeded) -> OutputError {
        OutputError::Limit(exceeded)
    }
}

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
    /// zeroed bytes, and returns the number of bytes written. Fails if the system refuses the memory.
    pub(crate) fn fill<R>(
        &mut self,
        room: usize,
        write: impl FnOnce(&[u8], &mut [u8]) -> (usize, R),
    ) -> Result<R, OutputError> {
        let start = self.bytes.len();
        self.rewrite_from(0, room, |all| {
            let (before, zeros) = all.split_at_mut(start);
            let (written, result) = write(before, zeros);
            (start + written.min(room), result)
        })
    }

    /// Passes the bytes from `start` with `room` zeroed bytes after them, which must be reserved, to `write`. It returns the
    /// number of these bytes to keep. Fails if the system refuses the memory.
    pub(crate) fn rewrite_from<R>(
        &mut self,
        start: usize,
        room: usize,
        write: impl FnOnce(&mut [u8]) -> (usize, R),
    ) -> Result<R, OutputError> {
        let length = self.bytes.len();
        let end = length + room;
        debug_assert!(end as u64 <= self.reserved);
        if length == 0 && self.bytes.capacity() < room {
            // Pages from the system are zero already.
            self.bytes = Vec::new();
            self.bytes = try_zeroed_bytes(room).ok_or(OutputError::Memory(room as u64))?;
        } else {
            self.allocate(room)?;
            self.bytes.resize(end, 0);
        }
        let (remaining, result) = write(self.bytes.get_mut(start..).unwrap_or_default());
        self.bytes.truncate(start + remaining);
        Ok(result)
    }

    /// Allocates memory for `more` bytes, which must be reserved: for the whole reservation if the system has it.
    fn allocate(&mut self, more: usize) -> Result<(), OutputError> {
        let length = self.bytes.len();
        if length + more <= self.bytes.capacity() {
            return Ok(());
        }
        let whole = usize::try_from(self.reserved).ok().and_then(|reserved| reserved.checked_sub(length));
        let allocated = whole.is_some_and(|whole| self.bytes.try_reserve_exact(whole).is_ok())
            || self.bytes.try_reserve_exact(more).is_ok();
        if allocated { Ok(()) } else { Err(OutputError::Memory((length + more) as u64)) }
    }

    /// Appends bytes, all or none.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.reserve(bytes.len())?;
        self.allocate(bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends `count` copies of a byte, all or none.
    pub(crate) fn append_repeated(&mut self, byte: u8, count: usize) -> Result<(), OutputError> {
        self.reserve(count)?;
        self.fill(count, |_, zeros| {
            zeros.fill(byte);
            (count, ())
        })
    }

    /// Truncates the output to `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.discard(self.bytes.len().saturating_sub(length));
        self.bytes.truncate(length);
    }

    /// Counts bytes that were decoded but are not part of the output.
    pub(crate) fn discard(&self, bytes: usize) {
        self.budget.discard_output(bytes as u64);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    /// Budgets without limits, so that only the system refuses memory.
    fn unlimited() -> Budget {
        Budget::new(Limits { total: u64::MAX, entry: u64::MAX, ratio: u64::MAX, ..Limits::default() })
    }

    /// No machine has 2^60 bytes of memory.
    #[test]
    fn memory_that_the_system_refuses_is_an_error() {
        const TOO_MUCH: usize = 1 << 60;
        let budget = unlimited();
        let mut output = Output::new(&budget, 1);
        output.reserve(TOO_MUCH).expect("the limits allow it");
        assert_eq!(output.fill(TOO_MUCH, |_, _| (0, ())), Err(OutputError::Memory(TOO_MUCH as u64)));
        assert_eq!(output.append_repeated(7, TOO_MUCH), Err(OutputError::Memory(TOO_MUCH as u64)));
        assert!(output.finish().is_empty());
        assert_eq!(budget.reserved_output(), 0);

        let mut output = Output::new(&budget, 1);
        output.append(b"abc").expect("there is memory");
        assert_eq!(output.append_repeated(7, TOO_MUCH), Err(OutputError::Memory(TOO_MUCH as u64 + 3)));
        // The reservation exceeds the memory, but what is needed does not.
        output.append(b"def").expect("there is memory");
        output.append_repeated(b'!', 2).expect("there is memory");
        assert_eq!(output.finish(), b"abcdef!!");
        assert_eq!(budget.reserved_output(), 8);
    }
}
