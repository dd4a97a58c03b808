//! Completion of searches that ended at a region: minima over access lists and a distance table.
//!
//! A workgroup computes the depths of a tile of sinks for one source. Its invocations form a SIMD vector of a CPU.

use vyre_ir::build::{ProgramBuilder, Var, local_id, num_workgroups, select, workgroup_id};
use vyre_ir::{DataType, OpTable, Program};
use vyre_runtime::{Bindings, Buffer, CommandList, Pipeline};

use crate::error::DataflowError;
use crate::executor::Executor;
use crate::strategies::per_source::{Completion, EndedSearches, params};
use crate::strategies::vectors::Shape;

/// Vectors of the distance table. The components that an invocation owns fit in registers.
const SHAPE: Shape = Shape { invocations: 4, components_each: 8 };
/// Number of sinks of a tile.
pub(super) const TILE_SINKS: usize = (SHAPE.invocations * SHAPE.components_each) as usize;
/// Distance to a sink that is not reached. A depth can be added without overflow.
pub(super) const UNREACHED: u32 = 0x7fff_ffff;

/// A distance table on a device.
pub(super) struct TableCompletion {
    /// Number of tiles.
    tiles: u32,
    table: Buffer,
    /// Column of each sink of the region in the depth matrix.
    columns: Buffer,
    pipeline: Pipeline,
    bytes: u64,
}

impl TableCompletion {
    /// Uploads a table with this number of rows and these columns.
    pub(super) fn new(
        executor: &Executor,
        table: &[u32],
        rows: usize,
        columns: &[u32],
    ) -> Result<TableCompletion, DataflowError> {
        let pipeline = executor.pipeline("shared_region.complete".to_owned(), &OpTable::default(), program)?;
        let tiles = table.len().checked_div(rows * TILE_SINKS).unwrap_or(0);
        let bytes = 4 * (table.len() + columns.len()) as u64;
        let (table, columns) = (executor.words(table)?, executor.words(columns)?);
        Ok(TableCompletion { tiles: tiles as u32, table, columns, pipeline, bytes })
    }
}

impl Completion for TableCompletion {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn push_commands(&self, commands: &mut CommandList, searches: &EndedSearches<'_>) {
        if self.tiles == 0 {
            return;
        }
        let EndedSearches { count, params, access, depths } = *searches;
        let TableCompletion { table, columns, .. } = self;
        let bindings = Bindings::in_order([params, &access.counts, &access.lists, table, columns, depths]);
        commands.dispatch(&self.pipeline, &bindings, [count, self.tiles, 1]);
    }
}

/// The program: axis 0 of the workgroups is the source, axis 1 the tile.
pub(super) fn program() -> Program {
    let mut p = ProgramBuilder::new([SHAPE.invocations, 1, 1]);
    let params = p.uniform("params", DataType::U32);
    let [counts, lists, table, columns] =
        ["access_counts", "access_lists", "table", "columns"].map(|name| p.read(name, DataType::U32));
    let depths = p.read_write("depths", DataType::U32);
    p.entry(|b| {
        let [source, tile] = [("source", 0), ("tile", 1)].map(|(name, axis)| b.let_(name, workgroup_id(axis)));
        let first_record = b.let_("first_record", &source * params.load(params::MAX_RECORDS));
        let first_vector = b.let_("first_vector", table.len() / num_workgroups(1) * &tile);
        let nearest: Vec<Var> = (0..SHAPE.components_each).map(|_| b.let_("nearest", UNREACHED)).collect();
        b.for_("record", 0u32, counts.load(&source), |b, record| {
            let word = b.let_("word", (&first_record + record) * 2u32);
            let row = b.let_("row", lists.load(&word));
            let depth = b.let_("depth", lists.load(&word + 1u32));
            let vector = SHAPE.vector(b, &first_vector, &row);
            SHAPE.with_indices(b, &table, &vector, 0..SHAPE.components_each, |b, indices| {
                for (nearest, index) in nearest.iter().zip(indices) {
                    b.assign(nearest, nearest.min(table.load(index) + &depth));
                }
            });
        });
        let max_depth = b.let_("max_depth", params.load(params::MAX_DEPTH).min(UNREACHED - 1));
        let row = b.let_("first_depth", (&source + params.load(params::FIRST)) * params.load(params::SINKS));
        let first = b.let_("first_column", &tile * SHAPE.components() + local_id(0));
        for (component, nearest) in (0..).zip(&nearest) {
            let at = b.let_("at", &first + component * SHAPE.invocations);
            b.if_(at.lt(columns.len()), |b| {
                b.store(&depths, &row + columns.load(&at), select(nearest.le(&max_depth), nearest, 0u32));
            });
        }
    })
}
