//! Workgroup-wide control flow: the blocks that a workgroup executes as a whole.
//!
//! A rendezvous is a barrier or a collective. Validation guarantees that control flow around a rendezvous is uniform, so one
//! thread executes it once for all invocations. Blocks without a rendezvous belong to the body of an invocation loop, unless
//! loop interchange or a uniform exit makes them workgroup-wide.

use vyre_kernel::{BlockId, Kernel, Key, Op, Statement, Uniformity};

use super::loop_interchange;

/// The workgroup-wide blocks of a kernel.
pub(super) struct WorkgroupControl {
    /// By block: true if it has a rendezvous, or if all invocations leave it together.
    blocks: Vec<bool>,
}

/// Facts that hold where a block begins.
#[derive(Clone, Copy)]
struct Entry {
    in_workgroup_loop: bool,
    /// Some invocations, but not all, may have returned.
    divergent_return: bool,
}

/// Facts about a block after exits are added.
#[derive(Clone, Copy)]
struct Summary {
    is_workgroup_wide: bool,
    /// Some invocations, but not all, may have returned at its end.
    divergent_return: bool,
}

impl WorkgroupControl {
    pub(super) fn of(kernel: &Kernel, uniformity: &Uniformity) -> WorkgroupControl {
        let mut blocks = vec![false; kernel.blocks.len()];
        find_rendezvous(kernel, kernel.entry, &mut blocks);
        let mut control = WorkgroupControl { blocks };
        for block in loop_interchange::loops(kernel, uniformity, &control.blocks) {
            control.blocks[block.position()] = true;
            control.blocks[kernel.entry.position()] = true;
        }
        if control.blocks[kernel.entry.position()] {
            let entry = Entry { in_workgroup_loop: false, divergent_return: false };
            control.add_exits(kernel, uniformity, kernel.entry, entry);
        }
        control
    }

    /// Reports whether the workgroup executes a block as a whole.
    pub(super) fn is_wide_block(&self, block: BlockId) -> bool {
        self.blocks[block.position()]
    }

    /// Reports whether the workgroup executes a statement as a whole.
    pub(super) fn is_wide_statement(&self, kernel: &Kernel, statement: Statement, in_wide_block: bool) -> bool {
        match statement {
            Statement::Barrier => true,
            Statement::Let(value) => matches!(kernel.op(value), Op::Collective(_)),
            // An exit that stands directly in a workgroup-wide block belongs to the workgroup.
            Statement::Break | Statement::Return => in_wide_block,
            _ => statement.blocks().any(|block| self.is_wide_block(block)),
        }
    }

    /// Makes uniform exits from workgroup-wide constructs workgroup-wide, and all blocks around them.
    ///
    /// A return after a divergent return is excluded: no rendezvous can follow, and no invocation is known to be active that
    /// could decide for all.
    fn add_exits(&mut self, kernel: &Kernel, uniformity: &Uniformity, block: BlockId, entry: Entry) -> Summary {
        let Entry { in_workgroup_loop, mut divergent_return } = entry;
        let mut is_workgroup_wide = self.is_wide_block(block);
        for &statement in &kernel.blocks[block].statements {
            match statement {
                Statement::Return if uniformity.is_uniform_block(block) => is_workgroup_wide |= !divergent_return,
                Statement::Return => divergent_return = true,
                Statement::Break => is_workgroup_wide |= in_workgroup_loop,
                Statement::If { cond: _, then, otherwise } => {
                    let before = Entry { in_workgroup_loop, divergent_return };
                    for inner in [then, otherwise] {
                        let summary = self.add_exits(kernel, uniformity, inner, before);
                        is_workgroup_wide |= summary.is_workgroup_wide;
                        divergent_return |= summary.divergent_return;
                    }
                }
                Statement::Loop { body, .. } => {
                    // The end of one iteration precedes the start of the next.
                    divergent_return |= has_return(kernel, body, &|block| !uniformity.is_uniform_block(block));
                    // The breaks of a loop depend on whether the loop is workgroup-wide.
                    let returns =
                        !divergent_return && has_return(kernel, body, &|block| uniformity.is_uniform_block(block));
                    let in_workgroup_loop = self.is_wide_block(body) || returns;
                    let inside = Entry { in_workgroup_loop, divergent_return };
                    is_workgroup_wide |= self.add_exits(kernel, uniformity, body, inside).is_workgroup_wide;
                }
                Statement::Block { body } => divergent_return |= has_return(kernel, body, &|_| true),
                Statement::Let(_) | Statement::Set { .. } | Statement::Store { .. } | Statement::Barrier => {}
            }
        }
        self.blocks[block.position()] = is_workgroup_wide;
        Summary { is_workgroup_wide, divergent_return }
    }
}

/// Reports whether a block, or a block within it, has a `Return` and satisfies `counts`.
fn has_return(kernel: &Kernel, block: BlockId, counts: &dyn Fn(BlockId) -> bool) -> bool {
    kernel.blocks[block].statements.iter().any(|&statement| match statement {
        Statement::Return => counts(block),
        _ => statement.blocks().any(|inner| has_return(kernel, inner, counts)),
    })
}

/// Marks the blocks that have a rendezvous. Blocks nest to a fixed depth.
fn find_rendezvous(kernel: &Kernel, block: BlockId, has_rendezvous: &mut [bool]) -> bool {
    let mut found = false;
    for &statement in &kernel.blocks[block].statements {
        match statement {
            Statement::Barrier => found = true,
            Statement::Let(value) => found |= matches!(kernel.op(value), Op::Collective(_)),
            // Every block must be visited, so `any` would not do.
            _ => {
                for inner in statement.blocks() {
                    found |= find_rendezvous(kernel, inner, has_rendezvous);
                }
            }
        }
    }
    has_rendezvous[block.position()] = found;
    found
}
