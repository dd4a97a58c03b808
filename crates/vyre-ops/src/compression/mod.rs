//! Compression ops: many independent blocks are decompressed at once.
//!
//! | Op | In plain Rust |
//! |---|---|
//! | `compression.lz4` | [`lz4_block_on_host`] |
//! | `compression.zstd` | [`zstd_block_on_host`] |
//!
//! A program of these ops has four buffers of words: `compressed_data` and `descriptors` to read, `decompressed_data` and `status`
//! to write. A [`Descriptor`] says where a block is and where its output goes, a [`Status`] what became of it. The grid has a
//! workgroup for each block on its first axis; surplus ones do nothing. `docs/compression.md` has all of it.
//!
//! ```
//! use vyre_ops::compression::{Lz4Error, lz4_block_on_host};
//!
//! // Three literals, and a match of seven bytes that goes three bytes back.
//! let block = [0x33, b'a', b'b', b'c', 3, 0];
//! assert_eq!(lz4_block_on_host(&block, 10), (None, b"abcabcabca".to_vec()));
//! assert_eq!(lz4_block_on_host(&block, 9), (Some(Lz4Error::MatchOverflow), b"abc".to_vec()));
//! ```

mod block;
pub(crate) mod lz4;
mod run;
pub(crate) mod zstd;

pub use block::{DESCRIPTOR_WORDS, Descriptor, STATUS_WORDS, STORED, Status};
pub use lz4::{Lz4Error, lz4_block_on_host};
pub use run::{BlockLayout, CompressedBlock, CompressionOps, Decompressed};
pub use zstd::{ZstdError, zstd_block_on_host};
