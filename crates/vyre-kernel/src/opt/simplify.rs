//! Algebraic simplification (peephole rules) of one operation.
//!
//! A rule inspects the operands and their operations, and no deeper. Its result is visible at the same position: an
//! operand, an operand of an operand, a leaf, or an operation on them.

use crate::ids::ValueId;
use crate::kernel::Kernel;
use crate::op::{Binary, Compare, Id, Logic, Op, Type, Unary};

/// Result of a simplification.
pub(super) enum Simpler {
    /// An existing value.
    Value(ValueId),
    /// An operation, which may be unchanged.
    Op(Op),
}

/// Maximum number of rule applications. Each one simplifies the operation, so few are needed.
const MAX_ITERATIONS: usize = 8;

/// Applies rules until none matches.
pub(super) fn simplify(kernel: &mut Kernel, mut op: Op) -> Simpler {
    for _ in 0..MAX_ITERATIONS {
        match step(kernel, op) {
            Some(Simpler::Op(simpler)) if simpler != op => op = simpler,
            Some(Simpler::Value(value)) => return Simpler::Value(value),
            Some(Simpler::Op(_)) | None => break,
        }
    }
    Simpler::Op(op)
}

fn word(word: u32) -> Option<Simpler> {
    Some(Simpler::Op(Op::Word(word)))
}

fn bool(value: bool) -> Option<Simpler> {
    Some(Simpler::Op(Op::Bool(value)))
}

fn value(value: ValueId) -> Option<Simpler> {
    Some(Simpler::Value(value))
}

fn op(op: Op) -> Option<Simpler> {
    Some(Simpler::Op(op))
}

fn step(kernel: &mut Kernel, given: Op) -> Option<Simpler> {
    match given {
        Op::Word(_) | Op::Bool(_) | Op::Length(_) | Op::LoopVariable | Op::Get(_) => None,
        Op::Id(id, axis) => {
            let size = kernel.workgroup_size[usize::from(axis)];
            match id {
                Id::Local if size == 1 => word(0),
                Id::Invocation if size == 1 => op(Op::Id(Id::Workgroup, axis)),
                _ => None,
            }
        }
        Op::Unary(unary, a) => step_unary(kernel, unary, a),
        Op::Binary(binary, a, b) => step_binary(kernel, binary, a, b),
        Op::Compare(compare, a, b) => step_compare(kernel, compare, a, b),
        Op::Not(a) => match kernel.op(a) {
            Op::Bool(known) => bool(!known),
            Op::Not(inner) => value(inner),
            Op::Compare(compare, a, b) => op(opposite(compare, a, b)),
            _ => None,
        },
        Op::Logic(logic, a, b) => step_logic(kernel, logic, a, b),
        Op::ToWord(a) => kernel.as_bool(a).and_then(|known| word(u32::from(known))),
        Op::Select(cond, a, b) => step_select(kernel, cond, a, b),
        Op::Extract(vector, component) => match kernel.op(vector) {
            Op::Pack2(components) => components.get(usize::from(component)).and_then(|&component| value(component)),
            Op::Pack4(components) => components.get(usize::from(component)).and_then(|&component| value(component)),
            _ => None,
        },
        Op::Pack2(components) => unpacked(kernel, &components, Type::Vec2).and_then(value),
        Op::Pack4(components) => unpacked(kernel, &components, Type::Vec4).and_then(value),
        Op::Load { .. } | Op::Atomic { .. } | Op::Collective(_) => None,
    }
}

/// Vector whose components are extracted and packed again in order.
fn unpacked(kernel: &Kernel, components: &[ValueId], ty: Type) -> Option<ValueId> {
    let source = |position: usize| match kernel.op(components[position]) {
        Op::Extract(vector, component) if usize::from(component) == position => Some(vector),
        _ => None,
    };
    let first = source(0)?;
    let same = (1..components.len()).all(|position| source(position) == Some(first));
    (same && kernel.ty(first) == ty).then_some(first)
}

/// Negation of a comparison.
fn opposite(compare: Compare, a: ValueId, b: ValueId) -> Op {
    match compare {
        Compare::Eq => Op::Compare(Compare::Ne, a, b),
        Compare::Ne => Op::Compare(Compare::Eq, a, b),
        Compare::Lt => Op::Compare(Compare::Le, b, a),
        Compare::Le => Op::Compare(Compare::Lt, b, a),
    }
}

