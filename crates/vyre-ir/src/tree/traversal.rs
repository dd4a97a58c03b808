//! The walk over a program in the order of evaluation.

use std::fmt;

use super::{BodyKind, Expr, Node, Program};
use crate::MAX_NESTING_DEPTH;

/// One step of a [`Traversal`].
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
#[derive(Clone)]
pub struct Traversal<'p> {
    /// What is being visited, outermost first: bodies and the statement in each by turns, then expressions.
    frames: Vec<Frame<'p>>,
    /// How many statements and expressions have been given out.
    visited: u32,
    /// The `visited` count at which the subtree of the last event began.
    start: u32,
    /// Whether an expression was given out last. Its own frame is gone by then; the frame above it tells where it is.
    gave_expr: bool,
    /// Set until the entry has been entered.
    entry: Option<&'p [Node]>,
}

/// Something whose parts are being visited; `next` is the part after the current one.
#[derive(Clone)]
enum Frame<'p> {
    Body {
        kind: BodyKind,
        nodes: &'p [Node],
        next: usize,
    },
    /// The expressions of a statement.
    Head {
        node: &'p Node,
        next: usize,
        start: u32,
    },
    /// The bodies of a statement that has been given out.
    Bodies {
        node: &'p Node,
        next: usize,
    },
    Expr {
        expr: &'p Expr,
        next: usize,
        start: u32,
    },
}

/// How many segments of a long path are shown at each end.
const PATH_ENDS: usize = 12;

impl<'p> Traversal<'p> {
    /// A walk over the entry of `program`.
    #[must_use]
    pub fn new(program: &'p Program) -> Traversal<'p> {
        Traversal::of_body(&program.entry)
    }

    /// A walk over a list of statements.
    #[must_use]
    pub fn of_body(nodes: &'p [Node]) -> Traversal<'p> {
        Traversal { frames: Vec::new(), visited: 0, start: 0, gave_expr: false, entry: Some(nodes) }
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
    /// Paths are exact but for chains of more than two dozen expressions, whose middle is replaced by a count, and for
    /// bodies nested deeper than any valid program has them.
    #[must_use]
    pub fn path(&self) -> String {
        // Each body gives a step, and so does each frame from the statement on, down to the expression given out last.
        let above_exprs = self.frames.partition_point(|frame| !matches!(frame, Frame::Expr { .. }));
        let bodies = above_exprs.div_ceil(2);
        let exprs = if self.gave_expr { self.frames.len() - above_exprs + 1 } else { 0 };
        let steps = bodies + exprs;
        let shown_first = bodies.clamp(PATH_ENDS, MAX_NESTING_DEPTH as usize + 2);
        let hidden = steps.saturating_sub(shown_first + PATH_ENDS);
        let head = if hidden > 0 { shown_first } else { steps };

        let mut path = String::new();
        for step in (0..head).chain(head + hidden..steps) {
            if hidden > 0 && step == head + hidden {
                path.push_str(&format!(".<{hidden} more>"));
            }
            let position = if step < bodies { 2 * step } else { above_exprs - 1 + step - bodies };
            self.push_step(position, &mut path);
        }
        path
    }

    /// The step from a frame to the part of it that is being visited.
    fn push_step(&self, position: usize, path: &mut String) {
        match self.frames.get(position) {
            Some(Frame::Body { kind, nodes: _, next }) => {
                let separator = if position > 0 { "." } else { "" };
                path.push_str(&format!("{separator}{}[{}]", kind.field(), next.saturating_sub(1)));
            }
            Some(Frame::Head { node, next, start: _ }) => {
                path.push('.');
                path.push_str(node.expr_field(next - 1));
            }
            Some(Frame::Expr { expr, next, start: _ }) => {
                path.push('.');
                path.push_str(expr.operand_field(next - 1));
                if expr.operands_are_list() {
                    path.push_str(&format!("[{}]", next - 1));
                }
            }
            Some(Frame::Bodies { .. }) | None => {}
        }
    }

    fn give_expr(&mut self, expr: &'p Expr, start: u32) -> Option<Event<'p>> {
        self.visited += 1;
        self.start = start;
        self.gave_expr = true;
        Some(Event::Expr(expr))
    }

    fn give_statement(&mut self, node: &'p Node, start: u32) -> Option<Event<'p>> {
        if node.has_bodies() {
            self.frames.push(Frame::Bodies { node, next: 0 });
        }
        self.visited += 1;
        self.start = start;
        self.gave_expr = false;
        Some(Event::Statement(node))
    }
}

/// Shows the place.
impl fmt::Debug for Traversal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Traversal({} visited, at {})", self.visited, self.path())
    }
}

impl<'p> Iterator for Traversal<'p> {
    type Item = Event<'p>;

    fn next(&mut self) -> Option<Event<'p>> {
        if let Some(nodes) = self.entry.take() {
            self.frames.push(Frame::Body { kind: BodyKind::Entry, nodes, next: 0 });
            return Some(Event::EnterBody(BodyKind::Entry));
        }
        loop {
            // Leaves and finished parts are given out by the frame above them, so they need no frame of their own.
            let here = self.visited;
            let operand = match self.frames.last_mut()? {
                Frame::Expr { expr, next, start } => match expr.operand(*next) {
                    Some(operand) => {
                        *next += 1;
                        operand
                    }
                    None => {
                        let (expr, start) = (*expr, *start);
                        self.frames.pop();
                        return self.give_expr(expr, start);
                    }
                },
                Frame::Head { node, next, start } => match node.expr(*next) {
                    Some(operand) => {
                        *next += 1;
                        operand
                    }
                    None => {
                        let (node, start) = (*node, *start);
                        self.frames.pop();
                        return self.give_statement(node, start);
                    }
                },
                Frame::Body { kind, nodes, next } => match nodes.get(*next) {
                    Some(node) => {
                        *next += 1;
                        if node.expr(0).is_none() {
                            return self.give_statement(node, here);
                        }
                        self.frames.push(Frame::Head { node, next: 0, start: here });
                        continue;
                    }
                    None => {
                        let kind = *kind;
                        self.frames.pop();
                        return Some(Event::LeaveBody(kind));
                    }
                },
                Frame::Bodies { node, next } => match node.body(*next) {
                    Some((kind, nodes)) => {
                        *next += 1;
                        self.frames.push(Frame::Body { kind, nodes, next: 0 });
                        return Some(Event::EnterBody(kind));
                    }
                    None => {
                        self.frames.pop();
                        continue;
                    }
                },
            };
            if operand.is_leaf() {
                return self.give_expr(operand, here);
            }
            self.frames.push(Frame::Expr { expr: operand, next: 0, start: here });
        }
    }
}
