//! Little-endian numbers in bytes.

/// The `N` bytes at `at`.
pub(super) fn bytes_at<const N: usize>(input: &[u8], at: usize) -> Option<[u8; N]> {
    input.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// The 16 bits at `at`.
pub(super) fn u16_at(input: &[u8], at: usize) -> Option<u16> {
    bytes_at(input, at).map(u16::from_le_bytes)
}

/// The 24 bits at `at`.
pub(super) fn u24_at(input: &[u8], at: usize) -> Option<u32> {
    bytes_at(input, at).map(|[low, middle, high]| u32::from_le_bytes([low, middle, high, 0]))
}

/// The 32 bits at `at`.
pub(super) fn u32_at(input: &[u8], at: usize) -> Option<u32> {
    bytes_at(input, at).map(u32::from_le_bytes)
}

/// The 64 bits at `at`.
pub(super) fn u64_at(input: &[u8], at: usize) -> Option<u64> {
    bytes_at(input, at).map(u64::from_le_bytes)
}
