//! Cost model for devices: when blocks are decoded on a device instead of the host.
//!
//! Transfers dominate. An H200 decodes 1,024 LZ4 blocks of 64 KiB in less than 2 ms, but needs 46 ms from host memory to host
//! memory; one core needs 73 ms, two cores 46 ms, four cores 29 ms (`decompress_report --part route`). A GPU therefore pays
//! off only next to a single host thread, and only for many blocks.

use vyre_runtime::Device;

use crate::formats::Format;
use crate::stream::skippable;

/// Number of blocks of a layer from which a GPU is faster than one core of the host, transfers included.
const MIN_GPU_LAYER_BLOCKS: u64 = 512;

/// Size of a stream from which a GPU is faster than one core of the host, its start of a third of a second included.
const MIN_GPU_STREAM_BYTES: usize = 256 << 20;

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

/// Reports whether starting a GPU for this archive can pay off on a host with this many threads.
///
/// It can for an LZ4 or zstd stream of at least 256 MiB next to a single host thread. Only the first bytes are read. The
/// answer concerns the start of a device; [`Route::Auto`] decides about each layer on a device that is running.
#[must_use]
pub fn gpu_pays_off(archive: &[u8], host_threads: usize) -> bool {
    let has_device_blocks = || match Format::detect(archive) {
        Some(Format::Stream(format)) => format.device.is_some(),
        // Skippable frames precede LZ4 and zstd frames only.
        _ => skippable::is_at(archive, 0),
    };
    host_threads == 1 && archive.len() >= MIN_GPU_STREAM_BYTES && has_device_blocks()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_pays_off_only_for_long_streams_of_blocks_beside_one_thread() {
        let archive = |magic: u32, length: usize| {
            let mut bytes = magic.to_le_bytes().to_vec();
            bytes.resize(length, 0);
            bytes
        };
        for magic in [0x184d_2204, 0xfd2f_b528, 0x184d_2a50, 0x184d_2a5f] {
            assert!(gpu_pays_off(&archive(magic, MIN_GPU_STREAM_BYTES), 1), "{magic:x}");
            assert!(!gpu_pays_off(&archive(magic, MIN_GPU_STREAM_BYTES), 2), "{magic:x}");
            assert!(!gpu_pays_off(&archive(magic, MIN_GPU_STREAM_BYTES - 1), 1), "{magic:x}");
        }
        // A zip file, and nothing.
        assert!(!gpu_pays_off(&archive(0x0403_4b50, MIN_GPU_STREAM_BYTES), 1));
        assert!(!gpu_pays_off(b"", 1));
    }
}
