//! The table: what is in it, that it is valid, and that programs can call what is in it.

use std::collections::HashSet;

use vyre_ir::build::{ProgramBuilder, call};
use vyre_ir::{DataType, Program, Rule, text, validate, wire};
use vyre_ops::{Law, Op, ProgramVariant, Value, ValueError, find, ops, table};

/// Every op: id, version, signature. Lines are added, never changed.
const PINNED: &[&str] = &[
    "primitive.bitwise.and 1 (u32, u32) -> u32",
    "primitive.bitwise.or 1 (u32, u32) -> u32",
    "primitive.bitwise.xor 1 (u32, u32) -> u32",
    "primitive.bitwise.not 1 (u32) -> u32",
    "primitive.bitwise.shl 1 (u32, u32) -> u32",
    "primitive.bitwise.shr 1 (u32, u32) -> u32",
    "primitive.bitwise.rotl 1 (u32, u32) -> u32",
    "primitive.bitwise.rotr 1 (u32, u32) -> u32",
    "primitive.bitwise.popcount 1 (u32) -> u32",
    "primitive.bitwise.clz 1 (u32) -> u32",
    "primitive.bitwise.ctz 1 (u32) -> u32",
    "primitive.bitwise.reverse_bits 1 (u32) -> u32",
    "primitive.bitwise.extract_bits 1 (u32, u32) -> u32",
    "primitive.bitwise.insert_bits 1 (u32, u32) -> u32",
    "primitive.math.add 1 (u32, u32) -> u32",
    "primitive.math.sub 1 (u32, u32) -> u32",
    "primitive.math.mul 1 (u32, u32) -> u32",
    "primitive.math.div 1 (u32, u32) -> u32",
    "primitive.math.mod 1 (u32, u32) -> u32",
    "primitive.math.min 1 (u32, u32) -> u32",
    "primitive.math.max 1 (u32, u32) -> u32",
    "primitive.math.clamp 1 (u32, u32) -> u32",
    "primitive.math.abs 1 (u32) -> u32",
    "primitive.math.negate 1 (u32) -> u32",
    "primitive.math.abs_diff 1 (u32, u32) -> u32",
    "primitive.compare.eq 1 (u32, u32) -> u32",
    "primitive.compare.ne 1 (u32, u32) -> u32",
    "primitive.compare.lt 1 (u32, u32) -> u32",
    "primitive.compare.gt 1 (u32, u32) -> u32",
    "primitive.compare.le 1 (u32, u32) -> u32",
    "primitive.compare.ge 1 (u32, u32) -> u32",
    "primitive.compare.select 1 (u32, u32) -> u32",
    "primitive.compare.logical_not 1 (u32) -> u32",
    "graph.bfs 1 (bytes) -> bytes",
    "graph.reachability 1 (bytes) -> bytes",
    "graph.components 1 (bytes) -> bytes",
    "graph.scc 1 (bytes) -> bytes",
    "graph.toposort 1 (bytes) -> bytes",
    "graph.shortest_path 1 (bytes) -> bytes",
    "graph.pagerank 1 (bytes) -> bytes",
    "compression.lz4 1 (bytes) -> bytes",
    "compression.zstd 1 (bytes) -> bytes",
];

/// The most statements and expressions a primitive may have.
const MAX_NODES: usize = 40;

/// The most statements and expressions a program of an op over buffers may have. The largest are the cooperative LZ4 ones:
/// they make several sequences in a turn, or one, with near and far matches and bare literals each in a way of its own.
const MAX_NODES_OVER_BUFFERS: usize = 2700;

#[test]
fn ids_versions_and_signatures_are_permanent() {
    let found: Vec<String> = ops().iter().map(|op| format!("{} {} {}", op.id, op.version, op.signature())).collect();
    assert_eq!(found, PINNED);
}

#[test]
fn every_op_is_documented() {
    for op in ops() {
        assert!(op.summary.ends_with('.') && !op.summary.contains('\n'), "{}: {}", op.id, op.summary);
        assert!(!op.laws.is_empty() || op.reference.is_none(), "{} has no laws", op.id);
        assert_eq!(op.laws.iter().collect::<HashSet<_>>().len(), op.laws.len(), "{} has a law twice", op.id);
    }
}

#[test]
fn ops_are_found_by_id() {
    for op in ops() {
        assert_eq!(find(op.id).map(|found| found.id), Some(op.id));
    }
    assert!(find("primitive.math").is_none());
    assert!(find("").is_none());
}

#[test]
fn the_table_holds_every_op() {
    let table = table();
    assert_eq!(table.len(), ops().len());
    for (op, definition) in ops().iter().zip(table.iter()) {
        assert_eq!(definition, &op.definition());
        assert_eq!(table.get(op.id), Some(definition));
    }
}

