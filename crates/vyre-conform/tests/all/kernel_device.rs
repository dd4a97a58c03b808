//! Tests of the kernel evaluator: strictness, the device interface, and agreement with the reference interpreter.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use vyre_conform::arbitrary::{arb_valid_program, config};
use vyre_conform::kernel_device::{KernelBackend, KernelDevice};
use vyre_conform::{Case, CaseError};
use vyre_ir::{AtomicOp, BufferAccess, Event, Expr, Name, OpTable, Program, ReduceOp, Specialization, Traversal, text};
use vyre_kernel::{
    Binary, BlockId, BufferId, Collective, Compare, Id, Kernel, Key, Op, Slot, Statement, Type, Unary, ValueId,
};
use vyre_runtime::{
    Backend, BindingError, Bindings, Buffer, CancelToken, Command, CommandList, Device, Error, Pipeline,
    PipelineOptions, ReferenceDevice, Resource, RunOptions, parse_contents,
};

fn device() -> KernelDevice {
    KernelBackend::new().device()
}

fn pipeline_with(device: &dyn Device, source: &str, options: &PipelineOptions) -> Result<Pipeline, Error> {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    device.create_pipeline(&valid, options)
}

fn pipeline(device: &dyn Device, source: &str) -> Pipeline {
    pipeline_with(device, source, &PipelineOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(device: &dyn Device, pipeline: &Pipeline, bindings: &Bindings, grid: [u32; 3]) -> Result<(), Error> {
    let mut commands = CommandList::new();
    commands.dispatch(pipeline, bindings, grid);
    device.run(&commands, &RunOptions::default()).map(|_| ())
}

fn words(device: &dyn Device, buffer: &Buffer) -> Vec<u32> {
    vyre_runtime::words(&device.read(buffer).unwrap_or_else(|error| panic!("{error}")))
}

fn buffer(device: &dyn Device, words: &[u32]) -> Buffer {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let buffer = device.create_buffer(bytes.len() as u64).expect("a working device");
    device.write(&buffer, 0, &bytes).expect("a working device");
    buffer
}

// Handwritten kernels. The buffers are `data` (4 words: 10, 11, 12, 13), `out` (4 words) and `shared` (4 words).

const DATA: usize = 0;
const OUT: usize = 1;
const SHARED: usize = 2;

fn memory(at: usize) -> BufferId {
    BufferId::from_position(at)
}

struct KernelBuilder {
    kernel: Kernel,
    block: BlockId,
}

impl KernelBuilder {
    fn push(&mut self, statement: Statement) {
        self.kernel.blocks[self.block].statements.push(statement);
    }

    fn compute(&mut self, op: Op) -> ValueId {
        let value = self.kernel.new_value(op);
        self.push(Statement::Let(value));
        value
    }

    fn word(&mut self, word: u32) -> ValueId {
        self.kernel.word(word)
    }

    fn local_id(&mut self) -> ValueId {
        self.kernel.leaf(Op::Id(Id::Local, 0))
    }

    fn is_invocation(&mut self, index: u32) -> ValueId {
        let (this, index) = (self.local_id(), self.word(index));
        self.compute(Op::Compare(Compare::Eq, this, index))
    }

    fn load(&mut self, buffer: usize, index: ValueId, guard: Option<ValueId>) -> ValueId {
        self.compute(Op::Load { buffer: memory(buffer), index, guard })
    }

    fn store(&mut self, buffer: usize, index: ValueId, value: ValueId, guard: Option<ValueId>) {
        self.push(Statement::Store { buffer: memory(buffer), index, value, guard });
    }

    /// Stores a word of each invocation.
    fn show(&mut self, value: ValueId) {
        let local = self.local_id();
        self.store(OUT, local, value, None);
    }

    /// Collects the statements of `fill` in a new block.
    fn nested(&mut self, fill: impl FnOnce(&mut KernelBuilder)) -> BlockId {
        let block = self.kernel.new_block();
        let outer = std::mem::replace(&mut self.block, block);
        fill(self);
        self.block = outer;
        block
    }

    fn when(&mut self, cond: ValueId, fill: impl FnOnce(&mut KernelBuilder)) {
        let (then, otherwise) = (self.nested(fill), self.kernel.new_block());
        self.push(Statement::If { cond, then, otherwise });
    }

    fn repeat(&mut self, from: ValueId, to: ValueId, fill: impl FnOnce(&mut KernelBuilder, ValueId)) {
        let variable = self.kernel.leaf(Op::LoopVariable);
        let body = self.nested(|builder| fill(builder, variable));
        self.push(Statement::Loop { variable, from, to, body });
    }
}

/// Runs a handwritten kernel with 4 invocations. Returns the contents of `out`.
fn evaluate(build: impl FnOnce(&mut KernelBuilder)) -> Result<Vec<u32>, Error> {
    let source = "workgroup_size 4; buffer data: read_write u32 @0; buffer out: read_write u32 @1; \
                  buffer shared: workgroup u32[4]; entry { }";
    let parsed = text::parse(source).expect("a program");
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).expect("a valid program");
    let kernel = Kernel::new([4, 1, 1], parsed.program.buffers.iter().cloned());
    let mut builder = KernelBuilder { block: kernel.entry, kernel };
    build(&mut builder);
    let device = device();
    let pipeline = device.pipeline_of(&valid, builder.kernel)?;
    let (data, out) = (buffer(&device, &[10, 11, 12, 13]), buffer(&device, &[0; 4]));
    run(&device, &pipeline, &Bindings::new().with(0, &data).with(1, &out), [1, 1, 1])?;
    Ok(words(&device, &out))
}

/// Asserts that a kernel faults, with this first line of the message.
#[track_caller]
fn assert_fault(expected: &str, build: impl FnOnce(&mut KernelBuilder)) {
    match evaluate(build) {
        Err(Error::Lower { cause }) => assert!(cause.to_string().lines().next() == Some(expected), "{cause}"),
        other => panic!("{other:?} where this was expected: {expected}"),
    }
}

#[test]
fn accesses_out_of_range_are_faults() {
    let load = "statement [1] of the kernel, workgroup [0, 0, 0]: invocation [3, 0, 0] accesses element 4 of `data`, \
                which has 4, with no guard";
    assert_fault(load, |builder| {
        let (local, one) = (builder.local_id(), builder.word(1));
        let next = builder.compute(Op::Binary(Binary::Add, local, one));
        builder.load(DATA, next, None);
    });
    let guarded = "statement [0] of the kernel, workgroup [0, 0, 0]: invocation [0, 0, 0] accesses element 7 of \
                   `data`, which has 4, with a guard that holds";
    assert_fault(guarded, |builder| {
        let (seven, holds) = (builder.word(7), builder.kernel.bool(true));
        builder.load(DATA, seven, Some(holds));
    });
    let store = "statement [1, 0] of the kernel, workgroup [0, 0, 0]: invocation [2, 0, 0] accesses element \
                 4294967295 of `out`, which has 4, with no guard";
    assert_fault(store, |builder| {
        let (far, cond) = (builder.word(u32::MAX), builder.is_invocation(2));
        builder.when(cond, |builder| builder.store(OUT, far, far, None));
    });
    let atomic = "statement [0] of the kernel, workgroup [0, 0, 0]: invocation [0, 0, 0] accesses element 4 of \
                  `data`, which has 4, with no guard";
    assert_fault(atomic, |builder| {
        let four = builder.word(4);
        let (buffer, value, expected) = (memory(DATA), Some(four), None);
        builder.compute(Op::Atomic { op: AtomicOp::Add, buffer, index: four, expected, value, guard: None });
    });
    let shared = "statement [0] of the kernel, workgroup [0, 0, 0]: invocation [0, 0, 0] accesses element 4 of \
                  `shared`, which has 4, with no guard";
    assert_fault(shared, |builder| {
        let four = builder.word(4);
        builder.load(SHARED, four, None);
    });
}

#[test]
fn guards_hold_accesses_back() {
    let loaded = evaluate(|builder| {
        let (local, two) = (builder.local_id(), builder.word(2));
        let guard = builder.compute(Op::Compare(Compare::Lt, local, two));
        let loaded = builder.load(DATA, local, Some(guard));
        builder.show(loaded);
        let far = builder.word(9);
        let never = builder.kernel.bool(false);
        builder.store(OUT, far, far, Some(never));
    });
    assert_eq!(loaded, Ok(vec![10, 11, 0, 0]));
    let updated = evaluate(|builder| {
        let (local, one, ten) = (builder.local_id(), builder.word(1), builder.word(10));
        let guard = builder.compute(Op::Compare(Compare::Le, local, one));
        let (op, buffer, value, expected) = (AtomicOp::Add, memory(DATA), Some(ten), None);
        let before = builder.compute(Op::Atomic { op, buffer, index: local, expected, value, guard: Some(guard) });
        let after = builder.load(DATA, local, None);
        let both = builder.compute(Op::Binary(Binary::Add, before, after));
        builder.show(both);
    });
    assert_eq!(updated, Ok(vec![30, 32, 12, 13]));
}

#[test]
fn operands_that_the_form_excludes_are_faults() {
    for (op, right) in [(Binary::Div, 0), (Binary::Mod, 0), (Binary::Shl, 32), (Binary::Shr, u32::MAX)] {
        let name = op.name();
        let expected =
            format!("statement [2] of the kernel, workgroup [0, 0, 0]: invocation [3, 0, 0] does {name} by {right}");
        let build = |builder: &mut KernelBuilder| {
            let (cond, right, one) = (builder.is_invocation(3), builder.word(right), builder.word(1));
            let right = builder.compute(Op::Select(cond, right, one));
            builder.compute(Op::Binary(op, one, right))
        };
        assert_fault(&expected, |builder| {
            build(builder);
        });
        // Inactive invocations do not count.
        let elsewhere = evaluate(|builder| {
            let (local, three) = (builder.local_id(), builder.word(3));
            let cond = builder.compute(Op::Compare(Compare::Lt, local, three));
            builder.when(cond, |builder| {
                let value = build(builder);
                builder.show(value);
            });
        });
        assert!(elsewhere.is_ok(), "{elsewhere:?}");
    }
}

#[test]
fn a_rendezvous_that_some_invocations_miss_is_a_fault() {
    let partly = |what: &str, place: &str, reached: u32, missing: u32| {
        format!(
            "statement {place} of the kernel, workgroup [0, 0, 0]: {what} is reached by {reached} of 4 invocations, \
             and invocation [{missing}, 0, 0] is not among them"
        )
    };
    assert_fault(&partly("a barrier", "[1, 0]", 1, 0), |builder| {
        let cond = builder.is_invocation(2);
        builder.when(cond, |builder| builder.push(Statement::Barrier));
    });
    // Returned invocations are missing too.
    assert_fault(&partly("a barrier", "[2]", 3, 1), |builder| {
        let cond = builder.is_invocation(1);
        builder.when(cond, |builder| builder.push(Statement::Return));
        builder.push(Statement::Barrier);
    });
    // So are those that left a loop, have fewer iterations, or have not reconverged.
    assert_fault(&partly("a barrier", "[0, 2]", 3, 3), |builder| {
        let (zero, two) = (builder.word(0), builder.word(2));
        builder.repeat(zero, two, |builder, _| {
            let cond = builder.is_invocation(3);
            builder.when(cond, |builder| builder.push(Statement::Break));
            builder.push(Statement::Barrier);
        });
    });
    assert_fault(&partly("a barrier", "[0, 0]", 3, 0), |builder| {
        let (zero, local) = (builder.word(0), builder.local_id());
        builder.repeat(zero, local, |builder, _| builder.push(Statement::Barrier));
    });
    assert_fault(&partly("a collective", "[1, 0]", 1, 1), |builder| {
        let (cond, one) = (builder.is_invocation(0), builder.word(1));
        builder.when(cond, |builder| {
            builder.compute(Op::Collective(Collective::Reduce(ReduceOp::Add, one)));
        });
    });
    let local = "statement [0] of the kernel, workgroup [0, 0, 0]: the lane of a broadcast is not the same for all \
                invocations";
    assert_fault(local, |builder| {
        let local = builder.local_id();
        builder.compute(Op::Collective(Collective::Broadcast(local, local)));
    });
}

#[test]
fn invocations_reconverge_after_loops_and_branches() {
    // Some invocations leave with a break, some at the end of the loop, and all reach the barrier.
    let found = evaluate(|builder| {
        let (zero, three, local) = (builder.word(0), builder.word(3), builder.local_id());
        let slot = builder.kernel.slots.push(Slot { name: "count".into(), ty: Type::U32 });
        builder.repeat(zero, three, |builder, iteration| {
            let cond = builder.compute(Op::Compare(Compare::Eq, iteration, local));
            builder.when(cond, |builder| builder.push(Statement::Break));
            let (count, one) = (builder.compute(Op::Get(slot)), builder.word(1));
            let value = builder.compute(Op::Binary(Binary::Add, count, one));
            builder.push(Statement::Set { slot, value });
        });
        builder.push(Statement::Barrier);
        let count = builder.compute(Op::Get(slot));
        let before = builder.compute(Op::Collective(Collective::ScanExclusive(ReduceOp::Add, count)));
        builder.show(before);
    });
    assert_eq!(found, Ok(vec![0, 0, 1, 3]));
}

#[test]
fn invalid_kernels_are_rejected() {
    let Err(Error::Lower { cause }) = evaluate(|builder| builder.push(Statement::Break)) else {
        panic!("a stray break");
    };
    let message = cause.to_string();
    assert!(message.starts_with("as given: statement [0] of the kernel: StrayBreak\nkernel 4, 1, 1\n"), "{message}");
    let source = "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = 1; }";
    let append = |statement: Statement| {
        let transform = move |kernel: &mut Kernel| {
            let entry = kernel.entry;
            kernel.blocks[entry].statements.push(statement);
        };
        let backend = KernelBackend::with_transform("append", Arc::new(transform));
        assert_eq!(backend.name(), "append");
        pipeline_with(&backend.device(), source, &PipelineOptions::default())
    };
    assert!(append(Statement::Return).is_ok());
    let Err(Error::Lower { cause }) = append(Statement::Break) else { panic!("a stray break") };
    let message = cause.to_string();
    assert!(message.starts_with("append: statement [2] of the kernel: StrayBreak\nkernel 1, 1, 1\n"), "{message}");
    // A kernel of another program.
    let replace = |size: [u32; 3], buffers: &'static [vyre_ir::BufferDecl]| {
        let transform = move |kernel: &mut Kernel| *kernel = Kernel::new(size, buffers.iter().cloned());
        let backend = KernelBackend::with_transform("replace", Arc::new(transform));
        pipeline_with(&backend.device(), source, &PipelineOptions::default())
    };
    assert!(matches!(replace([2, 1, 1], &[]), Err(Error::Lower { .. })));
    assert!(replace([1, 1, 1], &[]).is_ok());
    let other = vec![vyre_ir::BufferDecl::read_write("other", 0, vyre_ir::DataType::U32)];
    assert!(matches!(replace([1, 1, 1], other.leak()), Err(Error::Lower { .. })));
}

