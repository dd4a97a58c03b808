//! How invocations become threads, and workgroup memory becomes shared memory.
//!
//! A workgroup of more than 32 invocations is a block of threads. Smaller ones share a block, each in a *seat*: as many lanes
//! of a warp as the next power of two. So no two of them meet in other than whole seats, a warp has no idle lanes where the
//! size is a power of two, and all that the invocations of a workgroup do together they do within a warp. Threads of a seat
//! beyond the size of the workgroup, and seats beyond the end of the grid, end at once.

use std::fmt::Write as _;

use vyre_ir::BufferAccess;
use vyre_kernel::{BufferId, Collective, Kernel, Key as _, Op, Statement, Usage, element_type};
use vyre_runtime::{Error, Resource};

/// The lanes of a warp.
pub(super) const WARP: u32 = 32;

/// The threads of a block that several workgroups share.
const SHARED_BLOCK: u32 = 128;

/// The most shared memory that needs no special permission.
const STATIC_BYTES: u32 = 48 * 1024;

/// The name of shared memory in the text, which is also where it begins.
pub(super) const SHARED: &str = "vyre_shared";

/// How a kernel lies on the hardware.
pub(super) struct Layout {
    /// The size of a workgroup.
    pub(super) size: [u32; 3],
    /// The invocations of a workgroup.
    pub(super) invocations: u32,
    /// The threads of a block.
    pub(super) block: [u32; 3],
    /// The workgroups of a block.
    pub(super) groups: u32,
    /// By buffer: where it begins in the shared memory of a workgroup.
    offsets: Vec<Option<u32>>,
    /// The shared memory of a workgroup, in bytes.
    pub(super) group_bytes: u32,
    /// Where the two rows lie through which collectives of large workgroups exchange words.
    pub(super) rows: Option<Rows>,
}

/// Two rows of words by turns: who writes one knows that everybody has read it, for all have met at the other since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) offset: u32,
    /// The bytes of one of them.
    pub(super) bytes: u32,
}

impl Layout {
    pub(super) fn of(kernel: &Kernel, usage: &Usage) -> Result<Layout, Error> {
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
                // Whole vectors, and an element 0 in any case.
                let bytes = u64::from(decl.count) * u64::from(element_type(decl.element).words()) * 4;
                end += bytes.next_multiple_of(16).max(16);
            }
        }
        let rows_begin = end;
        let row = row_words(kernel, invocations);
        end += u64::from(row) * 8;
        // More than any device has.
        let limit = 1 << 20;
        if end > limit {
            return Err(exceeded(Resource::WorkgroupBytes, end, limit));
        }
        let group_bytes = end.next_multiple_of(16) as u32;
        let rows = (row != 0).then_some(Rows { offset: rows_begin as u32, bytes: row * 4 });
        let (block, groups) = if invocations <= WARP {
            let seat = invocations.next_power_of_two();
            let mut groups = SHARED_BLOCK / seat;
            while groups > 1 && groups * group_bytes > STATIC_BYTES {
                groups /= 2;
            }
            ([groups * seat, 1, 1], groups)
        } else {
            (size, 1)
        };
        let offsets = offsets.into_iter().map(|offset| offset.map(|offset| offset as u32)).collect();
        Ok(Layout { size, invocations, block, groups, offsets, group_bytes, rows })
    }

    /// Whether a workgroup lies within a warp.
    pub(super) fn is_within_warp(&self) -> bool {
        self.invocations <= WARP
    }

    /// The lanes of a warp that a small workgroup has for itself.
    pub(super) fn seat(&self) -> u32 {
        self.invocations.next_power_of_two()
    }

    /// The warps of a large workgroup.
    pub(super) fn warps(&self) -> u32 {
        self.invocations.div_ceil(WARP)
    }

    /// Whether all warps of a large workgroup are full.
    pub(super) fn has_full_warps(&self) -> bool {
        self.invocations.is_multiple_of(WARP)
    }

    /// Where a buffer begins in the shared memory of a workgroup.
    pub(super) fn offset(&self, buffer: BufferId) -> u32 {
        self.offsets[buffer.position()].unwrap_or_default()
    }

    fn shared_bytes(&self) -> u32 {
        self.group_bytes * self.groups
    }

    /// The bytes of shared memory that a launch asks for.
    pub(super) fn dynamic_bytes(&self) -> u32 {
        if self.shared_bytes() > STATIC_BYTES { self.shared_bytes() } else { 0 }
    }

    pub(super) fn declare_shared_memory(&self, text: &mut String) {
        let _ = match self.shared_bytes() {
            0 => Ok(()),
            bytes if bytes > STATIC_BYTES => writeln!(text, ".extern .shared .align 16 .b8 {SHARED}[];\n"),
            bytes => writeln!(text, ".shared .align 16 .b8 {SHARED}[{bytes}];\n"),
        };
    }
}

/// The words of a row that the collectives of a kernel need; small workgroups need none.
fn row_words(kernel: &Kernel, invocations: u32) -> u32 {
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
                // Only in workgroups within a warp.
                Collective::Ballot(_) => 0,
            };
            words = words.max(needed);
        });
    }
    words
}
