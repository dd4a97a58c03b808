//! The registry: every op in it is complete, valid and callable, and its id is permanent.

use std::collections::HashSet;

use vyre_ir::build::{ProgramBuilder, call};
use vyre_ir::{DataType, Program, Rule, text, validate, wire};
use vyre_ops::{Law, Op, ProgramVariant, Value, ValueError, find, known_op_ids, ops, table};

/// Maximum number of statements and expressions of a primitive.
const MAX_NODES: usize = 40;

/// Maximum number of statements and expressions of a program of an op over buffers. The largest are the cooperative LZ4 programs,
/// which have separate code for speculative sequences, near matches, far matches and literals.
const MAX_NODES_OVER_BUFFERS: usize = 2700;

/// Maximum number of nodes of the programs of `compression.zstd_full`, which decode a format of four nested codes.
const MAX_NODES_OF_ZSTD: usize = 8_000;

/// Maximum number of nodes of the programs of `compression.deflate`, which build tables of two nested codes.
const MAX_NODES_OF_DEFLATE: usize = 4_500;

/// Ids, versions and signatures of all ops, in order. Lines are added, never changed.
#[test]
fn ids_versions_and_signatures_are_permanent() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/ids.txt");
    let recorded = std::fs::read_to_string(path).expect("the file of ids exists");
    let found: Vec<String> = ops().iter().map(|op| format!("{} {} {}", op.id, op.version(), op.signature())).collect();
    let recorded: Vec<&str> = recorded.lines().collect();
    for line in &recorded {
        assert!(found.iter().any(|found| found == line), "`{line}` is permanent");
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, found.join("\n") + "\n").expect("the file of ids can be written");
        return;
    }
    assert_eq!(found, recorded, "UPDATE_GOLDEN=1 records the id of a new op in {path}");
}

/// Ops over buffers have no examples in their descriptors; their cases are files that every backend runs.
#[test]
fn every_op_over_buffers_has_cases() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/ops");
    for op in ops().iter().filter(|op| op.reference.is_none()) {
        let folder = corpus.join(op.id.replace('.', "/"));
        let cases = std::fs::read_dir(&folder).map_or(0, Iterator::count);
        assert!(cases > 0, "{} has no cases in {}", op.id, folder.display());
    }
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
    assert!(known_op_ids().eq(ops().iter().map(|op| op.id)));
    assert!(find("primitive.math").is_none());
    assert!(find("").is_none());
}

#[test]
fn the_validators_table_has_every_op() {
    let table = table();
    assert_eq!(table.len(), ops().len());
    for (op, spec) in ops().iter().zip(table.iter()) {
        assert_eq!(spec, &op.spec());
        assert_eq!(spec.version, op.version());
        assert_eq!(table.get(op.id), Some(spec));
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
            let max = match op.id {
                "compression.zstd_full" => MAX_NODES_OF_ZSTD,
                "compression.deflate" => MAX_NODES_OF_DEFLATE,
                _ if op.inlinable => MAX_NODES,
                _ => MAX_NODES_OVER_BUFFERS,
            };
            assert!(valid.node_count() <= max, "{} ({}) has {} nodes", op.id, variant.name, valid.node_count());
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

/// Builds a program that calls an op with a number of arguments and stores the result.
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
fn calls_with_a_superfluous_argument_do_not_validate() {
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
