//! Distance table: distances from some nodes of a graph to all its sinks, by label correction on the host.
//!
//! Each node has a vector of its distances to a group of sinks. A visit of a node computes the minimum over its successors; if
//! its vector changes, its predecessors must be visited again. Visits go from the highest id to the lowest, again and again, until
//! no node is pending: most edges of programs lead to higher ids, so few sweeps suffice. Distances are as narrow as they
//! can be, because a SIMD vector then has more of them.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use vyre_graph::{CsrGraph, CsrView};

use super::completion::{TILE_SINKS, UNREACHED};
use crate::error::DataflowError;
use crate::strategies::contraction::ContractedGraph;

/// Number of sinks of a sweep: with narrow distances, a vector is a cache line.
pub(crate) const SWEPT_SINKS: usize = 64;

/// End of the computation of a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TableOutcome {
    /// The table: for each tile of [`TILE_SINKS`] sinks, a row for each requested node. It has columns for a multiple of
    /// [`SWEPT_SINKS`] sinks.
    Complete(Vec<u32>),
    /// Distances decreased too often.
    TooManyVisits,
    /// The distances to a group of sinks, which need so many bytes, exceed the memory.
    DoesNotFit(u64),
}

/// Limits of the sweeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepLimits {
    /// Maximum number of visits for a group of sinks.
    pub(super) visits: u64,
    /// Maximum bytes of the distances of all threads, beside the table.
    pub(super) memory: u64,
}

/// Obstacle to a table.
enum Failure {
    /// A distance does not fit the type.
    TooLong,
    TooManyVisits,
    DoesNotFit(u64),
    Error(DataflowError),
}

/// Table of the distances from the nodes `rows` to all sinks. `check` can end the computation.
pub(super) fn distance_table(
    graph: &ContractedGraph,
    rows: &[u32],
    limits: SweepLimits,
    check: impl Fn() -> Result<(), DataflowError> + Sync,
) -> Result<TableOutcome, DataflowError> {
    let node_data = vec![0; graph.node_count()];
    let forward = CsrView { offsets: &graph.offsets, targets: &graph.targets, node_data: &node_data };
    let backward = forward.transposed();
    let max_weight = graph.weights.iter().copied().max().unwrap_or(0);
    let sweeps = Sweeps { graph, backward: &backward, max_weight, limits, check: &check };
    for attempt in [Sweeps::table::<u8>, Sweeps::table::<u16>, Sweeps::table::<u32>] {
        match attempt(&sweeps, rows) {
            Ok(table) => return Ok(TableOutcome::Complete(table)),
            Err(Failure::TooLong) => {}
            Err(Failure::TooManyVisits) => return Ok(TableOutcome::TooManyVisits),
            Err(Failure::DoesNotFit(bytes)) => return Ok(TableOutcome::DoesNotFit(bytes)),
            Err(Failure::Error(error)) => return Err(error),
        }
    }
    // The graph has fewer than 2^32 - 1 nodes, so every distance fits 32 bits.
    Ok(TableOutcome::TooManyVisits)
}

/// A type of distances. The maximum means unreached.
trait Distance: Copy + Ord + Send {
    const UNREACHED: Self;

    /// The value, or unreached if it does not fit.
    fn of_word(word: u32) -> Self;

    fn to_word(self) -> u32;

    /// The sum, or unreached if it does not fit.
    fn plus(self, weight: Self) -> Self;
}

macro_rules! distance {
    ($($ty:ty),*) => {$(
        impl Distance for $ty {
            const UNREACHED: $ty = <$ty>::MAX;

            fn of_word(word: u32) -> $ty {
                <$ty>::try_from(word).unwrap_or(<$ty>::MAX)
            }

            fn to_word(self) -> u32 {
                self.into()
            }

            fn plus(self, weight: $ty) -> $ty {
                self.saturating_add(weight)
            }
        }
    )*};
}

distance!(u8, u16, u32);

type Vector<D> = [D; SWEPT_SINKS];

/// Graph and limits of the sweeps.
struct Sweeps<'s> {
    graph: &'s ContractedGraph,
    backward: &'s CsrGraph,
    max_weight: u32,
    limits: SweepLimits,
    check: &'s (dyn Fn() -> Result<(), DataflowError> + Sync),
}

