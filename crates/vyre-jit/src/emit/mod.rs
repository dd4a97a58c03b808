//! From a kernel and its plan to Cranelift's form.
//!
//! One function runs a row of workgroups, one after the other: `(context, first x, end of x, y, z) -> stopped`. Values are
//! one to four words in registers; truth values are bytes.

mod collective;
mod group;
mod lanes;
mod loops;
mod memory;
mod value;
mod vector;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AbiParam, Block, InstBuilder, MemFlagsData, Signature, Type as IrType, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use vyre_ir::BufferAccess;
use vyre_kernel::{BlockId, Kernel, Key, Op, Statement, Type, ValueId};

use crate::context::offset;
use crate::plan::{Place, Plan, Step, words};
use crate::vector::Groups;
use crate::work;
use group::Wide;
use loops::Rounds;

/// The words of a value; those beyond its type repeat the first.
type Words = [ir::Value; 4];

/// Loads and stores of memory that is there and aligned.
pub(crate) fn plain() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// The type that each word of a value has.
fn word_type(ty: Type) -> IrType {
    match ty {
        Type::Bool => types::I8,
        Type::U32 | Type::Vec2 | Type::Vec4 => types::I32,
    }
}

/// Where memory of workgroups lies, by buffer, and how much there is.
pub(crate) struct WorkgroupLayout {
    pub(crate) offsets: Vec<Option<u32>>,
    pub(crate) bytes: u32,
}

impl WorkgroupLayout {
    pub(crate) fn of(kernel: &Kernel) -> WorkgroupLayout {
        let mut layout = WorkgroupLayout { offsets: Vec::new(), bytes: 0 };
        for (_, buffer) in kernel.buffers.iter() {
            if buffer.access != BufferAccess::Workgroup {
                layout.offsets.push(None);
                continue;
            }
            layout.offsets.push(Some(layout.bytes));
            let bytes = u64::from(buffer.count) * buffer.element.element_bytes() as u64;
            // Limits are checked before anything is compiled.
            let bytes = u32::try_from(bytes.next_multiple_of(16)).unwrap_or(u32::MAX);
            layout.bytes = layout.bytes.saturating_add(bytes);
        }
        layout
    }
}

