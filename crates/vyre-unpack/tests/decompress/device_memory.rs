//! Memory of the device route: claims of an archive take none, and a refusal of memory leaves the work to the host.

use std::sync::Arc;

use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{Buffer, Device, Error, Limits as DeviceLimits, MemoryKind};
use vyre_unpack::{HostReason, Options};

use crate::collect::{gzip, noise};
use crate::device_routes::{Routes, archives, cpu};

/// A device that has no memory for large buffers.
pub(crate) struct Scarce {
    device: JitDevice,
    limits: DeviceLimits,
    /// Size of the largest buffer that it creates.
    available: u64,
}

impl Scarce {
    /// The limits of the device state the size of the largest buffer, or do not.
    pub(crate) fn device(available: u64, is_stated: bool) -> Arc<dyn Device> {
        let device = JitDevice::new(&JitOptions::default()).unwrap();
        let mut limits = device.limits().clone();
        if is_stated {
            limits.buffer_bytes = available;
        }
        Arc::new(Wrapped(Scarce { device, limits, available }))
    }
}

impl DeviceWrapper for Scarce {
    fn inner(&self) -> &dyn Device {
        &self.device
    }

    fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        if bytes > self.available {
            return Err(Error::OutOfMemory { memory: MemoryKind::Device, bytes: Some(bytes), free: None });
        }
        self.device.create_buffer(bytes)
    }
}

#[test]
fn a_device_without_memory_leaves_blocks_to_the_host() {
    for available in [0, 100_000] {
        let routes = Routes::new(Scarce::device(available, false), Options::default());
        for (name, archive) in archives() {
            let summary = routes.agree(name, &archive).unwrap();
            if available == 0 {
                assert_eq!(summary.blocks.device, 0, "{name}");
                assert!(summary.blocks.host.contains_key(&HostReason::DeviceMemory), "{name}");
            }
        }
    }
}

#[test]
fn a_claimed_size_takes_no_memory() {
    let routes = Routes::new(cpu(), Options::default());
    let mut lie = gzip(&noise(300_000, 1));
    for (claimed, dispatches) in [(70 << 20, 0), (60 << 20, 1)] {
        let size = lie.len() - 4;
        lie[size..].copy_from_slice(&u32::to_le_bytes(claimed));
        let summary = routes.agree("lie.gz", &lie).unwrap();
        assert_eq!(summary.dispatches, dispatches, "{claimed}");
    }
}
