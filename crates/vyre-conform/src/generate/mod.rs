//! Programs made from bytes.
//!
//! The bytes are the code of a stack machine. Each step of the machine takes at least one of them and makes at most a
//! few expressions or one statement, so a program is never larger than a small multiple of its bytes, and nothing
//! recurses. Every list of bytes makes a program, and the same list always makes the same one.

mod choices;
mod expression;
mod flow;
mod machine;
mod scope;
mod statement;

use vyre_ir::Program;

use machine::Machine;

/// How much the machine minds the rules of validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// Not at all: any name, number and operand anywhere.
    None,
    /// All the time: names resolve, types match, bodies nest little, barriers stand in uniform control flow.
    Full,
    /// But for single steps that the bytes choose.
    WithSlips,
}

/// The program that these bytes describe. The first byte chooses whether it is wild or plausible.
///
/// ```
/// let program = vyre_conform::program_from_bytes(b"any bytes will do");
/// assert_eq!(program, vyre_conform::program_from_bytes(b"any bytes will do"));
/// ```
#[must_use]
pub fn program_from_bytes(bytes: &[u8]) -> Program {
    let (mode, choices) = bytes.split_first().unwrap_or((&0, &[]));
    let care = match mode % 4 {
        0 => Care::None,
        1 | 2 => Care::Full,
        _ => Care::WithSlips,
    };
    generate(care, choices)
}

pub(crate) fn generate(care: Care, choices: &[u8]) -> Program {
    Machine::new(care, choices).run()
}
