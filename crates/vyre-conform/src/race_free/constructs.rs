//! Classification of the constructs of a program, as fine as the coverage goals of the generator.

use std::collections::{BTreeSet, HashSet};

use vyre_ir::{
    AtomicOp, BinOp, BodyKind, BufferAccess, Collective, DataType, Event, Expr, Node, OpTable, Program, Traversal,
    ValidProgram, validate,
};

use super::buffers::COMMUTATIVE;
use super::pitfall_constructs::pitfalls;
use crate::Case;

/// Constructs of a case, with repetitions.
pub(super) fn constructs(case: &Case) -> Vec<String> {
    let mut found = Found::default();
    found.shape(case);
    found.program(&case.program, &case.ops, Part::Entry);
    pitfalls(&case.program).into_iter().for_each(|pitfall| found.add(pitfall));
    for op in case.ops.iter() {
        found.program(&op.program, &case.ops, Part::Op);
        pitfalls(&op.program).into_iter().for_each(|pitfall| found.add(format!("op: {pitfall}")));
        if !Traversal::new(&op.program).any(|event| matches!(event, Event::Statement(Node::Store { .. }))) {
            found.add("op: never stores");
        }
    }
    found.constructs
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Entry,
    Op,
}

#[derive(Default)]
struct Found {
    constructs: Vec<String>,
    part: Part,
}

/// Bodies and loops around a statement.
#[derive(Default)]
struct Nesting {
    bodies: Vec<BodyKind>,
    /// Ordinals of the loops.
    loops: Vec<u32>,
    /// Ordinal of the statement whose bodies follow.
    last_statement: u32,
}

impl Nesting {
    fn branches(&self) -> usize {
        let branch = |kind: &&BodyKind| matches!(kind, BodyKind::Then | BodyKind::Otherwise | BodyKind::Loop);
        self.bodies.iter().filter(branch).count()
    }

    fn event(&mut self, event: &Event<'_>, ordinal: u32) {
        match event {
            Event::Statement(_) => self.last_statement = ordinal,
            Event::EnterBody(kind) => {
                self.bodies.push(*kind);
                if *kind == BodyKind::Loop {
                    self.loops.push(self.last_statement);
                }
            }
            Event::LeaveBody(kind) => {
                self.bodies.pop();
                if *kind == BodyKind::Loop {
                    self.loops.pop();
                }
            }
            Event::Expr(_) => {}
        }
    }
}

fn literal(expr: &Expr) -> Option<u32> {
    match expr {
        Expr::LitU32(value) => Some(*value),
        _ => None,
    }
}

impl Found {
    /// Adds a construct. In ops only constructs with the prefix `op: ` count.
    fn add(&mut self, construct: impl Into<String>) {
        let construct = construct.into();
        if self.part == Part::Entry || construct.starts_with("op: ") {
            self.constructs.push(construct);
        }
    }

    fn add_if(&mut self, holds: bool, construct: &str) {
        if holds {
            self.add(construct);
        }
    }

    fn shape(&mut self, case: &Case) {
        let axes = |sizes: [u32; 3]| sizes.iter().filter(|&&size| size > 1).count();
        self.add(format!("shape: workgroup of {} axes", axes(case.program.workgroup_size)));
        self.add(format!("shape: grid of {} axes", axes(case.grid)));
        self.add(match case.program.workgroup_invocations() {
            1 => "shape: 1 invocation",
            2..=32 => "shape: 2 to 32 invocations",
            33..=64 => "shape: 33 to 64 invocations",
            _ => "shape: more than 64 invocations",
        });
        self.add(
            match Traversal::new(&case.program)
                .filter(|event| matches!(event, Event::Expr(_) | Event::Statement(_)))
                .count()
            {
                0..=100 => "size: up to 100 nodes",
                101..=300 => "size: 101 to 300 nodes",
                301..=1000 => "size: 301 to 1000 nodes",
                _ => "size: more than 1000 nodes",
            },
        );
        self.add_if(case.grid.contains(&0), "shape: empty grid");
        for decl in &case.program.buffers {
            self.add(format!("buffer: {} {}", decl.access, decl.element));
            self.add(format!("buffer: {}", decl.access));
            if decl.access == BufferAccess::Workgroup {
                continue;
            }
            let bytes = case.contents.get(&decl.name).map_or(0, Vec::len);
            self.add_if(bytes < decl.element.element_bytes(), "buffer: empty");
            self.add_if(!bytes.is_multiple_of(decl.element.element_bytes()), "buffer: partial element");
        }
    }

