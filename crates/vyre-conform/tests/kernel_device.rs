//! The evaluator of kernels: that it is strict, that it is a device like any other, and that it agrees with the reference
//! interpreter.

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

// Kernels made by hand. The buffers are `data` (4 words: 10, 11, 12, 13), `out` (4 words) and `shared` (4 words).

const DATA: usize = 0;
const OUT: usize = 1;
const SHARED: usize = 2;

fn memory(at: usize) -> BufferId {
    BufferId::from_position(at)
}

struct Hand {
    kernel: Kernel,
    block: BlockId,
}

impl Hand {
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

    fn lane(&mut self) -> ValueId {
        self.kernel.leaf(Op::Id(Id::Local, 0))
    }

    fn lane_is(&mut self, lane: u32) -> ValueId {
        let (this, lane) = (self.lane(), self.word(lane));
        self.compute(Op::Compare(Compare::Eq, this, lane))
    }

    fn load(&mut self, buffer: usize, index: ValueId, guard: Option<ValueId>) -> ValueId {
        self.compute(Op::Load { buffer: memory(buffer), index, guard })
    }

    fn store(&mut self, buffer: usize, index: ValueId, value: ValueId, guard: Option<ValueId>) {
        self.push(Statement::Store { buffer: memory(buffer), index, value, guard });
    }

    /// Stores a word of each lane.
    fn show(&mut self, value: ValueId) {
        let lane = self.lane();
        self.store(OUT, lane, value, None);
    }

    /// What `fill` adds goes into a block of its own.
    fn nested(&mut self, fill: impl FnOnce(&mut Hand)) -> BlockId {
        let block = self.kernel.new_block();
        let outer = std::mem::replace(&mut self.block, block);
        fill(self);
        self.block = outer;
        block
    }

    fn when(&mut self, cond: ValueId, fill: impl FnOnce(&mut Hand)) {
        let (then, otherwise) = (self.nested(fill), self.kernel.new_block());
        self.push(Statement::If { cond, then, otherwise });
    }

    fn repeat(&mut self, from: ValueId, to: ValueId, fill: impl FnOnce(&mut Hand, ValueId)) {
        let variable = self.kernel.leaf(Op::LoopVariable);
        let body = self.nested(|hand| fill(hand, variable));
        self.push(Statement::Loop { variable, from, to, body });
    }
}

/// Runs a kernel made by hand with 4 lanes and gives what is in `out`.
fn evaluate(build: impl FnOnce(&mut Hand)) -> Result<Vec<u32>, Error> {
    let source = "workgroup_size 4; buffer data: read_write u32 @0; buffer out: read_write u32 @1; \
                  buffer shared: workgroup u32[4]; entry { }";
    let parsed = text::parse(source).expect("a program");
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).expect("a valid program");
    let kernel = Kernel::new([4, 1, 1], parsed.program.buffers.iter().cloned());
    let mut hand = Hand { block: kernel.entry, kernel };
    build(&mut hand);
    let device = device();
    let pipeline = device.pipeline_of(&valid, hand.kernel)?;
    let (data, out) = (buffer(&device, &[10, 11, 12, 13]), buffer(&device, &[0; 4]));
    run(&device, &pipeline, &Bindings::new().with(0, &data).with(1, &out), [1, 1, 1])?;
    Ok(words(&device, &out))
}

/// A kernel does what its form excludes, and the first line of the message says so.
#[track_caller]
fn assert_fault(expected: &str, build: impl FnOnce(&mut Hand)) {
    match evaluate(build) {
        Err(Error::Lower { cause }) => assert!(cause.to_string().lines().next() == Some(expected), "{cause}"),
        other => panic!("{other:?} where this was expected: {expected}"),
    }
}

