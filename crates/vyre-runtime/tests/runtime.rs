//! Buffers, bindings, commands, limits, cancellation and conventions, on the reference device.

use std::time::{Duration, Instant};

use vyre_ir::{Convention, OpTable, text};
use vyre_runtime::{
    BindingError, Bindings, Buffer, CancelToken, Command, CommandList, Device, Error, Limits, Pipeline,
    PipelineOptions, ReferenceDevice, Resource, RunOptions,
};

fn pipeline_with(device: &ReferenceDevice, source: &str, options: &PipelineOptions) -> Result<Pipeline, Error> {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    device.create_pipeline(&valid, options)
}

fn pipeline(device: &ReferenceDevice, source: &str) -> Pipeline {
    pipeline_with(device, source, &PipelineOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(device: &ReferenceDevice, pipeline: &Pipeline, bindings: &Bindings, grid: [u32; 3]) -> Result<(), Error> {
    let mut commands = CommandList::new();
    commands.dispatch(pipeline, bindings, grid);
    device.run(&commands, &RunOptions::default()).map(|_| ())
}

fn words(device: &ReferenceDevice, buffer: &Buffer) -> Vec<u32> {
    vyre_runtime::words(&device.read(buffer).unwrap_or_else(|error| panic!("{error}")))
}

const COPY: &str = "workgroup_size 1; buffer from: read u32 @0; buffer to: read_write u32 @3; \
                    entry { to[workgroup_id.x] = from[workgroup_id.x] + 1; }";

#[test]
fn bindings_are_checked_before_anything_runs() {
    let device = ReferenceDevice::new();
    let copy = pipeline(&device, COPY);
    let buffer = |bytes| device.create_buffer(bytes).unwrap_or_else(|error| panic!("{error}"));
    let (a, b) = (buffer(8), buffer(8));
    let missing = Bindings::new().with(0, &a);
    let error = run(&device, &copy, &missing, [2, 1, 1]);
    assert_eq!(error, Err(BindingError::Missing { name: "to".into(), binding: 3 }.into()));
    let superfluous = Bindings::new().with(0, &a).with(3, &b).with(7, &a);
    let error = run(&device, &copy, &superfluous, [2, 1, 1]);
    assert_eq!(error, Err(BindingError::Superfluous { binding: 7 }.into()));
    let aliased = Bindings::new().with(0, &a).with(3, &a);
    assert!(matches!(
        run(&device, &copy, &aliased, [2, 1, 1]),
        Err(Error::Binding(BindingError::Aliased { first: 0, second: 3, .. }))
    ));
    // An invalid command keeps earlier commands of the list from running.
    let mut commands = CommandList::new();
    commands.dispatch(&copy, &Bindings::new().with(0, &a).with(3, &b), [2, 1, 1]);
    commands.dispatch(&copy, &missing, [2, 1, 1]);
    assert!(device.run(&commands, &RunOptions::default()).is_err());
    assert_eq!(words(&device, &b), [0, 0]);
    // The device remains usable.
    assert_eq!(run(&device, &copy, &Bindings::new().with(0, &a).with(3, &b), [2, 1, 1]), Ok(()));
    assert_eq!(words(&device, &b), [1, 1]);
}

#[test]
fn one_buffer_may_be_read_through_two_slots() {
    let device = ReferenceDevice::new();
    let source = "workgroup_size 1; buffer a: read u32 @0; buffer b: uniform u32 @1; buffer c: read_write u32 @2; \
                  entry { c[0] = a[0] + b[0]; }";
    let sum = pipeline(&device, source);
    let (input, output) =
        (device.create_buffer(4).expect("a working device"), device.create_buffer(4).expect("a working device"));
    device.write(&input, 0, &21u32.to_le_bytes()).expect("a working device");
    let bindings = Bindings::new().with(0, &input).with(1, &input).with(2, &output);
    assert_eq!(run(&device, &sum, &bindings, [1, 1, 1]), Ok(()));
    assert_eq!(words(&device, &output), [42]);
}

#[test]
fn commands_run_in_order_without_the_host() {
    let device = ReferenceDevice::new();
    let double = pipeline(
        &device,
        "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = data[0] * 2; data[1] = data[1] + 1; }",
    );
    let data = device.create_buffer(8).expect("a working device");
    let copy = device.create_buffer(8).expect("a working device");
    let mut body = CommandList::new();
    body.dispatch(&double, &Bindings::new().with(0, &data), [1, 1, 1]);
    let mut commands = CommandList::new();
    commands.push(Command::Fill { buffer: data.clone(), offset: 0, length: 1, byte: 3 });
    commands.push(Command::Timestamp);
    commands.push(Command::Repeat { count: 4, commands: body });
    commands.push(Command::Timestamp);
    commands.push(Command::Copy {
        source: data.clone(),
        source_offset: 0,
        target: copy.clone(),
        target_offset: 4,
        length: 4,
    });
    let report = device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(words(&device, &data), [48, 4]);
    assert_eq!(words(&device, &copy), [0, 48]);
    assert_eq!(report.timestamps.len(), 2);
    assert!(report.timestamps.is_sorted());
}

#[test]
fn ranges_and_sizes_are_checked() {
    let device = ReferenceDevice::new();
    let small = device.create_buffer(8).expect("a working device");
    assert_eq!(device.write(&small, 5, &[0; 4]), Err(Error::OutOfBuffer { end: 9, size: 8 }));
    assert!(matches!(device.write(&small, u64::MAX, &[0; 4]), Err(Error::OutOfBuffer { .. })));
    let mut commands = CommandList::new();
    commands.push(Command::Fill { buffer: small.clone(), offset: 4, length: u64::MAX, byte: 0 });
    assert!(matches!(device.run(&commands, &RunOptions::default()), Err(Error::OutOfBuffer { .. })));
    let limit = device.limits().buffer_bytes;
    assert!(matches!(
        device.create_buffer(limit + 1),
        Err(Error::ResourceExceeded { resource: Resource::BufferBytes, .. })
    ));
    let read = pipeline(&device, "workgroup_size 1; buffer p: uniform u32 @0; entry { let x = p[0]; }");
    let large = device.create_buffer(64 * 1024 + 4).expect("a working device");
    let error = run(&device, &read, &Bindings::new().with(0, &large), [1, 1, 1]);
    let expected =
        Error::ResourceExceeded { resource: Resource::UniformBytes, wanted: 64 * 1024 + 4, limit: 64 * 1024 };
    assert_eq!(error, Err(expected));
}

#[test]
fn grids_and_workgroups_beyond_the_limits_are_rejected() {
    let device = ReferenceDevice::new();
    let empty = pipeline(&device, "workgroup_size 1, 2, 1; entry { return; }");
    let error = run(&device, &empty, &Bindings::new(), [0, u32::MAX, 1]);
    let wanted = 2 * u64::from(u32::MAX);
    let resource = Resource::GridInvocations { axis: 1 };
    assert_eq!(error, Err(Error::ResourceExceeded { resource, wanted, limit: 1 << 32 }));
    assert_eq!(run(&device, &empty, &Bindings::new(), [0, 1 << 31, u32::MAX]), Ok(()), "an empty grid runs nothing");
    let large = pipeline_with(&device, "workgroup_size 4096, 4096, 4096; entry { }", &PipelineOptions::default());
    assert!(matches!(large, Err(Error::ResourceExceeded { resource: Resource::WorkgroupInvocations, .. })));
    let tile = "workgroup_size 1; buffer t: workgroup vec4u32[4294967295]; entry { }";
    let large = pipeline_with(&device, tile, &PipelineOptions::default());
    assert!(matches!(large, Err(Error::ResourceExceeded { resource: Resource::WorkgroupBytes, .. })));
}

/// A loop of 2^32 - 1 iterations.
const ENDLESS: &str = "workgroup_size 1; buffer n: read_write u32 @0; \
                       entry { for i in 0..4294967295 { for k in 0..4294967295 { n[0] = i; } } }";

#[test]
fn long_runs_can_be_cancelled_and_have_deadlines() {
    let device = ReferenceDevice::new();
    let endless = pipeline(&device, ENDLESS);
    let data = device.create_buffer(4).expect("a working device");
    let mut commands = CommandList::new();
    commands.dispatch(&endless, &Bindings::new().with(0, &data), [1, 1, 1]);

    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now() + Duration::from_millis(20));
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
    // Deadlines end runs of many empty workgroups,
    let empty = pipeline(&device, "workgroup_size 1; entry { }");
    let mut commands = CommandList::new();
    commands.dispatch(&empty, &Bindings::new(), [u32::MAX, 1, 1]);
    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now() + Duration::from_millis(20));
    assert_eq!(device.run(&commands, &options).map(|_| ()), Err(Error::DeadlineExceeded));
    // repetitions of an empty list,
    let mut commands = CommandList::new();
    commands.push(Command::Repeat { count: u32::MAX, commands: CommandList::new() });
    options.deadline = Some(Instant::now() + Duration::from_millis(20));
    assert_eq!(device.run(&commands, &options).map(|_| ()), Err(Error::DeadlineExceeded));
    // and workgroups that mostly clear their memory.
    let clears = "workgroup_size 1; buffer s: workgroup u32[8000000]; entry { s[0] = 1; }";
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline(&device, clears), &Bindings::new(), [u32::MAX, 1, 1]);
    options.deadline = Some(Instant::now() + Duration::from_millis(20));
    assert_eq!(device.run(&commands, &options).map(|_| ()), Err(Error::DeadlineExceeded));
    // The buffers keep their contents.
    assert_eq!(words(&device, &data), [0]);
}

