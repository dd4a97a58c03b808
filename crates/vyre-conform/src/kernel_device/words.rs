//! Operators on registers, written from the specification.

use vyre_ir::{AtomicOp, ReduceOp};
use vyre_kernel::{Binary, Compare, Logic, Unary};

pub(super) fn unary(op: Unary, a: &[u32], out: &mut [u32]) {
    match op {
        Unary::Negate => map(a, out, |a| (!a).wrapping_add(1)),
        Unary::BitNot => map(a, out, |a| a ^ u32::MAX),
        Unary::Popcount => map(a, out, u32::count_ones),
        Unary::Clz => map(a, out, u32::leading_zeros),
        Unary::Ctz => map(a, out, u32::trailing_zeros),
        Unary::ReverseBits => map(a, out, u32::reverse_bits),
    }
}

/// Binary operators. Operands that the kernel form excludes give an arbitrary result; the caller must check for them.
pub(super) fn binary(op: Binary, a: &[u32], b: &[u32], out: &mut [u32]) {
    match op {
        Binary::Add => zip(a, b, out, u32::wrapping_add),
        Binary::Sub => zip(a, b, out, u32::wrapping_sub),
        Binary::Mul => zip(a, b, out, u32::wrapping_mul),
        Binary::MulHi => zip(a, b, out, |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        Binary::Div => zip(a, b, out, |a, b| a / b.max(1)),
        Binary::Mod => zip(a, b, out, |a, b| a % b.max(1)),
        Binary::And => zip(a, b, out, |a, b| a & b),
        Binary::Or => zip(a, b, out, |a, b| a | b),
        Binary::Xor => zip(a, b, out, |a, b| a ^ b),
        Binary::Shl => zip(a, b, out, u32::wrapping_shl),
        Binary::Shr => zip(a, b, out, u32::wrapping_shr),
        Binary::Min => zip(a, b, out, std::cmp::min),
        Binary::Max => zip(a, b, out, std::cmp::max),
        Binary::AbsDiff => zip(a, b, out, |a, b| a.max(b) - a.min(b)),
    }
}

/// Reports whether the kernel form excludes a right operand.
pub(super) fn is_excluded(op: Binary, b: u32) -> bool {
    match op {
        Binary::Div | Binary::Mod => b == 0,
        Binary::Shl | Binary::Shr => b > 31,
        Binary::Add
        | Binary::Sub
        | Binary::Mul
        | Binary::MulHi
        | Binary::And
        | Binary::Or
        | Binary::Xor
        | Binary::Min
        | Binary::Max
        | Binary::AbsDiff => false,
    }
}

pub(super) fn compare(op: Compare, a: &[u32], b: &[u32], out: &mut [u32]) {
    match op {
        Compare::Eq => zip(a, b, out, |a, b| u32::from(a == b)),
        Compare::Ne => zip(a, b, out, |a, b| u32::from(a != b)),
        Compare::Lt => zip(a, b, out, |a, b| u32::from(a < b)),
        Compare::Le => zip(a, b, out, |a, b| u32::from(a <= b)),
    }
}

pub(super) fn logic(op: Logic, a: &[u32], b: &[u32], out: &mut [u32]) {
    match op {
        Logic::And => zip(a, b, out, |a, b| a & b),
        Logic::Or => zip(a, b, out, |a, b| a | b),
    }
}

pub(super) fn select(cond: &[u32], a: &[u32], b: &[u32], out: &mut [u32]) {
    for (((out, &cond), &a), &b) in out.iter_mut().zip(cond).zip(a).zip(b) {
        *out = if cond == 0 { b } else { a };
    }
}

/// New value of a word after an atomic.
pub(super) fn updated(op: AtomicOp, before: u32, expected: u32, value: u32) -> u32 {
    match op {
        AtomicOp::Add => before.wrapping_add(value),
        AtomicOp::Or => before | value,
        AtomicOp::And => before & value,
        AtomicOp::Xor => before ^ value,
        AtomicOp::Min => before.min(value),
        AtomicOp::Max => before.max(value),
        AtomicOp::Exchange | AtomicOp::Store => value,
        AtomicOp::CompareExchange => {
            if before == expected {
                value
            } else {
                before
            }
        }
        AtomicOp::Load => before,
    }
}

/// Identity element of a reduction.
pub(super) fn identity(op: ReduceOp) -> u32 {
    match op {
        ReduceOp::Add | ReduceOp::Max | ReduceOp::Or | ReduceOp::Xor => 0,
        ReduceOp::Min | ReduceOp::And => u32::MAX,
    }
}

pub(super) fn combine(op: ReduceOp, a: u32, b: u32) -> u32 {
    match op {
        ReduceOp::Add => a.wrapping_add(b),
        ReduceOp::Min => a.min(b),
        ReduceOp::Max => a.max(b),
        ReduceOp::And => a & b,
        ReduceOp::Or => a | b,
        ReduceOp::Xor => a ^ b,
    }
}

#[inline]
pub(super) fn map(a: &[u32], out: &mut [u32], op: impl Fn(u32) -> u32) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = op(a);
    }
}

#[inline]
fn zip(a: &[u32], b: &[u32], out: &mut [u32], op: impl Fn(u32, u32) -> u32) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = op(a, b);
    }
}
