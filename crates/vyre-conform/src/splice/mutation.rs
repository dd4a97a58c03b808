//! Kinds of mutations, and the site that they change.

use std::collections::BTreeMap;

use vyre_ir::{DataType, Expr, Name, Node, OpSpec, OpTable, Program};

use super::sources::Sources;
use super::{expressions, launches, statements};
use crate::Case;
use crate::race_free::Random;
use crate::reduce::fresh_names::FreshNames;
use crate::reduce::program_index::{IndexedExpr, IndexedStatement, ProgramIndex};
use crate::reduce::rewrite::{Parts, Rewriter, literal, rewrite, with_operands, with_parts};

/// Declares the mutations: weight, variant, name in reports, and function.
macro_rules! mutations {
    ($($weight:literal $variant:ident $name:literal $function:path;)+) => {
        /// A kind of mutation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Mutation {
            $($variant,)+
        }

        impl Mutation {
            /// All kinds with their weights.
            pub(super) const ALL: &'static [(u32, Mutation)] = &[$(($weight, Mutation::$variant),)+];

            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Mutation::$variant => $name,)+
                }
            }

            /// Mutates the case. `None` if the program has nothing to mutate in this way. The result need not be valid.
            pub(super) fn apply(self, site: &mut Site<'_>) -> Option<Case> {
                match self {
                    $(Mutation::$variant => $function(site),)+
                }
            }
        }
    };
}

mutations! {
    10 Operator "operator" expressions::operator;
    8 Constant "constant" expressions::constant;
    4 SwapOperands "operands swapped" expressions::swap_operands;
    4 Literal "expression to literal" expressions::to_literal;
    5 Variable "expression to variable" expressions::to_variable;
    5 Operand "expression to operand" expressions::to_operand;
    6 Wrap "expression wrapped" expressions::wrap;
    4 Call "call of an op" expressions::call_op;
    3 Axis "axis or component" expressions::axis;
    3 Index "index" expressions::index;
    8 CopyExpression "expression copied" expressions::copy;
    10 SpliceExpression "expression spliced" expressions::splice;
    4 DuplicateStatement "statement duplicated" statements::duplicate;
    4 DeleteStatement "statement deleted" statements::delete;
    3 SwapStatements "statements swapped" statements::swap;
    4 MoveStatement "statement moved" statements::relocate;
    4 Guard "statement guarded" statements::guard;
    3 Repeat "statement repeated" statements::repeat;
    2 Unwrap "statement unwrapped" statements::unwrap;
    3 Branches "branches changed" statements::branches;
    4 Bounds "loop bounds" statements::bounds;
    3 Barrier "barrier" statements::barrier;
    2 Exit "break or return" statements::exit;
    4 Accumulate "variable accumulates" statements::accumulate;
    8 Observe "value observed" statements::observe;
    8 SpliceStatement "statements spliced" statements::splice;
    4 Op "program of an op" op_program;
    3 WorkgroupSize "workgroup size" launches::workgroup_size;
    3 Grid "grid" launches::grid;
    6 Contents "contents" launches::contents;
    4 Length "length of a buffer" launches::length;
    2 Access "access of a buffer" launches::access;
}

impl Mutation {
    pub(super) fn random(random: &mut Random) -> Mutation {
        random.weighted(Mutation::ALL)
    }
}

/// The program that a mutation changes.
pub(super) struct Site<'s> {
    pub(super) case: &'s Case,
    pub(super) index: &'s ProgramIndex<'s>,
    pub(super) sources: &'s Sources,
    pub(super) random: &'s mut Random,
}

