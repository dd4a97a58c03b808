//! The kernel: tables of values, blocks, slots and buffers.

use foldhash::{HashMap, HashMapExt};
use vyre_ir::{BufferAccess, BufferDecl, DataType, Name};

use crate::op::{Op, Type};
use crate::table::{Key, Table, key};

key! {
    /// A value of a kernel, `v7`.
    ValueId, "v"
}
key! {
    /// A slot of a kernel, `s7`.
    SlotId, "s"
}
key! {
    /// A block of a kernel, `b7`.
    BlockId, "b"
}
key! {
    /// A buffer of a kernel, by its position in the program.
    BufferId, "m"
}

/// A program in flat form.
///
/// A value is computed once and never changes; it is known from the statement that computes it to the end of the block,
/// in all blocks within. What changes lies in [slots](Kernel::slots), each of which an invocation has for itself and
/// which hold zero until something is put into them. Control flow is structured: `If`, `Loop` and `Block` own their
/// blocks, and each block belongs to one statement.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The number of invocations of a workgroup on each axis.
    pub workgroup_size: [u32; 3],
    /// The buffers of the program, in its order.
    pub buffers: Table<BufferId, BufferDecl>,
    /// Variables that are assigned to.
    pub slots: Table<SlotId, Slot>,
    /// All values that were ever made; those that no block computes have no meaning.
    pub values: Table<ValueId, Value>,
    /// All blocks that were ever made; those that no statement owns have no meaning.
    pub blocks: Table<BlockId, Block>,
    /// The block that every invocation runs.
    pub entry: BlockId,
    /// By buffer: the fewest elements that it has, where more is known than nothing.
    min_lengths: HashMap<BufferId, u32>,
    /// Leaves that exist, so that each exists once.
    leaves: HashMap<Op, ValueId>,
}

/// A value and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// What it is computed from.
    pub op: Op,
    /// Its type.
    pub ty: Type,
}

/// A variable that is assigned to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its name in the program, which several slots may share.
    pub name: Name,
    /// Its type.
    pub ty: Type,
}

/// Statements that are run in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The statements; nothing follows a `Break` or `Return`.
    pub statements: Vec<Statement>,
}

/// A step of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Computes a value.
    Let(ValueId),
    /// Puts a value into a slot.
    Set {
        /// The slot.
        slot: SlotId,
        /// The value.
        value: ValueId,
    },
    /// Writes an element of a buffer.
    Store {
        /// The buffer.
        buffer: BufferId,
        /// The index of the element.
        index: ValueId,
        /// The value.
        value: ValueId,
        /// Where it does not hold, nothing is written. Without a guard the index is in range.
        guard: Option<ValueId>,
    },
    /// Runs one of two blocks.
    If {
        /// A truth value.
        cond: ValueId,
        /// The block that is run where it holds.
        then: BlockId,
        /// The block that is run where it does not.
        otherwise: BlockId,
    },
    /// Runs a block for each number of a half-open range.
    Loop {
        /// The number, an [`Op::LoopVariable`].
        variable: ValueId,
        /// The first number.
        from: ValueId,
        /// The number to stop before.
        to: ValueId,
        /// The block.
        body: BlockId,
    },
    /// Runs a block once, which a `Break` may leave early. It holds no barrier and no collective.
    Block {
        /// The block.
        body: BlockId,
    },
    /// Leaves the innermost `Loop` or `Block`.
    Break,
    /// Ends the invocation.
    Return,
    /// A rendezvous of the workgroup that makes its stores visible to it.
    Barrier,
}

impl Statement {
    /// Whether nothing can follow.
    #[must_use]
    pub const fn is_exit(self) -> bool {
        matches!(self, Statement::Break | Statement::Return)
    }

    /// Calls `visit` with each value that the statement uses itself, which those of its blocks are not.
    ///
    /// A `Let` uses no value; what it computes may.
    pub fn for_each_operand(self, mut visit: impl FnMut(ValueId)) {
        let _ = self.map_operands(|operand| {
            visit(operand);
            operand
        });
    }

    /// The same with other operands.
    #[must_use]
    pub fn map_operands(self, mut map: impl FnMut(ValueId) -> ValueId) -> Statement {
        match self {
            Statement::Let(_)
            | Statement::Block { body: _ }
            | Statement::Break
            | Statement::Return
            | Statement::Barrier => self,
            Statement::Set { slot, value } => Statement::Set { slot, value: map(value) },
            Statement::Store { buffer, index, value, guard } => {
                let index = map(index);
                let value = map(value);
                Statement::Store { buffer, index, value, guard: guard.map(map) }
            }
            Statement::If { cond, then, otherwise } => Statement::If { cond: map(cond), then, otherwise },
            Statement::Loop { variable, from, to, body } => {
                let from = map(from);
                Statement::Loop { variable, from, to: map(to), body }
            }
        }
    }

