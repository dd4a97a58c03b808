//! Public names of the specification: every type, variant, field, function and constant that it prints exists under its name, with
//! the printed value.
//!
//! The planned types, operators of floats and tensors, `WorkgroupAtomic` and `compression.deflate` do not
//! exist yet. `MAX_BFS_QUEUE` does not exist because the supplement replaces the fixed queue by a buffer.

use vyre::ir::types::{BufferAccess, Convention, DataType, OpSignature};
use vyre::ir::{
    AtomicOp, BinOp, BufferDecl, Collective, Expr, Node, OpSpec, OpTable, Program, ReduceOp, Rule, UnOp, text,
    validate, wire,
};

/// A boxed literal.
fn one() -> Box<Expr> {
    Box::new(Expr::LitU32(1))
}

#[test]
fn types_of_values() {
    let sizes = [
        (DataType::U32, 4),
        (DataType::I32, 4),
        (DataType::U64, 8),
        (DataType::Vec2U32, 8),
        (DataType::Vec4U32, 16),
        (DataType::Bool, 4),
        (DataType::Bytes, 0),
    ];
    for (ty, bytes) in sizes {
        assert_eq!(ty.min_bytes(), bytes, "{ty:?}");
    }
    let accesses = [BufferAccess::ReadOnly, BufferAccess::ReadWrite, BufferAccess::Uniform, BufferAccess::Workgroup];
    assert_eq!(accesses, BufferAccess::ALL);
    assert!(matches!(Convention::V2 { lookup_binding: 3 }, Convention::V2 { lookup_binding: 3 }));
    assert_eq!(Convention::default(), Convention::V1);
    let signature = OpSignature { inputs: vec![DataType::U32, DataType::U32], output: DataType::U32 };
    assert_eq!(signature.min_input_bytes(), 8);
}

#[test]
fn declarations_of_buffers() {
    let BufferDecl { name, binding, access, element, count, is_output } =
        BufferDecl::storage("data", 0, BufferAccess::ReadWrite, DataType::U32);
    assert_eq!(
        (&*name, binding, access, element, count, is_output),
        ("data", 0, BufferAccess::ReadWrite, DataType::U32, 0, false)
    );
    let declarations = [
        (BufferDecl::read("b", 1, DataType::U32), BufferAccess::ReadOnly),
        (BufferDecl::read_write("b", 1, DataType::U32), BufferAccess::ReadWrite),
        (BufferDecl::uniform("b", 1, DataType::U32), BufferAccess::Uniform),
        (BufferDecl::output("b", 1, DataType::U32), BufferAccess::ReadWrite),
        (BufferDecl::workgroup("b", 64, DataType::U32), BufferAccess::Workgroup),
    ];
    for (declaration, access) in &declarations {
        assert_eq!(declaration.access, *access);
    }
    assert_eq!((declarations[3].0.is_output, declarations[4].0.count), (true, 64));
}

/// One of each statement.
fn statements() -> Vec<Node> {
    let block = || vec![Node::Block(Vec::new())];
    vec![
        Node::Let { name: "a".into(), value: Expr::LitU32(1) },
        Node::Assign { name: "a".into(), value: Expr::LitU32(2) },
        Node::Store { buffer: "out".into(), index: Expr::LitU32(0), value: Expr::Var("a".into()) },
        Node::If { cond: Expr::LitBool(true), then: block(), otherwise: block() },
        Node::Loop { var: "i".into(), from: Expr::LitU32(0), to: Expr::LitU32(4), body: vec![Node::Break] },
        Node::Block(Vec::new()),
        Node::Barrier,
        Node::Return,
    ]
}

