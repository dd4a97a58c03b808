//! Statements. Only validation limits the nesting of bodies, so nothing here recurses.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::expr::Expr;
use crate::Name;

/// A statement.
pub enum Node {
    /// Evaluates a value and binds it until the end of the enclosing body. The name `_` binds nothing.
    Let {
        /// The name, which must not be in scope.
        name: Name,
        /// The value.
        value: Expr,
    },
    /// Overwrites a `Let` binding that is in scope.
    Assign {
        /// The name of the binding.
        name: Name,
        /// The value, of the type of the binding.
        value: Expr,
    },
    /// Writes an element of a buffer; has no effect if the index is out of range.
    Store {
        /// The buffer.
        buffer: Name,
        /// The element index, `U32`.
        index: Expr,
        /// The value, of the element type of the buffer.
        value: Expr,
    },
    /// Runs one of two bodies.
    If {
        /// `U32` or `Bool`; non-zero or true takes `then`.
        cond: Expr,
        /// The body for a true condition.
        then: Vec<Node>,
        /// The body for a false condition.
        otherwise: Vec<Node>,
    },
    /// Runs a body for each number of a half-open range; both bounds are evaluated once, on entry.
    Loop {
        /// The induction variable, `U32`, immutable.
        var: Name,
        /// The first number.
        from: Expr,
        /// The end of the range, exclusive.
        to: Expr,
        /// The body.
        body: Vec<Node>,
    },
    /// Ends the invocation. Its earlier effects persist.
    Return,
    /// A body with its own scope.
    Block(Vec<Node>),
    /// A workgroup barrier: all invocations of the workgroup wait for each other, and their stores become visible to
    /// all of them.
    Barrier,
    /// Leaves the innermost loop.
    Break,
}

/// Kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// The entry of the program.
    Entry,
    /// `If::then`.
    Then,
    /// `If::otherwise`.
    Otherwise,
    /// `Loop::body`.
    Loop,
    /// The statements of a `Block`.
    Block,
}

impl BodyKind {
    /// Name of the body in a path.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            BodyKind::Entry => "entry",
            BodyKind::Then => "then",
            BodyKind::Otherwise => "otherwise",
            BodyKind::Loop => "body",
            BodyKind::Block => "block",
        }
    }

    /// True if no other body of the statement follows.
    pub(crate) const fn is_last(self) -> bool {
        match self {
            BodyKind::Then => false,
            BodyKind::Entry | BodyKind::Otherwise | BodyKind::Loop | BodyKind::Block => true,
        }
    }
}

