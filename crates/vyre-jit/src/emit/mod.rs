//! Code generation: from a kernel and its plan to Cranelift's IR.
//!
//! The generated function runs consecutive workgroups along the x axis:
//! `(context, first x, end of x, y, z) -> cancelled`. A value takes one to four words in registers; a bool is a byte there.
//!
//! | Module | Code for |
//! |---|---|
//! | `workgroup_steps`, `collective` | steps that run once per workgroup |
//! | `invocation_loop` | regions: loops over scanlines, SIMD groups and invocations |
//! | `scalar_statements`, `scalar_ops`, `loops` | one invocation |
//! | `simd_control`, `simd_values`, `simd_access`, `simd_ops` | a SIMD group |
//! | `buffers`, `slots`, `arrays` | memory and variables |

mod arrays;
mod buffers;
mod collective;
mod invocation_loop;
mod loops;
mod scalar_ops;
mod scalar_statements;
mod simd_access;
mod simd_control;
mod simd_ops;
mod simd_values;
mod slots;
mod workgroup_steps;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AbiParam, Block, InstBuilder, MemFlagsData, Signature, Type as IrType, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use vyre_ir::BufferAccess;
use vyre_kernel::{Kernel, Type, ValueId};

use crate::context::offset;
use crate::plan::Plan;
use crate::vectorize::SimdPlan;
use crate::work_estimate;

/// Words of a value. Words beyond its type repeat the first one.
type Words = [ir::Value; 4];

/// A value that differs between the lanes of a SIMD group.
#[derive(Clone, Copy)]
enum SimdValue {
    /// The word of the first lane. Each lane has one more than the lane before.
    Consecutive(ir::Value),
    /// A vector for each word. A bool is all ones or zero in its lane.
    Varying(Words),
}

/// Memory flags of accesses that are aligned and cannot trap.
fn aligned() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Type of each word of a value.
fn word_type(ty: Type) -> IrType {
    match ty {
        Type::Bool => types::I8,
        Type::U32 | Type::Vec2 | Type::Vec4 => types::I32,
    }
}

/// Layout of workgroup memory.
pub(crate) struct WorkgroupMemory {
    /// Byte offsets by buffer; `None` for buffers that are bound.
    pub(crate) offsets: Vec<Option<u32>>,
    pub(crate) bytes: u32,
}

impl WorkgroupMemory {
    pub(crate) fn of(kernel: &Kernel) -> WorkgroupMemory {
        let mut memory = WorkgroupMemory { offsets: Vec::new(), bytes: 0 };
        for (_, buffer) in kernel.buffers.iter() {
            if buffer.access != BufferAccess::Workgroup {
                memory.offsets.push(None);
                continue;
            }
            memory.offsets.push(Some(memory.bytes));
            let bytes = u64::from(buffer.count) * buffer.element.element_bytes() as u64;
            // The device checks limits before it compiles.
            let bytes = u32::try_from(bytes.next_multiple_of(16)).unwrap_or(u32::MAX);
            memory.bytes = memory.bytes.saturating_add(bytes);
        }
        memory
    }
}

