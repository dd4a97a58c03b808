//! Test whether the system has memory left.

use memmap2::MmapMut;

/// True if the system grants this many bytes of memory now. They are returned at once, and no allocator takes part.
///
/// Objects that cannot report refused memory, such as reference-counted ones, are safe to make while there is enough.
#[must_use]
pub fn has_headroom(bytes: usize) -> bool {
    bytes == 0 || MmapMut::map_anon(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::has_headroom;

    #[test]
    fn the_system_has_some_memory_and_not_all() {
        assert!(has_headroom(0) && has_headroom(1 << 20));
        assert!(!has_headroom(isize::MAX as usize));
    }
}
