//! Sparse matrix-vector product of a boolean CSR matrix: sums over the edges of a graph.

use std::sync::Arc;

use super::problem::{Contents, Problem};
use super::scale::Scale;
use super::workload::{Kernel, Program, Workload};
use crate::data::input_word;

/// Rows of the graph, which has about twelve edges per row.
const ROWS: usize = 1 << 21;

/// Bounds of the number of edges of a row.
const MIN_DEGREE: f64 = 6.0;
const MAX_DEGREE: f64 = 1024.0;

pub(super) fn workload() -> Workload {
    Workload {
        name: "gather".to_owned(),
        summary: "y[row] = the sum of x[column] over the edges of the row, 2 Mi rows, about 24 Mi edges, skewed degrees",
        problem: Box::new(problem),
        programs: vec![Program::new("one row each", include_str!("programs/gather_rows.vyre"), 256)],
        kernels: vec![Kernel::peer("one row each", "gather", "gather_rows", 256)],
    }
}

/// Degrees follow a power law, and columns near the first are more frequent.
fn problem(scale: Scale) -> Problem {
    let rows = scale.of(ROWS);
    let mut offsets = vec![0_u32];
    let mut end = 0_u32;
    for row in 0..rows {
        let degree = MIN_DEGREE / fraction(row).sqrt();
        end += degree.min(MAX_DEGREE) as u32;
        offsets.push(end);
    }
    let edges = end as usize;
    let column = |edge: usize| (fraction(rows + edge).powi(2) * (rows - 1) as f64) as u32;
    let columns: Vec<u32> = (0..edges).map(column).collect();
    let (offsets, columns) = (Arc::new(offsets), Arc::new(columns));
    let inputs = vec![Contents::Words(offsets.clone()), Contents::Words(columns.clone()), Contents::Random(rows)];
    let sum_of_row = move |row: usize| {
        let edges = offsets[row] as usize..offsets[row + 1] as usize;
        columns[edges].iter().fold(0_u32, |sum, &column| sum.wrapping_add(input_word(column as usize)))
    };
    Problem {
        inputs,
        output_words: rows,
        items: rows,
        // Offset and sum of a row; column and word of an edge.
        bytes: Some(rows as u64 * 8 + 4 + edges as u64 * 8),
        expected: Box::new(move |range| range.map(&sum_of_row).collect()),
    }
}

/// Pseudo-random number of a position, above 0 and at most 1.
fn fraction(position: usize) -> f64 {
    (f64::from(input_word(position)) + 1.0) / 4_294_967_296.0
}
