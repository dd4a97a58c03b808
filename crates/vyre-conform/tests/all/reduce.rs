//! Tests of the reducer, with known failures.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};

use vyre_conform::corpus_ops::op_table;
use vyre_conform::reduce::{ReduceLimits, corpus_file, reduce};
use vyre_conform::run_corpus::check_file;
use vyre_conform::{Case, Outcome, corpus, program_from_bytes};
use vyre_ir::{
    BinOp, BodyKind, BufferAccess, BufferDecl, Collective, DataType, Event, Expr, Node, OpSignature, OpSpec, OpTable,
    Program, Traversal, text, validate,
};
use vyre_runtime::{PipelineOptions, ReferenceDevice, RunOptions, parse_contents, words};

fn parse(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}")).program
}

/// A run of two workgroups on contents with small and large numbers.
fn case(program: Program, ops: OpTable) -> Case {
    let contents = program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup).map(|decl| {
        let form = if decl.binding % 2 == 0 { "random: 7: 41" } else { "iota: 37" };
        (decl.name.clone(), parse_contents(form, decl.element).expect("contents"))
    });
    Case { contents: contents.collect(), program, ops, grid: [2, 1, 1] }
}

fn size(program: &Program) -> usize {
    Traversal::new(program).filter(|event| matches!(event, Event::Expr(_) | Event::Statement(_))).count()
}

fn has_expr(program: &Program, wanted: impl Fn(&Expr) -> bool) -> bool {
    Traversal::new(program).any(|event| matches!(event, Event::Expr(expr) if wanted(expr)))
}

fn has_statement(program: &Program, wanted: impl Fn(&Node) -> bool) -> bool {
    Traversal::new(program).any(|event| matches!(event, Event::Statement(node) if wanted(node)))
}

fn is_binary(expr: &Expr, wanted: BinOp) -> bool {
    matches!(expr, Expr::BinOp { op, .. } if *op == wanted)
}

/// Reduces a case, and checks that the result is valid and fails. Returns it with the number of tests.
fn checked_reduce(case: &Case, fails: &dyn Fn(&Case) -> bool) -> (Case, u64) {
    assert!(fails(case), "nothing to reduce");
    let mut tests = 0;
    let small = reduce(case, &ReduceLimits::default(), &mut |case| {
        tests += 1;
        assert!(validate(&case.program, &case.ops).is_ok(), "{}", case.program);
        fails(case)
    });
    assert!(validate(&small.program, &small.ops).is_ok(), "{}", small.program);
    assert!(fails(&small), "{}", small.program);
    let printed = text::print(&small.program);
    assert_eq!(parse(&printed), small.program);
    (small, tests)
}

/// Valid programs of at least `min_size` statements and expressions, decoded from `length` pseudorandom bytes.
fn valid_programs(min_size: usize, length: usize) -> impl Iterator<Item = Program> {
    let programs = (0..).map(move |seed: u32| {
        let random = parse_contents(&format!("random: {seed}: {}", length / 4), DataType::U32).expect("contents");
        // The first byte selects a careful program.
        program_from_bytes(&[&[1], &random[..]].concat())
    });
    programs.filter(move |program| size(program) >= min_size && validate(program, &OpTable::default()).is_ok())
}

