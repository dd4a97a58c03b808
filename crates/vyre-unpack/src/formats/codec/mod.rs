//! Decoders of single compression methods into blocks. Formats whose blocks have several methods share them: 7z, squashfs, cab.
//!
//! A decoder appends its output to a [`BlockOutput`](crate::archive::BlockOutput), up to the size that the archive states, if
//! it states one. Memory for dictionaries is bounded by [`MAX_DICTIONARY_BYTES`].

mod deflate;
mod lzma;
mod ppmd;
mod streams;

pub(super) use deflate::{deflate, deflate64, deflate64_step, mszip, zlib};
pub(super) use lzma::{Filter, filter, lzma, lzma_alone, lzma2, xz};
pub(super) use ppmd::ppmd7;
pub(super) use streams::{brotli, brotli_state, brotli_step, bzip2, lz4_block, zstd};

use crate::problem::ProblemKind;
use crate::stream::StepEnd;

/// Maximum size of a dictionary or model, in bytes.
const MAX_DICTIONARY_BYTES: u32 = 256 << 20;

/// A feature that the decoder lacks.
fn unsupported(what: &str) -> ProblemKind {
    ProblemKind::Unsupported { what: what.to_owned() }
}

/// End of a step at damage.
fn damaged(what: &'static str) -> StepEnd {
    StepEnd::Failed(ProblemKind::Corrupt { what })
}
