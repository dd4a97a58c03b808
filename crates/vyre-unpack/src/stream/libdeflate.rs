//! Bindings of libdeflate: whole Deflate streams from slice to slice, CRC-32 and Adler-32.
#![expect(unsafe_code, reason = "libdeflate's functions that report the consumed size have no safe binding")]

use std::cell::RefCell;
use std::ptr::NonNull;

use libdeflate_sys::{
    libdeflate_adler32, libdeflate_alloc_decompressor, libdeflate_crc32, libdeflate_decompressor,
    libdeflate_deflate_decompress_ex, libdeflate_free_decompressor, libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE,
    libdeflate_result_LIBDEFLATE_SUCCESS,
};

use super::deflate_check::{FirstBlock, MAX_SMALL_BYTES, first_block, is_valid};

/// Result of decoding a whole stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WholeInflate {
    /// The stream was decoded to its end.
    Done {
        /// Bytes of input that belong to the stream.
        consumed: usize,
        /// Bytes of output.
        produced: usize,
    },
    /// The output is too small. Its content is unspecified.
    OutputFull,
    /// The stream is damaged, refused by zlib, or truncated, or there is no memory for the decoder. The output is unspecified.
    Failed,
}

/// A decompressor of libdeflate.
struct Decompressor(NonNull<libdeflate_decompressor>);

impl Decompressor {
    /// Allocates a decompressor; none if there is no memory.
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
    /// One per thread: allocating one takes longer than decoding a small stream.
    static DECOMPRESSOR: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
}

/// Decodes the Deflate stream at the start of `input`. What zlib refuses fails, except for blocks after the first one of a stream of more than
/// [`MAX_SMALL_BYTES`].
pub(crate) fn inflate_whole(input: &[u8], output: &mut [u8]) -> WholeInflate {
    let first = first_block(input);
    if first == FirstBlock::Refused {
        return WholeInflate::Failed;
    }
    let result = inflate_leniently(input, output);
    let WholeInflate::Done { consumed, produced } = result else { return result };
    let is_doubtful = match first {
        FirstBlock::Alike => false,
        FirstBlock::AlikeSoFar => consumed <= MAX_SMALL_BYTES,
        FirstBlock::MayDiffer | FirstBlock::Refused => true,
    };
    if is_doubtful && !is_valid(&input[..consumed], produced) { WholeInflate::Failed } else { result }
}

/// Decodes the Deflate stream at the start of `input` by the rules of libdeflate.
pub(super) fn inflate_leniently(input: &[u8], output: &mut [u8]) -> WholeInflate {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = Decompressor::new();
        }
        let Some(decompressor) = slot else { return WholeInflate::Failed };
        let (mut consumed, mut produced) = (0, 0);
        // SAFETY: the decompressor is alive and not borrowed elsewhere; the function reads only `input.len()` bytes of the
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
            result if result == libdeflate_result_LIBDEFLATE_SUCCESS => WholeInflate::Done { consumed, produced },
            result if result == libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => WholeInflate::OutputFull,
            _ => WholeInflate::Failed,
        }
    })
}

/// CRC-32 of bytes, as in gzip and zip.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    // SAFETY: the function reads `bytes.len()` bytes from the start of the slice. A slice's pointer is never null, which would
    // have another meaning.
    unsafe { libdeflate_crc32(0, bytes.as_ptr().cast(), bytes.len()) }
}

/// Adler-32 of bytes, as in zlib.
pub(crate) fn adler32(bytes: &[u8]) -> u32 {
    // SAFETY: the function reads `bytes.len()` bytes from the start of the slice. A slice's pointer is never null, which would
    // have another meaning.
    unsafe { libdeflate_adler32(1, bytes.as_ptr().cast(), bytes.len()) }
}
