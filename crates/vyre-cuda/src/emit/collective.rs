//! Collectives: within a warp by its own instructions, in larger workgroups through rows of shared memory.

use vyre_ir::ReduceOp;
use vyre_kernel::{Collective, ValueId};

use super::layout::WARP;
use super::operand::{Truth, Word};
use super::{Emitter, line};

/// The oldest GPUs whose warps reduce words by one instruction.
const REDUCING_SM: u32 = 80;

/// What combines two words.
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

/// The word that changes nothing.
fn neutral(op: ReduceOp) -> Word {
    Word::Constant(match op {
        ReduceOp::Add | ReduceOp::Max | ReduceOp::Or | ReduceOp::Xor => 0,
        ReduceOp::Min | ReduceOp::And => u32::MAX,
    })
}

/// Which lanes take part, as an instruction wants to know it.
#[derive(Clone, Copy)]
struct Lanes {
    /// The lanes of the warp that take part, as bits.
    members: Word,
    /// How many lanes look at each other.
    width: u32,
}

impl Lanes {
    /// The last operand of shuffles that go down or name a lane.
    fn upper_bound(self) -> u32 {
        ((WARP - self.width) << 8) | (WARP - 1)
    }

    /// The last operand of shuffles that go up.
    fn lower_bound(self) -> u32 {
        (WARP - self.width) << 8
    }
}

