//! Constructors of expressions and statements.

use crate::{AtomicOp, BinOp, Collective, DataType, Expr, Name, Node, ReduceOp, UnOp};

impl From<u32> for Expr {
    fn from(value: u32) -> Expr {
        Expr::LitU32(value)
    }
}

impl From<i32> for Expr {
    fn from(value: i32) -> Expr {
        Expr::LitI32(value)
    }
}

impl From<bool> for Expr {
    fn from(value: bool) -> Expr {
        Expr::LitBool(value)
    }
}

impl From<&Expr> for Expr {
    fn from(expr: &Expr) -> Expr {
        expr.clone()
    }
}

/// Constructors. An operand may be an expression, a number, a bool, a variable or a reference to a variable.
impl Expr {
    /// The value of a variable.
    #[must_use]
    pub fn var(name: impl Into<Name>) -> Expr {
        Expr::Var(name.into())
    }

    /// An element of a buffer.
    #[must_use]
    pub fn load(buffer: impl Into<Name>, index: impl Into<Expr>) -> Expr {
        Expr::Load { buffer: buffer.into(), index: Box::new(index.into()) }
    }

    /// The number of elements of a buffer.
    #[must_use]
    pub fn buf_len(buffer: impl Into<Name>) -> Expr {
        Expr::BufLen { buffer: buffer.into() }
    }

    /// A binary operator.
    #[must_use]
    pub fn binary(op: BinOp, left: impl Into<Expr>, right: impl Into<Expr>) -> Expr {
        Expr::BinOp { op, left: Box::new(left.into()), right: Box::new(right.into()) }
    }

    /// A unary operator.
    #[must_use]
    pub fn unary(op: UnOp, operand: impl Into<Expr>) -> Expr {
        Expr::UnOp { op, operand: Box::new(operand.into()) }
    }

    /// A cast.
    #[must_use]
    pub fn cast_to(target: DataType, value: impl Into<Expr>) -> Expr {
        Expr::Cast { target, value: Box::new(value.into()) }
    }

    /// Component of a vector.
    #[must_use]
    pub fn extract(value: impl Into<Expr>, lane: u32) -> Expr {
        Expr::Extract { value: Box::new(value.into()), lane }
    }

    /// An atomic with a value: all but [`atomic_load`](Expr::atomic_load) and
    /// [`atomic_compare_exchange`](Expr::atomic_compare_exchange).
    #[must_use]
    pub fn atomic(op: AtomicOp, buffer: impl Into<Name>, index: impl Into<Expr>, value: impl Into<Expr>) -> Expr {
        let (index, value) = (Box::new(index.into()), Some(Box::new(value.into())));
        Expr::Atomic { op, buffer: buffer.into(), index, expected: None, value }
    }

    /// An atomic load.
    #[must_use]
    pub fn atomic_load(buffer: impl Into<Name>, index: impl Into<Expr>) -> Expr {
        let index = Box::new(index.into());
        Expr::Atomic { op: AtomicOp::Load, buffer: buffer.into(), index, expected: None, value: None }
    }

    /// A compare-exchange.
    #[must_use]
    pub fn atomic_compare_exchange(
        buffer: impl Into<Name>,
        index: impl Into<Expr>,
        expected: impl Into<Expr>,
        value: impl Into<Expr>,
    ) -> Expr {
        Expr::Atomic {
            op: AtomicOp::CompareExchange,
            buffer: buffer.into(),
            index: Box::new(index.into()),
            expected: Some(Box::new(expected.into())),
            value: Some(Box::new(value.into())),
        }
    }

    /// An atomic on workgroup memory with a value: all but [`workgroup_atomic_load`](Expr::workgroup_atomic_load) and
    /// [`workgroup_atomic_compare_exchange`](Expr::workgroup_atomic_compare_exchange).
    #[must_use]
    pub fn workgroup_atomic(
        op: AtomicOp,
        buffer: impl Into<Name>,
        index: impl Into<Expr>,
        value: impl Into<Expr>,
    ) -> Expr {
        let (index, value) = (Box::new(index.into()), Some(Box::new(value.into())));
        Expr::WorkgroupAtomic { op, buffer: buffer.into(), index, expected: None, value }
    }

    /// An atomic load of workgroup memory.
    #[must_use]
    pub fn workgroup_atomic_load(buffer: impl Into<Name>, index: impl Into<Expr>) -> Expr {
        let index = Box::new(index.into());
        Expr::WorkgroupAtomic { op: AtomicOp::Load, buffer: buffer.into(), index, expected: None, value: None }
    }

    /// A compare-exchange on workgroup memory.
    #[must_use]
    pub fn workgroup_atomic_compare_exchange(
        buffer: impl Into<Name>,
        index: impl Into<Expr>,
        expected: impl Into<Expr>,
        value: impl Into<Expr>,
    ) -> Expr {
        Expr::WorkgroupAtomic {
            op: AtomicOp::CompareExchange,
            buffer: buffer.into(),
            index: Box::new(index.into()),
            expected: Some(Box::new(expected.into())),
            value: Some(Box::new(value.into())),
        }
    }
}

