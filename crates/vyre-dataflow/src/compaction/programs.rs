//! Programs that compact depth matrices.

use vyre_ir::build::{ProgramBuilder, local_id, reduce, scan_exclusive};
use vyre_ir::{AtomicOp, DataType, Expr, Program, ReduceOp};

use super::EntryFormat;
use crate::strides::each_workgroup;

/// Number of invocations of a workgroup, which owns a row.
const WORKGROUP: u32 = 256;

/// Words of the buffer `params`.
///
/// | Word | Name | Meaning |
/// |---|---|---|
/// | 0 | `WIDTH` | number of columns |
/// | 1 | `FIRST_ROW` | first row |
/// | 2 | `ROWS` | number of rows |
/// | 3 | `COLUMN_BITS` | number of bits of a column in a packed entry |
pub(crate) mod params {
    pub(crate) const WIDTH: u32 = 0;
    pub(crate) const FIRST_ROW: u32 = 1;
    pub(crate) const ROWS: u32 = 2;
    pub(crate) const COLUMN_BITS: u32 = 3;
}

/// Counts the entries of each row that are not 0. The word after the last row receives the maximum depth.
pub(crate) fn count_entries() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [params, depths] = ["params", "depths"].map(|name| p.read(name, DataType::U32));
    let counts = p.read_write("counts", DataType::U32);
    p.entry(|b| {
        let width = b.let_("width", params.load(params::WIDTH));
        let rows = b.let_("rows", params.load(params::ROWS));
        let deepest = b.let_("deepest", 0u32);
        each_workgroup(b, &rows, |b, row| {
            let count = b.let_("count", 0u32);
            b.for_("step", 0u32, (&width + (WORKGROUP - 1)) / WORKGROUP, |b, step| {
                let column = b.let_("column", step * WORKGROUP + local_id(0));
                b.if_(column.lt(&width), |b| {
                    let depth = b.let_("depth", depths.load(row * &width + &column));
                    b.assign(&count, &count + depth.ne(0u32));
                    b.assign(&deepest, deepest.max(&depth));
                });
            });
            let total = b.let_("total", reduce(ReduceOp::Add, &count));
            b.if_(local_id(0).eq(0u32), |b| b.store(&counts, row, &total));
        });
        let depth = b.let_("depth", reduce(ReduceOp::Max, &deepest));
        b.if_(local_id(0).eq(0u32), |b| {
            b.discard(Expr::atomic(AtomicOp::Max, counts.name(), &rows, &depth));
        });
    })
}

/// Writes the entries of some rows that are not 0, in order. `positions` has the position of the first entry of each row.
pub(crate) fn compact(format: EntryFormat) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [params, depths, positions] = ["params", "depths", "positions"].map(|name| p.read(name, DataType::U32));
    let entries = p.read_write("entries", DataType::U32);
    p.entry(|b| {
        let width = b.let_("width", params.load(params::WIDTH));
        let first = b.let_("first", params.load(params::FIRST_ROW));
        let rows = b.let_("rows", params.load(params::ROWS));
        each_workgroup(b, &rows, |b, at| {
            let row = b.let_("row", &first + at);
            let position = b.let_("next", positions.load(&row) - positions.load(&first));
            b.for_("step", 0u32, (&width + (WORKGROUP - 1)) / WORKGROUP, |b, step| {
                let column = b.let_("column", step * WORKGROUP + local_id(0));
                let is_inside = column.lt(&width);
                let depth = b.let_("depth", is_inside.select(depths.load(&row * &width + &column), 0u32));
                let is_found = b.let_("is_found", depth.ne(0u32));
                let index = b.let_("index", &position + scan_exclusive(ReduceOp::Add, &is_found));
                b.if_(&is_found, |b| match format {
                    EntryFormat::Packed => {
                        b.store(&entries, &index, &column | (&depth << params.load(params::COLUMN_BITS)));
                    }
                    EntryFormat::Pair => {
                        b.store(&entries, &index * 2u32, &column);
                        b.store(&entries, &index * 2u32 + 1u32, &depth);
                    }
                });
                let found = b.let_("found", reduce(ReduceOp::Add, &is_found));
                b.assign(&position, &position + &found);
            });
        });
    })
}
