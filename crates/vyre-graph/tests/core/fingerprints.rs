//! The generators reproduce the graphs of the published benchmarks.

use std::collections::VecDeque;

use vyre_graph::generate::{calls, rmat, roles, sources};
use vyre_graph::{CsrGraph, Role, role_of};

/// Findings of a BFS from each source: sinks other than the source, with their depths.
fn findings(graph: &CsrGraph, sources: &[u32]) -> Vec<(u32, u32, u32)> {
    let view = graph.view();
    let mut findings = Vec::new();
    for &source in sources {
        let mut depths = vec![u32::MAX; graph.node_count()];
        depths[source as usize] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            let depth = depths[node as usize];
            let role = role_of(graph.node_data[node as usize]);
            if role.is_sink() && depth > 0 {
                findings.push((source, node, depth));
            }
            if role == Role::Sanitizer {
                continue;
            }
            for &target in view.neighbours(node) {
                if depths[target as usize] == u32::MAX {
                    depths[target as usize] = depth + 1;
                    queue.push_back(target);
                }
            }
        }
    }
    findings.sort_unstable();
    findings
}

/// 64-bit FNV-1a hash of the little-endian words.
fn fingerprint(findings: &[(u32, u32, u32)]) -> u64 {
    let words = findings.iter().flat_map(|&(source, sink, depth)| [source, sink, depth]);
    words
        .flat_map(u32::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn assert_findings(mut graph: CsrGraph, edges: usize, count: usize, expected: u64) {
    assert_eq!(graph.edge_count(), edges);
    roles(&mut graph, 0x5EED_0010);
    graph.validate().expect("generators make graphs");
    let sources = sources(graph.view(), 64, 0x5EED_0020 + 64).expect("there are enough nodes");
    let findings = findings(&graph, &sources);
    assert_eq!((findings.len(), fingerprint(&findings)), (count, expected));
}

#[test]
fn a_small_network() {
    let graph = rmat(16, 16, 0x5EED_0001).expect("this is small");
    assert_findings(graph, 955_454, 25_216, 0x7a80_e38d_36f1_bf87);
}

#[test]
#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), ignore = "powers differ by platform")]
fn many_small_programs() {
    let graph = calls(1_000_000, 8_192, 0x5EED_0004).expect("this is small");
    assert_findings(graph, 2_494_385, 37_435, 0x2487_d47c_3207_2967);
}

#[test]
#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), ignore = "powers differ by platform")]
fn one_large_program() {
    let graph = calls(1_000_000, 1_000_000, 0x5EED_0003).expect("this is small");
    assert_eq!(graph.edge_count(), 2_522_070);
}
