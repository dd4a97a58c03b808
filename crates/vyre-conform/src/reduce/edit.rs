//! Changes to a program, and how many of them are made at once.
//!
//! A change never leaves a name without a meaning: where a variable or buffer goes, so does what is written to it, and
//! zeros stand where it was read. So nearly every set of changes makes a valid program.

use std::collections::{BTreeMap, BTreeSet};

use vyre_ir::{BufferDecl, Expr, Name, Node, OpTable, Program};

use super::calls;
use super::names::FreshNames;
use super::rewrite::{Parts, Rewrite, literal, rewrite, with_operands, with_parts};
use super::survey::Survey;

/// One change.
pub(super) enum Change {
    /// A change of the statement or expression with this ordinal.
    At(u32, Edit),
    /// The buffer at this position goes.
    DropBuffer(usize),
}

/// What happens to a statement or expression.
pub(super) enum Edit {
    /// The statement goes.
    Remove,
    /// The statements of its body at this position stand in the place of the statement. A loop's variable is bound to
    /// its first value, and nothing leaves the loop any more.
    Unwrap(usize),
    /// An `If` on its end stands in the place of a loop; otherwise as with `Unwrap`.
    Once,
    /// Only the evaluation of its expression at this position stays of the statement.
    Evaluate(usize),
    /// The value of a `Let` stands where its variable is used.
    Inline,
    /// The assignment with this ordinal, in the same body, binds the variable instead of this `Let`.
    Postpone(u32),
    /// The expression becomes this one.
    Replace(Expr),
    /// The expression becomes the one below it with this ordinal. Nothing between the two is changed.
    Hoist(u32),
    /// What the called op does stands in the place of the call.
    Expand,
}

/// The program with these changes. Of two changes of one place the later counts.
pub(super) fn apply(survey: &Survey<'_>, ops: &OpTable, changes: &[&Change]) -> Program {
    let mut applied = Applied {
        survey,
        ops,
        edits: vec![None; survey.valid.node_count()],
        dropped: vec![false; survey.program.buffers.len()],
        fates: survey.variables.iter().map(|_| Fate::Bound).collect(),
        binding_assignments: BTreeSet::new(),
        hoisted: BTreeMap::new(),
        before: Vec::new(),
        names: None,
    };
    for change in changes {
        match change {
            Change::At(ordinal, edit) => applied.edits[*ordinal as usize] = Some(edit),
            Change::DropBuffer(position) => applied.dropped[*position] = true,
        }
    }
    for edit in applied.edits.iter().flatten() {
        if let Edit::Hoist(from) = edit {
            applied.hoisted.insert(*from, None);
        }
    }
    let entry = rewrite(&survey.program.entry, &mut applied);
    let kept = |position: usize| !applied.dropped[position];
    let buffers = survey.program.buffers.iter().enumerate().filter(|(position, _)| kept(*position));
    let buffers: Vec<BufferDecl> = buffers.map(|(_, buffer)| buffer.clone()).collect();
    Program::new(buffers, survey.program.workgroup_size, entry)
}

/// A set of changes while they are made.
struct Applied<'s, 'p> {
    survey: &'s Survey<'p>,
    ops: &'s OpTable,
    /// By ordinal.
    edits: Vec<Option<&'s Edit>>,
    /// By position of the buffer.
    dropped: Vec<bool>,
    /// By position of the variable.
    fates: Vec<Fate>,
    /// Assignments that have become `Let`s.
    binding_assignments: BTreeSet<u32>,
    /// The expressions that will stand further up, and what became of those that are done.
    hoisted: BTreeMap<u32, Option<Expr>>,
    /// What calls in the current statement need before it.
    before: Vec<Node>,
    /// Made when the first call is expanded.
    names: Option<FreshNames>,
}

/// What has become of a variable where the walk is.
enum Fate {
    Bound,
    /// Uses of it are zero, and assignments go.
    Gone,
    /// This stands where it is used. `None` where the only use is done.
    Inlined(Option<Expr>),
}

impl Applied<'_, '_> {
    /// Whether the statement or expression refers to a buffer that goes.
    fn is_of_dropped_buffer(&self, ordinal: u32) -> bool {
        let target = self.survey.valid.target(ordinal);
        target.is_some_and(|position| self.dropped.get(position).copied().unwrap_or(false))
    }

    fn zero(&self, ordinal: u32) -> Expr {
        self.survey.valid.type_of(ordinal).map_or(Expr::LitU32(0), |ty| literal(ty, 0))
    }

    /// What stands for an expression that has no change of its own.
    fn unedited(&mut self, ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        match expr {
            Expr::Var(_) => {
                let Some(variable) = self.survey.valid.target(ordinal) else { return expr.clone() };
                match &mut self.fates[variable] {
                    Fate::Bound => expr.clone(),
                    Fate::Gone => self.zero(ordinal),
                    Fate::Inlined(value) if self.survey.variables[variable].uses == 1 => {
                        value.take().unwrap_or_else(|| self.zero(ordinal))
                    }
                    Fate::Inlined(value) => value.clone().unwrap_or_else(|| self.zero(ordinal)),
                }
            }
            Expr::Load { .. } | Expr::BufLen { .. } | Expr::Atomic { .. } if self.is_of_dropped_buffer(ordinal) => {
                self.zero(ordinal)
            }
            _ => with_operands(expr, operands),
        }
    }

