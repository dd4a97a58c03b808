//! Lowering from the syntax tree to the kernel form, with inlining of calls.
//!
//! One traversal of the program emits the kernel: expressions become values in evaluation order, statements are
//! appended to the current block, and a call pushes a traversal of the op. Lowering makes the semantics of the language
//! explicit: accesses get a guard, divisors become non-zero, shift amounts are masked, bools are separated from words,
//! and casts become operations on components.

mod activation;
mod expression;

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use vyre_ir::{
    BufferAccess, DataType, Event, Name, Node, Rule, Specialization, SpecializationError, ValidProgram, validate,
};

use crate::ids::{BlockId, BufferId, SlotId, ValueId};
use crate::kernel::{Kernel, Slot, Statement, element_type};
use crate::op::{Compare, Op, Type};
use crate::table::Key;
use activation::{Activation, Binding, Body, Facts, Role};

/// Error of lowering.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LowerError {
    /// The program of a called op is invalid, although the table marks it as callable.
    InvalidOp {
        /// The op.
        id: Name,
        /// The first rule that it breaks.
        rule: Rule,
    },
    /// A specialization that does not match the program.
    Specialization(SpecializationError),
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::InvalidOp { id, rule } => write!(f, "op `{id}` breaks rule {rule}"),
            LowerError::Specialization(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for LowerError {}

impl From<SpecializationError> for LowerError {
    fn from(error: SpecializationError) -> LowerError {
        LowerError::Specialization(error)
    }
}

/// Lowers a program.
///
/// ```
/// use vyre_ir::{OpTable, text};
///
/// let parsed = text::parse("workgroup_size 64; buffer b: read_write u32 @0 output; entry { b[invocation_id.x] = 7; }")?;
/// let ops = OpTable::default();
/// let kernel = vyre_kernel::lower(&parsed.validate(&ops).expect("is valid")).expect("lowers");
/// assert!(kernel.to_string().contains("store b[invocation_id.x], 7 if v"));
/// # Ok::<(), text::ParseErrors>(())
/// ```
///
/// # Errors
///
/// An op whose program is invalid.
pub fn lower(program: &ValidProgram<'_>) -> Result<Kernel, LowerError> {
    lower_specialized(program, &Specialization::default())
}

/// Lowers a program with specialization constants.
///
/// Loads of fixed elements become constants, which the [passes](crate::PassPipeline) fold.
///
/// # Errors
///
/// An op whose program is invalid, or a specialization that does not match the program.
pub fn lower_specialized(program: &ValidProgram<'_>, fixed: &Specialization) -> Result<Kernel, LowerError> {
    fixed.check(program.program())?;
    let tree = program.program();
    let mut kernel = Kernel::new(tree.workgroup_size, tree.buffers.iter().cloned());
    for (at, buffer) in tree.buffers.iter().enumerate().filter(|(_, buffer)| buffer.access == BufferAccess::Uniform) {
        // A bound buffer must contain all fixed elements.
        if let Some((last, _)) = fixed.elements(buffer.binding).last() {
            kernel.set_min_length(BufferId::from_position(at), last + 1);
        }
    }
    let entry = kernel.entry;
    let mut lowering = Lowering { kernel, fixed, callees: HashMap::new(), activations: Vec::new(), block: entry };
    let facts = Facts::new(program.clone());
    lowering.activations.push(Activation::new(Rc::new(facts), Role::Entry));
    lowering.run()?;
    Ok(lowering.kernel)
}

/// State of lowering.
struct Lowering<'p, 'f> {
    kernel: Kernel,
    fixed: &'f Specialization,
    /// Facts about the ops that were called.
    callees: HashMap<&'p str, Rc<Facts<'p>>>,
    /// Stack of the program and its active calls, outermost first; at most 33.
    activations: Vec<Activation<'p>>,
    /// Block that statements are appended to.
    block: BlockId,
}

/// An operand and its type in the language.
#[derive(Clone, Copy)]
struct Operand {
    value: ValueId,
    ty: DataType,
}

/// Kernel type of a type of the language.
fn value_type(ty: DataType) -> Type {
    match ty {
        DataType::Bool => Type::Bool,
        _ => element_type(ty),
    }
}

impl<'p> Lowering<'p, '_> {
    fn run(&mut self) -> Result<(), LowerError> {
        while let Some(activation) = self.activations.last_mut() {
            match activation.traversal.next() {
                Some(Event::Expr(expr)) => {
                    let ordinal = activation.traversal.ordinal();
                    self.expression(expr, ordinal)?;
                }
                Some(Event::Statement(node)) => {
                    let ordinal = activation.traversal.ordinal();
                    self.statement(node, ordinal);
                }
                Some(Event::EnterBody(_)) => self.enter_body(),
                Some(Event::LeaveBody(_)) => self.leave_body(),
                None => self.finish_activation(),
            }
        }
        Ok(())
    }

    /// Current activation. One exists while there are events.
    fn activation(&mut self) -> &mut Activation<'p> {
        self.activations.last_mut().expect("events come from an activation")
    }

    fn push(&mut self, statement: Statement) {
        let statements = &mut self.kernel.blocks[self.block].statements;
        // Statements after an exit are unreachable.
        if !statements.last().is_some_and(|last| last.is_exit()) {
            statements.push(statement);
        }
    }

    /// Emits a computation of a value.
    fn emit(&mut self, op: Op) -> ValueId {
        if op.is_leaf() {
            return self.kernel.leaf(op);
        }
        let value = self.kernel.new_value(op);
        self.push(Statement::Let(value));
        value
    }

    fn new_slot(&mut self, name: &Name, ty: Type) -> SlotId {
        self.kernel.slots.push(Slot { name: name.clone(), ty })
    }

    fn pop(&mut self) -> Operand {
        self.activation().operands.pop().expect("operands are visited before the expression")
    }

    /// Zero of a type.
    fn zero(&mut self, ty: Type) -> ValueId {
        let zero = self.kernel.word(0);
        match ty {
            Type::Bool => self.kernel.bool(false),
            Type::U32 => zero,
            Type::Vec2 => self.emit(Op::Pack2([zero; 2])),
            Type::Vec4 => self.emit(Op::Pack4([zero; 4])),
        }
    }

    /// Converts an operand to a condition.
    fn condition(&mut self, operand: Operand) -> ValueId {
        let zero = self.kernel.word(0);
        let any = match value_type(operand.ty) {
            Type::Bool => return operand.value,
            Type::U32 => operand.value,
            Type::Vec2 => self.any_component(operand.value, 2),
            Type::Vec4 => self.any_component(operand.value, 4),
        };
        self.emit(Op::Compare(Compare::Ne, any, zero))
    }

    /// Guard of an access: true if the index is in range.
    fn guard(&mut self, buffer: BufferId, index: ValueId) -> Option<ValueId> {
        let length = self.kernel.length(buffer);
        Some(self.emit(Op::Compare(Compare::Lt, index, length)))
    }

    /// Converts an operand to its representation in memory: a bool becomes a word.
    fn memory_value(&mut self, operand: Operand) -> ValueId {
        match operand.ty {
            DataType::Bool => self.emit(Op::ToWord(operand.value)),
            _ => operand.value,
        }
    }

    fn statement(&mut self, node: &'p Node, ordinal: u32) {
        match node {
            Node::Let { name, value: _ } => {
                let operand = self.pop();
                if name.is_discard() {
                    return;
                }
                let Some(variable) = self.activation().facts.program.target(ordinal) else { return };
                if self.activation().facts.is_assigned(variable) {
                    let slot = self.new_slot(name, value_type(operand.ty));
                    self.activation().variables[variable] = Some(Binding::Slot(slot));
                    self.push(Statement::Set { slot, value: operand.value });
                } else {
                    self.activation().variables[variable] = Some(Binding::Value(operand.value));
                }
            }
            Node::Assign { name: _, value: _ } => {
                let operand = self.pop();
                let variable = self.activation().facts.program.target(ordinal);
                let binding = variable.and_then(|variable| self.activation().variables[variable]);
                if let Some(Binding::Slot(slot)) = binding {
                    self.push(Statement::Set { slot, value: operand.value });
                }
            }
            Node::Store { buffer: _, index: _, value: _ } => {
                let value = self.pop();
                let index = self.pop().value;
                let Some(buffer) = self.activation().facts.program.target(ordinal) else { return };
                match self.activation().role {
                    Role::Entry => {
                        let buffer = BufferId::from_position(buffer);
                        let value = self.memory_value(value);
                        let guard = self.guard(buffer, index);
                        self.push(Statement::Store { buffer, index, value, guard });
                    }
                    Role::Callee { output, .. } => self.store_output(output, index, value.value),
                }
            }
            Node::If { cond: _, then: _, otherwise: _ } => {
                let operand = self.pop();
                let cond = self.condition(operand);
                let (then, otherwise) = (self.kernel.new_block(), self.kernel.new_block());
                self.push(Statement::If { cond, then, otherwise });
                let bodies = [Body::plain(otherwise), Body::plain(then)];
                self.activation().pending.extend(bodies);
            }
            Node::Loop { var: _, from: _, to: _, body: _ } => {
                let to = self.pop().value;
                let from = self.pop().value;
                let variable = self.kernel.leaf(Op::LoopVariable);
                let body = self.kernel.new_block();
                self.push(Statement::Loop { variable, from, to, body });
                let activation = self.activation();
                if let Some(target) = activation.facts.program.target(ordinal) {
                    activation.variables[target] = Some(Binding::Value(variable));
                }
                activation.pending.push(Body::of_loop(body));
            }
            Node::Return => self.return_statement(),
            Node::Block(_) => {
                let body = Body::plain(self.block);
                self.activation().pending.push(body);
            }
            Node::Barrier => self.push(Statement::Barrier),
            Node::Break => self.push(Statement::Break),
        }
    }

    /// Lowers a `Return`: ends the invocation, or leaves the breakable block of a called op, loop by loop.
    fn return_statement(&mut self) {
        let activation = self.activation();
        let Role::Callee { returned, .. } = activation.role else {
            self.push(Statement::Return);
            return;
        };
        let mut in_loop = false;
        for body in activation.open.iter_mut().filter(|body| body.is_loop) {
            body.returns = true;
            in_loop = true;
        }
        if let (true, Some(slot)) = (in_loop, returned) {
            let value = self.kernel.bool(true);
            self.push(Statement::Set { slot, value });
        }
        self.push(Statement::Break);
    }

    fn enter_body(&mut self) {
        let outer = self.block;
        let activation = self.activation();
        // The activation opens the entry of a program.
        let Some(mut body) = activation.pending.pop() else { return };
        let block = body.block;
        body.outer = outer;
        activation.open.push(body);
        self.block = block;
    }

    fn leave_body(&mut self) {
        let activation = self.activation();
        let Some(body) = activation.open.pop() else { return };
        let role = activation.role;
        self.block = body.outer;
        if let (true, Role::Callee { returned: Some(returned), .. }) = (body.returns, role) {
            // If the op has returned in the loop, the enclosing statement is left too.
            let cond = self.emit(Op::Get(returned));
            let (then, otherwise) = (self.kernel.new_block(), self.kernel.new_block());
            self.kernel.blocks[then].statements.push(Statement::Break);
            self.push(Statement::If { cond, then, otherwise });
        }
    }

    /// Ends an activation. The result of a call becomes an operand.
    fn finish_activation(&mut self) {
        let Some(activation) = self.activations.pop() else { return };
        if let Role::Callee { output, output_type, caller_block, returned: _ } = activation.role {
            self.block = caller_block;
            let value = self.emit(Op::Get(output));
            self.activation().operands.push(Operand { value, ty: output_type });
        }
    }

    /// Starts the inlining of an op.
    fn call(&mut self, op_id: &'p Name, arguments: usize) -> Result<(), LowerError> {
        let ops = self.activation().facts.program.ops();
        let facts = match self.callees.get(op_id.as_str()) {
            Some(known) => Rc::clone(known),
            None => {
                let unknown = || LowerError::InvalidOp { id: op_id.clone(), rule: Rule::V016 };
                let op = ops.get(op_id).ok_or_else(unknown)?;
                let program = validate(&op.program, ops).map_err(|diagnostics| {
                    let rule = diagnostics.first().map_or(Rule::V016, |first| first.rule);
                    LowerError::InvalidOp { id: op_id.clone(), rule }
                })?;
                let facts = Rc::new(Facts::new(program));
                self.callees.insert(op_id, Rc::clone(&facts));
                facts
            }
        };
        let operands = &mut self.activation().operands;
        let arguments = operands.split_off(operands.len() - arguments);
        let inputs = facts.inputs(&arguments);
        let output_type = facts.program.program().output().map_or(DataType::U32, |output| output.element);
        let output = self.new_slot(op_id, value_type(output_type));
        let zero = self.zero(value_type(output_type));
        self.push(Statement::Set { slot: output, value: zero });
        let caller_block = self.block;
        let mut returned = None;
        if facts.returns_in_loop {
            let slot = self.new_slot(op_id, Type::Bool);
            let value = self.kernel.bool(false);
            self.push(Statement::Set { slot, value });
            returned = Some(slot);
        }
        if facts.returns {
            let body = self.kernel.new_block();
            self.push(Statement::Block { body });
            self.block = body;
        }
        let mut activation = Activation::new(facts, Role::Callee { output, output_type, returned, caller_block });
        activation.inputs = inputs;
        self.activations.push(activation);
        Ok(())
    }

    /// Stores to the output of a called op, which has one element.
    fn store_output(&mut self, output: SlotId, index: ValueId, value: ValueId) {
        let value = match self.kernel.as_word(index) {
            Some(0) => value,
            Some(_) => return,
            None => {
                let first = self.is_first(index);
                let old = self.emit(Op::Get(output));
                self.emit(Op::Select(first, value, old))
            }
        };
        self.push(Statement::Set { slot: output, value });
    }

    /// Loads from a buffer with one element, `first`.
    fn load_only(&mut self, index: ValueId, first: ValueId) -> ValueId {
        let ty = self.kernel.ty(first);
        match self.kernel.as_word(index) {
            Some(0) => first,
            Some(_) => self.zero(ty),
            None => {
                let is_first = self.is_first(index);
                let zero = self.zero(ty);
                self.emit(Op::Select(is_first, first, zero))
            }
        }
    }

    fn is_first(&mut self, index: ValueId) -> ValueId {
        let zero = self.kernel.word(0);
        self.emit(Op::Compare(Compare::Eq, index, zero))
    }
}
