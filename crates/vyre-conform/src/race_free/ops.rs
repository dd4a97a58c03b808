//! Random ops for calls, with loops, early returns and out-of-range accesses.

use vyre_ir::{BufferAccess, BufferDecl, Node, OpSignature, OpSpec, OpTable, Program};

use super::buffers::{Buffer, Discipline, Phase, value_type};
use super::generator::{Budget, CallableOp, Context, Generator};
use super::grid::Shape;
use super::random::Random;

/// Maximum number of statements and expressions that a call evaluates.
const MAX_EVALUATIONS: i64 = 300;

/// Generates a few ops. Later ones may call earlier ones.
pub(super) fn random_ops(random: &mut Random) -> Vec<CallableOp> {
    let count = random.weighted(&[(25, 0), (25, 1), (25, 2), (15, 3), (10, 4)]);
    let mut ops = Vec::new();
    for position in 0..count {
        let op = random_op(random, &ops, position);
        ops.push(op);
    }
    ops
}

/// Table of the ops.
pub(super) fn table(ops: Vec<CallableOp>) -> OpTable {
    // Ids are numbered, so they are unique.
    OpTable::new(ops.into_iter().map(|op| op.def)).unwrap_or_default()
}

fn random_op(random: &mut Random, callable: &[CallableOp], position: u32) -> CallableOp {
    let inputs = random.weighted(&[(8, 0), (34, 1), (36, 2), (16, 3), (6, 4)]);
    let mut declare = |name: String, binding: u32, access: BufferAccess| {
        let element = value_type(random);
        let decl = BufferDecl::storage(name, binding, access, element);
        Buffer { decl, discipline: Discipline::Private, phase: Phase::Always, length: 1, contents: Vec::new() }
    };
    let mut buffers = vec![declare("out".to_owned(), 0, BufferAccess::ReadWrite)];
    buffers[0].decl.is_output = true;
    for input in 0..inputs {
        buffers.push(declare(format!("in{input}"), input + 1, BufferAccess::ReadOnly));
    }
    for buffer in &mut buffers[1..] {
        if random.chance(30) {
            buffer.decl.access = BufferAccess::Uniform;
        }
        buffer.discipline = Discipline::Constant;
    }
    // Arguments are in the order of bindings, not of declarations.
    if random.chance(50) {
        let last = buffers.len() as u32 - 1;
        for buffer in &mut buffers {
            buffer.decl.binding = last - buffer.decl.binding;
        }
    }
    let mut in_order: Vec<&BufferDecl> = buffers[1..].iter().map(|buffer| &buffer.decl).collect();
    in_order.sort_by_key(|decl| decl.binding);
    let signature =
        OpSignature { inputs: in_order.iter().map(|decl| decl.element).collect(), output: buffers[0].decl.element };
    let size = if random.chance(80) { [1, 1, 1] } else { [random.between(1, 64), 1, random.between(1, 2)] };
    let context = Context {
        is_uniform: false,
        may_return: true,
        only_local_index: None,
        only_linear_index: None,
        depth: 0,
        max_executions: 1,
        in_op: true,
    };
    let shape = Shape { size, grid: [1, 1, 1] };
    let mut generator = Generator::new(Random::new(random.next()), shape, buffers, callable, context);
    let nodes = i64::from(generator.random.between(20, 90));
    generator.budget = Budget { nodes, evaluations: MAX_EVALUATIONS };
    generator.prelude();
    let count = generator.random.between(1, 8);
    if generator.random.chance(12) {
        generator.early_returns();
    }
    generator.statements(count);
    // An op without a store yields zero.
    if generator.random.chance(85) {
        generator.result();
    }
    if generator.random.chance(10) {
        generator.last_loop(&Node::Break);
    }
    let evaluations = MAX_EVALUATIONS - generator.budget.evaluations;
    let (entry, buffers) = generator.finish();
    let buffers = buffers.into_iter().map(|buffer| buffer.decl).collect();
    let def = OpSpec {
        id: format!("generated.op{position}").into(),
        version: 1,
        signature,
        inlinable: true,
        program: Program::new(buffers, size, entry),
    };
    CallableOp { def, evaluations }
}

impl Generator<'_> {
    /// Emits the store of the result, sometimes with further stores.
    fn result(&mut self) {
        let Some(output) = self.pick_buffer(|buffer| buffer.decl.is_output) else { return };
        let element = self.buffers[output].decl.element;
        let name = self.buffer_name(output);
        let depth = self.random.between(2, 4);
        let value = self.value(element, depth, false).expr;
        self.emit(Node::store(&name, 0u32, value));
        if self.random.chance(15) {
            let value = self.value(element, 2, false).expr;
            self.emit(Node::store(&name, 1u32, value));
        }
        if self.random.chance(45) {
            self.store_digest();
        }
    }
}
