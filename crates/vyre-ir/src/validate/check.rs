//! Names, references and types.
//!
//! One walk in the order of evaluation: operands have their types before the expression that uses them, and names are
//! bound before they are used.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::facts::{NO_TARGET, Resolved, Variable};
use super::rules::*;
use super::uniformity::{Flow, Uniformity};
use crate::diagnostic::{ProgramLocation, Report, code};
use crate::spelling::nearest;
use crate::text;
use crate::{
    AtomicOp, BinOp, BodyKind, BufferAccess, BufferDecl, Collective, DataType, Event, Expr, Name, Node, OpTable,
    Program, Traversal,
};

/// Checks the workgroup size and the buffers.
pub(super) fn check_declarations(program: &Program, report: &mut Report) {
    v003_workgroup_size::check(report, program.workgroup_size);
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut bindings: HashMap<u32, usize> = HashMap::new();
    let mut output = None;
    for (position, buffer) in program.buffers.iter().enumerate() {
        let location = ProgramLocation::Buffer(position);
        match names.get(buffer.name.as_str()) {
            Some(&first) => {
                v001_duplicate_buffer_name::report(report, location, buffer, ProgramLocation::Buffer(first))
            }
            None => {
                names.insert(&buffer.name, position);
            }
        }
        if buffer.access != BufferAccess::Workgroup {
            match bindings.get(&buffer.binding) {
                Some(&first) => {
                    v002_duplicate_binding::report(report, location, buffer, ProgramLocation::Buffer(first))
                }
                None => {
                    bindings.insert(buffer.binding, position);
                }
            }
        }
        v024_workgroup_count::check(report, location, buffer);
        v048_static_count::check(report, location, buffer);
        v050_workgroup_bytes::check(report, location, buffer);
        if buffer.is_output {
            match output {
                Some(first) => v029_second_output::report(report, location, buffer, ProgramLocation::Buffer(first)),
                None => output = Some(position),
            }
            v049_output_access::check(report, location, buffer);
        }
    }
}

/// Checks the statements and expressions of a program with `nodes` of them, their uniformity included.
pub(super) fn check_entry(
    program: &Program,
    ops: &OpTable,
    nodes: usize,
    report: &mut Report,
) -> (Resolved, Uniformity) {
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
        live: HashMap::default(),
        bound: Vec::new(),
        bodies: Vec::new(),
        loops: 0,
        loop_variable: None,
        operands: Vec::new(),
        types: Vec::with_capacity(nodes),
        targets: Vec::with_capacity(nodes),
        variables: Vec::new(),
        guesses: 0,
    };
    // One walk feeds both: what an expression refers to is known right after it has been checked.
    let mut flow = Flow::new(program, nodes);
    for event in Traversal::new(program) {
        match event {
            Event::Expr(expr) => {
                let target = checker.expr(expr);
                flow.expr(expr, target);
            }
            Event::Statement(node) => {
                let target = checker.statement(node);
                flow.statement(node, target);
            }
            Event::EnterBody(kind) => {
                let loop_variable = checker.enter_body(kind);
                flow.enter_body(kind, loop_variable);
            }
            Event::LeaveBody(kind) => {
                checker.leave_body(kind);
                flow.leave_body(kind);
            }
        }
    }
    let resolved = checker.finish();
    (resolved, flow.finish(report))
}

/// An operand that waits for the expression or statement that uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// `None` where the operand failed; such a type fits everywhere.
    pub(super) ty: Option<DataType>,
    pub(super) location: ProgramLocation,
}

impl Operand {
    /// The type, where it is known and not `wanted`.
    pub(super) fn other_than(self, wanted: DataType) -> Option<DataType> {
        self.ty.filter(|&ty| ty != wanted)
    }

    /// The type, where it is known and no condition.
    pub(super) fn no_condition(self) -> Option<DataType> {
        self.ty.filter(|&ty| ty != DataType::U32 && ty != DataType::Bool)
    }
}

