//! Loops over ranges, and what is left like them.
//!
//! Rounds are done in stretches: whether the run is to end is looked at before each of them, and so is whether the guards that
//! compare the variable with a length hold for all rounds of the stretch, which then need not look. A stretch is as long as
//! its rounds are short.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use vyre_kernel::{Binary, BlockId, Kernel, Key, Op, Statement, ValueId};

use super::Emitter;
use crate::vector::Edge;
use crate::work::{self, UNWATCHED};

/// How many rounds a stretch has at most.
const MOST_ROUNDS: u64 = 1 << 12;

/// The work of a loop that is short.
const SHORT: u64 = 256;

/// Loops with more statements are not emitted twice.
const MOST_STATEMENTS: usize = 200;

/// What is known about the rounds of a loop.
pub(super) struct Rounds {
    /// All of them are so little work that nobody looks.
    is_short: bool,
    /// How many are done before anybody looks again.
    stretch: u32,
    /// Guards that hold in all rounds if they do in the last one.
    guards: Vec<LoopGuard>,
}

/// A guard of accesses: the variable and what is added to it against a bound.
#[derive(Clone, Copy)]
struct LoopGuard {
    cond: ValueId,
    added: Option<ValueId>,
    bound: ValueId,
    or_equal: bool,
}

impl Rounds {
    /// Rounds before each of which somebody looks.
    pub(super) fn watched() -> Rounds {
        Rounds { is_short: false, stretch: 1, guards: Vec::new() }
    }
}

impl Emitter<'_, '_> {
    /// Looks at a loop; `is_usable` tells of a value from before the loop whether it is a word for all that run it.
    pub(super) fn rounds(
        &self,
        (variable, from, to): (ValueId, ValueId, ValueId),
        body: BlockId,
        is_usable: impl Fn(&Self, ValueId) -> bool,
    ) -> Rounds {
        let kernel = self.kernel;
        let statement = Statement::Loop { variable, from, to, body };
        let is_known = kernel.as_word(from).is_some() && kernel.as_word(to).is_some();
        let is_short = is_known && work::of_statement(kernel, statement, &self.work) <= SHORT;
        let stretch = (UNWATCHED / self.work[body.position()].saturating_add(2)).clamp(1, MOST_ROUNDS) as u32;
        let mut inside = Inside { kernel, computed: Vec::new(), guards: Vec::new(), has_loop: false };
        let mut guards = Vec::new();
        if inside.block(body) && !inside.has_loop {
            inside.computed.sort_unstable();
            inside.guards.sort_unstable();
            inside.guards.dedup();
            let is_outside = |value: ValueId| inside.computed.binary_search(&value).is_err() && value != variable;
            let usable = |value: ValueId| is_outside(value) && is_usable(self, value);
            for &cond in &inside.guards {
                let Some(Edge { low, high, or_equal }) = Edge::of(kernel.op(cond), true) else { continue };
                if !usable(high) || self.holds_in_loop(cond) {
                    continue;
                }
                let added = match kernel.op(low) {
                    _ if low == variable => None,
                    Op::Binary(Binary::Add, a, b) if a == variable && usable(b) => Some(b),
                    Op::Binary(Binary::Add, a, b) if b == variable && usable(a) => Some(a),
                    _ => continue,
                };
                guards.push(LoopGuard { cond, added, bound: high, or_equal });
            }
        }
        Rounds { is_short, stretch, guards }
    }

    /// Whether a condition is known to hold where code is emitted.
    pub(super) fn holds_in_loop(&self, cond: ValueId) -> bool {
        self.held.contains(&cond)
    }

