//! Barriers and collectives: warp instructions within a warp, exchange buffers in shared memory across warps.

use vyre_ir::ReduceOp;
use vyre_kernel::{Collective, ValueId};

use super::emitter::{Emitter, line};
use super::operand::{Predicate, Word};
use super::packing::WARP;

/// Minimum compute capability of the warp reduction instruction, `redux.sync`.
const MIN_REDUX_SM: u32 = 80;

/// Instruction that combines two words.
fn instruction(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Add => "add.u32",
        ReduceOp::Min => "min.u32",
        ReduceOp::Max => "max.u32",
        ReduceOp::And => "and.b32",
        ReduceOp::Or => "or.b32",
        ReduceOp::Xor => "xor.b32",
    }
}

/// Identity element of an operator.
fn identity(op: ReduceOp) -> Word {
    Word::Constant(match op {
        ReduceOp::Add | ReduceOp::Max | ReduceOp::Or | ReduceOp::Xor => 0,
        ReduceOp::Min | ReduceOp::And => u32::MAX,
    })
}

/// Warp lanes that take part in a warp instruction.
#[derive(Clone, Copy)]
struct WarpLanes {
    /// Participating lanes of the warp, as a bit mask.
    mask: Word,
    /// Lanes of a segment. Lanes of different segments do not communicate.
    width: u32,
}

/// The last operand of a shuffle has two fields:
///
/// | Bits | Field |
/// |---|---|
/// | 0-4 | clamp: bound of the source lane within the segment |
/// | 8-12 | segment mask: the bits of the lane number that identify the segment |
impl WarpLanes {
    /// Last operand of `shfl.down`, `shfl.bfly` and `shfl.idx`.
    fn upper_bound(self) -> u32 {
        ((WARP - self.width) << 8) | (WARP - 1)
    }

    /// Last operand of `shfl.up`.
    fn lower_bound(self) -> u32 {
        (WARP - self.width) << 8
    }
}