fn step_unary(kernel: &Kernel, unary: Unary, a: ValueId) -> Option<Simpler> {
    match kernel.op(a) {
        Op::Word(known) => word(unary.apply(known)),
        Op::Unary(inner, original) => match (unary, inner) {
            (Unary::Negate, Unary::Negate)
            | (Unary::BitNot, Unary::BitNot)
            | (Unary::ReverseBits, Unary::ReverseBits) => value(original),
            (Unary::Popcount, Unary::ReverseBits) => op(Op::Unary(Unary::Popcount, original)),
            (Unary::Clz, Unary::ReverseBits) => op(Op::Unary(Unary::Ctz, original)),
            (Unary::Ctz, Unary::ReverseBits) => op(Op::Unary(Unary::Clz, original)),
            _ => None,
        },
        Op::Binary(Binary::Sub, left, right) if unary == Unary::Negate => op(Op::Binary(Binary::Sub, right, left)),
        _ => None,
    }
}

fn step_binary(kernel: &mut Kernel, binary: Binary, a: ValueId, b: ValueId) -> Option<Simpler> {
    match (kernel.as_word(a), kernel.as_word(b)) {
        (Some(left), Some(right)) => binary.apply(left, right).and_then(word),
        (None, Some(right)) => with_constant(kernel, binary, a, right),
        (Some(_), None) if binary.is_commutative() => op(Op::Binary(binary, b, a)),
        (Some(left), None) => match (binary, left) {
            (Binary::Sub, 0) => op(Op::Unary(Unary::Negate, b)),
            (Binary::Div | Binary::Mod | Binary::Shl | Binary::Shr, 0) => word(0),
            _ => None,
        },
        (None, None) if a == b => match binary {
            Binary::And | Binary::Or | Binary::Min | Binary::Max => value(a),
            Binary::Sub | Binary::Xor | Binary::AbsDiff | Binary::Mod => word(0),
            // A divisor is not 0.
            Binary::Div => word(1),
            Binary::Add | Binary::Mul | Binary::MulHi | Binary::Shl | Binary::Shr => None,
        },
        (None, None) => match (binary, kernel.op(a), kernel.op(b)) {
            (Binary::Add, _, Op::Unary(Unary::Negate, negated)) => op(Op::Binary(Binary::Sub, a, negated)),
            (Binary::Add, Op::Unary(Unary::Negate, negated), _) => op(Op::Binary(Binary::Sub, b, negated)),
            (Binary::Sub, _, Op::Unary(Unary::Negate, negated)) => op(Op::Binary(Binary::Add, a, negated)),
            (Binary::Sub, Op::Binary(Binary::Add, left, right), _) if left == b => value(right),
            (Binary::Sub, Op::Binary(Binary::Add, left, right), _) if right == b => value(left),
            (Binary::Add, Op::Binary(Binary::Sub, left, right), _) if right == b => value(left),
            _ => None,
        },
    }
}

/// Simplifies an operation whose second operand is a constant.
fn with_constant(kernel: &mut Kernel, binary: Binary, a: ValueId, b: u32) -> Option<Simpler> {
    const ONES: u32 = u32::MAX;
    match (binary, b) {
        (
            Binary::Add
            | Binary::Sub
            | Binary::Or
            | Binary::Xor
            | Binary::Shl
            | Binary::Shr
            | Binary::Max
            | Binary::AbsDiff,
            0,
        )
        | (Binary::Mul | Binary::Div, 1)
        | (Binary::And | Binary::Min, ONES) => return value(a),
        (Binary::Mul | Binary::MulHi | Binary::And | Binary::Min, 0) | (Binary::Mod | Binary::MulHi, 1) => {
            return word(0);
        }
        (Binary::Or | Binary::Max, ONES) => return word(ONES),
        (Binary::Xor, ONES) => return op(Op::Unary(Unary::BitNot, a)),
        (Binary::Mul, ONES) => return op(Op::Unary(Unary::Negate, a)),
        _ => {}
    }
    match (binary, kernel.op(a)) {
        // Two constants combine to one.
        (Binary::Add, Op::Binary(Binary::Add, x, c)) => {
            let c = kernel.as_word(c)?;
            reassociated(kernel, Binary::Add, x, b.wrapping_add(c))
        }
        (Binary::Add, Op::Binary(Binary::Sub, x, c)) => {
            let sum = b.wrapping_sub(kernel.as_word(c)?);
            reassociated(kernel, Binary::Add, x, sum)
        }
        (Binary::Sub, Op::Binary(Binary::Add, x, c)) => {
            let sum = kernel.as_word(c)?.wrapping_sub(b);
            reassociated(kernel, Binary::Add, x, sum)
        }
        (Binary::Sub, Op::Binary(Binary::Sub, x, c)) => {
            let sum = kernel.as_word(c)?.wrapping_add(b);
            reassociated(kernel, Binary::Sub, x, sum)
        }
        (Binary::Mul | Binary::And | Binary::Or | Binary::Xor | Binary::Min | Binary::Max, Op::Binary(inner, x, c))
            if inner == binary =>
        {
            let combined = binary.apply(kernel.as_word(c)?, b)?;
            reassociated(kernel, binary, x, combined)
        }
        (Binary::Shl | Binary::Shr, Op::Binary(inner, x, c)) if inner == binary => {
            // Both shift amounts are below 32.
            match kernel.as_word(c)? + b {
                amount @ 0..=31 => reassociated(kernel, binary, x, amount),
                _ => word(0),
            }
        }
        (Binary::And, _) if possible_ones(kernel, a) & !b == 0 => value(a),
        (Binary::And, _) if possible_ones(kernel, a) & b == 0 => word(0),
        (Binary::Min, _) if possible_ones(kernel, a) <= b => value(a),
        (Binary::Shr, _) if possible_ones(kernel, a) >> b == 0 => word(0),
        (Binary::Div, _) if possible_ones(kernel, a) < b => word(0),
        (Binary::Mod, _) if possible_ones(kernel, a) < b => value(a),
        _ => None,
    }
}

