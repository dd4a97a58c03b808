//! Steps that build expressions.

use vyre_ir::{
    AtomicOp, AtomicScope, BinOp, BufferAccess, BufferDecl, Collective, DataType, Expr, Name, ReduceOp, UnOp,
};

use super::machine::{Machine, Step, Value};

/// Maximum workgroup size of a ballot.
const MAX_BALLOT: u64 = 32;

impl Value {
    fn new(expr: Expr, ty: DataType, is_uniform: bool) -> Value {
        Value { expr, ty, is_uniform }
    }

    fn boxed(self) -> Box<Expr> {
        Box::new(self.expr)
    }
}

impl Machine<'_> {
    pub(super) fn expression(&mut self, step: Step) -> Value {
        match step {
            Step::Load => self.load(),
            Step::Binary => self.binary(),
            Step::Unary => self.unary(),
            // The op table is empty, so a careful program has no calls.
            Step::Call if self.careful => self.leaf(),
            Step::Call => self.call(),
            Step::Select => self.select(),
            Step::Cast => self.cast(),
            Step::Atomic => self.atomic(),
            Step::Extract => self.extract(),
            Step::Pack => self.pack(),
            Step::Collective if self.careful && !self.flow.is_uniform() => self.unary(),
            Step::Collective => self.collective(),
            _ => self.leaf(),
        }
    }

    fn leaf(&mut self) -> Value {
        match self.choices.byte() % 12 {
            0 | 1 => Value::new(Expr::LitU32(self.choices.number()), DataType::U32, true),
            2 => Value::new(Expr::LitI32(self.choices.number().cast_signed()), DataType::I32, true),
            3 => Value::new(Expr::LitI32(-i32::from(self.choices.byte())), DataType::I32, true),
            4 => Value::new(Expr::LitBool(self.choices.byte() % 2 == 1), DataType::Bool, true),
            5 => {
                let (buffer, _) = self.buffer(|_| true);
                Value::new(Expr::BufLen { buffer }, DataType::U32, true)
            }
            6 | 7 => self.id(),
            _ => self.variable(),
        }
    }

    fn id(&mut self) -> Value {
        let axis = if self.careful { u32::from(self.choices.byte() % 3) } else { self.choices.number() };
        let (expr, is_uniform) = match self.choices.byte() % 4 {
            0 => (Expr::InvocationId { axis }, false),
            1 => (Expr::LocalId { axis }, false),
            2 => (Expr::WorkgroupId { axis }, true),
            _ => (Expr::NumWorkgroups { axis }, true),
        };
        Value::new(expr, DataType::U32, is_uniform)
    }

    fn variable(&mut self) -> Value {
        if !self.careful {
            return Value::new(Expr::Var(self.choices.name()), DataType::U32, false);
        }
        match self.scope.pick(&mut self.choices) {
            Some(local) => Value::new(Expr::Var(local.name.clone()), local.ty, local.is_uniform),
            None => Value::new(Expr::LitU32(self.choices.number()), DataType::U32, true),
        }
    }

    /// A buffer and its element type: one that `suits` in a careful step, else any, declared or not.
    pub(super) fn buffer(&mut self, suits: impl Fn(&BufferDecl) -> bool) -> (Name, DataType) {
        if !self.careful && self.choices.byte() % 2 == 1 {
            return (self.choices.name(), DataType::U32);
        }
        let careful = self.careful;
        let suitable: Vec<&BufferDecl> = self.buffers.iter().filter(|buffer| !careful || suits(buffer)).collect();
        match suitable.get(self.choices.below(suitable.len())) {
            Some(buffer) => (buffer.name.clone(), buffer.element),
            None => (self.choices.name(), DataType::U32),
        }
    }

    /// Pops the expression on top of the stack, or creates a leaf.
    pub(super) fn any_operand(&mut self) -> Value {
        match self.values.pop() {
            Some(value) => value,
            None => self.leaf(),
        }
    }

    /// An operand that may be a condition.
    pub(super) fn condition(&mut self) -> Value {
        let value = self.any_operand();
        match value.ty {
            DataType::U32 | DataType::Bool => value,
            _ => self.fit(value, DataType::U32),
        }
    }

    /// An operand of this type in a careful step, else of any type.
    pub(super) fn operand(&mut self, wanted: DataType) -> Value {
        let value = self.any_operand();
        self.fit(value, wanted)
    }

    /// Casts a value to `wanted` in a careful step. A value without a cast becomes zero.
    pub(super) fn fit(&self, value: Value, wanted: DataType) -> Value {
        if !self.careful || value.ty == wanted {
            return value;
        }
        if value.ty.casts_to(wanted) {
            let is_uniform = value.is_uniform;
            return Value::new(Expr::Cast { target: wanted, value: value.boxed() }, wanted, is_uniform);
        }
        let lanes = (0..wanted.components()).map(|_| Expr::LitU32(0)).collect();
        Value::new(Expr::Pack { ty: wanted, lanes }, wanted, true)
    }

    fn load(&mut self) -> Value {
        let (buffer, element) = self.buffer(|buffer| buffer.element != DataType::Bytes);
        let index = self.operand(DataType::U32);
        let is_input = self.buffers.iter().any(|decl| decl.name == buffer && decl.access.is_input());
        let is_uniform = is_input && index.is_uniform;
        Value::new(Expr::Load { buffer, index: index.boxed() }, element, is_uniform)
    }

    fn binary(&mut self) -> Value {
        let op = self.choices.pick(BinOp::ALL);
        let right = self.operand(DataType::U32);
        let left = self.operand(DataType::U32);
        let is_uniform = left.is_uniform && right.is_uniform;
        Value::new(Expr::BinOp { op, left: left.boxed(), right: right.boxed() }, DataType::U32, is_uniform)
    }

    fn unary(&mut self) -> Value {
        let op = self.choices.pick(UnOp::ALL);
        let operand = self.operand(DataType::U32);
        let is_uniform = operand.is_uniform;
        Value::new(Expr::UnOp { op, operand: operand.boxed() }, DataType::U32, is_uniform)
    }

    fn call(&mut self) -> Value {
        let op_id = self.choices.name();
        let count = self.choices.below(4);
        let args = (0..count).map(|_| self.any_operand().expr).collect();
        Value::new(Expr::Call { op_id, args }, DataType::U32, false)
    }

    fn select(&mut self) -> Value {
        let false_val = self.any_operand();
        let true_val = self.operand(false_val.ty);
        let cond = self.condition();
        let is_uniform = cond.is_uniform && true_val.is_uniform && false_val.is_uniform;
        let ty = false_val.ty;
        let (cond, true_val, false_val) = (cond.boxed(), true_val.boxed(), false_val.boxed());
        Value::new(Expr::Select { cond, true_val, false_val }, ty, is_uniform)
    }

    fn cast(&mut self) -> Value {
        let value = self.any_operand();
        let chosen = self.choices.pick(&DataType::ALL);
        let target = if self.careful && !value.ty.casts_to(chosen) { DataType::U32 } else { chosen };
        let is_uniform = value.is_uniform;
        Value::new(Expr::Cast { target, value: value.boxed() }, target, is_uniform)
    }

    fn atomic(&mut self) -> Value {
        let op = self.choices.pick(AtomicOp::ALL);
        let scope = self.choices.pick(&AtomicScope::ALL);
        let access = match scope {
            AtomicScope::Storage => BufferAccess::ReadWrite,
            AtomicScope::Workgroup => BufferAccess::Workgroup,
        };
        let (buffer, _) = self.buffer(|buffer| buffer.access == access && buffer.element == DataType::U32);
        let (takes_expected, takes_value) = if self.careful {
            (op.takes_expected(), op.takes_value())
        } else {
            let operands = self.choices.byte();
            (operands & 1 != 0, operands & 2 != 0)
        };
        let value = takes_value.then(|| self.operand(DataType::U32).boxed());
        let expected = takes_expected.then(|| self.operand(DataType::U32).boxed());
        let index = self.operand(DataType::U32).boxed();
        let atomic = match scope {
            AtomicScope::Storage => Expr::Atomic { op, buffer, index, expected, value },
            AtomicScope::Workgroup => Expr::WorkgroupAtomic { op, buffer, index, expected, value },
        };
        Value::new(atomic, DataType::U32, false)
    }

    fn extract(&mut self) -> Value {
        let mut value = self.any_operand();
        if value.ty.components() == 0 {
            value = self.fit(value, DataType::U64);
        }
        let number = self.choices.number();
        let lane = if self.careful { number.checked_rem(value.ty.components()).unwrap_or(0) } else { number };
        let is_uniform = value.is_uniform;
        Value::new(Expr::Extract { value: value.boxed(), lane }, DataType::U32, is_uniform)
    }

    fn pack(&mut self) -> Value {
        let (ty, count) = if self.careful {
            let ty = self.choices.pick(&[DataType::U64, DataType::Vec2U32, DataType::Vec4U32]);
            (ty, ty.components())
        } else {
            (self.choices.pick(&DataType::ALL), u32::from(self.choices.byte() % 5))
        };
        let mut is_uniform = true;
        let mut lanes = Vec::new();
        for _ in 0..count {
            let lane = self.operand(DataType::U32);
            is_uniform &= lane.is_uniform;
            lanes.push(lane.expr);
        }
        Value::new(Expr::Pack { ty, lanes }, ty, is_uniform)
    }

    fn collective(&mut self) -> Value {
        let kind = self.choices.byte() % 6;
        let op = self.choices.pick(ReduceOp::ALL);
        let invocations = self.workgroup_size.iter().fold(1, |product: u64, &axis| product.saturating_mul(axis.into()));
        self.flow.note_rendezvous();
        let (collective, is_uniform) = match kind {
            0 | 1 => {
                let lane = self.operand(DataType::U32);
                let lane = if self.careful && kind == 0 && !lane.is_uniform {
                    Box::new(Expr::LitU32(self.choices.number()))
                } else {
                    lane.boxed()
                };
                let value = self.operand(DataType::U32).boxed();
                match kind {
                    0 => (Collective::Broadcast { value, lane }, true),
                    _ => (Collective::Shuffle { value, lane }, false),
                }
            }
            2 => (Collective::ScanExclusive { op, value: self.operand(DataType::U32).boxed() }, false),
            3 => (Collective::ScanInclusive { op, value: self.operand(DataType::U32).boxed() }, false),
            4 if !self.careful || invocations <= MAX_BALLOT => {
                (Collective::Ballot { predicate: self.operand(DataType::U32).boxed() }, true)
            }
            _ => (Collective::Reduce { op, value: self.operand(DataType::U32).boxed() }, true),
        };
        Value::new(Expr::Collective(collective), DataType::U32, is_uniform)
    }
}