    fn program(&mut self, program: &Program, ops: &OpTable, part: Part) {
        self.part = part;
        let valid = match validate(program, ops) {
            Ok(valid) => valid,
            Err(diagnostics) => panic!("{} at {}\n{program}", diagnostics[0], diagnostics[0].path),
        };
        let assigned = assigned_variables(&valid);
        let mut nesting = Nesting::default();
        let mut repeated: HashSet<&Expr> = HashSet::new();
        let mut traversal = Traversal::new(program);
        let mut deepest = 0;
        while let Some(event) = traversal.next() {
            let ordinal = traversal.ordinal();
            match event {
                Event::Statement(node) => {
                    self.statement(node, &valid, ordinal, &nesting, part);
                    deepest = deepest.max(nesting.branches());
                }
                Event::Expr(expr) => {
                    self.expression(expr, &valid, ordinal, part);
                    if let Expr::Load { index, .. } = expr
                        && let Some(&innermost) = nesting.loops.last()
                    {
                        let invariant = is_invariant(&valid, index, ordinal - 1, innermost, &assigned);
                        self.add_if(invariant, "load: invariant in a loop");
                    }
                    if expr.operand_count() > 0 && !repeated.insert(expr) {
                        self.add("expression: repeated");
                    }
                }
                Event::EnterBody(_) | Event::LeaveBody(_) => {}
            }
            nesting.event(&event, ordinal);
        }
        self.add_if(deepest >= 2 && part == Part::Entry, "control: nested");
        self.add_if(deepest >= 3 && part == Part::Entry, "control: nested thrice");
    }

    fn statement(&mut self, node: &Node, valid: &ValidProgram<'_>, ordinal: u32, nesting: &Nesting, part: Part) {
        let uniform = if valid.is_uniform(ordinal) && part == Part::Entry { "uniform" } else { "divergent" };
        let in_loop = !nesting.loops.is_empty();
        match node {
            Node::Let { name, value } if name.is_discard() => {
                self.add("let _");
                self.add_if(value.atomic_scope().is_some(), "atomic: result discarded");
            }
            Node::Let { .. } => self.add("let"),
            Node::Assign { .. } => {
                self.add("assign");
                self.add_if(in_loop, "assign: in a loop");
            }
            Node::Store { buffer, index, value: _ } => {
                self.add("store");
                let element = valid.program().buffer(buffer).map_or(DataType::U32, |decl| decl.element);
                self.add(format!("store: {element}"));
                self.index("store", index);
                self.add_if(part == Part::Op && literal(index).is_some_and(|index| index > 0), "op: stores beyond");
            }
            Node::If { cond, then, otherwise } => {
                let branch = ordinal.checked_sub(1).is_some_and(|cond| valid.is_uniform(cond)) && uniform == "uniform";
                self.add(if branch { "if: uniform" } else { "if: divergent" });
                self.add_if(!otherwise.is_empty(), "if: else");
                self.add_if(matches!(otherwise[..], [Node::If { .. }]), "if: else if");
                self.guard(cond, then);
            }
            Node::Loop { var, from, to, body: _ } => {
                self.add("loop");
                self.add_if(var.is_discard(), "loop: without variable");
                self.add_if(part == Part::Op, "op: loop");
                match (literal(from), literal(to)) {
                    (Some(from), Some(to)) => {
                        self.add("loop: bounds are literals");
                        self.add_if(from > to, "loop: reversed bounds");
                    }
                    _ => self.add("loop: bounds are computed"),
                }
                self.add_if(literal(to) == Some(u32::MAX), "loop: to 2^32 - 1");
                self.add_if(matches!(to, Expr::BufLen { .. }), "loop: over a length");
            }
            Node::Return => {
                self.add(format!("return: {uniform}"));
                self.add_if(in_loop, "return: in a loop");
                self.add_if(in_loop && part == Part::Op, "op: return in a loop");
                self.add_if(part == Part::Op, "op: return");
            }
            Node::Break => {
                self.add(format!("break: {uniform}"));
                self.add_if(part == Part::Op, "op: break");
            }
            Node::Block(_) => self.add("block"),
            Node::Barrier => {
                self.add("barrier");
                self.add_if(in_loop, "barrier: in a loop");
                self.add_if(nesting.loops.len() > 1, "barrier: in nested loops");
                let in_if = nesting.bodies.iter().any(|kind| matches!(kind, BodyKind::Then | BodyKind::Otherwise));
                self.add_if(in_if, "barrier: in an if");
            }
        }
    }

