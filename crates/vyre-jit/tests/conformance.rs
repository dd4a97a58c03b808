//! Conformance of the CPU backend: the run corpus and generated programs, against the reference interpreter.
//!
//! Environment variables such as `VYRE_CASES` select other generated programs, see `vyre_conform::settings`.

#[path = "conformance/planted.rs"]
mod planted;
#[path = "conformance/suite.rs"]
mod suite;

use std::sync::Arc;
use std::time::{Duration, Instant};

use vyre_conform::Case;
use vyre_conform::differential::Subject;
use vyre_conform::generated::{Seeds, expect_agreement, expect_agreement_of};
use vyre_conform::graphs::{self, generated::Sizes};
use vyre_conform::race_free::race_free_case;
use vyre_conform::run_corpus::expect_all_right;
use vyre_conform::splice::spliced_case;
use vyre_ir::{Node, OpTable, Program, text};
use vyre_jit::{JitDevice, JitOptions, Listing, VectorizationMode};
use vyre_runtime::{
    Bindings, CancelToken, CommandList, Device, Error, PipelineOptions, ReferenceDevice, RunOptions, words,
};

fn device(threads: usize, optimize: bool) -> JitDevice {
    device_of(JitOptions::default().with_threads(threads).with_optimizer(optimize))
}

fn device_of(options: JitOptions) -> JitDevice {
    JitDevice::new(&options).unwrap_or_else(|error| panic!("{error}"))
}

vyre_conform::device_checks! {
    || device(3, true);
    transfers_may_start_and_end_at_any_byte
    large_transfers_keep_every_byte
    a_buffer_of_words_holds_the_words
    threads_transfer_while_others_run
    a_prepared_device_opens_once
}

#[test]
fn run_corpus_with_optimizer() {
    run_corpus(true);
}

#[test]
fn run_corpus_without_optimizer() {
    run_corpus(false);
}

fn run_corpus(optimize: bool) {
    expect_all_right(&device(2, optimize), &RunOptions::default());
}

/// Half of the generated programs. Two tests let two cores share the work.
#[test]
fn generated_programs_with_even_seeds() {
    generated_programs(0);
}

#[test]
fn generated_programs_with_odd_seeds() {
    generated_programs(1);
}

fn generated_programs(share: u64) {
    let subjects = subjects();
    expect_agreement(Seeds::from_environment(2_000).share(share, 2), |_| &subjects);
}

/// Programs of the generator that mutates and splices.
#[test]
fn spliced_programs() {
    let subjects = subjects();
    expect_agreement_of(spliced_case, Seeds::from_environment(1_500), |_| &subjects);
}

fn subjects() -> [Subject; 4] {
    let subject = |name: &str, options| Subject { name: name.to_owned(), device: Arc::new(device_of(options)) };
    let options = JitOptions::default;
    [
        subject("cpu, 1 thread", options().with_threads(1)),
        subject(
            "cpu, 2 threads, always vectorized",
            options().with_threads(2).with_vectorization(VectorizationMode::Always),
        ),
        subject(
            "cpu, not optimized, always vectorized",
            options().with_threads(1).with_optimizer(false).with_vectorization(VectorizationMode::Always),
        ),
        subject(
            "cpu, not optimized, never vectorized",
            options().with_threads(2).with_optimizer(false).with_vectorization(VectorizationMode::Never),
        ),
    ]
}

/// Removes all barriers.
fn without_barriers(nodes: &[Node]) -> Vec<Node> {
    let kept = nodes.iter().filter(|node| !matches!(node, Node::Barrier));
    kept.map(|node| match node {
        Node::If { cond, then, otherwise } => {
            Node::If { cond: cond.clone(), then: without_barriers(then), otherwise: without_barriers(otherwise) }
        }
        Node::Loop { var, from, to, body } => {
            Node::Loop { var: var.clone(), from: from.clone(), to: to.clone(), body: without_barriers(body) }
        }
        Node::Block(body) => Node::Block(without_barriers(body)),
        _ => node.clone(),
    })
    .collect()
}

