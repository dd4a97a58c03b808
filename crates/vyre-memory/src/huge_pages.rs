//! Zeroed arrays in huge pages.
//!
//! The first touch of a page costs a page fault. For a large array in 4 KiB pages these faults take longer than filling the
//! array does. Transparent huge pages divide their number by 512.

use std::alloc::{Layout, alloc_zeroed};

/// Size of a huge page on most machines. A multiple of it is a page boundary on all machines.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Allocates a zeroed array, in huge pages where the system has them.
#[must_use]
pub fn zeros<T: Zero>(length: usize) -> Vec<T> {
    let mut items = vec![T::ZERO; length];
    advise_huge_pages(items.as_mut_ptr().cast(), size_of_val(items.as_slice()));
    items
}

/// Allocates zeroed bytes like [`zeros`]. Returns none if the system refuses the memory, where [`zeros`] aborts the process.
#[must_use]
pub fn try_zeroed_bytes(length: usize) -> Option<Vec<u8>> {
    if length == 0 {
        return Some(Vec::new());
    }
    let layout = Layout::array::<u8>(length).ok()?;
    // SAFETY: the layout has a size other than 0.
    #[expect(unsafe_code, reason = "no safe function allocates zeroed memory and can fail")]
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        return None;
    }
    // SAFETY: the global allocator returned `start` for `length` bytes of alignment 1, all of which are initialised.
    #[expect(unsafe_code, reason = "no safe function allocates zeroed memory and can fail")]
    let mut bytes = unsafe { Vec::from_raw_parts(start, length, length) };
    advise_huge_pages(bytes.as_mut_ptr(), length);
    Some(bytes)
}

/// Integers whose zero is all zero bits, so that the system can supply zeroed pages and nothing is written.
pub trait Zero: Copy {
    /// The value zero.
    const ZERO: Self;
}

impl Zero for u8 {
    const ZERO: u8 = 0;
}

impl Zero for u32 {
    const ZERO: u32 = 0;
}

impl Zero for u64 {
    const ZERO: u64 = 0;
}

/// Advises the kernel to back an allocation with huge pages. Call it before the first write.
///
/// The call is only a hint: it changes neither the contents nor the access rights of the range, and a kernel that refuses it
/// is not an error. Allocations without a whole huge page are left alone.
#[cfg(target_os = "linux")]
pub fn advise_huge_pages(start: *mut u8, bytes: usize) {
    let skipped = start.align_offset(HUGE_PAGE_BYTES);
    if skipped < bytes && bytes - skipped >= HUGE_PAGE_BYTES {
        // SAFETY: MADV_HUGEPAGE changes neither contents nor access rights, so the call is harmless for any range.
        #[expect(unsafe_code, reason = "advice about memory is a system call")]
        unsafe {
            libc::madvise(start.wrapping_byte_add(skipped).cast(), bytes - skipped, libc::MADV_HUGEPAGE);
        }
    }
}

/// Does nothing: only Linux takes such advice.
#[cfg(not(target_os = "linux"))]
pub fn advise_huge_pages(_start: *mut u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_all_lengths_are_zero() {
        for length in [0, 1, 1_000, (1 << 20) - 1, 1 << 20, (3 << 20) + 7] {
            let items: Vec<u32> = zeros(length);
            assert!(items.len() == length && items.iter().all(|&item| item == 0));
        }
        assert!(zeros::<u64>(2 << 20).iter().all(|&item| item == 0));
    }

    #[test]
    fn refused_memory_is_no_array() {
        for length in [0, 1, 1_000, (4 << 20) + 7] {
            let mut bytes = try_zeroed_bytes(length).expect("there is memory");
            assert!(bytes.len() == length && bytes.iter().all(|&byte| byte == 0));
            bytes.push(1);
            bytes.shrink_to_fit();
        }
        // No machine has 2^60 bytes, and no allocation exceeds 2^63 - 1.
        assert_eq!(try_zeroed_bytes(1 << 60), None);
        assert_eq!(try_zeroed_bytes(usize::MAX), None);
    }
}
