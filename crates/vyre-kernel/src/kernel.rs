//! Kernels: tables of values, blocks, slots and buffers.

use foldhash::{HashMap, HashMapExt};
use vyre_ir::{BufferAccess, BufferDecl, DataType, Name};

use crate::ids::{BlockId, BufferId, SlotId, ValueId};
use crate::op::{Op, Type};
use crate::table::{Key, Table};

/// A program in kernel form.
///
/// A value is assigned once. It is visible from the statement that computes it to the end of the block, nested blocks
/// included. Mutable variables are [slots](Kernel::slots), which are private to an invocation and initially zero.
/// Control flow is structured: `If`, `Loop` and `Block` own their blocks, and each block must have one owner.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Number of invocations of a workgroup on each axis.
    pub workgroup_size: [u32; 3],
    /// Buffers, in the order of the program.
    pub buffers: Table<BufferId, BufferDecl>,
    /// Mutable variables.
    pub slots: Table<SlotId, Slot>,
    /// All values, including those that no block computes any more.
    pub values: Table<ValueId, Value>,
    /// All blocks, including those that no statement owns any more.
    pub blocks: Table<BlockId, Block>,
    /// Block that every invocation runs.
    pub entry: BlockId,
    /// Known minimum lengths of buffers.
    min_lengths: HashMap<BufferId, u32>,
    /// Leaves, for hash-consing.
    leaves: HashMap<Op, ValueId>,
}

/// A value and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Operation that computes the value.
    pub op: Op,
    /// Type.
    pub ty: Type,
}

/// A mutable variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Name in the program; several slots may share a name.
    pub name: Name,
    /// Type.
    pub ty: Type,
}

/// A sequence of statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The statements. A `Break` or `Return` must be the last one.
    pub statements: Vec<Statement>,
}

/// A statement of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Computes a value.
    Let(ValueId),
    /// Writes a value to a slot.
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
        /// The store happens only if the guard is true. Without a guard the index must be in range.
        guard: Option<ValueId>,
    },
    /// Runs one of two blocks.
    If {
        /// A bool.
        cond: ValueId,
        /// Block for a true condition.
        then: BlockId,
        /// Block for a false condition.
        otherwise: BlockId,
    },
    /// Runs a block for each number of a half-open range.
    Loop {
        /// The number, an [`Op::LoopVariable`].
        variable: ValueId,
        /// The first number.
        from: ValueId,
        /// End of the range, exclusive.
        to: ValueId,
        /// The block.
        body: BlockId,
    },
    /// A breakable block: runs its body one time, and a `Break` leaves it early. It must not contain a barrier or a
    /// collective.
    Block {
        /// The block.
        body: BlockId,
    },
    /// Leaves the innermost `Loop` or `Block`.
    Break,
    /// Ends the invocation.
    Return,
    /// A workgroup barrier, which also makes the stores of the workgroup visible to it.
    Barrier,
}

impl Statement {
    /// True for a statement that must be the last one of its block.
    #[must_use]
    pub const fn is_exit(self) -> bool {
        matches!(self, Statement::Break | Statement::Return)
    }

    /// Calls `visit` with each operand of the statement itself, without the operands in its blocks.
    ///
    /// A `Let` has no operands; the operation that it computes may have some.
    pub fn for_each_operand(self, mut visit: impl FnMut(ValueId)) {
        let _ = self.map_operands(|operand| {
            visit(operand);
            operand
        });
    }

    /// Replaces the operands.
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

    /// Blocks that the statement owns, in order.
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

/// Type of the elements of a buffer in a kernel. A bool is a word in memory.
#[must_use]
pub fn element_type(element: DataType) -> Type {
    match element {
        DataType::U64 | DataType::Vec2U32 => Type::Vec2,
        DataType::Vec4U32 => Type::Vec4,
        // The length of a buffer of bytes counts words.
        _ => Type::U32,
    }
}

impl Kernel {
    /// Creates an empty kernel.
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

    /// Creates an empty block.
    pub fn new_block(&mut self) -> BlockId {
        self.blocks.push(Block::default())
    }

    /// Creates a leaf or returns the existing one. Every loop variable is a new leaf.
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

    /// Constant word.
    pub fn word(&mut self, word: u32) -> ValueId {
        self.leaf(Op::Word(word))
    }

    /// Constant bool.
    pub fn bool(&mut self, value: bool) -> ValueId {
        self.leaf(Op::Bool(value))
    }

    /// Number of elements of a buffer, which is a constant for workgroup memory.
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

    /// Minimum number of elements of a buffer in every dispatch.
    #[must_use]
    pub fn min_length(&self, buffer: BufferId) -> u32 {
        self.min_lengths.get(&buffer).copied().unwrap_or_default()
    }

    /// Raises the minimum number of elements of a buffer.
    pub fn set_min_length(&mut self, buffer: BufferId, elements: u32) {
        let min = self.min_lengths.entry(buffer).or_default();
        *min = elements.max(*min);
    }

    /// Operation that computes a value.
    #[must_use]
    pub fn op(&self, value: ValueId) -> Op {
        self.values[value].op
    }

    /// Type of a value.
    #[must_use]
    pub fn ty(&self, value: ValueId) -> Type {
        self.values[value].ty
    }

    /// Word of a constant.
    #[must_use]
    pub fn as_word(&self, value: ValueId) -> Option<u32> {
        match self.op(value) {
            Op::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Bool of a constant.
    #[must_use]
    pub fn as_bool(&self, value: ValueId) -> Option<bool> {
        match self.op(value) {
            Op::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Type of the result of an operation whose operands have the right types.
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

    /// Creates a value, which a block must compute.
    pub fn new_value(&mut self, op: Op) -> ValueId {
        let ty = self.type_of(op);
        self.values.push(Value { op, ty })
    }

    /// Removes and returns the statements of a block.
    pub(crate) fn take_block(&mut self, block: BlockId) -> Vec<Statement> {
        std::mem::take(&mut self.blocks[block].statements)
    }

    /// True if invocations can change the contents of a buffer during a dispatch.
    #[must_use]
    pub fn is_writable(&self, buffer: BufferId) -> bool {
        self.buffers[buffer].access.is_writable()
    }

    /// Calls `visit` with every statement. The statements of a block come in order, before those of nested blocks.
    pub fn for_each_statement(&self, mut visit: impl FnMut(Statement)) {
        let mut pending = vec![self.entry];
        while let Some(block) = pending.pop() {
            for &statement in &self.blocks[block].statements {
                visit(statement);
                pending.extend(statement.blocks());
            }
        }
    }

    /// Number of statements, nested blocks included.
    #[must_use]
    pub fn statement_count(&self) -> usize {
        let mut count = 0;
        self.for_each_statement(|_| count += 1);
        count
    }
}
