//! Instructions of operators on words and predicates.

use vyre_kernel::{Binary, Unary};

use super::emitter::{Emitter, line};
use super::operand::{Operand, Predicate, Word};

impl Emitter<'_> {
    pub(super) fn unary(&mut self, op: Unary, a: Word) -> Word {
        match op {
            // As a product: the assembler may fuse a negation into a difference.
            Unary::Negate => self.computed("mul.lo.u32", &[a, Word::Constant(u32::MAX)]),
            Unary::BitNot => self.complement(a),
            Unary::Popcount => self.computed("popc.b32", &[a]),
            Unary::Clz => self.computed("clz.b32", &[a]),
            Unary::Ctz => {
                let reversed = self.computed("brev.b32", &[a]);
                self.computed("clz.b32", &[reversed])
            }
            Unary::ReverseBits => self.computed("brev.b32", &[a]),
        }
    }

    pub(super) fn binary(&mut self, op: Binary, [a, b]: [Word; 2]) -> Word {
        let instruction = match op {
            Binary::Xor if a == Word::Constant(u32::MAX) => return self.complement(b),
            Binary::Xor if b == Word::Constant(u32::MAX) => return self.complement(a),
            Binary::Add => "add.u32",
            Binary::Sub => "sub.u32",
            Binary::Mul => "mul.lo.u32",
            Binary::MulHi => "mul.hi.u32",
            Binary::Div => "div.u32",
            Binary::Mod => "rem.u32",
            Binary::And => "and.b32",
            Binary::Or => "or.b32",
            Binary::Xor => "xor.b32",
            Binary::Shl => "shl.b32",
            Binary::Shr => "shr.u32",
            Binary::Min => "min.u32",
            Binary::Max => "max.u32",
            Binary::AbsDiff => return self.computed("sad.u32", &[a, b, Word::Constant(0)]),
        };
        self.computed(instruction, &[a, b])
    }

    /// The bits of `a`, inverted, as the difference -1 - `a`.
    ///
    /// The assembler of driver 580 (CUDA 13.0) fuses `not.b32`, or `xor.b32` with -1, with an `and`, `or` or `xor` of the result. If a
    /// branch shows that `a` is a constant, the fused instruction uses `a` itself instead of its complement. It fuses `lop3.b32` too:
    /// if operands of a `lop3.b32` are equal, it replaces some by 0 without a change of the table, or crashes. CUDA 13.4 does not.
    fn complement(&mut self, a: Word) -> Word {
        match a {
            Word::Constant(bits) => Word::Constant(!bits),
            // The difference itself could become part of a minimum, as in `DifferenceWorkaround`.
            Word::Register(_) => self.opaque_difference(Word::Constant(u32::MAX), a),
        }
    }

    /// `a - b` in a form that the assembler does not fuse with other instructions: the negated difference `b - a`.
    pub(super) fn opaque_difference(&mut self, a: Word, b: Word) -> Word {
        let opposite = self.computed("sub.u32", &[b, a]);
        self.computed("neg.s32", &[opposite])
    }

    /// Negates a predicate.
    pub(super) fn not(&mut self, predicate: Predicate) -> Predicate {
        match predicate {
            Predicate::Constant(holds) => Predicate::Constant(!holds),
            Predicate::Register(_) => {
                let result = self.new_predicate();
                line!(self, "not.pred {result}, {predicate}");
                result
            }
        }
    }

    /// Conjunction of two predicates.
    pub(super) fn both(&mut self, a: Predicate, b: Predicate) -> Predicate {
        match (a, b) {
            (Predicate::Constant(false), _) | (_, Predicate::Constant(false)) => Predicate::Constant(false),
            (Predicate::Constant(true), other) | (other, Predicate::Constant(true)) => other,
            _ => {
                let result = self.new_predicate();
                line!(self, "and.pred {result}, {a}, {b}");
                result
            }
        }
    }

    /// Disjunction of two predicates.
    pub(super) fn either(&mut self, a: Predicate, b: Predicate) -> Predicate {
        match (a, b) {
            (Predicate::Constant(true), _) | (_, Predicate::Constant(true)) => Predicate::Constant(true),
            (Predicate::Constant(false), other) | (other, Predicate::Constant(false)) => other,
            _ => {
                let result = self.new_predicate();
                line!(self, "or.pred {result}, {a}, {b}");
                result
            }
        }
    }

    /// Selects `a` if the condition holds, `b` otherwise.
    pub(super) fn selected(&mut self, cond: Predicate, a: Word, b: Word) -> Word {
        match cond {
            Predicate::Constant(holds) => {
                if holds {
                    a
                } else {
                    b
                }
            }
            Predicate::Register(_) => {
                let result = self.new_word();
                line!(self, "selp.b32 {result}, {a}, {b}, {cond}");
                result
            }
        }
    }

    /// Copies a value to registers.
    pub(super) fn copy(&mut self, target: Operand, source: Operand) {
        match (target, source) {
            (Operand::Words(target), Operand::Words(source)) => {
                for (target, source) in target.as_slice().iter().zip(source.as_slice()) {
                    line!(self, "mov.u32 {target}, {source}");
                }
            }
            (Operand::Predicate(target), Operand::Predicate(source)) => {
                let source = self.predicate_register(source);
                line!(self, "mov.pred {target}, {source}");
            }
            // In a well-formed kernel source and target have the same type.
            _ => {}
        }
    }
}