#[test]
fn a_transform_changes_what_is_evaluated() {
    let transform = |kernel: &mut Kernel| {
        for id in kernel.values.keys() {
            if let Op::Unary(Unary::Popcount, a) = kernel.op(id) {
                kernel.values[id].op = Op::Unary(Unary::Clz, a);
            }
        }
    };
    let device = KernelBackend::with_transform("wrong", Arc::new(transform)).device();
    let source = "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = popcount(data[0]); }";
    let data = buffer(&device, &[7]);
    assert_eq!(run(&device, &pipeline(&device, source), &Bindings::new().with(0, &data), [1, 1, 1]), Ok(()));
    assert_eq!(words(&device, &data), [29]);
}

// Device interface.

const COPY: &str = "workgroup_size 1; buffer from: read u32 @0; buffer to: read_write u32 @3; \
                    entry { to[workgroup_id.x] = from[workgroup_id.x] + 1; }";

#[test]
fn bindings_are_checked_before_anything_runs() {
    let device = device();
    let copy = pipeline(&device, COPY);
    let (a, b) = (buffer(&device, &[0, 0]), buffer(&device, &[0, 0]));
    let missing = Bindings::new().with(0, &a);
    let error = run(&device, &copy, &missing, [2, 1, 1]);
    assert_eq!(error, Err(BindingError::Missing { name: "to".into(), binding: 3 }.into()));
    let error = run(&device, &copy, &Bindings::new().with(0, &a).with(3, &b).with(7, &a), [2, 1, 1]);
    assert_eq!(error, Err(BindingError::Superfluous { binding: 7 }.into()));
    let aliased = run(&device, &copy, &Bindings::new().with(0, &a).with(3, &a), [2, 1, 1]);
    assert!(matches!(aliased, Err(Error::Binding(BindingError::Aliased { first: 0, second: 3, .. }))));
    let mut commands = CommandList::new();
    commands.dispatch(&copy, &Bindings::new().with(0, &a).with(3, &b), [2, 1, 1]);
    commands.dispatch(&copy, &missing, [2, 1, 1]);
    assert!(device.run(&commands, &RunOptions::default()).is_err());
    assert_eq!(words(&device, &b), [0, 0]);
    assert_eq!(run(&device, &copy, &Bindings::new().with(0, &a).with(3, &b), [2, 1, 1]), Ok(()));
    assert_eq!(words(&device, &b), [1, 1]);
}