#[test]
fn conventions_are_negotiated_when_a_pipeline_is_built() {
    let device = ReferenceDevice::new();
    let v1 =
        "workgroup_size 1; buffer i: read u32 @0; buffer o: read_write u32 @1; buffer p: uniform u32 @2; entry { }";
    let v2 = "workgroup_size 1; buffer i: read u32 @0; buffer o: read_write u32 @1; buffer p: uniform u32 @2; \
              buffer t: read u32 @5; entry { }";
    let build =
        |source, convention| pipeline_with(&device, source, &PipelineOptions::default().with_convention(convention));
    let lookup = |lookup_binding| Convention::V2 { lookup_binding };
    assert!(build(v1, Convention::V1).is_ok());
    assert!(build(v2, lookup(5)).is_ok());
    for (source, convention) in [(v2, Convention::V1), (v1, lookup(5)), (v2, lookup(6)), (COPY, Convention::V1)] {
        let error = build(source, convention).map(|_| ());
        assert_eq!(error, Err(Error::UnsupportedConvention(convention)));
    }
}

#[test]
fn objects_of_other_devices_are_rejected() {
    let (here, there) = (ReferenceDevice::new(), ReferenceDevice::new());
    let copy = pipeline(&here, COPY);
    let (a, b) = (here.create_buffer(4).expect("a working device"), there.create_buffer(4).expect("a working device"));
    assert_eq!(there.write(&a, 0, &[]), Err(Error::ForeignObject));
    assert_eq!(here.read(&b), Err(Error::ForeignObject));
    let bindings = Bindings::new().with(0, &a).with(3, &b);
    assert_eq!(run(&here, &copy, &bindings, [1, 1, 1]), Err(Error::ForeignObject));
    // All commands are checked before the first one runs.
    let mut commands = CommandList::new();
    commands.push(Command::Fill { buffer: a.clone(), offset: 0, length: 4, byte: 7 });
    commands.push(Command::Fill { buffer: b.clone(), offset: 0, length: 4, byte: 7 });
    assert_eq!(here.run(&commands, &RunOptions::default()).map(|_| ()), Err(Error::ForeignObject));
    assert_eq!(words(&here, &a), [0]);
    let c = there.create_buffer(4).expect("a working device");
    assert_eq!(run(&there, &copy, &Bindings::new().with(0, &b).with(3, &c), [1, 1, 1]), Err(Error::ForeignObject));
}