    fn set_fate(&mut self, ordinal: u32, fate: Fate) {
        // `let _` binds no variable.
        if let Some(variable) = self.survey.valid.target(ordinal) {
            self.fates[variable] = fate;
        }
    }

    /// Whether the loop that a `Break` leaves is none any more.
    fn leaves_nothing(&self, ordinal: u32) -> bool {
        let found = self.survey.statements.binary_search_by_key(&ordinal, |statement| statement.ordinal);
        let left = found.ok().and_then(|position| self.survey.statements[position].leaves);
        left.is_some_and(|left| matches!(self.edits[left as usize], Some(Edit::Unwrap(_) | Edit::Once)))
    }

    fn unedited_statement(&mut self, ordinal: u32, node: &Node, parts: Parts, out: &mut Vec<Node>) {
        match node {
            Node::Assign { name, value: _ } => {
                let variable = self.survey.valid.target(ordinal);
                let is_gone = variable.is_some_and(|variable| matches!(self.fates[variable], Fate::Gone));
                if self.binding_assignments.remove(&ordinal) {
                    self.set_fate(ordinal, Fate::Bound);
                    out.extend(parts.take_expr(0).map(|value| Node::Let { name: name.clone(), value }));
                } else if !is_gone {
                    out.push(with_parts(node, parts));
                }
            }
            Node::Store { .. } if self.is_of_dropped_buffer(ordinal) => {}
            Node::Break if self.leaves_nothing(ordinal) => {}
            _ => out.push(with_parts(node, parts)),
        }
    }
}

impl Rewrite for Applied<'_, '_> {
    fn expr(&mut self, ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        let result = match self.edits[ordinal as usize] {
            Some(Edit::Replace(replacement)) => replacement.clone(),
            Some(Edit::Hoist(from)) => match self.hoisted.remove(from).flatten() {
                Some(hoisted) => hoisted,
                None => with_operands(expr, operands),
            },
            Some(Edit::Expand) => match calls::op_of(expr, self.ops) {
                Some(op) => {
                    let taken = self.survey.valid.variables().iter().map(|variable| &variable.name);
                    let names = self.names.get_or_insert_with(|| FreshNames::new(taken));
                    calls::expand(op, operands, names, &mut self.before)
                }
                None => with_operands(expr, operands),
            },
            _ => self.unedited(ordinal, expr, operands),
        };
        match self.hoisted.get_mut(&ordinal) {
            Some(place) => {
                *place = Some(result);
                // What lies between here and the place further up goes with everything in it.
                Expr::LitBool(false)
            }
            None => result,
        }
    }

    fn before(&mut self, out: &mut Vec<Node>) {
        out.append(&mut self.before);
    }

    fn statement(&mut self, ordinal: u32, node: &Node, parts: Parts, out: &mut Vec<Node>) {
        match self.edits[ordinal as usize] {
            Some(Edit::Remove) => {
                if matches!(node, Node::Let { .. }) {
                    self.set_fate(ordinal, Fate::Gone);
                }
            }
            Some(Edit::Inline) => {
                let value = parts.take_expr(0);
                self.set_fate(ordinal, Fate::Inlined(value));
            }
            Some(Edit::Postpone(assignment)) => {
                self.set_fate(ordinal, Fate::Gone);
                self.binding_assignments.insert(*assignment);
            }
            Some(Edit::Evaluate(position)) => {
                if matches!(node, Node::Let { .. }) {
                    self.set_fate(ordinal, Fate::Gone);
                }
                let value = parts.take_expr(*position);
                out.extend(value.map(|value| Node::Let { name: Name::from(Name::DISCARD), value }));
            }
            Some(Edit::Once) => {
                let Parts { exprs, bodies } = parts;
                let mut exprs = exprs.into_iter();
                if let (Node::Loop { var, .. }, Some(from), Some(to)) = (node, exprs.next(), exprs.next()) {
                    let mut then = vec![Node::Let { name: var.clone(), value: from }];
                    then.extend(bodies.into_iter().flatten());
                    out.push(Node::If { cond: to, then, otherwise: Vec::new() });
                }
            }
            Some(Edit::Unwrap(position)) => {
                let Parts { exprs, bodies } = parts;
                if let (Node::Loop { var, .. }, Some(value)) = (node, exprs.into_iter().next()) {
                    out.push(Node::Let { name: var.clone(), value });
                }
                out.extend(bodies.into_iter().nth(*position).into_iter().flatten());
            }
            _ => self.unedited_statement(ordinal, node, parts, out),
        }
    }
}
