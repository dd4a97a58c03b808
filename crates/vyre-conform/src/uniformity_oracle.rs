//! Oracle for uniformity: divergence analysis as a naive fixpoint iteration.
//!
//! It shares no code with the validator, recurses without limit and takes quadratic time. It is meant for small programs whose
//! names resolve.

use std::collections::BTreeSet;

use vyre_ir::{BufferAccess, Collective, Expr, Name, Node, Program};

/// Divergent barriers and collectives of a program, by ordinal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Divergence {
    /// Barriers in divergent control flow.
    pub barriers: Vec<u32>,
    /// Collectives in divergent control flow.
    pub collectives: Vec<u32>,
    /// Lane operands of broadcasts that may differ between invocations.
    pub broadcast_lanes: Vec<u32>,
}

/// Computes the divergence of a program.
#[must_use]
pub fn divergence(program: &Program) -> Divergence {
    let mut oracle =
        Oracle { program, variables: BTreeSet::new(), loops: BTreeSet::new(), iteration: Iteration::default() };
    loop {
        let before = (oracle.variables.len(), oracle.loops.len());
        oracle.iteration = Iteration::default();
        oracle.body(&program.entry, false);
        if before == (oracle.variables.len(), oracle.loops.len()) {
            return oracle.iteration.found;
        }
    }
}

struct Oracle<'p> {
    program: &'p Program,
    /// Divergent variables, by the ordinal of their binding. Grows monotonically.
    variables: BTreeSet<u32>,
    /// Loops with a divergent exit, by ordinal. Grows monotonically.
    loops: BTreeSet<u32>,
    iteration: Iteration<'p>,
}

/// State of one iteration.
#[derive(Default)]
struct Iteration<'p> {
    next_ordinal: u32,
    /// Live names with the ordinals of their bindings.
    live: Vec<(&'p Name, u32)>,
    open_loops: Vec<u32>,
    found: Divergence,
}

impl<'p> Oracle<'p> {
    fn take_ordinal(&mut self) -> u32 {
        self.iteration.next_ordinal += 1;
        self.iteration.next_ordinal - 1
    }

    fn bind(&mut self, name: &'p Name, ordinal: u32, divergent: bool) {
        if !name.is_discard() {
            self.iteration.live.push((name, ordinal));
        }
        if divergent {
            self.variables.insert(ordinal);
        }
    }

    fn binding(&self, name: &Name) -> Option<u32> {
        self.iteration.live.iter().rev().find(|(live, _)| *live == name).map(|&(_, ordinal)| ordinal)
    }

    /// Analyses a body. Returns true if it has a divergent return.
    fn body(&mut self, nodes: &'p [Node], mut divergent: bool) -> bool {
        let scope = self.iteration.live.len();
        let mut returned = false;
        for node in nodes {
            if self.statement(node, divergent) {
                returned = true;
                divergent = true;
            }
        }
        self.iteration.live.truncate(scope);
        returned
    }

    /// Analyses a statement. Returns true if it has a divergent return.
    fn statement(&mut self, node: &'p Node, divergent: bool) -> bool {
        match node {
            Node::Let { name, value } => {
                let value = self.expr(value, divergent);
                let ordinal = self.take_ordinal();
                self.bind(name, ordinal, value || divergent);
                false
            }
            Node::Assign { name, value } => {
                let value = self.expr(value, divergent);
                self.take_ordinal();
                if let (Some(binding), true) = (self.binding(name), value || divergent) {
                    self.variables.insert(binding);
                }
                false
            }
            Node::Store { buffer: _, index, value } => {
                self.expr(index, divergent);
                self.expr(value, divergent);
                self.take_ordinal();
                false
            }
            Node::If { cond, then, otherwise } => {
                let inside = self.expr(cond, divergent) || divergent;
                self.take_ordinal();
                let then = self.body(then, inside);
                let otherwise = self.body(otherwise, inside);
                then || otherwise
            }
            Node::Loop { var, from, to, body } => {
                let from = self.expr(from, divergent);
                let to = self.expr(to, divergent);
                let ordinal = self.take_ordinal();
                let inside = from || to || divergent || self.loops.contains(&ordinal);
                let scope = self.iteration.live.len();
                self.bind(var, ordinal, inside);
                self.iteration.open_loops.push(ordinal);
                let returned = self.body(body, inside);
                self.iteration.open_loops.pop();
                self.iteration.live.truncate(scope);
                if returned {
                    self.loops.insert(ordinal);
                }
                returned
            }
            Node::Return => {
                self.take_ordinal();
                divergent
            }
            Node::Block(body) => {
                self.take_ordinal();
                self.body(body, divergent)
            }
            Node::Barrier => {
                let ordinal = self.take_ordinal();
                if divergent {
                    self.iteration.found.barriers.push(ordinal);
                }
                false
            }
            Node::Break => {
                self.take_ordinal();
                if let (Some(&innermost), true) = (self.iteration.open_loops.last(), divergent) {
                    self.loops.insert(innermost);
                }
                false
            }
        }
    }

    /// Reports whether a value is divergent, given the divergence of `control`.
    fn expr(&mut self, expr: &'p Expr, control: bool) -> bool {
        let mut operands = Vec::new();
        let mut last_operand = 0;
        for position in 0..expr.operand_count() {
            if let Some(operand) = expr.operand(position) {
                operands.push(self.expr(operand, control));
                last_operand = self.iteration.next_ordinal - 1;
            }
        }
        let any = operands.iter().any(|&operand| operand);
        let ordinal = self.take_ordinal();
        match expr {
            Expr::LocalId { .. } | Expr::InvocationId { .. } | Expr::Atomic { .. } | Expr::WorkgroupAtomic { .. } => {
                true
            }
            Expr::Var(name) => self.binding(name).is_some_and(|binding| self.variables.contains(&binding)),
            Expr::Load { buffer, index: _ } => match self.program.buffer(buffer).map(|buffer| buffer.access) {
                Some(BufferAccess::ReadWrite | BufferAccess::Workgroup) => true,
                Some(BufferAccess::ReadOnly | BufferAccess::Uniform) => any,
                None => false,
            },
            Expr::Collective(collective) => {
                if control {
                    self.iteration.found.collectives.push(ordinal);
                }
                match collective {
                    Collective::Broadcast { .. } => {
                        if operands.last() == Some(&true) {
                            self.iteration.found.broadcast_lanes.push(last_operand);
                        }
                        false
                    }
                    Collective::Reduce { .. } | Collective::Ballot { .. } => false,
                    Collective::Shuffle { .. }
                    | Collective::ScanExclusive { .. }
                    | Collective::ScanInclusive { .. } => true,
                }
            }
            _ => any,
        }
    }
}
