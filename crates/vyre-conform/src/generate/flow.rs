//! The bodies that are open while a program is made, and which control flow leads to them.

use vyre_ir::{Expr, Name, Node};

/// The open bodies, the entry first.
pub(super) struct Flow {
    open: Vec<OpenBody>,
    /// Whether some invocations of a workgroup may have left for good, or may be rounds behind.
    diverged: bool,
}

struct OpenBody {
    nodes: Vec<Node>,
    owner: Owner,
    /// How many variables were live before the body.
    outer_locals: usize,
    /// Whether all invocations of a workgroup enter the body together.
    is_uniform: bool,
    /// Whether the body holds a barrier or a collective.
    has_rendezvous: bool,
}

/// What the statements of a body belong to.
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

    /// Opens a body. It is uniform if the bodies around it and the decision to enter it are.
    pub(super) fn enter(&mut self, owner: Owner, outer_locals: usize, decision_is_uniform: bool) {
        let is_uniform = decision_is_uniform && self.open.last().is_none_or(|body| body.is_uniform);
        self.open.push(OpenBody { nodes: Vec::new(), owner, outer_locals, is_uniform, has_rendezvous: false });
    }

    /// Turns an open `then` body into its `else` body; gives the number of variables that stay live.
    pub(super) fn switch_to_else(&mut self) -> Option<usize> {
        let body = self.open.pop_if(|body| matches!(body.owner, Owner::Then { .. }))?;
        let OpenBody { nodes: then, owner, outer_locals, is_uniform, has_rendezvous } = body;
        if let Owner::Then { cond } = owner {
            let owner = Owner::Otherwise { cond, then };
            self.open.push(OpenBody { nodes: Vec::new(), owner, outer_locals, is_uniform, has_rendezvous });
        }
        Some(outer_locals)
    }

    /// Closes the innermost body, unless it is the entry; gives the number of variables that stay live.
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

    /// The statements of the entry, once all bodies are closed.
    pub(super) fn finish(mut self) -> Vec<Node> {
        while self.leave().is_some() {}
        self.open.pop().map(|entry| entry.nodes).unwrap_or_default()
    }

    /// Whether all invocations of a workgroup are here together.
    pub(super) fn is_uniform(&self) -> bool {
        !self.diverged && self.open.last().is_some_and(|body| body.is_uniform)
    }

    pub(super) fn note_rendezvous(&mut self) {
        if let Some(body) = self.open.last_mut() {
            body.has_rendezvous = true;
        }
    }

    /// Whether a `break` or `return` here would keep the barriers uniform that are there already.
    pub(super) fn may_leave(&self) -> bool {
        self.is_uniform() || !self.open.iter().any(|body| body.has_rendezvous)
    }

    pub(super) fn note_departure(&mut self) {
        self.diverged |= !self.is_uniform();
    }
}