/// Calls `change` on every expression of a tree, in postorder. Recursive, for programs of limited depth.
fn change_expr(expr: &mut Expr, change: &dyn Fn(&mut Expr)) {
    match expr {
        Expr::LitU32(_)
        | Expr::LitI32(_)
        | Expr::LitBool(_)
        | Expr::Var(_)
        | Expr::BufLen { .. }
        | Expr::InvocationId { .. }
        | Expr::WorkgroupId { .. }
        | Expr::LocalId { .. }
        | Expr::NumWorkgroups { .. } => {}
        Expr::Load { index: only, .. }
        | Expr::UnOp { operand: only, .. }
        | Expr::Cast { value: only, .. }
        | Expr::Extract { value: only, .. }
        | Expr::Collective(
            Collective::Reduce { value: only, .. }
            | Collective::ScanExclusive { value: only, .. }
            | Collective::ScanInclusive { value: only, .. }
            | Collective::Ballot { predicate: only },
        ) => change_expr(only, change),
        Expr::BinOp { left: first, right: second, .. }
        | Expr::Collective(
            Collective::Broadcast { value: first, lane: second } | Collective::Shuffle { value: first, lane: second },
        ) => [first, second].into_iter().for_each(|expr| change_expr(expr, change)),
        Expr::Select { cond, true_val, false_val } => {
            [cond, true_val, false_val].into_iter().for_each(|expr| change_expr(expr, change));
        }
        Expr::Call { args: list, .. } | Expr::Pack { lanes: list, .. } => {
            list.iter_mut().for_each(|expr| change_expr(expr, change));
        }
        Expr::Atomic { index, expected, value, .. } | Expr::WorkgroupAtomic { index, expected, value, .. } => {
            change_expr(index, change);
            [expected, value].into_iter().flatten().for_each(|expr| change_expr(expr, change));
        }
    }
    change(expr);
}

fn change_body(body: &mut [Node], change: &dyn Fn(&mut Expr)) {
    for node in body {
        match node {
            Node::Let { value, .. } | Node::Assign { value, .. } => change_expr(value, change),
            Node::Store { index: first, value: second, .. } => {
                [first, second].into_iter().for_each(|expr| change_expr(expr, change));
            }
            Node::If { cond, then, otherwise } => {
                change_expr(cond, change);
                [then, otherwise].into_iter().for_each(|body| change_body(body, change));
            }
            Node::Loop { from, to, body, .. } => {
                [from, to].into_iter().for_each(|expr| change_expr(expr, change));
                change_body(body, change);
            }
            Node::Block(body) => change_body(body, change),
            Node::Return | Node::Barrier | Node::Break => {}
        }
    }
}

/// Outcome on the reference device; `None` on a race or timeout.
fn outcome_within(case: &Case, limit: Option<Duration>) -> Option<Outcome> {
    let mut options = RunOptions::default();
    options.deadline = limit.map(|limit| Instant::now() + limit);
    options.check_races = true;
    let outcome = case.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options).ok()?;
    outcome.report.races.races.is_empty().then_some(outcome)
}

fn outcome(case: &Case) -> Option<Outcome> {
    outcome_within(case, None)
}

/// Reports whether every loop has few iterations, as in generated programs. A deadline would make tests depend on the
/// machine.
fn has_short_loops(program: &Program) -> bool {
    !has_statement(program, |node| match node {
        Node::Loop { to: Expr::LitU32(..=16), .. } => false,
        Node::Loop { to: Expr::BinOp { op: BinOp::Min, right, .. }, .. } => !matches!(**right, Expr::LitU32(..=16)),
        Node::Loop { .. } => true,
        _ => false,
    })
}

/// Reports whether a device with a simulated fault gives other bytes.
fn differs(case: &Case, wrong: &dyn Fn(&mut Expr)) -> bool {
    let programs = case.ops.iter().map(|op| &op.program).chain([&case.program]);
    if !programs.into_iter().all(has_short_loops) {
        return false;
    }
    let Some(right) = outcome(case) else { return false };
    let mut other = case.clone();
    change_body(&mut other.program.entry, wrong);
    let ops = case.ops.iter().cloned().map(|mut op| {
        change_body(&mut op.program.entry, wrong);
        op
    });
    other.ops = OpTable::new(ops).expect("the ids of a table");
    outcome(&other).is_some_and(|wrong| wrong.contents != right.contents)
}

/// Fault: a division by 0 gives all ones. Divisors with side effects are skipped, because the divisor is duplicated.
fn wrong_division(expr: &mut Expr) {
    if let Expr::BinOp { op: BinOp::Div, right, .. } = expr
        && !right.to_string().contains("atomic")
    {
        let cond = Expr::binary(BinOp::Eq, (**right).clone(), 0u32);
        let quotient = std::mem::replace(expr, Expr::LitU32(0));
        *expr = Expr::Select {
            cond: Box::new(cond),
            true_val: Box::new(Expr::LitU32(u32::MAX)),
            false_val: Box::new(quotient),
        };
    }
}

