//! Choice of the next statement, and statements without bodies.

use vyre_ir::build::pack;
use vyre_ir::{BinOp, DataType, Expr, Name, Node};

use super::buffers::{Buffer, Discipline, Phase, value_type};
use super::generator::{Context, Generator, OpenLoop, Value};
use super::grid::Numbering;
use super::scope::{Local, Role};

#[derive(Clone, Copy, Debug)]
enum Kind {
    Let,
    LetIndex,
    Assign,
    Store,
    Nondeterministic,
    OwnAtomic,
    Collective,
    Barrier,
    If,
    Loop,
    Block,
    OneOnly,
    Departure,
    Digest,
    Pattern,
    Shape,
    Dead,
}

impl Generator<'_> {
    /// Emits up to `count` statements.
    pub(super) fn statements(&mut self, count: u32) {
        for _ in 0..count {
            if self.is_spent() {
                return;
            }
            self.statement();
        }
    }

    pub(super) fn statement(&mut self) {
        let in_uniform = |weight: u32| if self.context.is_uniform { weight } else { 0 };
        let in_entry = |weight: u32| if self.context.in_op { 0 } else { weight };
        let deeper = if self.context.depth < 6 { 1 } else { 0 };
        let departs = if self.loops.is_empty() && !self.context.may_return { 1 } else { 6 };
        let kind = self.random.weighted(&[
            (17, Kind::Let),
            (in_entry(3), Kind::LetIndex),
            (12, Kind::Assign),
            (16, Kind::Store),
            (in_entry(8), Kind::Nondeterministic),
            (in_entry(4), Kind::OwnAtomic),
            (in_uniform(9), Kind::Collective),
            (in_uniform(if self.loops.is_empty() { 10 } else { 20 }), Kind::Barrier),
            (10 * deeper, Kind::If),
            ((7 + in_uniform(2)) * deeper, Kind::Loop),
            (2 * deeper, Kind::Block),
            (in_entry(4) * deeper, Kind::OneOnly),
            (departs, Kind::Departure),
            (8, Kind::Digest),
            (in_entry(18), Kind::Pattern),
            (17, Kind::Shape),
            (2, Kind::Dead),
        ]);
        match kind {
            Kind::Let => self.let_statement(),
            Kind::LetIndex => self.let_index(),
            Kind::Assign => self.assign_statement(),
            Kind::Store => self.store_statement(),
            Kind::Nondeterministic => {
                let depth = self.depth();
                if !self.accident_statement(depth) {
                    self.store_statement();
                }
            }
            Kind::OwnAtomic => {
                let depth = self.depth();
                match self.own_atomic(depth) {
                    Some(atomic) => {
                        self.let_variable(DataType::U32, Value::divergent(atomic));
                    }
                    None => self.store_statement(),
                }
            }
            Kind::Collective => {
                let depth = self.depth();
                let uniform = self.random.chance(50);
                if let Some(value) = self.collective(depth, uniform) {
                    self.let_variable(DataType::U32, value);
                }
            }
            Kind::Barrier => self.barrier_statement(),
            Kind::If => self.if_statement(),
            Kind::Loop => self.loop_statement(),
            Kind::Block => self.block_statement(),
            Kind::OneOnly => self.one_only_statement(),
            Kind::Departure => self.departure_statement(),
            Kind::Digest => self.digest_statement(),
            Kind::Pattern => self.pattern(),
            Kind::Shape => self.pitfall_statement(),
            Kind::Dead => self.dead_statement(),
        }
    }

    /// Depth of the next expression.
    pub(super) fn depth(&mut self) -> u32 {
        self.random.weighted(&[(20, 1), (35, 2), (28, 3), (14, 4), (3, 6)])
    }

    fn let_statement(&mut self) {
        let ty = value_type(&mut self.random);
        let depth = self.depth();
        let uniform = self.context.is_uniform && self.random.chance(35);
        let value = self.value(ty, depth, uniform);
        self.let_variable(ty, value);
    }

    /// Binds the index of an element that this invocation may access.
    pub(super) fn let_index(&mut self) {
        let owned = self.pick_buffer(|buffer| match (buffer.discipline, buffer.phase) {
            (Discipline::PerInvocation { .. }, _) => true,
            (Discipline::Phased { .. }, phase) => matches!(phase, Phase::Owned(_)),
            _ => false,
        });
        let Some(buffer) = owned else { return self.let_statement() };
        self.let_index_of(buffer);
    }

    /// Binds the index of an element that this invocation owns.
    pub(super) fn let_index_of(&mut self, buffer: usize) -> Option<Name> {
        let index = self.index(buffer, true, 1)?;
        let role = Role::Element { buffer, phase: self.buffers[buffer].phase };
        Some(self.let_constant(DataType::U32, Value::divergent(index), role))
    }

    fn assign_statement(&mut self) {
        let may_be_uniform = self.context.is_uniform;
        let assignable = |local: &Local| local.is_mutable && (!local.is_uniform || may_be_uniform);
        let Some(local) = self.scope.pick(&mut self.random, assignable).cloned() else { return self.let_statement() };
        let depth = self.depth();
        let mut value = self.value(local.ty, depth, local.is_uniform);
        if local.ty == DataType::U32 && self.random.chance(40) {
            let op = self.random.pick(BinOp::ALL);
            value = Value { expr: Expr::binary(op, Expr::var(&local.name), value.expr), ..value };
        }
        self.emit(Node::assign(&local.name, value.expr));
    }

    pub(super) fn store_statement(&mut self) {
        // Several attempts, because the context permits stores to few buffers.
        for _ in 0..4 {
            let writable = |buffer: &Buffer| buffer.decl.access.is_writable();
            let Some(buffer) = self.pick_buffer(writable) else { return self.let_statement() };
            if self.buffers[buffer].decl.element == DataType::Bytes {
                continue;
            }
            let index_depth = self.random.between(1, 3);
            let Some(index) = self.index(buffer, true, index_depth) else { continue };
            let depth = self.depth();
            let value = self.value(self.buffers[buffer].decl.element, depth, false);
            self.emit(Node::store(self.buffer_name(buffer), index, value.expr));
            return;
        }
        self.let_statement();
    }

    /// Mixes a value into the digest, which is stored at the end.
    pub(super) fn digest_statement(&mut self) {
        let Some(digest) = self.digest.clone() else { return self.store_statement() };
        let ty = value_type(&mut self.random);
        let depth = self.depth();
        let value = self.value(ty, depth, false).expr;
        let word = self.word_of(ty, value);
        let mixed = self.mix(Expr::var(&digest), word);
        self.emit(Node::assign(digest, mixed));
    }

    /// A word that usually depends on all components of a value.
    pub(super) fn word_of(&mut self, ty: DataType, value: Expr) -> Expr {
        match ty {
            DataType::U32 => value,
            DataType::U64 | DataType::Vec2U32 | DataType::Vec4U32 => {
                let component = self.random.below(ty.components());
                value.lane(component)
            }
            _ => value.cast(DataType::U32),
        }
    }

    fn mix(&mut self, digest: Expr, word: Expr) -> Expr {
        match self.random.below(4) {
            0 => digest * 31u32 + word,
            1 => (digest ^ word) * 0x9e37_79b1u32,
            2 => (digest.clone() << 5u32 | digest >> 27u32) ^ word,
            _ => digest + word,
        }
    }

    /// Stores the digest to an element of this invocation.
    pub(super) fn store_digest(&mut self) {
        let Some(digest) = self.digest.clone() else { return };
        let own = self.pick_buffer(|buffer| {
            let owned = matches!(buffer.discipline, Discipline::PerInvocation { .. } | Discipline::Private);
            owned && buffer.decl.access.is_writable()
        });
        let Some(buffer) = own else { return };
        let index = match self.buffers[buffer].discipline {
            Discipline::Private if self.random.chance(80) => Some(Expr::LitU32(0)),
            _ => self.index(buffer, true, 1),
        };
        let Some(index) = index else { return };
        let element = self.buffers[buffer].decl.element;
        let value = match element {
            DataType::U32 => Expr::var(digest),
            DataType::U64 | DataType::Vec2U32 if self.random.chance(60) => {
                let other = self.word(1).expr;
                pack(element, [Expr::var(digest), other])
            }
            _ => Expr::var(digest).cast(element),
        };
        self.emit(Node::store(self.buffer_name(buffer), index, value));
    }

    /// Stores the results of this invocation to an owned element, which makes them observable.
    pub(super) fn finale(&mut self) {
        if self.random.chance(70) {
            self.digest_statement();
        }
        self.store_digest();
        let own = self
            .pick_buffer(|buffer| matches!(buffer.discipline, Discipline::PerInvocation { .. }) && buffer.length > 0);
        let Some(buffer) = own.filter(|_| self.random.chance(80)) else { return self.store_statement() };
        let Discipline::PerInvocation { numbering, ownership } = self.buffers[buffer].discipline else { return };
        let id = self.number(numbering);
        let part = self.bounded(ownership.each(), 1);
        let index = ownership.element(id.clone(), part, &mut self.random);
        let word = ((id + self.random.between(1, 9)) * 0x9e37_79b1u32) ^ self.word(1).expr;
        let element = self.buffers[buffer].decl.element;
        let value = if element == DataType::U32 { word } else { word.cast(element) };
        self.emit(Node::store(self.buffer_name(buffer), index, value));
    }

    /// Binds the numbers of the invocation, and the digest.
    pub(super) fn prelude(&mut self) {
        if !self.context.in_op {
            for numbering in [Numbering::Local, Numbering::Linear, Numbering::RowMajor] {
                if self.random.chance(75) {
                    let number = self.shape.number(numbering, &mut self.random);
                    self.let_constant(DataType::U32, Value::divergent(number), Role::Number(numbering));
                }
            }
        }
        for _ in 0..self.random.weighted(&[(10, 0), (40, 1), (30, 2), (20, 3)]) {
            self.let_loaded();
        }
        if self.random.chance(85) {
            let start = self.word(1);
            let digest = self.let_constant(DataType::U32, Value::divergent(start.expr), Role::Any);
            self.digest = Some(digest);
        }
    }

    /// Binds an element of a buffer.
    fn let_loaded(&mut self) {
        let loadable = |buffer: &Buffer| {
            buffer.is_open_to_loads() || matches!(buffer.discipline, Discipline::PerInvocation { .. })
        };
        let Some(buffer) = self.pick_buffer(loadable) else { return };
        let index = match self.buffers[buffer].discipline {
            _ if self.context.in_op => Some(Expr::LitU32(0)),
            Discipline::Constant if self.random.chance(60) => {
                let numbering = self.random.pick(&[Numbering::Local, Numbering::Linear, Numbering::RowMajor]);
                Some(self.number(numbering))
            }
            _ => self.index(buffer, false, 1),
        };
        let Some(index) = index else { return };
        let load = Expr::load(self.buffer_name(buffer), index);
        self.let_variable(self.buffers[buffer].decl.element, Value::divergent(load));
    }

    /// Emits a statement without effect.
    fn dead_statement(&mut self) {
        match self.random.below(4) {
            0 => {
                let (ty, depth) = (value_type(&mut self.random), self.depth());
                let value = self.value(ty, depth, false);
                self.emit(Node::let_bind(Name::DISCARD, value.expr));
            }
            1 => {
                let context = Context { is_uniform: false, ..self.context };
                let then = self.nested(context, |g| g.statements(2));
                self.emit(Node::if_then(false, then));
            }
            2 => {
                let end = self.random.number();
                let context = Context { is_uniform: false, ..self.context };
                let var = self.scope.fresh_name(&mut self.random);
                self.loops.push(OpenLoop { is_uniform: false, phases: self.phases() });
                let body = self.nested(context, |g| {
                    g.bind_loop_variable(&var, false);
                    g.statements(2);
                });
                self.loops.pop();
                self.emit(Node::for_loop(var, end, end, body));
            }
            _ => self.emit(Node::Block(Vec::new())),
        }
    }
}
