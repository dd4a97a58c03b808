//! Counted loops and breakable blocks.
//!
//! Loops are strip-mined. Each strip starts with a poll of the cancellation flag and, in innermost loops, with range check
//! elimination: guards that compare the loop variable with a bound are tested for the last iteration of the strip. If they
//! hold, a version of the body without these guards runs (loop versioning). The strip length is inversely proportional to the
//! work of the body.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use vyre_kernel::{Binary, BlockId, Kernel, Key, Op, Statement, ValueId};

use super::Emitter;
use crate::bound_check::BoundCheck;
use crate::work_estimate::{self, POLL_INTERVAL};

/// Maximum number of iterations of a strip.
const MAX_STRIP_ITERATIONS: u64 = 1 << 12;

/// Maximum work of a loop that does not poll the cancellation flag.
const MAX_UNPOLLED_WORK: u64 = 256;

/// Maximum number of values that the body of a versioned loop computes.
const MAX_VERSIONED_VALUES: usize = 200;

/// A loop of the kernel.
#[derive(Clone, Copy)]
pub(super) struct LoopHeader {
    pub(super) variable: ValueId,
    pub(super) from: ValueId,
    pub(super) to: ValueId,
    pub(super) body: BlockId,
}

/// Half-open range of a loop.
#[derive(Clone, Copy)]
pub(super) struct LoopBounds {
    pub(super) from: ir::Value,
    pub(super) to: ir::Value,
}

/// Plan for the code of a loop.
pub(super) struct LoopPlan {
    /// True if the whole loop needs no poll.
    is_short: bool,
    /// Number of iterations between two polls.
    strip_iterations: u32,
    /// Guards that hold in all iterations of a strip if they hold in the last one.
    guards: Vec<LoopGuard>,
}

/// Guard of an access in the form `variable + offset < bound`, or `<=` if `or_equal`.
#[derive(Clone, Copy)]
struct LoopGuard {
    cond: ValueId,
    offset: Option<ValueId>,
    bound: ValueId,
    or_equal: bool,
}

impl LoopPlan {
    /// A loop that polls in each iteration.
    pub(super) fn polled() -> LoopPlan {
        LoopPlan { is_short: false, strip_iterations: 1, guards: Vec::new() }
    }
}

impl Emitter<'_, '_> {
    /// Plans a loop. `is_uniform` reports whether all invocations that run the loop have the same word of a value.
    pub(super) fn plan_loop(
        &self,
        LoopHeader { variable, from, to, body }: LoopHeader,
        is_uniform: impl Fn(&Self, ValueId) -> bool,
    ) -> LoopPlan {
        let kernel = self.kernel;
        let statement = Statement::Loop { variable, from, to, body };
        let has_constant_bounds = kernel.as_word(from).is_some() && kernel.as_word(to).is_some();
        let is_short =
            has_constant_bounds && work_estimate::of_statement(kernel, statement, &self.work) <= MAX_UNPOLLED_WORK;
        let iterations = POLL_INTERVAL / self.work[body.position()].saturating_add(2);
        let strip_iterations = iterations.clamp(1, MAX_STRIP_ITERATIONS) as u32;
        let mut scan = BodyScan { kernel, computed: Vec::new(), guards: Vec::new(), has_loop: false };
        let mut guards = Vec::new();
        if scan.block(body) && !scan.has_loop {
            scan.computed.sort_unstable();
            scan.guards.sort_unstable();
            scan.guards.dedup();
            let is_invariant = |value: ValueId| scan.computed.binary_search(&value).is_err() && value != variable;
            let is_usable = |value: ValueId| is_invariant(value) && is_uniform(self, value);
            for &cond in &scan.guards {
                let Some(BoundCheck { low, high, or_equal }) = BoundCheck::of(kernel.op(cond), true) else { continue };
                if !is_usable(high) || self.holds_in_loop(cond) {
                    continue;
                }
                let offset = match kernel.op(low) {
                    _ if low == variable => None,
                    Op::Binary(Binary::Add, a, b) if a == variable && is_usable(b) => Some(b),
                    Op::Binary(Binary::Add, a, b) if b == variable && is_usable(a) => Some(a),
                    _ => continue,
                };
                guards.push(LoopGuard { cond, offset, bound: high, or_equal });
            }
        }
        LoopPlan { is_short, strip_iterations, guards }
    }

    /// Reports whether a strip test has established a condition for the code that is emitted.
    pub(super) fn holds_in_loop(&self, cond: ValueId) -> bool {
        self.hoisted_guards.contains(&cond)
    }

