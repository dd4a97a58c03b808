//! Op tables of the corpus.

use std::fmt;
use std::path::Path;

use vyre_ir::text::{self, ParseErrors};
use vyre_ir::{DataType, DuplicateOp, OpSignature, OpSpec, OpTable, Program};

use crate::corpus::{CorpusError, OpText, read_ops};

/// Error of a directory of ops.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpsError {
    /// A file that cannot be read.
    Corpus(CorpusError),
    /// A program that does not parse.
    Syntax {
        /// The op.
        id: String,
        /// The parse error.
        error: Box<ParseErrors>,
    },
    /// Two ops with one id.
    Duplicate(DuplicateOp),
}

impl fmt::Display for OpsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpsError::Corpus(error) => write!(f, "{error}"),
            OpsError::Syntax { id, error } => write!(f, "{id}: {error}"),
            OpsError::Duplicate(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for OpsError {}

/// Op table of all files of a directory. Signatures follow from the buffers.
///
/// # Errors
///
/// Fails on an unreadable file, a program that does not parse, or a duplicate id.
pub fn op_table(directory: &Path) -> Result<OpTable, OpsError> {
    table_of(read_ops(directory).map_err(OpsError::Corpus)?)
}

/// Op table of these ops. Signatures follow from the buffers.
///
/// # Errors
///
/// Fails on a program that does not parse, or a duplicate id.
pub fn table_of(texts: Vec<OpText>) -> Result<OpTable, OpsError> {
    let mut ops = Vec::new();
    for op in texts {
        let program = match text::parse(&op.text) {
            Ok(parsed) => parsed.program,
            Err(error) => return Err(OpsError::Syntax { id: op.id, error: Box::new(error) }),
        };
        let signature = signature(&program);
        ops.push(OpSpec { id: op.id.into(), version: 1, signature, inlinable: op.inlinable, program });
    }
    OpTable::new(ops).map_err(OpsError::Duplicate)
}

/// Signature of a program: inputs by ascending binding, and the output, by default `U32`.
fn signature(program: &Program) -> OpSignature {
    let mut inputs: Vec<_> = program.buffers.iter().filter(|buffer| buffer.access.is_input()).collect();
    inputs.sort_by_key(|buffer| buffer.binding);
    OpSignature {
        inputs: inputs.iter().map(|buffer| buffer.element).collect(),
        output: program.output().map_or(DataType::U32, |buffer| buffer.element),
    }
}
