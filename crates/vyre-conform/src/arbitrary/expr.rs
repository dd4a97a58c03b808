//! Strategies for expressions.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use vyre_ir::{AtomicOp, BinOp, Collective, DataType, Expr, Name, ReduceOp, UnOp};

use super::{arb_name, arb_number};

/// Any expression, of no particular type.
pub fn arb_expr() -> impl Strategy<Value = Expr> {
    arb_leaf().prop_recursive(6, 32, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let list = vec(inner, 0..5);
        prop_oneof![
            3 => (select(BinOp::ALL), boxed.clone(), boxed.clone())
                .prop_map(|(op, left, right)| Expr::BinOp { op, left, right }),
            2 => (select(UnOp::ALL), boxed.clone()).prop_map(|(op, operand)| Expr::UnOp { op, operand }),
            1 => (arb_name(), boxed.clone()).prop_map(|(buffer, index)| Expr::Load { buffer, index }),
            1 => (arb_name(), list.clone()).prop_map(|(op_id, args)| Expr::Call { op_id, args }),
            1 => (boxed.clone(), boxed.clone(), boxed.clone())
                .prop_map(|(cond, true_val, false_val)| Expr::Select { cond, true_val, false_val }),
            1 => (select(&DataType::ALL), boxed.clone()).prop_map(|(target, value)| Expr::Cast { target, value }),
            1 => arb_atomic(boxed.clone())
                .prop_map(|(op, buffer, index, expected, value)| Expr::Atomic { op, buffer, index, expected, value }),
            1 => arb_atomic(boxed.clone()).prop_map(|(op, buffer, index, expected, value)| {
                Expr::WorkgroupAtomic { op, buffer, index, expected, value }
            }),
            1 => (boxed.clone(), arb_number()).prop_map(|(value, lane)| Expr::Extract { value, lane }),
            1 => (select(&DataType::ALL), list).prop_map(|(ty, lanes)| Expr::Pack { ty, lanes }),
            2 => arb_collective(boxed),
        ]
    })
}

type AtomicFields = (AtomicOp, Name, Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>);

/// Fields of an atomic.
fn arb_atomic(operand: impl Strategy<Value = Box<Expr>> + Clone) -> impl Strategy<Value = AtomicFields> {
    (select(AtomicOp::ALL), arb_name(), operand.clone(), option::of(operand.clone()), option::of(operand))
}

/// An expression without operands.
fn arb_leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        3 => arb_number().prop_map(Expr::LitU32),
        2 => prop_oneof![-3..4i32, arb_number().prop_map(u32::cast_signed)].prop_map(Expr::LitI32),
        1 => any::<bool>().prop_map(Expr::LitBool),
        3 => arb_name().prop_map(Expr::Var),
        1 => arb_name().prop_map(|buffer| Expr::BufLen { buffer }),
        1 => arb_number().prop_map(|axis| Expr::InvocationId { axis }),
        1 => arb_number().prop_map(|axis| Expr::WorkgroupId { axis }),
        1 => arb_number().prop_map(|axis| Expr::LocalId { axis }),
        1 => arb_number().prop_map(|axis| Expr::NumWorkgroups { axis }),
    ]
}

fn arb_collective(operand: impl Strategy<Value = Box<Expr>> + Clone) -> impl Strategy<Value = Expr> {
    use Collective::{Ballot, Broadcast, Reduce, ScanExclusive, ScanInclusive, Shuffle};
    let pair = (operand.clone(), operand.clone());
    let combined = (select(ReduceOp::ALL), operand.clone());
    prop_oneof![
        pair.clone().prop_map(|(value, lane)| Expr::Collective(Broadcast { value, lane })),
        pair.prop_map(|(value, lane)| Expr::Collective(Shuffle { value, lane })),
        combined.clone().prop_map(|(op, value)| Expr::Collective(Reduce { op, value })),
        combined.clone().prop_map(|(op, value)| Expr::Collective(ScanExclusive { op, value })),
        combined.prop_map(|(op, value)| Expr::Collective(ScanInclusive { op, value })),
        operand.prop_map(|predicate| Expr::Collective(Ballot { predicate })),
    ]
}