#[test]
fn one_buffer_may_be_read_through_two_slots() {
    let device = device();
    let source = "workgroup_size 1; buffer a: read u32 @0; buffer b: uniform u32 @1; buffer c: read_write u32 @2; \
                  entry { c[0] = a[0] + b[0]; }";
    let (input, output) = (buffer(&device, &[21]), buffer(&device, &[0]));
    let bindings = Bindings::new().with(0, &input).with(1, &input).with(2, &output);
    assert_eq!(run(&device, &pipeline(&device, source), &bindings, [1, 1, 1]), Ok(()));
    assert_eq!(words(&device, &output), [42]);
}

#[test]
fn objects_of_other_devices_are_rejected() {
    let (here, there, reference) = (device(), device(), ReferenceDevice::new());
    let copy = pipeline(&here, COPY);
    let (a, b) = (buffer(&here, &[0]), buffer(&here, &[0]));
    for foreign in [&there as &dyn Device, &reference] {
        let c = buffer(foreign, &[0]);
        assert_eq!(foreign.read(&a), Err(Error::ForeignObject));
        assert_eq!(here.write(&c, 0, &[]), Err(Error::ForeignObject));
        let bindings = Bindings::new().with(0, &a).with(3, &c);
        assert_eq!(run(&here, &copy, &bindings, [1, 1, 1]), Err(Error::ForeignObject));
        let bindings = Bindings::new().with(0, &a).with(3, &b);
        let elsewhere = pipeline(foreign, COPY);
        assert_eq!(run(&here, &elsewhere, &bindings, [1, 1, 1]), Err(Error::ForeignObject));
        let mut commands = CommandList::new();
        commands.push(Command::Fill { buffer: a.clone(), offset: 0, length: 4, byte: 7 });
        commands.push(Command::Fill { buffer: c.clone(), offset: 0, length: 4, byte: 7 });
        assert_eq!(here.run(&commands, &RunOptions::default()).map(|_| ()), Err(Error::ForeignObject));
        assert_eq!(words(&here, &a), [0]);
    }
}

