//! Unrolling: small loops with constant bounds become their rounds in a row.
//!
//! A first walk, from the innermost blocks outwards, decides which loops go, so that a loop counts with what the loops
//! within it have become. A second walk writes the kernel anew: it goes through the body of such a loop once for each
//! round, with a constant in place of the loop variable, and each time its values and blocks are others. Every statement
//! that it meets is one of the result or a loop around some, so that the pass takes time in proportion to the result.
//!
//! Loops with more rounds whose bodies have branches are first split into [batches](super::batches).
//!
//! Slots are the same in all rounds: what a round has put into one is there in the next, and a variable that is declared
//! in the body is put into its slot at that place in every round.

use std::ops::Range;

use super::replace::Replacements;
use crate::kernel::{BlockId, Kernel, Statement, ValueId};
use crate::op::Op;
use crate::table::Key;

/// The most rounds of a loop that is unrolled.
const MOST_ROUNDS: u32 = 16;

/// The most statements that a loop may become.
const MOST_STATEMENTS: usize = 256;

/// How large a kernel may become: as many times what it was, and so many statements more.
const MOST_GROWTH: (usize, usize) = (4, 4096);

pub(super) fn run(kernel: &mut Kernel) -> bool {
    let has_batches = super::batches::run(kernel);
    let plan = Plan::of(kernel);
    if !plan.has_any {
        return has_batches;
    }
    let source = kernel.clone();
    Writer::new(&source, kernel, &plan).run();
    true
}

/// Which loops are unrolled.
struct Plan {
    /// By the body of a loop: the numbers of its rounds, if it is unrolled.
    rounds: Vec<Option<Range<u32>>>,
    /// Whether any is.
    has_any: bool,
}

/// What becomes of a block.
#[derive(Clone, Copy, Default)]
struct Outlook {
    /// Its statements, those of nested blocks included.
    statements: usize,
    /// Whether a `Break` in it leaves the statement that owns it.
    breaks: bool,
    /// Whether its end is never reached because it ends in an exit.
    exits: bool,
}

struct Planner<'k> {
    kernel: &'k Kernel,
    plan: Plan,
    /// By block, once it has been looked at.
    outlooks: Vec<Outlook>,
    /// How many statements may still be added.
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
        let (times, more) = MOST_GROWTH;
        let mut planner = Planner {
            kernel,
            plan: Plan { rounds: vec![None; kernel.blocks.len()], has_any: false },
            outlooks: vec![Outlook::default(); kernel.blocks.len()],
            growth_left: statements.saturating_mul(times - 1).saturating_add(more),
        };
        // A block comes after those within it, and where there is not room for all loops, the first ones have it.
        for block in blocks.into_iter().rev() {
            planner.outlooks[block.position()] = planner.block(block);
        }
        planner.plan
    }
}

