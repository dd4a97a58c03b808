//! Values: the instructions that compute them.

use vyre_kernel::{Binary, Compare, Key as _, Logic, Op, ValueId};

use super::emitter::Emitter;
use super::idiom::Part;
use super::operand::{Operand, Word, Words};

impl Emitter<'_> {
    /// Computes a value.
    pub(super) fn compute(&mut self, value: ValueId) {
        let operand = match self.idioms.part(value) {
            Some(part) => self.idiom(part),
            None => self.op(value, self.kernel.op(value)),
        };
        self.values[value.position()] = operand;
    }

    fn op(&mut self, value: ValueId, op: Op) -> Operand {
        let word = |word: Word| Operand::Words(Words::of([word]));
        match op {
            Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable => self.operand(value),
            Op::Get(slot) => {
                let source = self.slots[slot.position()];
                let copy = self.new_operand(self.kernel.slots[slot].ty);
                self.copy(copy, source);
                copy
            }
            Op::Unary(op, a) => {
                let a = self.word(a);
                word(self.unary(op, a))
            }
            Op::Binary(op, a, b) => {
                let [a, b] = [self.word(a), self.word(b)];
                let is_opaque = op == Binary::Sub && self.workaround.is_needed(value);
                word(match b {
                    Word::Register(_) if is_opaque => self.opaque_difference(a, b),
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
                Operand::Predicate(self.compared(test, a, b))
            }
            Op::Not(a) => {
                let a = self.predicate(a);
                Operand::Predicate(self.not(a))
            }
            Op::Logic(op, a, b) => {
                let (a, b) = (self.predicate(a), self.predicate(b));
                Operand::Predicate(match op {
                    Logic::And => self.both(a, b),
                    Logic::Or => self.either(a, b),
                })
            }
            Op::ToWord(a) => {
                let a = self.predicate(a);
                word(self.selected(a, Word::Constant(1), Word::Constant(0)))
            }
            Op::Select(cond, a, b) => {
                let cond = self.predicate(cond);
                match (self.operand(a), self.operand(b)) {
                    (Operand::Words(a), Operand::Words(b)) => {
                        let mut pairs = a.as_slice().iter().zip(b.as_slice());
                        let count = a.as_slice().len() as u32;
                        Operand::Words(Words::from_fn(count, || match pairs.next() {
                            Some((&a, &b)) => self.selected(cond, a, b),
                            None => Word::Constant(0),
                        }))
                    }
                    _ => {
                        let (a, b) = (self.predicate(a), self.predicate(b));
                        let first = self.both(cond, a);
                        let otherwise = self.not(cond);
                        let second = self.both(otherwise, b);
                        Operand::Predicate(self.either(first, second))
                    }
                }
            }
            // A vector is a list of words, so these need no instruction.
            Op::Extract(vector, component) => {
                let words = self.words(vector);
                word(words.as_slice().get(usize::from(component)).copied().unwrap_or(Word::Constant(0)))
            }
            Op::Pack2(components) => Operand::Words(Words::of(components.map(|component| self.word(component)))),
            Op::Pack4(components) => Operand::Words(Words::of(components.map(|component| self.word(component)))),
            Op::Load { buffer, index, guard } => Operand::Words(self.load(buffer, index, guard)),
            Op::Atomic { op, buffer, index, expected, value: operand, guard } => {
                word(self.atomic(value, op, (buffer, index, guard), expected, operand))
            }
            Op::Collective(collective) => word(self.collective(collective)),
        }
    }

    /// Computes a value that is part of an idiom.
    fn idiom(&mut self, part: Part) -> Operand {
        let word = |word: Word| Operand::Words(Words::of([word]));
        match part {
            Part::Absorbed => Operand::Undefined,
            Part::Same(other) => self.operand(other),
            Part::Byte { buffer, byte, guard } => Operand::Words(self.load_byte(buffer, byte, guard)),
            Part::Funnel { low, high, from } => {
                let operands = [self.word(low), self.word(high), self.word(from)];
                word(self.computed("shf.r.wrap.b32", &operands))
            }
        }
    }
}
