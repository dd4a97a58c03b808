//! Decompression: LZ4 blocks on devices beside nvCOMP, decoders of the host, and programs that extract packages.

mod blocks;
mod corpus;
mod error;
mod extraction;
mod host;
mod nvcomp;
mod on_device;
mod package;
mod race;
mod route;
mod stream_file;
mod tree;

pub use blocks::{BLOCK_BYTES, Block, Blocks};
pub use corpus::{TEXT_BYTES, TEXT_FINGERPRINT, text};
pub use error::Error;
pub use extraction::{ArchiveForm, Cores, Extractor, Scratch, tree_of};
pub use host::{Format, HostBlocks, HostDecoder};
pub use nvcomp::NvComp;
pub use on_device::{DeviceBlocks, DeviceProgram};
pub use package::{Package, PackageKind};
pub use race::{Lane, race};
pub use route::{Routes, frame_of};
pub use stream_file::StreamFile;
pub use tree::Tree;
