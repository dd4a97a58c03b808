//! Lowering of expressions: operators, casts and accesses in terms of words.

use vyre_ir::{AtomicOp, BinOp, BufferAccess, Collective as TreeCollective, DataType, Expr, UnOp};

use super::activation::{Binding, Role};
use super::{LowerError, Lowering, Operand, value_type};
use crate::ids::{BufferId, ValueId};
use crate::op::{Binary, Collective, Compare, Id, Logic, Op, Type, Unary};
use crate::table::Key;

impl<'p> Lowering<'p, '_> {
    pub(super) fn expression(&mut self, expr: &'p Expr, ordinal: u32) -> Result<(), LowerError> {
        let (value, ty) = match expr {
            Expr::LitU32(word) => (self.kernel.word(*word), DataType::U32),
            Expr::LitI32(word) => (self.kernel.word(word.cast_unsigned()), DataType::I32),
            Expr::LitBool(value) => (self.kernel.bool(*value), DataType::Bool),
            Expr::Var(_) => self.variable(ordinal),
            Expr::Load { buffer: _, index: _ } => self.load(ordinal),
            Expr::BufLen { buffer: _ } => (self.buffer_length(ordinal), DataType::U32),
            Expr::InvocationId { axis } => (self.id(Id::Invocation, *axis), DataType::U32),
            Expr::WorkgroupId { axis } => (self.id(Id::Workgroup, *axis), DataType::U32),
            Expr::LocalId { axis } => (self.id(Id::Local, *axis), DataType::U32),
            Expr::NumWorkgroups { axis } => (self.id(Id::NumWorkgroups, *axis), DataType::U32),
            Expr::BinOp { op, left: _, right: _ } => {
                let right = self.pop().value;
                let left = self.pop().value;
                (self.binary(*op, left, right), DataType::U32)
            }
            Expr::UnOp { op, operand: _ } => {
                let operand = self.pop().value;
                (self.unary(*op, operand), DataType::U32)
            }
            // The result becomes an operand when the program of the op is lowered.
            Expr::Call { op_id, args } => return self.call(op_id, args.len()),
            Expr::Select { cond: _, true_val: _, false_val: _ } => {
                let false_val = self.pop();
                let true_val = self.pop().value;
                let cond = self.pop();
                let cond = self.condition(cond);
                (self.emit(Op::Select(cond, true_val, false_val.value)), false_val.ty)
            }
            Expr::Cast { target, value: _ } => {
                let operand = self.pop();
                (self.cast(operand, *target), *target)
            }
            Expr::Atomic { op, buffer: _, index: _, expected, value }
            | Expr::WorkgroupAtomic { op, buffer: _, index: _, expected, value } => {
                let value = value.is_some().then(|| self.pop().value);
                let expected = expected.is_some().then(|| self.pop().value);
                (self.atomic(*op, expected, value, ordinal), DataType::U32)
            }
            Expr::Extract { value: _, lane } => {
                let value = self.pop().value;
                (self.extract(value, *lane), DataType::U32)
            }
            Expr::Pack { ty, lanes: _ } => (self.pack(*ty), *ty),
            Expr::Collective(collective) => (self.collective(collective), DataType::U32),
        };
        self.activation().operands.push(Operand { value, ty });
        Ok(())
    }

    fn variable(&mut self, ordinal: u32) -> (ValueId, DataType) {
        let activation = self.activation();
        let target = activation.facts.program.target(ordinal).unwrap_or_default();
        let ty = activation.facts.program.variables()[target].ty;
        match activation.variables[target] {
            Some(Binding::Value(value)) => (value, ty),
            Some(Binding::Slot(slot)) => (self.emit(Op::Get(slot)), ty),
            // Unreachable: validation ensures that a variable is bound before it is used.
            None => (self.zero(value_type(ty)), ty),
        }
    }

    /// Id on an axis; 0 in the program of an op.
    fn id(&mut self, id: Id, axis: u32) -> ValueId {
        match self.activation().role {
            Role::Entry => self.kernel.leaf(Op::Id(id, axis as u8)),
            Role::Callee { .. } => self.kernel.word(0),
        }
    }

    fn buffer_length(&mut self, ordinal: u32) -> ValueId {
        let activation = self.activation();
        let buffer = activation.facts.program.target(ordinal).unwrap_or_default();
        match activation.role {
            Role::Entry => self.kernel.length(BufferId::from_position(buffer)),
            Role::Callee { .. } => self.kernel.word(1),
        }
    }

    fn load(&mut self, ordinal: u32) -> (ValueId, DataType) {
        let index = self.pop().value;
        let activation = self.activation();
        let buffer = activation.facts.program.target(ordinal).unwrap_or_default();
        let element = activation.facts.program.program().buffers[buffer].element;
        match activation.role {
            Role::Callee { output, .. } => {
                let first = match activation.inputs[buffer] {
                    Some(argument) => argument,
                    None => self.emit(Op::Get(output)),
                };
                (self.load_only(index, first), element)
            }
            Role::Entry => {
                let value = self.load_element(BufferId::from_position(buffer), index);
                if element == DataType::Bool {
                    let zero = self.kernel.word(0);
                    return (self.emit(Op::Compare(Compare::Ne, value, zero)), element);
                }
                (value, element)
            }
        }
    }

    /// Loads an element of a buffer in its memory representation.
    fn load_element(&mut self, buffer: BufferId, index: ValueId) -> ValueId {
        let decl = &self.kernel.buffers[buffer];
        let binding = decl.binding;
        let is_uniform = decl.access == BufferAccess::Uniform;
        if is_uniform
            && let Some(constant) = self.kernel.as_word(index)
            && let Some(words) = self.fixed.get(binding, constant)
        {
            return self.constant(words);
        }
        let guard = self.guard(buffer, index);
        let mut value = self.emit(Op::Load { buffer, index, guard });
        if is_uniform && self.kernel.as_word(index).is_none() {
            // The dynamic index may be that of a fixed element.
            let elements: Vec<_> = self.fixed.elements(binding).map(|(at, words)| (at, words.to_vec())).collect();
            for (at, words) in elements {
                let at = self.kernel.word(at);
                let is_fixed = self.emit(Op::Compare(Compare::Eq, index, at));
                let constant = self.constant(&words);
                value = self.emit(Op::Select(is_fixed, constant, value));
            }
        }
        value
    }

    /// A constant of one, two or four words.
    fn constant(&mut self, words: &[u32]) -> ValueId {
        let words: Vec<ValueId> = words.iter().map(|&word| self.kernel.word(word)).collect();
        match words[..] {
            [a, b] => self.emit(Op::Pack2([a, b])),
            [a, b, c, d] => self.emit(Op::Pack4([a, b, c, d])),
            [a, ..] => a,
            [] => self.kernel.word(0),
        }
    }

    fn binary(&mut self, op: BinOp, a: ValueId, b: ValueId) -> ValueId {
        let plain = |op: Binary| Op::Binary(op, a, b);
        let op = match op {
            BinOp::Add => plain(Binary::Add),
            BinOp::Sub => plain(Binary::Sub),
            BinOp::Mul => plain(Binary::Mul),
            BinOp::MulHi => plain(Binary::MulHi),
            BinOp::BitAnd => plain(Binary::And),
            BinOp::BitOr => plain(Binary::Or),
            BinOp::BitXor => plain(Binary::Xor),
            BinOp::Min => plain(Binary::Min),
            BinOp::Max => plain(Binary::Max),
            BinOp::AbsDiff => plain(Binary::AbsDiff),
            BinOp::Div => return self.divide(a, b),
            BinOp::Mod => {
                // A remainder modulo 0 is 0, and so is a remainder modulo 1.
                let (_, divisor) = self.divisor(b);
                Op::Binary(Binary::Mod, a, divisor)
            }
            BinOp::Shl => Op::Binary(Binary::Shl, a, self.shift_amount(b)),
            BinOp::Shr => Op::Binary(Binary::Shr, a, self.shift_amount(b)),
            BinOp::Eq => return self.compare(Compare::Eq, a, b),
            BinOp::Ne => return self.compare(Compare::Ne, a, b),
            BinOp::Lt => return self.compare(Compare::Lt, a, b),
            BinOp::Gt => return self.compare(Compare::Lt, b, a),
            BinOp::Le => return self.compare(Compare::Le, a, b),
            BinOp::Ge => return self.compare(Compare::Le, b, a),
            BinOp::And => return self.logic(Logic::And, a, b),
            BinOp::Or => return self.logic(Logic::Or, a, b),
        };
        self.emit(op)
    }

    /// Bool that is true if a divisor is 0, and the divisor with 0 replaced by 1.
    fn divisor(&mut self, b: ValueId) -> (ValueId, ValueId) {
        let (zero, one) = (self.kernel.word(0), self.kernel.word(1));
        let is_zero = self.emit(Op::Compare(Compare::Eq, b, zero));
        (is_zero, self.emit(Op::Select(is_zero, one, b)))
    }

    fn divide(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let zero = self.kernel.word(0);
        let (is_zero, divisor) = self.divisor(b);
        let quotient = self.emit(Op::Binary(Binary::Div, a, divisor));
        self.emit(Op::Select(is_zero, zero, quotient))
    }

    fn shift_amount(&mut self, b: ValueId) -> ValueId {
        match self.kernel.as_word(b) {
            Some(amount) => self.kernel.word(amount & 31),
            None => {
                let mask = self.kernel.word(31);
                self.emit(Op::Binary(Binary::And, b, mask))
            }
        }
    }

    fn compare(&mut self, op: Compare, a: ValueId, b: ValueId) -> ValueId {
        let result = self.emit(Op::Compare(op, a, b));
        self.emit(Op::ToWord(result))
    }

    fn logic(&mut self, op: Logic, a: ValueId, b: ValueId) -> ValueId {
        let zero = self.kernel.word(0);
        let a = self.emit(Op::Compare(Compare::Ne, a, zero));
        let b = self.emit(Op::Compare(Compare::Ne, b, zero));
        let result = self.emit(Op::Logic(op, a, b));
        self.emit(Op::ToWord(result))
    }

    fn unary(&mut self, op: UnOp, a: ValueId) -> ValueId {
        let op = match op {
            UnOp::Negate => Unary::Negate,
            UnOp::BitNot => Unary::BitNot,
            UnOp::LogicalNot => {
                let zero = self.kernel.word(0);
                return self.compare(Compare::Eq, a, zero);
            }
            UnOp::Popcount => Unary::Popcount,
            UnOp::Clz => Unary::Clz,
            UnOp::Ctz => Unary::Ctz,
            UnOp::ReverseBits => Unary::ReverseBits,
        };
        self.emit(Op::Unary(op, a))
    }

    fn extract(&mut self, value: ValueId, component: u32) -> ValueId {
        self.emit(Op::Extract(value, component as u8))
    }

    /// Bitwise or of all components of a vector.
    pub(super) fn any_component(&mut self, value: ValueId, components: u32) -> ValueId {
        let mut any = self.extract(value, 0);
        for component in 1..components {
            let component = self.extract(value, component);
            any = self.emit(Op::Binary(Binary::Or, any, component));
        }
        any
    }

    fn cast(&mut self, operand: Operand, target: DataType) -> ValueId {
        let Operand { value, ty } = operand;
        let source = value_type(ty);
        if target == DataType::Bool {
            return self.condition(operand);
        }
        match (source, value_type(target)) {
            (Type::Vec2, Type::Vec2) | (Type::Vec4, Type::Vec4) => value,
            // Unreachable: validation rejects this cast.
            (Type::Vec2, Type::Vec4) => value,
            (Type::Vec4, Type::Vec2) => {
                let components = [self.extract(value, 0), self.extract(value, 1)];
                self.emit(Op::Pack2(components))
            }
            (Type::Vec2 | Type::Vec4, Type::Bool | Type::U32) => self.extract(value, 0),
            (Type::Bool | Type::U32, wanted) => {
                let word = self.memory_value(operand);
                match wanted {
                    Type::Bool | Type::U32 => word,
                    Type::Vec2 if target == DataType::U64 => {
                        let high = self.extension(word, ty);
                        self.emit(Op::Pack2([word, high]))
                    }
                    Type::Vec2 => self.emit(Op::Pack2([word; 2])),
                    Type::Vec4 => self.emit(Op::Pack4([word; 4])),
                }
            }
        }
    }

    /// High word of the extension of a word to 64 bits: sign extension for `I32`, else zero extension.
    fn extension(&mut self, word: ValueId, ty: DataType) -> ValueId {
        if ty != DataType::I32 {
            return self.kernel.word(0);
        }
        let amount = self.kernel.word(31);
        let sign = self.emit(Op::Binary(Binary::Shr, word, amount));
        self.emit(Op::Unary(Unary::Negate, sign))
    }

    fn atomic(&mut self, op: AtomicOp, expected: Option<ValueId>, value: Option<ValueId>, ordinal: u32) -> ValueId {
        let index = self.pop().value;
        let buffer = self.activation().facts.program.target(ordinal).unwrap_or_default();
        let buffer = BufferId::from_position(buffer);
        let guard = self.guard(buffer, index);
        self.emit(Op::Atomic { op, buffer, index, expected, value, guard })
    }

    fn pack(&mut self, ty: DataType) -> ValueId {
        if value_type(ty) == Type::Vec4 {
            let mut components = [(); 4].map(|()| self.pop().value);
            components.reverse();
            self.emit(Op::Pack4(components))
        } else {
            let mut components = [(); 2].map(|()| self.pop().value);
            components.reverse();
            self.emit(Op::Pack2(components))
        }
    }

    fn collective(&mut self, collective: &TreeCollective) -> ValueId {
        let last = self.pop();
        let collective = match collective {
            TreeCollective::Broadcast { value: _, lane: _ } => Collective::Broadcast(self.pop().value, last.value),
            TreeCollective::Shuffle { value: _, lane: _ } => Collective::Shuffle(self.pop().value, last.value),
            TreeCollective::Reduce { op, value: _ } => Collective::Reduce(*op, last.value),
            TreeCollective::ScanExclusive { op, value: _ } => Collective::ScanExclusive(*op, last.value),
            TreeCollective::ScanInclusive { op, value: _ } => Collective::ScanInclusive(*op, last.value),
            TreeCollective::Ballot { predicate: _ } => Collective::Ballot(self.condition(last)),
        };
        self.emit(Op::Collective(collective))
    }
}
