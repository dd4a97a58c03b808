//! What the primitives have in common: they take words and give a word.

use vyre_ir::build::{Body, ProgramBuilder};
use vyre_ir::{DataType, Expr, Program};

use crate::{Value, ValueError};

/// The inputs of an op of one word.
pub(super) const UNARY: &[DataType] = &[DataType::U32];

/// The inputs of an op of two words.
pub(super) const BINARY: &[DataType] = &[DataType::U32, DataType::U32];

/// A program that computes one word from another.
pub(super) fn unary_program(input: &str, result: impl FnOnce(&mut Body<'_>, Expr) -> Expr) -> Program {
    program([input], |body, [operand]| result(body, operand))
}

/// A program that computes one word from two.
pub(super) fn binary_program(inputs: [&str; 2], result: impl FnOnce(&mut Body<'_>, Expr, Expr) -> Expr) -> Program {
    program(inputs, |body, [left, right]| result(body, left, right))
}

/// A program with a read-only buffer for each input, from binding 0 on, and then the output.
fn program<const N: usize>(inputs: [&str; N], result: impl FnOnce(&mut Body<'_>, [Expr; N]) -> Expr) -> Program {
    let mut builder = ProgramBuilder::new([1, 1, 1]);
    let inputs = inputs.map(|name| builder.read(name, DataType::U32));
    let output = builder.output("result", DataType::U32);
    builder.entry(|body| {
        let value = result(body, inputs.map(|input| input.load(0u32)));
        body.store(&output, 0u32, value);
    })
}

/// A host reference of one word.
pub(super) fn unary(arguments: &[Value], function: impl FnOnce(u32) -> u32) -> Result<Value, ValueError> {
    let [operand] = words(arguments)?;
    Ok(Value::U32(function(operand)))
}

/// A host reference of two words.
pub(super) fn binary(arguments: &[Value], function: impl FnOnce(u32, u32) -> u32) -> Result<Value, ValueError> {
    let [left, right] = words(arguments)?;
    Ok(Value::U32(function(left, right)))
}

/// Exactly `N` arguments, all of them words.
fn words<const N: usize>(arguments: &[Value]) -> Result<[u32; N], ValueError> {
    if arguments.len() != N {
        return Err(ValueError::ArgumentCount { expected: N, found: arguments.len() });
    }
    let mut words = [0; N];
    for (position, (word, argument)) in words.iter_mut().zip(arguments).enumerate() {
        match argument {
            Value::U32(value) => *word = *value,
            other => {
                let (expected, found) = (DataType::U32, other.data_type());
                return Err(ValueError::ArgumentType { position, expected, found });
            }
        }
    }
    Ok(words)
}