/// A statement without its expressions and bodies.
#[derive(PartialEq, Eq, Hash)]
enum Head<'n> {
    Let(&'n Name),
    Assign(&'n Name),
    Store(&'n Name),
    If(usize, usize),
    Loop(&'n Name, usize),
    Return,
    Block(usize),
    Barrier,
    Break,
}

impl Node {
    fn head(&self) -> Head<'_> {
        match self {
            Node::Let { name, value: _ } => Head::Let(name),
            Node::Assign { name, value: _ } => Head::Assign(name),
            Node::Store { buffer, index: _, value: _ } => Head::Store(buffer),
            Node::If { cond: _, then, otherwise } => Head::If(then.len(), otherwise.len()),
            Node::Loop { var, from: _, to: _, body } => Head::Loop(var, body.len()),
            Node::Return => Head::Return,
            Node::Block(body) => Head::Block(body.len()),
            Node::Barrier => Head::Barrier,
            Node::Break => Head::Break,
        }
    }

    /// The variable or buffer that the statement names.
    #[must_use]
    pub fn name(&self) -> Option<&Name> {
        match self {
            Node::Let { name, .. }
            | Node::Assign { name, .. }
            | Node::Store { buffer: name, .. }
            | Node::Loop { var: name, .. } => Some(name),
            Node::If { .. } | Node::Return | Node::Block(_) | Node::Barrier | Node::Break => None,
        }
    }

    /// The expression at `position` in the order of evaluation.
    #[must_use]
    pub fn expr(&self, position: usize) -> Option<&Expr> {
        match (self, position) {
            (
                Node::Let { value: first, .. }
                | Node::Assign { value: first, .. }
                | Node::Store { index: first, .. }
                | Node::If { cond: first, .. }
                | Node::Loop { from: first, .. },
                0,
            ) => Some(first),
            (Node::Store { value: second, .. } | Node::Loop { to: second, .. }, 1) => Some(second),
            _ => None,
        }
    }

    /// The name of the field that holds the expression at `position`.
    #[must_use]
    pub fn expr_field(&self, position: usize) -> &'static str {
        match (self, position) {
            (Node::Store { .. }, 0) => "index",
            (Node::If { .. }, _) => "cond",
            (Node::Loop { .. }, 0) => "from",
            (Node::Loop { .. }, _) => "to",
            _ => "value",
        }
    }

    /// The body at `position`.
    #[must_use]
    pub fn body(&self, position: usize) -> Option<(BodyKind, &[Node])> {
        match (self, position) {
            (Node::If { then, .. }, 0) => Some((BodyKind::Then, then)),
            (Node::If { otherwise, .. }, 1) => Some((BodyKind::Otherwise, otherwise)),
            (Node::Loop { body, .. }, 0) => Some((BodyKind::Loop, body)),
            (Node::Block(body), 0) => Some((BodyKind::Block, body)),
            _ => None,
        }
    }

    /// True if the statement has a body, which may be empty.
    pub(crate) fn has_bodies(&self) -> bool {
        matches!(self, Node::If { .. } | Node::Loop { .. } | Node::Block(_))
    }

    /// Moves the statements of all bodies to `out`.
    fn detach_bodies(&mut self, out: &mut Vec<Node>) {
        match self {
            Node::Let { .. }
            | Node::Assign { .. }
            | Node::Store { .. }
            | Node::Return
            | Node::Barrier
            | Node::Break => {}
            Node::If { cond: _, then, otherwise } => {
                out.append(then);
                out.append(otherwise);
            }
            Node::Loop { var: _, from: _, to: _, body } | Node::Block(body) => out.append(body),
        }
    }

    /// Clones the statement around the given bodies.
    fn rebuild(&self, bodies: &mut Vec<Vec<Node>>) -> Node {
        let mut pop = || bodies.pop().expect("every body was cloned before its statement");
        match self {
            Node::Let { name, value } => Node::Let { name: name.clone(), value: value.clone() },
            Node::Assign { name, value } => Node::Assign { name: name.clone(), value: value.clone() },
            Node::Store { buffer, index, value } => {
                Node::Store { buffer: buffer.clone(), index: index.clone(), value: value.clone() }
            }
            Node::If { cond, then: _, otherwise: _ } => {
                let otherwise = pop();
                Node::If { cond: cond.clone(), then: pop(), otherwise }
            }
            Node::Loop { var, from, to, body: _ } => {
                Node::Loop { var: var.clone(), from: from.clone(), to: to.clone(), body: pop() }
            }
            Node::Return => Node::Return,
            Node::Block(_) => Node::Block(pop()),
            Node::Barrier => Node::Barrier,
            Node::Break => Node::Break,
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if !self.has_bodies() {
            return;
        }
        let mut pending = Vec::new();
        self.detach_bodies(&mut pending);
        while let Some(mut node) = pending.pop() {
            node.detach_bodies(&mut pending);
        }
    }
}

/// Adds a statement to a body. The first statement gets an exact allocation, because bodies of one statement are
/// common, and hostile input may consist of them.
pub(crate) fn push_statement(body: &mut Vec<Node>, node: Node) {
    if body.capacity() == 0 {
        body.reserve_exact(1);
    }
    body.push(node);
}

/// A partially cloned body.
struct CloneFrame<'n> {
    source: &'n [Node],
    built: Vec<Node>,
    /// Cloned bodies of the statement `source[built.len()]`.
    bodies: Vec<Vec<Node>>,
}

impl<'n> CloneFrame<'n> {
    fn new(source: &'n [Node]) -> CloneFrame<'n> {
        CloneFrame { source, built: Vec::with_capacity(source.len()), bodies: Vec::new() }
    }
}

impl Clone for Node {
    fn clone(&self) -> Node {
        if !self.has_bodies() {
            return self.rebuild(&mut Vec::new());
        }
        let mut frames = vec![CloneFrame::new(std::slice::from_ref(self))];
        loop {
            let frame = frames.last_mut().expect("the outermost frame ends the loop");
            match frame.source.get(frame.built.len()) {
                Some(node) => match node.body(frame.bodies.len()) {
                    Some((_, body)) => frames.push(CloneFrame::new(body)),
                    None => {
                        let complete = node.rebuild(&mut frame.bodies);
                        frame.built.push(complete);
                    }
                },
                None => {
                    let mut built = std::mem::take(&mut frame.built);
                    frames.pop();
                    match frames.last_mut() {
                        Some(parent) => parent.bodies.push(built),
                        None => return built.pop().expect("the outermost frame holds one statement"),
                    }
                }
            }
        }
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        let mut pending = vec![(self, other)];
        while let Some((left, right)) = pending.pop() {
            if left.head() != right.head() || left.expr(0) != right.expr(0) || left.expr(1) != right.expr(1) {
                return false;
            }
            let mut position = 0;
            while let (Some((_, a)), Some((_, b))) = (left.body(position), right.body(position)) {
                pending.extend(a.iter().zip(b));
                position += 1;
            }
        }
        true
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut pending = vec![self];
        while let Some(node) = pending.pop() {
            node.head().hash(state);
            node.expr(0).hash(state);
            node.expr(1).hash(state);
            let mut position = 0;
            while let Some((_, body)) = node.body(position) {
                pending.extend(body);
                position += 1;
            }
        }
    }
}

/// Prints the text form, which is unique for each statement.
impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Prints the text form.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::text::print_node(self).trim_end())
    }
}
