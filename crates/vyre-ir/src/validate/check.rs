//! Name resolution and type checking.
//!
//! One traversal in evaluation order: the types of operands are known before the expression that uses them, and names
//! are bound before they are used. The checker computes types and targets, and calls the hooks of the rules for each
//! construct; it reports nothing itself.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::divergence::{DivergenceAnalysis, Uniformity};
use super::hooks::{
    Access, AccessKind, Assignment, AtomicOperands, BinaryOperands, BreakStatement, BufferIndex, Call, Cast,
    CollectiveOperands, Extract, IdAxis, IfCondition, LoopBounds, NameUse, NamedOperand, Operand, Pack, Rebinding,
    Select, UnaryOperand, UnresolvedName,
};
use super::resolution::{NO_TARGET, Resolution, Variable};
use super::rewrite::TypedExpr;
use super::rules;
use crate::diagnostic::{ProgramLocation, Report, code};
use crate::spelling::nearest;
use crate::text;
use crate::{
    AtomicOp, AtomicScope, BinOp, BodyKind, BufferDecl, Collective, DataType, Event, Expr, Name, Node, OpTable,
    Program, Traversal, UnOp,
};

/// Facts about the statements, expressions and variables of a program.
#[derive(Clone, Debug)]
pub(super) struct EntryFacts {
    pub(super) resolution: Resolution,
    pub(super) uniformity: Uniformity,
}

/// Checks the statements and expressions of a program with `nodes` of them, uniformity included.
pub(super) fn check_entry(program: &Program, ops: &OpTable, nodes: usize, report: &mut Report) -> EntryFacts {
    let mut buffers: HashMap<&str, Lookup, RandomState> = HashMap::default();
    for (position, buffer) in program.buffers.iter().enumerate() {
        let found = Lookup::Found(position, buffer);
        buffers.entry(buffer.name.as_str()).and_modify(|entry| *entry = Lookup::Ambiguous).or_insert(found);
    }
    let mut checker = Checker {
        program,
        ops,
        report,
        buffers,
        in_scope: HashMap::default(),
        bound: Vec::new(),
        bodies: Vec::new(),
        loop_depth: 0,
        loop_variable: None,
        operands: Vec::new(),
        types: Vec::with_capacity(nodes),
        targets: Vec::with_capacity(nodes),
        variables: Vec::new(),
        suggestions: 0,
        failures: HashMap::default(),
        failed_variables: HashMap::default(),
    };
    // The target of an expression is known as soon as the expression is checked, so one traversal feeds both analyses.
    let mut divergence = DivergenceAnalysis::new(program, nodes);
    for event in Traversal::new(program) {
        match event {
            Event::Expr(expr) => {
                let target = checker.expr(expr);
                divergence.expr(expr, target);
            }
            Event::Statement(node) => {
                let target = checker.statement(node);
                divergence.statement(node, target);
            }
            Event::EnterBody(kind) => {
                let loop_variable = checker.enter_body(kind);
                divergence.enter_body(kind, loop_variable);
            }
            Event::LeaveBody(kind) => {
                checker.leave_body(kind);
                divergence.leave_body(kind);
            }
        }
    }
    let resolution = checker.finish();
    let (uniformity, divergent_uses) = divergence.finish();
    for divergent in &divergent_uses {
        rules::divergent_use(divergent, report);
    }
    EntryFacts { resolution, uniformity }
}

/// Result of a lookup of a buffer by its name.
#[derive(Clone, Copy)]
enum Lookup<'p> {
    Found(usize, &'p BufferDecl),
    /// Several buffers have the name. V001 reports the declarations; uses of the name are not reported.
    Ambiguous,
    Unknown,
}

/// A variable during name resolution.
struct Binding<'p> {
    name: &'p Name,
    ty: Option<DataType>,
    declared: u32,
    is_loop_variable: bool,
    /// Bound again while it was in scope. V008 reports the binding; assignments to the variable are not reported.
    is_ambiguous: bool,
}