#[test]
fn programs_beyond_the_limits_are_rejected() {
    let device = device();
    let empty = pipeline(&device, "workgroup_size 1, 2, 1; entry { return; }");
    let error = run(&device, &empty, &Bindings::new(), [0, u32::MAX, 1]);
    let (resource, wanted) = (Resource::GridInvocations { axis: 1 }, 2 * u64::from(u32::MAX));
    assert_eq!(error, Err(Error::ResourceExceeded { resource, wanted, limit: 1 << 32 }));
    assert_eq!(run(&device, &empty, &Bindings::new(), [0, 1 << 31, u32::MAX]), Ok(()), "an empty grid runs nothing");
    let exceeded = |source: &str| match pipeline_with(&device, source, &PipelineOptions::default()) {
        Err(Error::ResourceExceeded { resource, .. }) => Some(resource),
        _ => None,
    };
    assert_eq!(exceeded("workgroup_size 4096, 4096, 1; entry { }"), Some(Resource::WorkgroupInvocations));
    let tile = "workgroup_size 1; buffer t: workgroup vec4u32[4294967295]; entry { }";
    assert_eq!(exceeded(tile), Some(Resource::WorkgroupBytes));
    let sums = format!("workgroup_size 65536; entry {{ let x = local_id.x{}; }}", " + local_id.y".repeat(5_000));
    assert_eq!(exceeded(&sums), Some(Resource::PendingValues));
    let limit = device.limits().buffer_bytes;
    let error = device.create_buffer(limit + 1).map(|_| ());
    assert_eq!(error, Err(Error::ResourceExceeded { resource: Resource::BufferBytes, wanted: limit + 1, limit }));
    let small = buffer(&device, &[0, 0]);
    assert_eq!(device.write(&small, 5, &[0; 4]), Err(Error::OutOfBuffer { end: 9, size: 8 }));
    assert!(matches!(device.write(&small, u64::MAX, &[0; 4]), Err(Error::OutOfBuffer { .. })));
    let mut options = RunOptions::default();
    options.check_races = true;
    assert_eq!(device.run(&CommandList::new(), &options).map(|_| ()), Err(Error::CannotCheckRaces));
}

