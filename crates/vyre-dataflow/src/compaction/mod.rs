//! Compaction of depth matrices on a device: only the entries that are findings are transferred to the host.

mod programs;

use std::ops::Range;

use vyre_ir::OpTable;
use vyre_runtime::{Bindings, Buffer, CommandList, Error};

use crate::error::DataflowError;
use crate::executor::Executor;

/// Format of the entries of a compacted matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryFormat {
    /// One word: the column in the low bits, the depth in the others.
    Packed,
    /// Two words: the column, then the depth.
    Pair,
}

impl EntryFormat {
    /// Number of words of an entry.
    pub(crate) fn words(self) -> usize {
        match self {
            EntryFormat::Packed => 1,
            EntryFormat::Pair => 2,
        }
    }
}

/// A depth matrix on a device whose entries are counted.
pub(crate) struct Compaction<'e> {
    executor: &'e Executor,
    depths: &'e Buffer,
    width: u32,
    /// Position of the first entry of each row, and the number of entries.
    pub(crate) positions: Vec<u32>,
    positions_on_device: Buffer,
    pub(crate) format: EntryFormat,
    /// Number of bits of a column in a packed entry.
    pub(crate) column_bits: u32,
}

impl<'e> Compaction<'e> {
    /// Counts the entries of the first `rows` rows of a matrix with `width` columns, one word each.
    ///
    /// # Errors
    ///
    /// More than 2^32 entries, exhausted memory, or a failure of the device.
    pub(crate) fn new(
        executor: &'e Executor,
        depths: &'e Buffer,
        rows: usize,
        width: usize,
    ) -> Result<Compaction<'e>, DataflowError> {
        let table = OpTable::default();
        let (rows, width) = (rows as u32, width as u32);
        let counts = executor.zeros(u64::from(rows) + 1)?;
        let params = executor.words(&[width, 0, rows, 0])?;
        let count = executor.pipeline("compaction.count".to_owned(), &table, programs::count_entries)?;
        let mut commands = CommandList::new();
        let grid = [executor.workgroups(rows), 1, 1];
        commands.dispatch(&count, &Bindings::in_order([&params, depths, &counts]), grid);
        executor.run(&commands)?;
        let mut positions = executor.read(&counts)?;
        let deepest = std::mem::take(&mut positions[rows as usize]);
        if positions.iter().any(|&count| count > width) {
            let what = "a row of a depth matrix has more entries than columns";
            return Err(DataflowError::Device(Error::InconsistentResult { what }));
        }
        // A matrix has less than 2^32 words, so the sum does not overflow.
        let mut next = 0;
        for position in &mut positions {
            next += std::mem::replace(position, next);
        }
        let column_bits = u32::BITS - width.saturating_sub(1).leading_zeros();
        let is_packed = column_bits < u32::BITS && deepest <= u32::MAX >> column_bits;
        let format = if is_packed { EntryFormat::Packed } else { EntryFormat::Pair };
        let positions_on_device = executor.words(&positions)?;
        Ok(Compaction { executor, depths, width, positions, positions_on_device, format, column_bits })
    }

    /// Number of entries of these rows.
    pub(crate) fn count(&self, rows: &Range<usize>) -> usize {
        (self.positions[rows.end] - self.positions[rows.start]) as usize
    }

    /// Reads the entries of these rows into memory that a caller uses again: the first transfer to new memory is slower. Its words
    /// after the entries are unspecified.
    ///
    /// # Errors
    ///
    /// Exhausted memory, or a failure of the device.
    pub(crate) fn read_into(&self, rows: &Range<usize>, memory: &mut Vec<u32>) -> Result<(), DataflowError> {
        let Compaction { executor, depths, width, format, column_bits, .. } = *self;
        let words = self.count(rows) * format.words();
        if words == 0 {
            return Ok(());
        }
        if memory.len() < words {
            memory.resize(words, 0);
        }
        let entries = executor.zeros(words as u64)?;
        let params = executor.words(&[width, rows.start as u32, rows.len() as u32, column_bits])?;
        let key = format!("compaction.compact.{format:?}");
        let compact = executor.pipeline(key, &OpTable::default(), || programs::compact(format))?;
        let mut commands = CommandList::new();
        let bindings = Bindings::in_order([&params, depths, &self.positions_on_device, &entries]);
        commands.dispatch(&compact, &bindings, [executor.workgroups(rows.len() as u32), 1, 1]);
        executor.run(&commands)?;
        Ok(executor.device().read_range_into(&entries, 0, &mut memory[..words])?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vyre_runtime::ReferenceDevice;

    use super::*;

    #[test]
    fn entries_keep_column_and_depth() {
        let mut executor = Executor::new(Arc::new(ReferenceDevice::new()));
        executor.runner.run_options.check_races = true;
        for (width, deepest, format) in [
            (1, 7, EntryFormat::Packed),
            // One column takes no bits.
            (1, u32::MAX, EntryFormat::Packed),
            (300, (1 << 23) - 1, EntryFormat::Packed),
            (300, 1 << 23, EntryFormat::Pair),
        ] {
            let rows = 5;
            let mut depths: Vec<u32> =
                (0..rows * width).map(|at| if at % 3 == 0 { at as u32 % 90 } else { 0 }).collect();
            depths[rows * width - 1] = deepest;
            // Row 1 has no entries.
            depths[width..2 * width].fill(0);
            let buffer = executor.words(&depths).expect("the reference has memory");
            let compaction = Compaction::new(&executor, &buffer, rows, width).expect("the programs run");
            assert_eq!(compaction.format, format, "{width} columns, depth {deepest}");
            for range in [0..rows, 0..1, 1..2, 2..rows] {
                let mut words = Vec::new();
                compaction.read_into(&range, &mut words).expect("the programs run");
                let found: Vec<(u32, u32)> = match format {
                    EntryFormat::Packed => {
                        let bits = compaction.column_bits;
                        words.iter().map(|word| (word & ((1 << bits) - 1), word >> bits)).collect()
                    }
                    EntryFormat::Pair => {
                        words.as_chunks::<2>().0.iter().map(|&[column, depth]| (column, depth)).collect()
                    }
                };
                let expected: Vec<(u32, u32)> = depths[range.start * width..range.end * width]
                    .iter()
                    .enumerate()
                    .filter(|(_, depth)| **depth != 0)
                    .map(|(at, &depth)| ((at % width) as u32, depth))
                    .collect();
                assert_eq!(found, expected, "rows {range:?} of {width} columns");
            }
        }
    }
}
