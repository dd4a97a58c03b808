//! Uniform arena of dispatch blocks, deduplicated.

use std::collections::HashMap;

use wgpu::{BindGroup, BindGroupLayout, Buffer, BufferUsages, Device, Queue};

use crate::emit::{DISPATCH_BINDING, DispatchBlock};

/// Dispatch blocks in device memory. Equal blocks share their memory.
pub(crate) struct DispatchBlocks {
    layout: BindGroupLayout,
    /// Alignment of the offset of a block.
    alignment: u64,
    arena: Option<Arena>,
}

/// Buffer to which blocks are appended.
struct Arena {
    buffer: Buffer,
    used: u64,
    offsets: HashMap<DispatchBlock, u32>,
    /// Bind groups by the size of their binding.
    groups: HashMap<u64, BindGroup>,
    /// Bytes of blocks that have not been uploaded.
    pending: Vec<u8>,
    /// Offset of the first pending byte.
    pending_from: u64,
}

/// Block in device memory: a bind group and a dynamic offset.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct BoundBlock {
    pub(crate) group: BindGroup,
    pub(crate) offset: u32,
}

/// Size of an arena.
const ARENA_BYTES: u64 = 1 << 20;

impl DispatchBlocks {
    pub(crate) fn new(layout: BindGroupLayout, alignment: u32) -> DispatchBlocks {
        DispatchBlocks { layout, alignment: u64::from(alignment.max(16)), arena: None }
    }

    /// Adds a block with `buffers` lengths, unless the arena already contains it.
    pub(crate) fn insert(
        &mut self,
        device: &Device,
        queue: &Queue,
        block: DispatchBlock,
        buffers: usize,
    ) -> BoundBlock {
        let size = DispatchBlock::size(buffers).next_multiple_of(16);
        let stride = size.next_multiple_of(self.alignment);
        let is_known = self.arena.as_ref().is_some_and(|arena| arena.offsets.contains_key(&block));
        let has_room = self.arena.as_ref().is_some_and(|arena| arena.used + stride <= arena.buffer.size());
        if !is_known && !has_room {
            self.flush(queue);
            self.arena = Some(Arena::new(device, ARENA_BYTES.max(stride)));
        }
        let layout = &self.layout;
        let arena = self.arena.get_or_insert_with(|| Arena::new(device, ARENA_BYTES.max(stride)));
        let offset = match arena.offsets.get(&block) {
            Some(&offset) => offset,
            None => arena.add(block, stride),
        };
        let group = arena.groups.entry(size).or_insert_with(|| {
            let binding = wgpu::BufferBinding { buffer: &arena.buffer, offset: 0, size: wgpu::BufferSize::new(size) };
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout,
                entries: &[wgpu::BindGroupEntry {
                    binding: DISPATCH_BINDING,
                    resource: wgpu::BindingResource::Buffer(binding),
                }],
            })
        });
        BoundBlock { group: group.clone(), offset }
    }

    /// Uploads the pending blocks, before the next submission.
    pub(crate) fn flush(&mut self, queue: &Queue) {
        let Some(arena) = &mut self.arena else { return };
        if !arena.pending.is_empty() {
            queue.write_buffer(&arena.buffer, arena.pending_from, &arena.pending);
            arena.pending.clear();
        }
        arena.pending_from = arena.used;
    }
}

impl Arena {
    fn new(device: &Device, size: u64) -> Arena {
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let buffer =
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        let (offsets, groups) = (HashMap::new(), HashMap::new());
        Arena { buffer, used: 0, offsets, groups, pending: Vec::new(), pending_from: 0 }
    }

    fn add(&mut self, block: DispatchBlock, stride: u64) -> u32 {
        // Arenas are far smaller than 4 GiB.
        let offset = self.used as u32;
        self.used += stride;
        self.pending.extend(block.bytes());
        self.pending.resize((self.used - self.pending_from) as usize, 0);
        self.offsets.insert(block, offset);
        offset
    }
}
