//! Choices of the generator, decoded from bytes.

use vyre_ir::Name;

use crate::pool::{EDGES, ODD_NAMES};

/// Bytes, consumed from the front. After their end every choice is the first option.
pub(super) struct Choices<'b> {
    rest: &'b [u8],
}

impl<'b> Choices<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Choices<'b> {
        Choices { rest: bytes }
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.next().unwrap_or(0)
    }

    /// A number below `end`; 0 if `end` is 0. It takes one byte, so only the first 256 numbers are possible.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()).checked_rem(end).unwrap_or(0)
    }

    /// One of `options`, which must not be empty.
    pub(super) fn pick<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())]
    }

    /// A number: small, a boundary value, or any.
    pub(super) fn number(&mut self) -> u32 {
        match self.byte() {
            small @ 0..192 => u32::from(small % 16),
            192..240 => self.pick(&EDGES),
            240.. => u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()]),
        }
    }

    /// Any name.
    pub(super) fn name(&mut self) -> Name {
        match self.byte() {
            0..96 => Name::from(self.pick(&["a", "b", "c", "i"])),
            96..224 => Name::from(self.pick(&ODD_NAMES)),
            long => {
                let characters = (0..long % 8).map(|_| char::from(self.byte()));
                Name::from(String::from_iter(characters))
            }
        }
    }
}
