//! What a value is computed from.

use vyre_ir::{AtomicOp, ReduceOp};

use crate::kernel::{BufferId, SlotId, ValueId};

/// The type of a value. `I32` values are words, and `U64` values are pairs of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A truth value that lives in no memory: what comparisons give and conditions take.
    Bool,
    /// A word.
    U32,
    /// Two words.
    Vec2,
    /// Four words.
    Vec4,
}

impl Type {
    /// The name of the type in the text form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::U32 => "u32",
            Type::Vec2 => "vec2",
            Type::Vec4 => "vec4",
        }
    }

    /// How many words a value of the type has; 0 for `Bool`, which has no place in memory.
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

/// Which of the numbers that tell invocations apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// `WorkgroupId * workgroup_size + LocalId`, which never wraps.
    Invocation,
    /// The position of the workgroup in the grid.
    Workgroup,
    /// The position of the invocation in its workgroup.
    Local,
    /// The size of the grid in workgroups.
    NumWorkgroups,
}

/// A unary operator on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unary {
    /// Two's complement.
    Negate,
    /// One's complement.
    BitNot,
    /// The number of one bits.
    Popcount,
    /// The number of leading zero bits; 32 for 0.
    Clz,
    /// The number of trailing zero bits; 32 for 0.
    Ctz,
    /// Bit i becomes bit 31 - i.
    ReverseBits,
}

/// A binary operator on words that gives a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// Sum modulo 2^32.
    Add,
    /// Difference modulo 2^32.
    Sub,
    /// Product modulo 2^32.
    Mul,
    /// The high word of the 64-bit product.
    MulHi,
    /// Unsigned quotient. The divisor is never 0.
    Div,
    /// Unsigned remainder. The divisor is never 0.
    Mod,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift. The amount is always below 32.
    Shl,
    /// Logical right shift. The amount is always below 32.
    Shr,
    /// The smaller operand.
    Min,
    /// The larger operand.
    Max,
    /// The distance of the operands.
    AbsDiff,
}

/// A comparison of words that gives a truth value. The others are these with operands exchanged.
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

/// A binary operator on truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Logic {
    /// Both hold.
    And,
    /// One of them holds.
    Or,
}

/// What a value is computed from.
///
/// The first five are *leaves*: they have no place in a block and are known wherever they are used (a loop variable, in
/// the body of its loop). All others are computed where a [`Statement::Let`](crate::Statement::Let) stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A constant word.
    Word(u32),
    /// A constant truth value.
    Bool(bool),
    /// A number that tells invocations apart, on one of three axes.
    Id(Id, u8),
    /// The number of elements of a buffer.
    Length(BufferId),
    /// The variable of a loop.
    LoopVariable,
    /// What was last put into a slot.
    Get(SlotId),
    /// A unary operator on a word.
    Unary(Unary, ValueId),
    /// A binary operator on words.
    Binary(Binary, ValueId, ValueId),
    /// A comparison of words.
    Compare(Compare, ValueId, ValueId),
    /// The opposite of a truth value.
    Not(ValueId),
    /// A binary operator on truth values.
    Logic(Logic, ValueId, ValueId),
    /// 1 for true, 0 for false.
    ToWord(ValueId),
    /// The second operand if the first, a truth value, holds, else the third; they have one type.
    Select(ValueId, ValueId, ValueId),
    /// A word of a vector.
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
        /// Where it does not hold, memory is left alone and the value is zero. Without a guard the index is in range.
        guard: Option<ValueId>,
    },
    /// An atomic access to a word of a buffer.
    Atomic {
        /// What is done.
        op: AtomicOp,
        /// The buffer.
        buffer: BufferId,
        /// The index of the word.
        index: ValueId,
        /// What `CompareExchange` compares with.
        expected: Option<ValueId>,
        /// The operand; `Load` has none.
        value: Option<ValueId>,
        /// As for a load.
        guard: Option<ValueId>,
    },
    /// An exchange of values between the invocations of a workgroup, all of which take part.
    Collective(Collective),
}

/// An exchange of words between all invocations of a workgroup, as in
/// [`vyre_ir::Collective`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collective {
    /// The first operand as the lane that the second one names has it; the lane is the same for all.
    Broadcast(ValueId, ValueId),
    /// The first operand as the lane that the second one names has it.
    Shuffle(ValueId, ValueId),
    /// The values of all lanes combined.
    Reduce(ReduceOp, ValueId),
    /// The values of the lanes before this one combined.
    ScanExclusive(ReduceOp, ValueId),
    /// The values of the lanes up to this one combined.
    ScanInclusive(ReduceOp, ValueId),
    /// Bit i tells whether the truth value of lane i holds.
    Ballot(ValueId),
}

/// How the evaluation of a value meets the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Depends on its operands alone.
    None,
    /// Reads a slot.
    ReadsSlot(SlotId),
    /// Reads memory.
    Reads(BufferId),
    /// Updates memory.
    Updates(BufferId),
    /// Needs all invocations of the workgroup, and depends on their operands alone.
    Rendezvous,
}

impl Op {
    /// Whether the value has no place in a block.
    #[must_use]
    pub const fn is_leaf(self) -> bool {
        matches!(self, Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable)
    }

    /// How the evaluation meets the world.
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

    /// The same with other operands.
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
            Op::Extract(value, lane) => Op::Extract(map(value), lane),
            Op::Pack2(lanes) => Op::Pack2(lanes.map(map)),
            Op::Pack4(lanes) => Op::Pack4(lanes.map(map)),
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
    /// Its name in the text form.
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

    /// What it makes of a word.
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
    /// Its name in the text form.
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

    /// Whether the operands may change places.
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

    /// What it makes of two words; `None` for operands that it never has.
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
    /// Its name in the text form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Compare::Eq => "eq",
            Compare::Ne => "ne",
            Compare::Lt => "lt",
            Compare::Le => "le",
        }
    }

    /// What it makes of two words.
    #[must_use]
    pub const fn apply(self, a: u32, b: u32) -> bool {
        match self {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Le => a <= b,
        }
    }

    /// Whether the operands may change places.
    #[must_use]
    pub const fn is_commutative(self) -> bool {
        matches!(self, Compare::Eq | Compare::Ne)
    }
}

impl Logic {
    /// Its name in the text form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Logic::And => "both",
            Logic::Or => "either",
        }
    }
}

impl Id {
    /// Its name in the text form.
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
