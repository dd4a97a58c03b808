//! Host memory that is registered with the driver of a context.

use std::collections::BTreeMap;
use std::sync::Mutex;

use vyre_memory::Pages;

use crate::sync::lock;

/// Registered host memory of a context.
#[derive(Default)]
pub(crate) struct HostRanges {
    /// Memory of callers: end addresses by start addresses. The device accesses it directly.
    of_callers: Mutex<BTreeMap<usize, usize>>,
    /// Memory that is freed after the context is destroyed, because copies may access it until then.
    owned: Mutex<Vec<Pages>>,
}

impl HostRanges {
    /// Adds memory of a caller.
    pub(crate) fn insert(&self, bytes: &[u8]) {
        let range = bytes.as_ptr_range();
        lock(&self.of_callers).insert(range.start.addr(), range.end.addr());
    }

    /// Removes memory of a caller.
    pub(crate) fn remove(&self, bytes: &[u8]) {
        lock(&self.of_callers).remove(&bytes.as_ptr().addr());
    }

    /// Reports whether a range lies in memory of a caller that is registered.
    pub(crate) fn contains(&self, bytes: &[u8]) -> bool {
        let range = bytes.as_ptr_range();
        let ranges = lock(&self.of_callers);
        let before = ranges.range(..=range.start.addr()).next_back();
        before.is_some_and(|(_, &end)| range.end.addr() <= end)
    }

    /// Takes over registered memory until the context is destroyed.
    pub(crate) fn own(&self, pages: Pages) {
        lock(&self.owned).push(pages);
    }

    /// Returns the memory that was taken over.
    pub(crate) fn take_owned(&self) -> Vec<Pages> {
        std::mem::take(&mut lock(&self.owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_registered_ranges_are_found() {
        let (ranges, memory) = (HostRanges::default(), [0_u8; 100]);
        assert!(!ranges.contains(&memory[..1]));
        ranges.insert(&memory[10..20]);
        ranges.insert(&memory[20..40]);
        assert!(
            ranges.contains(&memory[10..20]) && ranges.contains(&memory[13..19]) && ranges.contains(&memory[20..40])
        );
        assert!(
            !ranges.contains(&memory[9..11]) && !ranges.contains(&memory[39..41]) && !ranges.contains(&memory[50..60])
        );
        assert!(!ranges.contains(&memory[15..25]), "a copy must lie in one registration");
        ranges.remove(&memory[10..20]);
        assert!(!ranges.contains(&memory[10..11]) && ranges.contains(&memory[20..21]));
    }
}