/// One of each expression.
fn expressions() -> Vec<Expr> {
    let collectives = [
        Collective::Broadcast { value: one(), lane: one() },
        Collective::Shuffle { value: one(), lane: one() },
        Collective::Reduce { op: ReduceOp::Add, value: one() },
        Collective::ScanExclusive { op: ReduceOp::Min, value: one() },
        Collective::ScanInclusive { op: ReduceOp::Max, value: one() },
        Collective::Ballot { predicate: one() },
    ];
    let others = [
        Expr::LitU32(1),
        Expr::LitI32(-1),
        Expr::LitBool(true),
        Expr::Var("a".into()),
        Expr::Load { buffer: "in".into(), index: one() },
        Expr::BufLen { buffer: "in".into() },
        Expr::InvocationId { axis: 0 },
        Expr::WorkgroupId { axis: 1 },
        Expr::LocalId { axis: 2 },
        Expr::NumWorkgroups { axis: 0 },
        Expr::BinOp { op: BinOp::Add, left: one(), right: one() },
        Expr::UnOp { op: UnOp::Negate, operand: one() },
        Expr::Call { op_id: "primitive.math.abs".into(), args: vec![Expr::LitU32(1)] },
        Expr::Select { cond: one(), true_val: one(), false_val: one() },
        Expr::Cast { target: DataType::I32, value: one() },
        Expr::Atomic { op: AtomicOp::Add, buffer: "out".into(), index: one(), expected: None, value: Some(one()) },
        Expr::WorkgroupAtomic {
            op: AtomicOp::Add,
            buffer: "tile".into(),
            index: one(),
            expected: None,
            value: Some(one()),
        },
        Expr::Extract { value: Box::new(Expr::Cast { target: DataType::U64, value: one() }), lane: 1 },
        Expr::Pack { ty: DataType::Vec2U32, lanes: vec![Expr::LitU32(1), Expr::LitU32(2)] },
    ];
    others.into_iter().chain(collectives.map(Expr::Collective)).collect()
}

#[test]
fn programs_statements_and_expressions() {
    let mut entry = statements();
    let lets = expressions().into_iter().enumerate();
    entry.splice(3..3, lets.map(|(number, value)| Node::Let { name: format!("e{number}").into(), value }));
    let program = Program {
        buffers: vec![
            BufferDecl::read("in", 0, DataType::U32),
            BufferDecl::output("out", 1, DataType::U32),
            BufferDecl::workgroup("tile", 4, DataType::U32),
        ],
        workgroup_size: [32, 1, 1],
        entry,
    };
    validate(&program, &vyre::ops::table()).expect("breaks no rule");
    assert_eq!(wire::from_wire(&wire::to_wire(&program)).as_ref(), Ok(&program));
    assert_eq!(text::parse(&text::print(&program)).expect("parses").program, program);
    assert!(wire::to_wire(&program).starts_with(b"VIR0"));
}

#[test]
fn operators() {
    use {AtomicOp as A, BinOp as B, ReduceOp as R, UnOp as U};
    let binary = [
        B::Add,
        B::Sub,
        B::Mul,
        B::Div,
        B::Mod,
        B::BitAnd,
        B::BitOr,
        B::BitXor,
        B::Shl,
        B::Shr,
        B::Eq,
        B::Ne,
        B::Lt,
        B::Gt,
        B::Le,
        B::Ge,
        B::And,
        B::Or,
        B::Min,
        B::Max,
        B::AbsDiff,
        B::MulHi,
    ];
    assert_eq!(binary, B::ALL);
    let unary = [U::Negate, U::BitNot, U::LogicalNot, U::Popcount, U::Clz, U::Ctz, U::ReverseBits];
    assert_eq!(unary, U::ALL);
    let atomic = [A::Add, A::Or, A::And, A::Xor, A::Min, A::Max, A::Exchange, A::CompareExchange, A::Load, A::Store];
    assert_eq!(atomic, A::ALL);
    let reductions = [R::Add, R::Min, R::Max, R::And, R::Or, R::Xor];
    assert!(reductions.iter().all(|op| R::ALL.contains(op)) && R::ALL.len() == 6);
}

#[test]
fn rules_and_limits() {
    use vyre::ir::{DEFAULT_MAX_CALL_DEPTH, DEFAULT_MAX_NESTING_DEPTH, DEFAULT_MAX_NODE_COUNT};

    assert_eq!((DEFAULT_MAX_CALL_DEPTH, DEFAULT_MAX_NESTING_DEPTH, DEFAULT_MAX_NODE_COUNT), (32, 64, 100_000));
    for number in 1..=25 {
        let code = format!("V{number:03}");
        assert_eq!(code.parse::<Rule>().expect("is a rule").code(), code);
    }
}

