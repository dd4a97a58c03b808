//! Bounds-checked reads of little-endian numbers.

/// The `N` bytes at offset `at`.
pub(crate) fn bytes_at<const N: usize>(input: &[u8], at: usize) -> Option<[u8; N]> {
    input.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// The 16-bit number at offset `at`.
pub(crate) fn u16_at(input: &[u8], at: usize) -> Option<u16> {
    bytes_at(input, at).map(u16::from_le_bytes)
}

/// The 24-bit number at offset `at`.
pub(crate) fn u24_at(input: &[u8], at: usize) -> Option<u32> {
    bytes_at(input, at).map(|[low, middle, high]| u32::from_le_bytes([low, middle, high, 0]))
}

/// The 32-bit number at offset `at`.
pub(crate) fn u32_at(input: &[u8], at: usize) -> Option<u32> {
    bytes_at(input, at).map(u32::from_le_bytes)
}

/// The 64-bit number at offset `at`.
pub(crate) fn u64_at(input: &[u8], at: usize) -> Option<u64> {
    bytes_at(input, at).map(u64::from_le_bytes)
}
