//! Coverage of the generators: every kind of statement and expression, every operator and every type.

use std::collections::BTreeSet;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use vyre_conform::arbitrary::{arb_plausible_program, arb_program};
use vyre_conform::program_from_bytes;
use vyre_ir::{
    AtomicOp, BinOp, BufferAccess, Collective, DataType, Event, Expr, Node, Program, ReduceOp, Traversal, UnOp,
};

/// Ingredients of a program. The matches are exhaustive, so that a new variant fails to compile here.
fn ingredients(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for buffer in &program.buffers {
        found.insert(format!("{:?}", buffer.access));
        found.insert(format!("element {}", buffer.element));
    }
    for event in Traversal::new(program) {
        match event {
            Event::Expr(expr) => found.insert(expression_label(expr)),
            Event::Statement(node) => found.insert(statement_label(node).to_owned()),
            Event::EnterBody(_) | Event::LeaveBody(_) => continue,
        };
    }
    found
}

fn statement_label(node: &Node) -> &'static str {
    match node {
        Node::Let { .. } => "Let",
        Node::Assign { .. } => "Assign",
        Node::Store { .. } => "Store",
        Node::If { otherwise, .. } if otherwise.is_empty() => "If",
        Node::If { otherwise, .. } if matches!(otherwise[..], [Node::If { .. }]) => "else if",
        Node::If { .. } => "else",
        Node::Loop { .. } => "Loop",
        Node::Return => "Return",
        Node::Block(_) => "Block",
        Node::Barrier => "Barrier",
        Node::Break => "Break",
    }
}

fn expression_label(expr: &Expr) -> String {
    match expr {
        Expr::LitU32(_) => "LitU32".to_owned(),
        Expr::LitI32(_) => "LitI32".to_owned(),
        Expr::LitBool(_) => "LitBool".to_owned(),
        Expr::Var(_) => "Var".to_owned(),
        Expr::Load { .. } => "Load".to_owned(),
        Expr::BufLen { .. } => "BufLen".to_owned(),
        Expr::InvocationId { .. } => "InvocationId".to_owned(),
        Expr::WorkgroupId { .. } => "WorkgroupId".to_owned(),
        Expr::LocalId { .. } => "LocalId".to_owned(),
        Expr::NumWorkgroups { .. } => "NumWorkgroups".to_owned(),
        Expr::BinOp { op, .. } => format!("BinOp {op:?}"),
        Expr::UnOp { op, .. } => format!("UnOp {op:?}"),
        Expr::Call { .. } => "Call".to_owned(),
        Expr::Select { .. } => "Select".to_owned(),
        Expr::Cast { target, .. } => format!("Cast {target}"),
        Expr::Atomic { op, .. } => format!("Atomic {op:?}"),
        Expr::WorkgroupAtomic { op, .. } => format!("WorkgroupAtomic {op:?}"),
        Expr::Extract { .. } => "Extract".to_owned(),
        Expr::Pack { ty, .. } => format!("Pack {ty}"),
        Expr::Collective(Collective::Broadcast { .. }) => "Broadcast".to_owned(),
        Expr::Collective(Collective::Shuffle { .. }) => "Shuffle".to_owned(),
        Expr::Collective(Collective::Reduce { op, .. }) => format!("Reduce {op:?}"),
        Expr::Collective(Collective::ScanExclusive { op, .. }) => format!("ScanExclusive {op:?}"),
        Expr::Collective(Collective::ScanInclusive { op, .. }) => format!("ScanInclusive {op:?}"),
        Expr::Collective(Collective::Ballot { .. }) => "Ballot".to_owned(),
    }
}

/// All ingredients.
fn all_ingredients() -> BTreeSet<String> {
    let fixed = "Let Assign Store If else Loop Return Block Barrier Break LitU32 LitI32 LitBool Var Load BufLen \
                 InvocationId WorkgroupId LocalId NumWorkgroups Call Select Extract Broadcast Shuffle Ballot";
    let mut all: BTreeSet<String> = fixed.split(' ').map(str::to_owned).collect();
    all.insert("else if".to_owned());
    all.extend(BinOp::ALL.iter().map(|op| format!("BinOp {op:?}")));
    all.extend(UnOp::ALL.iter().map(|op| format!("UnOp {op:?}")));
    all.extend(AtomicOp::ALL.iter().map(|op| format!("Atomic {op:?}")));
    all.extend(AtomicOp::ALL.iter().map(|op| format!("WorkgroupAtomic {op:?}")));
    for op in ReduceOp::ALL {
        all.extend(["Reduce", "ScanExclusive", "ScanInclusive"].map(|collective| format!("{collective} {op:?}")));
    }
    for ty in DataType::ALL {
        all.extend(["element", "Cast", "Pack"].map(|use_of_type| format!("{use_of_type} {ty}")));
    }
    all.extend(BufferAccess::ALL.iter().map(|access| format!("{access:?}")));
    all
}

fn programs_of(strategy: impl Strategy<Value = Program>, count: usize) -> Vec<Program> {
    let mut runner = TestRunner::deterministic();
    let mut program = || strategy.new_tree(&mut runner).expect("these strategies reject nothing").current();
    (0..count).map(|_| program()).collect()
}

fn byte_programs(mode: impl Strategy<Value = u8>) -> impl Strategy<Value = Program> {
    (mode, proptest::collection::vec(proptest::num::u8::ANY, 0..300)).prop_map(|(mode, mut bytes)| {
        bytes.insert(0, mode);
        program_from_bytes(&bytes)
    })
}

fn missing(programs: &[Program]) -> Vec<String> {
    let found: BTreeSet<String> = programs.iter().flat_map(ingredients).collect();
    all_ingredients().difference(&found).cloned().collect()
}

#[test]
fn any_programs_reach_everything() {
    assert_eq!(missing(&programs_of(arb_program(), 700)), [""; 0]);
}

#[test]
fn byte_programs_reach_everything() {
    assert_eq!(missing(&programs_of(byte_programs(proptest::strategy::Just(0)), 700)), [""; 0]);
}

#[test]
fn plausible_programs_reach_everything_that_can_be_valid() {
    let missing = missing(&programs_of(arb_plausible_program(), 700));
    let only_by_slip = |label: &String| label == "Call" || label == "Cast bytes" || label.starts_with("Pack ");
    assert_eq!(missing.into_iter().filter(|label| !only_by_slip(label)).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn any_bytes_make_a_program_of_bounded_size() {
    for byte in 0..=u8::MAX {
        for mode in 0..4 {
            let mut bytes = vec![byte; 5_000];
            bytes[0] = mode;
            let size = Traversal::new(&program_from_bytes(&bytes)).count();
            assert!(size <= 12 * bytes.len(), "{size} events from bytes {byte}, mode {mode}");
        }
    }
    assert_eq!(program_from_bytes(&[]).entry, []);
}
