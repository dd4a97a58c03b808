//! Batches: long loops with constant bounds become loops over batches of rounds, each a small loop that can be unrolled.
//!
//! Compilers for GPUs unroll what is straight, and stop where the body has branches; then each round waits for what it has
//! loaded before the next one begins. In a batch that is unrolled the loads of all rounds are on their way together.

use crate::kernel::{BlockId, Kernel, Statement, ValueId};
use crate::op::{Binary, Effect, Op};
use crate::verify::MAX_BLOCK_DEPTH;

/// The fewest rounds of a loop that is not unrolled as a whole.
const LEAST_ROUNDS: u32 = 17;

/// How many rounds a batch may have, the best first.
const ROUNDS: [u32; 3] = [8, 4, 2];

/// The most statements of a batch.
const MOST_STATEMENTS: usize = 128;

/// A loop with constant bounds.
#[derive(Clone, Copy)]
struct Counted {
    variable: ValueId,
    from: u32,
    rounds: u32,
    body: BlockId,
}

/// Makes batches of loops whose bodies have branches, and no loops, exits or rendezvous.
pub(super) fn run(kernel: &mut Kernel) -> bool {
    let mut found = Vec::new();
    let mut pending = vec![(kernel.entry, 1)];
    while let Some((block, depth)) = pending.pop() {
        for (position, &statement) in kernel.blocks[block].statements.iter().enumerate() {
            pending.extend(statement.blocks().map(|inner| (inner, depth + 1)));
            let Some((counted, batch)) = candidate(kernel, statement) else { continue };
            // The body lies one deeper while there is a loop over batches and one within.
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

/// A loop that is to be split, and the rounds of a batch.
fn candidate(kernel: &Kernel, statement: Statement) -> Option<(Counted, u32)> {
    let Statement::Loop { variable, from, to, body } = statement else { return None };
    let (from, to) = kernel.as_word(from).zip(kernel.as_word(to))?;
    let rounds = to.checked_sub(from).filter(|&rounds| rounds >= LEAST_ROUNDS)?;
    let statements = branching_body(kernel, body)?;
    let fits = |batch: &u32| rounds.is_multiple_of(*batch) && statements * *batch as usize <= MOST_STATEMENTS;
    let batch = ROUNDS.into_iter().find(fits)?;
    Some((Counted { variable, from, rounds, body }, batch))
}

/// How many statements a body has, if it has branches and nothing that cannot be repeated in a row to advantage.
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
        if count > MOST_STATEMENTS {
            return None;
        }
    }
    branches.then_some(count)
}

/// Replaces a loop by one over batches with one over the rounds of a batch in it.
fn split(kernel: &mut Kernel, (block, position): (BlockId, usize), counted: Counted, batch: u32) {
    let Counted { variable, from, rounds, body } = counted;
    let (number, round) = (kernel.leaf(Op::LoopVariable), kernel.leaf(Op::LoopVariable));
    let [zero, batches, size, start] = [0, rounds / batch, batch, from].map(|word| kernel.word(word));
    // None of these wraps: what they are is below the end of the loop.
    let skipped = kernel.new_value(Op::Binary(Binary::Mul, number, size));
    let first = kernel.new_value(Op::Binary(Binary::Add, skipped, start));
    kernel.values[variable].op = Op::Binary(Binary::Add, first, round);
    kernel.blocks[body].statements.insert(0, Statement::Let(variable));
    let over = kernel.new_block();
    kernel.blocks[over].statements = vec![
        Statement::Let(skipped),
        Statement::Let(first),
        Statement::Loop { variable: round, from: zero, to: size, body },
    ];
    kernel.blocks[block].statements[position] =
        Statement::Loop { variable: number, from: zero, to: batches, body: over };
}
