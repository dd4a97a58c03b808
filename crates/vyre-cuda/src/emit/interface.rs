//! What a kernel is given: parameters, and the numbers that tell threads apart.

use vyre_ir::BufferAccess;
use vyre_kernel::{BufferId, Id, Key as _, Op};

use super::layout::{SHARED, WARP};
use super::operand::{Held, Truth, Word, Words};
use super::{Address, Emitter, line};
use crate::ptx::PtxParameter;

/// What the prologue has computed.
#[derive(Default)]
pub(super) struct Known {
    /// By parameter: the register that has it.
    words: Vec<(PtxParameter, Word)>,
    addresses: Vec<(PtxParameter, Address)>,
    locals: [Option<Word>; 3],
    workgroups: [Option<Word>; 3],
    invocations: [Option<Word>; 3],
    lane: Option<Word>,
    warp_lane: Option<Word>,
    warp: Option<Word>,
    members: Option<Word>,
    seat_begin: Option<Word>,
    shared: Option<Word>,
    /// How many rounds of loops the thread has run.
    pub(super) rounds: Option<Word>,
    /// Which of the two rows of a large workgroup is next, as an offset.
    pub(super) row: Option<Word>,
}

/// What a parameter is called.
pub(super) fn parameter_name(parameter: PtxParameter) -> String {
    match parameter {
        PtxParameter::Address(position) => format!("buffer_{position}"),
        PtxParameter::Length(position) => format!("length_{position}"),
        PtxParameter::Workgroups(axis) => format!("workgroups_{}", axis_name(axis)),
        PtxParameter::FirstWorkgroup(axis) => format!("first_workgroup_{}", axis_name(axis)),
        PtxParameter::Cancel => "cancel".to_owned(),
    }
}

fn axis_name(axis: usize) -> char {
    ['x', 'y', 'z'][axis]
}

