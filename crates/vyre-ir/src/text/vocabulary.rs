//! Vocabulary of the text format: reserved words, named functions, infix operators and their precedence.

use crate::postfix::{Coded, Head, Item, code};
use crate::{AtomicOp, AtomicScope, BinOp, DataType, ReduceOp, UnOp};

/// True if `word` needs backticks to be a name.
pub(super) fn is_reserved(word: &str) -> bool {
    let reserved = matches!(
        word,
        "as" | "barrier"
            | "break"
            | "buffer"
            | "else"
            | "entry"
            | "false"
            | "for"
            | "if"
            | "in"
            | "invocation_id"
            | "let"
            | "local_id"
            | "num_workgroups"
            | "return"
            | "true"
            | "workgroup_id"
            | "workgroup_size"
    );
    reserved || DataType::from_name(word).is_some()
}

/// True if `word` has the form of a plain name.
pub(super) fn is_plain_word(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A function of the language whose arguments are all expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Binary(BinOp),
    Unary(UnOp),
    Select,
    Broadcast,
    Shuffle,
    Reduce(ReduceOp),
    ScanExclusive(ReduceOp),
    ScanInclusive(ReduceOp),
    Ballot,
}

/// Meaning of a name before `(`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    Function(Function),
    Atomic(AtomicScope, AtomicOp),
    Len,
}

/// Named functions, sorted by name.
const FUNCTIONS: [(&str, Callee); 51] = {
    use AtomicScope::{Storage, Workgroup};
    use Callee::{Atomic, Function as F};
    use Function as Fn;
    [
        ("abs_diff", F(Fn::Binary(BinOp::AbsDiff))),
        ("atomic_add", Atomic(Storage, AtomicOp::Add)),
        ("atomic_and", Atomic(Storage, AtomicOp::And)),
        ("atomic_compare_exchange", Atomic(Storage, AtomicOp::CompareExchange)),
        ("atomic_exchange", Atomic(Storage, AtomicOp::Exchange)),
        ("atomic_load", Atomic(Storage, AtomicOp::Load)),
        ("atomic_max", Atomic(Storage, AtomicOp::Max)),
        ("atomic_min", Atomic(Storage, AtomicOp::Min)),
        ("atomic_or", Atomic(Storage, AtomicOp::Or)),
        ("atomic_store", Atomic(Storage, AtomicOp::Store)),
        ("atomic_xor", Atomic(Storage, AtomicOp::Xor)),
        ("ballot", F(Fn::Ballot)),
        ("broadcast", F(Fn::Broadcast)),
        ("clz", F(Fn::Unary(UnOp::Clz))),
        ("ctz", F(Fn::Unary(UnOp::Ctz))),
        ("len", Callee::Len),
        ("max", F(Fn::Binary(BinOp::Max))),
        ("min", F(Fn::Binary(BinOp::Min))),
        ("mul_hi", F(Fn::Binary(BinOp::MulHi))),
        ("popcount", F(Fn::Unary(UnOp::Popcount))),
        ("reduce_add", F(Fn::Reduce(ReduceOp::Add))),
        ("reduce_and", F(Fn::Reduce(ReduceOp::And))),
        ("reduce_max", F(Fn::Reduce(ReduceOp::Max))),
        ("reduce_min", F(Fn::Reduce(ReduceOp::Min))),
        ("reduce_or", F(Fn::Reduce(ReduceOp::Or))),
        ("reduce_xor", F(Fn::Reduce(ReduceOp::Xor))),
        ("reverse_bits", F(Fn::Unary(UnOp::ReverseBits))),
        ("scan_exclusive_add", F(Fn::ScanExclusive(ReduceOp::Add))),
        ("scan_exclusive_and", F(Fn::ScanExclusive(ReduceOp::And))),
        ("scan_exclusive_max", F(Fn::ScanExclusive(ReduceOp::Max))),
        ("scan_exclusive_min", F(Fn::ScanExclusive(ReduceOp::Min))),
        ("scan_exclusive_or", F(Fn::ScanExclusive(ReduceOp::Or))),
        ("scan_exclusive_xor", F(Fn::ScanExclusive(ReduceOp::Xor))),
        ("scan_inclusive_add", F(Fn::ScanInclusive(ReduceOp::Add))),
        ("scan_inclusive_and", F(Fn::ScanInclusive(ReduceOp::And))),
        ("scan_inclusive_max", F(Fn::ScanInclusive(ReduceOp::Max))),
        ("scan_inclusive_min", F(Fn::ScanInclusive(ReduceOp::Min))),
        ("scan_inclusive_or", F(Fn::ScanInclusive(ReduceOp::Or))),
        ("scan_inclusive_xor", F(Fn::ScanInclusive(ReduceOp::Xor))),
        ("select", F(Fn::Select)),
        ("shuffle", F(Fn::Shuffle)),
        ("workgroup_atomic_add", Atomic(Workgroup, AtomicOp::Add)),
        ("workgroup_atomic_and", Atomic(Workgroup, AtomicOp::And)),
        ("workgroup_atomic_compare_exchange", Atomic(Workgroup, AtomicOp::CompareExchange)),
        ("workgroup_atomic_exchange", Atomic(Workgroup, AtomicOp::Exchange)),
        ("workgroup_atomic_load", Atomic(Workgroup, AtomicOp::Load)),
        ("workgroup_atomic_max", Atomic(Workgroup, AtomicOp::Max)),
        ("workgroup_atomic_min", Atomic(Workgroup, AtomicOp::Min)),
        ("workgroup_atomic_or", Atomic(Workgroup, AtomicOp::Or)),
        ("workgroup_atomic_store", Atomic(Workgroup, AtomicOp::Store)),
        ("workgroup_atomic_xor", Atomic(Workgroup, AtomicOp::Xor)),
    ]
};

