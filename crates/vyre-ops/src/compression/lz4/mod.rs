//! `compression.lz4`: independent LZ4 blocks.

mod cooperative;
mod plain;
mod reference;

pub use reference::lz4_block_on_host;

use super::block::Codes;
use crate::op::OVER_BUFFERS;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "compression.lz4",
    summary: "The bytes of independent LZ4 blocks, and a status for each.",
    canonical: plain::program,
    alternatives: &[
        ProgramVariant { name: "cooperative_8", build: || cooperative::program(8) },
        ProgramVariant { name: "cooperative_16", build: || cooperative::program(16) },
        ProgramVariant { name: "cooperative_32", build: || cooperative::program(32) },
    ],
    ..OVER_BUFFERS
};

/// What can be wrong with an LZ4 block. The numbers are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Lz4Error {
    /// Length bytes or the match offset are cut off, or the block is not within the compressed data.
    CorruptToken = 1,
    /// A match offset is 0 or goes back before the beginning of the output.
    OffsetOutOfBounds = 2,
    /// Literals do not fit the room for the output, or its place is wrong.
    OutputOverflow = 3,
    /// Literals go beyond the end of the block.
    LiteralOverflow = 4,
    /// A match does not fit the room for the output.
    MatchOverflow = 5,
}

impl Lz4Error {
    /// All errors, by their codes.
    pub const ALL: [Lz4Error; 5] = [
        Lz4Error::CorruptToken,
        Lz4Error::OffsetOutOfBounds,
        Lz4Error::OutputOverflow,
        Lz4Error::LiteralOverflow,
        Lz4Error::MatchOverflow,
    ];

    /// The number in the status of a block.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The error with this number.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Lz4Error> {
        Lz4Error::ALL.into_iter().find(|error| error.code() == code)
    }
}

const CODES: Codes = Codes { input: Lz4Error::CorruptToken as u32, output: Lz4Error::OutputOverflow as u32 };

/// The nibble that says that length bytes follow.
const MORE: u32 = 15;

/// The length byte that says that another follows.
const AND_ANOTHER: u32 = 255;

/// The shortest match.
const SHORTEST_MATCH: u32 = 4;