#[test]
fn commands_run_in_order_without_the_host() {
    let device = device();
    let source =
        "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = data[0] * 2; data[1] = data[1] + 1; }";
    let double = pipeline(&device, source);
    let (data, copy) = (buffer(&device, &[0, 0]), buffer(&device, &[0, 0]));
    let mut body = CommandList::new();
    body.dispatch(&double, &Bindings::new().with(0, &data), [1, 1, 1]);
    let mut commands = CommandList::new();
    commands.push(Command::Fill { buffer: data.clone(), offset: 0, length: 1, byte: 3 });
    commands.push(Command::Timestamp);
    commands.push(Command::Repeat { count: 4, commands: body });
    commands.push(Command::Timestamp);
    let (source, target) = (data.clone(), copy.clone());
    commands.push(Command::Copy { source, source_offset: 0, target, target_offset: 4, length: 4 });
    let report = device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(words(&device, &data), [48, 4]);
    assert_eq!(words(&device, &copy), [0, 48]);
    assert_eq!(report.timestamps.len(), 2);
    assert!(report.timestamps.is_sorted());
}

#[test]
fn long_runs_can_be_cancelled_and_have_deadlines() {
    let device = device();
    assert!(device.limits().can_cancel);
    let data = buffer(&device, &[0]);
    let soon = || Some(Instant::now() + Duration::from_millis(20));
    let endless = [
        "entry { for i in 0..4294967295 { n[0] = i; } }",
        "entry { for i in 0..4294967295 { } }",
        "entry { for i in 0..4294967295 { for k in 0..4294967295 { n[0] = i; } } }",
    ];
    for entry in endless {
        let endless = pipeline(&device, &format!("workgroup_size 1; buffer n: read_write u32 @0; {entry}"));
        let mut commands = CommandList::new();
        commands.dispatch(&endless, &Bindings::new().with(0, &data), [1, 1, 1]);
        let mut options = RunOptions::default();
        options.deadline = soon();
        assert_eq!(device.run(&commands, &options).map(|_| ()), Err(Error::DeadlineExceeded));
        let token = CancelToken::default();
        let mut options = RunOptions::default();
        options.cancel = Some(token.clone());
        let result = std::thread::scope(|scope| {
            let running = scope.spawn(|| device.run(&commands, &options).map(|_| ()));
            std::thread::sleep(Duration::from_millis(20));
            token.cancel();
            running.join().expect("no panic")
        });
        assert_eq!(result, Err(Error::Cancelled));
    }
    // Workgroups that do nothing or clear memory, and empty repetitions.
    let mut options = RunOptions::default();
    for source in
        ["workgroup_size 1; entry { }", "workgroup_size 1; buffer s: workgroup u32[8000000]; entry { s[0] = 1; }"]
    {
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline(&device, source), &Bindings::new(), [u32::MAX, 1, 1]);
        options.deadline = soon();
        assert_eq!(device.run(&commands, &options).map(|_| ()), Err(Error::DeadlineExceeded));
    }
    let mut commands = CommandList::new();
    commands.push(Command::Repeat { count: u32::MAX, commands: CommandList::new() });
    options.deadline = soon();
    assert_eq!(device.run(&commands, &options).map(|_| ()), Err(Error::DeadlineExceeded));
}

