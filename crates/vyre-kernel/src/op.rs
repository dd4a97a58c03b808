//! Operations that compute values.

use vyre_ir::{AtomicOp, ReduceOp};

use crate::ids::{BufferId, SlotId, ValueId};

/// Type of a value. An `I32` value is a word, and a `U64` value is a pair of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A bool: the result of a comparison and the type of a condition. It is never in memory.
    Bool,
    /// A word.
    U32,
    /// Two words.
    Vec2,
    /// Four words.
    Vec4,
}

impl Type {
    /// Name of the type in the printed form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::U32 => "u32",
            Type::Vec2 => "vec2",
            Type::Vec4 => "vec4",
        }
    }

    /// Number of words of a value; 0 for `Bool`, which is never in memory.
    #[must_use]
    pub const fn words(self) -> u32 {
        match self {
            Type::Bool => 0,
            Type::U32 => 1,
            Type::Vec2 => 2,
            Type::Vec4 => 4,
        }
    }
}

/// Built-in id of an invocation or workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// `WorkgroupId * workgroup_size + LocalId`, which does not wrap.
    Invocation,
    /// Position of the workgroup in the grid.
    Workgroup,
    /// Position of the invocation in its workgroup.
    Local,
    /// Size of the grid in workgroups.
    NumWorkgroups,
}

/// A unary operator on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unary {
    /// Two's complement.
    Negate,
    /// One's complement.
    BitNot,
    /// Number of one bits.
    Popcount,
    /// Number of leading zero bits; 32 for 0.
    Clz,
    /// Number of trailing zero bits; 32 for 0.
    Ctz,
    /// Bit i becomes bit 31 - i.
    ReverseBits,
}

/// A binary operator on words with a word as result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// Sum modulo 2^32.
    Add,
    /// Difference modulo 2^32.
    Sub,
    /// Product modulo 2^32.
    Mul,
    /// High word of the 64-bit product.
    MulHi,
    /// Unsigned quotient. The divisor must not be 0.
    Div,
    /// Unsigned remainder. The divisor must not be 0.
    Mod,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift. The shift amount must be below 32.
    Shl,
    /// Logical right shift. The shift amount must be below 32.
    Shr,
    /// Unsigned minimum.
    Min,
    /// Unsigned maximum.
    Max,
    /// Absolute difference, unsigned.
    AbsDiff,
}

/// A comparison of words with a bool as result. The other comparisons are these with exchanged operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Compare {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less, unsigned.
    Lt,
    /// Less or equal, unsigned.
    Le,
}

/// A binary operator on bools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Logic {
    /// Logical and.
    And,
    /// Logical or.
    Or,
}

/// Operation that computes a value.
///
/// The first five are *leaves*: no statement computes them, and they are visible everywhere (a loop variable, in the
/// body of its loop). A [`Statement::Let`](crate::Statement::Let) computes each of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A constant word.
    Word(u32),
    /// A constant bool.
    Bool(bool),
    /// A built-in id on one of three axes.
    Id(Id, u8),
    /// Number of elements of a buffer.
    Length(BufferId),
    /// The variable of a loop.
    LoopVariable,
    /// Contents of a slot.
    Get(SlotId),
    /// A unary operator on a word.
    Unary(Unary, ValueId),
    /// A binary operator on words.
    Binary(Binary, ValueId, ValueId),
    /// A comparison of words.
    Compare(Compare, ValueId, ValueId),
    /// Negation of a bool.
    Not(ValueId),
    /// A binary operator on bools.
    Logic(Logic, ValueId, ValueId),
    /// 1 for true, 0 for false.
    ToWord(ValueId),
    /// The second operand if the first, a bool, is true, else the third. Both must have the same type.
    Select(ValueId, ValueId, ValueId),
    /// A component of a vector.
    Extract(ValueId, u8),
    /// A vector of two words.
    Pack2([ValueId; 2]),
    /// A vector of four words.
    Pack4([ValueId; 4]),
    /// An element of a buffer.
    Load {
        /// The buffer.
        buffer: BufferId,
        /// The index of the element.
        index: ValueId,
        /// If the guard is false, the value is zero and memory is not accessed. Without a guard the index must be in
        /// range.
        guard: Option<ValueId>,
    },
    /// An atomic access to a word of a read-write buffer, for all invocations of the dispatch, or of a workgroup buffer,
    /// for those of the workgroup.
    Atomic {
        /// The operator.
        op: AtomicOp,
        /// The buffer.
        buffer: BufferId,
        /// The index of the word.
        index: ValueId,
        /// Comparand of `CompareExchange`.
        expected: Option<ValueId>,
        /// The operand; `Load` has none.
        value: Option<ValueId>,
        /// Guard, as for a load.
        guard: Option<ValueId>,
    },
    /// A collective operation of all invocations of a workgroup.
    Collective(Collective),
}

