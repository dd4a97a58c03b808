//! Normalization of names: unique variable names, and names that need no quotes.

use std::collections::BTreeMap;

use vyre_ir::{Expr, Name, Node, Program, ValidProgram, text, validate};

use super::fresh_names::replace_names;
use super::rewrite::{Parts, Rewriter, rewrite, with_operands, with_parts};
use super::search::Search;
use super::unit::{Unit, with_ops};
use crate::Case;

/// Reports whether a name needs no backticks and is short.
fn is_plain(name: &str) -> bool {
    name.len() <= 40 && text::name(name) == name
}

/// Gives each variable a unique name, so that bodies can be joined, and buffers and ops names that corpus files can hold.
pub(super) fn normalize(search: &mut Search<'_>) {
    for unit in Unit::all(search.current()) {
        let base = search.current().clone();
        let Some(program) = unit.program(&base) else { continue };
        if let Ok(valid) = validate(program, &base.ops) {
            let names: Vec<&Name> = valid.variables().iter().map(|variable| &variable.name).collect();
            let names = replace_names(&names, "v", &is_plain);
            search.attempt(unit.with_program(&base, rename_variables(program, &valid, &names)));
        }
    }
    let base = search.current();
    let names: Vec<&Name> = base.program.buffers.iter().map(|buffer| &buffer.name).collect();
    let candidate = rename_bound(base, &replace_names(&names, "b", &is_plain));
    search.attempt(candidate);
    search.attempt(rename_ops(search.current()));
}

/// Renames the variables of a program. Indexed by position.
fn rename_variables(program: &Program, valid: &ValidProgram<'_>, names: &[Name]) -> Program {
    let mut rewriter = RenameVariables { valid, names };
    Program::new(program.buffers.clone(), program.workgroup_size, rewrite(&program.entry, &mut rewriter))
}

struct RenameVariables<'s, 'p> {
    valid: &'s ValidProgram<'p>,
    names: &'s [Name],
}

impl RenameVariables<'_, '_> {
    fn name(&self, ordinal: u32) -> Option<Name> {
        self.names.get(self.valid.target(ordinal)?).cloned()
    }
}

impl Rewriter for RenameVariables<'_, '_> {
    fn expr(&mut self, ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        match (expr, self.name(ordinal)) {
            (Expr::Var(_), Some(name)) => Expr::Var(name),
            _ => with_operands(expr, operands),
        }
    }

    fn statement(&mut self, ordinal: u32, node: &Node, parts: Parts, out: &mut Vec<Node>) {
        let mut renamed = with_parts(node, parts);
        if let (Node::Let { name, .. } | Node::Assign { name, .. } | Node::Loop { var: name, .. }, Some(new)) =
            (&mut renamed, self.name(ordinal))
        {
            *name = new;
        }
        out.push(renamed);
    }
}

/// Renames the buffers of a case. Indexed by position.
pub(super) fn rename_bound(case: &Case, names: &[Name]) -> Case {
    let buffers = case.program.buffers.iter().map(|buffer| buffer.name.clone());
    let map: BTreeMap<Name, Name> = buffers.zip(names.iter().cloned()).collect();
    let mut program = rename(&case.program, &map, &BTreeMap::new());
    for (buffer, name) in program.buffers.iter_mut().zip(names) {
        buffer.name = name.clone();
    }
    let contents = case.contents.iter().filter_map(|(name, bytes)| Some((map.get(name)?.clone(), bytes.clone())));
    Case { program, ops: case.ops.clone(), grid: case.grid, contents: contents.collect() }
}

/// Replaces op ids with white space, which files of ops cannot hold.
pub(super) fn rename_ops(case: &Case) -> Case {
    let ids: Vec<&Name> = case.ops.iter().map(|op| &op.id).collect();
    let new = replace_names(&ids, "op", &|id| !id.is_empty() && !id.contains(char::is_whitespace));
    let map: BTreeMap<Name, Name> = ids.into_iter().cloned().zip(new).collect();
    let none = BTreeMap::new();
    let ops = case.ops.iter().map(|op| {
        let mut op = op.clone();
        op.program = rename(&op.program, &none, &map);
        op.id = map.get(&op.id).unwrap_or(&op.id).clone();
        op
    });
    let mut renamed = with_ops(case, ops);
    renamed.program = rename(&case.program, &none, &map);
    renamed
}

/// Renames references to buffers and ops. Declarations stay.
fn rename(program: &Program, buffers: &BTreeMap<Name, Name>, ops: &BTreeMap<Name, Name>) -> Program {
    let mut rewriter = RenameReferences { buffers, ops };
    Program::new(program.buffers.clone(), program.workgroup_size, rewrite(&program.entry, &mut rewriter))
}

struct RenameReferences<'s> {
    buffers: &'s BTreeMap<Name, Name>,
    ops: &'s BTreeMap<Name, Name>,
}

impl Rewriter for RenameReferences<'_> {
    fn expr(&mut self, _ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        let mut renamed = with_operands(expr, operands);
        let (name, map) = match &mut renamed {
            Expr::Load { buffer, .. }
            | Expr::BufLen { buffer }
            | Expr::Atomic { buffer, .. }
            | Expr::WorkgroupAtomic { buffer, .. } => (buffer, self.buffers),
            Expr::Call { op_id, .. } => (op_id, self.ops),
            _ => return renamed,
        };
        if let Some(new) = map.get(name) {
            *name = new.clone();
        }
        renamed
    }

    fn statement(&mut self, _ordinal: u32, node: &Node, parts: Parts, out: &mut Vec<Node>) {
        let mut renamed = with_parts(node, parts);
        if let Node::Store { buffer, .. } = &mut renamed
            && let Some(new) = self.buffers.get(buffer)
        {
            *buffer = new.clone();
        }
        out.push(renamed);
    }
}
