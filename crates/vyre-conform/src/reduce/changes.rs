//! Changes of a program, the elements that delta debugging selects from.
//!
//! A change must not leave a name undeclared: with a variable or buffer it removes all writes to it, and replaces reads by
//! zero. Nearly every set of changes therefore yields a valid program.

use std::collections::{BTreeMap, BTreeSet};

use vyre_ir::{BufferDecl, Expr, Name, Node, OpTable, Program};

use super::fresh_names::FreshNames;
use super::inline::{inline_call, op_of};
use super::program_index::ProgramIndex;
use super::rewrite::{Parts, Rewriter, literal, rewrite, with_operands, with_parts};

/// One change.
pub(super) enum Change {
    /// Edits the statement or expression with this ordinal.
    At(u32, Edit),
    /// Removes the buffer at this position.
    DropBuffer(usize),
}

/// Edit of a statement or expression.
pub(super) enum Edit {
    /// Removes the statement.
    Remove,
    /// Replaces the statement by its body at this position. The variable of a loop is bound to its first value, and breaks
    /// of the loop are removed.
    Unwrap(usize),
    /// Replaces a loop by an `If` on its end, otherwise as `Unwrap`.
    SingleIteration,
    /// Replaces the statement by the evaluation of its expression at this position.
    Evaluate(usize),
    /// Replaces uses of a `Let` variable by its value.
    Inline,
    /// Removes a `Let`. The assignment with this ordinal, in the same body, becomes the `Let`.
    Postpone(u32),
    /// Replaces the expression.
    Replace(Expr),
    /// Replaces the expression by a subexpression, given by its ordinal. Expressions between the two are removed.
    Hoist(u32),
    /// Inlines the called op.
    InlineCall,
}

