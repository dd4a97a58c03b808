//! Strength reduction of multiplications, divisions and remainders by constants.
//!
//! Division by a constant is multiplication by its reciprocal (Granlund and Montgomery, "Division by invariant integers
//! using multiplication", PLDI 1994).

use super::pass::Pass;
use crate::ids::{BlockId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Binary, Op};

/// The pass.
pub(super) const PASS: Pass = Pass {
    name: "strength",
    summary: "Replaces multiplications and divisions by constants with shifts, masks and high products.",
    run,
};

fn run(kernel: &mut Kernel) -> bool {
    let mut changed = false;
    let mut pending: Vec<BlockId> = vec![kernel.entry];
    while let Some(block) = pending.pop() {
        let statements = kernel.take_block(block);
        let mut out = Vec::with_capacity(statements.len());
        for statement in statements {
            pending.extend(statement.blocks());
            if let Statement::Let(value) = statement
                && let Op::Binary(op, a, b) = kernel.op(value)
                && let Some(constant) = kernel.as_word(b)
                && let Some(reduced) = reduce(kernel, op, a, constant, &mut out)
            {
                kernel.values[value].op = reduced;
                changed = true;
            }
            out.push(statement);
        }
        kernel.blocks[block].statements = out;
    }
    changed
}

/// Cheaper equivalent of an operation. Its operands are appended to `out`.
fn reduce(kernel: &mut Kernel, op: Binary, a: ValueId, constant: u32, out: &mut Vec<Statement>) -> Option<Op> {
    match op {
        // Folding handles 0 and 1.
        _ if constant <= 1 => None,
        Binary::Mul if constant.is_power_of_two() => {
            Some(Op::Binary(Binary::Shl, a, kernel.word(constant.trailing_zeros())))
        }
        Binary::Div if constant.is_power_of_two() => {
            Some(Op::Binary(Binary::Shr, a, kernel.word(constant.trailing_zeros())))
        }
        Binary::Mod if constant.is_power_of_two() => Some(Op::Binary(Binary::And, a, kernel.word(constant - 1))),
        Binary::MulHi if constant.is_power_of_two() => {
            Some(Op::Binary(Binary::Shr, a, kernel.word(32 - constant.trailing_zeros())))
        }
        Binary::Div => Some(quotient(kernel, a, constant, out)),
        Binary::Mod => {
            let quotient = quotient(kernel, a, constant, out);
            let quotient = emit(kernel, out, quotient);
            let divisor = kernel.word(constant);
            let multiple = emit(kernel, out, Op::Binary(Binary::Mul, quotient, divisor));
            Some(Op::Binary(Binary::Sub, a, multiple))
        }
        _ => None,
    }
}

fn emit(kernel: &mut Kernel, out: &mut Vec<Statement>, op: Op) -> ValueId {
    let value = kernel.new_value(op);
    out.push(Statement::Let(value));
    value
}

/// Reciprocal of a constant that is not a power of two: the quotient is the shifted high word of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Multiplier {
    multiplier: u32,
    /// True if the multiplier has 33 bits; then half the difference to the dividend is added before the shift.
    is_wide: bool,
    shift: u32,
}

/// Computes the reciprocal. With `l` the number of bits of `divisor - 1`, the quotient is the product with
/// `ceil(2^(32 + l) / divisor)`, shifted right by `32 + l` bits. A smaller shift is exact if the error of the multiplier
/// times any dividend is below one.
fn multiplier(divisor: u32) -> Multiplier {
    let bits = 32 - (divisor - 1).leading_zeros();
    let wide = u128::from(divisor);
    for shift in 0..bits {
        let power = 1u128 << (32 + shift);
        let candidate = power.div_ceil(wide);
        if candidate < 1 << 32 && candidate * wide - power <= 1 << shift {
            return Multiplier { multiplier: candidate as u32, is_wide: false, shift };
        }
    }
    let candidate = (1u128 << (32 + bits)).div_ceil(wide);
    Multiplier { multiplier: (candidate - (1 << 32)) as u32, is_wide: true, shift: bits - 1 }
}

/// Last operation of a division by a constant above 1 that is not a power of two.
fn quotient(kernel: &mut Kernel, a: ValueId, divisor: u32, out: &mut Vec<Statement>) -> Op {
    let Multiplier { multiplier, is_wide, shift } = multiplier(divisor);
    let multiplier = kernel.word(multiplier);
    let high = Op::Binary(Binary::MulHi, a, multiplier);
    if !is_wide {
        if shift == 0 {
            return high;
        }
        let high = emit(kernel, out, high);
        return Op::Binary(Binary::Shr, high, kernel.word(shift));
    }
    let high = emit(kernel, out, high);
    let difference = emit(kernel, out, Op::Binary(Binary::Sub, a, high));
    let one = kernel.word(1);
    let half = emit(kernel, out, Op::Binary(Binary::Shr, difference, one));
    let sum = Op::Binary(Binary::Add, half, high);
    if shift == 0 {
        return sum;
    }
    let sum = emit(kernel, out, sum);
    Op::Binary(Binary::Shr, sum, kernel.word(shift))
}

#[cfg(test)]
mod tests {
    use super::{Multiplier, multiplier};

    fn divide(a: u32, divisor: u32) -> u32 {
        let Multiplier { multiplier, is_wide, shift } = multiplier(divisor);
        let high = ((u64::from(a) * u64::from(multiplier)) >> 32) as u32;
        if is_wide { (((a - high) >> 1) + high) >> shift } else { high >> shift }
    }

    #[test]
    fn quotients_are_exact_at_the_edges_of_every_multiple() {
        let divisors =
            (3..3000).chain((0..3000).map(|below| u32::MAX - below)).chain((2..32).map(|bit| (1 << bit) + 1));
        for divisor in divisors.filter(|divisor| !divisor.is_power_of_two()) {
            let last = u32::MAX / divisor;
            for multiple in (0..50.min(last)).chain(last.saturating_sub(50)..=last).chain([last / 2, last / 3]) {
                let multiple = multiple * divisor;
                for a in [multiple.wrapping_sub(1), multiple, multiple.wrapping_add(1), u32::MAX, u32::MAX - 1] {
                    assert_eq!(divide(a, divisor), a / divisor, "{a} / {divisor}");
                }
            }
        }
    }
}
