//! One BFS per source with stamps instead of visited flags, without a branch on the visited state of a node.

use std::time::{Duration, Instant};

use vyre_dataflow::preparation::{DROPPED, PreparedGraph};

use super::super::digest::Found;
use super::emit;

/// Flag of sinks among nodes.
const SINK: u32 = 1 << 31;
/// Edges of a node that are read without a loop; reads beyond the last edge are masked.
const UNROLLED_EDGES: usize = 3;
/// Sources whose depths are in memory at a time.
const BATCH_SOURCES: usize = 4096;

/// Graph and state of a search.
struct Bfs<'l> {
    offsets: &'l [u32],
    /// Targets with the flag of sinks, padded by [`UNROLLED_EDGES`].
    targets: Vec<u32>,
    /// Position of each sink among the sinks.
    sink_of: Vec<u32>,
    /// Stamp of the last search that visited a node. One extra node is always visited.
    visited: Vec<u32>,
    queue: Vec<u32>,
}

pub(super) fn search(prepared: &PreparedGraph, sources: &[u32], mut receive: impl FnMut(Found)) -> Duration {
    let start = Instant::now();
    let mut sink_of = vec![0; prepared.node_count()];
    let mut flags = vec![0; prepared.node_count()];
    for (position, &sink) in (0..).zip(&prepared.sinks) {
        sink_of[sink as usize] = position;
        flags[sink as usize] = SINK;
    }
    let flagged = prepared.forward.targets.iter().map(|&target| target | flags[target as usize]);
    let mut bfs = Bfs {
        offsets: &prepared.forward.offsets,
        targets: flagged.chain([0; UNROLLED_EDGES]).collect(),
        sink_of,
        visited: vec![0; prepared.node_count() + 1],
        queue: vec![0; prepared.node_count() + 1],
    };
    let (width, sinks) = (prepared.sinks.len(), prepared.original_sinks());
    let mut depths = vec![0u32; BATCH_SOURCES.min(sources.len()) * width];
    let mut traversal = start.elapsed();
    for (number, batch) in sources.chunks(BATCH_SOURCES).enumerate() {
        let start = Instant::now();
        depths.fill(0);
        for (at, &source) in batch.iter().enumerate() {
            let node = prepared.new_ids[source as usize];
            if node != DROPPED {
                let stamp = (number * BATCH_SOURCES + at + 1) as u32;
                bfs.search(node, stamp, &mut depths[at * width..(at + 1) * width]);
            }
        }
        traversal += start.elapsed();
        for (at, &source) in batch.iter().enumerate() {
            emit(source, &sinks, &depths[at * width..(at + 1) * width], &mut receive);
        }
    }
    traversal
}

impl Bfs<'_> {
    fn search(&mut self, start: u32, stamp: u32, depths: &mut [u32]) {
        let Bfs { offsets, targets, sink_of, visited, queue } = self;
        let (targets, visited, queue) = (&targets[..], &mut visited[..], &mut queue[..]);
        let nodes = sink_of.len() as u32;
        visited[nodes as usize] = stamp;
        visited[start as usize] = stamp;
        queue[0] = start;
        let (mut begin, mut length) = (0, 1);
        for level in 0.. {
            let end = length;
            if begin == end {
                return;
            }
            for position in begin..end {
                let entry = queue[position];
                if entry >= SINK {
                    depths[sink_of[(entry & (SINK - 1)) as usize] as usize] = level;
                }
                let current = (entry & (SINK - 1)) as usize;
                let (first, last) = (offsets[current] as usize, offsets[current + 1] as usize);
                // Every target is enqueued; the length of the queue grows only if the target is new.
                let mut visit = |target: u32| {
                    let mark = &mut visited[(target & (SINK - 1)) as usize];
                    queue[length] = target;
                    length += usize::from(*mark != stamp);
                    *mark = stamp;
                };
                for (edge, &target) in (first..).zip(&targets[first..first + UNROLLED_EDGES]) {
                    visit(if edge < last { target } else { nodes });
                }
                for &target in targets.get(first + UNROLLED_EDGES..last).unwrap_or_default() {
                    visit(target);
                }
            }
            begin = end;
        }
    }
}