fn reassociated(kernel: &mut Kernel, binary: Binary, x: ValueId, constant: u32) -> Option<Simpler> {
    let constant = kernel.word(constant);
    op(Op::Binary(binary, x, constant))
}

/// Mask of the bits that can be one, which is also an upper bound of the value.
fn possible_ones(kernel: &Kernel, value: ValueId) -> u32 {
    match kernel.op(value) {
        Op::Word(known) => known,
        Op::ToWord(_) => 1,
        Op::Id(Id::Local, axis) => below(kernel.workgroup_size[usize::from(axis)]),
        Op::Unary(Unary::Popcount | Unary::Clz | Unary::Ctz, _) => 63,
        Op::Binary(Binary::And, _, b) => kernel.as_word(b).unwrap_or(u32::MAX),
        Op::Binary(Binary::Shr, _, b) => kernel.as_word(b).map_or(u32::MAX, |b| u32::MAX.checked_shr(b).unwrap_or(0)),
        Op::Binary(Binary::Shl, _, b) => kernel.as_word(b).map_or(u32::MAX, |b| u32::MAX.checked_shl(b).unwrap_or(0)),
        Op::Binary(Binary::Mod, _, b) => kernel.as_word(b).map_or(u32::MAX, below),
        Op::Binary(Binary::Min, _, b) => kernel.as_word(b).map_or(u32::MAX, |b| below(b.saturating_add(1))),
        _ => u32::MAX,
    }
}

/// Mask of the bits of all numbers below `end`.
fn below(end: u32) -> u32 {
    match end.saturating_sub(1) {
        0 => 0,
        last => u32::MAX >> last.leading_zeros(),
    }
}

fn step_compare(kernel: &mut Kernel, compare: Compare, a: ValueId, b: ValueId) -> Option<Simpler> {
    if a == b {
        return bool(matches!(compare, Compare::Eq | Compare::Le));
    }
    match (kernel.as_word(a), kernel.as_word(b)) {
        (Some(left), Some(right)) => bool(compare.apply(left, right)),
        (None, Some(right)) => compare_with(kernel, compare, a, right),
        (Some(left), None) => match (compare, left) {
            (Compare::Eq | Compare::Ne, _) => op(Op::Compare(compare, b, a)),
            (Compare::Lt, u32::MAX) => bool(false),
            (Compare::Le, 0) => bool(true),
            // 0 < b and 1 <= b mean b != 0.
            (Compare::Lt, 0) | (Compare::Le, 1) => {
                let zero = kernel.word(0);
                op(Op::Compare(Compare::Ne, b, zero))
            }
            (Compare::Lt, _) if left >= possible_ones(kernel, b) => bool(false),
            (Compare::Le, _) if left > possible_ones(kernel, b) => bool(false),
            _ => None,
        },
        (None, None) => match (compare, kernel.op(a), kernel.op(b)) {
            // A comparison of converted bools becomes an operation on bools only for equality.
            (Compare::Le, Op::Binary(Binary::Min, x, y), _) if x == b || y == b => bool(true),
            (Compare::Lt, _, Op::Binary(Binary::Min, x, y)) if x == a || y == a => bool(false),
            (Compare::Le, _, Op::Binary(Binary::Max, x, y)) if x == a || y == a => bool(true),
            (Compare::Lt, Op::Binary(Binary::Max, x, y), _) if x == b || y == b => bool(false),
            _ => None,
        },
    }
}