/// What a name of a buffer stands for.
#[derive(Clone, Copy)]
enum Lookup<'p> {
    Found(usize, &'p BufferDecl),
    /// Several buffers, which has been reported; nothing more is said about uses of the name.
    Ambiguous,
    Unknown,
}

/// A variable while names are being resolved.
struct Binding<'p> {
    name: &'p Name,
    ty: Option<DataType>,
    declared: u32,
    is_loop_variable: bool,
    /// Bound again while it was live, which has been reported; nothing more is said about assignments to it.
    is_ambiguous: bool,
}

struct Checker<'p, 'r> {
    program: &'p Program,
    ops: &'p OpTable,
    report: &'r mut Report,
    buffers: HashMap<&'p str, Lookup<'p>, RandomState>,
    /// The variables that can be referred to.
    live: HashMap<&'p str, u32, RandomState>,
    /// Their names, in the order of binding.
    bound: Vec<&'p str>,
    /// For each open body, how many names were bound before it.
    bodies: Vec<usize>,
    /// How many loops are open.
    loops: usize,
    /// The variable of the loop whose body comes next.
    loop_variable: Option<(&'p Name, u32)>,
    operands: Vec<Operand>,
    types: Vec<Option<DataType>>,
    targets: Vec<u32>,
    variables: Vec<Binding<'p>>,
    /// How many guesses at misspelt names have been made.
    guesses: usize,
}

fn did_you_mean<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean {}?", code(&text::name(near))))
}

/// Guesses cost time for each name in scope; this many are enough for a reader.
const MOST_GUESSES: usize = 50;

