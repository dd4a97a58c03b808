//! What the entries of graph ops in the table have in common.

use vyre_ir::{DataType, Program};

use crate::Op;

/// An op over buffers: it cannot be called as an expression, and its reference has arguments of its own.
pub(crate) const OVER_BUFFERS: Op = Op {
    id: "",
    version: 1,
    summary: "",
    inputs: &[DataType::Bytes],
    output: DataType::Bytes,
    laws: &[],
    inlinable: false,
    canonical: no_program,
    stages: &[],
    alternatives: &[],
    reference: None,
};

fn no_program() -> Program {
    Program { buffers: Vec::new(), workgroup_size: [1, 1, 1], entry: Vec::new() }
}
