//! Hooks of validation: the constructs that rules check.
//!
//! The checker resolves names and types and calls a hook for each construct, with the facts that are known about it. A
//! rule implements [`RuleCheck`] and overrides the hooks that it needs. The other hooks are empty and are inlined away.
//!
//! Rules are independent of each other and of their order: a rule must stay silent where another rule reports the same
//! mistake. An operand that failed has an unknown type, which no rule reports.

use super::codes::RuleInfo;
use super::rewrite::TypedExpr;
use crate::diagnostic::{ProgramLocation, RuleReport};
use crate::op_table::{Inlinability, OpEntry};
use crate::{AtomicOp, AtomicScope, BinOp, BufferDecl, Collective, DataType, Expr, Name, Program, UnOp};

/// Documentation and checks of a validation rule. Every hook does nothing unless a rule overrides it.
pub(super) trait RuleCheck {
    /// Documentation of the rule for `vyre explain` and `docs/validation.md`.
    const INFO: RuleInfo;

    /// Runs if the program exceeds a limit, instead of all other hooks.
    fn exceeded_limit(_exceeded: &ExceededLimit<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs once for the workgroup size and the buffer declarations.
    fn declarations(_program: &Program, _report: &mut RuleReport<'_>) {}
    /// Runs for each name that refers to nothing.
    fn unresolved_name(_unresolved: &UnresolvedName<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Let` and `Loop` that binds a name that is in scope.
    fn rebinding(_rebinding: &Rebinding<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Assign` to a variable that is in scope.
    fn assignment(_assignment: &Assignment<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs for each `If`.
    fn if_condition(_condition: &IfCondition, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Loop`.
    fn loop_bounds(_bounds: &LoopBounds, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Break`.
    fn break_statement(_statement: &BreakStatement, _report: &mut RuleReport<'_>) {}
    /// Runs for the index of each `Load`, `Store`, `Atomic` and `WorkgroupAtomic`.
    fn buffer_index(_index: &BufferIndex, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Load`, `Store`, `Atomic` and `WorkgroupAtomic` whose buffer is declared.
    fn access(_access: &Access<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Atomic` and `WorkgroupAtomic`.
    fn atomic_operands(_atomic: &AtomicOperands, _report: &mut RuleReport<'_>) {}
    /// Runs for each `InvocationId`, `WorkgroupId`, `LocalId` and `NumWorkgroups`.
    fn id_axis(_id: &IdAxis, _report: &mut RuleReport<'_>) {}
    /// Runs for each `BinOp`.
    fn binary_operands(_operands: &BinaryOperands<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs for each `UnOp`.
    fn unary_operand(_operand: &UnaryOperand<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Select`.
    fn select(_select: &Select, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Cast`.
    fn cast(_cast: &Cast, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Extract`.
    fn extract(_extract: &Extract, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Pack`.
    fn pack(_pack: &Pack<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Collective`.
    fn collective_operands(_collective: &CollectiveOperands<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs for each `Call` of an op of the table.
    fn call(_call: &Call<'_>, _report: &mut RuleReport<'_>) {}
    /// Runs for each construct that requires uniformity and does not have it.
    fn divergent_use(_divergent: &DivergentUse, _report: &mut RuleReport<'_>) {}
}

/// An operand of the construct that is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// Type, or `None` if the operand failed.
    pub(super) ty: Option<DataType>,
    pub(super) location: ProgramLocation,
}

impl Operand {
    /// Type of the operand, if it is known and differs from `wanted`.
    pub(super) fn type_other_than(self, wanted: DataType) -> Option<DataType> {
        self.ty.filter(|&ty| ty != wanted)
    }

    /// Type of the operand, if it is known and cannot be a condition.
    pub(super) fn type_unfit_as_condition(self) -> Option<DataType> {
        self.ty.filter(|&ty| ty != DataType::U32 && ty != DataType::Bool)
    }
}

/// An operand and the name of its field.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedOperand {
    pub(super) field: &'static str,
    pub(super) operand: Operand,
}

/// The first limit that a program exceeds.
#[derive(Clone, Copy, Debug)]
pub(super) enum ExceededLimit<'p> {
    /// Too many nodes. The location is the first node beyond the limit, or the call that exceeds it.
    NodeCount { location: ProgramLocation, max: u64 },
    /// Bodies nested too deep. The location is the first statement or call beyond the limit.
    NestingDepth { location: ProgramLocation, depth: u64, max: u64 },
    /// A name that is too long.
    NameLength { location: ProgramLocation, name: &'p Name },
}

/// Syntactic role of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameUse {
    Load,
    Store,
    Atomic(AtomicScope),
    BufLen,
    Variable,
    Assignment,
    Call,
}

/// A name that refers to no buffer, variable or op.
pub(super) struct UnresolvedName<'p> {
    pub(super) location: ProgramLocation,
    pub(super) program: &'p Program,
    pub(super) use_of: NameUse,
    pub(super) name: &'p Name,
    /// A similar name or another hint.
    pub(super) help: Option<String>,
}

/// A binding of a name that is already bound.
pub(super) struct Rebinding<'p> {
    pub(super) location: ProgramLocation,
    pub(super) name: &'p Name,
    pub(super) first: ProgramLocation,
    pub(super) first_is_loop_variable: bool,
}

/// An assignment.
#[derive(Clone, Copy)]
pub(super) struct Assignment<'p> {
    pub(super) location: ProgramLocation,
    pub(super) name: &'p Name,
    pub(super) value: Operand,
    pub(super) declared: ProgramLocation,
    pub(super) is_loop_variable: bool,
    pub(super) variable_type: Option<DataType>,
}

/// Condition of an `If`.
pub(super) struct IfCondition(pub(super) Operand);

/// Bounds of a `Loop`.
pub(super) struct LoopBounds {
    pub(super) from: Operand,
    pub(super) to: Operand,
}

/// A `Break`.
pub(super) struct BreakStatement {
    pub(super) location: ProgramLocation,
    /// Number of loops around the statement.
    pub(super) loop_depth: usize,
}

/// Index of an element of a buffer.
pub(super) struct BufferIndex(pub(super) Operand);

/// Kind of a buffer access.
#[derive(Clone, Copy, Debug)]
pub(super) enum AccessKind {
    Load,
    Store { value: Operand },
    Atomic { scope: AtomicScope, op: AtomicOp },
}

/// An access to an element of a declared buffer.
pub(super) struct Access<'p> {
    pub(super) location: ProgramLocation,
    pub(super) kind: AccessKind,
    pub(super) program: &'p Program,
    pub(super) buffer: &'p BufferDecl,
    pub(super) declared: ProgramLocation,
}

impl Access<'_> {
    /// Operator of an atomic of this scope, if the buffer has elements.
    pub(super) fn atomic_on_elements(&self, wanted: AtomicScope) -> Option<AtomicOp> {
        match self.kind {
            AccessKind::Atomic { scope, op } if scope == wanted && self.buffer.element != DataType::Bytes => Some(op),
            AccessKind::Atomic { .. } | AccessKind::Load | AccessKind::Store { .. } => None,
        }
    }
}

/// Operator and operands of an `Atomic` or `WorkgroupAtomic`.
pub(super) struct AtomicOperands {
    pub(super) location: ProgramLocation,
    pub(super) scope: AtomicScope,
    pub(super) op: AtomicOp,
    pub(super) expected: Option<Operand>,
    pub(super) value: Option<Operand>,
    /// Element type of the buffer, if it is declared.
    pub(super) element: Option<DataType>,
}

/// Axis of an invocation or workgroup id.
pub(super) struct IdAxis {
    pub(super) location: ProgramLocation,
    pub(super) axis: u32,
}

/// Operator and operands of a `BinOp`.
pub(super) struct BinaryOperands<'p> {
    pub(super) op: BinOp,
    pub(super) left: Operand,
    pub(super) right: Operand,
    /// The operands, with the types that they have or were meant to have.
    pub(super) exprs: [TypedExpr<'p>; 2],
}

/// Operator and operand of a `UnOp`.
pub(super) struct UnaryOperand<'p> {
    pub(super) op: UnOp,
    pub(super) operand: Operand,
    pub(super) expr: &'p Expr,
}

/// A `Select`.
pub(super) struct Select {
    pub(super) location: ProgramLocation,
    pub(super) cond: Operand,
    pub(super) true_val: Operand,
    pub(super) false_val: Operand,
}

/// A `Cast`.
#[derive(Clone, Copy)]
pub(super) struct Cast {
    pub(super) location: ProgramLocation,
    pub(super) value: Operand,
    pub(super) target: DataType,
}

/// An `Extract`.
pub(super) struct Extract {
    pub(super) location: ProgramLocation,
    pub(super) value: Operand,
    pub(super) lane: u32,
}

/// A `Pack`.
#[derive(Clone, Copy)]
pub(super) struct Pack<'o> {
    pub(super) location: ProgramLocation,
    pub(super) ty: DataType,
    pub(super) operands: &'o [Operand],
}

impl Pack<'_> {
    /// True if the type is a vector and each of its components has an operand.
    pub(super) fn has_all_components(&self) -> bool {
        let components = self.ty.components() as usize;
        components > 0 && self.operands.len() == components
    }
}

/// A `Collective` and its operands.
pub(super) struct CollectiveOperands<'p> {
    pub(super) location: ProgramLocation,
    pub(super) program: &'p Program,
    pub(super) collective: &'p Collective,
    pub(super) operands: &'p [NamedOperand],
}

/// A `Call` of an op of the table.
pub(super) struct Call<'p> {
    pub(super) location: ProgramLocation,
    pub(super) entry: &'p OpEntry,
    pub(super) arguments: &'p [Operand],
}

impl Call<'_> {
    /// True if the program of the op can replace the call.
    pub(super) fn can_be_inlined(&self) -> bool {
        let summary = &self.entry.summary;
        self.entry.op.inlinable
            && summary.is_within_call_depth()
            && matches!(summary.inlinability, Inlinability::Possible)
    }
}

/// Requirement of uniformity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convergence {
    /// A barrier requires uniform control flow.
    Barrier,
    /// A collective requires uniform control flow.
    Collective,
    /// The lane of a broadcast must be a uniform value.
    BroadcastLane,
}

/// A construct whose requirement of uniformity is not met.
#[derive(Clone, Copy, Debug)]
pub(super) struct DivergentUse {
    pub(super) location: ProgramLocation,
    pub(super) requires: Convergence,
    /// Nearest statement or expression at which invocations diverge, for control flow.
    pub(super) cause: Option<DivergenceCause>,
}

/// A statement or expression at which invocations diverge.
#[derive(Clone, Copy, Debug)]
pub(super) struct DivergenceCause {
    pub(super) label: &'static str,
    pub(super) location: ProgramLocation,
}