/// Adds the parameters and results of the generated function to a signature.
pub(crate) fn signature(mut signature: Signature) -> Signature {
    signature.params.push(AbiParam::new(types::I64));
    for _ in 0..4 {
        signature.params.push(AbiParam::new(types::I32));
    }
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// State of code generation.
pub(crate) struct Emitter<'e, 'f> {
    builder: &'e mut FunctionBuilder<'f>,
    kernel: &'e Kernel,
    plan: &'e Plan,
    /// By block: its estimated operations.
    work: Vec<u64>,
    /// By value: its words, if they are in registers.
    words: Vec<Option<Words>>,
    /// By value: its representation in the SIMD group that runs, unless it is uniform there.
    simd_values: Vec<Option<SimdValue>>,
    /// By slot: its variables, if it is in registers.
    variables: Vec<Option<[Variable; 4]>>,
    /// By slot: its vector variables.
    vector_variables: Vec<Option<[Variable; 4]>>,
    /// By value: the number of the SIMD group whose code computed it last.
    computed_in_group: Vec<u32>,
    /// Number of SIMD groups for which code is emitted so far.
    emitted_groups: u32,
    /// The SIMD plan of the region that is emitted.
    simd_plan: Option<&'e SimdPlan>,
    /// Constant pool of the function.
    constants: Vec<u32>,
    /// True if the region that is emitted loads constants from the pool.
    loads_constants: bool,
    /// Guards that hold in all iterations of the loop that is emitted.
    hoisted_guards: Vec<ValueId>,
    /// True if the invocation that runs is active. `None` outside of diverged groups.
    is_active: Option<ir::Value>,
    /// By buffer: its address and length if they are in registers, and its offset in the buffer table.
    addresses: Vec<Option<ir::Value>>,
    lengths: Vec<Option<ir::Value>>,
    table_offsets: Vec<i32>,
    buffer_table: ir::Value,
    context: ir::Value,
    scratch: ir::Value,
    cancel: ir::Value,
    grid: [ir::Value; 3],
    /// Ids of the workgroup that runs.
    workgroup: [ir::Value; 3],
    invocation: Invocation,
    /// Number of invocations of a workgroup.
    invocations: u32,
    /// Target of cancelled runs.
    cancelled: Block,
    /// Target of returns within a region.
    invocation_end: Block,
    /// Target of returns of the workgroup.
    workgroup_end: Block,
    /// Targets of breaks, innermost last.
    exits: Vec<Block>,
}

/// The invocation that runs, or the first one of the SIMD group that runs.
#[derive(Clone, Copy)]
struct Invocation {
    /// Index in the workgroup.
    index: ir::Value,
    /// Local ids.
    ids: [ir::Value; 3],
    /// Local id of the first axis, in 64 bits.
    x64: ir::Value,
}

impl<'e, 'f> Emitter<'e, 'f> {
    /// Emits the whole function and returns its constant pool.
    pub(crate) fn function(
        builder: &'e mut FunctionBuilder<'f>,
        kernel: &'e Kernel,
        plan: &'e Plan,
        workgroup_memory: &WorkgroupMemory,
    ) -> Vec<u32> {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let &[context, first, end, y, z] = builder.block_params(entry) else { return Vec::new() };
        let scratch = builder.ins().load(types::I64, aligned().with_readonly(), context, offset::SCRATCH);
        let cancel = builder.ins().load(types::I64, aligned().with_readonly(), context, offset::CANCEL);
        let mut grid = [context; 3];
        for (axis, grid) in grid.iter_mut().enumerate() {
            *grid = builder.ins().load(types::I32, aligned().with_readonly(), context, offset::GRID + 4 * axis as i32);
        }
        let zero = builder.ins().iconst(types::I32, 0);
        let zero64 = builder.ins().iconst(types::I64, 0);
        let (cancelled, workgroup_end) = (builder.create_block(), builder.create_block());
        let invocations = kernel.workgroup_size.iter().product();
        let mut emitter = Emitter {
            builder,
            kernel,
            plan,
            work: work_estimate::of_blocks(kernel),
            words: vec![None; kernel.values.len()],
            simd_values: vec![None; kernel.values.len()],
            variables: vec![None; kernel.slots.len()],
            vector_variables: vec![None; kernel.slots.len()],
            computed_in_group: vec![0; kernel.values.len()],
            emitted_groups: 0,
            simd_plan: None,
            constants: Vec::new(),
            loads_constants: false,
            hoisted_guards: Vec::new(),
            is_active: None,
            addresses: vec![None; kernel.buffers.len()],
            lengths: vec![None; kernel.buffers.len()],
            table_offsets: vec![0; kernel.buffers.len()],
            buffer_table: context,
            context,
            scratch,
            cancel,
            grid,
            workgroup: [zero, y, z],
            invocation: Invocation { index: zero, ids: [zero; 3], x64: zero64 },
            invocations,
            cancelled,
            invocation_end: workgroup_end,
            workgroup_end,
            exits: Vec::new(),
        };
        emitter.builder.set_cold_block(cancelled);
        emitter.load_buffers(workgroup_memory);
        emitter.declare_slots();
        emitter.workgroups(first, end, workgroup_memory);
        emitter.constants
    }

    /// Emits the loop over workgroups.
    fn workgroups(&mut self, first: ir::Value, end: ir::Value, workgroup_memory: &WorkgroupMemory) {
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
        self.poll_cancellation();
        self.clear_workgroup(workgroup_memory);
        self.clear_shared_slots();
        let plan = self.plan;
        self.steps(&plan.steps);
        let workgroup_end = self.workgroup_end;
        if !workgroup_steps::ends_in_exit(&plan.steps) {
            self.jump(workgroup_end);
        }

        self.builder.switch_to_block(workgroup_end);
        self.builder.seal_block(workgroup_end);
        let next = self.builder.ins().iadd_imm_u(x, 1);
        self.builder.ins().jump(header, &[next.into()]);
        self.builder.seal_block(header);

        self.builder.switch_to_block(done);
        self.builder.seal_block(done);
        let ok = self.builder.ins().iconst(types::I32, 0);
        self.builder.ins().return_(&[ok]);
        let cancelled = self.cancelled;
        self.builder.switch_to_block(cancelled);
        self.builder.seal_block(cancelled);
        let result = self.builder.ins().iconst(types::I32, 1);
        self.builder.ins().return_(&[result]);
    }

    fn jump(&mut self, target: Block) {
        self.builder.ins().jump(target, &[]);
    }

    /// Leaves the function if the run is cancelled.
    fn poll_cancellation(&mut self) {
        // Another thread writes this byte. Cranelift would hoist a plain load out of a loop without stores.
        let flag = self.builder.ins().atomic_load(types::I8, aligned(), self.cancel);
        let proceed = self.builder.create_block();
        let cancelled = self.cancelled;
        self.builder.ins().brif(flag, cancelled, &[], proceed, &[]);
        self.builder.switch_to_block(proceed);
        self.builder.seal_block(proceed);
    }

    /// Polls before a step of all invocations, if there are many.
    fn poll_if_many_invocations(&mut self) {
        const MAX_UNPOLLED_INVOCATIONS: u32 = 256;
        if self.invocations > MAX_UNPOLLED_INVOCATIONS {
            self.poll_cancellation();
        }
    }
}
