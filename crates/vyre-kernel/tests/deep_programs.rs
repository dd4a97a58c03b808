//! Lowering, optimization, verification and printing of programs at the limits of depth and size, on a stack of 1 MiB.

use vyre_ir::{
    BinOp, BufferDecl, Collective, DataType, Expr, Name, Node, OpSignature, OpSpec, OpTable, Program, ReduceOp, UnOp,
    validate,
};
use vyre_kernel::{PassPipeline, lower, verify};

const STACK: usize = 1 << 20;

/// Depth of the chains of expressions.
const DEPTH: u32 = 90_000;

fn exercise(name: &'static str, build: impl FnOnce() -> (Program, OpTable) + Send + 'static) {
    let run = move || {
        let (program, ops) = build();
        let valid = validate(&program, &ops).unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
        assert!(valid.expanded_node_count() > 80_000, "{name}: {} nodes", valid.expanded_node_count());
        let mut kernel = lower(&valid).unwrap_or_else(|error| panic!("{name}: {error}"));
        verify(&kernel).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (before, mut unrolled) = (kernel.to_string().len(), kernel.clone());
        let pipeline = PassPipeline::standard_with_unrolling().verify(true);
        pipeline.run(&mut unrolled).unwrap_or_else(|error| panic!("{name}: {error}"));
        let pipeline = PassPipeline::standard().verify(true);
        pipeline.run(&mut kernel).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(kernel.to_string().len() <= before, "{name}");
        drop(kernel.clone());
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    thread.join().expect("no overflow and no panic");
}

fn store(value: Expr) -> (Program, OpTable) {
    let out = BufferDecl::output("out", 0, DataType::U32);
    (Program::new(vec![out], [1, 1, 1], vec![Node::store("out", 0u32, value)]), OpTable::default())
}

#[test]
fn unary_chain() {
    let leaf = || Expr::load("out", 3u32);
    exercise("unary", move || store((0..DEPTH).fold(leaf(), |chain, _| Expr::unary(UnOp::Popcount, chain))));
}

#[test]
fn binary_chain_to_the_left() {
    let leaf = || Expr::load("out", 3u32);
    exercise("left", move || store((0..DEPTH / 2).fold(leaf(), |chain, i| Expr::binary(BinOp::Div, chain, i))));
}

#[test]
fn binary_chain_to_the_right() {
    exercise("right", || store((0..DEPTH / 2).fold(Expr::from(1u32), |chain, i| Expr::binary(BinOp::Mod, i, chain))));
}

#[test]
fn loads_through_loads() {
    exercise("loads", || store((0..DEPTH).fold(Expr::from(1u32), |chain, _| Expr::load("out", chain))));
}

#[test]
fn collectives_of_collectives() {
    exercise("collectives", || {
        let step = |chain: Expr, _| Expr::Collective(Collective::Reduce { op: ReduceOp::Add, value: Box::new(chain) });
        store((0..DEPTH).fold(Expr::from(1u32), step))
    });
}

#[test]
fn casts_and_components() {
    exercise("casts", || {
        let step = |chain: Expr, _| chain.cast(DataType::Bool).cast(DataType::U64).lane(1);
        store((0..DEPTH / 3).fold(Expr::load("out", 3u32), step))
    });
}

/// Loops nested to the limit.
#[test]
fn loops_nested_to_the_limit() {
    exercise("nested", || {
        let statement = |at: u32| Node::store("out", at, Expr::var("i63") + Expr::var("i1") * Expr::var("i0"));
        let mut body: Vec<Node> = (0..14_000).map(statement).collect();
        for depth in (0..64).rev() {
            body = vec![Node::for_loop(format!("i{depth}").as_str(), 0u32, 2u32, body)];
        }
        (Program::new(vec![BufferDecl::output("out", 0, DataType::U32)], [1, 1, 1], body), OpTable::default())
    });
}

/// A chain of thirty ops that return from loops, called at a deep nesting level.
#[test]
fn calls_to_the_limit() {
    exercise("calls", || {
        let op = |at: u32| {
            let id = |at: u32| format!("test.level{at}");
            let inner = match at {
                0 => Expr::load("x", 0u32),
                _ => Expr::Call { op_id: Name::from(id(at - 1)), args: vec![Expr::load("x", 0u32)] },
            };
            let leave = vec![Node::store("out", 0u32, inner), Node::Return];
            let body = vec![Node::for_loop("i", 0u32, 3u32, vec![Node::if_then(Expr::var("i"), leave)])];
            let buffers = vec![BufferDecl::read("x", 0, DataType::U32), BufferDecl::output("out", 1, DataType::U32)];
            OpSpec {
                id: Name::from(id(at)),
                version: 1,
                signature: OpSignature { inputs: vec![DataType::U32], output: DataType::U32 },
                inlinable: true,
                program: Program::new(buffers, [1, 1, 1], body),
            }
        };
        let ops = OpTable::new((0..30).map(op)).expect("distinct ids");
        let calls = |_| {
            let args = vec![Expr::from(1u32)];
            Node::store("out", 0u32, Expr::Call { op_id: Name::from("test.level29"), args })
        };
        let body = (0..250).map(calls).collect();
        (Program::new(vec![BufferDecl::output("out", 0, DataType::U32)], [1, 1, 1], body), ops)
    });
}

#[test]
fn many_variables_and_buffers() {
    exercise("variables", || {
        let mut buffers = vec![BufferDecl::output("out", 0, DataType::U32)];
        let mut body = Vec::new();
        for at in 0..6_500u32 {
            buffers.push(BufferDecl::read_write(format!("b{at}").as_str(), at + 1, DataType::U32));
            body.push(Node::let_bind(format!("x{at}").as_str(), Expr::load("out", at)));
        }
        let mut statements = Vec::new();
        for at in 0..6_500u32 {
            let name = format!("x{at}");
            statements.push(Node::assign(name.as_str(), Expr::var(name.as_str()) + 1u32));
            statements.push(Node::store(format!("b{at}").as_str(), at, Expr::var(name.as_str())));
            statements.push(Node::if_then(Expr::var(name.as_str()), vec![Node::assign(name.as_str(), 0u32)]));
        }
        body.push(Node::for_loop("i", 0u32, 4u32, statements));
        (Program::new(buffers, [1, 1, 1], body), OpTable::default())
    });
}
