//! Compression ops: parallel decompression of independent blocks.
//!
//! | Op | Host reference |
//! |---|---|
//! | `compression.lz4` | [`lz4_block_on_host`] |
//! | `compression.zstd` | [`zstd_block_on_host`] |
//! | `compression.deflate` | [`deflate_stream_on_host`] |
//! | `compression.zstd_full` | [`zstd_frame_on_host`] |
//!
//! A program of these ops has four buffers of words: `compressed_data` and `descriptors` are read, `decompressed_data` and `status`
//! are written. Programs of `compression.zstd_full` have a fifth one, `scratch`, of [`scratch_words`]. A [`Descriptor`] locates a block
//! and its output, and a [`Status`] is its result. The modules of the ops have the codes of a status, which differ between the ops.
//! The grid has a workgroup for each
//! block on its first axis; surplus workgroups do nothing. `docs/compression.md` is the full description.
//!
//! ```
//! use vyre_ops::compression::{Lz4Error, lz4_block_on_host};
//!
//! // Three literals, and a match of seven bytes with an offset of three.
//! let block = [0x33, b'a', b'b', b'c', 3, 0];
//! assert_eq!(lz4_block_on_host(&block, 10), (None, b"abcabcabca".to_vec()));
//! assert_eq!(lz4_block_on_host(&block, 9), (Some(Lz4Error::MatchOverflow), b"abc".to_vec()));
//! ```

mod block;
mod device_batch;
mod run;
mod scratch;
mod words;

crate::family::op_family! {
    pub lz4: Lz4Error, lz4_block_on_host;
    pub zstd: ZstdError, zstd_block_on_host;
    pub deflate: DeflateError, deflate_stream_on_host;
    pub zstd_full: ZstdFullError, zstd_frame_on_host;
}

pub use block::{DESCRIPTOR_WORDS, Descriptor, STATUS_WORDS, STORED, Status};
pub use device_batch::{BatchSide, DeviceBatch, DeviceOutput};
pub use run::{BlockPacking, CompressedBlock, CompressionOps, Decompressed};
pub use scratch::scratch_words;
