//! `compression.deflate`: Deflate streams (RFC 1951) of stored, fixed and dynamic blocks.
//!
//! The constants `ERROR_*` are the codes in the status of a stream; [`DeflateError`] has a variant for each but [`ERROR_NONE`].
//!
//! All programs are one decoder with a workgroup for each stream, in workgroups of different sizes. The first levels
//! of both prefix codes are tables in workgroup memory, which all invocations build. Symbols are decoded by all
//! invocations alike, so that each knows every literal and match without communication, and decodes its own words of the output.

mod bits;
mod codes;
mod decoder;
mod format;
mod lengths;
mod reference;
mod symbols;

pub use format::{
    DeflateError, ERROR_BLOCK_TYPE, ERROR_CODE_LENGTHS, ERROR_DISTANCE_OOB, ERROR_INVALID_SYMBOL,
    ERROR_MISSING_END_OF_BLOCK, ERROR_NONE, ERROR_OUTPUT_OVERFLOW, ERROR_STORED_LENGTH, ERROR_TRAILING_BYTES,
    ERROR_TRUNCATED,
};
pub use reference::deflate_stream_on_host;

use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "compression.deflate",
    summary: "The bytes of Deflate streams, and a status for each.",
    canonical: || decoder::program(1),
    alternatives: &[
        ProgramVariant { name: "cooperative_8", build: || decoder::program(8) },
        ProgramVariant { name: "cooperative_16", build: || decoder::program(16) },
        ProgramVariant { name: "cooperative_32", build: || decoder::program(32) },
    ],
    ..BUFFER_OP
};