/// `WorkgroupId * workgroup_size + LocalId` on an axis.
#[must_use]
pub fn invocation_id(axis: u32) -> Expr {
    Expr::InvocationId { axis }
}

/// The position of the workgroup on an axis.
#[must_use]
pub fn workgroup_id(axis: u32) -> Expr {
    Expr::WorkgroupId { axis }
}

/// The position of the invocation in its workgroup on an axis.
#[must_use]
pub fn local_id(axis: u32) -> Expr {
    Expr::LocalId { axis }
}

/// The number of workgroups on an axis.
#[must_use]
pub fn num_workgroups(axis: u32) -> Expr {
    Expr::NumWorkgroups { axis }
}

/// The result of an op.
#[must_use]
pub fn call(op_id: impl Into<Name>, args: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Call { op_id: op_id.into(), args: args.into_iter().collect() }
}

/// `true_val` if `cond` is true, else `false_val`; all three are evaluated.
#[must_use]
pub fn select(cond: impl Into<Expr>, true_val: impl Into<Expr>, false_val: impl Into<Expr>) -> Expr {
    let (cond, true_val) = (Box::new(cond.into()), Box::new(true_val.into()));
    Expr::Select { cond, true_val, false_val: Box::new(false_val.into()) }
}

/// A vector built from its components.
#[must_use]
pub fn pack(ty: DataType, lanes: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Pack { ty, lanes: lanes.into_iter().collect() }
}

/// The value of one invocation, for all invocations.
#[must_use]
pub fn broadcast(value: impl Into<Expr>, lane: impl Into<Expr>) -> Expr {
    Expr::Collective(Collective::Broadcast { value: Box::new(value.into()), lane: Box::new(lane.into()) })
}

/// The value of the invocation that each invocation chooses.
#[must_use]
pub fn shuffle(value: impl Into<Expr>, lane: impl Into<Expr>) -> Expr {
    Expr::Collective(Collective::Shuffle { value: Box::new(value.into()), lane: Box::new(lane.into()) })
}

/// Reduction over all invocations of the workgroup.
#[must_use]
pub fn reduce(op: ReduceOp, value: impl Into<Expr>) -> Expr {
    Expr::Collective(Collective::Reduce { op, value: Box::new(value.into()) })
}

/// Exclusive prefix scan over the invocations of the workgroup.
#[must_use]
pub fn scan_exclusive(op: ReduceOp, value: impl Into<Expr>) -> Expr {
    Expr::Collective(Collective::ScanExclusive { op, value: Box::new(value.into()) })
}

/// Inclusive prefix scan over the invocations of the workgroup.
#[must_use]
pub fn scan_inclusive(op: ReduceOp, value: impl Into<Expr>) -> Expr {
    Expr::Collective(Collective::ScanInclusive { op, value: Box::new(value.into()) })
}

/// A bit for each invocation whose predicate is non-zero.
#[must_use]
pub fn ballot(predicate: impl Into<Expr>) -> Expr {
    Expr::Collective(Collective::Ballot { predicate: Box::new(predicate.into()) })
}

/// Constructors.
impl Node {
    /// Binds a name.
    #[must_use]
    pub fn let_bind(name: impl Into<Name>, value: impl Into<Expr>) -> Node {
        Node::Let { name: name.into(), value: value.into() }
    }

    /// Overwrites a binding.
    #[must_use]
    pub fn assign(name: impl Into<Name>, value: impl Into<Expr>) -> Node {
        Node::Assign { name: name.into(), value: value.into() }
    }

    /// Writes an element of a buffer.
    #[must_use]
    pub fn store(buffer: impl Into<Name>, index: impl Into<Expr>, value: impl Into<Expr>) -> Node {
        Node::Store { buffer: buffer.into(), index: index.into(), value: value.into() }
    }

    /// Runs a body if a condition is true.
    #[must_use]
    pub fn if_then(cond: impl Into<Expr>, then: Vec<Node>) -> Node {
        Node::If { cond: cond.into(), then, otherwise: Vec::new() }
    }

    /// Runs one of two bodies.
    #[must_use]
    pub fn if_then_else(cond: impl Into<Expr>, then: Vec<Node>, otherwise: Vec<Node>) -> Node {
        Node::If { cond: cond.into(), then, otherwise }
    }

    /// Runs a body for each number of a half-open range.
    #[must_use]
    pub fn for_loop(var: impl Into<Name>, from: impl Into<Expr>, to: impl Into<Expr>, body: Vec<Node>) -> Node {
        Node::Loop { var: var.into(), from: from.into(), to: to.into(), body }
    }
}
