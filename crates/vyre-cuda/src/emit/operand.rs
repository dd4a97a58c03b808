//! Operands of instructions: registers, constants and labels.

use std::fmt;

/// 32-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Register(u32),
    Constant(u32),
}

/// Predicate: the PTX form of a bool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Predicate {
    Register(u32),
    Constant(bool),
}

/// One, two or four words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    count: u8,
    words: [Word; 4],
}

/// Registers or constants of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// The value has not been computed.
    Undefined,
    Predicate(Predicate),
    Words(Words),
}

/// Label of a position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(pub(super) u32);

/// Register with an address of global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address(pub(super) u32);

impl Words {
    pub(super) fn of<const N: usize>(words: [Word; N]) -> Words {
        let mut iter = words.into_iter();
        Words::from_fn(N as u32, || iter.next().unwrap_or(Word::Constant(0)))
    }

    pub(super) fn from_fn(count: u32, mut word: impl FnMut() -> Word) -> Words {
        let mut words = [Word::Constant(0); 4];
        // No type has more than four words.
        let count = (count as usize).min(4);
        words[..count].iter_mut().for_each(|slot| *slot = word());
        Words { count: count as u8, words }
    }

    pub(super) fn as_slice(&self) -> &[Word] {
        &self.words[..usize::from(self.count)]
    }

    pub(super) fn first(&self) -> Word {
        self.words[0]
    }

    /// Operand of a load or store: one word, or a list of several.
    pub(super) fn list(&self) -> String {
        match self.as_slice() {
            [word] => word.to_string(),
            words => format!("{{{}}}", words.iter().map(Word::to_string).collect::<Vec<_>>().join(", ")),
        }
    }

    /// Type suffix of a load or store.
    pub(super) fn access(&self) -> &'static str {
        match self.count {
            4 => "v4.u32",
            2 => "v2.u32",
            _ => "u32",
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::Register(number) => write!(f, "%r{number}"),
            Word::Constant(word) => write!(f, "{word}"),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Predicate::Register(number) => write!(f, "%p{number}"),
            Predicate::Constant(holds) => write!(f, "{holds}"),
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "$L{}", self.0)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%rd{}", self.0)
    }
}