struct Checker<'p, 'r> {
    program: &'p Program,
    ops: &'p OpTable,
    report: &'r mut Report,
    buffers: HashMap<&'p str, Lookup<'p>, RandomState>,
    /// Variables in scope.
    in_scope: HashMap<&'p str, u32, RandomState>,
    /// Names of the variables in scope, in the order of binding.
    bound: Vec<&'p str>,
    /// Number of names that were bound before each open body.
    bodies: Vec<usize>,
    /// Number of open loops.
    loop_depth: usize,
    /// Variable of the loop whose body is entered next.
    loop_variable: Option<(&'p Name, u32)>,
    /// Operands of the expressions and statements that have not been visited yet.
    operands: Vec<Operand>,
    types: Vec<Option<DataType>>,
    targets: Vec<u32>,
    variables: Vec<Binding<'p>>,
    /// Number of spelling suggestions that were searched for.
    suggestions: usize,
    /// Failed operations, by ordinal.
    failures: HashMap<u32, Failure, RandomState>,
    /// Types that variables with failed values were meant to have.
    failed_variables: HashMap<u32, DataType, RandomState>,
}

/// An operation on another type than `U32`. It was reported; its other operands of the type are the same mistake.
#[derive(Clone, Debug)]
struct Failure {
    /// Type of the operands that were reported.
    ty: DataType,
    /// Diagnostics of the operation. Empty if they belong to another statement.
    reports: Range<usize>,
}

fn did_you_mean<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean {}?", code(&text::name(near))))
}

/// Maximum number of spelling suggestions for a program. Each search visits every name in scope.
const MAX_SUGGESTIONS: usize = 50;