#[test]
fn programs_validate_and_are_small() {
    let table = table();
    for op in ops() {
        let mut names = HashSet::new();
        for variant in op.programs() {
            let program = variant.program();
            assert!(names.insert(variant.name), "{} has two programs {}", op.id, variant.name);
            let valid = validate(&program, &table).unwrap_or_else(|errors| panic!("{}: {errors:?}", op.id));
            let most = if op.inlinable { MAX_NODES } else { MAX_NODES_OVER_BUFFERS };
            assert!(valid.node_count() <= most, "{} ({}) has {} nodes", op.id, variant.name, valid.node_count());
        }
    }
}

#[test]
fn programs_survive_text_and_wire() {
    for op in ops() {
        for program in op.programs().map(|variant| variant.program()) {
            let printed = text::print(&program);
            assert_eq!(text::parse(&printed).map(|parsed| parsed.program), Ok(program.clone()), "{printed}");
            assert_eq!(wire::from_wire(&wire::to_wire(&program)), Ok(program));
        }
    }
}

#[test]
fn inputs_come_in_order_before_the_output() {
    for op in functions() {
        for program in op.programs().map(|variant| variant.program()) {
            let (output, inputs) = program.buffers.split_last().expect("has buffers");
            assert!(output.is_output, "{}", op.id);
            assert!(inputs.iter().all(|input| input.access.is_input()), "{}", op.id);
            assert!(inputs.iter().map(|input| input.element).eq(op.inputs.iter().copied()), "{}", op.id);
            assert_eq!(output.element, op.output, "{}", op.id);
            let bindings: Vec<u32> = program.buffers.iter().map(|buffer| buffer.binding).collect();
            assert!(bindings.is_sorted(), "{}: {bindings:?}", op.id);
        }
    }
}

/// Ops that can be called as expressions.
fn functions() -> impl Iterator<Item = &'static Op> {
    ops().iter().filter(|op| op.reference.is_some())
}

/// A program that stores what an op gives for so many arguments.
fn caller(id: &str, arguments: usize) -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let input = p.read("input", DataType::U32);
    let out = p.output("out", DataType::U32);
    let positions = 0..u32::try_from(arguments).expect("few arguments");
    p.entry(|b| b.store(&out, 0u32, call(id, positions.map(|position| input.load(position)))))
}

#[test]
fn callers_validate() {
    let table = table();
    for op in functions() {
        assert!(op.inlinable, "{}", op.id);
        let program = caller(op.id, op.inputs.len());
        let valid = validate(&program, &table).unwrap_or_else(|errors| panic!("{}: {errors:?}", op.id));
        assert!(valid.expanded_node_count() > valid.node_count() as u64, "{} expands to nothing", op.id);
    }
}

#[test]
fn ops_over_buffers_cannot_be_called() {
    let table = table();
    let over_buffers: Vec<&Op> = ops().iter().filter(|op| op.reference.is_none()).collect();
    assert!(!over_buffers.is_empty());
    for op in over_buffers {
        let program = caller(op.id, op.inputs.len());
        let diagnostics = validate(&program, &table).expect_err(op.id);
        assert!(diagnostics.iter().any(|found| found.rule == Rule::V020), "{}: {diagnostics:?}", op.id);
        assert_eq!(op.call(&[Value::U32(1)]), Err(ValueError::OverBuffers), "{}", op.id);
    }
}

/// The programs of an op over buffers that is more than one program are its stages, and the canonical one is among them.
#[test]
fn stages_hold_the_canonical_program() {
    for op in ops().iter().filter(|op| !op.stages.is_empty()) {
        assert!(op.programs().any(|stage| stage.program() == op.program()), "{}", op.id);
    }
}

#[test]
fn callers_with_an_argument_too_many_do_not_validate() {
    let table = table();
    for op in functions() {
        let program = caller(op.id, op.inputs.len() + 1);
        let diagnostics = validate(&program, &table).expect_err(op.id);
        assert_eq!(diagnostics.len(), 1, "{}: {diagnostics:?}", op.id);
        assert_eq!(diagnostics[0].rule, Rule::V027, "{}: {diagnostics:?}", op.id);
    }
}

#[test]
fn alternatives_follow_the_canonical_program() {
    const BY_CALL: ProgramVariant = ProgramVariant { name: "by_call", build: || caller("primitive.math.negate", 1) };
    let base = find("primitive.math.negate").expect("is in the library");
    let op = Op { alternatives: &[BY_CALL], ..base.clone() };
    let names: Vec<&str> = op.programs().map(|variant| variant.name).collect();
    assert_eq!(names, [ProgramVariant::CANONICAL, "by_call"]);
    let programs: Vec<Program> = op.programs().map(|variant| variant.program()).collect();
    assert_eq!(programs, [op.program(), BY_CALL.program()]);
    assert_eq!(op.call(&[Value::U32(1)]), Ok(Value::U32(u32::MAX)));
    assert_eq!(Law::Involution.check(&op, &[[7, 0, 0]]), Ok(()));
}
