//! Weighted and personalised PageRank.

use super::{BACKENDS, fails};
use crate::harness::Sandbox;

/// 0 -> 1 (weight 3), 0 -> 2 (weight 1), 1 -> 0, 2 -> 0, 3 -> 0.
const LINKS: &str = "0 1 3\n0 2 1\n1 0 1\n2 0 1\n3 0 1\n";

fn sandbox() -> Sandbox {
    let files = [
        ("a.txt", LINKS),
        ("plain.txt", "0 1\n"),
        ("jumps.csv", "node,weight\n0,1\n3,2\n"),
        ("wrong.csv", "node,weight\n0,half\n"),
        ("zero.csv", "node,weight\n0,0\n"),
    ];
    Sandbox::new(&files)
}

fn ranks(sandbox: &Sandbox, args: &[&str]) -> Vec<(u32, f64)> {
    let common = ["graph", "pagerank", "a.txt", "--quiet", "--tolerance", "0", "--iterations", "400"];
    let run = sandbox.run(&[&common[..], args].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let row = |line: &str| {
        let (node, rank) = line.split_once('\t').expect("two columns");
        (node.parse().expect("a node"), rank.parse().expect("a rank"))
    };
    let mut rows: Vec<(u32, f64)> = run.text().lines().map(row).collect();
    rows.sort_by_key(|&(node, _)| node);
    rows
}

/// The results are those of networkx 3.6: `pagerank(graph, alpha=0.85, weight="weight", personalization=..., tol=1e-15)`.
#[test]
fn ranks_are_those_of_networkx() {
    let sandbox = sandbox();
    for (args, expected) in [
        (&["--weighted"][..], WEIGHTED),
        (&["--personalise", "3"], PERSONALISED),
        (&["--personalize", "jumps.csv", "--weighted"], BOTH),
        (&["--weighted", "--reverse"], REVERSED),
    ] {
        for ((node, rank), expected) in ranks(&sandbox, args).into_iter().zip(expected) {
            assert!((rank - expected).abs() < 1e-9, "{args:?}, node {node}: {rank} and {expected}");
        }
    }
}

#[test]
fn nodes_that_jumps_never_reach_have_no_rank() {
    let rows = ranks(&sandbox(), &["--personalise", "0,0,1"]);
    assert_eq!(rows[3].1, 0.0);
    assert!(rows[0].1 > rows[1].1 && rows[1].1 > rows[2].1, "{rows:?}");
}

#[test]
fn wrong_weights_are_errors() {
    let sandbox = sandbox();
    let rank = |args: &[&str]| sandbox.run(&[&["graph", "pagerank"], args].concat());
    fails(&rank(&["plain.txt", "--weighted"]), "plain.txt: the edges have no weights, which --weighted needs");
    fails(
        &rank(&["a.txt", "--personalise", "wrong.csv"]),
        "wrong.csv: the weight `half` of node 0 is not a whole number",
    );
    fails(&rank(&["a.txt", "--personalise", "zero.csv"]), "are all 0; at least one must not be");
    fails(&rank(&["a.txt", "--personalise", "9"]), "--personalise: ");
    fails(&rank(&["a.txt", "--weighted", "--backend", BACKENDS[0]]), "leave --backend reference out");
}

const WEIGHTED: [f64; 4] = [0.479729729730, 0.343327702703, 0.139442567568, 0.037500000000];
const PERSONALISED: [f64; 4] = [0.459459459459, 0.195270270270, 0.195270270270, 0.150000000000];
const BOTH: [f64; 4] = [0.486486486486, 0.310135135135, 0.103378378378, 0.100000000000];
const REVERSED: [f64; 4] = [0.412213740458, 0.195928753181, 0.195928753181, 0.195928753181];
