//! What unrolling may make of a kernel at most, and where it stands among the passes.

use vyre_ir::{BufferDecl, DataType, Expr, Node, OpTable, Program, validate};
use vyre_kernel::{Kernel, PassPipeline, Statement, lower};

fn kernel(body: Vec<Node>) -> Kernel {
    let program = Program::new(vec![BufferDecl::output("out", 0, DataType::U32)], [1, 1, 1], body);
    let ops = OpTable::default();
    let valid = validate(&program, &ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    lower(&valid).expect("it lowers")
}

fn unrolled(kernel: &Kernel) -> Kernel {
    let mut unrolled = kernel.clone();
    let pipeline = PassPipeline::of(["unroll"]).expect("a pass").verify(true);
    pipeline.run(&mut unrolled).unwrap_or_else(|error| panic!("{error}"));
    unrolled
}

fn loops(kernel: &Kernel) -> usize {
    let mut count = 0;
    kernel.for_each_statement(|statement| count += usize::from(matches!(statement, Statement::Loop { .. })));
    count
}

/// Loops of so many rounds in each other, `body` in the innermost.
fn nest(depth: usize, rounds: u32, body: Vec<Node>) -> Vec<Node> {
    let around = |body, depth: usize| vec![Node::for_loop(format!("i{depth}").as_str(), 0u32, rounds, body)];
    (0..depth).rev().fold(body, around)
}

fn store() -> Vec<Node> {
    vec![Node::store("out", Expr::var("i0"), 7u32)]
}

/// As deep as is valid: a `for` is a body of its own.
const DEEPEST: usize = 64;

#[test]
fn a_nest_becomes_256_statements_at_most() {
    // A comparison and a store, times 2 to the power of 7, and the loops that stay.
    let deep = unrolled(&kernel(nest(DEEPEST, 2, store())));
    assert_eq!((deep.statement_count(), loops(&deep)), (256 + DEEPEST - 7, DEEPEST - 7));
    let long = unrolled(&kernel(nest(DEEPEST, 16, store())));
    assert_eq!((long.statement_count(), loops(&long)), (32 + DEEPEST - 1, DEEPEST - 1));
}

#[test]
fn a_nest_of_single_rounds_becomes_its_innermost_body() {
    let single = unrolled(&kernel(nest(DEEPEST, 1, store())));
    assert_eq!((single.statement_count(), loops(&single)), (2, 0));
}

#[test]
fn rounds_in_which_nothing_is_done_take_no_time() {
    assert_eq!(unrolled(&kernel(nest(DEEPEST, 16, Vec::new()))).statement_count(), 0);
    assert_eq!(unrolled(&kernel(nest(DEEPEST, u32::MAX, Vec::new()))).statement_count(), 0);
}

#[test]
fn a_large_kernel_becomes_four_times_as_large_at_most() {
    let round = vec![Node::store("out", Expr::var("i"), 7u32)];
    let body: Vec<Node> = (0..15_000).map(|_| Node::for_loop("i", 0u32, 16u32, round.clone())).collect();
    let before = kernel(body);
    let after = unrolled(&before);
    let (most, count) = (4 * before.statement_count() + 4096, after.statement_count());
    assert!(count <= most && count + 32 > most, "{count} of {most}");
    // The first loops go, so long as there is room.
    let stays: Vec<bool> = after.blocks[after.entry]
        .statements
        .iter()
        .map(|statement| matches!(statement, Statement::Loop { .. }))
        .collect();
    assert!(stays.is_sorted() && !stays[0] && stays[stays.len() - 1]);
    // There is room for all of a small kernel.
    let small = kernel(nest(1, 16, vec![Node::store("out", Expr::var("i0"), Expr::var("i0") * 3u32)]));
    assert_eq!(unrolled(&small).statement_count(), 48);
}

#[test]
fn nothing_else_differs_between_the_standard_pipelines() {
    let mut names: Vec<&str> = PassPipeline::standard_with_unrolling().names().collect();
    assert_eq!(names[..7], ["promote", "fold", "promote", "fold", "unroll", "fold", "promote"]);
    names.drain(4..7);
    assert_eq!(names, PassPipeline::standard().names().collect::<Vec<&str>>());
}
