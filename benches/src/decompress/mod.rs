//! Decompression: blocks on devices against nvCOMP, decoders and the engine on the host, the routes of the engine, and programs that extract
//! packages.

mod blocks;
mod comparison;
mod compressors;
mod corpus;
mod device_blocks;
mod extraction;
mod format;
mod host;
mod host_route;
mod host_route_report;
mod nvcomp;
mod package;
mod route_file;
mod routes;
mod stream_file;
mod tree;
mod zip_file;

pub use blocks::{BLOCK_BYTES, Block, Blocks};
pub use comparison::{ProgramContender, compare_decoders};
pub use corpus::{TEXT_BYTES, TEXT_FINGERPRINT, text};
pub use device_blocks::{DeviceBlocks, DeviceProgram};
pub use extraction::{ArchiveForm, Cores, Extractor, Scratch, tree_of};
pub use format::Format;
pub use host::{HostBlocks, HostDecoder};
pub use host_route::{HostStream, StreamKind};
pub use host_route_report::report_host_route;
pub use nvcomp::NvComp;
pub use package::{Package, PackageKind};
pub use route_file::RouteFile;
pub use routes::{RouteContender, RouteSample, Routes};
pub use stream_file::StreamFile;
pub use tree::Tree;