impl Sweeps<'_> {
    fn table<D: Distance>(&self, rows: &[u32]) -> Result<Vec<u32>, Failure> {
        let sinks = &self.graph.sinks;
        let group_words = rows.len() * SWEPT_SINKS;
        let mut table = vyre_memory::zeros::<u32>(group_words * sinks.len().div_ceil(SWEPT_SINKS));
        if table.is_empty() {
            return Ok(table);
        }
        let threads = self.threads::<D>()?;
        let groups = Mutex::new(table.chunks_mut(group_words).zip(sinks.chunks(SWEPT_SINKS)));
        let next = || groups.lock().unwrap_or_else(PoisonError::into_inner).next();
        (0..threads).into_par_iter().with_max_len(1).try_for_each(|_| {
            let mut vectors: Vec<Vector<D>> = Vec::new();
            while let Some((words, sinks)) = next() {
                self.fill(&mut vectors, words, sinks, rows).inspect_err(|_| while next().is_some() {})?;
            }
            Ok(())
        })?;
        Ok(table)
    }

    /// Number of threads whose distances fit the memory.
    fn threads<D: Distance>(&self) -> Result<usize, Failure> {
        let bytes = (self.graph.node_count() * size_of::<Vector<D>>()) as u64;
        match self.limits.memory.checked_div(bytes) {
            Some(0) => Err(Failure::DoesNotFit(bytes)),
            fitting => Ok(fitting.map_or(1, |threads| threads.min(rayon::current_num_threads() as u64) as usize)),
        }
    }

    /// Computes the words of a group of sinks.
    fn fill<D: Distance>(
        &self,
        vectors: &mut Vec<Vector<D>>,
        words: &mut [u32],
        sinks: &[u32],
        rows: &[u32],
    ) -> Result<(), Failure> {
        (self.check)().map_err(Failure::Error)?;
        vectors.clear();
        vectors.resize(self.graph.node_count(), [D::UNREACHED; SWEPT_SINKS]);
        self.settle(vectors, sinks)?;
        if self.may_overflow(vectors) {
            return Err(Failure::TooLong);
        }
        for (tile, words) in words.chunks_mut(rows.len() * TILE_SINKS).enumerate() {
            for (words, &row) in words.chunks_mut(TILE_SINKS).zip(rows) {
                let distances = &vectors[row as usize][tile * TILE_SINKS..];
                for (word, &distance) in words.iter_mut().zip(distances) {
                    *word = if distance == D::UNREACHED { UNREACHED } else { distance.to_word() };
                }
            }
        }
        Ok(())
    }

    /// Computes the distances from all nodes to a group of sinks.
    fn settle<D: Distance>(&self, vectors: &mut [Vector<D>], sinks: &[u32]) -> Result<(), Failure> {
        let Sweeps { graph, backward, .. } = *self;
        let backward = backward.view();
        // A bit for each node that must be visited.
        let mut pending = vec![0u64; vectors.len().div_ceil(64)];
        let add = |pending: &mut [u64], node: u32| {
            for &before in backward.neighbours(node) {
                pending[before as usize / 64] |= 1 << (before % 64);
            }
        };
        for (column, &sink) in sinks.iter().enumerate() {
            vectors[sink as usize][column] = D::of_word(0);
            add(&mut pending, sink);
        }
        let (mut visits, mut visits_before) = (0, u64::MAX);
        while visits != visits_before {
            visits_before = visits;
            for word in (0..pending.len()).rev() {
                while pending[word] != 0 {
                    let bit = pending[word].ilog2();
                    pending[word] ^= 1 << bit;
                    let node = word * 64 + bit as usize;
                    visits += 1;
                    let mut nearest = vectors[node];
                    for edge in graph.offsets[node] as usize..graph.offsets[node + 1] as usize {
                        let weight = D::of_word(graph.weights[edge]);
                        for (nearest, &distance) in nearest.iter_mut().zip(&vectors[graph.targets[edge] as usize]) {
                            *nearest = distance.plus(weight).min(*nearest);
                        }
                    }
                    if nearest != vectors[node] {
                        vectors[node] = nearest;
                        add(&mut pending, node as u32);
                    }
                }
                if visits > self.limits.visits {
                    return Err(Failure::TooManyVisits);
                }
            }
        }
        Ok(())
    }

    /// Reports whether a sum of a distance and a weight may be too long for the type.
    fn may_overflow<D: Distance>(&self, vectors: &[Vector<D>]) -> bool {
        let reached = |distance: D| if distance == D::UNREACHED { D::of_word(0) } else { distance };
        let longest = vectors.iter().flatten().fold(D::of_word(0), |longest, &distance| longest.max(reached(distance)));
        u64::from(longest.to_word()) + u64::from(self.max_weight) >= u64::from(D::UNREACHED.to_word())
    }
}
