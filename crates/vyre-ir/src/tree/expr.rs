//! Expressions.
//!
//! The depth of the tree is bounded only by the size of the program, so nothing here recurses: the standard traits use
//! explicit stacks.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::{AtomicOp, AtomicScope, BinOp, DataType, Name, ReduceOp, UnOp};

/// A value computed from literals, variables, ids and memory.
///
/// All expressions except [`Atomic`](Expr::Atomic) and [`WorkgroupAtomic`](Expr::WorkgroupAtomic) are pure; loads read
/// memory. Operands are evaluated in the order of the fields, each exactly once.
pub enum Expr {
    /// A `U32` literal.
    LitU32(u32),
    /// An `I32` literal.
    LitI32(i32),
    /// A `Bool` literal.
    LitBool(bool),
    /// The value of a variable.
    Var(Name),
    /// An element of a buffer; zero if the index is out of range.
    Load {
        /// The buffer.
        buffer: Name,
        /// The element index, `U32`.
        index: Box<Expr>,
    },
    /// The number of elements of a buffer; of a `Bytes` buffer, the number of its words.
    BufLen {
        /// The buffer.
        buffer: Name,
    },
    /// `WorkgroupId * workgroup_size + LocalId` on one axis.
    InvocationId {
        /// 0 (x), 1 (y) or 2 (z).
        axis: u32,
    },
    /// The position of the workgroup in the grid.
    WorkgroupId {
        /// 0 (x), 1 (y) or 2 (z).
        axis: u32,
    },
    /// The position of the invocation in its workgroup.
    LocalId {
        /// 0 (x), 1 (y) or 2 (z).
        axis: u32,
    },
    /// The size of the grid in workgroups.
    NumWorkgroups {
        /// 0 (x), 1 (y) or 2 (z).
        axis: u32,
    },
    /// A binary operator on two `U32` values.
    BinOp {
        /// The operator.
        op: BinOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// A unary operator on a `U32` value.
    UnOp {
        /// The operator.
        op: UnOp,
        /// The operand.
        operand: Box<Expr>,
    },
    /// The result of an op, computed from values alone.
    Call {
        /// The id of the op.
        op_id: Name,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// One of two values; both are evaluated.
    Select {
        /// `U32` or `Bool`; non-zero or true selects `true_val`.
        cond: Box<Expr>,
        /// The value for a true condition.
        true_val: Box<Expr>,
        /// The value for a false condition.
        false_val: Box<Expr>,
    },
    /// A conversion between types.
    Cast {
        /// The type to convert to.
        target: DataType,
        /// The value to convert.
        value: Box<Expr>,
    },
    /// An atomic access to an element of a read-write `U32` buffer.
    Atomic {
        /// The operator.
        op: AtomicOp,
        /// The buffer.
        buffer: Name,
        /// The element index, `U32`.
        index: Box<Expr>,
        /// Comparand of `CompareExchange`; absent for every other operator.
        expected: Option<Box<Expr>>,
        /// The operand; absent for `Load`.
        value: Option<Box<Expr>>,
    },
    /// One component of a `U64`, `Vec2U32` or `Vec4U32`.
    Extract {
        /// The vector.
        value: Box<Expr>,
        /// Index of the component; component 0 is bits 0..31.
        lane: u32,
    },
    /// A `U64`, `Vec2U32` or `Vec4U32` built from its components.
    Pack {
        /// The type to build.
        ty: DataType,
        /// One `U32` value for each component.
        lanes: Vec<Expr>,
    },
    /// A collective operation of the workgroup.
    Collective(Collective),
    /// An atomic access to an element of a `U32` buffer in workgroup memory.
    ///
    /// All invocations of the workgroup agree on one order of the atomics on an element. The access orders no other
    /// memory.
    WorkgroupAtomic {
        /// The operator.
        op: AtomicOp,
        /// The buffer.
        buffer: Name,
        /// The element index, `U32`.
        index: Box<Expr>,
        /// Comparand of `CompareExchange`; absent for every other operator.
        expected: Option<Box<Expr>>,
        /// The operand; absent for `Load`.
        value: Option<Box<Expr>>,
    },
}

/// A collective operation: all invocations of a workgroup exchange `U32` values.
///
/// A lane is the linear local index of an invocation, 0 to `n - 1` in a workgroup of `n` invocations. A collective
/// synchronizes the workgroup like a barrier and requires uniform control flow, but it orders no memory accesses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Collective {
    /// The value of one invocation, which is the same for all readers; 0 if the lane is outside the workgroup.
    Broadcast {
        /// The value of each invocation.
        value: Box<Expr>,
        /// The invocation to read; must be uniform.
        lane: Box<Expr>,
    },
    /// The value of an invocation that each reader chooses; 0 if the lane is outside the workgroup.
    Shuffle {
        /// The value of each invocation.
        value: Box<Expr>,
        /// The invocation to read.
        lane: Box<Expr>,
    },
    /// Reduction over all invocations.
    Reduce {
        /// The operator.
        op: ReduceOp,
        /// The value of each invocation.
        value: Box<Expr>,
    },
    /// Reduction over the invocations before this one (exclusive prefix scan).
    ScanExclusive {
        /// The operator.
        op: ReduceOp,
        /// The value of each invocation.
        value: Box<Expr>,
    },
    /// Reduction over the invocations up to and including this one (inclusive prefix scan).
    ScanInclusive {
        /// The operator.
        op: ReduceOp,
        /// The value of each invocation.
        value: Box<Expr>,
    },
    /// Bit `i` is 1 if the predicate of invocation `i` is non-zero; for workgroups of at most 32 invocations.
    Ballot {
        /// The predicate of each invocation, `U32`.
        predicate: Box<Expr>,
    },
}

/// An expression without its operands.
#[derive(PartialEq, Eq, Hash)]
enum Head<'e> {
    LitU32(u32),
    LitI32(i32),
    LitBool(bool),
    Var(&'e Name),
    Load(&'e Name),
    BufLen(&'e Name),
    InvocationId(u32),
    WorkgroupId(u32),
    LocalId(u32),
    NumWorkgroups(u32),
    BinOp(BinOp),
    UnOp(UnOp),
    Call(&'e Name, usize),
    Select,
    Cast(DataType),
    Atomic { scope: AtomicScope, op: AtomicOp, buffer: &'e Name, has_expected: bool, has_value: bool },
    Extract(u32),
    Pack(DataType, usize),
    Broadcast,
    Shuffle,
    Reduce(ReduceOp),
    ScanExclusive(ReduceOp),
    ScanInclusive(ReduceOp),
    Ballot,
}

impl Expr {
    fn head(&self) -> Head<'_> {
        match self {
            Expr::LitU32(value) => Head::LitU32(*value),
            Expr::LitI32(value) => Head::LitI32(*value),
            Expr::LitBool(value) => Head::LitBool(*value),
            Expr::Var(name) => Head::Var(name),
            Expr::Load { buffer, index: _ } => Head::Load(buffer),
            Expr::BufLen { buffer } => Head::BufLen(buffer),
            Expr::InvocationId { axis } => Head::InvocationId(*axis),
            Expr::WorkgroupId { axis } => Head::WorkgroupId(*axis),
            Expr::LocalId { axis } => Head::LocalId(*axis),
            Expr::NumWorkgroups { axis } => Head::NumWorkgroups(*axis),
            Expr::BinOp { op, left: _, right: _ } => Head::BinOp(*op),
            Expr::UnOp { op, operand: _ } => Head::UnOp(*op),
            Expr::Call { op_id, args } => Head::Call(op_id, args.len()),
            Expr::Select { cond: _, true_val: _, false_val: _ } => Head::Select,
            Expr::Cast { target, value: _ } => Head::Cast(*target),
            Expr::Atomic { op, buffer, index: _, expected, value }
            | Expr::WorkgroupAtomic { op, buffer, index: _, expected, value } => Head::Atomic {
                scope: self.atomic_scope().unwrap_or(AtomicScope::Storage),
                op: *op,
                buffer,
                has_expected: expected.is_some(),
                has_value: value.is_some(),
            },
            Expr::Extract { value: _, lane } => Head::Extract(*lane),
            Expr::Pack { ty, lanes } => Head::Pack(*ty, lanes.len()),
            Expr::Collective(Collective::Broadcast { value: _, lane: _ }) => Head::Broadcast,
            Expr::Collective(Collective::Shuffle { value: _, lane: _ }) => Head::Shuffle,
            Expr::Collective(Collective::Reduce { op, value: _ }) => Head::Reduce(*op),
            Expr::Collective(Collective::ScanExclusive { op, value: _ }) => Head::ScanExclusive(*op),
            Expr::Collective(Collective::ScanInclusive { op, value: _ }) => Head::ScanInclusive(*op),
            Expr::Collective(Collective::Ballot { predicate: _ }) => Head::Ballot,
        }
    }

    /// Scope of an atomic; `None` for every other expression.
    #[must_use]
    pub fn atomic_scope(&self) -> Option<AtomicScope> {
        match self {
            Expr::Atomic { .. } => Some(AtomicScope::Storage),
            Expr::WorkgroupAtomic { .. } => Some(AtomicScope::Workgroup),
            _ => None,
        }
    }

    /// Number of operands.
    #[must_use]
    pub fn operand_count(&self) -> usize {
        match self {
            Expr::LitU32(_)
            | Expr::LitI32(_)
            | Expr::LitBool(_)
            | Expr::Var(_)
            | Expr::BufLen { .. }
            | Expr::InvocationId { .. }
            | Expr::WorkgroupId { .. }
            | Expr::LocalId { .. }
            | Expr::NumWorkgroups { .. } => 0,
            Expr::Load { .. } | Expr::UnOp { .. } | Expr::Cast { .. } | Expr::Extract { .. } => 1,
            Expr::BinOp { .. } => 2,
            Expr::Select { .. } => 3,
            Expr::Call { op_id: _, args } => args.len(),
            Expr::Pack { ty: _, lanes } => lanes.len(),
            Expr::Atomic { expected, value, .. } | Expr::WorkgroupAtomic { expected, value, .. } => {
                1 + usize::from(expected.is_some()) + usize::from(value.is_some())
            }
            Expr::Collective(Collective::Broadcast { .. } | Collective::Shuffle { .. }) => 2,
            Expr::Collective(
                Collective::Reduce { .. }
                | Collective::ScanExclusive { .. }
                | Collective::ScanInclusive { .. }
                | Collective::Ballot { .. },
            ) => 1,
        }
    }

    /// Operand at `position` in evaluation order.
    #[must_use]
    pub fn operand(&self, position: usize) -> Option<&Expr> {
        match (self, position) {
            (Expr::Call { op_id: _, args: list } | Expr::Pack { ty: _, lanes: list }, _) => list.get(position),
            (Expr::Atomic { index, expected, value, .. } | Expr::WorkgroupAtomic { index, expected, value, .. }, _) => {
                match position {
                    0 => Some(index),
                    1 => expected.as_deref().or(value.as_deref()),
                    2 if expected.is_some() => value.as_deref(),
                    _ => None,
                }
            }
            (
                Expr::Load { index: only, .. }
                | Expr::UnOp { operand: only, .. }
                | Expr::Cast { value: only, .. }
                | Expr::Extract { value: only, .. }
                | Expr::BinOp { left: only, .. }
                | Expr::Select { cond: only, .. }
                | Expr::Collective(
                    Collective::Broadcast { value: only, .. }
                    | Collective::Shuffle { value: only, .. }
                    | Collective::Reduce { value: only, .. }
                    | Collective::ScanExclusive { value: only, .. }
                    | Collective::ScanInclusive { value: only, .. }
                    | Collective::Ballot { predicate: only },
                ),
                0,
            ) => Some(only),
            (
                Expr::BinOp { right: second, .. }
                | Expr::Select { true_val: second, .. }
                | Expr::Collective(Collective::Broadcast { lane: second, .. } | Collective::Shuffle { lane: second, .. }),
                1,
            ) => Some(second),
            (Expr::Select { false_val, .. }, 2) => Some(false_val),
            _ => None,
        }
    }

    /// The name of the field that holds the operand at `position`, as paths show it; lists get an index.
    #[must_use]
    pub fn operand_field(&self, position: usize) -> &'static str {
        match (self, position) {
            (Expr::Load { .. } | Expr::Atomic { .. } | Expr::WorkgroupAtomic { .. }, 0) => "index",
            (Expr::Atomic { expected: Some(_), .. } | Expr::WorkgroupAtomic { expected: Some(_), .. }, 1) => "expected",
            (Expr::UnOp { .. }, _) => "operand",
            (Expr::BinOp { .. }, 0) => "left",
            (Expr::BinOp { .. }, _) => "right",
            (Expr::Call { .. }, _) => "args",
            (Expr::Pack { .. }, _) => "lanes",
            (Expr::Select { .. }, 0) => "cond",
            (Expr::Select { .. }, 1) => "true_val",
            (Expr::Select { .. }, _) => "false_val",
            (Expr::Collective(Collective::Broadcast { .. } | Collective::Shuffle { .. }), 1) => "lane",
            (Expr::Collective(Collective::Ballot { .. }), _) => "predicate",
            _ => "value",
        }
    }

    /// The variable, buffer or op that the expression names.
    #[must_use]
    pub fn name(&self) -> Option<&Name> {
        match self {
            Expr::Var(name)
            | Expr::Load { buffer: name, .. }
            | Expr::BufLen { buffer: name }
            | Expr::Call { op_id: name, .. }
            | Expr::Atomic { buffer: name, .. }
            | Expr::WorkgroupAtomic { buffer: name, .. } => Some(name),
            Expr::LitU32(_)
            | Expr::LitI32(_)
            | Expr::LitBool(_)
            | Expr::InvocationId { .. }
            | Expr::WorkgroupId { .. }
            | Expr::LocalId { .. }
            | Expr::NumWorkgroups { .. }
            | Expr::BinOp { .. }
            | Expr::UnOp { .. }
            | Expr::Select { .. }
            | Expr::Cast { .. }
            | Expr::Extract { .. }
            | Expr::Pack { .. }
            | Expr::Collective(_) => None,
        }
    }

    /// True if the operands are a list, whose positions appear in paths.
    pub(crate) fn operands_are_list(&self) -> bool {
        matches!(self, Expr::Call { .. } | Expr::Pack { .. })
    }

    /// True if expressions of this kind have no operands.
    pub(super) fn is_leaf(&self) -> bool {
        matches!(
            self,
            Expr::LitU32(_)
                | Expr::LitI32(_)
                | Expr::LitBool(_)
                | Expr::Var(_)
                | Expr::BufLen { .. }
                | Expr::InvocationId { .. }
                | Expr::WorkgroupId { .. }
                | Expr::LocalId { .. }
                | Expr::NumWorkgroups { .. }
        )
    }

    /// Clones the expression with operands from the end of `operands`, where they are in evaluation order.
    fn rebuild(&self, operands: &mut Vec<Expr>) -> Expr {
        let mut pop = || Box::new(operands.pop().expect("every operand was cloned before its parent"));
        match self {
            Expr::LitU32(value) => Expr::LitU32(*value),
            Expr::LitI32(value) => Expr::LitI32(*value),
            Expr::LitBool(value) => Expr::LitBool(*value),
            Expr::Var(name) => Expr::Var(name.clone()),
            Expr::Load { buffer, index: _ } => Expr::Load { buffer: buffer.clone(), index: pop() },
            Expr::BufLen { buffer } => Expr::BufLen { buffer: buffer.clone() },
            Expr::InvocationId { axis } => Expr::InvocationId { axis: *axis },
            Expr::WorkgroupId { axis } => Expr::WorkgroupId { axis: *axis },
            Expr::LocalId { axis } => Expr::LocalId { axis: *axis },
            Expr::NumWorkgroups { axis } => Expr::NumWorkgroups { axis: *axis },
            Expr::BinOp { op, left: _, right: _ } => {
                let right = pop();
                Expr::BinOp { op: *op, left: pop(), right }
            }
            Expr::UnOp { op, operand: _ } => Expr::UnOp { op: *op, operand: pop() },
            Expr::Call { op_id, args } => {
                Expr::Call { op_id: op_id.clone(), args: operands.split_off(operands.len() - args.len()) }
            }
            Expr::Select { cond: _, true_val: _, false_val: _ } => {
                let false_val = pop();
                let true_val = pop();
                Expr::Select { cond: pop(), true_val, false_val }
            }
            Expr::Cast { target, value: _ } => Expr::Cast { target: *target, value: pop() },
            Expr::Atomic { op, buffer, index: _, expected, value } => {
                let value = value.is_some().then(&mut pop);
                let expected = expected.is_some().then(&mut pop);
                Expr::Atomic { op: *op, buffer: buffer.clone(), index: pop(), expected, value }
            }
            Expr::WorkgroupAtomic { op, buffer, index: _, expected, value } => {
                let value = value.is_some().then(&mut pop);
                let expected = expected.is_some().then(&mut pop);
                Expr::WorkgroupAtomic { op: *op, buffer: buffer.clone(), index: pop(), expected, value }
            }
            Expr::Extract { value: _, lane } => Expr::Extract { value: pop(), lane: *lane },
            Expr::Pack { ty, lanes } => Expr::Pack { ty: *ty, lanes: operands.split_off(operands.len() - lanes.len()) },
            Expr::Collective(collective) => Expr::Collective(match collective {
                Collective::Broadcast { value: _, lane: _ } => {
                    let lane = pop();
                    Collective::Broadcast { value: pop(), lane }
                }
                Collective::Shuffle { value: _, lane: _ } => {
                    let lane = pop();
                    Collective::Shuffle { value: pop(), lane }
                }
                Collective::Reduce { op, value: _ } => Collective::Reduce { op: *op, value: pop() },
                Collective::ScanExclusive { op, value: _ } => Collective::ScanExclusive { op: *op, value: pop() },
                Collective::ScanInclusive { op, value: _ } => Collective::ScanInclusive { op: *op, value: pop() },
                Collective::Ballot { predicate: _ } => Collective::Ballot { predicate: pop() },
            }),
        }
    }

    /// Moves every operand that is not a leaf to `out` and leaves a literal in its place.
    fn detach_operands(&mut self, out: &mut Vec<Expr>) {
        let mut detach = |operand: &mut Expr| {
            if !operand.is_leaf() {
                out.push(std::mem::replace(operand, Expr::LitBool(false)));
            }
        };
        match self {
            Expr::LitU32(_)
            | Expr::LitI32(_)
            | Expr::LitBool(_)
            | Expr::Var(_)
            | Expr::BufLen { .. }
            | Expr::InvocationId { .. }
            | Expr::WorkgroupId { .. }
            | Expr::LocalId { .. }
            | Expr::NumWorkgroups { .. } => {}
            Expr::Load { index: only, .. }
            | Expr::UnOp { operand: only, .. }
            | Expr::Cast { value: only, .. }
            | Expr::Extract { value: only, .. } => detach(only),
            Expr::BinOp { op: _, left, right } => {
                detach(left);
                detach(right);
            }
            Expr::Select { cond, true_val, false_val } => {
                detach(cond);
                detach(true_val);
                detach(false_val);
            }
            Expr::Call { op_id: _, args: list } | Expr::Pack { ty: _, lanes: list } => {
                list.iter_mut().for_each(detach);
            }
            Expr::Atomic { op: _, buffer: _, index, expected, value }
            | Expr::WorkgroupAtomic { op: _, buffer: _, index, expected, value } => {
                detach(index);
                expected.as_deref_mut().map(&mut detach);
                value.as_deref_mut().map(&mut detach);
            }
            Expr::Collective(collective) => match collective {
                Collective::Broadcast { value, lane } | Collective::Shuffle { value, lane } => {
                    detach(value);
                    detach(lane);
                }
                Collective::Reduce { value: only, .. }
                | Collective::ScanExclusive { value: only, .. }
                | Collective::ScanInclusive { value: only, .. }
                | Collective::Ballot { predicate: only } => detach(only),
            },
        }
    }
}

impl Drop for Expr {
    fn drop(&mut self) {
        if self.is_leaf() {
            return;
        }
        let mut pending = Vec::new();
        self.detach_operands(&mut pending);
        while let Some(mut expr) = pending.pop() {
            expr.detach_operands(&mut pending);
        }
    }
}

impl Clone for Expr {
    fn clone(&self) -> Expr {
        let mut built = Vec::new();
        if self.is_leaf() {
            return self.rebuild(&mut built);
        }
        let mut path = vec![(self, 0)];
        while let Some((expr, next)) = path.last_mut() {
            match expr.operand(*next) {
                Some(operand) => {
                    *next += 1;
                    if operand.is_leaf() {
                        let leaf = operand.rebuild(&mut built);
                        built.push(leaf);
                    } else {
                        path.push((operand, 0));
                    }
                }
                None => {
                    let complete = expr.rebuild(&mut built);
                    built.push(complete);
                    path.pop();
                }
            }
        }
        built.pop().expect("the root is built last")
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        let mut pending = vec![(self, other)];
        while let Some((left, right)) = pending.pop() {
            if left.head() != right.head() {
                return false;
            }
            let mut position = 0;
            while let (Some(a), Some(b)) = (left.operand(position), right.operand(position)) {
                pending.push((a, b));
                position += 1;
            }
        }
        true
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut pending = vec![self];
        while let Some(expr) = pending.pop() {
            expr.head().hash(state);
            let mut position = 0;
            while let Some(operand) = expr.operand(position) {
                pending.push(operand);
                position += 1;
            }
        }
    }
}

/// Prints the text form, which is unique for each expression.
impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Prints the text form.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::text::print_expr(self))
    }
}
