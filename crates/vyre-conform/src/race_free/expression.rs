//! Random expressions of every type.

use vyre_ir::build::{call, invocation_id, local_id, num_workgroups, pack, select, workgroup_id};
use vyre_ir::{BinOp, Collective, DataType, Expr, ReduceOp, UnOp};

use super::buffers::VALUE_TYPES;
use super::generator::{Generator, Value};
use super::grid::Numbering;

/// Kinds of expressions with operands.
#[derive(Clone, Copy, Debug)]
enum Form {
    Leaf,
    Binary,
    Unary,
    Load,
    Cast,
    Extract,
    Pack,
    Select,
    Call,
    Collective,
    Atomic,
    Nondeterministic,
}

/// Maximum number of nodes of an expression that is repeated.
const MAX_REPEATED_NODES: usize = 14;

impl Generator<'_> {
    /// A `U32` value.
    pub(super) fn word(&mut self, depth: u32) -> Value {
        self.value(DataType::U32, depth, false)
    }

    /// A uniform `U32` value.
    pub(super) fn uniform_word(&mut self, depth: u32) -> Value {
        self.value(DataType::U32, depth, true)
    }

    /// A value of a type, uniform on request.
    pub(super) fn value(&mut self, ty: DataType, depth: u32, uniform: bool) -> Value {
        if depth > 0
            && self.random.chance(11)
            && let Some((expr, is_uniform)) = self.scope.repeat(&mut self.random, ty, uniform, self.context.is_uniform)
        {
            return Value { expr, is_uniform };
        }
        let form = if depth == 0 || self.is_spent() { Form::Leaf } else { self.form(ty) };
        let value = self.of_form(form, ty, depth, uniform);
        match value {
            Some(value) => {
                self.remember(&value, ty);
                value
            }
            None => self.leaf(ty, uniform),
        }
    }

    fn form(&mut self, ty: DataType) -> Form {
        let collectives = if self.context.is_uniform { 11 } else { 0 };
        let in_entry = |weight: u32| if self.context.in_op { 0 } else { weight };
        match ty {
            DataType::U32 => self.random.weighted(&[
                (10, Form::Leaf),
                (42, Form::Binary),
                (9, Form::Unary),
                (14, Form::Load),
                (7, Form::Cast),
                (5, Form::Extract),
                (6, Form::Select),
                (10, Form::Call),
                (collectives, Form::Collective),
                (in_entry(5), Form::Atomic),
                (in_entry(2), Form::Nondeterministic),
            ]),
            DataType::U64 | DataType::Vec2U32 | DataType::Vec4U32 => self.random.weighted(&[
                (10, Form::Leaf),
                (30, Form::Pack),
                (22, Form::Load),
                (20, Form::Cast),
                (10, Form::Select),
                (12, Form::Call),
            ]),
            _ => self.random.weighted(&[
                (12, Form::Leaf),
                (24, Form::Load),
                (32, Form::Cast),
                (12, Form::Select),
                (12, Form::Call),
            ]),
        }
    }

    fn of_form(&mut self, form: Form, ty: DataType, depth: u32, uniform: bool) -> Option<Value> {
        let below = depth.saturating_sub(1);
        Some(match form {
            Form::Leaf => self.leaf(ty, uniform),
            Form::Binary => self.binary(below, uniform),
            Form::Unary => {
                let op = self.random.pick(UnOp::ALL);
                let operand = self.value(DataType::U32, below, uniform);
                Value { expr: Expr::unary(op, operand.expr), is_uniform: operand.is_uniform }
            }
            Form::Load => return self.load(ty, below, uniform),
            Form::Cast => {
                let from: Vec<DataType> = VALUE_TYPES.into_iter().filter(|from| from.casts_to(ty)).collect();
                let from = self.random.pick(&from);
                let value = self.value(from, below, uniform);
                Value { expr: value.expr.cast(ty), is_uniform: value.is_uniform }
            }
            Form::Extract => {
                let from = self.random.pick(&[DataType::U64, DataType::Vec2U32, DataType::Vec4U32]);
                let value = self.value(from, below, uniform);
                let component = self.random.below(from.components());
                Value { expr: value.expr.lane(component), is_uniform: value.is_uniform }
            }
            Form::Pack => {
                let components: Vec<Value> =
                    (0..ty.components()).map(|_| self.value(DataType::U32, below.min(2), uniform)).collect();
                let is_uniform = components.iter().all(|component| component.is_uniform);
                Value { expr: pack(ty, components.into_iter().map(|component| component.expr)), is_uniform }
            }
            Form::Select => {
                let cond = if self.random.chance(60) { DataType::U32 } else { DataType::Bool };
                let cond = self.value(cond, below, uniform);
                let (yes, no) = (self.value(ty, below, uniform), self.value(ty, below, uniform));
                let is_uniform = cond.is_uniform && yes.is_uniform && no.is_uniform;
                Value { expr: select(cond.expr, yes.expr, no.expr), is_uniform }
            }
            Form::Call => return self.call(ty, below, uniform),
            Form::Collective => self.collective(below, uniform)?,
            Form::Atomic if uniform => return None,
            Form::Atomic => Value::divergent(self.own_atomic(below)?),
            Form::Nondeterministic if uniform => return None,
            Form::Nondeterministic => Value::divergent(self.harmless_accident(below)?),
        })
    }

    /// A literal, a variable, an id or a length.
    pub(super) fn leaf(&mut self, ty: DataType, uniform: bool) -> Value {
        if self.random.chance(72)
            && let Some(local) =
                self.scope.pick(&mut self.random, |local| local.ty == ty && (local.is_uniform || !uniform))
        {
            return Value { expr: Expr::var(&local.name), is_uniform: local.is_uniform };
        }
        match ty {
            DataType::I32 => Value::uniform(self.random.number().cast_signed()),
            DataType::Bool => Value::uniform(self.random.chance(50)),
            DataType::U64 | DataType::Vec2U32 | DataType::Vec4U32 => {
                let components: Vec<Value> = (0..ty.components()).map(|_| self.word_leaf(uniform)).collect();
                let is_uniform = components.iter().all(|component| component.is_uniform);
                Value { expr: pack(ty, components.into_iter().map(|component| component.expr)), is_uniform }
            }
            _ => self.word_leaf(uniform),
        }
    }

    fn word_leaf(&mut self, uniform: bool) -> Value {
        let axis = if self.random.chance(70) { 0 } else { self.random.below(3) };
        match self.random.below(10) {
            0 => Value::uniform(workgroup_id(axis)),
            1 => Value::uniform(num_workgroups(axis)),
            2 if !self.buffers.is_empty() => {
                let buffer = self.random.below(self.buffers.len() as u32) as usize;
                Value::uniform(self.length_of(buffer))
            }
            3 if !uniform => Value::divergent(invocation_id(axis)),
            4 if !uniform => Value::divergent(local_id(axis)),
            _ => Value::uniform(self.random.number()),
        }
    }

    fn binary(&mut self, depth: u32, uniform: bool) -> Value {
        let op = self.random.pick(BinOp::ALL);
        let left = match self.random.below(12) {
            0 => Value::uniform(self.random.number()),
            _ => self.value(DataType::U32, depth, uniform),
        };
        let right = match self.random.below(100) {
            0..38 => Value::uniform(self.operand_of(op)),
            38..45 => left.clone(),
            45..60 => self.leaf(DataType::U32, uniform),
            _ => self.value(DataType::U32, depth, uniform),
        };
        Value { expr: Expr::binary(op, left.expr, right.expr), is_uniform: left.is_uniform && right.is_uniform }
    }

    /// A number that is a corner case of an operator.
    fn operand_of(&mut self, op: BinOp) -> u32 {
        match op {
            BinOp::Shl | BinOp::Shr => self.random.places(),
            BinOp::Mul | BinOp::Div | BinOp::Mod | BinOp::MulHi => self.random.factor(),
            BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor if self.random.chance(40) => {
                (1u64 << self.random.below(33)).wrapping_sub(1) as u32
            }
            _ => self.random.number(),
        }
    }

    fn load(&mut self, ty: DataType, depth: u32, uniform: bool) -> Option<Value> {
        if uniform {
            let buffer = self.pick_buffer(|buffer| buffer.decl.element == ty && buffer.is_uniform())?;
            let index = self.uniform_index(buffer, depth);
            return Some(Value::uniform(Expr::load(self.buffer_name(buffer), index)));
        }
        let buffer = self.pick_buffer(|buffer| buffer.decl.element == ty)?;
        if self.buffers[buffer].is_uniform() && self.random.chance(25) {
            let index = self.uniform_index(buffer, depth);
            return Some(Value::uniform(Expr::load(self.buffer_name(buffer), index)));
        }
        let index = self.index(buffer, false, depth)?;
        Some(Value::divergent(Expr::load(self.buffer_name(buffer), index)))
    }

    /// A uniform index.
    fn uniform_index(&mut self, buffer: usize, depth: u32) -> Expr {
        let length = self.buffers[buffer].length;
        match self.random.below(6) {
            0..2 => Expr::LitU32(self.random.below(length + 2)),
            2 => self.uniform_word(depth).expr % self.length_of(buffer),
            3 => self.length_of(buffer) - self.random.below(3),
            _ => self.uniform_word(depth).expr,
        }
    }

    pub(super) fn call(&mut self, ty: DataType, depth: u32, uniform: bool) -> Option<Value> {
        let budget = self.budget.evaluations / 3;
        let max_executions = self.context.max_executions;
        let affordable = |at: &usize| {
            let op = &self.ops[*at];
            op.def.signature.output == ty && op.evaluations.saturating_mul(max_executions) < budget
        };
        let fitting: Vec<usize> = (0..self.ops.len()).filter(affordable).collect();
        if fitting.is_empty() {
            return None;
        }
        let op = &self.ops[self.random.pick(&fitting)].def;
        let args: Vec<Value> = op.signature.inputs.iter().map(|&ty| self.value(ty, depth.min(2), uniform)).collect();
        let is_uniform = args.iter().all(|arg| arg.is_uniform);
        Some(Value { expr: call(&op.id, args.into_iter().map(|arg| arg.expr)), is_uniform })
    }

    /// Remembers small expressions for reuse.
    fn remember(&mut self, value: &Value, ty: DataType) {
        if !self.random.chance(35) || value.expr.operand_count() == 0 {
            return;
        }
        let mut needs_rendezvous = false;
        let mut pending = vec![&value.expr];
        let mut nodes = 0;
        while let Some(expr) = pending.pop() {
            nodes += 1;
            if nodes > MAX_REPEATED_NODES {
                return;
            }
            needs_rendezvous |= matches!(expr, Expr::Collective(_));
            pending.extend((0..expr.operand_count()).filter_map(|position| expr.operand(position)));
        }
        self.scope.remember(&value.expr, ty, value.is_uniform, needs_rendezvous);
    }

    /// Condition of a branch: `U32` or `Bool`, true about half of the time.
    pub(super) fn condition(&mut self, depth: u32, uniform: bool) -> Value {
        let below = depth.saturating_sub(1);
        match self.random.below(10) {
            0..4 => {
                let op = self.random.pick(&[BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne]);
                let left = self.value(DataType::U32, below, uniform);
                let right = match self.random.chance(60) {
                    true => Value::uniform(self.random.number()),
                    false => self.value(DataType::U32, below, uniform),
                };
                Value { expr: Expr::binary(op, left.expr, right.expr), is_uniform: left.is_uniform && right.is_uniform }
            }
            4..7 => {
                let value = self.value(DataType::U32, below, uniform);
                let mask = self.random.pick(&[1u32, 2, 3, 4]);
                let expr = match self.random.below(3) {
                    0 => (value.expr & mask).ne(0u32),
                    1 => (value.expr % (mask + 1)).eq(self.random.below(2)),
                    _ => value.expr & mask,
                };
                Value { expr, is_uniform: value.is_uniform }
            }
            7 => self.value(DataType::U32, depth, uniform),
            _ => self.value(DataType::Bool, depth, uniform),
        }
    }

    /// A collective. The context must be uniform.
    pub(super) fn collective(&mut self, depth: u32, uniform: bool) -> Option<Value> {
        if !self.context.is_uniform {
            return None;
        }
        let invocations = self.shape.workgroup_invocations();
        let ballots = if invocations <= 32 { 14 } else { 0 };
        let divergent = if uniform { 0 } else { 1 };
        let value = Box::new(self.value(DataType::U32, depth, false).expr);
        let op = self.random.pick(ReduceOp::ALL);
        let (collective, is_uniform) = match self.random.weighted(&[
            (20, 0),
            (14, 1),
            (ballots, 2),
            (16 * divergent, 3),
            (14 * divergent, 4),
            (14 * divergent, 5),
        ]) {
            0 => (Collective::Reduce { op, value }, true),
            1 => (Collective::Broadcast { value, lane: Box::new(self.source_index(depth, true)) }, true),
            2 => (Collective::Ballot { predicate: value }, true),
            3 => (Collective::Shuffle { value, lane: Box::new(self.source_index(depth, false)) }, false),
            4 => (Collective::ScanExclusive { op, value }, false),
            _ => (Collective::ScanInclusive { op, value }, false),
        };
        Some(Value { expr: Expr::Collective(collective), is_uniform })
    }

    /// Index of the invocation that a collective reads, sometimes outside of the workgroup.
    fn source_index(&mut self, depth: u32, uniform: bool) -> Expr {
        let invocations = self.shape.workgroup_invocations();
        match self.random.below(10) {
            0..3 => Expr::LitU32(self.random.below(invocations)),
            3 => Expr::LitU32(invocations),
            4 => self.value(DataType::U32, depth, uniform).expr,
            5..7 if !uniform => self.number(Numbering::Local) ^ self.random.pick(&[1u32, 2, 3, 16]),
            7 if !uniform => self.number(Numbering::Local) + self.random.between(1, 4),
            8 if !uniform => self.number(Numbering::Local) - 1u32,
            _ => self.value(DataType::U32, depth, uniform).expr % invocations,
        }
    }
}