/// Applies changes to a program. Of two edits of one ordinal the later one applies.
pub(super) fn apply(index: &ProgramIndex<'_>, ops: &OpTable, changes: &[&Change]) -> Program {
    let mut applied = ChangeRewriter {
        index,
        ops,
        edits: vec![None; index.valid.node_count()],
        dropped: vec![false; index.program.buffers.len()],
        variable_states: index.variables.iter().map(|_| VariableState::Bound).collect(),
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
    let entry = rewrite(&index.program.entry, &mut applied);
    let kept = |position: usize| !applied.dropped[position];
    let buffers = index.program.buffers.iter().enumerate().filter(|(position, _)| kept(*position));
    let buffers: Vec<BufferDecl> = buffers.map(|(_, buffer)| buffer.clone()).collect();
    Program::new(buffers, index.program.workgroup_size, entry)
}

/// A rewriter that applies a set of changes.
struct ChangeRewriter<'s, 'p> {
    index: &'s ProgramIndex<'p>,
    ops: &'s OpTable,
    /// By ordinal.
    edits: Vec<Option<&'s Edit>>,
    /// By position of the buffer.
    dropped: Vec<bool>,
    /// By position of the variable.
    variable_states: Vec<VariableState>,
    /// Assignments that become `Let`s.
    binding_assignments: BTreeSet<u32>,
    /// Expressions to hoist, and their rewritten form after it is known.
    hoisted: BTreeMap<u32, Option<Expr>>,
    /// Statements of inlined calls, to be inserted before the current statement.
    before: Vec<Node>,
    /// Created by the first inlined call.
    names: Option<FreshNames>,
}

/// State of a variable at the current position of the traversal.
enum VariableState {
    Bound,
    /// Uses become zero, and assignments are removed.
    Removed,
    /// Uses become this value. `None` after the only use.
    Inlined(Option<Expr>),
}

impl ChangeRewriter<'_, '_> {
    /// Reports whether a statement or expression refers to a removed buffer.
    fn is_of_dropped_buffer(&self, ordinal: u32) -> bool {
        let target = self.index.valid.target(ordinal);
        target.is_some_and(|position| self.dropped.get(position).copied().unwrap_or(false))
    }

    fn zero(&self, ordinal: u32) -> Expr {
        self.index.valid.type_of(ordinal).map_or(Expr::LitU32(0), |ty| literal(ty, 0))
    }

    /// Rewrites an expression without an edit.
    fn unedited(&mut self, ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        match expr {
            Expr::Var(_) => {
                let Some(variable) = self.index.valid.target(ordinal) else { return expr.clone() };
                match &mut self.variable_states[variable] {
                    VariableState::Bound => expr.clone(),
                    VariableState::Removed => self.zero(ordinal),
                    VariableState::Inlined(value) if self.index.variables[variable].uses == 1 => {
                        value.take().unwrap_or_else(|| self.zero(ordinal))
                    }
                    VariableState::Inlined(value) => value.clone().unwrap_or_else(|| self.zero(ordinal)),
                }
            }
            Expr::Load { .. } | Expr::BufLen { .. } | Expr::Atomic { .. } | Expr::WorkgroupAtomic { .. }
                if self.is_of_dropped_buffer(ordinal) =>
            {
                self.zero(ordinal)
            }
            _ => with_operands(expr, operands),
        }
    }

    fn set_state(&mut self, ordinal: u32, state: VariableState) {
        // `let _` binds no variable.
        if let Some(variable) = self.index.valid.target(ordinal) {
            self.variable_states[variable] = state;
        }
    }

    /// Reports whether the loop of a `Break` is removed.
    fn has_lost_its_loop(&self, ordinal: u32) -> bool {
        let found = self.index.statements.binary_search_by_key(&ordinal, |statement| statement.ordinal);
        let left = found.ok().and_then(|position| self.index.statements[position].leaves);
        left.is_some_and(|left| matches!(self.edits[left as usize], Some(Edit::Unwrap(_) | Edit::SingleIteration)))
    }

    fn unedited_statement(&mut self, ordinal: u32, node: &Node, parts: Parts, out: &mut Vec<Node>) {
        match node {
            Node::Assign { name, value: _ } => {
                let variable = self.index.valid.target(ordinal);
                let is_removed =
                    variable.is_some_and(|variable| matches!(self.variable_states[variable], VariableState::Removed));
                if self.binding_assignments.remove(&ordinal) {
                    self.set_state(ordinal, VariableState::Bound);
                    out.extend(parts.take_expr(0).map(|value| Node::Let { name: name.clone(), value }));
                } else if !is_removed {
                    out.push(with_parts(node, parts));
                }
            }
            Node::Store { .. } if self.is_of_dropped_buffer(ordinal) => {}
            Node::Break if self.has_lost_its_loop(ordinal) => {}
            _ => out.push(with_parts(node, parts)),
        }
    }
}

impl Rewriter for ChangeRewriter<'_, '_> {
    fn expr(&mut self, ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        let result = match self.edits[ordinal as usize] {
            Some(Edit::Replace(replacement)) => replacement.clone(),
            Some(Edit::Hoist(from)) => match self.hoisted.remove(from).flatten() {
                Some(hoisted) => hoisted,
                None => with_operands(expr, operands),
            },
            Some(Edit::InlineCall) => match op_of(expr, self.ops) {
                Some(op) => {
                    let taken = self.index.valid.variables().iter().map(|variable| &variable.name);
                    let names = self.names.get_or_insert_with(|| FreshNames::new(taken));
                    inline_call(op, operands, names, &mut self.before)
                }
                None => with_operands(expr, operands),
            },
            _ => self.unedited(ordinal, expr, operands),
        };
        match self.hoisted.get_mut(&ordinal) {
            Some(hoisted) => {
                *hoisted = Some(result);
                // The expressions between this one and its new position are removed with their operands.
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
                    self.set_state(ordinal, VariableState::Removed);
                }
            }
            Some(Edit::Inline) => {
                let value = parts.take_expr(0);
                self.set_state(ordinal, VariableState::Inlined(value));
            }
            Some(Edit::Postpone(assignment)) => {
                self.set_state(ordinal, VariableState::Removed);
                self.binding_assignments.insert(*assignment);
            }
            Some(Edit::Evaluate(position)) => {
                if matches!(node, Node::Let { .. }) {
                    self.set_state(ordinal, VariableState::Removed);
                }
                let value = parts.take_expr(*position);
                out.extend(value.map(|value| Node::Let { name: Name::from(Name::DISCARD), value }));
            }
            Some(Edit::SingleIteration) => {
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
