//! Multi-source BFS on the host, which [`GraphOnHost`](super::GraphOnHost) runs for `graph.bfs` and `graph.reachability`.
//!
//! Sources are searched in ascending order, each distinct source once. Few sources have a BFS with a queue each, on all threads.
//! Many sources that reach much of the graph share a bit-parallel BFS. Neither copies the graph. Rows leave in the order of
//! findings while later sources are not searched yet, so memory does not grow with the number of rows.

mod bit_parallel;
mod plan;
mod queue;
mod rows;
mod space;
mod starts;

pub(super) use plan::count;
pub use rows::FindingStream;
pub(super) use space::SearchSpace;
pub(super) use starts::Starts;
