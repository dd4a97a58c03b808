//! Loops whose rounds the workgroup goes through together, though no lanes meet in them.
//!
//! On a GPU neighbouring lanes should access neighbouring elements, so a lane that handles many of them goes on by the width of
//! the workgroup: `for k in 0..n { ... a[first + k * width + lane] ... }`. If one lane were run to the end before the next, each
//! of its accesses would touch another cache line, of which it uses one element. If all lanes do a round before any does
//! the next, memory is gone through in order.

use vyre_ir::BufferAccess;
use vyre_kernel::{Binary, BlockId, BufferId, Id, Kernel, Key, Op, SlotId, Statement, Uniformity, ValueId};

/// How many statements such a loop may have.
const MOST_STATEMENTS: usize = 500;

/// How many such loops a kernel has at most.
const MOST_LOOPS: usize = 16;

/// The bodies of loops of the entry whose rounds are done together; `wide` are the blocks in which lanes meet.
pub(crate) fn loops(kernel: &Kernel, uniformity: &Uniformity, wide: &[bool]) -> Vec<BlockId> {
    let mut found = Vec::new();
    let mut returns = false;
    kernel.for_each_statement(|statement| returns |= statement == Statement::Return);
    if returns || kernel.workgroup_size[0] == 1 {
        return found;
    }
    for &statement in &kernel.blocks[kernel.entry].statements {
        let Statement::Loop { variable, from, to, body } = statement else { continue };
        if found.len() == MOST_LOOPS {
            break;
        }
        if wide[body.position()] || !uniformity.is_uniform(from) || !uniformity.is_uniform(to) {
            continue;
        }
        let mut look = Look { kernel, uniformity, variable, strides: false, statements: 0, slots: Vec::new() };
        if look.block(body, false) && look.strides && !is_used_elsewhere(kernel, body, &look.slots) {
            found.push(body);
        }
    }
    found
}

/// Whether slots that a loop sets are used outside of it, or keep what they hold from round to round.
fn is_used_elsewhere(kernel: &Kernel, body: BlockId, slots: &[SlotId]) -> bool {
    if slots.is_empty() {
        return false;
    }
    let mut set_before = Vec::new();
    for &statement in &kernel.blocks[body].statements {
        match statement {
            Statement::Set { slot, value: _ } => set_before.push(slot),
            _ => {
                let mut carried = false;
                for_each_get(kernel, statement, &mut |slot| {
                    carried |= slots.contains(&slot) && !set_before.contains(&slot);
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

struct Look<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    variable: ValueId,
    /// Whether lanes access neighbours, and each of them something far away in the next round.
    strides: bool,
    statements: usize,
    /// Slots that are set.
    slots: Vec<SlotId>,
}

/// How an index depends on the lane and on the round.
#[derive(Clone, Copy)]
struct Affine {
    /// It grows by one from lane to lane, rather than not at all.
    by_lane: bool,
    by_round: Growth,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Growth {
    None,
    One,
    More,
}

impl Look<'_> {
    /// Tells whether the rounds can be done together.
    fn block(&mut self, block: BlockId, in_loop: bool) -> bool {
        self.statements += self.kernel.blocks[block].statements.len();
        if self.statements > MOST_STATEMENTS {
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
        // The memory of a workgroup is near however it is accessed.
        let is_far = self.kernel.buffers[buffer].access != BufferAccess::Workgroup;
        let affine = self.affine(index, 0);
        self.strides |= is_far && affine.is_some_and(|it| it.by_lane && it.by_round == Growth::More);
    }

    fn affine(&self, value: ValueId, depth: u32) -> Option<Affine> {
        const MOST_DEPTH: u32 = 8;
        let constant = Affine { by_lane: false, by_round: Growth::None };
        let operand = |value: ValueId| if depth < MOST_DEPTH { self.affine(value, depth + 1) } else { None };
        match self.kernel.op(value) {
            Op::Id(Id::Local | Id::Invocation, 0) => Some(Affine { by_lane: true, ..constant }),
            Op::LoopVariable if value == self.variable => Some(Affine { by_round: Growth::One, ..constant }),
            Op::Binary(Binary::Add, a, b) => {
                let (a, b) = (operand(a)?, operand(b)?);
                let by_round = match (a.by_round, b.by_round) {
                    (Growth::None, growth) | (growth, Growth::None) => growth,
                    _ => Growth::More,
                };
                (!(a.by_lane && b.by_lane)).then_some(Affine { by_lane: a.by_lane || b.by_lane, by_round })
            }
            Op::Binary(Binary::Mul | Binary::Shl, a, b) => {
                let (a, b) = (operand(a)?, operand(b)?);
                let grows = a.by_round != Growth::None || b.by_round != Growth::None;
                let by_round = if grows { Growth::More } else { Growth::None };
                (!a.by_lane && !b.by_lane).then_some(Affine { by_lane: false, by_round })
            }
            _ if self.uniformity.is_uniform(value) => Some(constant),
            _ => None,
        }
    }
}