    /// The blocks that the statement owns, in order.
    pub fn blocks(self) -> impl Iterator<Item = BlockId> {
        let (first, second) = match self {
            Statement::If { cond: _, then, otherwise } => (Some(then), Some(otherwise)),
            Statement::Loop { body, .. } | Statement::Block { body } => (Some(body), None),
            Statement::Let(_)
            | Statement::Set { .. }
            | Statement::Store { .. }
            | Statement::Break
            | Statement::Return
            | Statement::Barrier => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// The type that elements of a buffer have in a kernel: truth values lie in memory as words.
#[must_use]
pub fn element_type(element: DataType) -> Type {
    match element {
        DataType::U64 | DataType::Vec2U32 => Type::Vec2,
        DataType::Vec4U32 => Type::Vec4,
        // The words of a buffer of bytes are what its length counts.
        _ => Type::U32,
    }
}

impl Kernel {
    /// A kernel that does nothing.
    #[must_use]
    pub fn new(workgroup_size: [u32; 3], buffers: impl IntoIterator<Item = BufferDecl>) -> Kernel {
        let mut kernel = Kernel {
            workgroup_size,
            buffers: Table::default(),
            slots: Table::default(),
            values: Table::default(),
            blocks: Table::default(),
            entry: BlockId::from_position(0),
            min_lengths: HashMap::new(),
            leaves: HashMap::new(),
        };
        for buffer in buffers {
            kernel.buffers.push(buffer);
        }
        kernel.entry = kernel.new_block();
        kernel
    }

    /// An empty block.
    pub fn new_block(&mut self) -> BlockId {
        self.blocks.push(Block::default())
    }

    /// A leaf; each exists once, but for the variables of loops.
    pub fn leaf(&mut self, op: Op) -> ValueId {
        let ty = if matches!(op, Op::Bool(_)) { Type::Bool } else { Type::U32 };
        if op == Op::LoopVariable {
            return self.values.push(Value { op, ty });
        }
        if let Some(&known) = self.leaves.get(&op) {
            return known;
        }
        let id = self.values.push(Value { op, ty });
        self.leaves.insert(op, id);
        id
    }

    /// A constant word.
    pub fn word(&mut self, word: u32) -> ValueId {
        self.leaf(Op::Word(word))
    }

    /// A constant truth value.
    pub fn bool(&mut self, value: bool) -> ValueId {
        self.leaf(Op::Bool(value))
    }

    /// The number of elements of a buffer: a constant for workgroup memory.
    pub fn length(&mut self, buffer: BufferId) -> ValueId {
        let decl = &self.buffers[buffer];
        match decl.access {
            BufferAccess::Workgroup => {
                let count = decl.count;
                self.word(count)
            }
            BufferAccess::ReadOnly | BufferAccess::ReadWrite | BufferAccess::Uniform => self.leaf(Op::Length(buffer)),
        }
    }

    /// The fewest elements that a buffer has in any dispatch.
    #[must_use]
    pub fn min_length(&self, buffer: BufferId) -> u32 {
        self.min_lengths.get(&buffer).copied().unwrap_or_default()
    }

    /// Says that a buffer has at least so many elements in any dispatch.
    pub fn set_min_length(&mut self, buffer: BufferId, elements: u32) {
        let least = self.min_lengths.entry(buffer).or_default();
        *least = elements.max(*least);
    }

    /// What a value is computed from.
    #[must_use]
    pub fn op(&self, value: ValueId) -> Op {
        self.values[value].op
    }

    /// The type of a value.
    #[must_use]
    pub fn ty(&self, value: ValueId) -> Type {
        self.values[value].ty
    }

    /// The word that a value always is.
    #[must_use]
    pub fn as_word(&self, value: ValueId) -> Option<u32> {
        match self.op(value) {
            Op::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The truth value that a value always is.
    #[must_use]
    pub fn as_bool(&self, value: ValueId) -> Option<bool> {
        match self.op(value) {
            Op::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The type that a value computed in this way has, given that its operands have the right ones.
    #[must_use]
    pub fn type_of(&self, op: Op) -> Type {
        match op {
            Op::Bool(_) | Op::Compare(..) | Op::Not(_) | Op::Logic(..) => Type::Bool,
            Op::Word(_)
            | Op::Id(..)
            | Op::Length(_)
            | Op::LoopVariable
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::ToWord(_)
            | Op::Extract(..)
            | Op::Atomic { .. }
            | Op::Collective(_) => Type::U32,
            Op::Get(slot) => self.slots[slot].ty,
            Op::Select(_, value, _) => self.ty(value),
            Op::Pack2(_) => Type::Vec2,
            Op::Pack4(_) => Type::Vec4,
            Op::Load { buffer, .. } => element_type(self.buffers[buffer].element),
        }
    }

    /// A value that some block is to compute.
    pub fn new_value(&mut self, op: Op) -> ValueId {
        let ty = self.type_of(op);
        self.values.push(Value { op, ty })
    }

    /// The statements of a block, which is empty afterwards.
    pub(crate) fn take_block(&mut self, block: BlockId) -> Vec<Statement> {
        std::mem::take(&mut self.blocks[block].statements)
    }

    /// Whether other invocations can change the contents of a buffer during a dispatch.
    #[must_use]
    pub fn is_writable(&self, buffer: BufferId) -> bool {
        self.buffers[buffer].access.is_writable()
    }

    /// Calls `visit` with every statement; those of a block come in order, but blocks within come later.
    pub fn for_each_statement(&self, mut visit: impl FnMut(Statement)) {
        let mut pending = vec![self.entry];
        while let Some(block) = pending.pop() {
            for &statement in &self.blocks[block].statements {
                visit(statement);
                pending.extend(statement.blocks());
            }
        }
    }

    /// The statements of the kernel, those of nested blocks included.
    #[must_use]
    pub fn statement_count(&self) -> usize {
        let mut count = 0;
        self.for_each_statement(|_| count += 1);
        count
    }
}