impl<'p> Checker<'p, '_> {
    fn finish(self) -> Resolved {
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
        Resolved { types: self.types, targets: self.targets, variables }
    }

    /// Gives the variable of the loop whose body this is.
    fn enter_body(&mut self, kind: BodyKind) -> u32 {
        self.bodies.push(self.bound.len());
        if kind == BodyKind::Loop {
            self.loops += 1;
        }
        match self.loop_variable.take() {
            Some((name, declared)) => self.bind(name, Some(DataType::U32), declared, true),
            None => NO_TARGET,
        }
    }

    fn leave_body(&mut self, kind: BodyKind) {
        if kind == BodyKind::Loop {
            self.loops -= 1;
        }
        let kept = self.bodies.pop().unwrap_or(0);
        for name in self.bound.drain(kept..) {
            self.live.remove(name);
        }
    }

    /// Binds a name and gives the variable; a name that is live is reported and stays as it is.
    fn bind(&mut self, name: &'p Name, ty: Option<DataType>, declared: u32, is_loop_variable: bool) -> u32 {
        if name.is_discard() {
            return NO_TARGET;
        }
        let location = ProgramLocation::Node(declared);
        if let Some(&first) = self.live.get(name.as_str()) {
            let first = &mut self.variables[first as usize];
            v008_shadowing::report(
                self.report,
                location,
                name,
                ProgramLocation::Node(first.declared),
                first.is_loop_variable,
            );
            first.is_ambiguous = true;
            if first.ty != ty {
                first.ty = None;
            }
            return NO_TARGET;
        }
        let variable = self.variables.len() as u32;
        self.variables.push(Binding { name, ty, declared, is_loop_variable, is_ambiguous: false });
        self.live.insert(name, variable);
        self.bound.push(name);
        if let Some(target) = self.targets.get_mut(declared as usize) {
            *target = variable;
        }
        variable
    }

    /// The location of the statement or expression that is being looked at.
    fn here(&self) -> ProgramLocation {
        ProgramLocation::Node(self.types.len() as u32)
    }

    fn pop(&mut self) -> Operand {
        // A walk visits every operand before what uses it.
        self.operands.pop().unwrap_or(Operand { ty: None, location: self.here() })
    }

    fn buffer(&self, name: &str) -> Lookup<'p> {
        self.buffers.get(name).copied().unwrap_or(Lookup::Unknown)
    }

    /// Whether a guess at a misspelt name may still be made; each costs time for every name in scope.
    fn may_guess(&mut self) -> bool {
        self.guesses += 1;
        self.guesses <= MOST_GUESSES
    }

    fn unknown_buffer(&mut self, use_of: v004_unknown_buffer::Use, name: &Name) {
        let help = if self.may_guess() {
            did_you_mean(name, self.program.buffers.iter().map(|buffer| buffer.name.as_str()))
        } else {
            None
        };
        v004_unknown_buffer::report(self.report, self.here(), use_of, name, help);
    }

    fn unknown_variable(&mut self, use_of: v006_undeclared_variable::Use, name: &Name) {
        let help = if name.is_discard() {
            Some("`_` binds nothing; `let _ = ...;` evaluates a value for its effect".to_owned())
        } else if self.buffers.contains_key(name.as_str()) {
            let name = text::name(name);
            Some(format!("{} is a buffer; its elements are {}", code(&name), code(&format!("{name}[i]"))))
        } else if self.may_guess() {
            // Recent names are the likelier ones.
            did_you_mean(name, self.bound.iter().rev().copied())
        } else {
            None
        };
        v006_undeclared_variable::report(self.report, self.here(), use_of, name, help);
    }

    /// Gives what the statement refers to.
    fn statement(&mut self, node: &'p Node) -> u32 {
        let location = self.here();
        let ordinal = self.types.len() as u32;
        let mut target = NO_TARGET;
        match node {
            Node::Let { name, value: _ } => {
                let value = self.pop();
                self.types.push(None);
                self.targets.push(NO_TARGET);
                return self.bind(name, value.ty, ordinal, false);
            }
            Node::Assign { name, value: _ } => {
                let value = self.pop();
                match self.live.get(name.as_str()) {
                    None => self.unknown_variable(v006_undeclared_variable::Use::Assignment, name),
                    Some(&variable) => {
                        target = variable;
                        let binding = &self.variables[variable as usize];
                        let declared = ProgramLocation::Node(binding.declared);
                        if binding.is_ambiguous {
                            // Which binding is meant is not known.
                        } else if binding.is_loop_variable {
                            v011_loop_variable::report(self.report, location, name, declared);
                        } else if let Some(ty) = binding.ty {
                            v031_assignment_type::check(self.report, value, name, ty, declared);
                        }
                    }
                }
            }
            Node::Store { buffer: name, index: _, value: _ } => {
                let value = self.pop();
                let index = self.pop();
                v034_index_type::check(self.report, index);
                match self.buffer(name) {
                    Lookup::Ambiguous => {}
                    Lookup::Unknown => self.unknown_buffer(v004_unknown_buffer::Use::Store, name),
                    Lookup::Found(position, buffer) => {
                        target = position as u32;
                        let declared = ProgramLocation::Buffer(position);
                        v005_store_to_read_only::check(self.report, location, buffer, declared);
                        if v013_bytes_element::check(self.report, location, buffer, declared) {
                            v030_store_type::check(self.report, value, buffer, declared);
                        }
                    }
                }
            }
            Node::If { cond: _, then: _, otherwise: _ } => {
                let cond = self.pop();
                v022_condition_type::check(self.report, cond);
            }
            Node::Loop { var, from: _, to: _, body: _ } => {
                let to = self.pop();
                let from = self.pop();
                v015_loop_bound_type::check(self.report, from);
                v015_loop_bound_type::check(self.report, to);
                self.loop_variable = Some((var, ordinal));
            }
            Node::Break => {
                if self.loops == 0 {
                    v026_break_outside_loop::report(self.report, location);
                }
            }
            Node::Return | Node::Block(_) | Node::Barrier => {}
        }
        self.types.push(None);
        self.targets.push(target);
        target
    }

    /// Gives what the expression refers to.
    fn expr(&mut self, expr: &'p Expr) -> u32 {
        let location = self.here();
        let (ty, target) = self.type_of(expr, location);
        self.types.push(ty);
        self.targets.push(target);
        self.operands.push(Operand { ty, location });
        target
    }

    /// The type of an expression and what it refers to.
    fn type_of(&mut self, expr: &'p Expr, location: ProgramLocation) -> (Option<DataType>, u32) {
        let ty = match expr {
            Expr::LitU32(_) => Some(DataType::U32),
            Expr::LitI32(_) => Some(DataType::I32),
            Expr::LitBool(_) => Some(DataType::Bool),
            Expr::Var(name) => match self.live.get(name.as_str()) {
                Some(&variable) => return (self.variables[variable as usize].ty, variable),
                None => {
                    self.unknown_variable(v006_undeclared_variable::Use::Reference, name);
                    None
                }
            },
            Expr::Load { buffer: name, index: _ } => {
                let index = self.pop();
                v034_index_type::check(self.report, index);
                match self.buffer(name) {
                    Lookup::Ambiguous => None,
                    Lookup::Found(position, buffer) => {
                        let readable =
                            v013_bytes_element::check(self.report, location, buffer, ProgramLocation::Buffer(position));
                        return (readable.then_some(buffer.element), position as u32);
                    }
                    Lookup::Unknown => {
                        self.unknown_buffer(v004_unknown_buffer::Use::Load, name);
                        None
                    }
                }
            }
            Expr::BufLen { buffer: name } => match self.buffer(name) {
                Lookup::Ambiguous => Some(DataType::U32),
                Lookup::Found(position, _) => return (Some(DataType::U32), position as u32),
                Lookup::Unknown => {
                    self.unknown_buffer(v004_unknown_buffer::Use::BufLen, name);
                    Some(DataType::U32)
                }
            },
            Expr::InvocationId { axis }
            | Expr::WorkgroupId { axis }
            | Expr::LocalId { axis }
            | Expr::NumWorkgroups { axis } => {
                v007_axis::check(self.report, location, *axis);
                Some(DataType::U32)
            }
            Expr::BinOp { op, left: _, right: _ } => {
                let right = self.pop();
                let left = self.pop();
                self.binary(*op, left, right);
                Some(DataType::U32)
            }
            Expr::UnOp { op, operand: _ } => {
                let operand = self.pop();
                v033_unary_operand_type::check(self.report, *op, operand);
                Some(DataType::U32)
            }
            Expr::Call { op_id, args } => self.call(op_id, args.len(), location),
            Expr::Select { cond: _, true_val: _, false_val: _ } => {
                let false_val = self.pop();
                let true_val = self.pop();
                let cond = self.pop();
                v041_select_condition::check(self.report, cond);
                v032_select_arms::check(self.report, location, true_val, false_val)
            }
            Expr::Cast { target, value: _ } => {
                let value = self.pop();
                let to_bytes = v023_cast_to_bytes::check(self.report, location, value, *target);
                let supported = to_bytes && v012_cast::check(self.report, location, value, *target);
                supported.then_some(*target)
            }
            Expr::Atomic { op, buffer, index: _, expected, value } => {
                return self.atomic(*op, buffer, expected.is_some(), value.is_some(), location);
            }
            Expr::Extract { value: _, lane } => {
                let value = self.pop();
                if v042_extract_type::check(self.report, location, value) {
                    v036_lane_range::check(self.report, location, value, *lane);
                }
                Some(DataType::U32)
            }
            Expr::Pack { ty, lanes } => {
                let operands = self.operands.split_off(self.operands.len() - lanes.len());
                if v043_pack_lanes::check(self.report, location, *ty, lanes.len()) {
                    for (lane, operand) in operands.into_iter().enumerate() {
                        v044_pack_lane_type::check(self.report, lane, operand);
                    }
                    Some(*ty)
                } else {
                    None
                }
            }
            Expr::Collective(collective) => {
                self.collective(collective, location);
                Some(DataType::U32)
            }
        };
        (ty, NO_TARGET)
    }

    fn binary(&mut self, op: BinOp, left: Operand, right: Operand) {
        v021_binary_operand_type::check(self.report, op, "left", left);
        v021_binary_operand_type::check(self.report, op, "right", right);
    }

    fn atomic(
        &mut self,
        op: AtomicOp,
        name: &Name,
        has_expected: bool,
        has_value: bool,
        location: ProgramLocation,
    ) -> (Option<DataType>, u32) {
        let value = has_value.then(|| self.pop());
        let expected = has_expected.then(|| self.pop());
        let index = self.pop();
        v034_index_type::check(self.report, index);
        v035_atomic_expected::check(self.report, location, op, has_expected);
        v039_atomic_value::check(self.report, location, op, has_value);
        for (role, operand) in [("expected", expected), ("value", value)] {
            let belongs = if role == "expected" { op.takes_expected() } else { op.takes_value() };
            if let (Some(operand), true) = (operand, belongs) {
                v040_atomic_operand_type::check(self.report, role, operand);
            }
        }
        let (position, buffer) = match self.buffer(name) {
            Lookup::Found(position, buffer) => (position, buffer),
            Lookup::Ambiguous => return (Some(DataType::U32), NO_TARGET),
            Lookup::Unknown => {
                self.unknown_buffer(v004_unknown_buffer::Use::Atomic, name);
                return (Some(DataType::U32), NO_TARGET);
            }
        };
        let declared = ProgramLocation::Buffer(position);
        // One mistake, one report: the element type matters only where an atomic is possible at all.
        match buffer.access {
            _ if buffer.element == DataType::Bytes => {
                v013_bytes_element::check(self.report, location, buffer, declared);
            }
            BufferAccess::Workgroup => v025_workgroup_atomic::report(self.report, location, buffer, declared),
            BufferAccess::ReadOnly | BufferAccess::Uniform => {
                v009_atomic_access::report(self.report, location, buffer, declared)
            }
            BufferAccess::ReadWrite => v014_atomic_element::check(self.report, location, buffer, declared),
        }
        (Some(DataType::U32), position as u32)
    }

    fn collective(&mut self, collective: &Collective, location: ProgramLocation) {
        match collective {
            Collective::Broadcast { value: _, lane: _ } | Collective::Shuffle { value: _, lane: _ } => {
                let lane = self.pop();
                let value = self.pop();
                v045_collective_operand_type::check(self.report, "value", value);
                v045_collective_operand_type::check(self.report, "lane", lane);
            }
            Collective::Reduce { op: _, value: _ }
            | Collective::ScanExclusive { op: _, value: _ }
            | Collective::ScanInclusive { op: _, value: _ } => {
                let value = self.pop();
                v045_collective_operand_type::check(self.report, "value", value);
            }
            Collective::Ballot { predicate: _ } => {
                let predicate = self.pop();
                v045_collective_operand_type::check(self.report, "predicate", predicate);
                v038_ballot_size::check(self.report, location, self.program);
            }
        }
    }

    fn call(&mut self, op_id: &Name, arguments: usize, location: ProgramLocation) -> Option<DataType> {
        let operands = self.operands.split_off(self.operands.len() - arguments);
        let Some(entry) = self.ops.entry(op_id) else {
            let help = if self.may_guess() {
                did_you_mean(op_id, self.ops.iter().map(|op| op.id.as_str()).chain(text::function_names()))
            } else {
                None
            };
            v016_unknown_op::report(self.report, location, op_id, help);
            return None;
        };
        let result = Some(entry.op.signature.output);
        let callable = v020_not_inlinable::check(self.report, location, &entry.op)
            && v017_call_depth::check(self.report, location, &entry.summary)
            && v047_unfit_op::check(self.report, location, entry);
        if callable && v027_argument_count::check(self.report, location, &entry.op, arguments) {
            for (position, (operand, &wanted)) in operands.into_iter().zip(&entry.op.signature.inputs).enumerate() {
                v028_argument_type::check(self.report, &entry.op, position, operand, wanted);
            }
        }
        result.filter(|&ty| ty != DataType::Bytes)
    }
}
