//! `compression.zstd_full`: Zstandard frames (RFC 8878).
//!
//! The constants `ERROR_*` are the codes in the status of a frame; [`ZstdFullError`] has a variant for each but [`ERROR_NONE`].

mod format;
mod program;
mod reference;

pub use format::{
    ERROR_CONTENT_SIZE_MISMATCH, ERROR_CORRUPT_BLOCK, ERROR_CORRUPT_FSE_TABLE, ERROR_CORRUPT_HEADER,
    ERROR_CORRUPT_HUFFMAN_TREE, ERROR_CORRUPT_LITERALS, ERROR_CORRUPT_SEQUENCES, ERROR_DICTIONARY_REQUIRED,
    ERROR_INPUT_TRUNCATED, ERROR_NONE, ERROR_OFFSET_OOB, ERROR_OUTPUT_OVERFLOW, ERROR_SKIPPABLE_FRAME,
    ERROR_TRAILING_BYTES, ERROR_WINDOW_TOO_LARGE, ZstdFullError,
};
pub use reference::zstd_frame_on_host;

use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "compression.zstd_full",
    summary: "The bytes of whole Zstandard frames, and a status for each; dictionaries are refused.",
    canonical: || program::program(1),
    alternatives: &[
        ProgramVariant { name: "cooperative_8", build: || program::program(8) },
        ProgramVariant { name: "cooperative_16", build: || program::program(16) },
        ProgramVariant { name: "cooperative_32", build: || program::program(32) },
    ],
    ..BUFFER_OP
};
