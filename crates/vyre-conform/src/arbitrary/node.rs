//! Strategies for statements.

use proptest::collection::vec;
use proptest::prelude::*;
use vyre_ir::{Expr, Node};

use super::{arb_expr, arb_name};

/// Any statement, with bodies that may be empty.
pub fn arb_node() -> impl Strategy<Value = Node> {
    arb_simple_statement().prop_recursive(4, 24, 4, |inner| {
        let body = vec(inner, 0..4);
        prop_oneof![
            2 => (arb_expr(), body.clone(), body.clone())
                .prop_map(|(cond, then, otherwise)| Node::If { cond, then, otherwise }),
            1 => (vec((arb_expr(), body.clone()), 1..4), body.clone())
                .prop_map(|(branches, otherwise)| else_if_chain(branches, otherwise)),
            1 => (arb_name(), arb_expr(), arb_expr(), body.clone())
                .prop_map(|(var, from, to, body)| Node::Loop { var, from, to, body }),
            1 => body.prop_map(Node::Block),
        ]
    })
}

/// A statement without bodies.
fn arb_simple_statement() -> impl Strategy<Value = Node> {
    prop_oneof![
        3 => (arb_name(), arb_expr()).prop_map(|(name, value)| Node::Let { name, value }),
        2 => (arb_name(), arb_expr()).prop_map(|(name, value)| Node::Assign { name, value }),
        2 => (arb_name(), arb_expr(), arb_expr()).prop_map(|(buffer, index, value)| Node::Store { buffer, index, value }),
        1 => Just(Node::Return),
        1 => Just(Node::Barrier),
        1 => Just(Node::Break),
    ]
}

/// Builds `if .. else if .. else ..` from branches in order, of which there must be at least one.
fn else_if_chain(branches: Vec<(Expr, Vec<Node>)>, otherwise: Vec<Node>) -> Node {
    let mut rest = otherwise;
    for (cond, then) in branches.into_iter().rev() {
        rest = vec![Node::If { cond, then, otherwise: rest }];
    }
    rest.pop().unwrap_or(Node::Return)
}
