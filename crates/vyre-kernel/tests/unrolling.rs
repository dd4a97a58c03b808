//! Size limits of unrolling, and its position in the pipeline.

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

/// Nested loops of `iterations` each, with `body` in the innermost.
fn nest(depth: usize, iterations: u32, body: Vec<Node>) -> Vec<Node> {
    let wrap = |body, depth: usize| vec![Node::for_loop(format!("i{depth}").as_str(), 0u32, iterations, body)];
    (0..depth).rev().fold(body, wrap)
}

fn store() -> Vec<Node> {
    vec![Node::store("out", Expr::var("i0"), 7u32)]
}

/// Maximum nesting depth of a valid program.
const MAX_DEPTH: usize = 64;

#[test]
fn nested_loops_grow_to_at_most_256_statements() {
    // A comparison and a store, 2^7 times, and the remaining loops.
    let deep = unrolled(&kernel(nest(MAX_DEPTH, 2, store())));
    assert_eq!((deep.statement_count(), loops(&deep)), (256 + MAX_DEPTH - 7, MAX_DEPTH - 7));
    let long = unrolled(&kernel(nest(MAX_DEPTH, 16, store())));
    assert_eq!((long.statement_count(), loops(&long)), (32 + MAX_DEPTH - 1, MAX_DEPTH - 1));
}

#[test]
fn nested_loops_of_one_iteration_become_the_innermost_body() {
    let single = unrolled(&kernel(nest(MAX_DEPTH, 1, store())));
    assert_eq!((single.statement_count(), loops(&single)), (2, 0));
}

#[test]
fn empty_loops_are_removed() {
    assert_eq!(unrolled(&kernel(nest(MAX_DEPTH, 16, Vec::new()))).statement_count(), 0);
    assert_eq!(unrolled(&kernel(nest(MAX_DEPTH, u32::MAX, Vec::new()))).statement_count(), 0);
}

#[test]
fn a_large_kernel_grows_to_at_most_four_times_its_size() {
    let iteration = vec![Node::store("out", Expr::var("i"), 7u32)];
    let body: Vec<Node> = (0..15_000).map(|_| Node::for_loop("i", 0u32, 16u32, iteration.clone())).collect();
    let before = kernel(body);
    let after = unrolled(&before);
    let (most, count) = (4 * before.statement_count() + 4096, after.statement_count());
    assert!(count <= most && count + 32 > most, "{count} of {most}");
    // The first loops are unrolled up to the limit.
    let stays: Vec<bool> = after.blocks[after.entry]
        .statements
        .iter()
        .map(|statement| matches!(statement, Statement::Loop { .. }))
        .collect();
    assert!(stays.is_sorted() && !stays[0] && stays[stays.len() - 1]);
    // All loops of a small kernel are unrolled.
    let small = kernel(nest(1, 16, vec![Node::store("out", Expr::var("i0"), Expr::var("i0") * 3u32)]));
    assert_eq!(unrolled(&small).statement_count(), 48);
}

#[test]
fn the_standard_pipelines_differ_only_in_unrolling() {
    let mut names: Vec<&str> = PassPipeline::standard_with_unrolling().names().collect();
    assert_eq!(names[..7], ["promote", "fold", "promote", "fold", "unroll", "fold", "promote"]);
    names.drain(4..7);
    assert_eq!(names, PassPipeline::standard().names().collect::<Vec<&str>>());
}
