//! Values.

use vyre_kernel::{Binary, Compare, Key as _, Logic, Op, Unary, ValueId};

use super::operand::{Held, Truth, Word, Words};
use super::{Emitter, line};

impl Emitter<'_> {
    /// Computes a value where it stands.
    pub(super) fn compute(&mut self, value: ValueId) {
        let held = match self.idioms.part(value) {
            Some(part) => self.idiom(part),
            None => self.op(value, self.kernel.op(value)),
        };
        self.values[value.position()] = held;
    }

    fn op(&mut self, value: ValueId, op: Op) -> Held {
        let word = |word: Word| Held::Words(Words::of([word]));
        match op {
            Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable => self.held(value),
            Op::Get(slot) => {
                let held = self.slots[slot.position()];
                let copy = self.new_held(self.kernel.slots[slot].ty);
                self.copy(copy, held);
                copy
            }
            Op::Unary(op, a) => {
                let a = self.word(a);
                word(self.unary(op, a))
            }
            Op::Binary(op, a, b) => {
                let [a, b] = [self.word(a), self.word(b)];
                let is_hidden = op == Binary::Sub && self.exposure.is_exposed(value);
                word(match b {
                    Word::Register(_) if is_hidden => self.hidden_difference(a, b),
                    _ => self.binary(op, [a, b]),
                })
            }
            Op::Compare(op, a, b) => {
                let (a, b) = (self.word(a), self.word(b));
                let test = match op {
                    Compare::Eq => "eq",
                    Compare::Ne => "ne",
                    Compare::Lt => "lt",
                    Compare::Le => "le",
                };
                Held::Truth(self.compared(test, a, b))
            }
            Op::Not(a) => {
                let a = self.truth(a);
                Held::Truth(self.not(a))
            }
            Op::Logic(op, a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                Held::Truth(match op {
                    Logic::And => self.both(a, b),
                    Logic::Or => self.either(a, b),
                })
            }
            Op::ToWord(a) => {
                let a = self.truth(a);
                word(self.selected(a, Word::Constant(1), Word::Constant(0)))
            }
            Op::Select(cond, a, b) => {
                let cond = self.truth(cond);
                match (self.held(a), self.held(b)) {
                    (Held::Words(a), Held::Words(b)) => {
                        let mut pairs = a.as_slice().iter().zip(b.as_slice());
                        let count = a.as_slice().len() as u32;
                        Held::Words(Words::from_fn(count, || match pairs.next() {
                            Some((&a, &b)) => self.selected(cond, a, b),
                            None => Word::Constant(0),
                        }))
                    }
                    _ => {
                        let (a, b) = (self.truth(a), self.truth(b));
                        let first = self.both(cond, a);
                        let otherwise = self.not(cond);
                        let second = self.both(otherwise, b);
                        Held::Truth(self.either(first, second))
                    }
                }
            }
            // Vectors are their words, so these need no instruction.
            Op::Extract(vector, lane) => {
                let words = self.words(vector);
                word(words.as_slice().get(usize::from(lane)).copied().unwrap_or(Word::Constant(0)))
            }
            Op::Pack2(lanes) => Held::Words(Words::of(lanes.map(|lane| self.word(lane)))),
            Op::Pack4(lanes) => Held::Words(Words::of(lanes.map(|lane| self.word(lane)))),
            Op::Load { buffer, index, guard } => Held::Words(self.load(buffer, index, guard)),
            Op::Atomic { op, buffer, index, expected, value: operand, guard } => {
                word(self.atomic(value, op, (buffer, index, guard), expected, operand))
            }
            Op::Collective(collective) => word(self.collective(collective)),
        }
    }

    fn unary(&mut self, op: Unary, a: Word) -> Word {
        match op {
            // Not as a negation, which the assembler would make part of a difference.
            Unary::Negate => self.computed("mul.lo.u32", &[a, Word::Constant(u32::MAX)]),
            Unary::BitNot => self.computed("not.b32", &[a]),
            Unary::Popcount => self.computed("popc.b32", &[a]),
            Unary::Clz => self.computed("clz.b32", &[a]),
            Unary::Ctz => {
                let reversed = self.computed("brev.b32", &[a]);
                self.computed("clz.b32", &[reversed])
            }
            Unary::ReverseBits => self.computed("brev.b32", &[a]),
        }
    }

    fn binary(&mut self, op: Binary, [a, b]: [Word; 2]) -> Word {
        let instruction = match op {
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

    /// A difference that the assembler cannot make part of something else, as the negative of the one the other way round.
    pub(super) fn hidden_difference(&mut self, a: Word, b: Word) -> Word {
        let opposite = self.computed("sub.u32", &[b, a]);
        self.computed("neg.s32", &[opposite])
    }

    pub(super) fn not(&mut self, truth: Truth) -> Truth {
        match truth {
            Truth::Constant(holds) => Truth::Constant(!holds),
            Truth::Register(_) => {
                let result = self.new_truth();
                line!(self, "not.pred {result}, {truth}");
                result
            }
        }
    }

    pub(super) fn both(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Constant(false), _) | (_, Truth::Constant(false)) => Truth::Constant(false),
            (Truth::Constant(true), other) | (other, Truth::Constant(true)) => other,
            _ => {
                let result = self.new_truth();
                line!(self, "and.pred {result}, {a}, {b}");
                result
            }
        }
    }

    fn either(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Constant(true), _) | (_, Truth::Constant(true)) => Truth::Constant(true),
            (Truth::Constant(false), other) | (other, Truth::Constant(false)) => other,
            _ => {
                let result = self.new_truth();
                line!(self, "or.pred {result}, {a}, {b}");
                result
            }
        }
    }

    /// `a` where the condition holds, else `b`.
    pub(super) fn selected(&mut self, cond: Truth, a: Word, b: Word) -> Word {
        match cond {
            Truth::Constant(holds) => {
                if holds {
                    a
                } else {
                    b
                }
            }
            Truth::Register(_) => {
                let result = self.new_word();
                line!(self, "selp.b32 {result}, {a}, {b}, {cond}");
                result
            }
        }
    }

    /// Puts a value into registers.
    pub(super) fn copy(&mut self, target: Held, source: Held) {
        match (target, source) {
            (Held::Words(target), Held::Words(source)) => {
                for (target, source) in target.as_slice().iter().zip(source.as_slice()) {
                    line!(self, "mov.u32 {target}, {source}");
                }
            }
            (Held::Truth(target), Held::Truth(source)) => {
                let source = self.predicate(source);
                line!(self, "mov.pred {target}, {source}");
            }
            // A kernel that keeps the rules of its form puts values into slots of their type.
            _ => {}
        }
    }
}
