//! The context record: the interface between generated code and the host. Each thread of a dispatch has one.

/// Address and length of a bound buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundBuffer {
    pub(crate) address: *mut u8,
    /// Number of elements.
    pub(crate) length: u32,
    pub(crate) padding: u32,
}

/// The record that generated code gets as its first argument.
///
/// Out-of-range accesses are redirected without a branch: loads to `zeros`, stores to `sink`.
#[repr(C, align(16))]
#[derive(Debug)]
pub(crate) struct Context {
    /// Target of out-of-range loads.
    pub(crate) zeros: [u32; 4],
    /// Target of out-of-range stores.
    pub(crate) sink: [u32; 4],
    pub(crate) buffers: *const BoundBuffer,
    /// Scratch memory, see [`Plan`](crate::plan::Plan).
    pub(crate) scratch: *mut u8,
    /// Workgroup memory of the workgroup that runs.
    pub(crate) workgroup: *mut u8,
    /// Constant pool of the code, see [`Code`](crate::code::Code).
    pub(crate) constants: *const u32,
    /// Cancellation flag: a byte that is not 0 after the run is cancelled.
    pub(crate) cancel: *const u8,
    pub(crate) grid: [u32; 3],
    pub(crate) padding: u32,
}

/// Byte offsets of the fields, for generated code.
pub(crate) mod offset {
    use super::{BoundBuffer, Context};
    use std::mem::offset_of;

    pub(crate) const ZEROS: i32 = offset_of!(Context, zeros) as i32;
    pub(crate) const SINK: i32 = offset_of!(Context, sink) as i32;
    pub(crate) const BUFFERS: i32 = offset_of!(Context, buffers) as i32;
    pub(crate) const SCRATCH: i32 = offset_of!(Context, scratch) as i32;
    pub(crate) const WORKGROUP: i32 = offset_of!(Context, workgroup) as i32;
    pub(crate) const CONSTANTS: i32 = offset_of!(Context, constants) as i32;
    pub(crate) const CANCEL: i32 = offset_of!(Context, cancel) as i32;
    pub(crate) const GRID: i32 = offset_of!(Context, grid) as i32;
    pub(crate) const BUFFER_ADDRESS: i32 = offset_of!(BoundBuffer, address) as i32;
    pub(crate) const BUFFER_LENGTH: i32 = offset_of!(BoundBuffer, length) as i32;
    pub(crate) const BUFFER_SIZE: i32 = size_of::<BoundBuffer>() as i32;
}