/// The CPU backend runs invocations sequentially, so tests can detect a lost barrier: programs without their barriers give
/// other results often enough.
#[test]
fn lost_barriers_change_results() {
    let device = device(1, true);
    let (mut with_barriers, mut seen) = (0, 0);
    for seed in 0..1_000 {
        let case = race_free_case(seed);
        let bare = Case {
            program: Program { entry: without_barriers(&case.program.entry), ..case.program.clone() },
            ..case.clone()
        };
        if bare.program == case.program {
            continue;
        }
        with_barriers += 1;
        let run = |case: &Case, device: &dyn Device| {
            case.run(device, &PipelineOptions::default(), &RunOptions::default()).expect("it runs").contents
        };
        seen += u32::from(run(&case, &ReferenceDevice::new()) != run(&bare, &device));
    }
    println!("{seen} of {with_barriers} programs with barriers need them");
    assert!(with_barriers > 200 && seen > 10, "{seen} of {with_barriers}");
}

#[test]
fn long_runs_are_cancelled_and_have_deadlines() {
    let source = "workgroup_size 64; buffer out: read_write u32 @0;
        entry { let n = 0; for i in 0..0xffffffff { for j in 0..0xffffffff { n = n + out[j] * i; } } out[0] = n; }";
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let device = device(2, true);
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("it compiles");
    let out = device.create_buffer(64).expect("a buffer");
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &Bindings::new().with(0, &out), [1000, 1000, 1000]);
    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now() + Duration::from_millis(50));
    assert_eq!(device.run(&commands, &options).map(|_| ()), Err(Error::DeadlineExceeded));
    let token = CancelToken::default();
    let mut options = RunOptions::default();
    options.cancel = Some(token.clone());
    let outcome = std::thread::scope(|scope| {
        let run = scope.spawn(|| device.run(&commands, &options).map(|_| ()));
        std::thread::sleep(Duration::from_millis(50));
        token.cancel();
        run.join().expect("no panic")
    });
    assert_eq!(outcome, Err(Error::Cancelled));
    // The device stays usable.
    assert_eq!(device.read(&out).map(|bytes| bytes.len()), Ok(64));
}

/// Programs that would run for minutes or years, each dominated by another construct.
#[test]
fn deadlines_hold_for_all_kinds_of_long_runs() {
    let many = |count: usize, statement: &str| statement.repeat(count);
    let head = "buffer out: read_write u32 @0; entry { let l = local_id.x + local_id.y * 256;";
    let large = "workgroup_size 256, 256;";
    let divisions = many(100, "s = s * 3 + out[(l * 7 + k) & 15] / (s | 1);");
    let short = many(900, "s = s / (k | 1) + 7;");
    let programs = [
        format!("{large} {head} for k in 0..0xffffffff {{ let s = l; {divisions} barrier; out[l] = s; }} }}"),
        format!(
            "{large} {head} let s = 0; for k in 0..0xffffffff {{ {} }} out[l] = s; }}",
            many(100, "s = s + reduce_add(l ^ s);")
        ),
        format!("{large} {head} let s = l; {} out[l] = s; }}", many(8, &format!("for k in 0..64 {{ {short} }}"))),
        format!(
            "workgroup_size 1; {head} let s = l; for j in 0..0xffffffff {{ {} }} out[l] = s; }}",
            many(8, &format!("for k in 0..64 {{ {short} }}"))
        ),
        format!("{large} {head} for k in 0..0xffffffff {{ out[(l + k * 256) & 15] = k; }} }}"),
    ];
    let device = device(1, true);
    let ops = OpTable::default();
    let out = device.create_buffer(64).expect("a buffer");
    for source in programs {
        let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
        let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("it compiles");
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &Bindings::new().with(0, &out), [100, 1, 1]);
        let mut options = RunOptions::default();
        options.deadline = Some(Instant::now() + Duration::from_millis(30));
        assert_eq!(device.run(&commands, &options).map(|_| ()), Err(Error::DeadlineExceeded));
    }
}

