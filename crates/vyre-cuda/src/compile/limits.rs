//! Limits and PTX target of a GPU.

use vyre_runtime::Limits;

use crate::driver::gpu::Gpu;
use crate::ptx::PtxTarget;

/// Shared memory of a block that kernels need for collectives, in bytes. Programs get the rest.
const COLLECTIVE_BYTES: u32 = 8_448;

/// Maximum bytes of kernel parameters.
pub(crate) const MAX_PARAMETER_BYTES: u64 = 4_096;

/// Bytes of parameters other than buffers: grid sizes, first workgroups and the address of the cancel word.
const OTHER_PARAMETER_BYTES: u64 = 64;

/// Bytes of parameters per buffer: a 64-bit address and a 32-bit length.
const BUFFER_PARAMETER_BYTES: u64 = 12;

/// Maximum buffers that a kernel accesses.
pub(crate) const MAX_ACCESSED_BUFFERS: u64 = (MAX_PARAMETER_BYTES - OTHER_PARAMETER_BYTES) / BUFFER_PARAMETER_BYTES;

/// Limits of programs on a GPU.
pub(crate) fn limits_of(gpu: &Gpu) -> Limits {
    // Buffers are padded to whole vectors of 16 bytes.
    let buffer_bytes = gpu.memory_bytes / 16 * 16;
    let workgroup_bytes = u64::from(gpu.shared_bytes.saturating_sub(COLLECTIVE_BYTES));
    let mut limits = Limits::new(buffer_bytes, workgroup_bytes, u64::from(gpu.block_threads.min(1024)));
    limits.workgroup_size = gpu.block_size.map(u64::from);
    limits.accessed_buffers = MAX_ACCESSED_BUFFERS;
    limits.can_cancel = true;
    limits
}

/// PTX target of a GPU.
pub(crate) fn target_of(gpu: &Gpu) -> PtxTarget {
    PtxTarget::default().with_sm(known_sm(gpu.sm))
}

/// Reports whether a GPU can run any PTX of this backend.
pub(crate) fn is_supported(gpu: &Gpu) -> bool {
    gpu.sm >= PtxTarget::KNOWN_SM[0]
}

/// Newest known compute capability that is not newer than `sm`. GPUs newer than all known ones run PTX of the newest.
fn known_sm(sm: u32) -> u32 {
    PtxTarget::KNOWN_SM.into_iter().rev().find(|known| *known <= sm).unwrap_or(PtxTarget::KNOWN_SM[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_gpus_get_the_newest_known_target() {
        let known = [(70, 70), (73, 72), (75, 75), (88, 87), (89, 89), (90, 90), (100, 90), (120, 90)];
        assert_eq!(known.map(|(sm, _)| known_sm(sm)), known.map(|(_, expected)| expected));
    }
}