/// Fault: a call returns one more.
fn wrong_call(expr: &mut Expr) {
    if matches!(expr, Expr::Call { .. }) {
        let result = std::mem::replace(expr, Expr::LitU32(0));
        *expr = result + 1u32;
    }
}

/// Parses an op.
fn op(id: &str, source: &str) -> OpSpec {
    let program = parse(source);
    let inputs = program.buffers.iter().filter(|buffer| buffer.access.is_input());
    let signature = OpSignature { inputs: inputs.map(|buffer| buffer.element).collect(), output: DataType::U32 };
    OpSpec { id: id.into(), version: 1, signature, inlinable: true, program }
}

/// Writes the corpus file of a case with its outcome, and checks it on the reference device.
fn check_round_trip(case: &Case, expected: &Outcome) {
    let files = corpus_file(case, &expected.contents);
    assert_eq!(parse(&files.program), case.program);
    assert_eq!(text::format(&files.program).as_deref(), Ok(files.program.as_str()));
    let ops = corpus::op_texts(files.ops.as_deref().unwrap_or_default()).expect("a file of ops");
    let ops = OpTable::new(ops.iter().map(|found| op(&found.id, &found.text))).expect("unique ids");
    let runs = check_file(&files.program, &ops, &ReferenceDevice::new(), &RunOptions::default());
    assert_eq!(runs.unwrap_or_else(|failure| panic!("{failure}\n{}", files.program)), 1);
}

#[test]
fn an_operator_and_a_barrier() {
    let fails = |case: &Case| {
        has_expr(&case.program, |expr| is_binary(expr, BinOp::MulHi))
            && has_statement(&case.program, |node| matches!(node, Node::Barrier))
    };
    let cases = valid_programs(300, 1200).map(|program| case(program, OpTable::default())).filter(fails);
    for case in cases.take(10) {
        let (small, tests) = checked_reduce(&case, &fails);
        // `barrier; let _ = mul_hi(0, 0);`
        assert_eq!(size(&small.program), 5, "{}", small.program);
        assert_eq!((small.program.workgroup_size, small.grid), ([1; 3], [1; 3]));
        assert!(small.program.buffers.is_empty() && small.contents.is_empty());
        assert!(tests < 500, "{tests} tests");
    }
}

#[test]
fn a_shift_that_is_stored_in_a_loop() {
    let fails = |case: &Case| {
        let mut loops = 0;
        Traversal::new(&case.program).any(|event| match event {
            Event::EnterBody(BodyKind::Loop) => {
                loops += 1;
                false
            }
            Event::LeaveBody(BodyKind::Loop) => {
                loops -= 1;
                false
            }
            Event::Statement(Node::Store { value, .. }) => loops > 0 && value.to_string().contains(">>"),
            _ => false,
        })
    };
    let cases = valid_programs(300, 1200).map(|program| case(program, OpTable::default())).filter(fails);
    for case in cases.take(10) {
        let (small, tests) = checked_reduce(&case, &fails);
        // `for i in 0..0 { b[0] = (0 >> 0) as u64; }`, where the buffer requires the cast.
        assert!(size(&small.program) <= 9, "{}", small.program);
        assert_eq!(small.program.buffers.len(), 1);
        assert!(tests < 500, "{tests} tests");
    }
}

#[test]
fn a_wrong_device() {
    let fails = |case: &Case| differs(case, &wrong_division);
    // One invocation has no races.
    let alone = |mut program: Program| {
        program.workgroup_size = [1; 3];
        Case { grid: [1; 3], ..case(program, OpTable::default()) }
    };
    let is_quick = |case: &Case| outcome_within(case, Some(Duration::from_millis(200))).is_some();
    let mut sizes = Vec::new();
    for case in valid_programs(200, 800).map(alone).filter(is_quick).filter(fails).take(8) {
        let (small, tests) = checked_reduce(&case, &fails);
        assert!(size(&small.program) <= 20, "{}", small.program);
        assert!(tests < 1_000, "{tests} tests");
        sizes.push(size(&small.program));
        check_round_trip(&small, &outcome(&small).expect("no races"));
    }
    // Mostly `b[0] = 0 / 0;`, sometimes with a cast or an `if` around it.
    assert!(sizes.iter().sum::<usize>() <= 10 * sizes.len(), "{sizes:?}");
}

