//! Variables in scope at a statement or expression, and positions in a program.

use vyre_ir::{BodyKind, DataType, Event, Name, Node, Program, Traversal, ValidProgram};

/// A variable that an expression may use.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: Name,
    pub(super) ty: DataType,
    pub(super) is_mutable: bool,
}

/// Variables in scope at the statement or expression with an ordinal, outermost first.
pub(super) fn scope_at(program: &Program, valid: &ValidProgram<'_>, wanted: u32) -> Vec<Local> {
    let bound = |ordinal: u32| {
        let variable = valid.variables().get(valid.target(ordinal)?)?;
        Some(Local { name: variable.name.clone(), ty: variable.ty, is_mutable: !variable.is_loop_variable })
    };
    let mut locals: Vec<Local> = Vec::new();
    let mut marks: Vec<usize> = Vec::new();
    let mut loop_variable = None;
    let mut traversal = Traversal::new(program);
    while let Some(event) = traversal.next() {
        match event {
            Event::EnterBody(kind) => {
                marks.push(locals.len());
                if kind == BodyKind::Loop {
                    locals.extend(loop_variable.take());
                }
            }
            Event::LeaveBody(_) => locals.truncate(marks.pop().unwrap_or(0)),
            Event::Expr(_) | Event::Statement(_) if traversal.ordinal() == wanted => return locals,
            Event::Expr(_) => {}
            Event::Statement(node) => match node {
                Node::Let { name, .. } if !name.is_discard() => locals.extend(bound(traversal.ordinal())),
                Node::Loop { .. } => loop_variable = bound(traversal.ordinal()),
                _ => {}
            },
        }
    }
    locals
}

/// Names of all variables and buffers of a program.
pub(super) fn names(program: &Program) -> Vec<Name> {
    let mut names: Vec<Name> = program.buffers.iter().map(|buffer| buffer.name.clone()).collect();
    for event in Traversal::new(program) {
        if let Event::Statement(Node::Let { name, .. } | Node::Loop { var: name, .. }) = event {
            names.push(name.clone());
        }
    }
    names
}
