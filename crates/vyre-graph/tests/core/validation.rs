//! Every violation of the invariants of a graph, with its message.

use vyre_graph::{CsrGraph, Graph, Role, try_to_csr};

fn graph(offsets: &[u32], targets: &[u32], node_data: &[u32]) -> CsrGraph {
    CsrGraph { offsets: offsets.to_vec(), targets: targets.to_vec(), node_data: node_data.to_vec() }
}

#[test]
fn every_violation_has_a_message() {
    for (graph, expected) in [
        (graph(&[0, 1], &[0], &[0, 0]), "`offsets` has 2 elements, but a graph of 2 nodes needs 3"),
        (graph(&[], &[], &[]), "`offsets` has 0 elements, but a graph of 0 nodes needs 1"),
        (graph(&[1, 1], &[0], &[0]), "offsets[0] is 1, but must be 0"),
        (
            graph(&[0, 2, 1, 0], &[0, 0], &[0, 0, 0]),
            "offsets[2] is 1, but must be at least 2, the one before it: offsets never decrease",
        ),
        (graph(&[0, 1], &[0, 0], &[0]), "offsets[1], the last one, is 1, but must be 2, the length of `targets`"),
        (graph(&[0], &[0], &[]), "offsets[0], the last one, is 0, but must be 1, the length of `targets`"),
        (graph(&[0, 2, 3], &[0, 2, 7], &[0, 0]), "targets[1] is 2, but nodes are 0 to 1"),
        (
            graph(&[0, 0, 0], &[], &[Role::Sanitizer.word(), 5 << 16 | 3]),
            "node_data[1] has role 5 in bits 16 to 23, but roles are 0 to 4",
        ),
    ] {
        let error = graph.validate().expect_err(expected);
        assert_eq!(error.to_string(), expected);
        assert_eq!(Graph::from(graph).view().validate(), Err(error));
    }
    let reserved = graph(&[0, 0], &[], &[0xff_0000]);
    assert!(reserved.view().validate_structure().is_ok());
    assert!(CsrGraph::default().validate().is_ok());
    let error = try_to_csr(2, &[(0, 1), (1, 2)]).expect_err("there is no node 2");
    assert_eq!(error.to_string(), "edge 1 is (1, 2), but nodes are 0 to 1");
    let error = try_to_csr(0, &[(3, 4)]).expect_err("there are no nodes");
    assert_eq!(error.to_string(), "edge 0 is (3, 4), but there are no nodes");
}

/// Threads search in steps. The first violation is reported, wherever it is in a step.
#[test]
fn the_first_of_many_violations_is_reported() {
    let nodes = 100_000u32;
    let right = graph(&(0..=nodes).collect::<Vec<_>>(), &vec![0; nodes as usize], &vec![0; nodes as usize]);
    assert!(right.validate().is_ok());
    for position in [1, 16_383, 16_384, 16_385, 32_768, 50_000, 99_999] {
        let mut wrong = right.clone();
        for later in [position, position + 1, 99_999] {
            wrong.targets[later.min(99_999)] = nodes;
        }
        let expected = format!("targets[{position}] is {nodes}, but nodes are 0 to 99999");
        assert_eq!(wrong.validate().expect_err(&expected).to_string(), expected);

        let mut wrong = right.clone();
        wrong.offsets[position] = 0;
        wrong.offsets[99_999] = 0;
        if position > 1 {
            let least = position - 1;
            let expected = format!(
                "offsets[{position}] is 0, but must be at least {least}, the one before it: offsets never decrease"
            );
            assert_eq!(wrong.validate().expect_err(&expected).to_string(), expected);
        }

        let mut wrong = right.clone();
        wrong.node_data[position] = 9 << 16;
        wrong.node_data[99_999] = 9 << 16;
        let expected = format!("node_data[{position}] has role 9 in bits 16 to 23, but roles are 0 to 4");
        assert_eq!(wrong.validate().expect_err(&expected).to_string(), expected);
    }
}
