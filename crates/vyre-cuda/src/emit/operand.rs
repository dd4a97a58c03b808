//! Where values are: in registers, or in the text as constants.

use std::fmt;

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Register(u32),
    Constant(u32),
}

/// A truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Register(u32),
    Constant(bool),
}

/// One, two or four words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    count: u8,
    words: [Word; 4],
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// It has not been computed.
    Nothing,
    Truth(Truth),
    Words(Words),
}

impl Words {
    pub(super) fn of<const N: usize>(words: [Word; N]) -> Words {
        let mut iter = words.into_iter();
        Words::from_fn(N as u32, || iter.next().unwrap_or(Word::Constant(0)))
    }

    pub(super) fn from_fn(count: u32, mut word: impl FnMut() -> Word) -> Words {
        let mut words = [Word::Constant(0); 4];
        // No type has more than four words.
        let count = (count as usize).min(4);
        words[..count].iter_mut().for_each(|place| *place = word());
        Words { count: count as u8, words }
    }

    pub(super) fn as_slice(&self) -> &[Word] {
        &self.words[..usize::from(self.count)]
    }

    pub(super) fn first(&self) -> Word {
        self.words[0]
    }

    /// The words as an operand of a load or store: a list where there are several.
    pub(super) fn list(&self) -> String {
        match self.as_slice() {
            [word] => word.to_string(),
            words => format!("{{{}}}", words.iter().map(Word::to_string).collect::<Vec<_>>().join(", ")),
        }
    }

    /// What loads and stores of so many words are called.
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

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Truth::Register(number) => write!(f, "%p{number}"),
            Truth::Constant(holds) => write!(f, "{holds}"),
        }
    }
}