#[test]
fn ops_and_their_ids() {
    let families = [
        (
            "primitive.bitwise",
            "and or xor not shl shr rotl rotr popcount clz ctz reverse_bits extract_bits insert_bits",
        ),
        ("primitive.math", "add sub mul div mod min max clamp abs negate abs_diff"),
        ("primitive.compare", "eq ne lt gt le ge select logical_not"),
        ("graph", "bfs reachability"),
        ("compression", "lz4 zstd deflate zstd_full"),
        ("checksum", "xxh32 xxh64 crc32 adler32"),
    ];
    let known: Vec<&str> = vyre::ops::registry::known_op_ids().collect();
    for (family, names) in families {
        for name in names.split(' ') {
            let id = format!("{family}.{name}");
            assert!(known.contains(&&*id), "{id}");
            let op: &vyre::ops::Op = vyre::ops::find(&id).expect("is in the library");
            assert_eq!((op.version(), op.inlinable), (1, family.starts_with("primitive")), "{id}");
            assert_eq!(op.spec().program, op.program(), "{id}");
            if !op.inlinable {
                let bytes = OpSignature { inputs: vec![DataType::Bytes], output: DataType::Bytes };
                assert_eq!(op.signature(), bytes, "{id}");
            }
        }
    }
    let program = Program { buffers: Vec::new(), workgroup_size: [1, 1, 1], entry: Vec::new() };
    let signature = OpSignature { inputs: Vec::new(), output: DataType::U32 };
    let spec = OpSpec { id: "own.op".into(), version: 1, signature, inlinable: false, program };
    assert!(OpTable::new([spec]).expect("one op").get("own.op").is_some_and(|op| !op.inlinable));
}

/// Names of the buffers of the program of an op, by binding.
fn buffers(id: &str) -> Vec<(u32, String, BufferAccess)> {
    let program = vyre::ops::find(id).expect("is in the library").program();
    program.buffers.iter().map(|buffer| (buffer.binding, buffer.name.to_string(), buffer.access)).collect()
}

#[test]
fn graphs() {
    use vyre::graph::{
        CsrGraph, LABEL_NORMAL, LABEL_SANITIZER, LABEL_SINK, LABEL_SOURCE, LABEL_SOURCE_AND_SINK, Role, to_csr,
        to_csr_counted, try_to_csr,
    };
    use vyre::ops::graph::{Finding, reachable_nodes};

    let edges = [(0, 1), (1, 2), (2, 9)];
    let graph: CsrGraph = to_csr(3, &edges);
    assert_eq!(graph, CsrGraph { offsets: vec![0, 1, 2, 2], targets: vec![1, 2], node_data: vec![0, 0, 0] });
    assert!(graph.validate().is_ok());
    let counted = to_csr_counted(3, &edges).expect("there are few edges");
    assert_eq!((counted.graph, counted.omitted), (graph.clone(), 1));
    assert!(try_to_csr(3, &edges).is_err());
    let labels = [LABEL_NORMAL, LABEL_SOURCE, LABEL_SINK, LABEL_SOURCE_AND_SINK, LABEL_SANITIZER];
    assert_eq!(labels, [0, 1, 2, 3, 4]);
    assert_eq!(labels, Role::ALL.map(Role::number));
    let found = reachable_nodes(graph.view(), &[0], 1);
    assert_eq!(found, [Finding { source: 0, node: 1, depth: 1, source_index: 0 }]);
    use BufferAccess::{ReadOnly, ReadWrite, Uniform};
    let expected = [
        ("node_labels", ReadOnly),
        ("edge_offsets", ReadOnly),
        ("edge_targets", ReadOnly),
        ("source_nodes", ReadOnly),
        ("findings", ReadWrite),
        ("finding_count", ReadWrite),
        ("params", Uniform),
        ("visited_set", ReadWrite),
        ("queue", ReadWrite),
    ];
    let expected: Vec<_> =
        (0..).zip(expected).map(|(binding, (name, access))| (binding, name.to_owned(), access)).collect();
    assert_eq!(buffers("graph.bfs"), expected);
    assert_eq!(buffers("graph.reachability"), expected);
}

