//! Differential test of the uniformity analysis of the validator against the oracle, on generated programs and the corpus.

use std::path::Path;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use vyre_conform::arbitrary::{arb_plausible_program, arb_valid_program, config};
use vyre_conform::program_from_bytes;
use vyre_conform::properties::check_uniformity;
use vyre_conform::uniformity_oracle::divergence;
use vyre_ir::build::{broadcast, local_id, reduce, shuffle, workgroup_id};
use vyre_ir::{BufferDecl, DataType, Event, Expr, Node, Program, ReduceOp, Rule, Traversal, text};

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn plausible_programs(program in arb_plausible_program()) {
        check_uniformity(&program);
    }

    #[test]
    fn programs_from_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check_uniformity(&program_from_bytes(&bytes));
    }

    #[test]
    fn valid_programs_have_no_divergence(program in arb_valid_program()) {
        prop_assert_eq!(divergence(&program), Default::default());
    }
}

#[test]
fn the_corpus() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/validate");
    for rule in [Rule::V010, Rule::V037, Rule::V046] {
        for path in vyre_conform::corpus::program_files(&directory.join(rule.code())).expect("a readable directory") {
            let source = std::fs::read_to_string(&path).expect("a readable file");
            let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            check_uniformity(&parsed.program);
        }
    }
}

/// Variables that every control-flow program binds first.
const VARIABLES: [&str; 4] = ["a", "b", "c", "d"];

/// Values that are uniform, divergent, or as uniform as a variable.
fn arb_value() -> impl Strategy<Value = Expr> {
    let variable = || prop::sample::select(&VARIABLES[..]).prop_map(Expr::var);
    prop_oneof![
        4 => variable(),
        2 => variable().prop_map(|value| value + 1u32),
        2 => variable().prop_map(|index| Expr::load("input", index)),
        1 => variable().prop_map(|value| reduce(ReduceOp::Add, value)),
        1 => (variable(), variable()).prop_map(|(value, lane)| broadcast(value, lane)),
        1 => variable().prop_map(|value| shuffle(value, 0u32)),
        2 => Just(workgroup_id(0)),
        1 => Just(local_id(0)),
        1 => Just(Expr::load("out", 0u32)),
    ]
}

/// Statements that make control flow, each body a few statements long.
fn arb_control_flow() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        4 => (prop::sample::select(&VARIABLES[..]), arb_value()).prop_map(|(name, value)| Node::assign(name, value)),
        3 => Just(Node::Barrier),
        1 => Just(Node::Break),
        1 => Just(Node::Return),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            2 => (arb_value(), body(), body()).prop_map(|(cond, then, otherwise)| Node::if_then_else(cond, then, otherwise)),
            2 => (arb_value(), body()).prop_map(|(to, body)| Node::for_loop("i", 0u32, to, body)),
            1 => body().prop_map(Node::Block),
        ]
    })
}

fn arb_control_flow_program() -> impl Strategy<Value = Program> {
    prop::collection::vec(arb_control_flow(), 0..8).prop_map(|statements| {
        let buffers =
            vec![BufferDecl::read("input", 0, DataType::U32), BufferDecl::read_write("out", 1, DataType::U32)];
        let mut entry: Vec<Node> = VARIABLES.iter().map(|&name| Node::let_bind(name, 0u32)).collect();
        entry.extend(statements);
        Program::new(buffers, [32, 1, 1], entry)
    })
}

proptest! {
    #![proptest_config(config(5_000))]

    /// Nested loops all bind `i`, which V008 rejects. Renaming makes them valid.
    #[test]
    fn control_flow(mut program in arb_control_flow_program()) {
        rename_loop_variables(&mut program);
        check_uniformity(&program);
    }
}

/// Gives each loop a unique variable.
fn rename_loop_variables(program: &mut Program) {
    let mut pending: Vec<&mut Vec<Node>> = vec![&mut program.entry];
    let mut count = 0;
    while let Some(body) = pending.pop() {
        for node in body {
            match node {
                Node::Loop { var, body, .. } => {
                    count += 1;
                    *var = format!("i{count}").into();
                    pending.push(body);
                }
                Node::If { then, otherwise, .. } => pending.extend([then, otherwise]),
                Node::Block(body) => pending.push(body),
                _ => {}
            }
        }
    }
}

/// The programs must have both uniform and divergent barriers and collectives.
#[test]
fn control_flow_is_on_both_sides_of_the_rules() {
    let mut runner = TestRunner::deterministic();
    let (mut barriers, mut divergent) = (0, 0);
    let (mut programs, mut mixed) = (0, 0);
    for _ in 0..1_000 {
        let mut program = arb_control_flow_program().new_tree(&mut runner).expect("a program").current();
        rename_loop_variables(&mut program);
        let all = Traversal::new(&program).filter(|event| matches!(event, Event::Statement(Node::Barrier))).count();
        let found = divergence(&program).barriers.len();
        barriers += all;
        divergent += found;
        programs += usize::from(all > 0);
        mixed += usize::from(found > 0 && found < all);
    }
    println!("{barriers} barriers, {divergent} divergent; {programs} programs with barriers, {mixed} with both kinds");
    assert!(divergent > 500 && barriers - divergent > 500 && mixed > 100);
}
