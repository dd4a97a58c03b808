//! The output of a stream, for which bytes are taken from the budget before they are allocated.

use vyre_memory::zeros;

use crate::limits::{Budget, Limit, LimitExceeded};

/// The output of a stream. Its memory is never more than what it took from the budget.
pub(super) struct Output<'b> {
    bytes: Vec<u8>,
    taken: u64,
    input: u64,
    budget: &'b Budget,
}

impl<'b> Output<'b> {
    /// An empty output of a stream of `input` compressed bytes.
    pub(super) fn new(budget: &'b Budget, input: usize) -> Output<'b> {
        Output { bytes: Vec::new(), taken: 0, input: input as u64, budget }
    }

    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes from `start` on.
    pub(super) fn since(&self, start: usize) -> &[u8] {
        self.bytes.get(start..).unwrap_or_default()
    }

    /// Whether the work is to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.budget.is_stopped()
    }

    /// How many more bytes the limits allow.
    pub(super) fn left(&self) -> u64 {
        self.budget.most_output_with(self.input, self.taken).saturating_sub(self.bytes.len() as u64)
    }

    /// Whether the limits allow `more` bytes. Nothing is taken.
    pub(super) fn check(&self, more: u64) -> Result<(), LimitExceeded> {
        let wanted = (self.bytes.len() as u64).saturating_add(more);
        self.budget.check_stream(self.input, wanted)?;
        if more <= self.left() {
            return Ok(());
        }
        let others = self.budget.output_taken().saturating_sub(self.taken);
        let wanted = others.saturating_add(wanted);
        Err(LimitExceeded { limit: Limit::Total, wanted, allowed: self.budget.limits().total })
    }

    /// Takes `more` bytes beyond what was taken before.
    fn take(&mut self, more: u64) -> Result<(), LimitExceeded> {
        self.budget.check_stream(self.input, self.taken.saturating_add(more))?;
        self.budget.take_output(self.input, more)?;
        self.taken += more;
        Ok(())
    }

    /// Makes room for `more` bytes. Where there is some already, it becomes up to twice as much, so that streams of many small
    /// parts are not copied for each of them. Most of what the limits allow is left to other streams.
    pub(super) fn reserve(&mut self, more: usize) -> Result<(), LimitExceeded> {
        let needed = (self.bytes.len() as u64).saturating_add(more as u64);
        if needed <= self.taken {
            return Ok(());
        }
        let spare = self.budget.most_output_with(self.input, self.taken).saturating_sub(needed);
        let ample = self.taken.saturating_mul(2).min(needed.saturating_add(spare / 8));
        if ample > needed && self.take(ample - self.taken).is_ok() {
            return Ok(());
        }
        self.check(more as u64)?;
        self.take(needed - self.taken)
    }

    /// Lets `write` put bytes into `room` zeros after the output, for which there was made room before. It gets the output so
    /// far and the zeros, and says how many of them it has written.
    pub(super) fn fill<R>(&mut self, room: usize, write: impl FnOnce(&[u8], &mut [u8]) -> (usize, R)) -> R {
        let start = self.bytes.len();
        self.fill_on(0, room, |all| {
            let (before, zeros) = all.split_at_mut(start);
            let (written, result) = write(before, zeros);
            (start + written.min(room), result)
        })
    }

    /// Lets `write` go on with the bytes from `start` on, which have `room` zeros after them, for which there was made room
    /// before. It says how many of these bytes remain.
    pub(super) fn fill_on<R>(&mut self, start: usize, room: usize, write: impl FnOnce(&mut [u8]) -> (usize, R)) -> R {
        let length = self.bytes.len();
        let end = length + room;
        debug_assert!(end as u64 <= self.taken);
        if length == 0 && self.bytes.capacity() < room {
            // Zeros that the system has are not written again.
            self.bytes = Vec::new();
            self.bytes = zeros(room);
        } else {
            if end > self.bytes.capacity() {
                self.bytes.reserve_exact(self.taken as usize - length);
            }
            self.bytes.resize(end, 0);
        }
        let (remaining, result) = write(self.bytes.get_mut(start..).unwrap_or_default());
        self.bytes.truncate(start + remaining);
        result
    }

    /// Adds bytes, all or none.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), LimitExceeded> {
        self.reserve(bytes.len())?;
        if self.bytes.len() + bytes.len() > self.bytes.capacity() {
            self.bytes.reserve_exact(self.taken as usize - self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Adds a byte `count` times, or not at all.
    pub(super) fn append_repeated(&mut self, byte: u8, count: usize) -> Result<(), LimitExceeded> {
        self.reserve(count)?;
        self.fill(count, |_, zeros| {
            zeros.fill(byte);
            (count, ())
        });
        Ok(())
    }

    /// Drops the bytes from `length` on.
    pub(super) fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// The bytes. What was taken beyond them goes back.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let surplus = self.bytes.capacity() - self.bytes.len();
        if surplus > 4096 + self.bytes.len() / 16 {
            self.bytes.shrink_to_fit();
        }
        self.budget.give_back(self.taken - self.bytes.len() as u64);
        self.bytes
    }
}