    /// What is done once and may be left early. `body` tells whether its end is reached.
    pub(super) fn once(&mut self, body: impl FnOnce(&mut Self) -> bool) {
        let after = self.builder.create_block();
        self.exits.push(after);
        if body(self) {
            self.jump(after);
        }
        self.exits.pop();
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    /// A loop over a half-open range. `body` tells whether its end is reached.
    pub(super) fn counted_loop(
        &mut self,
        variable: ValueId,
        (from, to): (ir::Value, ir::Value),
        rounds: &Rounds,
        body: &mut dyn FnMut(&mut Self) -> bool,
    ) {
        let after = self.builder.create_block();
        if (rounds.is_short || rounds.stretch == 1) && rounds.guards.is_empty() {
            let inner = self.builder.create_block();
            self.builder.append_block_param(inner, types::I32);
            let any = self.builder.ins().icmp(IntCC::UnsignedLessThan, from, to);
            self.builder.ins().brif(any, inner, &[from.into()], after, &[]);
            self.stretch(variable, (inner, to), (after, after), &mut |emitter| {
                if !rounds.is_short {
                    emitter.check_cancelled();
                }
                body(emitter)
            });
        } else {
            let (start, end) = (self.builder.create_block(), self.builder.create_block());
            let number = self.builder.append_block_param(start, types::I32);
            let any = self.builder.ins().icmp(IntCC::UnsignedLessThan, from, to);
            self.builder.ins().brif(any, start, &[from.into()], after, &[]);
            self.builder.switch_to_block(start);
            if !rounds.is_short {
                self.check_cancelled();
            }
            // What is left is at least one round, and no sum exceeds the end.
            let left = self.builder.ins().isub(to, number);
            let most = self.builder.ins().iconst(types::I32, i64::from(rounds.stretch));
            let count = self.builder.ins().umin(left, most);
            let stop = self.builder.ins().iadd(number, count);
            let inner = self.builder.create_block();
            self.builder.append_block_param(inner, types::I32);
            let mut reaches_end = false;
            if rounds.guards.is_empty() {
                self.builder.ins().jump(inner, &[number.into()]);
            } else {
                let free = self.builder.create_block();
                self.builder.append_block_param(free, types::I32);
                self.builder.set_cold_block(inner);
                let all_hold = self.guards_hold(stop, &rounds.guards);
                self.builder.ins().brif(all_hold, free, &[number.into()], inner, &[number.into()]);
                let known = self.held.len();
                self.held.extend(rounds.guards.iter().map(|guard| guard.cond));
                reaches_end |= self.stretch(variable, (free, stop), (end, after), body);
                self.held.truncate(known);
            }
            reaches_end |= self.stretch(variable, (inner, stop), (end, after), body);
            self.builder.switch_to_block(end);
            self.builder.seal_block(end);
            if reaches_end {
                let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, stop, to);
                self.builder.ins().brif(more, start, &[stop.into()], after, &[]);
            } else {
                self.jump(after);
            }
            self.builder.seal_block(start);
        }
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    /// Rounds up to `stop`, then on to `end`; a break goes to `after`. Tells whether the end is reached.
    fn stretch(
        &mut self,
        variable: ValueId,
        (inner, stop): (Block, ir::Value),
        (end, after): (Block, Block),
        body: &mut dyn FnMut(&mut Self) -> bool,
    ) -> bool {
        self.builder.switch_to_block(inner);
        let number = self.builder.block_params(inner)[0];
        self.words[variable.position()] = Some([number; 4]);
        self.exits.push(after);
        let goes_on = body(self);
        if goes_on {
            // A number below an end of 32 bits has a successor of 32 bits.
            let next = self.builder.ins().iadd_imm_u(number, 1);
            let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, next, stop);
            self.builder.ins().brif(more, inner, &[next.into()], end, &[]);
        }
        self.exits.pop();
        self.builder.seal_block(inner);
        goes_on
    }

    /// Whether guards hold in the round before `stop`, and so in those before it.
    fn guards_hold(&mut self, stop: ir::Value, guards: &[LoopGuard]) -> ir::Value {
        let stop = self.builder.ins().uextend(types::I64, stop);
        let mut all = self.builder.ins().iconst(types::I8, 1);
        for guard in guards {
            let mut end = stop;
            if let Some(added) = guard.added {
                let added = self.operand(added)[0];
                let added = self.builder.ins().uextend(types::I64, added);
                end = self.builder.ins().iadd(end, added);
            }
            let bound = self.operand(guard.bound)[0];
            let bound = self.builder.ins().uextend(types::I64, bound);
            // The last round has a number less.
            let condition = if guard.or_equal { IntCC::UnsignedLessThanOrEqual } else { IntCC::UnsignedLessThan };
            let last = self.builder.ins().iadd_imm_s(end, -1);
            let holds = self.builder.ins().icmp(condition, last, bound);
            all = self.builder.ins().band(all, holds);
        }
        all
    }
}

/// What the body of a loop holds.
struct Inside<'k> {
    kernel: &'k Kernel,
    computed: Vec<ValueId>,
    guards: Vec<ValueId>,
    has_loop: bool,
}

impl Inside<'_> {
    /// Tells whether the body is small.
    fn block(&mut self, block: BlockId) -> bool {
        for &statement in &self.kernel.blocks[block].statements {
            match statement {
                Statement::Let(value) => {
                    self.computed.push(value);
                    if let Op::Load { guard: Some(guard), .. } | Op::Atomic { guard: Some(guard), .. } =
                        self.kernel.op(value)
                    {
                        self.guards.push(guard);
                    }
                }
                Statement::Store { guard: Some(guard), .. } => self.guards.push(guard),
                Statement::Loop { .. } => self.has_loop = true,
                _ => {}
            }
            for inner in statement.blocks() {
                if self.has_loop || !self.block(inner) {
                    return false;
                }
            }
            if self.computed.len() > MOST_STATEMENTS {
                return false;
            }
        }
        true
    }
}
