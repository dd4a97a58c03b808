//! One level of a search from 32 nodes at once, a bit for each: every node asks its predecessors.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::data::Random;
use super::workload::{Amount, Peer, Scale, Workload, workgroups};

const PULL_LEVEL: &str = "\
workgroup_size 256;

buffer offsets: read u32 @0; // where the predecessors of each node begin, and where the last ones end
buffer predecessors: read u32 @1;
buffer frontier: read u32 @2; // the searches that have just reached a node, a bit for each
buffer visited: read_write u32 @3; // the searches that have reached it at all
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

/// 2^18 nodes with 16 edges each, two levels after the start.
pub(super) fn pull_level(scale: Scale) -> Workload {
    let nodes = scale.of(1 << 18);
    let edges = 16 * nodes;
    let mut random = Random::new(6);
    let (offsets, predecessors) = graph(&mut random, nodes.ilog2(), edges);
    let mut frontier = vec![0; nodes];
    for search in 0..32 {
        frontier[random.below(nodes)] |= 1 << search;
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
        amount: Amount::Items(edges as u64, "edges"),
        peers: vec![Peer::same(1.5, native_pull_level)],
    }
}

/// A graph of 2^`bits` nodes with the skew of R-MAT (0.57, 0.19, 0.19, 0.05), nodes in any order: where the predecessors
/// of each node begin, and the predecessors.
fn graph(random: &mut Random, bits: u32, edges: usize) -> (Vec<u32>, Vec<u32>) {
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
            (order[from], order[to])
        })
        .collect();
    let mut offsets = vec![0_u32; nodes + 1];
    for &(_, to) in &pairs {
        offsets[to as usize + 1] += 1;
    }
    for node in 0..nodes {
        offsets[node + 1] += offsets[node];
    }
    let mut free = offsets.clone();
    let mut predecessors = vec![0; edges];
    for (from, to) in pairs {
        predecessors[free[to as usize] as usize] = from;
        free[to as usize] += 1;
    }
    (offsets, predecessors)
}

/// The level for the nodes of which `offsets` tells.
fn level(offsets: &[u32], predecessors: &[u32], frontier: &[u32], visited: &mut [u32], next: &mut [u32]) {
    for ((edges, visited), next) in offsets.windows(2).zip(visited).zip(next) {
        let predecessors = &predecessors[edges[0] as usize..edges[1] as usize];
        let reached = predecessors.iter().fold(0, |reached, &from| reached | frontier[from as usize]);
        *next = reached & !*visited;
        *visited |= reached;
    }
}

/// The nodes that a thread takes at a time.
const PART: usize = 1 << 11;

fn native_pull_level(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    let [offsets, predecessors, frontier, visited, next] = buffers else { return };
    let parts = visited.par_chunks_mut(PART).zip(next.par_chunks_mut(PART)).enumerate();
    pool.install(|| {
        parts.for_each(|(part, (visited, next))| {
            level(&offsets[part * PART..], predecessors, frontier, visited, next);
        });
    });
}
