//! Block packing: invocations to threads, workgroup memory to shared memory.
//!
//! A workgroup of more than 32 invocations is a block of threads. Smaller workgroups share a block. Each of them occupies a
//! *segment* of a warp, whose number of lanes is the next power of two. Segments never straddle warps, so the invocations of
//! a small workgroup synchronize and communicate within a warp, and no warp lane is idle if the size is a power of two.
//! Threads of a segment beyond the size of the workgroup, and segments beyond the end of the grid, exit at once.
//!
//! Shared memory of a workgroup, in bytes:
//!
//! | Part | Size |
//! |---|---|
//! | each accessed workgroup buffer | its elements, padded to a multiple of 16, at least 16 |
//! | exchange buffers | 2 * 4 * words that the collectives need, in workgroups of more than one warp |
//!
//! The total is padded to a multiple of 16 and repeated for each workgroup of the block.

use std::fmt::Write as _;

use vyre_ir::BufferAccess;
use vyre_kernel::{BufferId, Collective, Kernel, Key as _, Op, Statement, Usage, element_type};
use vyre_runtime::{Error, Resource};

/// Lanes of a warp.
pub(super) const WARP: u32 = 32;

/// Threads of a block of several workgroups.
const PACKED_BLOCK_THREADS: u32 = 128;

/// Maximum static shared memory of a block. A launch must request more as dynamic shared memory.
const MAX_STATIC_BYTES: u32 = 48 * 1024;

/// Name of shared memory in the text; also its address.
pub(super) const SHARED: &str = "vyre_shared";

/// Packing of a kernel's workgroups into blocks.
pub(super) struct BlockPacking {
    /// Invocations of a workgroup on each axis.
    pub(super) size: [u32; 3],
    /// Invocations of a workgroup.
    pub(super) invocations: u32,
    /// Threads of a block on each axis.
    pub(super) block: [u32; 3],
    /// Workgroups of a block.
    pub(super) groups: u32,
    /// Offset of each buffer in the shared memory of a workgroup.
    offsets: Vec<Option<u32>>,
    /// Shared memory of a workgroup, in bytes.
    pub(super) group_bytes: u32,
    /// Buffers through which collectives of large workgroups exchange words.
    pub(super) exchange: Option<ExchangeBuffers>,
}

/// Two buffers that collectives use alternately. When an invocation writes one of them, all invocations have read its
/// previous contents, because they have passed the barrier of the other one since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExchangeBuffers {
    /// Offset of the first one in the shared memory of the workgroup.
    pub(super) offset: u32,
    /// Size of each.
    pub(super) bytes: u32,
}

impl BlockPacking {
    pub(super) fn of(kernel: &Kernel, usage: &Usage) -> Result<BlockPacking, Error> {
        let size = kernel.workgroup_size;
        let exceeded = |resource, wanted, limit| Error::ResourceExceeded { resource, wanted, limit };
        let invocations: u64 = size.iter().map(|&size| u64::from(size)).product();
        if invocations > 1024 {
            return Err(exceeded(Resource::WorkgroupInvocations, invocations, 1024));
        }
        let invocations = invocations as u32;
        let mut end = 0_u64;
        let mut offsets = vec![None; kernel.buffers.len()];
        for (id, decl) in kernel.buffers.iter().filter(|(_, decl)| decl.access == BufferAccess::Workgroup) {
            if usage.buffer(id).is_accessed() {
                offsets[id.position()] = Some(end);
                // Whole vectors, and at least an element 0.
                let bytes = u64::from(decl.count) * u64::from(element_type(decl.element).words()) * 4;
                end += bytes.next_multiple_of(16).max(16);
            }
        }
        let exchange_start = end;
        let exchange_words = exchange_words(kernel, invocations);
        end += u64::from(exchange_words) * 8;
        // More than any device has.
        let limit = 1 << 20;
        if end > limit {
            return Err(exceeded(Resource::WorkgroupBytes, end, limit));
        }
        let group_bytes = end.next_multiple_of(16) as u32;
        let buffers = ExchangeBuffers { offset: exchange_start as u32, bytes: exchange_words * 4 };
        let exchange = (exchange_words != 0).then_some(buffers);
        let (block, groups) = if invocations <= WARP {
            let segment = invocations.next_power_of_two();
            let mut groups = PACKED_BLOCK_THREADS / segment;
            while groups > 1 && groups * group_bytes > MAX_STATIC_BYTES {
                groups /= 2;
            }
            ([groups * segment, 1, 1], groups)
        } else {
            (size, 1)
        };
        let offsets = offsets.into_iter().map(|offset| offset.map(|offset| offset as u32)).collect();
        Ok(BlockPacking { size, invocations, block, groups, offsets, group_bytes, exchange })
    }

    /// Reports whether a workgroup lies within a warp.
    pub(super) fn is_within_warp(&self) -> bool {
        self.invocations <= WARP
    }

    /// Warp lanes of a small workgroup's segment.
    pub(super) fn segment_lanes(&self) -> u32 {
        self.invocations.next_power_of_two()
    }

    /// Warps of a large workgroup.
    pub(super) fn warps(&self) -> u32 {
        self.invocations.div_ceil(WARP)
    }

    /// Reports whether all warps of a large workgroup are full.
    pub(super) fn has_full_warps(&self) -> bool {
        self.invocations.is_multiple_of(WARP)
    }

    /// Offset of a buffer in the shared memory of a workgroup.
    pub(super) fn offset(&self, buffer: BufferId) -> u32 {
        self.offsets[buffer.position()].unwrap_or_default()
    }

    fn shared_bytes(&self) -> u32 {
        self.group_bytes * self.groups
    }

    /// Dynamic shared memory that a launch must request, in bytes.
    pub(super) fn dynamic_bytes(&self) -> u32 {
        if self.shared_bytes() > MAX_STATIC_BYTES { self.shared_bytes() } else { 0 }
    }

    pub(super) fn declare_shared_memory(&self, text: &mut String) {
        let _ = match self.shared_bytes() {
            0 => Ok(()),
            bytes if bytes > MAX_STATIC_BYTES => writeln!(text, ".extern .shared .align 16 .b8 {SHARED}[];\n"),
            bytes => writeln!(text, ".shared .align 16 .b8 {SHARED}[{bytes}];\n"),
        };
    }
}

/// Words of an exchange buffer that the collectives of a kernel need. Small workgroups need none.
fn exchange_words(kernel: &Kernel, invocations: u32) -> u32 {
    let mut words = 0;
    if invocations > WARP {
        kernel.for_each_statement(|statement| {
            let Statement::Let(value) = statement else { return };
            let Op::Collective(collective) = kernel.op(value) else { return };
            let needed = match collective {
                Collective::Shuffle(..) => invocations,
                Collective::Broadcast(..) => 1,
                Collective::Reduce(..) | Collective::ScanExclusive(..) | Collective::ScanInclusive(..) => {
                    invocations.div_ceil(WARP)
                }
                // Ballots occur only in workgroups within a warp.
                Collective::Ballot(_) => 0,
            };
            words = words.max(needed);
        });
    }
    words
}
