//! What machine code sees of a dispatch: one record for each thread.

/// A buffer that is bound.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundBuffer {
    pub(crate) address: *mut u8,
    /// In elements.
    pub(crate) length: u32,
    pub(crate) padding: u32,
}

/// The record that machine code gets.
#[repr(C, align(16))]
#[derive(Debug)]
pub(crate) struct Context {
    /// Where accesses out of range go: loads find zeros here.
    pub(crate) zeros: [u32; 4],
    /// And what is stored out of range ends up here.
    pub(crate) sink: [u32; 4],
    pub(crate) buffers: *const BoundBuffer,
    /// Arrays with a place for each lane.
    pub(crate) arrays: *mut u8,
    /// The memory of the workgroup that runs.
    pub(crate) workgroup: *mut u8,
    /// Words that the code refers to, see [`Code`](crate::code::Code).
    pub(crate) constants: *const u32,
    /// A byte that is not 0 when the run is to end.
    pub(crate) cancel: *const u8,
    pub(crate) grid: [u32; 3],
    pub(crate) padding: u32,
}

/// Offsets of fields, as machine code uses them.
pub(crate) mod offset {
    use super::{BoundBuffer, Context};
    use std::mem::offset_of;

    pub(crate) const ZEROS: i32 = offset_of!(Context, zeros) as i32;
    pub(crate) const SINK: i32 = offset_of!(Context, sink) as i32;
    pub(crate) const BUFFERS: i32 = offset_of!(Context, buffers) as i32;
    pub(crate) const ARRAYS: i32 = offset_of!(Context, arrays) as i32;
    pub(crate) const WORKGROUP: i32 = offset_of!(Context, workgroup) as i32;
    pub(crate) const CONSTANTS: i32 = offset_of!(Context, constants) as i32;
    pub(crate) const CANCEL: i32 = offset_of!(Context, cancel) as i32;
    pub(crate) const GRID: i32 = offset_of!(Context, grid) as i32;
    pub(crate) const BUFFER_ADDRESS: i32 = offset_of!(BoundBuffer, address) as i32;
    pub(crate) const BUFFER_LENGTH: i32 = offset_of!(BoundBuffer, length) as i32;
    pub(crate) const BUFFER_SIZE: i32 = size_of::<BoundBuffer>() as i32;
}
