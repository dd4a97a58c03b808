//! Atomics on elements that an invocation owns, and commutative atomics on shared elements.

use vyre_ir::build::select;
use vyre_ir::{AtomicOp, AtomicScope, BinOp, DataType, Expr, Name, Node};

use super::buffers::{Buffer, Discipline, Phase};
use super::generator::{Generator, Value};
use super::scope::Role;

impl Generator<'_> {
    /// An atomic on an owned element. Its result is deterministic.
    pub(super) fn own_atomic(&mut self, depth: u32) -> Option<Expr> {
        let buffer = self.pick_atomic_buffer(|buffer| match buffer.discipline {
            Discipline::PerInvocation { .. } | Discipline::SingleInvocation(_) | Discipline::Constant => true,
            Discipline::Phased { .. } => !matches!(buffer.phase, Phase::Update(_)),
            _ => false,
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
        let expected = op.takes_expected().then(|| match self.random.below(3) {
            0 => Expr::LitU32(self.random.below(3)),
            1 => Expr::load(name, index.clone()),
            _ => self.word(depth.min(1)).expr,
        });
        let value = op.takes_value().then(|| self.word(depth.min(2)).expr);
        self.atomic_on(buffer, op, index, expected, value)
    }

    /// A buffer with atomics. Workgroup memory is rarer than storage, so it is preferred.
    fn pick_atomic_buffer(&mut self, may: impl Fn(&Buffer) -> bool) -> Option<usize> {
        let in_scope = |buffer: &Buffer, scope| buffer.atomic_scope() == Some(scope) && may(buffer);
        if self.random.chance(70)
            && let Some(buffer) = self.pick_buffer(|buffer| in_scope(buffer, AtomicScope::Workgroup))
        {
            return Some(buffer);
        }
        self.pick_buffer(|buffer| buffer.atomic_scope().is_some() && may(buffer))
    }

    /// An atomic of the scope of a buffer.
    pub(super) fn atomic_on(
        &self,
        buffer: usize,
        op: AtomicOp,
        index: Expr,
        expected: Option<Expr>,
        value: Option<Expr>,
    ) -> Expr {
        let scope = self.buffers[buffer].atomic_scope();
        let (buffer, index) = (self.buffer_name(buffer), Box::new(index));
        let (expected, value) = (expected.map(Box::new), value.map(Box::new));
        match scope {
            Some(AtomicScope::Workgroup) => Expr::WorkgroupAtomic { op, buffer, index, expected, value },
            Some(AtomicScope::Storage) | None => Expr::Atomic { op, buffer, index, expected, value },
        }
    }

    /// A commutative atomic. Its result is nondeterministic.
    fn accident(&mut self, depth: u32) -> Option<Expr> {
        if self.context.in_op {
            return None;
        }
        let buffer = self.pick_atomic_buffer(|buffer| match buffer.discipline {
            Discipline::Commutative { .. } | Discipline::SameValue { .. } => true,
            _ => matches!(buffer.phase, Phase::Update(_)),
        })?;
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
                Some(self.update(op, buffer, index, only_loads, depth))
            }
            (Discipline::SameValue { value, expected }, _) => {
                let index = self.any_index(buffer, depth.min(3));
                let op = match expected {
                    _ if only_loads => AtomicOp::Load,
                    Some(_) => AtomicOp::CompareExchange,
                    None => self.random.pick(&[AtomicOp::Store, AtomicOp::Exchange]),
                };
                let expected = expected.filter(|_| op.takes_expected()).map(Expr::LitU32);
                let value = op.takes_value().then_some(Expr::LitU32(value));
                Some(self.atomic_on(buffer, op, index, expected, value))
            }
            (Discipline::Phased { .. }, Phase::Update(op)) => {
                let index = self.update_index(buffer, depth.min(3));
                Some(self.update(op, buffer, index, only_loads, depth))
            }
            _ => None,
        }
    }

    /// Index of any element of a phased buffer that belongs to the workgroup.
    pub(super) fn update_index(&mut self, buffer: usize, depth: u32) -> Expr {
        match self.buffers[buffer].discipline {
            Discipline::Phased { extent: Some(extent) } => {
                let local = self.bounded(extent, depth);
                self.in_slice(extent, local)
            }
            _ => self.any_index(buffer, depth),
        }
    }

    fn update(&mut self, op: AtomicOp, buffer: usize, index: Expr, only_loads: bool, depth: u32) -> Expr {
        if only_loads {
            return self.atomic_on(buffer, AtomicOp::Load, index, None, None);
        }
        let value = match self.random.below(3) {
            0 => Expr::LitU32(self.random.number()),
            _ => self.word(depth.min(3)).expr,
        };
        self.atomic_on(buffer, op, index, None, Some(value))
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
