//! A second opinion on uniformity, written to be read: repeat the walk until nothing changes.
//!
//! It shares no code with the validator, recurses freely and takes quadratic time, so it is for programs of test size
//! whose names resolve.

use std::collections::BTreeSet;

use vyre_ir::{BufferAccess, Collective, Expr, Name, Node, Program};

/// What is not uniform in a program, by ordinal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Divergence {
    /// Barriers that only part of a workgroup may reach.
    pub barriers: Vec<u32>,
    /// Collectives that only part of a workgroup may reach.
    pub collectives: Vec<u32>,
    /// Lanes of broadcasts that may differ between invocations.
    pub broadcast_lanes: Vec<u32>,
}

/// Finds what is not uniform.
#[must_use]
pub fn divergence(program: &Program) -> Divergence {
    let mut oracle = Oracle { program, variables: BTreeSet::new(), loops: BTreeSet::new(), round: Round::default() };
    loop {
        let before = (oracle.variables.len(), oracle.loops.len());
        oracle.round = Round::default();
        oracle.body(&program.entry, false);
        if before == (oracle.variables.len(), oracle.loops.len()) {
            return oracle.round.found;
        }
    }
}

struct Oracle<'p> {
    program: &'p Program,
    /// Variables that are divergent, by the ordinal of their binding. Only grows.
    variables: BTreeSet<u32>,
    /// Loops that some invocations leave before others, by ordinal. Only grows.
    loops: BTreeSet<u32>,
    round: Round<'p>,
}

/// The state of one walk.
#[derive(Default)]
struct Round<'p> {
    next_ordinal: u32,
    /// The names that are live, with the ordinals of their bindings.
    live: Vec<(&'p Name, u32)>,
    open_loops: Vec<u32>,
    found: Divergence,
}

impl<'p> Oracle<'p> {
    fn take_ordinal(&mut self) -> u32 {
        self.round.next_ordinal += 1;
        self.round.next_ordinal - 1
    }

    fn bind(&mut self, name: &'p Name, ordinal: u32, divergent: bool) {
        if !name.is_discard() {
            self.round.live.push((name, ordinal));
        }
        if divergent {
            self.variables.insert(ordinal);
        }
    }

    fn binding(&self, name: &Name) -> Option<u32> {
        self.round.live.iter().rev().find(|(live, _)| *live == name).map(|&(_, ordinal)| ordinal)
    }

    /// Walks a body that is entered with divergent control or not; true if invocations may return from it apart.
    fn body(&mut self, nodes: &'p [Node], mut divergent: bool) -> bool {
        let scope = self.round.live.len();
        let mut returned = false;
        for node in nodes {
            if self.statement(node, divergent) {
                returned = true;
                divergent = true;
            }
        }
        self.round.live.truncate(scope);
        returned
    }

    /// True if invocations may return from the statement apart.
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
                let scope = self.round.live.len();
                self.bind(var, ordinal, inside);
                self.round.open_loops.push(ordinal);
                let returned = self.body(body, inside);
                self.round.open_loops.pop();
                self.round.live.truncate(scope);
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
                    self.round.found.barriers.push(ordinal);
                }
                false
            }
            Node::Break => {
                self.take_ordinal();
                if let (Some(&innermost), true) = (self.round.open_loops.last(), divergent) {
                    self.loops.insert(innermost);
                }
                false
            }
        }
    }

    /// Whether a value is divergent; `control` says whether control is where it is evaluated.
    fn expr(&mut self, expr: &'p Expr, control: bool) -> bool {
        let mut operands = Vec::new();
        let mut last_operand = 0;
        for position in 0..expr.operand_count() {
            if let Some(operand) = expr.operand(position) {
                operands.push(self.expr(operand, control));
                last_operand = self.round.next_ordinal - 1;
            }
        }
        let any = operands.iter().any(|&operand| operand);
        let ordinal = self.take_ordinal();
        match expr {
            Expr::LocalId { .. } | Expr::InvocationId { .. } | Expr::Atomic { .. } => true,
            Expr::Var(name) => self.binding(name).is_some_and(|binding| self.variables.contains(&binding)),
            Expr::Load { buffer, index: _ } => match self.program.buffer(buffer).map(|buffer| buffer.access) {
                Some(BufferAccess::ReadWrite | BufferAccess::Workgroup) => true,
                Some(BufferAccess::ReadOnly | BufferAccess::Uniform) => any,
                None => false,
            },
            Expr::Collective(collective) => {
                if control {
                    self.round.found.collectives.push(ordinal);
                }
                match collective {
                    Collective::Broadcast { .. } => {
                        if operands.last() == Some(&true) {
                            self.round.found.broadcast_lanes.push(last_operand);
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