#[test]
fn compression() {
    use vyre::ops::compression::{
        DESCRIPTOR_WORDS, DeflateError, Lz4Error, STATUS_WORDS, STORED, ZstdError, ZstdFullError, deflate, lz4, zstd,
        zstd_full,
    };

    assert_eq!((DESCRIPTOR_WORDS, STATUS_WORDS, STORED), (5, 2, 1));
    let codes = [
        lz4::ERROR_NONE,
        lz4::ERROR_CORRUPT_TOKEN,
        lz4::ERROR_OFFSET_OOB,
        lz4::ERROR_OUTPUT_OVERFLOW,
        lz4::ERROR_LITERAL_OVERFLOW,
        lz4::ERROR_MATCH_OVERFLOW,
    ];
    assert_eq!(codes, [0, 1, 2, 3, 4, 5]);
    assert_eq!(codes[1..], Lz4Error::ALL.map(Lz4Error::code));
    let codes = [
        zstd::ERROR_NONE,
        zstd::ERROR_CORRUPT_BLOCK,
        zstd::ERROR_OUTPUT_OVERFLOW,
        zstd::ERROR_RLE_PAYLOAD_MISSING,
        zstd::ERROR_UNSUPPORTED_COMPRESSED_BLOCK,
    ];
    assert_eq!(codes, [0, 1, 2, 3, 4]);
    assert_eq!(codes[1..], ZstdError::ALL.map(ZstdError::code));
    let codes = [
        deflate::ERROR_NONE,
        deflate::ERROR_TRUNCATED,
        deflate::ERROR_BLOCK_TYPE,
        deflate::ERROR_STORED_LENGTH,
        deflate::ERROR_CODE_LENGTHS,
        deflate::ERROR_MISSING_END_OF_BLOCK,
        deflate::ERROR_INVALID_SYMBOL,
        deflate::ERROR_DISTANCE_OOB,
        deflate::ERROR_OUTPUT_OVERFLOW,
        deflate::ERROR_TRAILING_BYTES,
    ];
    assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(codes[1..], DeflateError::ALL.map(DeflateError::code));
    let codes = [
        zstd_full::ERROR_NONE,
        zstd_full::ERROR_CORRUPT_HEADER,
        zstd_full::ERROR_OUTPUT_OVERFLOW,
        zstd_full::ERROR_INPUT_TRUNCATED,
        zstd_full::ERROR_TRAILING_BYTES,
        zstd_full::ERROR_SKIPPABLE_FRAME,
        zstd_full::ERROR_DICTIONARY_REQUIRED,
        zstd_full::ERROR_WINDOW_TOO_LARGE,
        zstd_full::ERROR_CORRUPT_BLOCK,
        zstd_full::ERROR_CORRUPT_LITERALS,
        zstd_full::ERROR_CORRUPT_HUFFMAN_TREE,
        zstd_full::ERROR_CORRUPT_FSE_TABLE,
        zstd_full::ERROR_CORRUPT_SEQUENCES,
        zstd_full::ERROR_OFFSET_OOB,
        zstd_full::ERROR_CONTENT_SIZE_MISMATCH,
    ];
    assert_eq!(codes, std::array::from_fn(|code| code as u32));
    assert_eq!(codes[1..], ZstdFullError::ALL.map(ZstdFullError::code));
    for id in ["compression.lz4", "compression.zstd", "compression.deflate", "compression.zstd_full"] {
        let is_bound = |buffer: &(u32, String, BufferAccess)| buffer.2 != BufferAccess::Workgroup;
        let names: Vec<String> = buffers(id).into_iter().filter(is_bound).map(|(_, name, _)| name).collect();
        assert_eq!(names[..4], ["compressed_data", "descriptors", "decompressed_data", "status"]);
        let fifth: &[&str] = if id == "compression.zstd_full" { &["scratch"] } else { &[] };
        assert_eq!(&names[4..], fifth, "{id}");
    }
}

#[test]
fn errors_of_devices() {
    let error: Result<(), vyre::runtime::Error> = Err(vyre::runtime::Error::NoGpuAdapter);
    assert!(matches!(error, Err(vyre::runtime::Error::NoGpuAdapter)));
}

#[cfg(feature = "dataflow")]
#[test]
fn the_dataflow_engine() {
    use std::sync::Arc;

    use vyre::engine::dataflow::{Dataflow, Finding, Options};
    use vyre::graph::{Role, to_csr};

    let mut graph = to_csr(2, &[(0, 1)]);
    graph.node_data[1] = Role::Sink.word();
    let engine = Dataflow::new(Arc::new(vyre::runtime::ReferenceDevice::new()));
    let loaded = engine.load(graph.view()).expect("the graph is valid");
    let (findings, _) = loaded.taint(&[0], &Options::default()).expect("the analysis succeeds");
    assert!(matches!(findings[..], [Finding { source: 0, sink: 1, depth: 1, .. }]));
}

#[cfg(feature = "unpack")]
#[test]
fn limits_of_archives() {
    use vyre::engine::decompress::{Limit, Limits};

    let Limits { total, entry, ratio, entries, depth, .. } = Limits::default();
    assert!(total > 0 && entry > 0 && ratio > 0 && entries > 0 && depth > 0);
    assert_eq!([Limit::Total, Limit::Entry, Limit::Ratio, Limit::Entries, Limit::Depth].len(), 5);
}