impl Planner<'_> {
    /// What becomes of a block, given what becomes of those within.
    fn block(&mut self, block: BlockId) -> Outlook {
        let mut outlook = Outlook::default();
        for &statement in &self.kernel.blocks[block].statements {
            match statement {
                Statement::Loop { variable: _, from, to, body } => self.loop_(from, to, body, &mut outlook),
                Statement::If { cond: _, then, otherwise } => {
                    let [then, otherwise] = [then, otherwise].map(|arm| self.outlooks[arm.position()]);
                    outlook.statements += 1 + then.statements + otherwise.statements;
                    outlook.breaks |= then.breaks || otherwise.breaks;
                }
                Statement::Block { body } => outlook.statements += 1 + self.outlooks[body.position()].statements,
                Statement::Break => {
                    outlook = Outlook { statements: outlook.statements + 1, breaks: true, exits: true };
                }
                Statement::Return => {
                    outlook = Outlook { statements: outlook.statements + 1, exits: true, ..outlook };
                }
                Statement::Let(_) | Statement::Set { .. } | Statement::Store { .. } | Statement::Barrier => {
                    outlook.statements += 1;
                }
            }
            if outlook.exits {
                break;
            }
        }
        outlook
    }

    /// Decides on a loop and adds what it becomes to the outlook of the block that it stands in.
    fn loop_(&mut self, from: ValueId, to: ValueId, body: BlockId, around: &mut Outlook) {
        let inside = self.outlooks[body.position()];
        let Some((rounds, statements)) = self.rounds(from, to, inside) else {
            around.statements += 1 + inside.statements;
            return;
        };
        around.statements += statements;
        around.exits = inside.exits && !rounds.is_empty();
        self.growth_left = self.growth_left.saturating_sub(statements.saturating_sub(1 + inside.statements));
        self.plan.rounds[body.position()] = Some(rounds);
        self.plan.has_any = true;
    }

    /// The rounds of a loop that is to be unrolled, and how many statements they are.
    fn rounds(&self, from: ValueId, to: ValueId, body: Outlook) -> Option<(Range<u32>, usize)> {
        let (from, to) = self.kernel.as_word(from).zip(self.kernel.as_word(to))?;
        // Rounds in which nothing is done need not be counted through.
        if from >= to || body.statements == 0 {
            return Some((from..from, 0));
        }
        // A round that returns is the last one.
        let count = if body.exits { 1 } else { to - from };
        let statements = body.statements.saturating_mul(count as usize);
        let is_small = count <= MOST_ROUNDS && statements <= MOST_STATEMENTS;
        let fits = statements.saturating_sub(1 + body.statements) <= self.growth_left;
        (is_small && fits && !body.breaks).then_some((from..from + count, statements))
    }
}

/// Writes a kernel with rounds in place of loops.
struct Writer<'k> {
    /// The kernel as it was.
    source: &'k Kernel,
    kernel: &'k mut Kernel,
    plan: &'k Plan,
    /// By value of the source: the one that stands for it in this round.
    current: Replacements,
    /// By value and by block of the source: whether it has been written, so that the next time needs another one.
    written_values: Vec<bool>,
    written_blocks: Vec<bool>,
    open: Vec<Open>,
}

/// A block of the source that is being written.
struct Open {
    block: BlockId,
    next: usize,
    /// The block that its statements are added to.
    into: BlockId,
    /// The loop whose body it is, if that is unrolled.
    repeats: Option<Repeats>,
}

/// What is left of a loop that is being unrolled.
struct Repeats {
    variable: ValueId,
    rounds: Range<u32>,
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
            // What comes after a loop whose first round returned is never run, and neither are its other rounds.
            if self.kernel.blocks[into].statements.last().is_some_and(|last| last.is_exit()) {
                self.open.pop();
                continue;
            }
            if let Some(&statement) = self.source.blocks[open.block].statements.get(open.next) {
                open.next += 1;
                self.statement(statement, into);
            } else if let Some((variable, round)) = open.next_round() {
                self.start_round(variable, round);
            } else {
                self.open.pop();
            }
        }
    }

    /// Opens a block that is to be written by itself, and gives what it becomes.
    fn enter(&mut self, block: BlockId) -> BlockId {
        let into = if std::mem::replace(&mut self.written_blocks[block.position()], true) {
            self.kernel.new_block()
        } else {
            self.kernel.blocks[block].statements.clear();
            block
        };
        self.open.push(Open { block, next: 0, into, repeats: None });
        into
    }

    fn start_round(&mut self, variable: ValueId, round: u32) {
        let number = self.kernel.word(round);
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
                if let Some(rounds) = &self.plan.rounds[body.position()] {
                    self.unroll(variable, rounds.clone(), body, into);
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

    /// Opens the body of a loop for all of its rounds.
    fn unroll(&mut self, variable: ValueId, rounds: Range<u32>, body: BlockId, into: BlockId) {
        let mut open = Open { block: body, next: 0, into, repeats: Some(Repeats { variable, rounds }) };
        if let Some((variable, round)) = open.next_round() {
            self.start_round(variable, round);
            self.open.push(open);
        }
    }

    /// What a value or the variable of a loop is from here on.
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
    /// Goes back to the start of the body for the next round, if there is one.
    fn next_round(&mut self) -> Option<(ValueId, u32)> {
        let repeats = self.repeats.as_mut()?;
        let round = repeats.rounds.next()?;
        self.next = 0;
        Some((repeats.variable, round))
    }
}
