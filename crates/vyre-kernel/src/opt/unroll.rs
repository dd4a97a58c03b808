//! Full unrolling of small loops with constant bounds.
//!
//! A bottom-up traversal selects the loops, so the size of a loop includes its unrolled inner loops. A second traversal
//! rewrites the kernel: it copies the body of a selected loop once for each iteration, with a constant for the loop
//! variable and new values and blocks. The time is proportional to the size of the result.
//!
//! Longer loops whose bodies have branches are first split into [batches](super::batches).
//!
//! All iterations share the slots: the contents of a slot persist to the next iteration, and a variable that is
//! declared in the body is initialized in every iteration.

use std::ops::Range;

use super::pass::Pass;
use super::replace::Replacements;
use crate::ids::{BlockId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::Op;
use crate::table::Key;

/// Maximum number of iterations of an unrolled loop.
const MAX_ITERATIONS: u32 = 16;

/// Maximum number of statements of an unrolled loop.
const MAX_STATEMENTS: usize = 256;

/// Maximum growth of a kernel: a factor.
const MAX_GROWTH_FACTOR: usize = 4;

/// Maximum growth of a kernel beyond the factor, in statements.
const MAX_EXTRA_STATEMENTS: usize = 4096;

/// The pass.
pub(super) const PASS: Pass = Pass {
    name: "unroll",
    summary: "Unrolls small loops with constant bounds, and splits longer loops with branches into batches.",
    run,
};

fn run(kernel: &mut Kernel) -> bool {
    let has_batches = super::batches::run(kernel);
    let plan = Plan::of(kernel);
    if !plan.has_any {
        return has_batches;
    }
    let source = kernel.clone();
    Writer::new(&source, kernel, &plan).run();
    true
}

/// Selection of the loops to unroll.
struct Plan {
    /// Range of the variable of each unrolled loop, by its body.
    iterations: Vec<Option<Range<u32>>>,
    /// True if a loop is unrolled.
    has_any: bool,
}

/// Properties of a block after unrolling.
#[derive(Clone, Copy, Default)]
struct UnrolledBlock {
    /// Number of statements, nested blocks included.
    statements: usize,
    /// True if a `Break` in the block leaves the statement that owns it.
    breaks: bool,
    /// True if the block ends in an exit.
    exits: bool,
}

struct Planner<'k> {
    kernel: &'k Kernel,
    plan: Plan,
    /// Properties of each visited block.
    unrolled: Vec<UnrolledBlock>,
    /// Number of statements that may still be added.
    growth_left: usize,
}

impl Plan {
    fn of(kernel: &Kernel) -> Plan {
        let mut statements: usize = 0;
        let mut blocks = Vec::new();
        let mut pending = vec![kernel.entry];
        while let Some(block) = pending.pop() {
            blocks.push(block);
            for statement in &kernel.blocks[block].statements {
                statements += 1;
                pending.extend(statement.blocks());
            }
        }
        let mut planner = Planner {
            kernel,
            plan: Plan { iterations: vec![None; kernel.blocks.len()], has_any: false },
            unrolled: vec![UnrolledBlock::default(); kernel.blocks.len()],
            growth_left: statements.saturating_mul(MAX_GROWTH_FACTOR - 1).saturating_add(MAX_EXTRA_STATEMENTS),
        };
        // Nested blocks come first. If the growth limit does not allow all loops, the first ones are unrolled.
        for block in blocks.into_iter().rev() {
            planner.unrolled[block.position()] = planner.block(block);
        }
        planner.plan
    }
}

impl Planner<'_> {
    /// Properties of a block, given those of its nested blocks.
    fn block(&mut self, block: BlockId) -> UnrolledBlock {
        let mut result = UnrolledBlock::default();
        for &statement in &self.kernel.blocks[block].statements {
            match statement {
                Statement::Loop { variable: _, from, to, body } => self.loop_(from, to, body, &mut result),
                Statement::If { cond: _, then, otherwise } => {
                    let [then, otherwise] = [then, otherwise].map(|arm| self.unrolled[arm.position()]);
                    result.statements += 1 + then.statements + otherwise.statements;
                    result.breaks |= then.breaks || otherwise.breaks;
                }
                Statement::Block { body } => result.statements += 1 + self.unrolled[body.position()].statements,
                Statement::Break => {
                    result = UnrolledBlock { statements: result.statements + 1, breaks: true, exits: true };
                }
                Statement::Return => {
                    result = UnrolledBlock { statements: result.statements + 1, exits: true, ..result };
                }
                Statement::Let(_) | Statement::Set { .. } | Statement::Store { .. } | Statement::Barrier => {
                    result.statements += 1;
                }
            }
            if result.exits {
                break;
            }
        }
        result
    }

    /// Decides if a loop is unrolled, and adds its size to the properties of the enclosing block.
    fn loop_(&mut self, from: ValueId, to: ValueId, body: BlockId, enclosing: &mut UnrolledBlock) {
        let inside = self.unrolled[body.position()];
        let Some((iterations, statements)) = self.iterations(from, to, inside) else {
            enclosing.statements += 1 + inside.statements;
            return;
        };
        enclosing.statements += statements;
        enclosing.exits = inside.exits && !iterations.is_empty();
        self.growth_left = self.growth_left.saturating_sub(statements.saturating_sub(1 + inside.statements));
        self.plan.iterations[body.position()] = Some(iterations);
        self.plan.has_any = true;
    }

    /// Range of the variable of a loop to unroll, and the number of statements of the result.
    fn iterations(&self, from: ValueId, to: ValueId, body: UnrolledBlock) -> Option<(Range<u32>, usize)> {
        let (from, to) = self.kernel.as_word(from).zip(self.kernel.as_word(to))?;
        // Empty iterations are dropped.
        if from >= to || body.statements == 0 {
            return Some((from..from, 0));
        }
        // An iteration that exits is the last one.
        let count = if body.exits { 1 } else { to - from };
        let statements = body.statements.saturating_mul(count as usize);
        let is_small = count <= MAX_ITERATIONS && statements <= MAX_STATEMENTS;
        let fits = statements.saturating_sub(1 + body.statements) <= self.growth_left;
        (is_small && fits && !body.breaks).then_some((from..from + count, statements))
    }
}

