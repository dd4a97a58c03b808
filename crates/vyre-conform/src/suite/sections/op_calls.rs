//! Expressions of op calls, as text and evaluated by the host references of the ops.

use std::fmt;

use vyre_ir::DataType;
use vyre_ops::{Op, Value};

/// An expression of the words `a`, `b` and `c`.
#[derive(Clone, Debug)]
pub(super) enum Calls {
    /// `a`, `b` or `c`, by position.
    Argument(usize),
    /// A literal.
    Word(u32),
    /// A call.
    Call(&'static Op, Vec<Calls>),
}

/// Names of the arguments.
const NAMES: [&str; 3] = ["a", "b", "c"];

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Calls::Argument(position) => f.write_str(NAMES.get(*position).copied().unwrap_or("a")),
            Calls::Word(word) => write!(f, "{word:#x}"),
            Calls::Call(op, arguments) => {
                write!(f, "{}(", op.id)?;
                for (position, argument) in arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if position > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}

impl Calls {
    /// A call.
    pub(super) fn call(op: &'static Op, arguments: impl IntoIterator<Item = Calls>) -> Calls {
        Calls::Call(op, arguments.into_iter().collect())
    }

    /// A call of the op with this id, which must be a primitive of the library.
    pub(super) fn of(id: &'static str, arguments: impl IntoIterator<Item = Calls>) -> Option<Calls> {
        vyre_ops::find(id).map(|op| Calls::call(op, arguments))
    }

    /// Result by the host references of the ops. `None` if a reference does not accept its arguments.
    pub(super) fn on_host(&self, words: [u32; 3]) -> Option<u32> {
        match self {
            Calls::Argument(position) => words.get(*position).copied(),
            Calls::Word(word) => Some(*word),
            Calls::Call(op, arguments) => {
                let mut values = [Value::U32(0); 3];
                for (value, argument) in values.iter_mut().zip(arguments) {
                    *value = Value::U32(argument.on_host(words)?);
                }
                match op.call(values.get(..arguments.len())?) {
                    Ok(Value::U32(result)) => Some(result),
                    _ => None,
                }
            }
        }
    }
}

/// The primitives: ops from words to a word, which programs can call.
pub(super) fn primitives() -> impl Iterator<Item = &'static Op> {
    let is_primitive = |op: &&Op| {
        op.reference.is_some()
            && op.inlinable
            && op.output == DataType::U32
            && op.inputs.iter().all(|&input| input == DataType::U32)
            && op.inputs.len() <= NAMES.len()
    };
    vyre_ops::ops().iter().filter(is_primitive)
}

/// A program that stores results of expressions of `a[i]`, `b[i]` and `c[i]` in buffers.
pub(super) fn program(results: &[(&str, String)]) -> String {
    let buffers: String =
        (3..).zip(results).map(|(slot, (name, _))| format!("buffer {name}: read_write u32 @{slot};\n")).collect();
    let stores: String = results.iter().map(|(name, expression)| format!("{name}[i] = {expression};\n")).collect();
    format!(
        "workgroup_size 64;
        buffer first: read u32 @0;
        buffer second: read u32 @1;
        buffer third: read u32 @2;
        {buffers}
        entry {{
            let i = invocation_id.x;
            let a = first[i];
            let b = second[i];
            let c = third[i];
            {stores}
        }}"
    )
}