/// Simplifies a comparison whose second operand is a constant.
fn compare_with(kernel: &mut Kernel, compare: Compare, a: ValueId, b: u32) -> Option<Simpler> {
    let ones = possible_ones(kernel, a);
    match (compare, b) {
        (Compare::Lt, 0) => return bool(false),
        (Compare::Le, u32::MAX) => return bool(true),
        (Compare::Lt, 1) | (Compare::Le, 0) => {
            let zero = kernel.word(0);
            return op(Op::Compare(Compare::Eq, a, zero));
        }
        (Compare::Lt, _) if ones < b => return bool(true),
        (Compare::Le, _) if ones <= b => return bool(true),
        (Compare::Eq, _) if b & !ones != 0 => return bool(false),
        (Compare::Ne, _) if b & !ones != 0 => return bool(true),
        _ => {}
    }
    let wanted = match compare {
        Compare::Eq => true,
        Compare::Ne => false,
        Compare::Lt | Compare::Le => return None,
    };
    match (kernel.op(a), b) {
        (Op::ToWord(inner), 0 | 1) => {
            // The word is 1 if the bool is true.
            if (b == 1) == wanted { value(inner) } else { op(Op::Not(inner)) }
        }
        (Op::Binary(Binary::Sub | Binary::Xor | Binary::AbsDiff, x, y), 0) => op(Op::Compare(compare, x, y)),
        (Op::Binary(Binary::Add, x, c), _) => {
            let rest = b.wrapping_sub(kernel.as_word(c)?);
            let rest = kernel.word(rest);
            op(Op::Compare(compare, x, rest))
        }
        (Op::Binary(bitwise @ (Binary::And | Binary::Or), x, y), 0) if !wanted => {
            match (kernel.op(x), kernel.op(y), bitwise) {
                (Op::ToWord(x), Op::ToWord(y), Binary::And) => op(Op::Logic(Logic::And, x, y)),
                (Op::ToWord(x), Op::ToWord(y), _) => op(Op::Logic(Logic::Or, x, y)),
                _ => None,
            }
        }
        (Op::Unary(Unary::Negate | Unary::ReverseBits | Unary::Popcount, x), 0) => {
            let zero = kernel.word(0);
            op(Op::Compare(compare, x, zero))
        }
        _ => None,
    }
}

fn step_logic(kernel: &Kernel, logic: Logic, a: ValueId, b: ValueId) -> Option<Simpler> {
    if a == b {
        return value(a);
    }
    let decisive = logic == Logic::Or;
    for (known, other) in [(a, b), (b, a)] {
        if let Some(known) = kernel.as_bool(known) {
            return if known == decisive { bool(decisive) } else { value(other) };
        }
        if kernel.op(known) == Op::Not(other) {
            return bool(decisive);
        }
    }
    None
}

fn step_select(kernel: &mut Kernel, cond: ValueId, a: ValueId, b: ValueId) -> Option<Simpler> {
    if a == b {
        return value(a);
    }
    if let Some(known) = kernel.as_bool(cond) {
        return value(if known { a } else { b });
    }
    match (kernel.as_bool(a), kernel.as_bool(b)) {
        (Some(true), Some(false)) => return value(cond),
        (Some(false), Some(true)) => return op(Op::Not(cond)),
        (Some(true), None) => return op(Op::Logic(Logic::Or, cond, b)),
        (None, Some(false)) => return op(Op::Logic(Logic::And, cond, a)),
        _ => {}
    }
    if (kernel.as_word(a), kernel.as_word(b)) == (Some(1), Some(0)) {
        return op(Op::ToWord(cond));
    }
    // A nested select with the same condition takes the same arm.
    if let Op::Select(inner, chosen, _) = kernel.op(a)
        && inner == cond
    {
        return op(Op::Select(cond, chosen, b));
    }
    if let Op::Select(inner, _, chosen) = kernel.op(b)
        && inner == cond
    {
        return op(Op::Select(cond, a, chosen));
    }
    match kernel.op(cond) {
        Op::Not(opposite) => op(Op::Select(opposite, b, a)),
        // If the operands are equal, both arms are equal.
        Op::Compare(Compare::Eq, x, y) if (x, y) == (a, b) || (x, y) == (b, a) => value(b),
        Op::Compare(Compare::Ne, x, y) if (x, y) == (a, b) || (x, y) == (b, a) => value(a),
        Op::Compare(Compare::Lt | Compare::Le, x, y) if (x, y) == (a, b) => op(Op::Binary(Binary::Min, a, b)),
        Op::Compare(Compare::Lt | Compare::Le, x, y) if (x, y) == (b, a) => op(Op::Binary(Binary::Max, a, b)),
        _ => None,
    }
}