#[test]
fn invocations_and_contents() {
    // Fails if two consecutive workgroups have the same large sum.
    let text = "
workgroup_size 8, 4, 1;

buffer data: read u32 @3;
buffer sums: read_write u32 @1;
buffer extra: read_write vec2u32 @0;
buffer tile: workgroup u32[64];

entry {
    let local = local_id.x + local_id.y * 8;
    let value = data[local];
    tile[local] = value * 2;
    barrier;
    if value > 3 {
        let again = tile[local] / 2;
        value = again;
    } else {
        value = value + 0;
    }
    let sum = reduce_add(value);
    if local == 0 {
        sums[workgroup_id.x] = sum;
        extra[workgroup_id.x] = vec2u32(sum, 1);
    }
}
";
    let mut case = case(parse(text), OpTable::default());
    case.grid = [3, 1, 1];
    let fails = |case: &Case| {
        let Some(outcome) = outcome(case) else { return false };
        let sums = outcome.contents.get("sums").map(|bytes| words(bytes)).unwrap_or_default();
        sums.windows(2).any(|pair| pair[0] > 400 && pair[1] == pair[0]) && case.program.workgroup_invocations() > 2
    };
    let (small, _) = checked_reduce(&case, &fails);
    check_round_trip(&small, &outcome(&small).expect("no races"));
    assert_eq!((small.grid, small.program.workgroup_invocations()), ([2, 1, 1], 3));
    assert_eq!(small.contents, BTreeMap::from([("sums".into(), vec![0; 8])]));
    // `if local_id.y == 0 { sums[workgroup_id.x] = 401; }`
    assert!(size(&small.program) <= 7, "{}", small.program);
}

#[test]
fn words_of_contents() {
    let text = "workgroup_size 1; buffer data: read u32 @0; buffer more: read u32 @1; entry { let x = data[1]; }";
    let case = case(parse(text), OpTable::default());
    let (small, tests) = checked_reduce(&case, &|case| {
        let words = case.contents.get("data").map(|bytes| words(bytes)).unwrap_or_default();
        words.get(5).is_some_and(|&word| word > 1_000) && words.get(2).is_some_and(|&word| word > 0)
    });
    let expected = [0u32, 0, 1, 0, 0, 1_001].map(u32::to_le_bytes).concat();
    assert_eq!(small.contents, BTreeMap::from([("data".into(), expected)]));
    assert_eq!(size(&small.program), 0);
    assert!(tests < 200, "{tests} tests");
}

#[test]
fn a_fault_in_an_op_is_found_without_the_op() {
    let quotient = "
workgroup_size 1;
buffer a: read u32 @0;
buffer b: read u32 @1;
buffer out: read_write u32 @2 output;
entry {
    let x = a[0] * 3;
    if b[0] > 100 { out[0] = x % b[0]; } else { out[b[0] * 0] = x / b[0]; }
}";
    let mean = "
workgroup_size 1;
buffer sum: read u32 @0;
buffer count: uniform u32 @1;
buffer out: read_write u32 @2 output;
entry {
    for i in 0..3 { let rest = sum[0] - i; out[0] = test.quotient(rest, count[0]) + i; }
}";
    let ops = OpTable::new([op("test.quotient", quotient), op("test.mean", mean), op("test.unused", quotient)]);
    let text = "
workgroup_size 4;
buffer data: read u32 @0;
buffer out: read_write u32 @1;
entry {
    let i = local_id.x;
    let mean = test.mean(data[i], data[i + 1] % 3);
    if mean > 7 { out[i] = mean; } else { out[i] = test.quotient(i, mean) + test.mean(i, 7); }
}";
    let case = Case { grid: [1; 3], ..case(parse(text), ops.expect("unique ids")) };

    let (small, _) = checked_reduce(&case, &|case| differs(case, &wrong_division));
    assert!(small.ops.is_empty(), "{}", small.program);
    assert!(size(&small.program) <= 6, "{}", small.program);
    check_round_trip(&small, &outcome(&small).expect("no races"));

    // Faulty calls stay.
    let (small, _) = checked_reduce(&case, &|case| differs(case, &wrong_call));
    assert_eq!(small.ops.len(), 1);
    assert!(small.ops.iter().all(|op| op.program.entry.is_empty() && op.signature.inputs.is_empty()));
    assert!(size(&small.program) <= 3, "{}", small.program);
    check_round_trip(&small, &outcome(&small).expect("no races"));

    // Ops that the failure depends on stay too.
    let (small, _) = checked_reduce(&case, &|case| {
        let divides = |op: &OpSpec| has_expr(&op.program, |expr| is_binary(expr, BinOp::Div));
        let calls = |expr: &Expr| matches!(expr, Expr::Call { op_id, .. } if case.ops.get(op_id).is_some_and(divides));
        has_expr(&case.program, calls)
    });
    assert_eq!(small.ops.len(), 1);
    assert!(small.ops.iter().all(|op| size(&op.program) <= 4), "{:?}", small.ops);
    assert!(size(&small.program) <= 2, "{}", small.program);
}