    /// Classifies tests of an index against a length, and similar conditions.
    fn guard(&mut self, cond: &Expr, then: &[Node]) {
        let Expr::BinOp { op, left, right } = cond else { return };
        let is_length = |expr: &Expr| matches!(expr, Expr::BufLen { .. });
        let returns = matches!(then, [Node::Return]);
        match op {
            BinOp::Ge | BinOp::Gt if is_length(right) && returns => self.add("guard: return beyond a length"),
            BinOp::Lt if is_length(right) && matches!(**left, Expr::BinOp { op: BinOp::Add, .. }) => {
                self.add("guard: index + n < length");
            }
            BinOp::Lt if is_length(right) => self.add("guard: index < length"),
            BinOp::Le if is_length(right) => self.add("guard: index <= length"),
            BinOp::Eq | BinOp::Ne if returns => self.add("guard: one invocation goes on"),
            _ => {}
        }
    }

    fn index(&mut self, access: &str, index: &Expr) {
        let Expr::BinOp { op, left: _, right } = index else {
            match index {
                Expr::LitU32(0x1000_0000..) => self.add(format!("{access}: far out of range")),
                Expr::BufLen { .. } => self.add(format!("{access}: at the length")),
                _ => {}
            }
            return;
        };
        match (op, &**right) {
            (BinOp::Mod, Expr::BufLen { .. }) => self.add(format!("{access}: index % length")),
            (BinOp::Min, Expr::BinOp { op: BinOp::Sub, left, .. }) if matches!(**left, Expr::BufLen { .. }) => {
                self.add(format!("{access}: min(index, length - 1)"));
            }
            (BinOp::BitAnd, Expr::LitU32(_)) => self.add(format!("{access}: index & mask")),
            _ => {}
        }
    }

