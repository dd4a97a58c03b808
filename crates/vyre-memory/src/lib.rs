//! Host memory for large data: zeroed arrays in huge pages, memory-mapped files, and threads that copy.
//!
//! [`zeros`] allocates a zeroed array and advises the kernel to back it with huge pages; [`try_zeroed_bytes`] does so for bytes and
//! returns if the system refuses the memory. [`MappedBytes`] is a read-only memory map of a file, and [`ScratchFile`] a buffer in a
//! temporary file. [`Pages`] is memory that a driver can pin. [`Team`] runs a copy on several threads, and [`join`] and
//! [`map_on_threads`] run other work on threads, or on the caller if the system refuses threads. [`has_headroom`] tests whether the
//! system has memory left. The crate is a leaf: graphs, ops and engines use it, and it depends on none of them.

mod headroom;
mod huge_pages;
mod mapped;
mod pages;
mod peak;
mod scratch;
mod team;
mod threads;

pub use headroom::has_headroom;
pub use huge_pages::{Zero, advise_huge_pages, try_zeroed_bytes, zeros};
pub use mapped::{MappedBytes, exit_if_a_map_is_truncated};
pub use pages::Pages;
pub use peak::peak_bytes;
pub use scratch::{ScratchBytes, ScratchFile, scratch_directory};
pub use team::Team;
pub use threads::{join, map_on_threads};
