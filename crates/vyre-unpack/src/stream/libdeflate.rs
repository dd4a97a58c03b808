//! Bindings of libdeflate: CRC-32 and Adler-32.
#![expect(unsafe_code, reason = "the functions of a C library")]

use libdeflate_sys::{libdeflate_adler32, libdeflate_crc32};

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
