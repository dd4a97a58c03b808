//! Unpacking of archives and compressed streams: recursive, bounded by limits, safe to extract.
//!
//! [`unpack_file`] unpacks a file into a directory in one call. [`Unpacker`] detects the format of an input, decodes it and
//! emits its members as [`Entry`] values to a [`Receiver`]. Members that are containers themselves are unpacked too,
//! breadth-first by nesting depth. [`Extractor`] is the receiver that writes entries below a directory.
//!
//! Inputs are untrusted. Every length is checked against the [`Limits`] before memory is allocated. Decoders return
//! [`Problem`] values and never panic. The extractor defends against path traversal ("zip slip"), link attacks and races
//! (TOCTOU).
//!
//! | Module | Content |
//! |---|---|
//! | `archive_file` | extraction of an archive file in one call |
//! | `input` | reading of pipes |
//! | `decompress` | content of a compressed stream for other readers |
//! | `formats` | table of container formats; one file or directory for each |
//! | `archive` | members of archives: listing, decoding, verification |
//! | `stream` | decoding of compressed streams, on the host and from blocks that a device decoded |
//! | `layers`, `batch`, `device_pass` | breadth-first traversal, parallel decoding of members, device decoding of a layer |
//! | `block_decoder`, `readback`, `stream_check` | blocks on a device, host memory that it is read into, verification meanwhile |
//! | `device_unpacker`, `device_streams`, `device_image`, `device_entry` | archives into buffers of a device: traversal, contents, partial images, entries |
//! | `work`, `context` | records and state that these three share |
//! | `buffer`, `buffer_memory` | buffers of decoded data in memory or temporary files, and the memory that they share |
//! | `extract` | extraction to the file system |
//! | `limits`, `route` | limits and their budget; policy for the use of devices |

mod archive;
mod archive_file;
mod batch;
mod block_decoder;
mod buffer;
mod buffer_memory;
mod context;
mod decompress;
mod device_entry;
mod device_image;
mod device_inside;
mod device_pass;
mod device_streams;
mod device_unpacker;
mod device_upload;
mod engine;
mod entry;
mod error;
mod extract;
mod formats;
mod input;
mod layers;
mod limits;
mod naming;
mod options;
mod problem;
mod readback;
mod receiver;
mod route;
mod stream;
mod stream_check;
mod summary;
mod work;

pub use archive_file::{DamagedEntry, Unpacked, unpack_file};
pub use decompress::decompressing_reader;
pub use device_entry::{DeviceEntries, DeviceEntry, DeviceSlice};
pub use device_unpacker::DeviceUnpacker;
pub use engine::Unpacker;
pub use entry::{Entry, EntryKind, EntryPath};
pub use error::DecompressError;
pub use extract::{
    EntryOutcome, ExtractError, ExtractOptions, ExtractPlan, ExtractTotals, ExtractedEntry, Extractor, Refusal,
    RefusedEntry,
};
pub use formats::{detect_format, format_names};
pub use input::read_input;
pub use limits::{Budget, Limit, LimitExceeded, Limits};
pub use options::Options;
pub use problem::{Problem, ProblemKind};
pub use receiver::{Progress, Receiver};
pub use route::Route;
pub use summary::{ArchiveProblem, BlockCounts, HostReason, Summary, ZstdBlockCounts};
