//! `compression.lz4`: independent LZ4 blocks.
//!
//! The constants `ERROR_*` are the codes in the status of a block; [`Lz4Error`] has a variant for each but [`ERROR_NONE`].

mod cooperative;
mod format;
mod reference;
mod sequential;

pub use format::{
    ERROR_CORRUPT_TOKEN, ERROR_LITERAL_OVERFLOW, ERROR_MATCH_OVERFLOW, ERROR_NONE, ERROR_OFFSET_OOB,
    ERROR_OUTPUT_OVERFLOW, Lz4Error,
};
pub use reference::lz4_block_on_host;

use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "compression.lz4",
    summary: "The bytes of independent LZ4 blocks, and a status for each.",
    canonical: sequential::program,
    alternatives: &[
        ProgramVariant { name: "cooperative_8", build: || cooperative::program(8) },
        ProgramVariant { name: "cooperative_16", build: || cooperative::program(16) },
        ProgramVariant { name: "cooperative_32", build: || cooperative::program(32) },
    ],
    ..BUFFER_OP
};
