//! Transfers without staging memory, where host and device share memory.
//!
//! The host maps the buffer itself. A mapped buffer must not be in a submission, so every use of a buffer of a program holds
//! the submission lock. A transfer maps the buffer only if the device does not use it. Otherwise the caller goes through
//! staging memory, so that no thread waits for the device under the lock.

use std::ops::Range;

use vyre_runtime::Error;
use wgpu::{BufferUsages, DeviceType, Features, MapMode};

use crate::handles::GpuHandles;
use crate::mapping::Mapping;
use crate::staging_memory::lock;

/// Maximum bytes that a thread copies under the submission lock. A multiple of the alignment of mappings.
const CHUNK_BYTES: usize = 8 << 20;

/// Usages that let the host map the buffers of programs; empty if they need staging memory.
///
/// wgpu places buffers that the host writes in write-combined memory of GPUs, where reads of the host are slow. So integrated
/// GPUs read through staging memory.
pub(crate) fn mappable_usages(kind: DeviceType, features: Features) -> BufferUsages {
    if !features.contains(Features::MAPPABLE_PRIMARY_BUFFERS) {
        return BufferUsages::empty();
    }
    match kind {
        DeviceType::Cpu => BufferUsages::MAP_READ | BufferUsages::MAP_WRITE,
        DeviceType::IntegratedGpu => BufferUsages::MAP_WRITE,
        DeviceType::DiscreteGpu | DeviceType::VirtualGpu | DeviceType::Other => BufferUsages::empty(),
    }
}

/// Writes bytes to any offset. Returns false if the host cannot map the buffer now; some bytes may be written.
pub(crate) fn try_write(gpu: &GpuHandles, target: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<bool, Error> {
    if !target.usage().contains(BufferUsages::MAP_WRITE) {
        return Ok(false);
    }
    let mut at = offset;
    for chunk in bytes.chunks(CHUNK_BYTES) {
        let is_written = while_mapped(gpu, target, MapMode::Write, at, chunk.len(), |range, skipped| {
            let mut view =
                target.get_mapped_range_mut(range).map_err(|error| Error::driver("mapping a buffer", error))?;
            view.slice(skipped..skipped + chunk.len()).copy_from_slice(chunk);
            Ok(())
        })?;
        if !is_written {
            return Ok(false);
        }
        at += chunk.len() as u64;
    }
    Ok(true)
}

/// Reads from any offset. Returns false if the host cannot map the buffer now; some bytes may be read.
pub(crate) fn try_read(gpu: &GpuHandles, source: &wgpu::Buffer, offset: u64, target: &mut [u8]) -> Result<bool, Error> {
    if !source.usage().contains(BufferUsages::MAP_READ) {
        return Ok(false);
    }
    let mut at = offset;
    for chunk in target.chunks_mut(CHUNK_BYTES) {
        let length = chunk.len();
        let is_read = while_mapped(gpu, source, MapMode::Read, at, length, |range, skipped| {
            let view = source.get_mapped_range(range).map_err(|error| Error::driver("mapping a buffer", error))?;
            chunk.copy_from_slice(&view[skipped..skipped + length]);
            Ok(())
        })?;
        if !is_read {
            return Ok(false);
        }
        at += length as u64;
    }
    Ok(true)
}

/// Calls `access` while a range is mapped, with the range that includes it and the bytes before it in that range. Returns
/// false if the device uses the buffer.
fn while_mapped(
    gpu: &GpuHandles,
    buffer: &wgpu::Buffer,
    mode: MapMode,
    offset: u64,
    length: usize,
    access: impl FnOnce(Range<u64>, usize) -> Result<(), Error>,
) -> Result<bool, Error> {
    let start = offset / wgpu::MAP_ALIGNMENT * wgpu::MAP_ALIGNMENT;
    let end = (offset + length as u64).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let _submission_lock = lock(&gpu.blocks);
    let mapping = gpu.caught("mapping a buffer", || Mapping::request_range(buffer, start..end, mode, None))?;
    let outcome = mapping.is_complete(&gpu.device, &gpu.health).and_then(|is_mapped| {
        if is_mapped {
            access(start..end, (offset - start) as usize)?;
        }
        Ok(is_mapped)
    });
    // This also withdraws a request that is not complete or has failed.
    buffer.unmap();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shared_memory_is_mapped() {
        let (offered, both) = (Features::MAPPABLE_PRIMARY_BUFFERS, BufferUsages::MAP_READ | BufferUsages::MAP_WRITE);
        assert_eq!(mappable_usages(DeviceType::Cpu, offered), both);
        assert_eq!(mappable_usages(DeviceType::IntegratedGpu, offered), BufferUsages::MAP_WRITE);
        for kind in [DeviceType::DiscreteGpu, DeviceType::VirtualGpu, DeviceType::Other] {
            assert_eq!(mappable_usages(kind, offered), BufferUsages::empty(), "{kind:?}");
        }
        assert_eq!(mappable_usages(DeviceType::Cpu, Features::SHADER_INT64), BufferUsages::empty());
    }
}