/// Two runs occupy all threads of the device. The calling thread completes a third one.
#[test]
fn runs_do_not_block_each_other() {
    let source = "workgroup_size 64; buffer out: read_write u32 @0; buffer iterations: read u32 @1;
        entry { let n = 0; for i in 0..iterations[0] { for j in 0..iterations[0] { n = n + out[j] * i; } } out[0] = n; }";
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let device = device(2, true);
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("it compiles");
    let run = |iterations: u32, token: &CancelToken| {
        let (out, count) = (device.create_buffer(64).expect("a buffer"), device.create_buffer(4).expect("a buffer"));
        device.write(&count, 0, &iterations.to_le_bytes()).expect("it can be written");
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &Bindings::new().with(0, &out).with(1, &count), [1000, 1, 1]);
        let mut options = RunOptions::default();
        options.cancel = Some(token.clone());
        device.run(&commands, &options).map(|_| ())
    };
    let token = CancelToken::default();
    std::thread::scope(|scope| {
        let long: Vec<_> = (0..2).map(|_| scope.spawn(|| run(u32::MAX, &token))).collect();
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(run(1, &CancelToken::default()), Ok(()));
        assert!(long.iter().all(|thread| !thread.is_finished()));
        token.cancel();
        for thread in long {
            assert_eq!(thread.join().expect("no panic"), Err(Error::Cancelled));
        }
    });
}

#[test]
fn large_workgroups_with_memory_run_on_all_threads() {
    let source = "workgroup_size 1024; buffer out: read_write u32 @0; buffer tile: workgroup u32[8192];
        entry {
            let l = local_id.x;
            for k in 0..8 { tile[l * 8 + k] = workgroup_id.x * 10000 + l * 8 + k; }
            barrier;
            out[invocation_id.x] = tile[8191 - l] + reduce_max(tile[l]);
        }";
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let device = device(2, true);
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("it compiles");
    let out = device.create_buffer(64 * 1024 * 4).expect("a buffer");
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &Bindings::new().with(0, &out), [64, 1, 1]);
    device.run(&commands, &RunOptions::default()).expect("it runs");
    let found = words(&device.read(&out).expect("it can be read"));
    for (at, &word) in found.iter().enumerate() {
        let (workgroup, local) = (at as u32 / 1024, at as u32 % 1024);
        assert_eq!(word, workgroup * 10000 + 8191 - local + workgroup * 10000 + 1023, "{at}");
    }
}

/// The generated programs exercise the vectorizer: enough of their regions have each kind of vectorization plan.
#[test]
fn generated_programs_cover_the_vectorizer() {
    let mut counts = [0; 6];
    for seed in 0..500 {
        let case = race_free_case(seed);
        let valid =
            vyre_ir::validate(&case.program, &case.ops).unwrap_or_else(|errors| panic!("seed {seed}: {}", errors[0]));
        let mut kernel = vyre_kernel::lower(&valid).expect("it can be lowered");
        vyre_kernel::PassPipeline::standard().run(&mut kernel).expect("the passes keep it valid");
        let listing = Listing::of(&kernel, VectorizationMode::default()).expect("it compiles");
        for line in listing.explanation.lines() {
            let says = |words: &str| u32::from(line.contains(words));
            let found = [
                says("region "),
                says(": vectorized, 4 invocations at a time"),
                says("in scanlines where"),
                says("tested for each SIMD group"),
                says("scalarized") * says(": vectorized, 4 invocations at a time"),
                says(": scalar: divergent "),
            ];
            counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
        }
    }
    println!(
        "regions, vectorized, with preconditions, with group tests, with scalarized operations, divergent: {counts:?}"
    );
    let minimum = [1_000, 150, 40, 20, 100, 80];
    assert!(counts.iter().zip(minimum).all(|(&count, minimum)| count >= minimum), "{counts:?} against {minimum:?}");
}