impl<'p> Checker<'p, '_> {
    fn finish(self) -> Resolution {
        let variables = self
            .variables
            .into_iter()
            .map(|binding| Variable {
                name: binding.name.clone(),
                ty: binding.ty.unwrap_or(DataType::U32),
                declared: binding.declared,
                is_loop_variable: binding.is_loop_variable,
            })
            .collect();
        Resolution { types: self.types, targets: self.targets, variables }
    }

    /// Enters a body and returns the variable of its loop.
    fn enter_body(&mut self, kind: BodyKind) -> u32 {
        self.bodies.push(self.bound.len());
        if kind == BodyKind::Loop {
            self.loop_depth += 1;
        }
        match self.loop_variable.take() {
            Some((name, declared)) => self.bind(name, Some(DataType::U32), declared, true),
            None => NO_TARGET,
        }
    }

    fn leave_body(&mut self, kind: BodyKind) {
        if kind == BodyKind::Loop {
            self.loop_depth -= 1;
        }
        let kept = self.bodies.pop().unwrap_or(0);
        for name in self.bound.drain(kept..) {
            self.in_scope.remove(name);
        }
    }

    /// Binds a name and returns the variable. A name that is in scope keeps its first binding.
    fn bind(&mut self, name: &'p Name, ty: Option<DataType>, declared: u32, is_loop_variable: bool) -> u32 {
        if name.is_discard() {
            return NO_TARGET;
        }
        let location = ProgramLocation::Node(declared);
        if let Some(&first) = self.in_scope.get(name.as_str()) {
            let first = &mut self.variables[first as usize];
            let rebinding = Rebinding {
                location,
                name,
                first: ProgramLocation::Node(first.declared),
                first_is_loop_variable: first.is_loop_variable,
            };
            rules::rebinding(&rebinding, self.report);
            first.is_ambiguous = true;
            if first.ty != ty {
                first.ty = None;
            }
            return NO_TARGET;
        }
        let variable = self.variables.len() as u32;
        self.variables.push(Binding { name, ty, declared, is_loop_variable, is_ambiguous: false });
        self.in_scope.insert(name, variable);
        self.bound.push(name);
        if let Some(target) = self.targets.get_mut(declared as usize) {
            *target = variable;
        }
        variable
    }

    /// Location of the statement or expression that is checked.
    fn here(&self) -> ProgramLocation {
        ProgramLocation::Node(self.types.len() as u32)
    }

    fn pop(&mut self) -> Operand {
        // A traversal visits the operands of an expression before the expression.
        self.operands.pop().unwrap_or(Operand { ty: None, location: self.here() })
    }

    fn buffer(&self, name: &str) -> Lookup<'p> {
        self.buffers.get(name).copied().unwrap_or(Lookup::Unknown)
    }

    /// Counts a search for a spelling suggestion; false if there were [too many](MAX_SUGGESTIONS).
    fn may_suggest(&mut self) -> bool {
        self.suggestions += 1;
        self.suggestions <= MAX_SUGGESTIONS
    }

    fn unresolved_name(&mut self, use_of: NameUse, name: &'p Name, help: Option<String>) {
        let (location, program) = (self.here(), self.program);
        rules::unresolved_name(&UnresolvedName { location, program, use_of, name, help }, self.report);
    }

    fn unknown_buffer(&mut self, use_of: NameUse, name: &'p Name) {
        let help = if self.may_suggest() {
            did_you_mean(name, self.program.buffers.iter().map(|buffer| buffer.name.as_str()))
        } else {
            None
        };
        self.unresolved_name(use_of, name, help);
    }

    fn unknown_variable(&mut self, use_of: NameUse, name: &'p Name) {
        let help = if name.is_discard() {
            Some("`_` binds nothing; `let _ = ...;` evaluates a value for its effect".to_owned())
        } else if self.buffers.contains_key(name.as_str()) {
            let name = text::name(name);
            Some(format!("{} is a buffer; its elements are {}", code(&name), code(&format!("{name}[i]"))))
        } else if self.may_suggest() {
            // The name that was bound last wins a tie.
            let near = did_you_mean(name, self.bound.iter().rev().copied());
            near.or_else(|| text::foreign_variable(name).map(str::to_owned))
        } else {
            None
        };
        self.unresolved_name(use_of, name, help);
    }

    /// Checks a statement and returns its target.
    fn statement(&mut self, node: &'p Node) -> u32 {
        let location = self.here();
        let ordinal = self.types.len() as u32;
        let mut target = NO_TARGET;
        match node {
            Node::Let { name, value: _ } => {
                let value = self.pop();
                self.types.push(None);
                self.targets.push(NO_TARGET);
                let variable = self.bind(name, value.ty, ordinal, false);
                if let Some(failure) = self.failure(value) {
                    self.failed_variables.insert(variable, failure.ty);
                }
                return variable;
            }
            Node::Assign { name, value: _ } => {
                let value = self.pop();
                match self.in_scope.get(name.as_str()) {
                    None => self.unknown_variable(NameUse::Assignment, name),
                    Some(&variable) => {
                        target = variable;
                        let binding = &self.variables[variable as usize];
                        if !binding.is_ambiguous {
                            let assignment = Assignment {
                                location,
                                name,
                                value,
                                declared: ProgramLocation::Node(binding.declared),
                                is_loop_variable: binding.is_loop_variable,
                                variable_type: binding.ty,
                            };
                            rules::assignment(&assignment, self.report);
                        }
                    }
                }
            }
            Node::Store { buffer: name, index: _, value: _ } => {
                let value = self.pop();
                let index = self.pop();
                rules::buffer_index(&BufferIndex(index), self.report);
                match self.buffer(name) {
                    Lookup::Ambiguous => {}
                    Lookup::Unknown => self.unknown_buffer(NameUse::Store, name),
                    Lookup::Found(position, buffer) => {
                        target = position as u32;
                        let declared = ProgramLocation::Buffer(position);
                        let kind = AccessKind::Store { value };
                        rules::access(&Access { location, kind, program: self.program, buffer, declared }, self.report);
                    }
                }
            }
            Node::If { cond: _, then: _, otherwise: _ } => {
                let cond = self.pop();
                rules::if_condition(&IfCondition(cond), self.report);
            }
            Node::Loop { var, from: _, to: _, body: _ } => {
                let to = self.pop();
                let from = self.pop();
                rules::loop_bounds(&LoopBounds { from, to }, self.report);
                self.loop_variable = Some((var, ordinal));
            }
            Node::Break => {
                rules::break_statement(&BreakStatement { location, loop_depth: self.loop_depth }, self.report);
            }
            Node::Return | Node::Block(_) | Node::Barrier => {}
        }
        self.types.push(None);
        self.targets.push(target);
        target
    }

    /// Checks an expression and returns its target.
    fn expr(&mut self, expr: &'p Expr) -> u32 {
        let location = self.here();
        let (ty, target) = self.type_of(expr, location);
        self.types.push(ty);
        self.targets.push(target);
        self.operands.push(Operand { ty, location });
        target
    }

    /// Type and target of an expression.
    fn type_of(&mut self, expr: &'p Expr, location: ProgramLocation) -> (Option<DataType>, u32) {
        let ty = match expr {
            Expr::LitU32(_) => Some(DataType::U32),
            Expr::LitI32(_) => Some(DataType::I32),
            Expr::LitBool(_) => Some(DataType::Bool),
            Expr::Var(name) => match self.in_scope.get(name.as_str()) {
                Some(&variable) => {
                    let ty = self.variables[variable as usize].ty;
                    if ty.is_none() {
                        let failure = self.failed_variables.get(&variable).map(|&ty| Failure { ty, reports: 0..0 });
                        self.fail(failure);
                    }
                    return (ty, variable);
                }
                None => {
                    self.unknown_variable(NameUse::Variable, name);
                    None
                }
            },
            Expr::Load { buffer: name, index: _ } => {
                let index = self.pop();
                rules::buffer_index(&BufferIndex(index), self.report);
                match self.buffer(name) {
                    Lookup::Ambiguous => None,
                    Lookup::Found(position, buffer) => {
                        let declared = ProgramLocation::Buffer(position);
                        let (kind, program) = (AccessKind::Load, self.program);
                        rules::access(&Access { location, kind, program, buffer, declared }, self.report);
                        return (value_type(buffer.element), position as u32);
                    }
                    Lookup::Unknown => {
                        self.unknown_buffer(NameUse::Load, name);
                        None
                    }
                }
            }
            Expr::BufLen { buffer: name } => match self.buffer(name) {
                Lookup::Ambiguous => Some(DataType::U32),
                Lookup::Found(position, _) => return (Some(DataType::U32), position as u32),
                Lookup::Unknown => {
                    self.unknown_buffer(NameUse::BufLen, name);
                    Some(DataType::U32)
                }
            },
            Expr::InvocationId { axis }
            | Expr::WorkgroupId { axis }
            | Expr::LocalId { axis }
            | Expr::NumWorkgroups { axis } => {
                rules::id_axis(&IdAxis { location, axis: *axis }, self.report);
                Some(DataType::U32)
            }
            Expr::BinOp { op, left: left_expr, right: right_expr } => {
                let right = self.pop();
                let left = self.pop();
                if left.ty == Some(DataType::U32) && right.ty == Some(DataType::U32) {
                    Some(DataType::U32)
                } else {
                    self.mistyped_binary(*op, [left, right], [left_expr, right_expr])
                }
            }
            Expr::UnOp { op, operand: expr } => {
                let operand = self.pop();
                if operand.ty == Some(DataType::U32) { operand.ty } else { self.mistyped_unary(*op, operand, expr) }
            }
            Expr::Call { op_id, args } => self.call(op_id, args.len(), location),
            Expr::Select { cond: _, true_val: _, false_val: _ } => {
                let false_val = self.pop();
                let true_val = self.pop();
                let cond = self.pop();
                rules::select(&Select { location, cond, true_val, false_val }, self.report);
                match (true_val.ty, false_val.ty) {
                    (Some(first), Some(second)) if first != second => None,
                    (None, None) => {
                        let failure = self.merge_failures([true_val, false_val]);
                        self.fail(failure)
                    }
                    (first, second) => first.or(second),
                }
            }
            Expr::Cast { target, value: _ } => {
                let value = self.pop();
                rules::cast(&Cast { location, value, target: *target }, self.report);
                value.ty.is_none_or(|source| source.casts_to(*target)).then_some(*target)
            }
            Expr::Atomic { op, buffer, index: _, expected, value }
            | Expr::WorkgroupAtomic { op, buffer, index: _, expected, value } => {
                let (op, scope) = (*op, expr.atomic_scope().unwrap_or(AtomicScope::Storage));
                let value = value.is_some().then(|| self.pop());
                let expected = expected.is_some().then(|| self.pop());
                let index = self.pop();
                rules::buffer_index(&BufferIndex(index), self.report);
                let element = match self.buffer(buffer) {
                    Lookup::Found(_, buffer) => Some(buffer.element),
                    Lookup::Ambiguous | Lookup::Unknown => None,
                };
                let operands = AtomicOperands { location, scope, op, expected, value, element };
                rules::atomic_operands(&operands, self.report);
                let ty = element.is_none_or(|element| element == DataType::U32).then_some(DataType::U32);
                return (ty, self.atomic_target(scope, op, buffer, location));
            }
            Expr::Extract { value: _, lane } => {
                let value = self.pop();
                rules::extract(&Extract { location, value, lane: *lane }, self.report);
                Some(DataType::U32)
            }
            Expr::Pack { ty, lanes } => {
                let operands = self.operands.split_off(self.operands.len() - lanes.len());
                let pack = Pack { location, ty: *ty, operands: &operands };
                rules::pack(&pack, self.report);
                pack.has_all_components().then_some(*ty)
            }
            Expr::Collective(collective) => {
                self.collective(collective, location);
                Some(DataType::U32)
            }
        };
        (ty, NO_TARGET)
    }

    /// Failure of an operand whose type is unknown.
    fn failure(&self, operand: Operand) -> Option<Failure> {
        match (operand.ty, operand.location) {
            (None, ProgramLocation::Node(ordinal)) => self.failures.get(&ordinal).cloned(),
            _ => None,
        }
    }

    /// Merges the failures of operands that are computed with each other. If both failed on the same type, that is one
    /// mistake, and the reports of the second one are retracted.
    fn merge_failures(&mut self, operands: [Operand; 2]) -> Option<Failure> {
        let [first, second] = operands.map(|operand| self.failure(operand));
        if let (Some(first), Some(second)) = (&first, &second)
            && first.ty == second.ty
            && !first.reports.is_empty()
        {
            self.report.retract(second.reports.clone());
        }
        match (first, second) {
            (Some(first), second) if !first.reports.is_empty() || second.is_none() => Some(first),
            (first, second) => second.or(first),
        }
    }

    /// Records the failure of the expression that is checked. Its type is unknown.
    fn fail(&mut self, failure: Option<Failure>) -> Option<DataType> {
        if let Some(failure) = failure {
            self.failures.insert(self.types.len() as u32, failure);
        }
        None
    }

    /// Checks a binary operation whose operands are not both `U32`, and returns its type.
    fn mistyped_binary(&mut self, op: BinOp, operands: [Operand; 2], exprs: [&'p Expr; 2]) -> Option<DataType> {
        let failed = self.merge_failures(operands);
        let meant = |operand: Operand| operand.ty.or_else(|| self.failure(operand).map(|failure| failure.ty));
        let typed = [(operands[0], exprs[0]), (operands[1], exprs[1])];
        let exprs = typed.map(|(operand, expr)| TypedExpr { ty: meant(operand), expr });
        // Further operands of a type that was reported are the same mistake.
        let is_reported = |ty: DataType| failed.as_ref().is_some_and(|failure| failure.ty == ty);
        let [left, right] =
            operands.map(|operand| Operand { ty: operand.ty.filter(|&ty| !is_reported(ty)), ..operand });
        let before = self.report.len();
        rules::binary_operands(&BinaryOperands { op, left, right, exprs }, self.report);
        let reports = before..self.report.len();
        match op {
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge | BinOp::And | BinOp::Or => {
                Some(DataType::U32)
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod | BinOp::MulHi => {
                self.fail_on(failed, [left, right], reports)
            }
            BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shl | BinOp::Shr => {
                self.fail_on(failed, [left, right], reports)
            }
            BinOp::Min | BinOp::Max | BinOp::AbsDiff => self.fail_on(failed, [left, right], reports),
        }
    }

    /// Records that an operation failed, by an operand that failed before or by the diagnostics of its own operands.
    fn fail_on(&mut self, failed: Option<Failure>, operands: [Operand; 2], reports: Range<usize>) -> Option<DataType> {
        let mistyped = operands.into_iter().find_map(|operand| operand.type_other_than(DataType::U32));
        self.fail(failed.or_else(|| mistyped.map(|ty| Failure { ty, reports })))
    }

    /// Checks a unary operation whose operand is not `U32`, and returns its type.
    fn mistyped_unary(&mut self, op: UnOp, operand: Operand, expr: &'p Expr) -> Option<DataType> {
        let failed = self.failure(operand);
        let before = self.report.len();
        rules::unary_operand(&UnaryOperand { op, operand, expr }, self.report);
        let reports = before..self.report.len();
        match op {
            UnOp::LogicalNot | UnOp::Popcount | UnOp::Clz | UnOp::Ctz => Some(DataType::U32),
            UnOp::Negate | UnOp::BitNot | UnOp::ReverseBits => {
                self.fail(failed.or_else(|| operand.ty.map(|ty| Failure { ty, reports })))
            }
        }
    }

    /// Checks the buffer of an atomic and returns its position.
    fn atomic_target(&mut self, scope: AtomicScope, op: AtomicOp, name: &'p Name, location: ProgramLocation) -> u32 {
        match self.buffer(name) {
            Lookup::Ambiguous => NO_TARGET,
            Lookup::Unknown => {
                self.unknown_buffer(NameUse::Atomic(scope), name);
                NO_TARGET
            }
            Lookup::Found(position, buffer) => {
                let declared = ProgramLocation::Buffer(position);
                let (kind, program) = (AccessKind::Atomic { scope, op }, self.program);
                rules::access(&Access { location, kind, program, buffer, declared }, self.report);
                position as u32
            }
        }
    }

    fn collective(&mut self, collective: &'p Collective, location: ProgramLocation) {
        match collective {
            Collective::Broadcast { value: _, lane: _ } | Collective::Shuffle { value: _, lane: _ } => {
                let lane = NamedOperand { field: "lane", operand: self.pop() };
                let value = NamedOperand { field: "value", operand: self.pop() };
                self.collective_operands(collective, &[value, lane], location);
            }
            Collective::Reduce { op: _, value: _ }
            | Collective::ScanExclusive { op: _, value: _ }
            | Collective::ScanInclusive { op: _, value: _ } => {
                let value = NamedOperand { field: "value", operand: self.pop() };
                self.collective_operands(collective, &[value], location);
            }
            Collective::Ballot { predicate: _ } => {
                let predicate = NamedOperand { field: "predicate", operand: self.pop() };
                self.collective_operands(collective, &[predicate], location);
            }
        }
    }

    fn collective_operands(&mut self, collective: &Collective, operands: &[NamedOperand], location: ProgramLocation) {
        let subject = CollectiveOperands { location, program: self.program, collective, operands };
        rules::collective_operands(&subject, self.report);
    }

    fn call(&mut self, op_id: &'p Name, arguments: usize, location: ProgramLocation) -> Option<DataType> {
        let arguments = self.operands.split_off(self.operands.len() - arguments);
        let Some(entry) = self.ops.entry(op_id) else {
            let help = if self.may_suggest() {
                let foreign = text::foreign_function(op_id).map(str::to_owned);
                let known = self.ops.iter().map(|op| op.id.as_str()).chain(text::function_names());
                foreign.or_else(|| did_you_mean(op_id, known))
            } else {
                None
            };
            self.unresolved_name(NameUse::Call, op_id, help);
            return None;
        };
        rules::call(&Call { location, entry, arguments: &arguments }, self.report);
        value_type(entry.op.signature.output)
    }
}

/// Type of a value that is read from an element of this type; `Bytes` is the type of no value.
fn value_type(element: DataType) -> Option<DataType> {
    (element != DataType::Bytes).then_some(element)
}