// Agreement with the reference interpreter.

/// Asserts that a program leaves equal buffers on both devices.
#[track_caller]
fn assert_agreement(source: &str, grid: [u32; 3], contents: &[(&str, &[u32])], options: &PipelineOptions) {
    let case = Case {
        program: text::parse(source).unwrap_or_else(|error| panic!("{error}")).program,
        ops: OpTable::default(),
        grid,
        contents: contents
            .iter()
            .map(|(name, words)| (Name::from(*name), words.iter().flat_map(|word| word.to_le_bytes()).collect()))
            .collect(),
    };
    let outcome = |device: &dyn Device| {
        let outcome = case.run(device, options, &RunOptions::default());
        outcome.unwrap_or_else(|error| panic!("{}: {error}", device.name())).contents
    };
    let (found, expected) = (outcome(&device()), outcome(&ReferenceDevice::new()));
    assert!(found == expected, "{found:?}\ninstead of\n{expected:?}");
}

/// Programs of maximum size, on a small stack.
#[test]
fn the_largest_programs_are_evaluated() {
    let work = || {
        let numbers: Vec<u32> = (0..300).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
        let unit = "let a@ = src[i + @] * 3 + params[0]; let b@ = src[a@ % 97] - a@ / 5; b@ = b@ ^ a@; \
                    if b@ < len(dst) { dst[i] = a@ + 1; } else { b@ = src[b@ & 255] + 7; } \
                    dst[i] = b@ * a@ + src[b@]; b@ = a@ >> 3; dst[i] = b@ + dst[i]; ";
        let units: String = (0..1_500).map(|number| unit.replace('@', &number.to_string())).collect();
        let flat = format!(
            "workgroup_size 64; buffer src: read u32 @0; buffer params: read u32 @1; buffer dst: read_write u32 @2; \
             entry {{ let i = invocation_id.x; {units} }}"
        );
        let contents: [(&str, &[u32]); 3] = [("src", &numbers), ("params", &[7]), ("dst", &[0; 100])];
        assert_agreement(&flat, [2, 1, 1], &contents, &PipelineOptions::default());
        let head = "workgroup_size 64; buffer dst: read_write u32 @0; entry { let i = invocation_id.x; dst[i] = ";
        let left = format!("{head} i{}; }}", " + i * 3".repeat(24_000));
        assert_agreement(&left, [2, 1, 1], &[("dst", &[0; 100])], &PipelineOptions::default());
        let right = format!("{head}{}i{}; }}", "i - (3 ^ (".repeat(24_000), "))".repeat(24_000));
        assert_agreement(&right, [2, 1, 1], &[("dst", &[0; 100])], &PipelineOptions::default());
        let nested = format!("{head}1; {}dst[i] = dst[i] + 1;{} }}", "if i < 80 { ".repeat(64), "}".repeat(64));
        assert_agreement(&nested, [2, 1, 1], &[("dst", &[0; 100])], &PipelineOptions::default());
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).expect("a thread").join().expect("no overflow");
}