impl Emitter<'_> {
    pub(super) fn collective(&mut self, collective: Collective) -> Word {
        match collective {
            Collective::Broadcast(value, lane) => self.broadcast(value, lane),
            Collective::Shuffle(value, lane) => self.shuffle(value, lane),
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

    /// The lanes of the warp that are of this workgroup.
    fn lanes(&mut self) -> Lanes {
        let width = if self.layout.is_within_warp() { self.layout.seat() } else { WARP };
        Lanes { members: self.members(), width }
    }

    fn is_lane(&mut self, lane: Word) -> Truth {
        match lane {
            Word::Constant(lane) => Truth::Constant(lane < self.layout.invocations),
            Word::Register(_) => self.compared("lt", lane, Word::Constant(self.layout.invocations)),
        }
    }

    fn broadcast(&mut self, value: ValueId, lane: ValueId) -> Word {
        if self.layout.is_within_warp() {
            return self.shuffle(value, lane);
        }
        let (value, lane) = (self.word(value), self.word(lane));
        let row = self.next_row();
        let own = self.lane();
        let is_it = self.compared("eq", own, lane);
        line!(self, "@{is_it} st.shared.u32 [{row}], {value}");
        self.barrier();
        let found = self.new_word();
        line!(self, "ld.shared.u32 {found}, [{row}]");
        let is_lane = self.is_lane(lane);
        self.selected(is_lane, found, Word::Constant(0))
    }

    fn shuffle(&mut self, value: ValueId, lane: ValueId) -> Word {
        let (value, lane) = (self.word(value), self.word(lane));
        let is_lane = self.is_lane(lane);
        if self.layout.invocations == 1 {
            return self.selected(is_lane, value, Word::Constant(0));
        }
        if self.layout.is_within_warp() {
            let lanes = self.lanes();
            let value = self.register(value);
            let found = self.new_word();
            let Lanes { members, .. } = lanes;
            line!(self, "shfl.sync.idx.b32 {found}, {value}, {lane}, {}, {members}", lanes.upper_bound());
            return self.selected(is_lane, found, Word::Constant(0));
        }
        let row = self.next_row();
        let own = self.lane();
        let place = self.computed("mad.lo.u32", &[own, Word::Constant(4), row]);
        line!(self, "st.shared.u32 [{place}], {value}");
        self.barrier();
        let found = self.new_word();
        line!(self, "mov.u32 {found}, 0");
        let place = self.computed("mad.lo.u32", &[lane, Word::Constant(4), row]);
        let is_lane = self.predicate(is_lane);
        line!(self, "@{is_lane} ld.shared.u32 {found}, [{place}]");
        found
    }

    fn ballot(&mut self, predicate: ValueId) -> Word {
        let truth = self.truth(predicate);
        if self.layout.invocations == 1 {
            return self.selected(truth, Word::Constant(1), Word::Constant(0));
        }
        let truth = self.predicate(truth);
        let members = self.members();
        let votes = self.new_word();
        line!(self, "vote.sync.ballot.b32 {votes}, {truth}, {members}");
        match self.seat_begin() {
            Word::Constant(_) => votes,
            begin => self.computed("shr.u32", &[votes, begin]),
        }
    }

    fn reduce(&mut self, op: ReduceOp, value: Word) -> Word {
        if self.layout.invocations == 1 {
            return value;
        }
        let lanes = self.lanes();
        if self.layout.is_within_warp() {
            return self.reduce_warp(op, value, lanes, self.layout.invocations);
        }
        // The last warp may have fewer lanes, none of which another warp may ask.
        let whole = if self.layout.has_full_warps() {
            self.reduce_warp(op, value, lanes, WARP)
        } else if self.target.sm >= REDUCING_SM {
            self.reduce_by_instruction(op, value, lanes)
        } else {
            // The last lane that there is has everything.
            let upto = self.scan_warp(op, value, lanes);
            let last = self.computed("popc.b32", &[lanes.members]);
            let last = self.computed("sub.u32", &[last, Word::Constant(1)]);
            let found = self.new_word();
            line!(self, "shfl.sync.idx.b32 {found}, {upto}, {last}, 31, {}", lanes.members);
            found
        };
        let row = self.next_row();
        let warp = self.warp();
        let place = self.computed("mad.lo.u32", &[warp, Word::Constant(4), row]);
        let warp_lane = self.warp_lane();
        let is_first = self.compared("eq", warp_lane, Word::Constant(0));
        line!(self, "@{is_first} st.shared.u32 [{place}], {whole}");
        self.barrier();
        self.combined_row(op, row, None)
    }

    /// The words of a row combined: those of all warps, or of those before this one.
    fn combined_row(&mut self, op: ReduceOp, row: Word, before: Option<Word>) -> Word {
        let warps = self.layout.warps();
        if self.layout.has_full_warps() {
            let warp_lane = self.warp_lane();
            let end = before.unwrap_or(Word::Constant(warps));
            let has_word = self.compared("lt", warp_lane, end);
            let place = self.computed("mad.lo.u32", &[warp_lane, Word::Constant(4), row]);
            let word = self.new_word();
            line!(self, "mov.u32 {word}, {}", neutral(op));
            line!(self, "@{has_word} ld.shared.u32 {word}, [{place}]");
            let lanes = self.lanes();
            return self.reduce_warp(op, word, lanes, WARP);
        }
        // The last warp may have fewer lanes than there are warps, so each lane looks at all words.
        let total = self.new_word();
        line!(self, "mov.u32 {total}, {}", neutral(op));
        let count = if before.is_some() { warps - 1 } else { warps };
        for warp in 0..count {
            let word = self.new_word();
            line!(self, "ld.shared.u32 {word}, [{row}+{}]", warp * 4);
            let guard = match before {
                Some(own) => format!("@{} ", self.compared("gt", own, Word::Constant(warp))),
                None => String::new(),
            };
            line!(self, "{guard}{} {total}, {total}, {word}", instruction(op));
        }
        total
    }

    /// The words of lanes combined, for all of them. The first `count` lanes of each width take part.
    fn reduce_warp(&mut self, op: ReduceOp, value: Word, lanes: Lanes, count: u32) -> Word {
        if lanes.width == WARP && self.target.sm >= REDUCING_SM {
            return self.reduce_by_instruction(op, value, lanes);
        }
        if count != lanes.width {
            let upto = self.scan_warp(op, value, lanes);
            let found = self.new_word();
            let Lanes { members, .. } = lanes;
            line!(self, "shfl.sync.idx.b32 {found}, {upto}, {}, {}, {members}", count - 1, lanes.upper_bound());
            return found;
        }
        let mut total = self.register(value);
        let mut distance = lanes.width / 2;
        while distance != 0 {
            let other = self.new_word();
            let Lanes { members, .. } = lanes;
            line!(self, "shfl.sync.bfly.b32 {other}, {total}, {distance}, {}, {members}", lanes.upper_bound());
            total = self.computed(instruction(op), &[total, other]);
            distance /= 2;
        }
        total
    }

    fn reduce_by_instruction(&mut self, op: ReduceOp, value: Word, lanes: Lanes) -> Word {
        let total = self.new_word();
        let value = self.register(value);
        line!(self, "redux.sync.{} {total}, {value}, {}", instruction(op), lanes.members);
        total
    }

    /// The words of the lanes of a width up to each combined.
    fn scan_warp(&mut self, op: ReduceOp, value: Word, lanes: Lanes) -> Word {
        let total = self.new_word();
        line!(self, "mov.u32 {total}, {value}");
        let mut distance = 1;
        while distance < lanes.width {
            let (other, has_other) = (self.new_word(), self.new_truth());
            let Lanes { members, .. } = lanes;
            line!(
                self,
                "shfl.sync.up.b32 {other}|{has_other}, {total}, {distance}, {}, {members}",
                lanes.lower_bound()
            );
            line!(self, "@{has_other} {} {total}, {total}, {other}", instruction(op));
            distance *= 2;
        }
        total
    }

    fn scan(&mut self, op: ReduceOp, value: Word, is_exclusive: bool) -> Word {
        if self.layout.invocations == 1 {
            return if is_exclusive { neutral(op) } else { value };
        }
        let lanes = self.lanes();
        let upto = self.scan_warp(op, value, lanes);
        let own = if is_exclusive { self.without_own(op, upto, value, lanes) } else { upto };
        if self.layout.is_within_warp() {
            return own;
        }
        let row = self.next_row();
        let warp = self.warp();
        let place = self.computed("mad.lo.u32", &[warp, Word::Constant(4), row]);
        let warp_lane = self.warp_lane();
        // What the last warp has concerns nobody else, so it does not matter if it has no such lane.
        let is_last = self.compared("eq", warp_lane, Word::Constant(WARP - 1));
        line!(self, "@{is_last} st.shared.u32 [{place}], {upto}");
        self.barrier();
        let before = self.combined_row(op, row, Some(warp));
        self.computed(instruction(op), &[before, own])
    }

    /// What the lanes before each have, given what the lanes up to each have.
    fn without_own(&mut self, op: ReduceOp, upto: Word, value: Word, lanes: Lanes) -> Word {
        match op {
            ReduceOp::Add => return self.hidden_difference(upto, value),
            ReduceOp::Xor => return self.computed("xor.b32", &[upto, value]),
            ReduceOp::Min | ReduceOp::Max | ReduceOp::And | ReduceOp::Or => {}
        }
        let (other, has_other) = (self.new_word(), self.new_truth());
        let Lanes { members, .. } = lanes;
        line!(self, "shfl.sync.up.b32 {other}|{has_other}, {upto}, 1, {}, {members}", lanes.lower_bound());
        self.selected(has_other, other, neutral(op))
    }

    /// The address of the row that nobody reads any more.
    fn next_row(&mut self) -> Word {
        let Some(rows) = self.layout.rows else { return Word::Constant(0) };
        let shared = self.shared();
        let turn = match self.known.row {
            Some(turn) => turn,
            None => {
                let turn = self.before(|this| {
                    let turn = this.new_word();
                    line!(this, "mov.u32 {turn}, 0");
                    turn
                });
                self.known.row = Some(turn);
                turn
            }
        };
        // Collectives are reached by all lanes together, so all of them are at the same turn.
        line!(self, "xor.b32 {turn}, {turn}, {}", rows.bytes);
        let row = self.computed("add.u32", &[shared, turn]);
        self.computed("add.u32", &[row, Word::Constant(rows.offset)])
    }
}