/// Names of all functions, in order.
pub(crate) fn function_names<'n>() -> impl Iterator<Item = &'n str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// The function with this name.
pub(super) fn callee(name: &str) -> Option<Callee> {
    let position = FUNCTIONS.binary_search_by(|(candidate, _)| (*candidate).cmp(name)).ok()?;
    Some(FUNCTIONS[position].1)
}

impl Function {
    /// The name of the function in the text format.
    pub(super) fn name(self) -> &'static str {
        let of_self = |(_, callee): &&(&str, Callee)| *callee == Callee::Function(self);
        FUNCTIONS.iter().find(of_self).map_or("", |(name, _)| name)
    }

    /// Number of arguments.
    pub(super) const fn arity(self) -> usize {
        match self {
            Function::Binary(_) | Function::Broadcast | Function::Shuffle => 2,
            Function::Unary(_)
            | Function::Reduce(_)
            | Function::ScanExclusive(_)
            | Function::ScanInclusive(_)
            | Function::Ballot => 1,
            Function::Select => 3,
        }
    }

    /// Head of the expression that the function denotes.
    pub(super) fn head(self) -> Head {
        match self {
            Function::Binary(op) => Head::detailed(code::BIN_OP, op),
            Function::Unary(op) => Head::detailed(code::UN_OP, op),
            Function::Select => Head::plain(code::SELECT),
            Function::Broadcast => Head::plain(code::BROADCAST),
            Function::Shuffle => Head::plain(code::SHUFFLE),
            Function::Reduce(op) => Head::detailed(code::REDUCE, op),
            Function::ScanExclusive(op) => Head::detailed(code::SCAN_EXCLUSIVE, op),
            Function::ScanInclusive(op) => Head::detailed(code::SCAN_INCLUSIVE, op),
            Function::Ballot => Head::plain(code::BALLOT),
        }
    }

    /// Function that denotes an expression which is written as a function.
    pub(super) fn of(item: &Item) -> Option<Function> {
        Some(match item.code {
            code::BIN_OP => Function::Binary(BinOp::from_number(item.detail)?),
            code::UN_OP => Function::Unary(UnOp::from_number(item.detail)?),
            code::SELECT => Function::Select,
            code::BROADCAST => Function::Broadcast,
            code::SHUFFLE => Function::Shuffle,
            code::REDUCE => Function::Reduce(ReduceOp::from_number(item.detail)?),
            code::SCAN_EXCLUSIVE => Function::ScanExclusive(ReduceOp::from_number(item.detail)?),
            code::SCAN_INCLUSIVE => Function::ScanInclusive(ReduceOp::from_number(item.detail)?),
            code::BALLOT => Function::Ballot,
            _ => return None,
        })
    }
}

/// Precedence of an expression; a greater one binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
    Lowest,
    Or,
    And,
    Comparison,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Cast,
    Prefix,
    Primary,
}

/// Precedence of an infix operator; `None` for operators that are written as functions.
pub(super) const fn infix_precedence(op: BinOp) -> Option<Precedence> {
    Some(match op {
        BinOp::Or => Precedence::Or,
        BinOp::And => Precedence::And,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge => Precedence::Comparison,
        BinOp::BitOr => Precedence::BitOr,
        BinOp::BitXor => Precedence::BitXor,
        BinOp::BitAnd => Precedence::BitAnd,
        BinOp::Shl | BinOp::Shr => Precedence::Shift,
        BinOp::Add | BinOp::Sub => Precedence::Sum,
        BinOp::Mul | BinOp::Div | BinOp::Mod => Precedence::Product,
        BinOp::Min | BinOp::Max | BinOp::AbsDiff | BinOp::MulHi => return None,
    })
}

/// Letters of axes and vector components.
pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_sorted_for_binary_search() {
        assert!(FUNCTIONS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn names_of_types_are_reserved_and_read_back() {
        for ty in DataType::ALL {
            assert!(is_reserved(ty.name()));
            assert_eq!(DataType::from_name(ty.name()), Some(ty));
        }
    }

    #[test]
    fn every_operator_has_a_spelling() {
        for scope in AtomicScope::ALL {
            for &op in AtomicOp::ALL {
                assert_eq!(callee(op.text_in(scope)), Some(Callee::Atomic(scope, op)));
            }
        }
        for &op in BinOp::ALL {
            let named = callee(op.text()) == Some(Callee::Function(Function::Binary(op)));
            assert_ne!(named, infix_precedence(op).is_some(), "{op:?}");
        }
        for &op in ReduceOp::ALL {
            for function in [Function::Reduce(op), Function::ScanExclusive(op), Function::ScanInclusive(op)] {
                assert!(function.name().ends_with(op.text()), "{function:?}");
            }
        }
    }
}