#[test]
fn workgroups_of_any_size_are_evaluated() {
    for size in ["1", "3", "63", "64", "65", "5, 7, 3", "128", "1000"] {
        let source = format!(
            "workgroup_size {size}; buffer out: read_write u32 @0; buffer s: workgroup u32[1024]; entry {{
                let local = local_id.x + 5 * (local_id.y + 7 * local_id.z);
                let at = local + 1000 * workgroup_id.x;
                let n = 0;
                for i in local % 5..local {{
                    if i > 70 {{ break; }}
                    if i % 3 == 1 {{ n = n + i * i; }} else {{ n = n ^ local; }}
                }}
                s[local] = n;
                barrier;
                let sum = scan_inclusive_add(s[local + 1]) + shuffle(local * 3, local + 1) + reduce_max(n);
                if local % 7 == 3 {{ return; }}
                out[at] = sum;
            }}"
        );
        assert_agreement(&source, [2, 1, 1], &[("out", &[9; 2000])], &PipelineOptions::default());
    }
}

#[test]
fn fixed_values_are_read_in_place_of_those_bound() {
    let source = "workgroup_size 4; buffer p: uniform u32 @0; buffer q: uniform vec2u32 @1; \
                  buffer t: uniform bool @2; buffer out: read_write u32 @3; \
                  entry { \
                    let i = invocation_id.x; \
                    let w = q[i]; let n = 0; \
                    if t[i] { n = 100; } \
                    if t[1] { n = n + 1000; } \
                    out[i] = p[0] + p[i] * 3 + p[p[i]] + w.x + q[1].y * 7 + n; \
                  }";
    let fixed = Specialization::default()
        .with(0, 0, 50)
        .with(0, 2, 1)
        .with_words(1, 1, &[600, 700])
        .with(2, 1, 5)
        .with(2, 3, 0);
    let contents: [(&str, &[u32]); 4] =
        [("p", &[1, 2, 3, 4]), ("q", &[10, 20, 30, 40, 50, 60]), ("t", &[1, 0, 2, 3]), ("out", &[0; 8])];
    for options in [PipelineOptions::default(), PipelineOptions::default().with_specialization(fixed)] {
        assert_agreement(source, [2, 1, 1], &contents, &options);
    }
    // A buffer without the fixed elements, and a value of a wrong size.
    let device = device();
    let options = PipelineOptions::default().with_specialization(Specialization::default().with(0, 3, 1));
    let source = "workgroup_size 1; buffer p: uniform u32 @0; entry { let x = p[0]; }";
    let fixed = pipeline_with(&device, source, &options).unwrap_or_else(|error| panic!("{error}"));
    let error = run(&device, &fixed, &Bindings::new().with(0, &buffer(&device, &[1])), [1, 1, 1]);
    assert!(matches!(error, Err(Error::Binding(BindingError::TooSmall { wanted: 16, .. }))), "{error:?}");
    let options = PipelineOptions::default().with_specialization(Specialization::default().with_words(0, 0, &[1, 2]));
    assert!(matches!(pipeline_with(&device, source, &options), Err(Error::Specialization(_))));
}

