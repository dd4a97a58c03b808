//! Checksum ops: checksums of many ranges of a buffer.
//!
//! | Op | Host reference | Algorithm |
//! |---|---|---|
//! | `checksum.xxh32` | [`xxh32_on_host`] | XXH32 with seed 0 |
//! | `checksum.xxh64` | [`xxh64_on_host`] | XXH64 with seed 0 |
//! | `checksum.crc32` | [`crc32_on_host`] | CRC-32 of gzip and zip (ISO-HDLC) |
//! | `checksum.adler32` | [`adler32_on_host`] | Adler-32 (RFC 1950) |
//!
//! A program of these ops has three buffers of words: `data` and `ranges` are read, `sums` is written. A [`ChecksumRange`] locates the
//! bytes, and a [`Checksum`] is the result. The grid has a workgroup for each range on its first axis; surplus workgroups do nothing.
//! Ranges begin and end at any byte and may overlap. `docs/compression.md` is the full description.
//!
//! ```
//! use vyre_ops::checksum::{adler32_on_host, crc32_on_host, xxh32_on_host, xxh64_on_host};
//!
//! assert_eq!(crc32_on_host(b"123456789"), 0xcbf4_3926);
//! assert_eq!(adler32_on_host(b"Wikipedia"), 0x11e6_0398);
//! assert_eq!(xxh32_on_host(b""), 0x02cc_5d05);
//! assert_eq!(xxh64_on_host(b""), 0xef46_db37_51d8_e999);
//! ```

mod range;
mod run;
mod word64;

crate::family::op_family! {
    xxh32: xxh32_on_host;
    xxh64: xxh64_on_host;
    crc32: crc32_on_host;
    adler32: adler32_on_host;
}

pub use range::{CHECKSUM_RANGE_WORDS, CHECKSUM_WORDS, Checksum, ChecksumRange, ERROR_NONE, ERROR_RANGE_OUTSIDE};
pub use run::{ChecksumKind, ChecksumOps};
