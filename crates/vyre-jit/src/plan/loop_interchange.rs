//! Loop interchange of the invocation loop with inner loops.
//!
//! A GPU coalesces accesses of neighbouring invocations, so an invocation that handles many elements strides by the width of
//! the workgroup: `for k in 0..n { ... a[first + k * width + local_id.x] ... }`. With the invocation loop outside, each access
//! touches another cache line and uses one element of it. With the loop over `k` outside, accesses are sequential.
//!
//! The interchange is legal if the loop is uniform, has no exit but its own breaks, and carries no slot from iteration to
//! iteration. It is applied to loops of the entry block, if the invocations access neighbouring elements of a buffer and each
//! of them a distant one in the next iteration.

use vyre_ir::BufferAccess;
use vyre_kernel::{Binary, BlockId, BufferId, Id, Kernel, Key, Op, SlotId, Statement, Uniformity, ValueId};

/// Maximum number of statements of an interchanged loop.
const MAX_STATEMENTS: usize = 500;

/// Maximum number of interchanged loops of a kernel.
const MAX_LOOPS: usize = 16;

/// Maximum nesting of an index expression.
const MAX_INDEX_DEPTH: u32 = 8;

/// Bodies of the loops to interchange. `has_rendezvous` is indexed by block.
pub(super) fn loops(kernel: &Kernel, uniformity: &Uniformity, has_rendezvous: &[bool]) -> Vec<BlockId> {
    let mut found = Vec::new();
    let mut returns = false;
    kernel.for_each_statement(|statement| returns |= statement == Statement::Return);
    if returns || kernel.workgroup_size[0] == 1 {
        return found;
    }
    for &statement in &kernel.blocks[kernel.entry].statements {
        let Statement::Loop { variable, from, to, body } = statement else { continue };
        if found.len() == MAX_LOOPS {
            break;
        }
        if has_rendezvous[body.position()] || !uniformity.is_uniform(from) || !uniformity.is_uniform(to) {
            continue;
        }
        let mut body_scan =
            BodyScan { kernel, uniformity, variable, has_strided_access: false, statements: 0, slots: Vec::new() };
        if body_scan.block(body, false)
            && body_scan.has_strided_access
            && !carries_slots(kernel, body, &body_scan.slots)
        {
            found.push(body);
        }
    }
    found
}

/// Reports whether slots that a loop sets are used outside of it, or carried from iteration to iteration.
fn carries_slots(kernel: &Kernel, body: BlockId, slots: &[SlotId]) -> bool {
    if slots.is_empty() {
        return false;
    }
    let mut defined = Vec::new();
    for &statement in &kernel.blocks[body].statements {
        match statement {
            Statement::Set { slot, value: _ } => defined.push(slot),
            _ => {
                let mut carried = false;
                for_each_get(kernel, statement, &mut |slot| {
                    carried |= slots.contains(&slot) && !defined.contains(&slot);
                });
                if carried {
                    return true;
                }
            }
        }
    }
    let mut pending = vec![kernel.entry];
    while let Some(block) = pending.pop() {
        if block == body {
            continue;
        }
        for &statement in &kernel.blocks[block].statements {
            if let Statement::Let(value) = statement
                && let Op::Get(slot) = kernel.op(value)
                && slots.contains(&slot)
            {
                return true;
            }
            pending.extend(statement.blocks());
        }
    }
    false
}

fn for_each_get(kernel: &Kernel, statement: Statement, visit: &mut dyn FnMut(SlotId)) {
    if let Statement::Let(value) = statement
        && let Op::Get(slot) = kernel.op(value)
    {
        visit(slot);
    }
    for block in statement.blocks() {
        for &inner in &kernel.blocks[block].statements {
            for_each_get(kernel, inner, visit);
        }
    }
}

/// Scan of a loop body.
struct BodyScan<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    variable: ValueId,
    /// Some access is consecutive across invocations and strided across iterations.
    has_strided_access: bool,
    statements: usize,
    /// Slots that the body sets.
    slots: Vec<SlotId>,
}

/// Steps of an index that is affine in the invocation and in the iteration.
#[derive(Clone, Copy)]
struct Affine {
    /// The index grows by one from invocation to invocation, rather than not at all.
    is_consecutive: bool,
    per_iteration: Step,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Zero,
    One,
    Larger,
}

impl BodyScan<'_> {
    /// Reports whether the statements of a block permit the interchange.
    fn block(&mut self, block: BlockId, in_loop: bool) -> bool {
        self.statements += self.kernel.blocks[block].statements.len();
        if self.statements > MAX_STATEMENTS {
            return false;
        }
        self.kernel.blocks[block].statements.iter().all(|&statement| match statement {
            Statement::Let(value) => {
                match self.kernel.op(value) {
                    Op::Load { buffer, index, .. } => self.access(buffer, index),
                    Op::Collective(_) => return false,
                    _ => {}
                }
                true
            }
            Statement::Set { slot, value: _ } => {
                if !self.slots.contains(&slot) {
                    self.slots.push(slot);
                }
                true
            }
            Statement::Store { buffer, index, .. } => {
                self.access(buffer, index);
                true
            }
            Statement::If { cond: _, then, otherwise } => self.block(then, in_loop) && self.block(otherwise, in_loop),
            Statement::Loop { body, .. } | Statement::Block { body } => self.block(body, true),
            Statement::Break => in_loop,
            Statement::Return | Statement::Barrier => false,
        })
    }

    fn access(&mut self, buffer: BufferId, index: ValueId) {
        // Workgroup memory stays in the cache for any order of accesses.
        let is_cached = self.kernel.buffers[buffer].access == BufferAccess::Workgroup;
        let affine = self.affine(index, 0);
        self.has_strided_access |=
            !is_cached && affine.is_some_and(|it| it.is_consecutive && it.per_iteration == Step::Larger);
    }

    fn affine(&self, value: ValueId, depth: u32) -> Option<Affine> {
        let constant = Affine { is_consecutive: false, per_iteration: Step::Zero };
        let operand = |value: ValueId| if depth < MAX_INDEX_DEPTH { self.affine(value, depth + 1) } else { None };
        match self.kernel.op(value) {
            Op::Id(Id::Local | Id::Invocation, 0) => Some(Affine { is_consecutive: true, ..constant }),
            Op::LoopVariable if value == self.variable => Some(Affine { per_iteration: Step::One, ..constant }),
            Op::Binary(Binary::Add, a, b) => {
                let (a, b) = (operand(a)?, operand(b)?);
                let per_iteration = match (a.per_iteration, b.per_iteration) {
                    (Step::Zero, step) | (step, Step::Zero) => step,
                    _ => Step::Larger,
                };
                (!(a.is_consecutive && b.is_consecutive))
                    .then_some(Affine { is_consecutive: a.is_consecutive || b.is_consecutive, per_iteration })
            }
            Op::Binary(Binary::Mul | Binary::Shl, a, b) => {
                let (a, b) = (operand(a)?, operand(b)?);
                let grows = a.per_iteration != Step::Zero || b.per_iteration != Step::Zero;
                let per_iteration = if grows { Step::Larger } else { Step::Zero };
                (!a.is_consecutive && !b.is_consecutive).then_some(Affine { is_consecutive: false, per_iteration })
            }
            _ if self.uniformity.is_uniform(value) => Some(constant),
            _ => None,
        }
    }
}