fn has_atomics(program: &Program) -> bool {
    Traversal::new(program)
        .any(|event| matches!(event, Event::Expr(Expr::Atomic { .. } | Expr::WorkgroupAtomic { .. })))
}

fn case_of(program: &Program) -> Case {
    let mut contents = BTreeMap::new();
    for decl in program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup) {
        // Sizes with partial elements, and contents with small and large numbers.
        let form = if decl.binding % 2 == 0 { "random: 7: 41" } else { "iota: 37" };
        contents.insert(decl.name.clone(), parse_contents(form, decl.element).unwrap_or_default());
    }
    Case { program: program.clone(), ops: OpTable::default(), grid: [2, 1, 1], contents }
}

proptest! {
    #![proptest_config(config(300))]

    /// Both devices give equal bytes if the order of invocations does not matter; otherwise there is no fault.
    #[test]
    fn generated_programs_give_the_same_bytes(program in arb_valid_program()) {
        prop_assume!(program.workgroup_invocations() <= 256);
        let case = case_of(&program);
        let mut options = RunOptions::default();
        options.deadline = Some(Instant::now() + Duration::from_secs(2));
        let found = match case.run(&device(), &PipelineOptions::default(), &options) {
            Err(CaseError::Device(Error::ResourceExceeded { .. } | Error::DeadlineExceeded)) => return Ok(()),
            Err(error) => panic!("{error}\n{program}"),
            Ok(outcome) => outcome,
        };
        options.check_races = true;
        options.deadline = Some(Instant::now() + Duration::from_secs(20));
        match case.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options) {
            Err(CaseError::Device(Error::ResourceExceeded { .. } | Error::DeadlineExceeded)) => {}
            Err(error) => panic!("{error}\n{program}"),
            Ok(expected) => {
                if expected.report.races.races.is_empty() && !has_atomics(&program) {
                    prop_assert_eq!(found.contents, expected.contents, "{}", program);
                }
            }
        }
    }
}
