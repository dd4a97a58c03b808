//! Memory of tables whose size depends on the archive.
//!
//! The system may refuse memory. A table therefore grows by the functions here, which fail then, and the archive gets an error
//! with a sentence. Small objects such as shared blocks cannot fail: Rust ends the process if the system refuses them. So the
//! listing also checks from time to time that the system still has [`HEADROOM_BYTES`], which is more than the small objects of
//! the members until the next check.

use std::collections::HashSet;
use std::hash::Hash;

use vyre_memory::has_headroom;

use crate::problem::ProblemKind;

/// Free memory that a listing needs to continue.
const HEADROOM_BYTES: usize = 32 << 20;

/// The system refuses the memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableMemoryRefused {
    /// Size of the refused memory in bytes.
    pub(crate) bytes: u64,
}

impl TableMemoryRefused {
    /// The refusal of a table of `count` elements.
    pub(crate) fn of<T>(count: usize) -> TableMemoryRefused {
        TableMemoryRefused { bytes: (count as u64).saturating_mul(size_of::<T>() as u64) }
    }
}

impl From<TableMemoryRefused> for ProblemKind {
    fn from(refused: TableMemoryRefused) -> ProblemKind {
        ProblemKind::OutOfMemory { bytes: refused.bytes }
    }
}

/// Fails if the system does not have the memory for small objects.
pub(crate) fn check_headroom() -> Result<(), TableMemoryRefused> {
    if has_headroom(HEADROOM_BYTES) { Ok(()) } else { Err(TableMemoryRefused::of::<u8>(HEADROOM_BYTES)) }
}

/// Makes room for `more` elements of a table.
pub(crate) fn reserve<T>(table: &mut Vec<T>, more: usize) -> Result<(), TableMemoryRefused> {
    table.try_reserve(more).map_err(|_| TableMemoryRefused::of::<T>(table.len().saturating_add(more)))
}

/// An empty table with room for exactly `count` elements.
pub(crate) fn table_of<T>(count: usize) -> Result<Vec<T>, TableMemoryRefused> {
    let mut table = Vec::new();
    table.try_reserve_exact(count).map_err(|_| TableMemoryRefused::of::<T>(count))?;
    Ok(table)
}

/// Adds an element to a table.
pub(crate) fn push<T>(table: &mut Vec<T>, element: T) -> Result<(), TableMemoryRefused> {
    reserve(table, 1)?;
    table.push(element);
    Ok(())
}

/// Adds elements to a table.
pub(crate) fn extend<T>(
    table: &mut Vec<T>,
    elements: impl ExactSizeIterator<Item = T>,
) -> Result<(), TableMemoryRefused> {
    reserve(table, elements.len())?;
    table.extend(elements);
    Ok(())
}

/// Adds an element to a set. Returns false if the set has it already.
pub(crate) fn insert<T: Eq + Hash>(set: &mut HashSet<T>, element: T) -> Result<bool, TableMemoryRefused> {
    set.try_reserve(1).map_err(|_| TableMemoryRefused::of::<T>(set.len().saturating_add(1)))?;
    Ok(set.insert(element))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_no_system_has_memory_for_is_refused() {
        let refused = TableMemoryRefused { bytes: 1 << 60 };
        assert!(table_of::<u8>(1 << 60).is_err_and(|error| error == refused));
        let mut table = vec![1u32];
        assert!(reserve(&mut table, 1 << 58).is_err());
        assert_eq!(table, [1]);
        let kind = ProblemKind::from(TableMemoryRefused::of::<u32>(3));
        assert_eq!(kind, ProblemKind::OutOfMemory { bytes: 12 });
    }

    #[test]
    fn elements_are_added_once_to_sets() {
        let mut set = HashSet::new();
        assert_eq!(insert(&mut set, 7), Ok(true));
        assert_eq!(insert(&mut set, 7), Ok(false));
        let mut table = vec![0];
        assert_eq!(extend(&mut table, 1..3), Ok(()));
        assert_eq!(push(&mut table, 3), Ok(()));
        assert_eq!(table, [0, 1, 2, 3]);
    }
}
