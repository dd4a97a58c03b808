//! Shared parts of the primitives: functions from words to a word.

use vyre_ir::build::{Body, ProgramBuilder};
use vyre_ir::{DataType, Expr, Program};

use crate::{Op, Value, ValueError};

/// Template of an op on one word.
pub(super) const UNARY_OP: Op =
    Op { inputs: &[DataType::U32], output: DataType::U32, inlinable: true, ..crate::op::BUFFER_OP };

/// Template of an op on two words.
pub(super) const BINARY_OP: Op = Op { inputs: &[DataType::U32, DataType::U32], ..UNARY_OP };

/// Builds a program that computes a word from one word.
pub(super) fn unary_program(input: &str, result: impl FnOnce(&mut Body<'_>, Expr) -> Expr) -> Program {
    program([input], |body, [operand]| result(body, operand))
}

/// Builds a program that computes a word from two words.
pub(super) fn binary_program(inputs: [&str; 2], result: impl FnOnce(&mut Body<'_>, Expr, Expr) -> Expr) -> Program {
    program(inputs, |body, [left, right]| result(body, left, right))
}

/// Builds a program with a read-only buffer for each input, from binding 0 on, followed by the output.
fn program<const N: usize>(inputs: [&str; N], result: impl FnOnce(&mut Body<'_>, [Expr; N]) -> Expr) -> Program {
    let mut builder = ProgramBuilder::new([1, 1, 1]);
    let inputs = inputs.map(|name| builder.read(name, DataType::U32));
    let output = builder.output("result", DataType::U32);
    builder.entry(|body| {
        let value = result(body, inputs.map(|input| input.load(0u32)));
        body.store(&output, 0u32, value);
    })
}

/// Evaluates a host reference of one word.
pub(super) fn unary(arguments: &[Value], function: impl FnOnce(u32) -> u32) -> Result<Value, ValueError> {
    let [operand] = words(arguments)?;
    Ok(Value::U32(function(operand)))
}

/// Evaluates a host reference of two words.
pub(super) fn binary(arguments: &[Value], function: impl FnOnce(u32, u32) -> u32) -> Result<Value, ValueError> {
    let [left, right] = words(arguments)?;
    Ok(Value::U32(function(left, right)))
}

/// Checks that there are exactly `N` arguments and that all are words.
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
