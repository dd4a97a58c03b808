//! Operations of one invocation, or of the workgroup.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use vyre_kernel::{Binary, Compare, Id, Key, Logic, Op, Unary, ValueId};

use super::{Emitter, Words};
use crate::storage::{StorageClass, storage_words};

/// Cranelift's condition code of a comparison.
pub(super) fn condition(compare: Compare) -> IntCC {
    match compare {
        Compare::Eq => IntCC::Equal,
        Compare::Ne => IntCC::NotEqual,
        Compare::Lt => IntCC::UnsignedLessThan,
        Compare::Le => IntCC::UnsignedLessThanOrEqual,
    }
}

impl Emitter<'_, '_> {
    /// Words of an operand.
    pub(super) fn operand(&mut self, value: ValueId) -> Words {
        let word = match self.kernel.op(value) {
            Op::Word(word) => self.builder.ins().iconst(types::I32, i64::from(word)),
            Op::Bool(value) => self.builder.ins().iconst(types::I8, i64::from(value)),
            Op::Id(id, axis) => self.id_word(id, usize::from(axis)),
            Op::Length(buffer) => self.length(buffer),
            _ => match (self.plan.values[value.position()], self.words[value.position()]) {
                (StorageClass::Spilled { offset, .. }, _) => return self.load_spilled(offset, self.kernel.ty(value)),
                (StorageClass::InvocationArray { offset }, _) if self.plan.is_loaded_at_use[value.position()] => {
                    return self.load_words(offset, self.kernel.ty(value), self.invocation.index);
                }
                (_, Some(words)) => return words,
                // The plan spills values that another region computes, so every operand has words.
                (_, None) => self.builder.ins().iconst(types::I32, 0),
            },
        };
        [word; 4]
    }

    /// An id of the invocation that runs.
    pub(super) fn id_word(&mut self, id: Id, axis: usize) -> ir::Value {
        match id {
            Id::Workgroup => self.workgroup[axis],
            Id::NumWorkgroups => self.grid[axis],
            Id::Local | Id::Invocation if self.kernel.workgroup_size[axis] == 1 => match id {
                Id::Local => self.builder.ins().iconst(types::I32, 0),
                _ => self.workgroup[axis],
            },
            Id::Local => self.invocation.ids[axis],
            Id::Invocation => {
                let size = self.kernel.workgroup_size[axis];
                let first = self.builder.ins().imul_imm_u(self.workgroup[axis], i64::from(size));
                self.builder.ins().iadd(first, self.invocation.ids[axis])
            }
        }
    }

    /// Computes a value of the invocation that runs, or of the workgroup.
    pub(super) fn compute(&mut self, value: ValueId) {
        let words = if self.holds_in_loop(value) {
            [self.builder.ins().iconst(types::I8, 1); 4]
        } else {
            let Some(words) = self.result(self.kernel.op(value)) else { return };
            words
        };
        self.words[value.position()] = Some(words);
        if let Some(offset) = self.array_of(value) {
            let ty = self.kernel.ty(value);
            self.spill_words(offset, ty, words);
        }
        self.store_if_spilled(value);
    }

    /// Stores a value that is in a register, if its storage class is memory.
    pub(super) fn store_if_spilled(&mut self, value: ValueId) {
        let class = self.plan.values[value.position()];
        if let (StorageClass::Spilled { offset, .. }, Some(words)) = (class, self.words[value.position()]) {
            self.store_spilled(offset, self.kernel.ty(value), words);
        }
    }

