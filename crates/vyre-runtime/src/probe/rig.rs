//! Test rig of the checks: programs from text, buffers with contents, and comparison with expected results.

use vyre_ir::{OpTable, text};

use crate::buffer::Buffer;
use crate::commands::{Bindings, CommandList};
use crate::contents::words;
use crate::device::Device;
use crate::error::Error;
use crate::pipeline::{Pipeline, PipelineOptions};
use crate::run::RunOptions;

/// Reason for a failed check.
#[derive(Debug)]
pub(super) enum Fault {
    /// Description of a wrong result.
    Wrong(String),
    /// Error of the device.
    Error(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Error(error)
    }
}

/// Result of a check.
pub(super) type Checked = Result<(), Fault>;

/// A device under test.
pub(super) struct Rig<'d> {
    device: &'d dyn Device,
}

impl<'d> Rig<'d> {
    pub(super) fn new(device: &'d dyn Device) -> Rig<'d> {
        Rig { device }
    }

    pub(super) fn device(&self) -> &'d dyn Device {
        self.device
    }

    /// Creates a buffer with these bytes.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Result<Buffer, Error> {
        let buffer = self.device.create_buffer(bytes.len() as u64)?;
        self.device.write(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    /// Creates a buffer with these words.
    pub(super) fn words(&self, words: &[u32]) -> Result<Buffer, Error> {
        self.bytes(&bytes_of(words))
    }

    /// Creates a buffer of words with a value that no program stores.
    pub(super) fn untouched(&self, count: usize) -> Result<Buffer, Error> {
        self.words(&vec![UNTOUCHED; count])
    }

    /// Compiles a program of the probe.
    pub(super) fn pipeline(&self, program: &str) -> Result<Pipeline, Error> {
        let parsed = text::parse(program).expect("the programs of the probe are well written");
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).expect("the programs of the probe break no rule");
        self.device.create_pipeline(&valid, &PipelineOptions::default())
    }

    /// Runs a program once, with these buffers in slots 0, 1 and so on.
    pub(super) fn dispatch(&self, program: &str, buffers: &[&Buffer], grid: [u32; 3]) -> Result<(), Error> {
        let mut commands = CommandList::new();
        commands.dispatch(&self.pipeline(program)?, &bindings(buffers), grid);
        self.run(&commands)
    }

    pub(super) fn run(&self, commands: &CommandList) -> Result<(), Error> {
        self.device.run(commands, &RunOptions::default()).map(|_| ())
    }

    /// Reads the words of a buffer and checks their number.
    pub(super) fn read(&self, buffer: &Buffer, count: usize) -> Result<Vec<u32>, Fault> {
        let bytes = self.device.read(buffer)?;
        if bytes.len() != count * 4 {
            return Err(wrong_size(bytes.len(), count * 4));
        }
        Ok(words(&bytes))
    }

    /// Compares the words of a buffer with the expected ones. `what` describes a word.
    pub(super) fn compare(&self, buffer: &Buffer, expected: &[u32], what: impl Fn(usize) -> String) -> Checked {
        compare(&self.read(buffer, expected.len())?, expected, what)
    }

    /// Compares the bytes of a buffer with the expected ones. `what` describes a byte.
    pub(super) fn compare_bytes(&self, buffer: &Buffer, expected: &[u8], what: impl Fn(usize) -> String) -> Checked {
        let found = self.device.read(buffer)?;
        if found.len() != expected.len() {
            return Err(wrong_size(found.len(), expected.len()));
        }
        let widened = |bytes: &[u8]| bytes.iter().map(|&byte| u32::from(byte)).collect::<Vec<u32>>();
        compare(&widened(&found), &widened(expected), what)
    }
}

/// Value that no program stores, so that a missing store is visible.
pub(super) const UNTOUCHED: u32 = 0xdead_beef;

/// Binds buffers to the slots 0, 1 and so on.
pub(super) fn bindings(buffers: &[&Buffer]) -> Bindings {
    Bindings::in_order(buffers.iter().copied())
}

/// Compares results of equal number. `what` describes a result.
pub(super) fn compare(found: &[u32], expected: &[u32], what: impl Fn(usize) -> String) -> Checked {
    let mut wrong = found.iter().zip(expected).enumerate().filter(|(_, (found, expected))| found != expected);
    let Some((first, (is, should))) = wrong.next() else { return Ok(()) };
    let others = match wrong.count() {
        0 => String::new(),
        count => format!("; {} of {} results are wrong", grouped(count + 1), grouped(expected.len())),
    };
    Err(Fault::Wrong(format!("{} is {}, not {}{others}", what(first), shown(*is), shown(*should))))
}

fn wrong_size(found: usize, expected: usize) -> Fault {
    Fault::Wrong(format!("a buffer of {} bytes is read back as {} bytes", grouped(expected), grouped(found)))
}

/// Bytes of words, little endian.
pub(super) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Formats a number for explanations: decimal if it is small.
pub(super) fn shown(value: u32) -> String {
    if value < 1_000_000 { grouped(value as usize) } else { format!("{value:#x}") }
}

/// Formats a number with thousands separators.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Pseudorandom words (xorshift32), the same in every run.
pub(super) fn scattered(count: usize) -> Vec<u32> {
    let mut state = 0x9e37_79b9_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..count).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(65_535), "65,535");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(shown(200_000), "200,000");
        assert_eq!(shown(u32::MAX), "0xffffffff");
    }

    #[test]
    fn the_first_difference_is_named_and_all_are_counted() {
        let explained = |found: &[u32]| match compare(found, &[1, 2, 3], |position| format!("word {position}")) {
            Err(Fault::Wrong(explanation)) => explanation,
            other => panic!("{other:?}"),
        };
        assert_eq!(explained(&[1, 5, 3]), "word 1 is 5, not 2");
        assert_eq!(explained(&[0, 5, 3]), "word 0 is 0, not 1; 2 of 3 results are wrong");
        assert!(compare(&[1], &[1], |_| String::new()).is_ok());
    }
}
