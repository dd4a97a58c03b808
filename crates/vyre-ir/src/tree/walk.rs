//! The walk over a program in the order of evaluation.

use super::{BodyKind, Expr, Node, Program};

/// One step of a [`Walk`].
///
/// The *ordinal* of a statement or expression is its position among all `Expr` and `Statement` events of a walk. An
/// expression comes after its operands, a statement after its expressions and before its bodies.
#[derive(Clone, Copy, Debug)]
pub enum Event<'p> {
    /// An expression whose operands have been visited.
    Expr(&'p Expr),
    /// A statement whose expressions have been visited and whose bodies follow.
    Statement(&'p Node),
    /// The start of a body.
    EnterBody(BodyKind),
    /// The end of a body.
    LeaveBody(BodyKind),
}

/// Visits every statement and expression of a program in the order of evaluation, without recursion.
#[derive(Debug)]
pub struct Walk<'p> {
    frames: Vec<Frame<'p>>,
    /// How many statements and expressions have been given out.
    visited: u32,
    /// The `visited` count at which the subtree of the last event began.
    start: u32,
    /// Set until the entry has been entered.
    entry: Option<&'p [Node]>,
}

#[derive(Debug)]
enum Frame<'p> {
    Body { kind: BodyKind, nodes: &'p [Node], next: usize },
    Node { node: &'p Node, next: usize, start: u32, announced: bool },
    Expr { expr: &'p Expr, next: usize, start: u32, complete: bool },
}

/// How many segments of a long path are shown at each end.
const PATH_ENDS: usize = 12;

impl<'p> Walk<'p> {
    /// A walk over the entry of `program`.
    #[must_use]
    pub fn new(program: &'p Program) -> Walk<'p> {
        Walk::of_body(&program.entry)
    }

    /// A walk over a list of statements.
    #[must_use]
    pub fn of_body(nodes: &'p [Node]) -> Walk<'p> {
        Walk { frames: Vec::new(), visited: 0, start: 0, entry: Some(nodes) }
    }

    /// The ordinal of the statement or expression given out last.
    #[must_use]
    pub fn ordinal(&self) -> u32 {
        self.visited.saturating_sub(1)
    }

    /// The ordinal at which the subtree of the statement or expression given out last begins.
    #[must_use]
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Where the statement or expression given out last stands: `entry[3].then[0].value`.
    ///
    /// The middle of a path of more than 24 steps is replaced by a count.
    #[must_use]
    pub fn path(&self) -> String {
        // Bodies come first, each followed by the statement in it; expressions come after the last statement.
        let statements = self.frames.partition_point(|frame| !matches!(frame, Frame::Expr { .. }));
        let bodies = statements.div_ceil(2);
        let steps = bodies + self.frames.len() - statements;
        let hidden = steps.saturating_sub(2 * PATH_ENDS);
        let head = if hidden > 0 { PATH_ENDS } else { steps };

        let mut path = String::new();
        for step in (0..head).chain(head + hidden..steps) {
            if hidden > 0 && step == head + hidden {
                path.push_str(&format!(".<{hidden} more>"));
            }
            let position = if step < bodies { 2 * step } else { statements + step - bodies };
            self.push_step(position, &mut path);
        }
        path
    }

    fn push_step(&self, position: usize, path: &mut String) {
        let above = position.checked_sub(1).and_then(|above| self.frames.get(above));
        match (self.frames.get(position), above) {
            (Some(Frame::Body { kind, nodes: _, next }), _) => {
                let separator = if position > 0 { "." } else { "" };
                path.push_str(&format!("{separator}{}[{}]", kind.field(), next.saturating_sub(1)));
            }
            (Some(Frame::Expr { .. }), Some(Frame::Node { node, next, .. })) => {
                path.push('.');
                path.push_str(node.expr_field(next - 1));
            }
            (Some(Frame::Expr { .. }), Some(Frame::Expr { expr, next, .. })) => {
                path.push('.');
                path.push_str(expr.operand_field(next - 1));
                if expr.operands_are_list() {
                    path.push_str(&format!("[{}]", next - 1));
                }
            }
            _ => {}
        }
    }
}

impl<'p> Iterator for Walk<'p> {
    type Item = Event<'p>;

    fn next(&mut self) -> Option<Event<'p>> {
        if let Some(nodes) = self.entry.take() {
            self.frames.push(Frame::Body { kind: BodyKind::Entry, nodes, next: 0 });
            return Some(Event::EnterBody(BodyKind::Entry));
        }
        loop {
            let start = self.visited;
            match self.frames.last_mut()? {
                Frame::Body { kind, nodes, next } => match nodes.get(*next) {
                    Some(node) => {
                        *next += 1;
                        self.frames.push(Frame::Node { node, next: 0, start, announced: false });
                    }
                    None => {
                        let kind = *kind;
                        self.frames.pop();
                        return Some(Event::LeaveBody(kind));
                    }
                },
                Frame::Node { node, next, start: node_start, announced: false } => match node.expr(*next) {
                    Some(expr) => {
                        *next += 1;
                        self.frames.push(Frame::Expr { expr, next: 0, start, complete: false });
                    }
                    None => {
                        let (node, node_start) = (*node, *node_start);
                        // From here on `next` counts bodies.
                        if let Some(Frame::Node { next, announced, .. }) = self.frames.last_mut() {
                            *next = 0;
                            *announced = true;
                        }
                        self.visited += 1;
                        self.start = node_start;
                        return Some(Event::Statement(node));
                    }
                },
                Frame::Node { node, next, announced: true, .. } => match node.body(*next) {
                    Some((kind, nodes)) => {
                        *next += 1;
                        self.frames.push(Frame::Body { kind, nodes, next: 0 });
                        return Some(Event::EnterBody(kind));
                    }
                    None => {
                        self.frames.pop();
                    }
                },
                Frame::Expr { expr, next, start: expr_start, complete } => {
                    if *complete {
                        self.frames.pop();
                        continue;
                    }
                    match expr.operand(*next) {
                        Some(operand) => {
                            *next += 1;
                            self.frames.push(Frame::Expr { expr: operand, next: 0, start, complete: false });
                        }
                        None => {
                            *complete = true;
                            self.visited += 1;
                            self.start = *expr_start;
                            return Some(Event::Expr(expr));
                        }
                    }
                }
            }
        }
    }
}
