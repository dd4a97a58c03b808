//! Structure-aware fuzzing: programs decoded from bytes.
//!
//! The bytes are the code of a stack machine. Each step consumes at least one byte and builds at most a few expressions or one
//! statement, so the size of a program is linear in its bytes, and nothing recurses. Every byte string decodes to a program,
//! deterministically.

mod choices;
mod expression;
mod flow;
mod machine;
mod scope;
mod statement;

use vyre_ir::Program;

use machine::Machine;

/// Respect of the machine for the rules of validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// None: any name, number and operand anywhere.
    None,
    /// Full: names resolve, types match, nesting is limited, and barriers are in uniform control flow.
    Full,
    /// Full, except for single steps that the bytes select.
    WithSlips,
}

/// Decodes a program from bytes. The first byte selects a wild or a plausible program.
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