impl<'s> Site<'s> {
    /// A random element.
    pub(super) fn choose<'t, T>(&mut self, list: &'t [T]) -> Option<&'t T> {
        list.get(self.random.below(list.len() as u32) as usize)
    }

    /// A random expression that satisfies a predicate.
    pub(super) fn expr(&mut self, is_wanted: impl Fn(&IndexedExpr<'_>) -> bool) -> Option<&'s IndexedExpr<'s>> {
        let index = self.index;
        let found: Vec<&IndexedExpr<'_>> = index.exprs.iter().filter(|expr| is_wanted(expr)).collect();
        self.choose(&found).copied()
    }

    /// A random statement that satisfies a predicate.
    pub(super) fn statement(
        &mut self,
        is_wanted: impl Fn(&IndexedStatement<'_>) -> bool,
    ) -> Option<&'s IndexedStatement<'s>> {
        let index = self.index;
        let found: Vec<&IndexedStatement<'_>> =
            index.statements.iter().filter(|statement| is_wanted(statement)).collect();
        self.choose(&found).copied()
    }

    /// A literal of a type: small, or a boundary value.
    pub(super) fn literal(&mut self, ty: DataType) -> Expr {
        literal(ty, self.random.number())
    }

    /// Names that the program does not use.
    pub(super) fn fresh_names(&self) -> FreshNames {
        FreshNames::new(&super::scopes::names(&self.case.program))
    }

    /// The case with another entry.
    pub(super) fn with_entry(&self, entry: Vec<Node>) -> Case {
        let program = &self.case.program;
        Case { program: Program::new(program.buffers.clone(), program.workgroup_size, entry), ..self.case.clone() }
    }

    /// The case with another expression in the place of one.
    pub(super) fn with_expr(&self, ordinal: u32, expr: Expr) -> Case {
        let mut edits = Edits::default();
        edits.exprs.insert(ordinal, expr);
        self.with_edits(edits)
    }

    /// The case with other statements in the place of one.
    pub(super) fn with_statements(&self, ordinal: u32, nodes: Vec<Node>) -> Case {
        let mut edits = Edits::default();
        edits.statements.insert(ordinal, nodes);
        self.with_edits(edits)
    }

    pub(super) fn with_edits(&self, mut edits: Edits) -> Case {
        self.with_entry(rewrite(&self.case.program.entry, &mut edits))
    }
}

/// Replacements of expressions and statements, by ordinal.
#[derive(Default)]
pub(super) struct Edits {
    pub(super) exprs: BTreeMap<u32, Expr>,
    pub(super) statements: BTreeMap<u32, Vec<Node>>,
}

impl Rewriter for Edits {
    fn expr(&mut self, ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        self.exprs.remove(&ordinal).unwrap_or_else(|| with_operands(expr, operands))
    }

    fn statement(&mut self, ordinal: u32, node: &Node, parts: Parts, out: &mut Vec<Node>) {
        match self.statements.remove(&ordinal) {
            Some(nodes) => out.extend(nodes),
            None => out.push(with_parts(node, parts)),
        }
    }
}

/// Adds ops to a case, except those with an id that it has.
pub(super) fn with_ops(case: Case, ops: impl IntoIterator<Item = OpSpec>) -> Option<Case> {
    let missing: Vec<OpSpec> = ops.into_iter().filter(|op| case.ops.get(&op.id).is_none()).collect();
    if missing.is_empty() {
        return Some(case);
    }
    let ops = OpTable::new(case.ops.iter().cloned().chain(missing)).ok()?;
    Some(Case { ops, ..case })
}

/// Mutates the program of an op that is called, as a new op, and calls it instead.
fn op_program(site: &mut Site<'_>) -> Option<Case> {
    let called = site.expr(|found| matches!(found.expr, Expr::Call { .. }))?;
    let Expr::Call { op_id, args } = called.expr else { return None };
    let op = site.case.ops.get(op_id)?;
    let valid = vyre_ir::validate(&op.program, &site.case.ops).ok()?;
    let index = ProgramIndex::new(&op.program, valid);
    let inner = Case { program: op.program.clone(), ..site.case.clone() };
    let mutation = Mutation::random(site.random);
    if matches!(mutation, Mutation::Op | Mutation::Observe) {
        return None;
    }
    let mutated =
        mutation.apply(&mut Site { case: &inner, index: &index, sources: site.sources, random: &mut *site.random })?;
    if mutated.program == op.program {
        return None;
    }
    let number = (0u32..).find(|number| site.case.ops.get(&format!("{op_id}.{number}")).is_none())?;
    let id = Name::from(format!("{op_id}.{number}"));
    let new = OpSpec { id: id.clone(), program: mutated.program, ..op.clone() };
    let call = Expr::Call { op_id: id, args: args.clone() };
    let case = with_ops(site.with_expr(called.ordinal, call), mutated.ops.iter().cloned())?;
    with_ops(case, [new])
}
