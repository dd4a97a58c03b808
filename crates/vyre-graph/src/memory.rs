//! Memory for long arrays.

/// Zeros, in huge pages where the system has them: to get a long array page by page takes longer than to fill it.
#[must_use]
pub fn zeros<T: Zero>(length: usize) -> Vec<T> {
    let mut items = vec![T::ZERO; length];
    prefer_huge_pages(&mut items);
    items
}

/// Numbers whose zero is a zero in memory, so that nobody needs to write it.
pub trait Zero: Copy {
    /// That zero.
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

/// Shorter arrays have too few pages.
#[cfg(target_os = "linux")]
const LONG: usize = 2 << 20;

/// Asks for huge pages for an array that nobody has written to yet. That is advice: nothing depends on whether it is taken.
#[cfg(target_os = "linux")]
fn prefer_huge_pages<T>(items: &mut [T]) {
    // Huge pages are that long on most machines, and their beginnings are beginnings of pages on all.
    const PAGE: usize = 2 << 20;
    let length = size_of_val(items);
    let start = items.as_mut_ptr().cast::<libc::c_void>();
    let skipped = start.align_offset(PAGE);
    if length < LONG || skipped > length {
        return;
    }
    // SAFETY: The range lies within the array, and the advice changes neither its contents nor who may access it.
    #[expect(unsafe_code, reason = "advice about memory is a system call")]
    unsafe {
        // What it returns says whether the advice is taken, which does not matter.
        libc::madvise(start.byte_add(skipped), length - skipped, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages<T>(_items: &mut [T]) {}

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
}
