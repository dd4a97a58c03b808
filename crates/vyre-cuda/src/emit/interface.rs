//! Interface of a kernel: its parameters, and the ids of its threads.

use vyre_ir::BufferAccess;
use vyre_kernel::{BufferId, Id, Key as _, Op, ValueId};

use super::emitter::{Emitter, line};
use super::operand::{Address, Operand, Predicate, Word, Words};
use super::packing::{SHARED, WARP};
use crate::ptx::{MAX_BLOCKS, PtxParameter};

impl Emitter<'_> {
    /// Emits the entry: threads without an invocation exit, and a cancellable kernel polls its cancel word.
    pub(super) fn entry(&mut self) {
        self.in_prologue(|this| {
            let packing = &this.packing;
            let (invocations, segment) = (packing.invocations, packing.segment_lanes());
            if packing.is_within_warp() {
                if invocations != segment {
                    let index = this.local_index();
                    let is_idle = this.compared("ge", index, Word::Constant(invocations));
                    line!(this, "@{is_idle} exit");
                }
                if this.packing.groups != 1 {
                    let workgroup = this.workgroup_id(0);
                    let end = this.parameter(PtxParameter::Workgroups(0));
                    let is_beyond = this.compared("ge", workgroup, end);
                    line!(this, "@{is_beyond} exit");
                }
            }
        });
        if self.target.can_cancel {
            self.poll_cancel();
        }
    }

    /// Exits the thread if the run was cancelled.
    pub(super) fn poll_cancel(&mut self) {
        let flag = self.address_parameter(PtxParameter::Cancel);
        let word = self.new_word();
        line!(self, "ld.volatile.global.u32 {word}, [{flag}]");
        let is_cancelled = self.compared("ne", word, Word::Constant(0));
        line!(self, "@{is_cancelled} exit");
    }

    /// Operand of a value.
    pub(super) fn operand(&mut self, value: ValueId) -> Operand {
        match self.values[value.position()] {
            Operand::Undefined => {
                let operand = self.leaf(self.kernel.op(value));
                self.values[value.position()] = operand;
                operand
            }
            operand => operand,
        }
    }

    /// Operand of a value of one word.
    pub(super) fn word(&mut self, value: ValueId) -> Word {
        self.words(value).first()
    }

    /// Words of a value.
    pub(super) fn words(&mut self, value: ValueId) -> Words {
        match self.operand(value) {
            Operand::Words(words) => words,
            // A well-formed kernel has no such use.
            Operand::Predicate(_) | Operand::Undefined => Words::of([Word::Constant(0)]),
        }
    }

    /// Operand of a bool.
    pub(super) fn predicate(&mut self, value: ValueId) -> Predicate {
        match self.operand(value) {
            Operand::Predicate(predicate) => predicate,
            Operand::Words(_) | Operand::Undefined => Predicate::Constant(false),
        }
    }

    /// Operand of a value that no statement computes: a constant, a length or an id.
    pub(super) fn leaf(&mut self, op: Op) -> Operand {
        match op {
            Op::Word(word) => Operand::Words(Words::of([Word::Constant(word)])),
            Op::Bool(holds) => Operand::Predicate(Predicate::Constant(holds)),
            Op::Length(buffer) => {
                let position = self.position(buffer);
                Operand::Words(Words::of([self.parameter(PtxParameter::Length(position))]))
            }
            Op::Id(id, axis) => {
                let axis = usize::from(axis);
                let word = self.in_prologue(|this| match id {
                    Id::Local => this.local_id(axis),
                    Id::Workgroup => this.workgroup_id(axis),
                    Id::Invocation => this.invocation_id(axis),
                    Id::NumWorkgroups => this.parameter(PtxParameter::Workgroups(axis)),
                });
                Operand::Words(Words::of([word]))
            }
            // A use before the definition, which the kernel verifier rejects.
            _ => Operand::Undefined,
        }
    }

    /// Position of a buffer among the bound buffers.
    pub(super) fn position(&self, buffer: BufferId) -> usize {
        let before = self.kernel.buffers.iter().take(buffer.position());
        before.filter(|(_, decl)| decl.access != BufferAccess::Workgroup).count()
    }

    /// 32-bit parameter.
    pub(super) fn parameter(&mut self, parameter: PtxParameter) -> Word {
        if let Some((_, word)) = self.prologue_values.words.iter().find(|(known, _)| *known == parameter) {
            return *word;
        }
        self.parameters.push(parameter);
        let word = self.in_prologue(|this| {
            let word = this.new_word();
            line!(this, "ld.param.u32 {word}, [{}]", parameter.name());
            word
        });
        self.prologue_values.words.push((parameter, word));
        word
    }

    /// Address parameter.
    pub(super) fn address_parameter(&mut self, parameter: PtxParameter) -> Address {
        if let Some((_, address)) = self.prologue_values.addresses.iter().find(|(known, _)| *known == parameter) {
            return *address;
        }
        self.parameters.push(parameter);
        let address = self.in_prologue(|this| {
            let (generic, address) = (this.new_address(), this.new_address());
            line!(this, "ld.param.u64 {generic}, [{}]", parameter.name());
            line!(this, "cvta.to.global.u64 {address}, {generic}");
            address
        });
        self.prologue_values.addresses.push((parameter, address));
        address
    }

    /// Linear index of the invocation in its workgroup.
    pub(super) fn local_index(&mut self) -> Word {
        if let Some(index) = self.prologue_values.local_index {
            return index;
        }
        let [x, y, _] = self.packing.size;
        let index = self.in_prologue(|this| {
            let thread = this.special("%tid.x");
            if this.packing.is_within_warp() {
                return match this.packing.segment_lanes() {
                    1 => Word::Constant(0),
                    lanes => this.computed("and.b32", &[thread, Word::Constant(lanes - 1)]),
                };
            }
            let mut index = thread;
            for (axis, stride) in [(1, x), (2, x * y)] {
                if this.packing.size[axis] != 1 {
                    let thread = this.special(["%tid.x", "%tid.y", "%tid.z"][axis]);
                    index = this.computed("mad.lo.u32", &[thread, Word::Constant(stride), index]);
                }
            }
            index
        });
        self.prologue_values.local_index = Some(index);
        index
    }

    /// Lane of the thread in its warp.
    pub(super) fn warp_lane(&mut self) -> Word {
        if let Some(lane) = self.prologue_values.warp_lane {
            return lane;
        }
        let lane = self.in_prologue(|this| {
            let thread = if this.packing.is_within_warp() { this.special("%tid.x") } else { this.local_index() };
            this.computed("and.b32", &[thread, Word::Constant(WARP - 1)])
        });
        self.prologue_values.warp_lane = Some(lane);
        lane
    }

    /// Number of the warp in a large workgroup.
    pub(super) fn warp(&mut self) -> Word {
        if let Some(warp) = self.prologue_values.warp {
            return warp;
        }
        let warp = self.in_prologue(|this| {
            let index = this.local_index();
            this.computed("shr.u32", &[index, Word::Constant(5)])
        });
        self.prologue_values.warp = Some(warp);
        warp
    }

    /// First warp lane of the workgroup's segment.
    pub(super) fn segment_start(&mut self) -> Word {
        if let Some(start) = self.prologue_values.segment_start {
            return start;
        }
        let start = match self.packing.segment_lanes() {
            WARP => Word::Constant(0),
            lanes => self.in_prologue(|this| {
                let lane = this.warp_lane();
                this.computed("and.b32", &[lane, Word::Constant(WARP - lanes)])
            }),
        };
        self.prologue_values.segment_start = Some(start);
        start
    }

    /// Lanes of the warp that belong to the workgroup, as a bit mask.
    pub(super) fn member_mask(&mut self) -> Word {
        if let Some(mask) = self.prologue_values.member_mask {
            return mask;
        }
        let full = Word::Constant(u32::MAX);
        let invocations = self.packing.invocations;
        let first = |lanes: u32| Word::Constant(u32::MAX >> (WARP - lanes));
        let mask = if invocations.is_multiple_of(WARP) {
            full
        } else if self.packing.is_within_warp() {
            self.in_prologue(|this| {
                let start = this.segment_start();
                this.computed("shl.b32", &[first(invocations), start])
            })
        } else {
            self.in_prologue(|this| {
                let warp = this.warp();
                let is_last = this.compared("eq", warp, Word::Constant(this.packing.warps() - 1));
                let mask = this.new_word();
                line!(this, "selp.b32 {mask}, {}, {full}, {is_last}", first(invocations % WARP));
                mask
            })
        };
        self.prologue_values.member_mask = Some(mask);
        mask
    }

    /// Address of the workgroup's shared memory.
    pub(super) fn shared(&mut self) -> Word {
        if let Some(shared) = self.prologue_values.shared {
            return shared;
        }
        let shared = self.in_prologue(|this| {
            let start = this.new_word();
            line!(this, "mov.u32 {start}, {SHARED}");
            if this.packing.groups == 1 {
                return start;
            }
            let group = this.group_of_block();
            this.computed("mad.lo.u32", &[group, Word::Constant(this.packing.group_bytes), start])
        });
        self.prologue_values.shared = Some(shared);
        shared
    }

    /// Number of the workgroup in its block.
    fn group_of_block(&mut self) -> Word {
        let thread = self.special("%tid.x");
        self.computed("shr.u32", &[thread, Word::Constant(self.packing.segment_lanes().trailing_zeros())])
    }

    fn special(&mut self, name: &str) -> Word {
        let word = self.new_word();
        line!(self, "mov.u32 {word}, {name}");
        word
    }

    fn local_id(&mut self, axis: usize) -> Word {
        if let Some(id) = self.prologue_values.local_ids[axis] {
            return id;
        }
        let [x, y, _] = self.packing.size;
        let id = if self.packing.size[axis] == 1 {
            Word::Constant(0)
        } else if self.packing.is_within_warp() {
            let index = self.local_index();
            let (size, stride) = (self.packing.size[axis], [1, x, x * y][axis]);
            let quotient = self.quotient(index, stride);
            // The last axis needs no remainder.
            if size * stride == self.packing.invocations {
                quotient
            } else {
                let multiples = self.quotient(quotient, size);
                let whole = self.computed("mul.lo.u32", &[multiples, Word::Constant(size)]);
                self.opaque_difference(quotient, whole)
            }
        } else {
            self.special(["%tid.x", "%tid.y", "%tid.z"][axis])
        };
        self.prologue_values.local_ids[axis] = Some(id);
        id
    }

    /// Quotient of a number below 32 and a constant divisor up to 32, as a product and a shift. The assembler cannot do this
    /// itself, since it does not know the bound.
    fn quotient(&mut self, number: Word, divisor: u32) -> Word {
        if divisor == 1 {
            return number;
        }
        // The factor exceeds 1024 / divisor by less than 1, so the result exceeds the exact quotient by less than 1/32. A
        // fraction with a divisor up to 32 lies at least 1/32 below the next integer.
        let product = self.computed("mul.lo.u32", &[number, Word::Constant(1024_u32.div_ceil(divisor))]);
        self.computed("shr.u32", &[product, Word::Constant(10)])
    }

    fn workgroup_id(&mut self, axis: usize) -> Word {
        if let Some(id) = self.prologue_values.workgroup_ids[axis] {
            return id;
        }
        let mut id = self.special(["%ctaid.x", "%ctaid.y", "%ctaid.z"][axis]);
        if axis == 0 && self.packing.groups != 1 {
            let group = self.group_of_block();
            id = self.computed("mad.lo.u32", &[id, Word::Constant(self.packing.groups), group]);
        }
        if self.may_be_split(axis) {
            let first = self.parameter(PtxParameter::FirstWorkgroup(axis));
            id = self.computed("add.u32", &[id, first]);
        }
        self.prologue_values.workgroup_ids[axis] = Some(id);
        id
    }

    /// Reports whether a grid may need several launches on an axis. A grid has at most 2^32 invocations on an axis.
    fn may_be_split(&self, axis: usize) -> bool {
        let per_block = u64::from(self.packing.size[axis]) * if axis == 0 { u64::from(self.packing.groups) } else { 1 };
        (1_u64 << 32).div_ceil(per_block) > MAX_BLOCKS[axis]
    }

    fn invocation_id(&mut self, axis: usize) -> Word {
        if let Some(id) = self.prologue_values.invocation_ids[axis] {
            return id;
        }
        let workgroup = self.workgroup_id(axis);
        let id = match self.packing.size[axis] {
            1 => workgroup,
            size => {
                let local = self.local_id(axis);
                self.computed("mad.lo.u32", &[workgroup, Word::Constant(size), local])
            }
        };
        self.prologue_values.invocation_ids[axis] = Some(id);
        id
    }
}
