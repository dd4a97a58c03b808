//! Programs as deep and as large as the limits allow, on a stack of 1 MiB.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use vyre_ir::{
    AtomicOp, BinOp, BufferDecl, Collective, DEFAULT_MAX_NODE_COUNT, DataType, Expr, Node, OpTable, Program, ReduceOp,
    Rule, UnOp, text, validate, wire,
};

const STACK: usize = 1 << 20;

/// Depth of the chains of expressions.
const DEPTH: u32 = 90_000;

/// Runs everything that traverses a program on a small stack.
fn exercise(name: &'static str, build: impl FnOnce() -> Program + Send + 'static) {
    let run = move || {
        let program = build();
        let copy = program.clone();
        assert!(program == copy, "{name}: a clone differs");
        let hash = |program: &Program| {
            let mut hasher = DefaultHasher::new();
            program.hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hash(&program), hash(&copy), "{name}");
        drop(copy);

        let printed = text::print(&program);
        assert_eq!(format!("{program:?}"), printed, "{name}");
        let parsed = text::parse(&printed).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(parsed.program == program, "{name}: the text differs");
        assert!(text::format(&printed).is_ok_and(|formatted| formatted == printed), "{name}");

        let decoded = wire::from_wire(&wire::to_wire(&program)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(decoded == program, "{name}: the wire form differs");

        let ops = OpTable::default();
        let valid = validate(&program, &ops).unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
        assert!(valid.node_count() > 80_000, "{name}: {} nodes", valid.node_count());
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    thread.join().expect("no overflow and no panic");
}

fn store(value: Expr) -> Program {
    let out = BufferDecl::output("out", 0, DataType::U32);
    Program::new(vec![out], [1, 1, 1], vec![Node::store("out", 0u32, value)])
}

#[test]
fn unary_chain() {
    exercise("unary", || store((0..DEPTH).fold(Expr::from(1u32), |chain, _| Expr::unary(UnOp::Negate, chain))));
}

#[test]
fn binary_chain_to_the_left() {
    exercise("left", || store((0..DEPTH / 2).fold(Expr::from(1u32), |chain, i| chain + i)));
}

#[test]
fn binary_chain_to_the_right() {
    exercise("right", || store((0..DEPTH / 2).fold(Expr::from(1u32), |chain, i| Expr::binary(BinOp::Sub, i, chain))));
}

#[test]
fn casts_and_components() {
    exercise("casts", || {
        let step = |chain: Expr, _| chain.cast(DataType::U64).lane(1);
        store((0..DEPTH / 2).fold(Expr::from(1u32), step))
    });
}

#[test]
fn loads_through_loads() {
    exercise("loads", || store((0..DEPTH).fold(Expr::from(1u32), |chain, _| Expr::load("out", chain))));
}

#[test]
fn workgroup_atomics_of_workgroup_atomics() {
    exercise("workgroup atomics", || {
        let step = |chain: Expr, _| Expr::workgroup_atomic(AtomicOp::Add, "tile", 0u32, chain);
        let tile = BufferDecl::workgroup("tile", 1, DataType::U32);
        let value = (0..DEPTH / 2).fold(Expr::from(1u32), step);
        Program::new(vec![tile], [1, 1, 1], vec![Node::let_bind("x", value)])
    });
}

#[test]
fn collectives_of_collectives() {
    exercise("collectives", || {
        let step = |chain: Expr, _| Expr::Collective(Collective::Reduce { op: ReduceOp::Add, value: Box::new(chain) });
        store((0..DEPTH).fold(Expr::from(1u32), step))
    });
}

#[test]
fn a_flat_program_of_99_000_statements() {
    exercise("flat", || Program::new(vec![], [1, 1, 1], (0..99_000).map(|_| Node::Barrier).collect()));
}

#[test]
fn exactly_the_limit_passes_and_one_more_does_not() {
    let ops = OpTable::default();
    let barriers = |count| Program::new(vec![], [1, 1, 1], (0..count).map(|_| Node::Barrier).collect());
    assert!(validate(&barriers(DEFAULT_MAX_NODE_COUNT), &ops).is_ok());
    let program = barriers(DEFAULT_MAX_NODE_COUNT + 1);
    let errors = validate(&program, &ops).expect_err("beyond the limit");
    assert_eq!(errors.len(), 1);
    assert_eq!((errors[0].rule, errors[0].path.as_str()), (Rule::V019, "entry[100000]"));
}

/// A rule rejects statements that are nested beyond the limit; the stack does not overflow.
#[test]
fn blocks_nested_beyond_every_limit() {
    let run = || {
        let deep = |wrap: fn(Vec<Node>) -> Node| (0..20_000).fold(Node::Return, |inner, _| wrap(vec![inner]));
        for wrap in [
            Node::Block as fn(Vec<Node>) -> Node,
            |body| Node::if_then(true, body),
            |body| Node::if_then_else(true, Vec::new(), body),
            |body| Node::for_loop("i", 0u32, 1u32, body),
        ] {
            let program = Program::new(vec![], [1, 1, 1], vec![deep(wrap)]);
            let copy = program.clone();
            assert!(copy == program);
            let printed = text::print(&program);
            let parsed = text::parse(&printed).unwrap_or_else(|error| panic!("{error}"));
            assert!(parsed.program == program);
            assert!(wire::from_wire(&wire::to_wire(&program)).is_ok_and(|decoded| decoded == program));
            let errors = validate(&program, &OpTable::default()).map(|_| ()).expect_err("too deep");
            assert!(matches!(errors[0].rule, Rule::V018 | Rule::V019), "{}", errors[0]);
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    thread.join().expect("no overflow and no panic");
}

/// Many mistakes at the end of a deep chain take linear time and memory, and their paths are abbreviated.
#[test]
fn many_mistakes_in_a_deep_chain() {
    let chain =
        (0..49_000).fold(Expr::var("missing"), |chain, _| Expr::binary(BinOp::Add, Expr::var("missing"), chain));
    let program = store(chain);
    let errors = validate(&program, &OpTable::default()).map(|_| ()).expect_err("the variable is not declared");
    assert_eq!((errors.len(), errors.omitted()), (10_000, 39_001));
    assert!(errors.iter().all(|error| error.rule == Rule::V006 && error.path.len() < 400));
    let last = &errors[9_999].path;
    assert!(last.starts_with("entry[0].value.right.right") && last.contains("more>"), "{last}");
    // The frames of one statement are cut from one line, which is printed once.
    let rendered = errors.to_string();
    assert_eq!(rendered.matches("error[V006]").count(), 10_000);
    assert_eq!(rendered.matches("\n 6 | ").count(), 10_000, "{}", &rendered[..1000]);
}

/// Operands of a type without operators are one mistake, however many operations they are in.
#[test]
fn one_mistake_in_a_deep_chain() {
    let chain = (0..49_000).fold(Expr::from(true), |chain, _| Expr::binary(BinOp::Add, true, chain));
    let program = store(chain);
    let errors = validate(&program, &OpTable::default()).map(|_| ()).expect_err("operands are bool");
    let paths: Vec<_> = errors.iter().map(|error| (error.rule, error.path.ends_with(".left"))).collect();
    assert_eq!(paths, [(Rule::V021, true), (Rule::V021, false)]);
}