/// A collective operation of all invocations of a workgroup, as in [`vyre_ir::Collective`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collective {
    /// The first operand of the invocation whose local index is the second operand, which must be uniform.
    Broadcast(ValueId, ValueId),
    /// The first operand of the invocation whose local index is the second operand.
    Shuffle(ValueId, ValueId),
    /// Reduction over all invocations.
    Reduce(ReduceOp, ValueId),
    /// Exclusive prefix scan.
    ScanExclusive(ReduceOp, ValueId),
    /// Inclusive prefix scan.
    ScanInclusive(ReduceOp, ValueId),
    /// Bit i is the bool of invocation i.
    Ballot(ValueId),
}

/// Side effect of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// None: the result depends only on the operands.
    None,
    /// Reads a slot.
    ReadsSlot(SlotId),
    /// Reads memory.
    Reads(BufferId),
    /// Updates memory.
    Updates(BufferId),
    /// Synchronizes all invocations of the workgroup; the result depends only on their operands.
    Rendezvous,
}

impl Op {
    /// True for a leaf, which no statement computes.
    #[must_use]
    pub const fn is_leaf(self) -> bool {
        matches!(self, Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable)
    }

    /// Side effect of the operation.
    #[must_use]
    pub const fn effect(self) -> Effect {
        match self {
            Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable => Effect::None,
            Op::Unary(..)
            | Op::Binary(..)
            | Op::Compare(..)
            | Op::Not(_)
            | Op::Logic(..)
            | Op::ToWord(_)
            | Op::Select(..)
            | Op::Extract(..)
            | Op::Pack2(_)
            | Op::Pack4(_) => Effect::None,
            Op::Get(slot) => Effect::ReadsSlot(slot),
            Op::Load { buffer, index: _, guard: _ } => Effect::Reads(buffer),
            Op::Atomic { buffer, op: _, index: _, expected: _, value: _, guard: _ } => Effect::Updates(buffer),
            Op::Collective(_) => Effect::Rendezvous,
        }
    }

    /// Calls `visit` with each operand, in order.
    pub fn for_each_operand(self, mut visit: impl FnMut(ValueId)) {
        let _ = self.map_operands(|operand| {
            visit(operand);
            operand
        });
    }

    /// Replaces the operands.
    #[must_use]
    pub fn map_operands(self, mut map: impl FnMut(ValueId) -> ValueId) -> Op {
        match self {
            Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable | Op::Get(_) => self,
            Op::Unary(op, a) => Op::Unary(op, map(a)),
            Op::Binary(op, a, b) => Op::Binary(op, map(a), map(b)),
            Op::Compare(op, a, b) => Op::Compare(op, map(a), map(b)),
            Op::Not(a) => Op::Not(map(a)),
            Op::Logic(op, a, b) => Op::Logic(op, map(a), map(b)),
            Op::ToWord(a) => Op::ToWord(map(a)),
            Op::Select(cond, a, b) => Op::Select(map(cond), map(a), map(b)),
            Op::Extract(value, component) => Op::Extract(map(value), component),
            Op::Pack2(components) => Op::Pack2(components.map(map)),
            Op::Pack4(components) => Op::Pack4(components.map(map)),
            Op::Load { buffer, index, guard } => {
                let index = map(index);
                Op::Load { buffer, index, guard: guard.map(map) }
            }
            Op::Atomic { op, buffer, index, expected, value, guard } => {
                let index = map(index);
                let expected = expected.map(&mut map);
                let value = value.map(&mut map);
                Op::Atomic { op, buffer, index, expected, value, guard: guard.map(map) }
            }
            Op::Collective(collective) => Op::Collective(match collective {
                Collective::Broadcast(value, lane) => Collective::Broadcast(map(value), map(lane)),
                Collective::Shuffle(value, lane) => Collective::Shuffle(map(value), map(lane)),
                Collective::Reduce(op, value) => Collective::Reduce(op, map(value)),
                Collective::ScanExclusive(op, value) => Collective::ScanExclusive(op, map(value)),
                Collective::ScanInclusive(op, value) => Collective::ScanInclusive(op, map(value)),
                Collective::Ballot(predicate) => Collective::Ballot(map(predicate)),
            }),
        }
    }
}