impl Emitter<'_> {
    /// Barrier of the workgroup.
    pub(super) fn barrier(&mut self) {
        if self.packing.invocations == 1 {
            return;
        }
        if self.packing.is_within_warp() {
            let mask = self.member_mask();
            line!(self, "bar.warp.sync {mask}");
        } else {
            line!(self, "barrier.sync 0");
        }
    }

    pub(super) fn collective(&mut self, collective: Collective) -> Word {
        match collective {
            Collective::Broadcast(value, source) => self.broadcast(value, source),
            Collective::Shuffle(value, source) => self.shuffle(value, source),
            Collective::Reduce(op, value) => {
                let value = self.word(value);
                self.reduce(op, value)
            }
            Collective::ScanExclusive(op, value) => {
                let value = self.word(value);
                self.scan(op, value, true)
            }
            Collective::ScanInclusive(op, value) => {
                let value = self.word(value);
                self.scan(op, value, false)
            }
            Collective::Ballot(predicate) => self.ballot(predicate),
        }
    }

    /// Lanes of the warp that belong to the workgroup.
    fn warp_lanes(&mut self) -> WarpLanes {
        let width = if self.packing.is_within_warp() { self.packing.segment_lanes() } else { WARP };
        WarpLanes { mask: self.member_mask(), width }
    }

    /// Tests whether an index is that of an invocation of the workgroup.
    fn is_invocation(&mut self, index: Word) -> Predicate {
        match index {
            Word::Constant(index) => Predicate::Constant(index < self.packing.invocations),
            Word::Register(_) => self.compared("lt", index, Word::Constant(self.packing.invocations)),
        }
    }

    fn broadcast(&mut self, value: ValueId, source: ValueId) -> Word {
        if self.packing.is_within_warp() {
            return self.shuffle(value, source);
        }
        let (value, source) = (self.word(value), self.word(source));
        let buffer = self.next_exchange_buffer();
        let own = self.local_index();
        let is_source = self.compared("eq", own, source);
        line!(self, "@{is_source} st.shared.u32 [{buffer}], {value}");
        self.barrier();
        let found = self.new_word();
        line!(self, "ld.shared.u32 {found}, [{buffer}]");
        let is_invocation = self.is_invocation(source);
        self.selected(is_invocation, found, Word::Constant(0))
    }

    fn shuffle(&mut self, value: ValueId, source: ValueId) -> Word {
        let (value, source) = (self.word(value), self.word(source));
        let is_invocation = self.is_invocation(source);
        if self.packing.invocations == 1 {
            return self.selected(is_invocation, value, Word::Constant(0));
        }
        if self.packing.is_within_warp() {
            let lanes = self.warp_lanes();
            let value = self.register(value);
            let found = self.new_word();
            let WarpLanes { mask, .. } = lanes;
            line!(self, "shfl.sync.idx.b32 {found}, {value}, {source}, {}, {mask}", lanes.upper_bound());
            return self.selected(is_invocation, found, Word::Constant(0));
        }
        let buffer = self.next_exchange_buffer();
        let own = self.local_index();
        let address = self.computed("mad.lo.u32", &[own, Word::Constant(4), buffer]);
        line!(self, "st.shared.u32 [{address}], {value}");
        self.barrier();
        let found = self.new_word();
        line!(self, "mov.u32 {found}, 0");
        let address = self.computed("mad.lo.u32", &[source, Word::Constant(4), buffer]);
        let is_invocation = self.predicate_register(is_invocation);
        line!(self, "@{is_invocation} ld.shared.u32 {found}, [{address}]");
        found
    }

    fn ballot(&mut self, value: ValueId) -> Word {
        let predicate = self.predicate(value);
        if self.packing.invocations == 1 {
            return self.selected(predicate, Word::Constant(1), Word::Constant(0));
        }
        let predicate = self.predicate_register(predicate);
        let mask = self.member_mask();
        let votes = self.new_word();
        line!(self, "vote.sync.ballot.b32 {votes}, {predicate}, {mask}");
        match self.segment_start() {
            Word::Constant(_) => votes,
            start => self.computed("shr.u32", &[votes, start]),
        }
    }

    fn reduce(&mut self, op: ReduceOp, value: Word) -> Word {
        if self.packing.invocations == 1 {
            return value;
        }
        let lanes = self.warp_lanes();
        if self.packing.is_within_warp() {
            return self.reduce_in_warp(op, value, lanes, self.packing.invocations);
        }
        // The last warp may be partial, and its missing lanes must not be read.
        let whole = if self.packing.has_full_warps() {
            self.reduce_in_warp(op, value, lanes, WARP)
        } else if self.target.sm >= MIN_REDUX_SM {
            self.reduce_by_instruction(op, value, lanes)
        } else {
            // The last existing lane has the combination of all.
            let inclusive = self.scan_in_warp(op, value, lanes);
            let last = self.computed("popc.b32", &[lanes.mask]);
            let last = self.computed("sub.u32", &[last, Word::Constant(1)]);
            let found = self.new_word();
            line!(self, "shfl.sync.idx.b32 {found}, {inclusive}, {last}, 31, {}", lanes.mask);
            found
        };
        let buffer = self.next_exchange_buffer();
        let warp = self.warp();
        let address = self.computed("mad.lo.u32", &[warp, Word::Constant(4), buffer]);
        let warp_lane = self.warp_lane();
        let is_first = self.compared("eq", warp_lane, Word::Constant(0));
        line!(self, "@{is_first} st.shared.u32 [{address}], {whole}");
        self.barrier();
        self.combine_exchanged(op, buffer, None)
    }

    /// Combines the words that the warps have exchanged: those of all warps, or of the warps before this one.
    fn combine_exchanged(&mut self, op: ReduceOp, buffer: Word, before: Option<Word>) -> Word {
        let warps = self.packing.warps();
        if self.packing.has_full_warps() {
            let warp_lane = self.warp_lane();
            let end = before.unwrap_or(Word::Constant(warps));
            let has_word = self.compared("lt", warp_lane, end);
            let address = self.computed("mad.lo.u32", &[warp_lane, Word::Constant(4), buffer]);
            let word = self.new_word();
            line!(self, "mov.u32 {word}, {}", identity(op));
            line!(self, "@{has_word} ld.shared.u32 {word}, [{address}]");
            let lanes = self.warp_lanes();
            return self.reduce_in_warp(op, word, lanes, WARP);
        }
        // A partial last warp may have fewer lanes than there are warps, so each lane reads all words.
        let total = self.new_word();
        line!(self, "mov.u32 {total}, {}", identity(op));
        let count = if before.is_some() { warps - 1 } else { warps };
        for warp in 0..count {
            let word = self.new_word();
            line!(self, "ld.shared.u32 {word}, [{buffer}+{}]", warp * 4);
            let guard = match before {
                Some(own) => format!("@{} ", self.compared("gt", own, Word::Constant(warp))),
                None => String::new(),
            };
            line!(self, "{guard}{} {total}, {total}, {word}", instruction(op));
        }
        total
    }

    /// Reduction within each segment. The first `count` lanes of a segment take part.
    fn reduce_in_warp(&mut self, op: ReduceOp, value: Word, lanes: WarpLanes, count: u32) -> Word {
        if lanes.width == WARP && self.target.sm >= MIN_REDUX_SM {
            return self.reduce_by_instruction(op, value, lanes);
        }
        if count != lanes.width {
            let inclusive = self.scan_in_warp(op, value, lanes);
            let found = self.new_word();
            let WarpLanes { mask, .. } = lanes;
            line!(self, "shfl.sync.idx.b32 {found}, {inclusive}, {}, {}, {mask}", count - 1, lanes.upper_bound());
            return found;
        }
        let mut total = self.register(value);
        let mut distance = lanes.width / 2;
        while distance != 0 {
            let other = self.new_word();
            let WarpLanes { mask, .. } = lanes;
            line!(self, "shfl.sync.bfly.b32 {other}, {total}, {distance}, {}, {mask}", lanes.upper_bound());
            total = self.computed(instruction(op), &[total, other]);
            distance /= 2;
        }
        total
    }

    fn reduce_by_instruction(&mut self, op: ReduceOp, value: Word, lanes: WarpLanes) -> Word {
        let total = self.new_word();
        let value = self.register(value);
        line!(self, "redux.sync.{} {total}, {value}, {}", instruction(op), lanes.mask);
        total
    }

    /// Inclusive scan within each segment (Hillis and Steele).
    fn scan_in_warp(&mut self, op: ReduceOp, value: Word, lanes: WarpLanes) -> Word {
        let total = self.new_word();
        line!(self, "mov.u32 {total}, {value}");
        let mut distance = 1;
        while distance < lanes.width {
            let (other, has_other) = (self.new_word(), self.new_predicate());
            let WarpLanes { mask, .. } = lanes;
            line!(self, "shfl.sync.up.b32 {other}|{has_other}, {total}, {distance}, {}, {mask}", lanes.lower_bound());
            line!(self, "@{has_other} {} {total}, {total}, {other}", instruction(op));
            distance *= 2;
        }
        total
    }

    fn scan(&mut self, op: ReduceOp, value: Word, is_exclusive: bool) -> Word {
        if self.packing.invocations == 1 {
            return if is_exclusive { identity(op) } else { value };
        }
        let lanes = self.warp_lanes();
        let inclusive = self.scan_in_warp(op, value, lanes);
        let own = if is_exclusive { self.exclusive_from_inclusive(op, inclusive, value, lanes) } else { inclusive };
        if self.packing.is_within_warp() {
            return own;
        }
        let buffer = self.next_exchange_buffer();
        let warp = self.warp();
        let address = self.computed("mad.lo.u32", &[warp, Word::Constant(4), buffer]);
        let warp_lane = self.warp_lane();
        // No warp needs the total of the last warp, which may lack this lane.
        let is_last = self.compared("eq", warp_lane, Word::Constant(WARP - 1));
        line!(self, "@{is_last} st.shared.u32 [{address}], {inclusive}");
        self.barrier();
        let before = self.combine_exchanged(op, buffer, Some(warp));
        self.computed(instruction(op), &[before, own])
    }

    /// Exclusive scan within each segment, from the inclusive one.
    fn exclusive_from_inclusive(&mut self, op: ReduceOp, inclusive: Word, value: Word, lanes: WarpLanes) -> Word {
        match op {
            ReduceOp::Add => return self.opaque_difference(inclusive, value),
            ReduceOp::Xor => return self.computed("xor.b32", &[inclusive, value]),
            ReduceOp::Min | ReduceOp::Max | ReduceOp::And | ReduceOp::Or => {}
        }
        let (other, has_other) = (self.new_word(), self.new_predicate());
        let WarpLanes { mask, .. } = lanes;
        line!(self, "shfl.sync.up.b32 {other}|{has_other}, {inclusive}, 1, {}, {mask}", lanes.lower_bound());
        self.selected(has_other, other, identity(op))
    }

    /// Address of the exchange buffer that no invocation reads any more.
    fn next_exchange_buffer(&mut self) -> Word {
        let Some(exchange) = self.packing.exchange else { return Word::Constant(0) };
        let shared = self.shared();
        let offset = match self.prologue_values.exchange_offset {
            Some(offset) => offset,
            None => {
                let offset = self.in_prologue(|this| {
                    let offset = this.new_word();
                    line!(this, "mov.u32 {offset}, 0");
                    offset
                });
                self.prologue_values.exchange_offset = Some(offset);
                offset
            }
        };
        // All invocations reach a collective together, so they all use the same buffer.
        line!(self, "xor.b32 {offset}, {offset}, {}", exchange.bytes);
        let buffer = self.computed("add.u32", &[shared, offset]);
        self.computed("add.u32", &[buffer, Word::Constant(exchange.offset)])
    }
}
