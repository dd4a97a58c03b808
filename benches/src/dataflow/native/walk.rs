//! The per-source path: one search after the other, without a branch on whether a node is new.

use std::time::{Duration, Instant};

use super::super::answer::Found;
use super::hand_on;
use super::prepare::{DROPPED, Left};

/// Marks sinks among nodes.
const SINK: u32 = 1 << 31;
/// The edges of a node that are looked at without asking whether there are so many.
const STRAIGHT: usize = 3;
/// The most sources whose depths are in memory at a time.
const BATCH: usize = 4096;

/// The graph, and the memory of a search.
struct Walk<'l> {
    offsets: &'l [u32],
    /// Sinks are marked. There are a few more than edges.
    targets: Vec<u32>,
    /// The position of each sink among the sinks.
    sink_of: Vec<u32>,
    /// The last search that met a node. There is one node more, which is always visited.
    visited: Vec<u32>,
    queue: Vec<u32>,
}

pub(super) fn search(left: &Left, sources: &[u32], mut receive: impl FnMut(Found)) -> Duration {
    let start = Instant::now();
    let mut sink_of = vec![0; left.nodes];
    let mut flags = vec![0; left.nodes];
    for (position, &sink) in (0..).zip(&left.sinks) {
        sink_of[sink as usize] = position;
        flags[sink as usize] = SINK;
    }
    let flagged = left.edges.targets.iter().map(|&target| target | flags[target as usize]);
    let mut walk = Walk {
        offsets: &left.edges.offsets,
        targets: flagged.chain([0; STRAIGHT]).collect(),
        sink_of,
        visited: vec![0; left.nodes + 1],
        queue: vec![0; left.nodes + 1],
    };
    let width = left.sinks.len();
    let mut depths = vec![0u32; BATCH.min(sources.len()) * width];
    let mut traversal = start.elapsed();
    for (number, batch) in sources.chunks(BATCH).enumerate() {
        let start = Instant::now();
        depths.fill(0);
        for (at, &source) in batch.iter().enumerate() {
            let node = left.place[source as usize];
            if node != DROPPED {
                let stamp = (number * BATCH + at + 1) as u32;
                walk.search(node, stamp, &mut depths[at * width..(at + 1) * width]);
            }
        }
        traversal += start.elapsed();
        for (at, &source) in batch.iter().enumerate() {
            hand_on(source, &left.sink_nodes, &depths[at * width..(at + 1) * width], &mut receive);
        }
    }
    traversal
}

impl Walk<'_> {
    fn search(&mut self, start: u32, stamp: u32, depths: &mut [u32]) {
        let Walk { offsets, targets, sink_of, visited, queue } = self;
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
            for place in begin..end {
                let entry = queue[place];
                if entry >= SINK {
                    depths[sink_of[(entry & (SINK - 1)) as usize] as usize] = level;
                }
                let current = (entry & (SINK - 1)) as usize;
                let (first, last) = (offsets[current] as usize, offsets[current + 1] as usize);
                // Every node is put into the queue, and stays only if it is new.
                let mut visit = |target: u32| {
                    let mark = &mut visited[(target & (SINK - 1)) as usize];
                    queue[length] = target;
                    length += usize::from(*mark != stamp);
                    *mark = stamp;
                };
                for (edge, &target) in (first..).zip(&targets[first..first + STRAIGHT]) {
                    visit(if edge < last { target } else { nodes });
                }
                for &target in targets.get(first + STRAIGHT..last).unwrap_or_default() {
                    visit(target);
                }
            }
            begin = end;
        }
    }
}
