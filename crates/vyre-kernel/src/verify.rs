//! Verifier: checks the rules of the kernel form, which lowering establishes and every pass must preserve.

use std::fmt;

use crate::ids::{BlockId, ValueId};
use crate::kernel::{Kernel, Statement, element_type};
use crate::op::{Collective, Op, Type};
use crate::table::Key;

/// A violated rule and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// Path of the statement: its positions in the entry and in the nested blocks.
    pub path: Vec<usize>,
    /// The rule.
    pub fault: Fault,
}

/// A rule of the kernel form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A value, slot, buffer or block that is in no table.
    Unknown,
    /// A value that is not visible where it is used.
    NotVisible(ValueId),
    /// A value that is computed twice, or a leaf that is computed.
    ComputedTwice(ValueId),
    /// An operand of another type than the operation takes.
    OperandType {
        /// The operand.
        operand: ValueId,
        /// Required type.
        wanted: Type,
    },
    /// A value whose type is not the result type of its operation.
    ResultType(ValueId),
    /// A component that the vector does not have, or an axis beyond z.
    OutOfRange,
    /// A block that two statements own.
    SharedBlock(BlockId),
    /// A statement after a `Break` or `Return`.
    AfterExit,
    /// A `Break` outside of loops and breakable blocks.
    StrayBreak,
    /// A barrier or collective in a breakable block.
    RendezvousInBlock,
    /// A loop whose variable is not a loop variable.
    NoLoopVariable(ValueId),
    /// A store or atomic that the access mode of the buffer does not allow.
    BufferAccess,
    /// An atomic with a missing or superfluous operand.
    AtomicOperands,
    /// Blocks that are nested too deep.
    TooDeep,
}

/// Maximum nesting depth of blocks: the maximum nesting of bodies, and a breakable block for each level of calls.
pub const MAX_BLOCK_DEPTH: usize =
    vyre_ir::DEFAULT_MAX_NESTING_DEPTH as usize + vyre_ir::DEFAULT_MAX_CALL_DEPTH as usize + 2;

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "statement {:?} of the kernel: {:?}", self.path, self.fault)
    }
}

impl std::error::Error for VerifyError {}

/// Verifies a kernel.
///
/// # Errors
///
/// The first violated rule, in the order of the statements.
pub fn verify(kernel: &Kernel) -> Result<(), VerifyError> {
    let mut verifier = Verifier {
        kernel,
        visible: vec![false; kernel.values.len()],
        computed: vec![false; kernel.values.len()],
        owned: vec![false; kernel.blocks.len()],
        open: Vec::new(),
    };
    let result = verifier.run();
    result.map_err(|fault| VerifyError {
        path: verifier.open.iter().map(|open| open.next.saturating_sub(1)).collect(),
        fault,
    })
}

struct Verifier<'k> {
    kernel: &'k Kernel,
    /// True for each value that is visible at the current statement.
    visible: Vec<bool>,
    /// True for each value that a visited statement computes.
    computed: Vec<bool>,
    /// True for each block that a visited statement owns.
    owned: Vec<bool>,
    open: Vec<Open>,
}

/// An open block.
struct Open {
    block: BlockId,
    next: usize,
    kind: Kind,
    /// Second block of the last statement, while the first one is open.
    otherwise: Option<BlockId>,
    /// Values whose visibility ends with the block.
    defined: Vec<ValueId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Loop,
    Block,
}