/// Rewrites a kernel with the selected loops unrolled.
struct Writer<'k> {
    /// Original kernel.
    source: &'k Kernel,
    kernel: &'k mut Kernel,
    plan: &'k Plan,
    /// Copy of each value of the source in the current iteration.
    current: Replacements,
    /// True for each value of the source that is written; the next copy needs a new value.
    written_values: Vec<bool>,
    /// True for each block of the source that is written; the next copy needs a new block.
    written_blocks: Vec<bool>,
    open: Vec<Open>,
}

/// An open block of the source.
struct Open {
    block: BlockId,
    next: usize,
    /// Block that its statements are appended to.
    into: BlockId,
    /// Remaining iterations, if it is the body of an unrolled loop.
    remaining: Option<RemainingIterations>,
}

/// Remaining iterations of an unrolled loop.
struct RemainingIterations {
    variable: ValueId,
    iterations: Range<u32>,
}

impl<'k> Writer<'k> {
    fn new(source: &'k Kernel, kernel: &'k mut Kernel, plan: &'k Plan) -> Writer<'k> {
        Writer {
            source,
            kernel,
            plan,
            current: Replacements::default(),
            written_values: vec![false; source.values.len()],
            written_blocks: vec![false; source.blocks.len()],
            open: Vec::new(),
        }
    }

    fn run(&mut self) {
        self.enter(self.source.entry);
        while let Some(open) = self.open.last_mut() {
            let into = open.into;
            // If an iteration exits, the other iterations and the statements after the loop are unreachable.
            if self.kernel.blocks[into].statements.last().is_some_and(|last| last.is_exit()) {
                self.open.pop();
                continue;
            }
            if let Some(&statement) = self.source.blocks[open.block].statements.get(open.next) {
                open.next += 1;
                self.statement(statement, into);
            } else if let Some((variable, iteration)) = open.next_iteration() {
                self.start_iteration(variable, iteration);
            } else {
                self.open.pop();
            }
        }
    }

    /// Opens a block and returns its copy.
    fn enter(&mut self, block: BlockId) -> BlockId {
        let into = if std::mem::replace(&mut self.written_blocks[block.position()], true) {
            self.kernel.new_block()
        } else {
            self.kernel.blocks[block].statements.clear();
            block
        };
        self.open.push(Open { block, next: 0, into, remaining: None });
        into
    }

    fn start_iteration(&mut self, variable: ValueId, iteration: u32) {
        let number = self.kernel.word(iteration);
        self.current.insert(variable, number);
    }

    fn statement(&mut self, statement: Statement, into: BlockId) {
        let statement = self.current.statement(statement);
        let written = match statement {
            Statement::Let(value) => Statement::Let(self.value(value)),
            Statement::If { cond, then, otherwise } => {
                Statement::If { cond, then: self.enter(then), otherwise: self.enter(otherwise) }
            }
            Statement::Loop { variable, from, to, body } => {
                if let Some(iterations) = &self.plan.iterations[body.position()] {
                    self.unroll(variable, iterations.clone(), body, into);
                    return;
                }
                Statement::Loop { variable: self.value(variable), from, to, body: self.enter(body) }
            }
            Statement::Block { body } => Statement::Block { body: self.enter(body) },
            Statement::Set { .. }
            | Statement::Store { .. }
            | Statement::Break
            | Statement::Return
            | Statement::Barrier => statement,
        };
        self.kernel.blocks[into].statements.push(written);
    }

    /// Opens the body of a loop for all of its iterations.
    fn unroll(&mut self, variable: ValueId, iterations: Range<u32>, body: BlockId, into: BlockId) {
        let mut open =
            Open { block: body, next: 0, into, remaining: Some(RemainingIterations { variable, iterations }) };
        if let Some((variable, iteration)) = open.next_iteration() {
            self.start_iteration(variable, iteration);
            self.open.push(open);
        }
    }

    /// Copies a value or loop variable.
    fn value(&mut self, value: ValueId) -> ValueId {
        let op = self.current.op(self.source.op(value));
        let written = if !std::mem::replace(&mut self.written_values[value.position()], true) {
            self.kernel.values[value].op = op;
            value
        } else if op == Op::LoopVariable {
            self.kernel.leaf(op)
        } else {
            self.kernel.new_value(op)
        };
        self.current.insert(value, written);
        written
    }
}

impl Open {
    /// Returns to the start of the body for the next iteration, if any.
    fn next_iteration(&mut self) -> Option<(ValueId, u32)> {
        let remaining = self.remaining.as_mut()?;
        let iteration = remaining.iterations.next()?;
        self.next = 0;
        Some((remaining.variable, iteration))
    }
}