impl Emitter<'_> {
    /// What comes before everything else: threads that have nothing to do end.
    pub(super) fn enter(&mut self) {
        self.before(|this| {
            let layout = &this.layout;
            let (invocations, seat) = (layout.invocations, layout.seat());
            if layout.is_within_warp() {
                if invocations != seat {
                    let lane = this.lane();
                    let is_idle = this.compared("ge", lane, Word::Constant(invocations));
                    line!(this, "@{is_idle} exit");
                }
                if this.layout.groups != 1 {
                    let workgroup = this.workgroup_id(0);
                    let end = this.parameter(PtxParameter::Workgroups(0));
                    let is_beyond = this.compared("ge", workgroup, end);
                    line!(this, "@{is_beyond} exit");
                }
            }
        });
        if self.target.can_cancel {
            self.look_for_cancel();
        }
    }

    /// Ends the thread if the run was cancelled.
    pub(super) fn look_for_cancel(&mut self) {
        let flag = self.address_parameter(PtxParameter::Cancel);
        let word = self.new_word();
        line!(self, "ld.volatile.global.u32 {word}, [{flag}]");
        let is_cancelled = self.compared("ne", word, Word::Constant(0));
        line!(self, "@{is_cancelled} exit");
    }

    /// A leaf.
    pub(super) fn leaf(&mut self, op: Op) -> Held {
        match op {
            Op::Word(word) => Held::Words(Words::of([Word::Constant(word)])),
            Op::Bool(holds) => Held::Truth(Truth::Constant(holds)),
            Op::Length(buffer) => {
                let position = self.position(buffer);
                Held::Words(Words::of([self.parameter(PtxParameter::Length(position))]))
            }
            Op::Id(id, axis) => {
                let axis = usize::from(axis);
                let word = self.before(|this| match id {
                    Id::Local => this.local_id(axis),
                    Id::Workgroup => this.workgroup_id(axis),
                    Id::Invocation => this.invocation_id(axis),
                    Id::NumWorkgroups => this.parameter(PtxParameter::Workgroups(axis)),
                });
                Held::Words(Words::of([word]))
            }
            // A value that is used before it is computed, which the verifier of kernels does not let through.
            _ => Held::Nothing,
        }
    }

    /// The position of a buffer among those that a host binds.
    pub(super) fn position(&self, buffer: BufferId) -> usize {
        let before = self.kernel.buffers.iter().take(buffer.position());
        before.filter(|(_, decl)| decl.access != BufferAccess::Workgroup).count()
    }

    /// A parameter that is a word.
    pub(super) fn parameter(&mut self, parameter: PtxParameter) -> Word {
        if let Some((_, word)) = self.known.words.iter().find(|(known, _)| *known == parameter) {
            return *word;
        }
        self.parameters.push(parameter);
        let word = self.before(|this| {
            let word = this.new_word();
            line!(this, "ld.param.u32 {word}, [{}]", parameter_name(parameter));
            word
        });
        self.known.words.push((parameter, word));
        word
    }

    /// A parameter that is an address.
    pub(super) fn address_parameter(&mut self, parameter: PtxParameter) -> Address {
        if let Some((_, address)) = self.known.addresses.iter().find(|(known, _)| *known == parameter) {
            return *address;
        }
        self.parameters.push(parameter);
        let address = self.before(|this| {
            let (given, address) = (this.new_address(), this.new_address());
            line!(this, "ld.param.u64 {given}, [{}]", parameter_name(parameter));
            line!(this, "cvta.to.global.u64 {address}, {given}");
            address
        });
        self.known.addresses.push((parameter, address));
        address
    }

    /// The linear index of the invocation in its workgroup.
    pub(super) fn lane(&mut self) -> Word {
        if let Some(lane) = self.known.lane {
            return lane;
        }
        let [x, y, _] = self.layout.size;
        let lane = self.before(|this| {
            let thread = this.special("%tid.x");
            if this.layout.is_within_warp() {
                return match this.layout.seat() {
                    1 => Word::Constant(0),
                    seat => this.computed("and.b32", &[thread, Word::Constant(seat - 1)]),
                };
            }
            let mut lane = thread;
            for (axis, stride) in [(1, x), (2, x * y)] {
                if this.layout.size[axis] != 1 {
                    let thread = this.special(["%tid.x", "%tid.y", "%tid.z"][axis]);
                    lane = this.computed("mad.lo.u32", &[thread, Word::Constant(stride), lane]);
                }
            }
            lane
        });
        self.known.lane = Some(lane);
        lane
    }

    /// The lane of the warp.
    pub(super) fn warp_lane(&mut self) -> Word {
        if let Some(lane) = self.known.warp_lane {
            return lane;
        }
        let lane = self.before(|this| {
            let thread = if this.layout.is_within_warp() { this.special("%tid.x") } else { this.lane() };
            this.computed("and.b32", &[thread, Word::Constant(WARP - 1)])
        });
        self.known.warp_lane = Some(lane);
        lane
    }

    /// The number of the warp in a large workgroup.
    pub(super) fn warp(&mut self) -> Word {
        if let Some(warp) = self.known.warp {
            return warp;
        }
        let warp = self.before(|this| {
            let lane = this.lane();
            this.computed("shr.u32", &[lane, Word::Constant(5)])
        });
        self.known.warp = Some(warp);
        warp
    }

    /// The first lane of the warp that belongs to the seat.
    pub(super) fn seat_begin(&mut self) -> Word {
        if let Some(begin) = self.known.seat_begin {
            return begin;
        }
        let begin = match self.layout.seat() {
            WARP => Word::Constant(0),
            seat => self.before(|this| {
                let lane = this.warp_lane();
                this.computed("and.b32", &[lane, Word::Constant(WARP - seat)])
            }),
        };
        self.known.seat_begin = Some(begin);
        begin
    }

    /// The lanes of the warp that are of the same workgroup, as bits.
    pub(super) fn members(&mut self) -> Word {
        if let Some(members) = self.known.members {
            return members;
        }
        let full = Word::Constant(u32::MAX);
        let invocations = self.layout.invocations;
        let first = |lanes: u32| Word::Constant(u32::MAX >> (WARP - lanes));
        let members = if invocations.is_multiple_of(WARP) {
            full
        } else if self.layout.is_within_warp() {
            self.before(|this| {
                let begin = this.seat_begin();
                this.computed("shl.b32", &[first(invocations), begin])
            })
        } else {
            self.before(|this| {
                let warp = this.warp();
                let is_last = this.compared("eq", warp, Word::Constant(this.layout.warps() - 1));
                let members = this.new_word();
                line!(this, "selp.b32 {members}, {}, {full}, {is_last}", first(invocations % WARP));
                members
            })
        };
        self.known.members = Some(members);
        members
    }

    /// Where the shared memory of the workgroup begins.
    pub(super) fn shared(&mut self) -> Word {
        if let Some(shared) = self.known.shared {
            return shared;
        }
        let shared = self.before(|this| {
            let begin = this.new_word();
            line!(this, "mov.u32 {begin}, {SHARED}");
            if this.layout.groups == 1 {
                return begin;
            }
            let group = this.group_of_block();
            this.computed("mad.lo.u32", &[group, Word::Constant(this.layout.group_bytes), begin])
        });
        self.known.shared = Some(shared);
        shared
    }

    /// The number of the workgroup in its block.
    fn group_of_block(&mut self) -> Word {
        let thread = self.special("%tid.x");
        self.computed("shr.u32", &[thread, Word::Constant(self.layout.seat().trailing_zeros())])
    }

    fn special(&mut self, name: &str) -> Word {
        let word = self.new_word();
        line!(self, "mov.u32 {word}, {name}");
        word
    }

    fn local_id(&mut self, axis: usize) -> Word {
        if let Some(id) = self.known.locals[axis] {
            return id;
        }
        let [x, y, _] = self.layout.size;
        let id = if self.layout.size[axis] == 1 {
            Word::Constant(0)
        } else if self.layout.is_within_warp() {
            let lane = self.lane();
            let (size, stride) = (self.layout.size[axis], [1, x, x * y][axis]);
            let at = self.quotient(lane, stride);
            // Nothing is left of the last axis.
            if size * stride == self.layout.invocations {
                at
            } else {
                let rows = self.quotient(at, size);
                let whole = self.computed("mul.lo.u32", &[rows, Word::Constant(size)]);
                self.hidden_difference(at, whole)
            }
        } else {
            self.special(["%tid.x", "%tid.y", "%tid.z"][axis])
        };
        self.known.locals[axis] = Some(id);
        id
    }

    /// The quotient of a number below 32 and one up to 32, which the assembler would compute as for any numbers.
    fn quotient(&mut self, number: Word, divisor: u32) -> Word {
        if divisor == 1 {
            return number;
        }
        // The factor is too large by less than 1, which a number below 32 makes less than 1/32 of the quotient.
        let product = self.computed("mul.lo.u32", &[number, Word::Constant(1024_u32.div_ceil(divisor))]);
        self.computed("shr.u32", &[product, Word::Constant(10)])
    }

    fn workgroup_id(&mut self, axis: usize) -> Word {
        if let Some(id) = self.known.workgroups[axis] {
            return id;
        }
        let mut id = self.special(["%ctaid.x", "%ctaid.y", "%ctaid.z"][axis]);
        if axis == 0 && self.layout.groups != 1 {
            let group = self.group_of_block();
            id = self.computed("mad.lo.u32", &[id, Word::Constant(self.layout.groups), group]);
        }
        if self.may_be_split(axis) {
            let first = self.parameter(PtxParameter::FirstWorkgroup(axis));
            id = self.computed("add.u32", &[id, first]);
        }
        self.known.workgroups[axis] = Some(id);
        id
    }

    /// Whether a grid may have more blocks on an axis than a launch takes, which are 2^31 - 1 on the first and 65,535 on the
    /// others. A grid has at most 2^32 invocations on an axis.
    fn may_be_split(&self, axis: usize) -> bool {
        let most = if axis == 0 { (1_u64 << 31) - 1 } else { 65_535 };
        let per_block = u64::from(self.layout.size[axis]) * if axis == 0 { u64::from(self.layout.groups) } else { 1 };
        (1_u64 << 32).div_ceil(per_block) > most
    }

    fn invocation_id(&mut self, axis: usize) -> Word {
        if let Some(id) = self.known.invocations[axis] {
            return id;
        }
        let workgroup = self.workgroup_id(axis);
        let id = match self.layout.size[axis] {
            1 => workgroup,
            size => {
                let local = self.local_id(axis);
                self.computed("mad.lo.u32", &[workgroup, Word::Constant(size), local])
            }
        };
        self.known.invocations[axis] = Some(id);
        id
    }
}