impl Verifier<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        self.enter(self.kernel.entry, Kind::Plain, None)?;
        while let Some(open) = self.open.last_mut() {
            if let Some(otherwise) = open.otherwise.take() {
                self.enter(otherwise, Kind::Plain, None)?;
                continue;
            }
            let statements = &self.kernel.blocks[open.block].statements;
            let Some(&statement) = statements.get(open.next) else {
                for value in std::mem::take(&mut open.defined) {
                    self.visible[value.position()] = false;
                }
                self.open.pop();
                continue;
            };
            open.next += 1;
            if statement.is_exit() && open.next < statements.len() {
                return Err(Fault::AfterExit);
            }
            self.statement(statement)?;
        }
        Ok(())
    }

    fn enter(&mut self, block: BlockId, kind: Kind, variable: Option<ValueId>) -> Result<(), Fault> {
        if self.kernel.blocks.get(block).is_none() {
            return Err(Fault::Unknown);
        }
        if std::mem::replace(&mut self.owned[block.position()], true) {
            return Err(Fault::SharedBlock(block));
        }
        if self.open.len() >= MAX_BLOCK_DEPTH {
            return Err(Fault::TooDeep);
        }
        self.open.push(Open { block, next: 0, kind, otherwise: None, defined: Vec::new() });
        variable.map_or(Ok(()), |variable| self.define(variable))
    }

    /// Makes a value visible until the end of the block.
    fn define(&mut self, value: ValueId) -> Result<(), Fault> {
        if std::mem::replace(&mut self.computed[value.position()], true) {
            return Err(Fault::ComputedTwice(value));
        }
        self.visible[value.position()] = true;
        if let Some(open) = self.open.last_mut() {
            open.defined.push(value);
        }
        Ok(())
    }

    fn statement(&mut self, statement: Statement) -> Result<(), Fault> {
        match statement {
            Statement::Let(value) => {
                let Some(entry) = self.kernel.values.get(value) else { return Err(Fault::Unknown) };
                if entry.op.is_leaf() {
                    return Err(Fault::ComputedTwice(value));
                }
                self.op(entry.op)?;
                if self.kernel.type_of(entry.op) != entry.ty {
                    return Err(Fault::ResultType(value));
                }
                self.define(value)
            }
            Statement::Set { slot, value } => {
                let slot = self.kernel.slots.get(slot).ok_or(Fault::Unknown)?;
                self.operand(value, slot.ty)
            }
            Statement::Store { buffer, index, value, guard } => {
                let decl = self.kernel.buffers.get(buffer).ok_or(Fault::Unknown)?;
                if !decl.access.is_writable() {
                    return Err(Fault::BufferAccess);
                }
                self.operand(index, Type::U32)?;
                self.operand(value, element_type(decl.element))?;
                guard.map_or(Ok(()), |guard| self.operand(guard, Type::Bool))
            }
            Statement::If { cond, then, otherwise } => {
                self.operand(cond, Type::Bool)?;
                if let Some(open) = self.open.last_mut() {
                    open.otherwise = Some(otherwise);
                }
                self.enter(then, Kind::Plain, None)
            }
            Statement::Loop { variable, from, to, body } => {
                self.operand(from, Type::U32)?;
                self.operand(to, Type::U32)?;
                if self.kernel.values.get(variable).is_none_or(|value| value.op != Op::LoopVariable) {
                    return Err(Fault::NoLoopVariable(variable));
                }
                self.enter(body, Kind::Loop, Some(variable))
            }
            Statement::Block { body } => self.enter(body, Kind::Block, None),
            Statement::Break => {
                let within = self.open.iter().any(|open| open.kind != Kind::Plain);
                if within { Ok(()) } else { Err(Fault::StrayBreak) }
            }
            Statement::Return => Ok(()),
            Statement::Barrier => self.rendezvous(),
        }
    }

    fn rendezvous(&self) -> Result<(), Fault> {
        let in_block = self.open.iter().any(|open| open.kind == Kind::Block);
        if in_block { Err(Fault::RendezvousInBlock) } else { Ok(()) }
    }

    fn operand(&self, operand: ValueId, wanted: Type) -> Result<(), Fault> {
        let value = self.kernel.values.get(operand).ok_or(Fault::Unknown)?;
        let needs_definition = !value.op.is_leaf() || value.op == Op::LoopVariable;
        if needs_definition && !self.visible[operand.position()] {
            return Err(Fault::NotVisible(operand));
        }
        if let Op::Length(buffer) = value.op
            && self.kernel.buffers.get(buffer).is_none()
        {
            return Err(Fault::Unknown);
        }
        if let Op::Id(_, 3..) = value.op {
            return Err(Fault::OutOfRange);
        }
        if !needs_definition && self.kernel.type_of(value.op) != value.ty {
            return Err(Fault::ResultType(operand));
        }
        if value.ty == wanted { Ok(()) } else { Err(Fault::OperandType { operand, wanted }) }
    }

    fn op(&self, op: Op) -> Result<(), Fault> {
        let word = |value: ValueId| self.operand(value, Type::U32);
        let bool = |value: ValueId| self.operand(value, Type::Bool);
        match op {
            Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable => Ok(()),
            Op::Get(slot) => self.kernel.slots.get(slot).map(|_| ()).ok_or(Fault::Unknown),
            Op::Unary(_, a) => word(a),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) => word(a).and(word(b)),
            Op::Not(a) | Op::ToWord(a) => bool(a),
            Op::Logic(_, a, b) => bool(a).and(bool(b)),
            Op::Select(cond, a, b) => {
                bool(cond)?;
                let ty = self.kernel.values.get(a).ok_or(Fault::Unknown)?.ty;
                self.operand(a, ty).and(self.operand(b, ty))
            }
            Op::Extract(vector, component) => {
                let ty = self.kernel.values.get(vector).ok_or(Fault::Unknown)?.ty;
                self.operand(vector, ty)?;
                let has_component = matches!(ty, Type::Vec2 | Type::Vec4) && u32::from(component) < ty.words();
                if has_component { Ok(()) } else { Err(Fault::OutOfRange) }
            }
            Op::Pack2(components) => components.into_iter().try_for_each(word),
            Op::Pack4(components) => components.into_iter().try_for_each(word),
            Op::Load { buffer, index, guard } => {
                self.kernel.buffers.get(buffer).ok_or(Fault::Unknown)?;
                word(index)?;
                guard.map_or(Ok(()), bool)
            }
            Op::Atomic { op, buffer, index, expected, value, guard } => {
                let decl = self.kernel.buffers.get(buffer).ok_or(Fault::Unknown)?;
                if !decl.access.is_writable() || element_type(decl.element) != Type::U32 {
                    return Err(Fault::BufferAccess);
                }
                if expected.is_some() != op.takes_expected() || value.is_some() != op.takes_value() {
                    return Err(Fault::AtomicOperands);
                }
                word(index)?;
                expected.into_iter().chain(value).try_for_each(word)?;
                guard.map_or(Ok(()), bool)
            }
            Op::Collective(collective) => {
                self.rendezvous()?;
                match collective {
                    Collective::Broadcast(value, lane) | Collective::Shuffle(value, lane) => {
                        word(value).and(word(lane))
                    }
                    Collective::Reduce(_, value)
                    | Collective::ScanExclusive(_, value)
                    | Collective::ScanInclusive(_, value) => word(value),
                    Collective::Ballot(predicate) => bool(predicate),
                }
            }
        }
    }
}
