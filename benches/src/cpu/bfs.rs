//! One bottom-up level of a multi-source BFS with 32 sources, a bit per source (Then et al., VLDB 2014).

use rayon::ThreadPool;
use rayon::prelude::*;
use vyre_graph::try_to_csr;

use super::workload::{Peer, Scale, Throughput, Workload, workgroups};
use crate::data::Random;

const PULL_LEVEL: &str = "\
workgroup_size 256;

buffer offsets: read u32 @0; // offsets of the predecessors of each node, and their end
buffer predecessors: read u32 @1;
buffer frontier: read u32 @2; // sources that reached a node in the last level, a bit per source
buffer visited: read_write u32 @3; // sources that have reached a node
buffer next: read_write u32 @4;

entry {
    let node = invocation_id.x;
    if node < len(next) {
        let reached = 0;
        for edge in offsets[node]..offsets[node + 1] {
            reached = reached | frontier[predecessors[edge]];
        }
        let seen = visited[node];
        next[node] = reached & ~seen;
        visited[node] = seen | reached;
    }
}
";

/// 2^18 nodes with 16 edges each, two levels after the start of the search.
pub(super) fn pull_level(scale: Scale) -> Workload {
    let nodes = scale.of(1 << 18);
    let edges = 16 * nodes;
    let mut random = Random::new(6);
    let (offsets, predecessors) = predecessors(&mut random, nodes.ilog2(), edges);
    let mut frontier = vec![0; nodes];
    for source in 0..32 {
        frontier[random.below(nodes)] |= 1 << source;
    }
    let mut visited = frontier.clone();
    let mut next = vec![0; nodes];
    for _ in 0..2 {
        level(&offsets, &predecessors, &frontier, &mut visited, &mut next);
        frontier.copy_from_slice(&next);
    }
    Workload {
        name: "bfs_level",
        program: PULL_LEVEL.to_owned(),
        grid: workgroups(nodes, 256),
        buffers: vec![offsets, predecessors, frontier, visited, vec![0; nodes]],
        results: &[3, 4],
        updates: &[3],
        throughput: Throughput::Items(edges as u64, "edges"),
        peers: vec![Peer::same(1.5, native_pull_level)],
    }
}

/// Offsets and predecessors of an R-MAT graph (0.57, 0.19, 0.19, 0.05) of 2^`bits` nodes in random order. Parallel edges stay,
/// so that the number of edges is exact.
fn predecessors(random: &mut Random, bits: u32, edges: usize) -> (Vec<u32>, Vec<u32>) {
    let nodes = 1_usize << bits;
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    for at in (1..nodes).rev() {
        order.swap(at, random.below(at + 1));
    }
    let pairs: Vec<(u32, u32)> = (0..edges)
        .map(|_| {
            let (mut from, mut to) = (0, 0);
            for _ in 0..bits {
                let (down, right) = match random.below(100) {
                    0..57 => (0, 0),
                    57..76 => (0, 1),
                    76..95 => (1, 0),
                    _ => (1, 1),
                };
                (from, to) = (from << 1 | down, to << 1 | right);
            }
            (order[to], order[from])
        })
        .collect();
    let backward = try_to_csr(nodes as u32, &pairs).expect("all nodes are below the number of nodes");
    (backward.offsets, backward.targets)
}

/// One level, for the nodes of these offsets.
fn level(offsets: &[u32], predecessors: &[u32], frontier: &[u32], visited: &mut [u32], next: &mut [u32]) {
    for ((edges, visited), next) in offsets.windows(2).zip(visited).zip(next) {
        let predecessors = &predecessors[edges[0] as usize..edges[1] as usize];
        let reached = predecessors.iter().fold(0, |reached, &from| reached | frontier[from as usize]);
        *next = reached & !*visited;
        *visited |= reached;
    }
}

/// Nodes that a thread takes at a time.
const PART_NODES: usize = 1 << 11;

fn native_pull_level(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    let [offsets, predecessors, frontier, visited, next] = buffers else { return };
    let parts = visited.par_chunks_mut(PART_NODES).zip(next.par_chunks_mut(PART_NODES)).enumerate();
    pool.install(|| {
        parts.for_each(|(part, (visited, next))| {
            level(&offsets[part * PART_NODES..], predecessors, frontier, visited, next);
        });
    });
}
