//! Cost model for devices: when blocks are decoded on a device instead of the host.
//!
//! Transfers dominate. An H200 decodes 1,024 LZ4 blocks of 64 KiB in less than 2 ms, but needs 46 ms from host memory to host
//! memory; one core needs 73 ms, two cores 46 ms, four cores 29 ms (`decompress_report --part route`). A GPU therefore pays
//! off only next to a single host thread, and only for many blocks.

use vyre_runtime::Device;

/// Number of blocks of a layer from which a GPU is faster than one core of the host, transfers included.
const MIN_GPU_LAYER_BLOCKS: u64 = 512;

/// Choice of the processor for blocks that a device can decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Route {
    /// A GPU for layers of at least 512 blocks if the host has a single thread, otherwise the host.
    #[default]
    Auto,
    /// The device, for any number of blocks.
    Device,
    /// The host.
    Host,
}

impl Route {
    /// Number of blocks below which a layer stays on the host, or none if the device is not used at all.
    pub(crate) fn min_device_blocks(self, device: &dyn Device, host_threads: usize) -> Option<u64> {
        match self {
            Route::Device => Some(0),
            Route::Auto if device.is_throughput_oriented() && host_threads == 1 => Some(MIN_GPU_LAYER_BLOCKS),
            Route::Auto | Route::Host => None,
        }
    }
}