impl Unary {
    /// Name in the printed form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Unary::Negate => "negate",
            Unary::BitNot => "bit_not",
            Unary::Popcount => "popcount",
            Unary::Clz => "clz",
            Unary::Ctz => "ctz",
            Unary::ReverseBits => "reverse_bits",
        }
    }

    /// Applies the operator to a word.
    #[must_use]
    pub const fn apply(self, a: u32) -> u32 {
        match self {
            Unary::Negate => a.wrapping_neg(),
            Unary::BitNot => !a,
            Unary::Popcount => a.count_ones(),
            Unary::Clz => a.leading_zeros(),
            Unary::Ctz => a.trailing_zeros(),
            Unary::ReverseBits => a.reverse_bits(),
        }
    }
}

impl Binary {
    /// Name in the printed form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Binary::Add => "add",
            Binary::Sub => "sub",
            Binary::Mul => "mul",
            Binary::MulHi => "mul_hi",
            Binary::Div => "div",
            Binary::Mod => "mod",
            Binary::And => "and",
            Binary::Or => "or",
            Binary::Xor => "xor",
            Binary::Shl => "shl",
            Binary::Shr => "shr",
            Binary::Min => "min",
            Binary::Max => "max",
            Binary::AbsDiff => "abs_diff",
        }
    }

    /// True if the operator is commutative.
    #[must_use]
    pub const fn is_commutative(self) -> bool {
        match self {
            Binary::Add
            | Binary::Mul
            | Binary::MulHi
            | Binary::And
            | Binary::Or
            | Binary::Xor
            | Binary::Min
            | Binary::Max
            | Binary::AbsDiff => true,
            Binary::Sub | Binary::Div | Binary::Mod | Binary::Shl | Binary::Shr => false,
        }
    }

    /// Applies the operator to two words; `None` for operands that are not allowed.
    #[must_use]
    pub const fn apply(self, a: u32, b: u32) -> Option<u32> {
        Some(match self {
            Binary::Add => a.wrapping_add(b),
            Binary::Sub => a.wrapping_sub(b),
            Binary::Mul => a.wrapping_mul(b),
            Binary::MulHi => ((a as u64 * b as u64) >> 32) as u32,
            Binary::Div => return a.checked_div(b),
            Binary::Mod => return a.checked_rem(b),
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::Shl => return a.checked_shl(b),
            Binary::Shr => return a.checked_shr(b),
            Binary::Min => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            Binary::Max => {
                if a > b {
                    a
                } else {
                    b
                }
            }
            Binary::AbsDiff => a.abs_diff(b),
        })
    }
}

impl Compare {
    /// Name in the printed form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Compare::Eq => "eq",
            Compare::Ne => "ne",
            Compare::Lt => "lt",
            Compare::Le => "le",
        }
    }

    /// Applies the operator to two words.
    #[must_use]
    pub const fn apply(self, a: u32, b: u32) -> bool {
        match self {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Le => a <= b,
        }
    }

    /// True if the operator is commutative.
    #[must_use]
    pub const fn is_commutative(self) -> bool {
        matches!(self, Compare::Eq | Compare::Ne)
    }
}

impl Logic {
    /// Name in the printed form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Logic::And => "logical_and",
            Logic::Or => "logical_or",
        }
    }
}

impl Id {
    /// Name in the printed form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Id::Invocation => "invocation_id",
            Id::Workgroup => "workgroup_id",
            Id::Local => "local_id",
            Id::NumWorkgroups => "num_workgroups",
        }
    }
}
