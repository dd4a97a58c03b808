//! Traversal of a program in evaluation order: postorder for expressions, preorder for bodies, with an explicit stack.

use std::fmt;

use super::{BodyKind, Expr, Node, Program};
use crate::limits::DEFAULT_MAX_NESTING_DEPTH;

/// An event of a [`Traversal`].
///
/// The *ordinal* of a statement or expression is its position among all `Expr` and `Statement` events of a traversal.
/// An expression comes after its operands, a statement after its expressions and before its bodies.
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

/// Iterator over the statements and expressions of a program in evaluation order. It does not recurse.
#[derive(Clone)]
pub struct Traversal<'p> {
    /// Stack of open nodes, outermost first: alternating bodies and statements, then expressions.
    frames: Vec<Frame<'p>>,
    /// Number of visited statements and expressions.
    visited: u32,
    /// Ordinal at which the subtree of the last event begins.
    start: u32,
    /// True if the last event is an expression. Its frame is popped already; the parent frame determines its path.
    last_is_expr: bool,
    /// The entry, until it is entered.
    entry: Option<&'p [Node]>,
}

/// An open node. `next` is the position after the current child.
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
    /// The bodies of a visited statement.
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

/// Number of segments at each end of an abbreviated path.
const PATH_ENDS: usize = 12;

impl<'p> Traversal<'p> {
    /// Creates a traversal of the entry of `program`.
    #[must_use]
    pub fn new(program: &'p Program) -> Traversal<'p> {
        Traversal::of_body(&program.entry)
    }

    /// Creates a traversal of a list of statements.
    #[must_use]
    pub fn of_body(nodes: &'p [Node]) -> Traversal<'p> {
        Traversal { frames: Vec::new(), visited: 0, start: 0, last_is_expr: false, entry: Some(nodes) }
    }

    /// Creates a traversal of an expression.
    #[must_use]
    pub fn of_expr(expr: &'p Expr) -> Traversal<'p> {
        let frames = vec![Frame::Expr { expr, next: 0, start: 0 }];
        Traversal { frames, visited: 0, start: 0, last_is_expr: false, entry: None }
    }

    /// Ordinal of the last visited statement or expression.
    #[must_use]
    pub fn ordinal(&self) -> u32 {
        self.visited.saturating_sub(1)
    }

    /// Ordinal at which the subtree of the last visited statement or expression begins.
    #[must_use]
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Path of the last visited statement or expression, such as `entry[3].then[0].value`.
    ///
    /// The path of a chain of more than two dozen expressions has a count in place of its middle, and so has the path
    /// of a body that is nested deeper than in any valid program.
    #[must_use]
    pub fn path(&self) -> String {
        // A path has a step for each body, and for each frame from the statement down to the last visited expression.
        let above_exprs = self.frames.partition_point(|frame| !matches!(frame, Frame::Expr { .. }));
        let bodies = above_exprs.div_ceil(2);
        let exprs = if self.last_is_expr { self.frames.len() - above_exprs + 1 } else { 0 };
        let steps = bodies + exprs;
        let shown_first = bodies.clamp(PATH_ENDS, DEFAULT_MAX_NESTING_DEPTH as usize + 2);
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

    /// Appends the step from a frame to its current child.
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

    fn visit_expr(&mut self, expr: &'p Expr, start: u32) -> Option<Event<'p>> {
        self.visited += 1;
        self.start = start;
        self.last_is_expr = true;
        Some(Event::Expr(expr))
    }

    fn visit_statement(&mut self, node: &'p Node, start: u32) -> Option<Event<'p>> {
        if node.has_bodies() {
            self.frames.push(Frame::Bodies { node, next: 0 });
        }
        self.visited += 1;
        self.start = start;
        self.last_is_expr = false;
        Some(Event::Statement(node))
    }
}

/// Prints the path.
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
            // The parent frame visits its leaves directly, so a leaf has no frame.
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
                        return self.visit_expr(expr, start);
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
                        return self.visit_statement(node, start);
                    }
                },
                Frame::Body { kind, nodes, next } => match nodes.get(*next) {
                    Some(node) => {
                        *next += 1;
                        if node.expr(0).is_none() {
                            return self.visit_statement(node, here);
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
                return self.visit_expr(operand, here);
            }
            self.frames.push(Frame::Expr { expr: operand, next: 0, start: here });
        }
    }
}