#[test]
fn accesses_out_of_range_are_faults() {
    let load = "statement [1] of the kernel, workgroup [0, 0, 0]: invocation [3, 0, 0] accesses element 4 of `data`, \
                which has 4, with no guard";
    assert_fault(load, |hand| {
        let (lane, one) = (hand.lane(), hand.word(1));
        let next = hand.compute(Op::Binary(Binary::Add, lane, one));
        hand.load(DATA, next, None);
    });
    let guarded = "statement [0] of the kernel, workgroup [0, 0, 0]: invocation [0, 0, 0] accesses element 7 of \
                   `data`, which has 4, with a guard that holds";
    assert_fault(guarded, |hand| {
        let (seven, holds) = (hand.word(7), hand.kernel.bool(true));
        hand.load(DATA, seven, Some(holds));
    });
    let store = "statement [1, 0] of the kernel, workgroup [0, 0, 0]: invocation [2, 0, 0] accesses element \
                 4294967295 of `out`, which has 4, with no guard";
    assert_fault(store, |hand| {
        let (far, cond) = (hand.word(u32::MAX), hand.lane_is(2));
        hand.when(cond, |hand| hand.store(OUT, far, far, None));
    });
    let atomic = "statement [0] of the kernel, workgroup [0, 0, 0]: invocation [0, 0, 0] accesses element 4 of \
                  `data`, which has 4, with no guard";
    assert_fault(atomic, |hand| {
        let four = hand.word(4);
        let (buffer, value, expected) = (memory(DATA), Some(four), None);
        hand.compute(Op::Atomic { op: AtomicOp::Add, buffer, index: four, expected, value, guard: None });
    });
    let shared = "statement [0] of the kernel, workgroup [0, 0, 0]: invocation [0, 0, 0] accesses element 4 of \
                  `shared`, which has 4, with no guard";
    assert_fault(shared, |hand| {
        let four = hand.word(4);
        hand.load(SHARED, four, None);
    });
}

#[test]
fn guards_hold_accesses_back() {
    let loaded = evaluate(|hand| {
        let (lane, two) = (hand.lane(), hand.word(2));
        let guard = hand.compute(Op::Compare(Compare::Lt, lane, two));
        let loaded = hand.load(DATA, lane, Some(guard));
        hand.show(loaded);
        let far = hand.word(9);
        let never = hand.kernel.bool(false);
        hand.store(OUT, far, far, Some(never));
    });
    assert_eq!(loaded, Ok(vec![10, 11, 0, 0]));
    let updated = evaluate(|hand| {
        let (lane, one, ten) = (hand.lane(), hand.word(1), hand.word(10));
        let guard = hand.compute(Op::Compare(Compare::Le, lane, one));
        let (op, buffer, value, expected) = (AtomicOp::Add, memory(DATA), Some(ten), None);
        let before = hand.compute(Op::Atomic { op, buffer, index: lane, expected, value, guard: Some(guard) });
        let after = hand.load(DATA, lane, None);
        let both = hand.compute(Op::Binary(Binary::Add, before, after));
        hand.show(both);
    });
    assert_eq!(updated, Ok(vec![30, 32, 12, 13]));
}