    fn expression(&mut self, expr: &Expr, valid: &ValidProgram<'_>, ordinal: u32, part: Part) {
        match expr {
            Expr::LitU32(_) | Expr::LitI32(_) | Expr::LitBool(_) => self.add("literal"),
            Expr::Var(_) => self.add("variable"),
            Expr::Load { buffer: _, index } => {
                let element = valid.type_of(ordinal).unwrap_or(DataType::U32);
                self.add(format!("load: {element}"));
                self.index("load", index);
                self.add_if(part == Part::Op && literal(index).is_some_and(|index| index > 0), "op: loads beyond");
            }
            Expr::BufLen { .. } => {
                self.add("length");
                self.add_if(part == Part::Op, "op: length");
            }
            Expr::InvocationId { .. } => self.id("invocation_id", part),
            Expr::WorkgroupId { .. } => self.id("workgroup_id", part),
            Expr::LocalId { .. } => self.id("local_id", part),
            Expr::NumWorkgroups { .. } => self.id("num_workgroups", part),
            Expr::BinOp { op, left, right } => self.binary(*op, left, right),
            Expr::UnOp { op, operand: _ } => self.add(format!("unary: {op:?}")),
            Expr::Call { op_id: _, args } => {
                self.add(if part == Part::Entry { "call" } else { "op: call" });
                self.add(format!("call: {} arguments", args.len()));
            }
            Expr::Select { .. } => self.add("select"),
            Expr::Cast { target, value: _ } => {
                let from = ordinal.checked_sub(1).and_then(|value| valid.type_of(value)).unwrap_or(DataType::Bytes);
                self.add(format!("cast: {from} to {target}"));
            }
            Expr::Atomic { op, .. } => {
                self.add(format!("atomic: {op:?}"));
                let commutative = COMMUTATIVE.contains(op);
                self.add_if(commutative, "atomic: commutative");
                self.add_if(!matches!(op, AtomicOp::Load), "atomic");
            }
            Expr::WorkgroupAtomic { op, .. } => {
                self.add(format!("workgroup atomic: {op:?}"));
                self.add_if(COMMUTATIVE.contains(op), "workgroup atomic: commutative");
            }
            Expr::Extract { .. } => self.add("extract"),
            Expr::Pack { ty, lanes: _ } => self.add(format!("pack: {ty}")),
            Expr::Collective(collective) => {
                self.add("collective");
                self.add(match collective {
                    Collective::Broadcast { .. } => "collective: broadcast".to_owned(),
                    Collective::Shuffle { .. } => "collective: shuffle".to_owned(),
                    Collective::Reduce { op, .. } => format!("collective: reduce {op:?}"),
                    Collective::ScanExclusive { op, .. } => format!("collective: exclusive scan {op:?}"),
                    Collective::ScanInclusive { op, .. } => format!("collective: inclusive scan {op:?}"),
                    Collective::Ballot { .. } => "collective: ballot".to_owned(),
                });
            }
        }
    }

    fn id(&mut self, name: &str, part: Part) {
        self.add(format!("id: {name}"));
        self.add_if(part == Part::Op, "op: ids");
    }

    fn binary(&mut self, op: BinOp, left: &Expr, right: &Expr) {
        self.add(format!("binary: {op:?}"));
        self.add_if(left == right, "operands: the same twice");
        self.add_if(literal(left).is_some() && literal(right).is_some(), "operands: literals");
        let Some(right) = literal(right) else { return };
        match op {
            BinOp::Div | BinOp::Mod => {
                self.add_if(right == 0, "operands: division by 0");
                self.add_if(right.is_power_of_two(), "operands: division by 2^n");
                self.add_if(right > 2 && !right.is_power_of_two(), "operands: division by a constant");
            }
            BinOp::Mul => self.add_if(right.is_power_of_two(), "operands: product with 2^n"),
            BinOp::Shl | BinOp::Shr => self.add_if(right >= 32, "operands: shift by 32 and more"),
            _ => {}
        }
    }
}

/// Positions of the variables that statements assign to.
fn assigned_variables(valid: &ValidProgram<'_>) -> BTreeSet<usize> {
    let mut assigned = BTreeSet::new();
    let mut traversal = Traversal::new(valid.program());
    while let Some(event) = traversal.next() {
        if let Event::Statement(Node::Assign { .. }) = event {
            assigned.extend(valid.target(traversal.ordinal()));
        }
    }
    assigned
}

/// Reports whether an index is a literal or a loop-invariant variable.
fn is_invariant(
    valid: &ValidProgram<'_>,
    index: &Expr,
    ordinal: u32,
    in_loop: u32,
    assigned: &BTreeSet<usize>,
) -> bool {
    match index {
        Expr::LitU32(_) => true,
        Expr::Var(_) => valid.target(ordinal).is_some_and(|variable| {
            !assigned.contains(&variable) && valid.variables().get(variable).is_some_and(|it| it.declared < in_loop)
        }),
        _ => false,
    }
}