/// A kernel with thousands of simultaneously live values needs more stack than the calling thread may have.
#[test]
fn large_kernels_do_not_use_the_stack_of_the_calling_thread() {
    const VALUES: u32 = 15_000;
    let loads: String = (0..VALUES).map(|at| format!("let v{at} = data[{at}];")).collect();
    let stores: String = (0..VALUES).rev().map(|at| format!("data[{at}] = v{};", VALUES - 1 - at)).collect();
    let source = format!("workgroup_size 1; buffer data: read_write u32 @0; entry {{ {loads} {stores} }}");
    let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let device = device(2, true);
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("it compiles");
    let data = device.create_buffer(u64::from(VALUES) * 4).expect("a buffer");
    let bytes: Vec<u8> = (0..VALUES).flat_map(u32::to_le_bytes).collect();
    device.write(&data, 0, &bytes).expect("it can be written");
    let run = || {
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &Bindings::new().with(0, &data), [1, 1, 1]);
        device.run(&commands, &RunOptions::default()).expect("it runs");
    };
    std::thread::scope(|scope| {
        let host = std::thread::Builder::new().stack_size(96 << 10).spawn_scoped(scope, run);
        host.expect("a thread").join().expect("no panic");
    });
    let found = words(&device.read(&data).expect("it can be read"));
    assert!(found.iter().rev().copied().eq(0..VALUES));
}

/// Each kernel has its own pages, so a leak of code shows in the resident size.
#[cfg(target_os = "linux")]
#[test]
fn dropped_kernels_free_their_memory() {
    let resident_kib = || -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").expect("the status can be read");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a size");
        line.split_whitespace().nth(1).and_then(|size| size.parse().ok()).expect("a number")
    };
    let device = device(1, true);
    let ops = OpTable::default();
    let build = |number: u32| {
        let source = format!(
            "workgroup_size 8; buffer out: read_write u32 @0; entry {{ out[local_id.x] = out[local_id.x] * {number}; }}"
        );
        let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
        let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
        drop(device.create_pipeline(&valid, &PipelineOptions::default()).expect("it compiles"));
    };
    (0..200).for_each(build);
    let before = resident_kib();
    (200..1_200).for_each(build);
    let after = resident_kib();
    println!("{before} KiB, then {after} KiB");
    assert!(after < before + 2_048, "1,000 kernels took {} KiB", after - before);
}

#[test]
fn graph_corpus() {
    let device: Arc<dyn Device> = Arc::new(device(2, true));
    graphs::corpus::expect_all_right(&device, &RunOptions::default(), graphs::corpus::Repetitions::All);
}

/// Every graph op agrees with its reference in plain Rust, on graphs of many shapes.
#[test]
fn graph_ops() {
    for (optimize, cases) in [(true, 500), (false, 100)] {
        let device: Arc<dyn Device> = Arc::new(device(2, optimize));
        let seeds = Seeds::from_environment(cases);
        graphs::generated::expect_agreement(&device, &RunOptions::default(), seeds, Sizes::LARGE);
    }
}

/// All strategies of the dataflow engine, on graphs of many shapes.
#[test]
fn dataflow_engine() {
    for (optimize, cases) in [(true, 500), (false, 50)] {
        let device: Arc<dyn Device> = Arc::new(device(2, optimize));
        let seeds = Seeds::from_environment(cases);
        graphs::dataflow::expect_agreement(&device, &RunOptions::default(), seeds, Sizes::LARGE);
    }
}

/// The programs of graph searches alone, with too small buffers and with sources outside of the graph.
#[test]
fn search_programs() {
    let device: Arc<dyn Device> = Arc::new(device(2, true));
    graphs::raw::expect_documented_behaviour(&device, 200);
}

vyre_conform::compression_checks!(device(2, true), 300);
vyre_conform::checksum_checks!(device(2, true), 40);

/// Streams of up to 4 MiB.
#[test]
fn long_deflate_streams() {
    let device: Arc<dyn Device> = Arc::new(device(2, true));
    vyre_conform::compression::zlib::expect_long_streams(device);
}