#[test]
fn programs_of_the_corpus_make_files() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/run");
    let ops = op_table(&corpus.join("ops")).unwrap_or_else(|error| panic!("{error}"));
    for topic in ["calls", "memory"] {
        for path in corpus::program_files(&corpus.join(topic)).expect("a readable topic") {
            let program = parse(&std::fs::read_to_string(path).expect("a readable file"));
            let case = case(program, ops.clone());
            // Contents other than those of the corpus may cause races or long loops.
            if let Some(outcome) = outcome_within(&case, Some(Duration::from_millis(300))) {
                check_round_trip(&case, &outcome);
            }
        }
    }
}

#[test]
fn names_that_comments_cannot_hold() {
    let text = "
workgroup_size 1;
buffer `a = u32: 1`: read u32 @0;
buffer `two words`: read_write u32 @1;
buffer plain: read_write u32 @2;
entry { `two words`[0] = `a = u32: 1`[1]; plain[0] = `odd op`(3); }";
    let ops = OpTable::new([op(
        "odd op",
        "workgroup_size 1; buffer a: read u32 @0; buffer `//`: read_write u32 @1 output; entry { `//`[0] = a[0]; }",
    )]);
    let case = case(parse(text), ops.expect("unique ids"));
    let case = Case { grid: [1; 3], ..case };
    let files = corpus_file(&case, &outcome(&case).expect("no races").contents);
    let ops = corpus::op_texts(files.ops.as_deref().unwrap_or_default()).expect("a file of ops");
    let ops = OpTable::new(ops.iter().map(|found| op(&found.id, &found.text))).expect("unique ids");
    let runs = check_file(&files.program, &ops, &ReferenceDevice::new(), &RunOptions::default());
    assert_eq!(runs.unwrap_or_else(|failure| panic!("{failure}\n{}", files.program)), 1);

    // The reducer normalizes names.
    let (small, _) = checked_reduce(&case, &|case| {
        differs(case, &|expr| {
            if matches!(expr, Expr::Load { .. }) {
                *expr = Expr::LitU32(99);
            }
        })
    });
    check_round_trip(&small, &outcome(&small).expect("no races"));
}

#[test]
fn incomplete_words_are_rounded_where_possible() {
    let text = "workgroup_size 1; buffer a: read u32 @0; buffer out: read_write u32 @1; entry { out[0] = a[0]; }";
    let mut case = case(parse(text), OpTable::default());
    case.contents.insert("a".into(), vec![7; 11]);
    let (small, _) = checked_reduce(&case, &|case| case.contents.get("a").is_some_and(|bytes| bytes.len() >= 6));
    assert_eq!(small.contents.get("a"), Some(&vec![0; 8]));

    let is_odd = |case: &Case| case.contents.get("a").is_some_and(|bytes| bytes.len() % 4 == 3 && bytes[2] != 0);
    let (small, _) = checked_reduce(&case, &is_odd);
    assert_eq!(small.contents, BTreeMap::from([("a".into(), vec![7; 3])]));
    let files = corpus_file(&small, &small.contents);
    assert!(files.program.contains("// in a = bytes: 7*3\n// expect a = bytes: 7*3\n"), "{}", files.program);
    check_round_trip(&small, &outcome(&small).expect("no races"));
}