/// The signature of the function.
pub(crate) fn signature(mut signature: Signature) -> Signature {
    signature.params.push(AbiParam::new(types::I64));
    for _ in 0..4 {
        signature.params.push(AbiParam::new(types::I32));
    }
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// Everything that code is emitted with.
pub(crate) struct Emitter<'e, 'f> {
    builder: &'e mut FunctionBuilder<'f>,
    kernel: &'e Kernel,
    plan: &'e Plan,
    /// By block: the operations that it takes.
    work: Vec<u64>,
    /// By value: its words, where they are in registers.
    words: Vec<Option<Words>>,
    /// By value: how the group that runs has it, where it is not the same for all of its lanes.
    wide: Vec<Option<Wide>>,
    /// By slot: its variables, where it is in registers.
    variables: Vec<Option<[Variable; 4]>>,
    /// By slot: its variables that hold vectors.
    vector_variables: Vec<Option<[Variable; 4]>>,
    /// By value: the group that has computed it, counted as they are emitted.
    computed_in: Vec<u32>,
    group_number: u32,
    /// The groups of the region that is emitted.
    groups: Option<&'e Groups>,
    /// Words that code loads, and whether the region that is emitted does so.
    constants: Vec<u32>,
    loads_constants: bool,
    /// Guards that hold in all rounds of the loop that is emitted.
    held: Vec<ValueId>,
    /// Whether the lane that runs takes part, where a group has parted.
    lane_mask: Option<ir::Value>,
    /// By buffer: its address and length, if they are at hand, and where in the table they are.
    addresses: Vec<Option<ir::Value>>,
    lengths: Vec<Option<ir::Value>>,
    entries: Vec<i32>,
    table: ir::Value,
    context: ir::Value,
    arrays: ir::Value,
    cancel: ir::Value,
    grid: [ir::Value; 3],
    /// The ids of the workgroup and of the lane that runs.
    workgroup: [ir::Value; 3],
    lane: Lane,
    lanes: u32,
    /// Where a run that is cancelled goes.
    stopped: Block,
    /// Where a lane that returns goes, within a region.
    lane_end: Block,
    /// Where the workgroup goes when it returns.
    workgroup_end: Block,
    /// Where a break goes: of the loops around the current place, innermost last.
    exits: Vec<Block>,
}

/// The lane that runs.
#[derive(Clone, Copy)]
struct Lane {
    /// Its number, and its position on each axis.
    index: ir::Value,
    ids: [ir::Value; 3],
    /// Its position on the first axis, in 64 bits.
    wide_x: ir::Value,
}

impl<'e, 'f> Emitter<'e, 'f> {
    /// Emits the whole function and gives the words that it refers to.
    pub(crate) fn function(
        builder: &'e mut FunctionBuilder<'f>,
        kernel: &'e Kernel,
        plan: &'e Plan,
        layout: &WorkgroupLayout,
    ) -> Vec<u32> {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let &[context, first, end, y, z] = builder.block_params(entry) else { return Vec::new() };
        let arrays = builder.ins().load(types::I64, plain().with_readonly(), context, offset::ARRAYS);
        let cancel = builder.ins().load(types::I64, plain().with_readonly(), context, offset::CANCEL);
        let mut grid = [context; 3];
        for (axis, grid) in grid.iter_mut().enumerate() {
            *grid = builder.ins().load(types::I32, plain().with_readonly(), context, offset::GRID + 4 * axis as i32);
        }
        let zero = builder.ins().iconst(types::I32, 0);
        let wide_zero = builder.ins().iconst(types::I64, 0);
        let (stopped, workgroup_end) = (builder.create_block(), builder.create_block());
        let lanes = kernel.workgroup_size.iter().product();
        let mut emitter = Emitter {
            builder,
            kernel,
            plan,
            work: work::of_blocks(kernel),
            words: vec![None; kernel.values.len()],
            wide: vec![None; kernel.values.len()],
            variables: vec![None; kernel.slots.len()],
            vector_variables: vec![None; kernel.slots.len()],
            computed_in: vec![0; kernel.values.len()],
            group_number: 0,
            groups: None,
            constants: Vec::new(),
            loads_constants: false,
            held: Vec::new(),
            lane_mask: None,
            addresses: vec![None; kernel.buffers.len()],
            lengths: vec![None; kernel.buffers.len()],
            entries: vec![0; kernel.buffers.len()],
            table: context,
            context,
            arrays,
            cancel,
            grid,
            workgroup: [zero, y, z],
            lane: Lane { index: zero, ids: [zero; 3], wide_x: wide_zero },
            lanes,
            stopped,
            lane_end: workgroup_end,
            workgroup_end,
            exits: Vec::new(),
        };
        emitter.builder.set_cold_block(stopped);
        emitter.load_buffers(layout);
        emitter.declare_slots();
        emitter.workgroups(first, end, layout);
        emitter.constants
    }

    /// The loop over workgroups.
    fn workgroups(&mut self, first: ir::Value, end: ir::Value, layout: &WorkgroupLayout) {
        let (header, body, done) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let x = self.builder.append_block_param(header, types::I32);
        self.builder.ins().jump(header, &[first.into()]);
        self.builder.switch_to_block(header);
        let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, x, end);
        self.builder.ins().brif(more, body, &[], done, &[]);

        self.builder.switch_to_block(body);
        self.builder.seal_block(body);
        self.workgroup[0] = x;
        self.check_cancelled();
        self.clear_workgroup(layout);
        self.clear_shared_slots();
        let plan = self.plan;
        self.steps(&plan.steps);
        let workgroup_end = self.workgroup_end;
        self.jump(workgroup_end);

        self.builder.switch_to_block(workgroup_end);
        self.builder.seal_block(workgroup_end);
        let next = self.builder.ins().iadd_imm_u(x, 1);
        self.builder.ins().jump(header, &[next.into()]);
        self.builder.seal_block(header);

        self.builder.switch_to_block(done);
        self.builder.seal_block(done);
        let ok = self.builder.ins().iconst(types::I32, 0);
        self.builder.ins().return_(&[ok]);
        let stopped = self.stopped;
        self.builder.switch_to_block(stopped);
        self.builder.seal_block(stopped);
        let cancelled = self.builder.ins().iconst(types::I32, 1);
        self.builder.ins().return_(&[cancelled]);
    }

    fn jump(&mut self, target: Block) {
        self.builder.ins().jump(target, &[]);
    }

    /// Leaves the function if the run is to end.
    fn check_cancelled(&mut self) {
        // Another thread writes this byte. A plain load would be done once for all rounds of a loop without stores.
        let flag = self.builder.ins().atomic_load(types::I8, plain(), self.cancel);
        let go_on = self.builder.create_block();
        let stopped = self.stopped;
        self.builder.ins().brif(flag, stopped, &[], go_on, &[]);
        self.builder.switch_to_block(go_on);
        self.builder.seal_block(go_on);
    }

    /// The same before something that all lanes do, if they are many.
    fn check_if_many_lanes(&mut self) {
        const FEW: u32 = 256;
        if self.lanes > FEW {
            self.check_cancelled();
        }
    }

    /// Variables for slots that are in registers.
    fn declare_slots(&mut self) {
        for (slot, entry) in self.kernel.slots.iter() {
            if !matches!(self.plan.slots[slot.position()], Place::Lane | Place::Workgroup) {
                continue;
            }
            let ty = word_type(entry.ty);
            let zero = self.builder.ins().iconst(ty, 0);
            let first = self.builder.declare_var(ty);
            let mut variables = [first; 4];
            for variable in variables.iter_mut().take(words(entry.ty) as usize).skip(1) {
                *variable = self.builder.declare_var(ty);
            }
            for &variable in variables.iter().take(words(entry.ty) as usize) {
                self.builder.def_var(variable, zero);
            }
            self.variables[slot.position()] = Some(variables);
        }
    }

    /// Slots that the workgroup has one of start as zero, whatever the workgroup before has put into them.
    fn clear_shared_slots(&mut self) {
        for slot in self.kernel.slots.keys() {
            if let Place::Workgroup | Place::Memory { shared: true, .. } = self.plan.slots[slot.position()] {
                self.clear_slot(slot);
            }
        }
    }

    /// What the workgroup does as a whole.
    fn steps(&mut self, steps: &'e [Step]) {
        for step in steps {
            match step {
                Step::Compute(value) => self.compute(*value),
                Step::Collective(value) => {
                    self.check_if_many_lanes();
                    self.collective(*value);
                }
                Step::Set { slot, value } => self.set(*slot, *value),
                Step::Region(region) => {
                    self.check_if_many_lanes();
                    self.region(region);
                }
                Step::If { cond, then, otherwise } => {
                    let cond = self.workgroup_word(*cond);
                    let blocks = [(); 3].map(|()| self.builder.create_block());
                    let [then_block, otherwise_block, after] = blocks;
                    self.builder.ins().brif(cond, then_block, &[], otherwise_block, &[]);
                    for (block, steps) in [(then_block, then), (otherwise_block, otherwise)] {
                        self.builder.switch_to_block(block);
                        self.builder.seal_block(block);
                        self.steps(steps);
                        if !ends_in_exit(steps) {
                            self.jump(after);
                        }
                    }
                    self.builder.switch_to_block(after);
                    self.builder.seal_block(after);
                }
                Step::Loop { variable, from, to, body } => {
                    let bounds = (self.workgroup_word(*from), self.workgroup_word(*to));
                    self.counted_loop(*variable, bounds, &Rounds::watched(), &mut |emitter| {
                        emitter.steps(body);
                        !ends_in_exit(body)
                    });
                }
                Step::Break => {
                    if let Some(&exit) = self.exits.last() {
                        self.jump(exit);
                    }
                }
                Step::Return => {
                    let end = self.workgroup_end;
                    self.jump(end);
                }
            }
        }
    }

    /// A word that all lanes agree on, for the workgroup as a whole.
    fn workgroup_word(&mut self, value: ValueId) -> ir::Value {
        match self.plan.values[value.position()] {
            Place::Array { offset } => {
                let ty = word_type(self.kernel.ty(value));
                let first = self.builder.ins().iconst(types::I32, 0);
                self.load_array(offset, 0, ty, first)
            }
            Place::Lane | Place::Workgroup | Place::Memory { .. } => self.operand(value)[0],
        }
    }

    /// Emits statements of a lane and tells whether the last one leaves the block. Blocks nest to a fixed depth.
    fn statements(&mut self, statements: &[Statement]) -> bool {
        for &statement in statements {
            match statement {
                Statement::Let(value) => self.compute(value),
                Statement::Set { slot, value } => self.set(slot, value),
                Statement::Store { buffer, index, value, guard } => self.store(buffer, index, value, guard),
                Statement::If { cond, then, otherwise } => self.branch(cond, then, otherwise),
                Statement::Loop { variable, from, to, body } => {
                    let rounds = self.rounds((variable, from, to), body, |_, _| true);
                    let bounds = (self.operand(from)[0], self.operand(to)[0]);
                    let kernel = self.kernel;
                    self.counted_loop(variable, bounds, &rounds, &mut |emitter| {
                        !emitter.statements(&kernel.blocks[body].statements)
                    });
                }
                Statement::Block { body } => {
                    let kernel = self.kernel;
                    self.once(|emitter| !emitter.statements(&kernel.blocks[body].statements));
                }
                Statement::Break => {
                    if let Some(&exit) = self.exits.last() {
                        self.jump(exit);
                    }
                    return true;
                }
                Statement::Return => {
                    if self.plan.tracks_returns {
                        self.note_returned();
                    }
                    let end = self.lane_end;
                    self.jump(end);
                    return true;
                }
                // Lanes meet between regions.
                Statement::Barrier => {}
            }
        }
        false
    }

    fn branch(&mut self, cond: ValueId, then: BlockId, otherwise: BlockId) {
        let cond = self.operand(cond)[0];
        let kernel = self.kernel;
        let (then_block, after) = (self.builder.create_block(), self.builder.create_block());
        let has_otherwise = !kernel.blocks[otherwise].statements.is_empty();
        let otherwise_block = if has_otherwise { self.builder.create_block() } else { after };
        self.builder.ins().brif(cond, then_block, &[], otherwise_block, &[]);
        for (block, id) in [(then_block, then), (otherwise_block, otherwise)] {
            if block == after {
                continue;
            }
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            if !self.statements(&kernel.blocks[id].statements) {
                self.jump(after);
            }
        }
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    /// Whether a value has to be loaded from its array, and where it is.
    fn array_of(&self, value: ValueId) -> Option<u32> {
        match self.plan.values[value.position()] {
            Place::Array { offset } if self.kernel.op(value) != Op::LoopVariable => Some(offset),
            _ => None,
        }
    }
}

fn ends_in_exit(steps: &[Step]) -> bool {
    matches!(steps.last(), Some(Step::Break | Step::Return))
}
