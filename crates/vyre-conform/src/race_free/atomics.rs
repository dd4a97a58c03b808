//! Atomics on elements that an invocation owns, and commutative atomics on shared elements.

use vyre_ir::build::select;
use vyre_ir::{AtomicOp, BinOp, DataType, Expr, Name, Node};

use super::buffers::{Discipline, Phase};
use super::generator::{Generator, Value};
use super::scope::Role;

impl Generator<'_> {
    /// An atomic on an owned element. Its result is deterministic.
    pub(super) fn own_atomic(&mut self, depth: u32) -> Option<Expr> {
        let buffer = self.pick_buffer(|buffer| {
            let owned = match buffer.discipline {
                Discipline::PerInvocation { .. } | Discipline::SingleInvocation(_) | Discipline::Constant => true,
                Discipline::Phased { .. } => !matches!(buffer.phase, Phase::Update(_)),
                _ => false,
            };
            owned && buffer.has_atomics()
        })?;
        let read_only =
            self.buffers[buffer].discipline == Discipline::Constant || self.buffers[buffer].phase == Phase::Shared;
        let op = if read_only { AtomicOp::Load } else { self.random.pick(AtomicOp::ALL) };
        let index = self.index(buffer, op != AtomicOp::Load, depth.min(2))?;
        Some(self.atomic(op, buffer, index, depth))
    }

    /// An atomic with arbitrary operands. A compare-exchange expects small numbers or the current value.
    fn atomic(&mut self, op: AtomicOp, buffer: usize, index: Expr, depth: u32) -> Expr {
        let name = self.buffer_name(buffer);
        match op {
            AtomicOp::Load => Expr::atomic_load(name, index),
            AtomicOp::CompareExchange => {
                let expected = match self.random.below(3) {
                    0 => Expr::LitU32(self.random.below(3)),
                    1 => Expr::load(name.clone(), index.clone()),
                    _ => self.word(depth.min(1)).expr,
                };
                let value = self.word(depth.min(2)).expr;
                Expr::atomic_compare_exchange(name, index, expected, value)
            }
            _ => {
                let value = self.word(depth.min(2)).expr;
                Expr::atomic(op, name, index, value)
            }
        }
    }

    /// A commutative atomic. Its result is nondeterministic.
    fn accident(&mut self, depth: u32) -> Option<Expr> {
        if self.context.in_op {
            return None;
        }
        let buffer = self.pick_buffer(|buffer| match buffer.discipline {
            Discipline::Commutative { .. } | Discipline::SameValue { .. } => true,
            _ => matches!(buffer.phase, Phase::Update(_)),
        })?;
        let name = self.buffer_name(buffer);
        let only_loads = self.random.chance(6);
        match (self.buffers[buffer].discipline, self.buffers[buffer].phase) {
            (Discipline::Commutative { even, odd }, _) => {
                let any = self.any_index(buffer, depth.min(3));
                let (op, index) = match (even == odd, self.random.below(4)) {
                    (true, _) => (even, any),
                    (_, 0) => (even, any & 0xffff_fffeu32),
                    (_, 1) => (even, any << 1u32),
                    (_, 2) => (odd, any * 2u32 + 1u32),
                    _ => (odd, any | 1u32),
                };
                Some(self.update(op, name, index, only_loads, depth))
            }
            (Discipline::SameValue { value, expected }, _) => {
                let index = self.any_index(buffer, depth.min(3));
                Some(match expected {
                    _ if only_loads => Expr::atomic_load(name, index),
                    Some(expected) => Expr::atomic_compare_exchange(name, index, expected, value),
                    None => {
                        let op = self.random.pick(&[AtomicOp::Store, AtomicOp::Exchange]);
                        Expr::atomic(op, name, index, value)
                    }
                })
            }
            (Discipline::Phased { extent: Some(extent) }, Phase::Update(op)) => {
                let local = self.bounded(extent, depth.min(3));
                let index = self.in_slice(extent, local);
                Some(self.update(op, name, index, only_loads, depth))
            }
            _ => None,
        }
    }

    fn update(&mut self, op: AtomicOp, name: Name, index: Expr, only_loads: bool, depth: u32) -> Expr {
        if only_loads {
            return Expr::atomic_load(name, index);
        }
        let value = match self.random.below(3) {
            0 => Expr::LitU32(self.random.number()),
            _ => self.word(depth.min(3)).expr,
        };
        Expr::atomic(op, name, index, value)
    }

    /// Emits an atomic and discards its result.
    pub(super) fn accident_statement(&mut self, depth: u32) -> bool {
        let Some(accident) = self.accident(depth) else { return false };
        if self.random.chance(70) {
            self.emit(Node::let_bind(Name::DISCARD, accident));
        } else {
            self.let_constant(DataType::U32, Value::divergent(accident), Role::Nondeterministic);
        }
        true
    }

    /// An expression that contains a nondeterministic result and does not depend on it.
    pub(super) fn harmless_accident(&mut self, depth: u32) -> Option<Expr> {
        let accident = match self.scope.with_role(&mut self.random, Role::Nondeterministic) {
            Some(name) if self.random.chance(40) => Expr::var(name),
            _ => self.accident(depth)?,
        };
        let is_variable = matches!(accident, Expr::Var(_));
        let with = |op: BinOp, right: u32| Expr::binary(op, accident.clone(), right);
        Some(match self.random.below(16) {
            0 => with(BinOp::Mul, 0),
            1 => with(BinOp::BitAnd, 0),
            2 => with(BinOp::BitOr, u32::MAX),
            3 => with(BinOp::Min, 0),
            4 => with(BinOp::Max, u32::MAX),
            5 => with(BinOp::Div, 0),
            6 => with(BinOp::Mod, 0),
            7 => with(BinOp::Mod, 1),
            8 => with(BinOp::MulHi, 1),
            9 => with(BinOp::Lt, 0),
            10 => with(BinOp::Ge, 0),
            11 => with(BinOp::And, 0),
            12 => with(BinOp::Or, 1),
            13 => {
                let other = self.word(depth.min(2)).expr;
                select(false, accident, other)
            }
            14 if is_variable => accident.clone() - accident,
            15 if is_variable => accident.clone().eq(accident),
            _ => Expr::binary(BinOp::BitAnd, 0u32, accident),
        })
    }
}