    /// Emits a breakable block. `body` returns true if its end is reachable.
    pub(super) fn breakable_block(&mut self, body: impl FnOnce(&mut Self) -> bool) {
        let after = self.builder.create_block();
        self.exits.push(after);
        if body(self) {
            self.jump(after);
        }
        self.exits.pop();
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    /// Emits a loop over a half-open range. `body` returns true if its end is reachable.
    pub(super) fn counted_loop(
        &mut self,
        variable: ValueId,
        LoopBounds { from, to }: LoopBounds,
        plan: &LoopPlan,
        body: &mut dyn FnMut(&mut Self) -> bool,
    ) {
        let after = self.builder.create_block();
        if (plan.is_short || plan.strip_iterations == 1) && plan.guards.is_empty() {
            let inner = self.builder.create_block();
            self.builder.append_block_param(inner, types::I32);
            let any = self.builder.ins().icmp(IntCC::UnsignedLessThan, from, to);
            self.builder.ins().brif(any, inner, &[from.into()], after, &[]);
            self.strip(variable, Strip { inner, stop: to, end: after, after }, &mut |emitter| {
                if !plan.is_short {
                    emitter.poll_cancellation();
                }
                body(emitter)
            });
        } else {
            let (start, end) = (self.builder.create_block(), self.builder.create_block());
            let number = self.builder.append_block_param(start, types::I32);
            let any = self.builder.ins().icmp(IntCC::UnsignedLessThan, from, to);
            self.builder.ins().brif(any, start, &[from.into()], after, &[]);
            self.builder.switch_to_block(start);
            if !plan.is_short {
                self.poll_cancellation();
            }
            // At least one iteration is left, so the sum does not exceed `to`.
            let left = self.builder.ins().isub(to, number);
            let max = self.builder.ins().iconst(types::I32, i64::from(plan.strip_iterations));
            let count = self.builder.ins().umin(left, max);
            let stop = self.builder.ins().iadd(number, count);
            let inner = self.builder.create_block();
            self.builder.append_block_param(inner, types::I32);
            let mut is_end_reachable = false;
            if plan.guards.is_empty() {
                self.builder.ins().jump(inner, &[number.into()]);
            } else {
                let unguarded = self.builder.create_block();
                self.builder.append_block_param(unguarded, types::I32);
                self.builder.set_cold_block(inner);
                let all_hold = self.guards_hold(stop, &plan.guards);
                self.builder.ins().brif(all_hold, unguarded, &[number.into()], inner, &[number.into()]);
                let known = self.hoisted_guards.len();
                self.hoisted_guards.extend(plan.guards.iter().map(|guard| guard.cond));
                is_end_reachable |= self.strip(variable, Strip { inner: unguarded, stop, end, after }, body);
                self.hoisted_guards.truncate(known);
            }
            is_end_reachable |= self.strip(variable, Strip { inner, stop, end, after }, body);
            self.builder.switch_to_block(end);
            self.builder.seal_block(end);
            if is_end_reachable {
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

    /// Emits the iterations of a strip. Returns true if their end is reachable.
    fn strip(
        &mut self,
        variable: ValueId,
        Strip { inner, stop, end, after }: Strip,
        body: &mut dyn FnMut(&mut Self) -> bool,
    ) -> bool {
        self.builder.switch_to_block(inner);
        let number = self.builder.block_params(inner)[0];
        self.words[variable.position()] = Some([number; 4]);
        self.exits.push(after);
        let continues = body(self);
        if continues {
            // The number is below a 32-bit bound, so the sum does not overflow.
            let next = self.builder.ins().iadd_imm_u(number, 1);
            let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, next, stop);
            self.builder.ins().brif(more, inner, &[next.into()], end, &[]);
        }
        self.exits.pop();
        self.builder.seal_block(inner);
        continues
    }

    /// Tests that guards hold in the iteration before `stop`, and therefore in all earlier ones.
    fn guards_hold(&mut self, stop: ir::Value, guards: &[LoopGuard]) -> ir::Value {
        let stop = self.builder.ins().uextend(types::I64, stop);
        let mut all = self.builder.ins().iconst(types::I8, 1);
        for guard in guards {
            let mut end = stop;
            if let Some(offset) = guard.offset {
                let offset = self.operand(offset)[0];
                let offset = self.builder.ins().uextend(types::I64, offset);
                end = self.builder.ins().iadd(end, offset);
            }
            let bound = self.operand(guard.bound)[0];
            let bound = self.builder.ins().uextend(types::I64, bound);
            let condition = if guard.or_equal { IntCC::UnsignedLessThanOrEqual } else { IntCC::UnsignedLessThan };
            let last = self.builder.ins().iadd_imm_s(end, -1);
            let holds = self.builder.ins().icmp(condition, last, bound);
            all = self.builder.ins().band(all, holds);
        }
        all
    }
}

/// Control flow of a strip.
#[derive(Clone, Copy)]
struct Strip {
    /// Block of an iteration, whose parameter is the loop variable.
    inner: Block,
    /// End of the range of the strip.
    stop: ir::Value,
    /// Target after the last iteration.
    end: Block,
    /// Target of breaks.
    after: Block,
}

/// Scan of the body of a loop.
struct BodyScan<'k> {
    kernel: &'k Kernel,
    computed: Vec<ValueId>,
    guards: Vec<ValueId>,
    has_loop: bool,
}

impl BodyScan<'_> {
    /// Reports whether the body is small enough for two versions.
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
            if self.computed.len() > MAX_VERSIONED_VALUES {
                return false;
            }
        }
        true
    }
}
