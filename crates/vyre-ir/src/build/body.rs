//! Builder of bodies.

use super::{Buffer, UniqueNames};
use crate::{AtomicOp, Expr, Name, Node};

/// A bound variable. Operators borrow it, as in `&x + 1u32` and `x.lt(n)`.
#[derive(Clone, Debug)]
pub struct Var {
    name: Name,
}

impl Var {
    /// The name of the variable in the program.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.name
    }
}

impl From<Var> for Expr {
    fn from(var: Var) -> Expr {
        Expr::Var(var.name)
    }
}

impl From<&Var> for Expr {
    fn from(var: &Var) -> Expr {
        Expr::Var(var.name.clone())
    }
}

/// Builder of a body, which appends statements.
#[derive(Debug)]
pub struct Body<'b> {
    nodes: &'b mut Vec<Node>,
    names: &'b mut UniqueNames,
}

impl<'b> Body<'b> {
    pub(super) fn new(nodes: &'b mut Vec<Node>, names: &'b mut UniqueNames) -> Body<'b> {
        Body { nodes, names }
    }

    /// Appends a statement without renaming its variables.
    pub fn push(&mut self, node: Node) {
        self.nodes.push(node);
    }

    /// Builds a nested body, whose names are unique in the program.
    fn nested(&mut self, build: impl FnOnce(&mut Body<'_>)) -> Vec<Node> {
        let mut nodes = Vec::new();
        build(&mut Body { nodes: &mut nodes, names: self.names });
        nodes
    }

    /// `let name = value;` A name that is taken gets a numeric suffix.
    pub fn let_(&mut self, name: impl Into<Name>, value: impl Into<Expr>) -> Var {
        let name = self.names.unique(name.into());
        self.nodes.push(Node::Let { name: name.clone(), value: value.into() });
        Var { name }
    }

    /// `let _ = value;` Evaluates the value for its effect.
    pub fn discard(&mut self, value: impl Into<Expr>) {
        self.nodes.push(Node::let_bind(Name::DISCARD, value));
    }

    /// `var = value;`
    pub fn assign(&mut self, var: &Var, value: impl Into<Expr>) {
        self.nodes.push(Node::assign(var.name(), value));
    }

    /// `buffer[index] = value;`
    pub fn store(&mut self, buffer: &Buffer, index: impl Into<Expr>, value: impl Into<Expr>) {
        self.nodes.push(Node::store(buffer.name(), index, value));
    }

    /// `if cond { ... }`
    pub fn if_(&mut self, cond: impl Into<Expr>, then: impl FnOnce(&mut Body<'_>)) {
        let then = self.nested(then);
        self.nodes.push(Node::if_then(cond, then));
    }

    /// `if cond { ... } else { ... }`
    pub fn if_else(
        &mut self,
        cond: impl Into<Expr>,
        then: impl FnOnce(&mut Body<'_>),
        otherwise: impl FnOnce(&mut Body<'_>),
    ) {
        let then = self.nested(then);
        let otherwise = self.nested(otherwise);
        self.nodes.push(Node::if_then_else(cond, then, otherwise));
    }

    /// `for name in from..to { ... }`
    pub fn for_(
        &mut self,
        name: impl Into<Name>,
        from: impl Into<Expr>,
        to: impl Into<Expr>,
        body: impl FnOnce(&mut Body<'_>, &Var),
    ) {
        let var = Var { name: self.names.unique(name.into()) };
        let body = self.nested(|inner| body(inner, &var));
        self.nodes.push(Node::for_loop(var.name, from, to, body));
    }

    /// `{ ... }`
    pub fn block(&mut self, body: impl FnOnce(&mut Body<'_>)) {
        let body = self.nested(body);
        self.nodes.push(Node::Block(body));
    }

    /// `barrier;`
    pub fn barrier(&mut self) {
        self.nodes.push(Node::Barrier);
    }

    /// `return;`
    pub fn return_(&mut self) {
        self.nodes.push(Node::Return);
    }

    /// `break;`
    pub fn break_(&mut self) {
        self.nodes.push(Node::Break);
    }

    /// `let name = atomic_op(buffer[index], value);` The binding makes the atomic happen exactly once, regardless of
    /// the number of uses of its result.
    pub fn atomic(
        &mut self,
        name: impl Into<Name>,
        op: AtomicOp,
        buffer: &Buffer,
        index: impl Into<Expr>,
        value: impl Into<Expr>,
    ) -> Var {
        self.let_(name, Expr::atomic(op, buffer.name(), index, value))
    }

    /// `let name = workgroup_atomic_op(buffer[index], value);` The counterpart of [`atomic`](Body::atomic) for a buffer in
    /// workgroup memory.
    pub fn workgroup_atomic(
        &mut self,
        name: impl Into<Name>,
        op: AtomicOp,
        buffer: &Buffer,
        index: impl Into<Expr>,
        value: impl Into<Expr>,
    ) -> Var {
        self.let_(name, Expr::workgroup_atomic(op, buffer.name(), index, value))
    }
}
