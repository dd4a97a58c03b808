//! Ops that generated programs call, with loops, early returns and accesses out of range in them.

use vyre_ir::{BufferAccess, BufferDecl, Node, OpDef, OpSignature, OpTable, Program};

use super::buffers::{Buffer, Discipline, Phase, value_type};
use super::generator::{Budget, Generator, Here};
use super::random::Random;
use super::shape::Shape;

/// An op that can be called.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) def: OpDef,
    /// What a call costs: the statements and expressions that are evaluated at most, about.
    pub(super) evaluations: i64,
}

/// What an op may evaluate in a call.
const MOST_EVALUATIONS: i64 = 300;

/// Makes a few ops; later ones may call earlier ones.
pub(super) fn random_ops(random: &mut Random) -> Vec<Op> {
    let count = random.weighted(&[(25, 0), (25, 1), (25, 2), (15, 3), (10, 4)]);
    let mut ops = Vec::new();
    for position in 0..count {
        let op = random_op(random, &ops, position);
        ops.push(op);
    }
    ops
}

/// The table of the ops.
pub(super) fn table(ops: Vec<Op>) -> OpTable {
    // Ids are numbered, so none is there twice.
    OpTable::new(ops.into_iter().map(|op| op.def)).unwrap_or_default()
}

fn random_op(random: &mut Random, callable: &[Op], position: u32) -> Op {
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
    // Arguments are in the order of bindings, whatever the order of declarations.
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
    let here = Here {
        is_uniform: false,
        may_return: true,
        only_lane: None,
        only_invocation: None,
        depth: 0,
        times: 1,
        in_op: true,
    };
    let shape = Shape { size, grid: [1, 1, 1] };
    let mut generator = Generator::new(Random::new(random.next()), shape, buffers, callable, here);
    let most = i64::from(generator.random.between(20, 90));
    generator.budget = Budget { nodes: most, evaluations: MOST_EVALUATIONS };
    generator.prelude();
    let count = generator.random.between(1, 8);
    if generator.random.chance(12) {
        generator.early_returns();
    }
    generator.statements(count);
    // An op that never stores gives zero.
    if generator.random.chance(85) {
        generator.result();
    }
    if generator.random.chance(10) {
        generator.last_loop(&Node::Break);
    }
    let evaluations = MOST_EVALUATIONS - generator.budget.evaluations;
    let (entry, buffers) = generator.finish();
    let buffers = buffers.into_iter().map(|buffer| buffer.decl).collect();
    let def = OpDef {
        id: format!("generated.op{position}").into(),
        version: 1,
        signature,
        inlinable: true,
        program: Program::new(buffers, size, entry),
    };
    Op { def, evaluations }
}

impl Generator<'_> {
    /// Stores the result of an op, more than once now and then.
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