#[test]
fn a_device_without_race_checks_rejects_them() {
    let device = ReferenceDevice::with_limits(Limits::new(1 << 20, 1 << 15, 256));
    let mut options = RunOptions::default();
    options.check_races = true;
    assert_eq!(device.run(&CommandList::new(), &options).map(|_| ()), Err(Error::CannotCheckRaces));
}

/// 65,536 invocations with thousands of pending values each would exceed the memory of the host.
#[test]
fn deep_expressions_of_large_workgroups_are_rejected() {
    let chain = (0..30_000).fold(vyre_ir::build::local_id(0), |chain, _| vyre_ir::build::local_id(0) + chain);
    let entry = vec![vyre_ir::Node::let_bind("x", chain)];
    let program = vyre_ir::Program::new(vec![], [65_536, 1, 1], entry);
    let ops = OpTable::default();
    let valid = vyre_ir::validate(&program, &ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let device = ReferenceDevice::new();
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("a working device");
    let outcome = run(&device, &pipeline, &Bindings::new(), [1, 1, 1]);
    assert!(matches!(outcome, Err(Error::ResourceExceeded { resource: Resource::PendingValues, .. })));
}

#[test]
fn a_deep_expression_runs_on_a_small_stack() {
    let chain = (0..40_000u32).fold(vyre_ir::Expr::from(1u32), |chain, i| chain + i);
    let program = vyre_ir::Program::new(
        vec![vyre_ir::BufferDecl::output("out", 0, vyre_ir::DataType::U32)],
        [1, 1, 1],
        vec![vyre_ir::Node::store("out", 0u32, chain)],
    );
    let work = move || {
        let ops = OpTable::default();
        let valid = vyre_ir::validate(&program, &ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let device = ReferenceDevice::new();
        let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("a working device");
        let out = device.create_buffer(4).expect("a working device");
        assert_eq!(run(&device, &pipeline, &Bindings::new().with(0, &out), [1, 1, 1]), Ok(()));
        assert_eq!(words(&device, &out), [1 + 39_999 * 40_000 / 2]);
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).expect("a thread").join().expect("no overflow");
}

/// The limit covers the variables of all invocations, without those of closed scopes.
#[test]
fn variables_beyond_the_memory_limit_are_rejected() {
    let device = ReferenceDevice::new();
    let bind = |count: usize, unit: &dyn Fn(usize) -> String| {
        let body: String = (0..count).map(unit).collect();
        format!("workgroup_size 1024, 64; buffer out: read_write u32 @0; entry {{ {body} out[0] = 1; }}")
    };
    let out = device.create_buffer(4).unwrap_or_else(|error| panic!("{error}"));
    let bindings = Bindings::new().with(0, &out);
    let live = pipeline(&device, &bind(520, &|at| format!("let v{at} = {at}; ")));
    let error = run(&device, &live, &bindings, [1, 1, 1]);
    assert!(matches!(error, Err(Error::ResourceExceeded { resource: Resource::KeptValues, .. })), "{error:?}");
    let scoped = pipeline(&device, &bind(520, &|at| format!("{{ let v{at} = {at}; }} ")));
    assert_eq!(run(&device, &scoped, &bindings, [1, 1, 1]), Ok(()));
    assert_eq!(words(&device, &out), [1]);
}