#[test]
fn operands_that_the_form_excludes_are_faults() {
    for (op, right) in [(Binary::Div, 0), (Binary::Mod, 0), (Binary::Shl, 32), (Binary::Shr, u32::MAX)] {
        let name = op.name();
        let expected =
            format!("statement [2] of the kernel, workgroup [0, 0, 0]: invocation [3, 0, 0] does {name} by {right}");
        let build = |hand: &mut Hand| {
            let (cond, right, one) = (hand.lane_is(3), hand.word(right), hand.word(1));
            let right = hand.compute(Op::Select(cond, right, one));
            hand.compute(Op::Binary(op, one, right))
        };
        assert_fault(&expected, |hand| {
            build(hand);
        });
        // An invocation that does not come by does not count.
        let elsewhere = evaluate(|hand| {
            let (lane, three) = (hand.lane(), hand.word(3));
            let cond = hand.compute(Op::Compare(Compare::Lt, lane, three));
            hand.when(cond, |hand| {
                let value = build(hand);
                hand.show(value);
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
    assert_fault(&partly("a barrier", "[1, 0]", 1, 0), |hand| {
        let cond = hand.lane_is(2);
        hand.when(cond, |hand| hand.push(Statement::Barrier));
    });
    // Invocations that have returned are missed, too.
    assert_fault(&partly("a barrier", "[2]", 3, 1), |hand| {
        let cond = hand.lane_is(1);
        hand.when(cond, |hand| hand.push(Statement::Return));
        hand.push(Statement::Barrier);
    });
    // So are those that have left a loop, or do fewer rounds, or are not yet back.
    assert_fault(&partly("a barrier", "[0, 2]", 3, 3), |hand| {
        let (zero, two) = (hand.word(0), hand.word(2));
        hand.repeat(zero, two, |hand, _| {
            let cond = hand.lane_is(3);
            hand.when(cond, |hand| hand.push(Statement::Break));
            hand.push(Statement::Barrier);
        });
    });
    assert_fault(&partly("a barrier", "[0, 0]", 3, 0), |hand| {
        let (zero, lane) = (hand.word(0), hand.lane());
        hand.repeat(zero, lane, |hand, _| hand.push(Statement::Barrier));
    });
    assert_fault(&partly("a collective", "[1, 0]", 1, 1), |hand| {
        let (cond, one) = (hand.lane_is(0), hand.word(1));
        hand.when(cond, |hand| {
            hand.compute(Op::Collective(Collective::Reduce(ReduceOp::Add, one)));
        });
    });
    let lane = "statement [0] of the kernel, workgroup [0, 0, 0]: the lane of a broadcast is not the same for all \
                invocations";
    assert_fault(lane, |hand| {
        let lane = hand.lane();
        hand.compute(Op::Collective(Collective::Broadcast(lane, lane)));
    });
}

#[test]
fn lanes_meet_again_after_loops_and_branches() {
    // Some lanes leave with a break, some at the end, and all of them reach the barrier.
    let found = evaluate(|hand| {
        let (zero, three, lane) = (hand.word(0), hand.word(3), hand.lane());
        let slot = hand.kernel.slots.push(Slot { name: "count".into(), ty: Type::U32 });
        hand.repeat(zero, three, |hand, round| {
            let cond = hand.compute(Op::Compare(Compare::Eq, round, lane));
            hand.when(cond, |hand| hand.push(Statement::Break));
            let (count, one) = (hand.compute(Op::Get(slot)), hand.word(1));
            let value = hand.compute(Op::Binary(Binary::Add, count, one));
            hand.push(Statement::Set { slot, value });
        });
        hand.push(Statement::Barrier);
        let count = hand.compute(Op::Get(slot));
        let before = hand.compute(Op::Collective(Collective::ScanExclusive(ReduceOp::Add, count)));
        hand.show(before);
    });
    assert_eq!(found, Ok(vec![0, 0, 1, 3]));
}

#[test]
fn kernels_that_break_the_rules_are_refused() {
    let Err(Error::Lower { cause }) = evaluate(|hand| hand.push(Statement::Break)) else {
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

// A device like any other.

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
fn objects_of_other_devices_are_refused() {
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
fn what_is_beyond_the_limits_is_refused() {
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
    // Workgroups that do nothing or clear memory, and repetitions of nothing.
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

/// What a program leaves in its buffers on both devices, which is the same.
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

/// Programs as large as they may be, on a small stack.
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
                let lane = local_id.x + 5 * (local_id.y + 7 * local_id.z);
                let at = lane + 1000 * workgroup_id.x;
                let n = 0;
                for i in lane % 5..lane {{
                    if i > 70 {{ break; }}
                    if i % 3 == 1 {{ n = n + i * i; }} else {{ n = n ^ lane; }}
                }}
                s[lane] = n;
                barrier;
                let sum = scan_inclusive_add(s[lane + 1]) + shuffle(lane * 3, lane + 1) + reduce_max(n);
                if lane % 7 == 3 {{ return; }}
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
    // A buffer without the elements that are fixed, and a value that does not fit.
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
    Traversal::new(program).any(|event| matches!(event, Event::Expr(Expr::Atomic { .. })))
}

fn case_of(program: &Program) -> Case {
    let mut contents = BTreeMap::new();
    for decl in program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup) {
        // Sizes that are no multiple of every element, and contents that are small numbers as often as large ones.
        let form = if decl.binding % 2 == 0 { "random: 7: 41" } else { "iota: 37" };
        contents.insert(decl.name.clone(), parse_contents(form, decl.element).unwrap_or_default());
    }
    Case { program: program.clone(), ops: OpTable::default(), grid: [2, 1, 1], contents }
}

proptest! {
    #![proptest_config(config(300))]

    /// Where the order of invocations does not matter, both devices give the same bytes; elsewhere there is no fault.
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
