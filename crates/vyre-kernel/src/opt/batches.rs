//! Strip mining: splits a long loop with constant bounds into a loop over batches and a small inner loop, which is
//! unrolled.
//!
//! GPU compilers unroll straight-line bodies but not bodies with branches, and then each iteration waits for its loads
//! before the next one begins. In an unrolled batch the loads of all iterations are in flight together.

use crate::ids::{BlockId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Binary, Effect, Op};
use crate::verify::MAX_BLOCK_DEPTH;

/// Minimum number of iterations of a loop that is split. Shorter loops are unrolled as a whole.
const MIN_ITERATIONS: u32 = 17;

/// Batch sizes in iterations, in the order of preference.
const BATCH_SIZES: [u32; 3] = [8, 4, 2];

/// Maximum number of statements of a batch.
const MAX_BATCH_STATEMENTS: usize = 128;

/// A loop with constant bounds.
#[derive(Clone, Copy)]
struct Counted {
    variable: ValueId,
    from: u32,
    iterations: u32,
    body: BlockId,
}

/// Splits the loops whose bodies have branches but no loops, exits, barriers or collectives.
pub(super) fn run(kernel: &mut Kernel) -> bool {
    let mut found = Vec::new();
    let mut pending = vec![(kernel.entry, 1)];
    while let Some((block, depth)) = pending.pop() {
        for (position, &statement) in kernel.blocks[block].statements.iter().enumerate() {
            pending.extend(statement.blocks().map(|inner| (inner, depth + 1)));
            let Some((counted, batch)) = candidate(kernel, statement) else { continue };
            // The split nests the body one level deeper.
            if depth + 3 < MAX_BLOCK_DEPTH {
                found.push((block, position, counted, batch));
            }
        }
    }
    for &(block, position, counted, batch) in &found {
        split(kernel, (block, position), counted, batch);
    }
    !found.is_empty()
}

/// A loop to split and its batch size.
fn candidate(kernel: &Kernel, statement: Statement) -> Option<(Counted, u32)> {
    let Statement::Loop { variable, from, to, body } = statement else { return None };
    let (from, to) = kernel.as_word(from).zip(kernel.as_word(to))?;
    let iterations = to.checked_sub(from).filter(|&iterations| iterations >= MIN_ITERATIONS)?;
    let statements = branching_body(kernel, body)?;
    let fits = |batch: &u32| iterations.is_multiple_of(*batch) && statements * *batch as usize <= MAX_BATCH_STATEMENTS;
    let batch = BATCH_SIZES.into_iter().find(fits)?;
    Some((Counted { variable, from, iterations, body }, batch))
}

/// Number of statements of a body that has branches and can be unrolled with profit.
fn branching_body(kernel: &Kernel, body: BlockId) -> Option<usize> {
    let (mut count, mut branches) = (0, false);
    let mut pending = vec![body];
    while let Some(block) = pending.pop() {
        for &statement in &kernel.blocks[block].statements {
            count += 1;
            match statement {
                Statement::Let(value) if kernel.op(value).effect() == Effect::Rendezvous => return None,
                Statement::Let(_) | Statement::Set { .. } | Statement::Store { .. } => {}
                Statement::If { .. } => branches = true,
                Statement::Loop { .. }
                | Statement::Block { .. }
                | Statement::Break
                | Statement::Return
                | Statement::Barrier => return None,
            }
            pending.extend(statement.blocks());
        }
        if count > MAX_BATCH_STATEMENTS {
            return None;
        }
    }
    branches.then_some(count)
}

/// Replaces a loop by a loop over batches that contains a loop over the iterations of a batch.
fn split(kernel: &mut Kernel, (block, position): (BlockId, usize), counted: Counted, batch: u32) {
    let Counted { variable, from, iterations, body } = counted;
    let (batch_number, iteration) = (kernel.leaf(Op::LoopVariable), kernel.leaf(Op::LoopVariable));
    let [zero, batches, size, start] = [0, iterations / batch, batch, from].map(|word| kernel.word(word));
    // No operation wraps, because every result is below the end of the loop.
    let skipped = kernel.new_value(Op::Binary(Binary::Mul, batch_number, size));
    let first = kernel.new_value(Op::Binary(Binary::Add, skipped, start));
    kernel.values[variable].op = Op::Binary(Binary::Add, first, iteration);
    kernel.blocks[body].statements.insert(0, Statement::Let(variable));
    let over = kernel.new_block();
    kernel.blocks[over].statements = vec![
        Statement::Let(skipped),
        Statement::Let(first),
        Statement::Loop { variable: iteration, from: zero, to: size, body },
    ];
    kernel.blocks[block].statements[position] =
        Statement::Loop { variable: batch_number, from: zero, to: batches, body: over };
}
