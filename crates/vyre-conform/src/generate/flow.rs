//! Open bodies and their control flow.

use vyre_ir::{Expr, Name, Node};

/// Stack of open bodies, the entry first.
pub(super) struct Flow {
    open: Vec<OpenBody>,
    /// True if some invocations of a workgroup may have returned, or may be in another iteration.
    diverged: bool,
}

struct OpenBody {
    nodes: Vec<Node>,
    owner: Owner,
    /// Number of live variables before the body.
    outer_locals: usize,
    /// True if all invocations of a workgroup enter the body together.
    is_uniform: bool,
    /// True if the body has a barrier or collective.
    has_rendezvous: bool,
}

/// Kind of a body.
pub(super) enum Owner {
    Entry,
    Then { cond: Expr },
    Otherwise { cond: Expr, then: Vec<Node> },
    Loop { var: Name, from: Expr, to: Expr },
    Block,
}

impl Default for Flow {
    fn default() -> Flow {
        let mut flow = Flow { open: Vec::new(), diverged: false };
        flow.enter(Owner::Entry, 0, true);
        flow
    }
}

impl Flow {
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn loop_depth(&self) -> usize {
        self.open.iter().filter(|body| matches!(body.owner, Owner::Loop { .. })).count()
    }

    pub(super) fn push(&mut self, node: Node) {
        if let Some(body) = self.open.last_mut() {
            body.nodes.push(node);
        }
    }

    /// Opens a body. It is uniform if the bodies around it and its condition are.
    pub(super) fn enter(&mut self, owner: Owner, outer_locals: usize, decision_is_uniform: bool) {
        let is_uniform = decision_is_uniform && self.open.last().is_none_or(|body| body.is_uniform);
        self.open.push(OpenBody { nodes: Vec::new(), owner, outer_locals, is_uniform, has_rendezvous: false });
    }

    /// Closes a `then` body and opens its `else` body. Returns the number of variables that stay live.
    pub(super) fn switch_to_else(&mut self) -> Option<usize> {
        let body = self.open.pop_if(|body| matches!(body.owner, Owner::Then { .. }))?;
        let OpenBody { nodes: then, owner, outer_locals, is_uniform, has_rendezvous } = body;
        if let Owner::Then { cond } = owner {
            let owner = Owner::Otherwise { cond, then };
            self.open.push(OpenBody { nodes: Vec::new(), owner, outer_locals, is_uniform, has_rendezvous });
        }
        Some(outer_locals)
    }

    /// Closes the innermost body, unless it is the entry. Returns the number of variables that stay live.
    pub(super) fn leave(&mut self) -> Option<usize> {
        let body = self.open.pop_if(|body| !matches!(body.owner, Owner::Entry))?;
        let OpenBody { nodes, owner, outer_locals, is_uniform: _, has_rendezvous } = body;
        match owner {
            Owner::Entry => {}
            Owner::Then { cond } => self.push(Node::If { cond, then: nodes, otherwise: Vec::new() }),
            Owner::Otherwise { cond, then } => self.push(Node::If { cond, then, otherwise: nodes }),
            Owner::Loop { var, from, to } => self.push(Node::Loop { var, from, to, body: nodes }),
            Owner::Block => self.push(Node::Block(nodes)),
        }
        if let Some(parent) = self.open.last_mut() {
            parent.has_rendezvous |= has_rendezvous;
        }
        Some(outer_locals)
    }

    /// Statements of the entry, after all bodies are closed.
    pub(super) fn finish(mut self) -> Vec<Node> {
        while self.leave().is_some() {}
        self.open.pop().map(|entry| entry.nodes).unwrap_or_default()
    }

    /// Reports whether control flow is uniform.
    pub(super) fn is_uniform(&self) -> bool {
        !self.diverged && self.open.last().is_some_and(|body| body.is_uniform)
    }

    pub(super) fn note_rendezvous(&mut self) {
        if let Some(body) = self.open.last_mut() {
            body.has_rendezvous = true;
        }
    }

    /// Reports whether a `break` or `return` would keep all existing barriers uniform.
    pub(super) fn may_leave(&self) -> bool {
        self.is_uniform() || !self.open.iter().any(|body| body.has_rendezvous)
    }

    pub(super) fn note_departure(&mut self) {
        self.diverged |= !self.is_uniform();
    }
}