/// Runs on a stack of 1 MiB.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run).expect("a thread");
    thread.join().expect("no overflow and no panic");
}

#[test]
fn deep_chains() {
    const DEPTH: u32 = 20_000;
    let left = |chain: Expr, i: u32| chain + i;
    let right = |chain: Expr, i: u32| Expr::binary(BinOp::Sub, i, chain);
    let extracts = |chain: Expr, _: u32| chain.cast(DataType::U64).lane(1);
    let steps: [fn(Expr, u32) -> Expr; 3] = [left, right, extracts];
    for step in steps {
        on_a_small_stack(move || {
            let chain = (0..DEPTH / 2).fold(Expr::from(1u32), step);
            let chain = Expr::binary(BinOp::MulHi, chain, 3u32);
            let value = (0..DEPTH / 2).fold(chain, step);
            let out = BufferDecl::output("out", 0, DataType::U32);
            let program = Program::new(vec![out], [1, 1, 1], vec![Node::store("out", 0u32, value)]);
            let fails = |case: &Case| has_expr(&case.program, |expr| is_binary(expr, BinOp::MulHi));
            let (small, tests) = checked_reduce(&case(program, OpTable::default()), &fails);
            assert_eq!(size(&small.program), 4, "{}", small.program);
            assert!(tests < 1_000, "{tests} tests");
        });
    }
}

#[test]
fn chains_of_variables() {
    let chain = |i: u32| format!("let x{} = x{i} + {i};", i + 1);
    let lets: String = (0..300).map(chain).collect();
    let text = format!(
        "workgroup_size 1; buffer out: read_write u32 @0; entry {{ let x0 = 5 / out[100]; {lets} out[0] = x300; }}"
    );
    let case = case(parse(&text), OpTable::default());
    let (small, tests) = checked_reduce(&Case { grid: [1; 3], ..case }, &|case| differs(case, &wrong_division));
    assert_eq!(size(&small.program), 5, "{}", small.program);
    assert!(tests < 1_000, "{tests} tests");
}

/// The guarantees hold for an arbitrary predicate.
#[test]
fn any_predicate_will_do() {
    for (seed, program) in valid_programs(20, 300).take(20).enumerate() {
        let fails = |case: &Case| {
            let mut hasher = DefaultHasher::new();
            (seed, text::print(&case.program), case.grid, &case.contents).hash(&mut hasher);
            !hasher.finish().is_multiple_of(4)
        };
        let case = case(program, OpTable::default());
        if fails(&case) {
            let (small, _) = checked_reduce(&case, &fails);
            assert!(size(&small.program) <= size(&case.program));
            let (again, _) = checked_reduce(&case, &fails);
            assert_eq!((again.program, again.grid, again.contents), (small.program, small.grid, small.contents));
        }
    }
}

#[test]
fn limits_and_cases_that_do_not_fail() {
    let program = valid_programs(300, 1600).next().expect("a program");
    let case = case(program, OpTable::default());
    for limit in [0, 1, 2, 17] {
        let mut tests = 0;
        let limits = ReduceLimits { tests: limit, time: None };
        reduce(&case, &limits, &mut |case| {
            tests += 1;
            size(&case.program) > 100
        });
        assert_eq!(tests, limit);
    }
    let none = ReduceLimits { tests: u64::MAX, time: Some(Duration::ZERO) };
    assert_eq!(reduce(&case, &none, &mut |_| true).program, case.program);

    let same = reduce(&case, &ReduceLimits::default(), &mut |_| false);
    assert_eq!(same.program, case.program);
    let invalid = Case { program: parse("workgroup_size 0; entry {}"), ..case };
    let same = reduce(&invalid, &ReduceLimits::default(), &mut |_| panic!("asked of an invalid program"));
    assert_eq!(same.program, invalid.program);
    let everything = reduce(&same, &ReduceLimits::default(), &mut |_| true);
    assert_eq!(everything.program, invalid.program);
}
