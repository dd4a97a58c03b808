//! Heads: statements and expressions without their operands and bodies.

use super::code::{self, Coded};
use crate::{AtomicScope, Collective, Expr, Name, Node};

/// A statement or expression without its operands and bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) code: u8,
    pub(crate) detail: u8,
    pub(crate) flags: u8,
    pub(crate) payload: u32,
}

impl Head {
    /// Head that is a code alone.
    pub(crate) const fn plain(code: u8) -> Head {
        Head { code, detail: 0, flags: 0, payload: 0 }
    }

    /// Head with a number or the index of a name.
    pub(crate) const fn numbered(code: u8, payload: u32) -> Head {
        Head { code, detail: 0, flags: 0, payload }
    }

    /// Head with an operator or type.
    pub(crate) fn detailed(code: u8, detail: impl Coded) -> Head {
        Head { code, detail: detail.number(), flags: 0, payload: 0 }
    }

    /// Head of an expression, and the name whose index its payload must become.
    pub(crate) fn of_expr(expr: &Expr) -> (Head, Option<&Name>) {
        let head = match expr {
            Expr::LitU32(value) => Head::numbered(code::LIT_U32, *value),
            Expr::LitI32(value) => Head::numbered(code::LIT_I32, value.cast_unsigned()),
            Expr::LitBool(value) => Head::plain(if *value { code::LIT_TRUE } else { code::LIT_FALSE }),
            Expr::Var(_) => Head::plain(code::VAR),
            Expr::Load { buffer: _, index: _ } => Head::plain(code::LOAD),
            Expr::BufLen { buffer: _ } => Head::plain(code::BUF_LEN),
            Expr::InvocationId { axis } => Head::numbered(code::INVOCATION_ID, *axis),
            Expr::WorkgroupId { axis } => Head::numbered(code::WORKGROUP_ID, *axis),
            Expr::LocalId { axis } => Head::numbered(code::LOCAL_ID, *axis),
            Expr::NumWorkgroups { axis } => Head::numbered(code::NUM_WORKGROUPS, *axis),
            Expr::BinOp { op, left: _, right: _ } => Head::detailed(code::BIN_OP, *op),
            Expr::UnOp { op, operand: _ } => Head::detailed(code::UN_OP, *op),
            Expr::Call { op_id: _, args: _ } => Head::plain(code::CALL),
            Expr::Select { cond: _, true_val: _, false_val: _ } => Head::plain(code::SELECT),
            Expr::Cast { target, value: _ } => Head::detailed(code::CAST, *target),
            Expr::Atomic { op, buffer: _, index: _, expected, value }
            | Expr::WorkgroupAtomic { op, buffer: _, index: _, expected, value } => {
                let code = code::atomic(expr.atomic_scope().unwrap_or(AtomicScope::Storage));
                let expected = if expected.is_some() { code::HAS_EXPECTED } else { 0 };
                let value = if value.is_some() { code::HAS_VALUE } else { 0 };
                Head { flags: expected | value, ..Head::detailed(code, *op) }
            }
            Expr::Extract { value: _, lane } => Head::numbered(code::EXTRACT, *lane),
            Expr::Pack { ty, lanes: _ } => Head::detailed(code::PACK, *ty),
            Expr::Collective(collective) => match collective {
                Collective::Broadcast { value: _, lane: _ } => Head::plain(code::BROADCAST),
                Collective::Shuffle { value: _, lane: _ } => Head::plain(code::SHUFFLE),
                Collective::Reduce { op, value: _ } => Head::detailed(code::REDUCE, *op),
                Collective::ScanExclusive { op, value: _ } => Head::detailed(code::SCAN_EXCLUSIVE, *op),
                Collective::ScanInclusive { op, value: _ } => Head::detailed(code::SCAN_INCLUSIVE, *op),
                Collective::Ballot { predicate: _ } => Head::plain(code::BALLOT),
            },
        };
        (head, expr.name())
    }

    /// Head of a statement, and the name whose index its payload must become.
    pub(crate) fn of_statement(node: &Node) -> (Head, Option<&Name>) {
        let code = match node {
            Node::Let { name: _, value: _ } => code::LET,
            Node::Assign { name: _, value: _ } => code::ASSIGN,
            Node::Store { buffer: _, index: _, value: _ } => code::STORE,
            Node::If { cond: _, then: _, otherwise: _ } => code::IF,
            Node::Loop { var: _, from: _, to: _, body: _ } => code::LOOP,
            Node::Return => code::RETURN,
            Node::Block(_) => code::BLOCK,
            Node::Barrier => code::BARRIER,
            Node::Break => code::BREAK,
        };
        (Head::plain(code), node.name())
    }
}