    /// Result of an operation; `None` for leaves and collectives.
    pub(super) fn result(&mut self, op: Op) -> Option<Words> {
        Some(match op {
            Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable | Op::Collective(_) => {
                return None;
            }
            Op::Get(slot) => self.get(slot),
            Op::Unary(unary, a) => {
                let a = self.operand(a)[0];
                [self.unary(unary, a); 4]
            }
            Op::Binary(binary, a, b) => {
                let (a, mut b) = (self.operand(a)[0], self.operand(b)[0]);
                if let (Binary::Div | Binary::Mod, Some(is_active)) = (binary, self.is_active) {
                    // An inactive invocation may have a divisor of 0.
                    let one = self.builder.ins().iconst(types::I32, 1);
                    b = self.builder.ins().select(is_active, b, one);
                }
                [self.binary(binary, a, b); 4]
            }
            Op::Compare(compare, a, b) => {
                let (a, b) = (self.operand(a)[0], self.operand(b)[0]);
                let condition = condition(compare);
                [self.builder.ins().icmp(condition, a, b); 4]
            }
            Op::Not(a) => {
                let a = self.operand(a)[0];
                [self.builder.ins().bxor_imm_u(a, 1); 4]
            }
            Op::Logic(logic, a, b) => {
                let (a, b) = (self.operand(a)[0], self.operand(b)[0]);
                let word = match logic {
                    Logic::And => self.builder.ins().band(a, b),
                    Logic::Or => self.builder.ins().bor(a, b),
                };
                [word; 4]
            }
            Op::ToWord(a) => {
                let a = self.operand(a)[0];
                [self.builder.ins().uextend(types::I32, a); 4]
            }
            Op::Select(cond, a, b) => {
                let cond = self.operand(cond)[0];
                let count = storage_words(self.kernel.ty(a)) as usize;
                let (a, b) = (self.operand(a), self.operand(b));
                let mut chosen = [self.builder.ins().select(cond, a[0], b[0]); 4];
                for at in 1..count {
                    chosen[at] = self.builder.ins().select(cond, a[at], b[at]);
                }
                chosen
            }
            Op::Extract(vector, component) => {
                let vector = self.operand(vector);
                [vector[usize::from(component) % 4]; 4]
            }
            Op::Pack2([a, b]) => {
                let (a, b) = (self.operand(a)[0], self.operand(b)[0]);
                [a, b, a, a]
            }
            Op::Pack4(components) => components.map(|component| self.operand(component)[0]),
            Op::Load { buffer, index, guard } => self.load(buffer, index, guard),
            Op::Atomic { op, buffer, index, expected, value, guard } => {
                [self.atomic(op, (buffer, index), expected, value, guard); 4]
            }
        })
    }

    fn unary(&mut self, unary: Unary, a: ir::Value) -> ir::Value {
        match unary {
            Unary::Negate => self.builder.ins().ineg(a),
            Unary::BitNot => self.builder.ins().bnot(a),
            Unary::Popcount => self.builder.ins().popcnt(a),
            Unary::Clz => self.builder.ins().clz(a),
            Unary::Ctz => self.builder.ins().ctz(a),
            Unary::ReverseBits => self.builder.ins().bitrev(a),
        }
    }

    pub(super) fn binary(&mut self, binary: Binary, a: ir::Value, b: ir::Value) -> ir::Value {
        match binary {
            Binary::Add => self.builder.ins().iadd(a, b),
            Binary::Sub => self.builder.ins().isub(a, b),
            Binary::Mul => self.builder.ins().imul(a, b),
            Binary::MulHi => {
                let (a, b) = (self.builder.ins().uextend(types::I64, a), self.builder.ins().uextend(types::I64, b));
                let product = self.builder.ins().imul(a, b);
                let high = self.builder.ins().ushr_imm_u(product, 32);
                self.builder.ins().ireduce(types::I32, high)
            }
            Binary::Div => self.builder.ins().udiv(a, b),
            Binary::Mod => self.builder.ins().urem(a, b),
            Binary::And => self.builder.ins().band(a, b),
            Binary::Or => self.builder.ins().bor(a, b),
            Binary::Xor => self.builder.ins().bxor(a, b),
            Binary::Shl => self.builder.ins().ishl(a, b),
            Binary::Shr => self.builder.ins().ushr(a, b),
            Binary::Min => self.builder.ins().umin(a, b),
            Binary::Max => self.builder.ins().umax(a, b),
            Binary::AbsDiff => {
                let less = self.builder.ins().icmp(IntCC::UnsignedLessThan, a, b);
                let (up, down) = (self.builder.ins().isub(b, a), self.builder.ins().isub(a, b));
                self.builder.ins().select(less, up, down)
            }
        }
    }
}
