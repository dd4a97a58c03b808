//! Deflate and CRC-32 by libdeflate: whole streams, from a slice into a slice.
#![allow(unsafe_code, reason = "libdeflate's functions that say how much they consumed have no safe binding")]

use std::cell::RefCell;
use std::ptr::NonNull;

use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_crc32, libdeflate_decompressor, libdeflate_deflate_decompress_ex,
    libdeflate_free_decompressor, libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE,
    libdeflate_result_LIBDEFLATE_SUCCESS,
};

/// How a stream went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fast {
    /// All of it was decoded.
    Whole {
        /// Bytes of input that belong to it.
        consumed: usize,
        /// Bytes of output.
        produced: usize,
    },
    /// The output is too small. What is in it then does not matter.
    NoRoom,
    /// It is damaged or cut off, or could not be looked at. What is in the output then does not matter.
    Refused,
}

/// A decompressor of libdeflate.
struct Decompressor(NonNull<libdeflate_decompressor>);

impl Decompressor {
    /// A decompressor, if there is memory for it.
    fn new() -> Option<Decompressor> {
        // SAFETY: the function has no preconditions; it returns null or an object that is ours.
        NonNull::new(unsafe { libdeflate_alloc_decompressor() }).map(Decompressor)
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: the pointer came from the allocating function and is freed once, here.
        unsafe { libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

thread_local! {
    /// One for each thread: making one takes longer than a small stream.
    static DECOMPRESSOR: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
}

/// Decodes the Deflate stream at the start of `input`.
pub(super) fn inflate(input: &[u8], output: &mut [u8]) -> Fast {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = Decompressor::new();
        }
        let Some(decompressor) = slot else { return Fast::Refused };
        let (mut consumed, mut produced) = (0, 0);
        // SAFETY: the decompressor is alive and borrowed by nobody else; the function reads only `input.len()` bytes of the
        // input, writes only `output.len()` bytes of the output, and both slices and both counts outlive the call.
        let result = unsafe {
            libdeflate_deflate_decompress_ex(
                decompressor.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
                &mut consumed,
                &mut produced,
            )
        };
        match result {
            result if result == libdeflate_result_LIBDEFLATE_SUCCESS => Fast::Whole { consumed, produced },
            result if result == libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Fast::NoRoom,
            _ => Fast::Refused,
        }
    })
}

/// The CRC-32 of bytes, as in gzip and zip.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    // SAFETY: the function reads `bytes.len()` bytes from the start of the slice. A slice's pointer is never null, which would
    // have another meaning.
    unsafe { libdeflate_crc32(0, bytes.as_ptr().cast(), bytes.len()) }
}
