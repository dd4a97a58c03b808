//! Guarded accesses: tests of an index against a length or owner, with accesses that depend on them or only appear to.

use vyre_ir::{BinOp, DataType, Expr, Name, Node};

use super::buffers::{Buffer, Discipline};
use super::generator::{Context, Generator, Value};
use super::grid::Numbering;
use super::scope::Role;

/// Reports whether each invocation owns elements of the buffer.
pub(super) fn is_per_invocation(buffer: &Buffer) -> bool {
    matches!(buffer.discipline, Discipline::PerInvocation { .. })
}

impl Generator<'_> {
    /// `index < length` in one of its forms, or a similar condition.
    fn in_range(&mut self, index: Expr, buffer: usize) -> Expr {
        let other = self.random.below(self.buffers.len() as u32) as usize;
        let measured = if self.random.chance(80) { buffer } else { other };
        let length = self.length_of(measured);
        match self.random.below(12) {
            0..4 => index.lt(length),
            4 => length.gt(index),
            5 => index.ge(length).is_zero(),
            6 => index.le(length),
            7 => (index + self.random.between(1, 3)).lt(length),
            8 => index.lt(length - 1u32),
            9 => index.ne(length),
            10 => index.lt(self.buffers[buffer].length + self.random.below(2)),
            _ => index.lt(length.clone()).and(length.ne(0u32)),
        }
    }

    /// Emits a test of the index of an owned element and accesses to it. Other invocations return or do nothing.
    pub(super) fn guarded_own_element(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(is_per_invocation) else { return false };
        let Some(index) = self.let_index_of(buffer) else { return false };
        let name = self.buffer_name(buffer);
        if self.context.may_return && self.random.chance(60) {
            let out = match self.random.below(4) {
                0..2 => Expr::var(&index).ge(self.length_of(buffer)),
                2 => Expr::var(&index).gt(self.length_of(buffer)),
                _ => self.in_range(Expr::var(&index), buffer).is_zero(),
            };
            self.emit(Node::if_then(out, vec![Node::Return]));
            self.change_element(buffer, &name, &index);
            return true;
        }
        let cond = self.in_range(Expr::var(&index), buffer);
        let context = Context { is_uniform: false, ..self.context };
        let more = self.random.below(3);
        let then = self.nested(context, |g| {
            g.change_element(buffer, &name, &index);
            g.statements(more);
        });
        self.emit(Node::if_then(cond, then));
        true
    }

    /// Emits a read-modify-write of an element.
    pub(super) fn change_element(&mut self, buffer: usize, name: &Name, index: &Name) {
        let element = self.buffers[buffer].decl.element;
        let load = Expr::load(name, Expr::var(index));
        let value = match element {
            DataType::U32 => {
                let op = self.random.pick(BinOp::ALL);
                let operand = self.word(2).expr;
                Expr::binary(op, load, operand)
            }
            _ if self.random.chance(50) => {
                self.observe(element, load);
                self.value(element, 2, false).expr
            }
            _ => self.value(element, 3, false).expr,
        };
        self.emit(Node::store(name, Expr::var(index), value));
        if self.random.chance(30) {
            self.observe(element, Expr::load(name, Expr::var(index)));
        }
    }

    /// Emits a test of an index, and loads at the index and next to it.
    pub(super) fn guarded_load(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(Buffer::is_open_to_loads) else { return false };
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        let index = match self.random.below(4) {
            0 => self.number(Numbering::Linear),
            1 => self.number(Numbering::Local) - self.random.below(4),
            2 => Expr::LitU32(u32::MAX - self.random.below(4)) + self.number(Numbering::Local),
            _ => self.any_index(buffer, 2),
        };
        let index = self.let_constant(DataType::U32, Value::divergent(index), Role::Any);
        let cond = self.in_range(Expr::var(&index), buffer);
        let context = Context { is_uniform: false, ..self.context };
        let near = self.random.between(1, 3);
        let then = self.nested(context, |g| {
            g.observe(element, Expr::load(&name, Expr::var(&index)));
            match g.random.below(3) {
                0 => g.observe(element, Expr::load(&name, Expr::var(&index) + near)),
                1 => g.observe(element, Expr::load(&name, Expr::var(&index) - near)),
                _ => {}
            }
            g.statements(1);
        });
        self.emit(Node::if_then(cond, then));
        true
    }

    /// Emits a test of a variable that changes before its use.
    pub(super) fn guarded_then_changed(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(Buffer::is_open_to_loads) else { return false };
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        let start = self.any_index(buffer, 2);
        // No other statement assigns to it, which preserves the pattern.
        let index = self.let_constant(DataType::U32, Value::divergent(start), Role::Any);
        let cond = self.in_range(Expr::var(&index), buffer);
        let context = Context { is_uniform: false, ..self.context };
        let in_loop = self.random.chance(40);
        let then = self.nested(context, |g| {
            let step = match g.random.below(3) {
                0 => Expr::var(&index) + g.random.between(1, 9),
                1 => Expr::var(&index) * 3u32,
                _ => g.any_index(buffer, 2),
            };
            let load = Expr::load(&name, Expr::var(&index));
            let change = Node::assign(&index, step);
            if in_loop {
                let iterations = g.affordable_iterations(4);
                g.counted_loop(Expr::LitU32(iterations), iterations, |g, _| {
                    g.observe(element, load);
                    g.emit(change);
                });
            } else {
                g.emit(change);
                g.observe(element, load);
            }
        });
        self.emit(Node::if_then(cond, then));
        true
    }

    /// Emits an access to any element by the invocation that owns it.
    pub(super) fn tested_element(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(is_per_invocation) else { return false };
        let Discipline::PerInvocation { numbering, ownership } = self.buffers[buffer].discipline else { return false };
        let any = self.any_index(buffer, 2);
        let any = self.let_constant(DataType::U32, Value::divergent(any), Role::Any);
        let id = self.number(numbering);
        let Some(test) = ownership.test(id, Expr::var(&any), &mut self.random) else { return true };
        let context = Context { is_uniform: false, ..self.context };
        let name = self.buffer_name(buffer);
        let then = self.nested(context, |g| g.change_element(buffer, &name, &any));
        self.emit(Node::if_then(test, then));
        true
    }
}
