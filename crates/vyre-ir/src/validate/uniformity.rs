//! Which values and which control flow all invocations of a workgroup share.
//!
//! Facts are nodes of a graph: "this variable is divergent", "from here on control is divergent". An edge says that
//! one fact implies another. What is divergent by itself starts a search over the edges, so each fact flips at most
//! once and the analysis is linear, loops included.
//!
//! Control is divergent or not for a *segment*: a run of statements of one body between two places where invocations
//! can get lost. A new segment begins after every statement that contains a `Return`.

use super::facts::{NO_TARGET, Resolved};
use super::rules::{v010_divergent_barrier, v037_divergent_collective, v046_broadcast_lane};
use crate::diagnostic::{Place, Report};
use crate::{BodyKind, BufferAccess, Collective, Event, Expr, Node, Program, Walk};

/// The result: one fact for each statement, expression and variable.
#[derive(Debug)]
pub(super) struct Uniformity {
    /// By ordinal.
    nodes: Vec<bool>,
    variables: Vec<bool>,
}

impl Uniformity {
    pub(super) fn is_uniform(&self, ordinal: u32) -> bool {
        self.nodes.get(ordinal as usize).copied().unwrap_or(false)
    }

    pub(super) fn is_uniform_variable(&self, position: usize) -> bool {
        self.variables.get(position).copied().unwrap_or(false)
    }
}

/// Reports barriers, collectives and broadcast lanes that are not uniform.
pub(super) fn check(program: &Program, resolved: &Resolved, report: &mut Report) -> Uniformity {
    let mut builder = Builder::new(program, resolved);
    let mut walk = Walk::new(program);
    while let Some(event) = walk.next() {
        match event {
            Event::Expr(expr) => builder.expr(expr, walk.ordinal()),
            Event::Statement(node) => builder.statement(node, walk.ordinal()),
            Event::EnterBody(kind) => builder.enter_body(kind),
            Event::LeaveBody(kind) => builder.leave_body(kind),
        }
    }
    let (divergent, consequences) = builder.facts.spread();
    let mut explanation = Explanation::new(&builder, &consequences);
    for &(ordinal, segment) in &builder.barriers {
        if divergent[segment as usize] {
            v010_divergent_barrier::report(report, Place::Node(ordinal), explanation.of(segment));
        }
    }
    for &(ordinal, segment) in &builder.collectives {
        if divergent[segment as usize] {
            v037_divergent_collective::report(report, Place::Node(ordinal), explanation.of(segment));
        }
    }
    let nodes = value_facts(program, resolved, &divergent, &builder.statements);
    for &lane in &builder.broadcast_lanes {
        if !nodes[lane as usize] {
            v046_broadcast_lane::report(report, Place::Node(lane));
        }
    }
    let variables = divergent[..resolved.variables.len()].iter().map(|divergent| !divergent).collect();
    Uniformity { nodes, variables }
}

/// A fact that may turn out to be true: "this is divergent".
type Fact = u32;

/// Facts and what follows from them.
struct Facts {
    count: u32,
    /// Facts that are true by themselves.
    roots: Vec<Fact>,
    implications: Vec<(Fact, Fact)>,
}

impl Facts {
    fn add(&mut self) -> Fact {
        self.count += 1;
        self.count - 1
    }

    fn imply(&mut self, cause: Fact, effect: Fact) {
        self.implications.push((cause, effect));
    }

    /// Which facts are true or follow from true ones, and the implications by which they were found, in order.
    fn spread(&self) -> (Vec<bool>, Vec<(Fact, Fact)>) {
        let count = self.count as usize;
        // Effects grouped by cause: those of cause c are effects[starts[c]..starts[c + 1]].
        let mut starts = vec![0; count + 1];
        for &(cause, _) in &self.implications {
            starts[cause as usize + 1] += 1;
        }
        for cause in 0..count {
            starts[cause + 1] += starts[cause];
        }
        let mut next = starts.clone();
        let mut effects = vec![0; self.implications.len()];
        for &(cause, effect) in &self.implications {
            effects[next[cause as usize]] = effect;
            next[cause as usize] += 1;
        }
        let mut holds = vec![false; count];
        let mut consequences = Vec::new();
        let mut pending = Vec::new();
        for &root in &self.roots {
            if !std::mem::replace(&mut holds[root as usize], true) {
                pending.push(root);
            }
        }
        while let Some(cause) = pending.pop() {
            for &effect in &effects[starts[cause as usize]..starts[cause as usize + 1]] {
                if !std::mem::replace(&mut holds[effect as usize], true) {
                    consequences.push((cause, effect));
                    pending.push(effect);
                }
            }
        }
        (holds, consequences)
    }
}

/// What happens at a place where invocations part, and the place.
type Split = (&'static str, Place);

/// Finds the nearest place at which invocations have parted, for diagnostics.
struct Explanation<'b> {
    builder: &'b Builder<'b>,
    consequences: &'b [(Fact, Fact)],
    /// For each fact, which split explains it; made when it is first asked for.
    nearest: Vec<Option<Split>>,
}

impl<'b> Explanation<'b> {
    fn new(builder: &'b Builder<'b>, consequences: &'b [(Fact, Fact)]) -> Explanation<'b> {
        Explanation { builder, consequences, nearest: Vec::new() }
    }

    fn of(&mut self, segment: Fact) -> Option<Split> {
        if self.nearest.is_empty() {
            self.nearest = vec![None; self.builder.facts.count as usize];
            for &(fact, split) in &self.builder.splits {
                self.nearest[fact as usize] = Some(split);
            }
            for &(cause, effect) in self.consequences {
                self.nearest[effect as usize] = self.nearest[effect as usize].or(self.nearest[cause as usize]);
            }
        }
        self.nearest[segment as usize]
    }
}

/// How the value of an expression depends on variables.
#[derive(Clone, Copy)]
struct Dependence {
    /// Divergent whatever the variables are.
    divergent: bool,
    /// The variables it depends on are `Builder::variables[from..]`, up to the next operand's.
    from: usize,
    ordinal: u32,
}

/// A body that is open.
struct Body {
    kind: BodyKind,
    /// Where control in the body begins.
    first: Fact,
    /// Where control is now.
    segment: Fact,
    /// "An invocation may have returned in this body while others went on", once it has a `Return`.
    returns: Option<Fact>,
    /// The `returns` of bodies of the last statement, which end the segment.
    returned_below: Vec<Fact>,
    /// What makes control in the bodies of the last statement divergent.
    gate: Fact,
}

/// Builds the facts in one walk.
struct Builder<'p> {
    program: &'p Program,
    resolved: &'p Resolved,
    facts: Facts,
    bodies: Vec<Body>,
    operands: Vec<Dependence>,
    /// Variables of the operands that are waiting.
    variables: Vec<Fact>,
    /// The variable of the loop whose body comes next; it diverges with the body.
    loop_variable: Option<Fact>,
    /// Collectives of the statement that is being read.
    waiting_collectives: Vec<u32>,
    collectives: Vec<(u32, Fact)>,
    barriers: Vec<(u32, Fact)>,
    broadcast_lanes: Vec<u32>,
    /// The segment of each statement, in order.
    statements: Vec<Fact>,
    /// Facts that say where invocations part, with the place.
    splits: Vec<(Fact, Split)>,
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program, resolved: &'p Resolved) -> Builder<'p> {
        // The first facts are those of the variables.
        let count = resolved.variables.len() as u32;
        Builder {
            program,
            resolved,
            facts: Facts { count, roots: Vec::new(), implications: Vec::new() },
            bodies: Vec::new(),
            operands: Vec::new(),
            variables: Vec::new(),
            loop_variable: None,
            waiting_collectives: Vec::new(),
            collectives: Vec::new(),
            barriers: Vec::new(),
            broadcast_lanes: Vec::new(),
            statements: Vec::new(),
            splits: Vec::new(),
        }
    }

    fn expr(&mut self, expr: &Expr, ordinal: u32) {
        let operands = self.operands.len() - expr.operand_count();
        let from = self.operands.get(operands).map_or(self.variables.len(), |first| first.from);
        if let Expr::Collective(collective) = expr {
            self.waiting_collectives.push(ordinal);
            if let (Collective::Broadcast { .. }, Some(lane)) = (collective, self.operands.last()) {
                self.broadcast_lanes.push(lane.ordinal);
            }
        }
        let divergent = match own_effect(expr, ordinal, self.program, self.resolved) {
            OwnEffect::Divergent => {
                self.variables.truncate(from);
                true
            }
            OwnEffect::Uniform => {
                self.variables.truncate(from);
                false
            }
            OwnEffect::Operands => self.operands[operands..].iter().any(|operand| operand.divergent),
            OwnEffect::Variable(variable) => {
                self.variables.push(variable);
                false
            }
        };
        self.operands.truncate(operands);
        self.operands.push(Dependence { divergent, from, ordinal });
    }

    /// Makes `fact` follow from the divergence of the expressions that are waiting, and forgets them.
    fn depend(&mut self, fact: Fact) {
        if self.operands.drain(..).any(|operand| operand.divergent) {
            self.facts.roots.push(fact);
        }
        for variable in self.variables.drain(..) {
            self.facts.implications.push((variable, fact));
        }
    }

    fn statement(&mut self, node: &Node, ordinal: u32) {
        self.start_segment();
        let segment = self.bodies.last().map_or(0, |body| body.segment);
        self.statements.push(segment);
        self.collectives.extend(self.waiting_collectives.drain(..).map(|collective| (collective, segment)));
        match node {
            Node::Let { .. } | Node::Assign { .. } => match self.resolved.targets[ordinal as usize] {
                NO_TARGET => self.forget_operands(),
                variable => {
                    self.depend(variable);
                    self.facts.imply(segment, variable);
                }
            },
            Node::If { .. } => {
                let gate = self.gate(segment);
                self.depend(gate);
                // The condition is the last expression before the statement.
                let condition = Place::Node(ordinal.saturating_sub(1));
                self.splits.push((gate, ("this condition may differ between invocations", condition)));
            }
            Node::Block(_) => {
                self.gate(segment);
            }
            Node::Loop { .. } => {
                let gate = self.gate(segment);
                self.depend(gate);
                self.splits
                    .push((gate, ("the bounds of this loop may differ between invocations", Place::Node(ordinal))));
                self.loop_variable = Some(self.resolved.targets[ordinal as usize]).filter(|&fact| fact != NO_TARGET);
            }
            Node::Return => {
                let split = self.split_off(segment, "some invocations may end here and others not", ordinal);
                let returns = self.returns();
                self.facts.imply(split, returns);
            }
            Node::Break => {
                let split = self.split_off(segment, "some invocations may leave the loop here and others not", ordinal);
                if let Some(innermost) = self.bodies.iter().rev().find(|body| body.kind == BodyKind::Loop) {
                    self.facts.imply(split, innermost.first);
                }
            }
            Node::Barrier => self.barriers.push((ordinal, segment)),
            Node::Store { .. } => self.forget_operands(),
        }
    }

    fn forget_operands(&mut self) {
        self.operands.clear();
        self.variables.clear();
    }

    /// The fact that invocations part at a statement in `segment`.
    fn split_off(&mut self, segment: Fact, label: &'static str, ordinal: u32) -> Fact {
        let split = self.facts.add();
        self.facts.imply(segment, split);
        self.splits.push((split, (label, Place::Node(ordinal))));
        split
    }

    /// The fact on which control in the bodies of this statement depends.
    fn gate(&mut self, segment: Fact) -> Fact {
        let gate = self.facts.add();
        self.facts.imply(segment, gate);
        if let Some(body) = self.bodies.last_mut() {
            body.gate = gate;
        }
        gate
    }

    fn returns(&mut self) -> Fact {
        let facts = &mut self.facts;
        match self.bodies.last_mut() {
            Some(body) => *body.returns.get_or_insert_with(|| facts.add()),
            None => facts.add(),
        }
    }

    /// Begins a new segment if the last statement of the body contained a `Return`.
    fn start_segment(&mut self) {
        let Some(body) = self.bodies.last_mut() else { return };
        if body.returned_below.is_empty() {
            return;
        }
        let next = self.facts.add();
        self.facts.imply(body.segment, next);
        for returned in body.returned_below.drain(..) {
            self.facts.imply(returned, next);
        }
        body.segment = next;
    }

    fn enter_body(&mut self, kind: BodyKind) {
        let first = self.facts.add();
        if let Some(parent) = self.bodies.last() {
            self.facts.imply(parent.gate, first);
        }
        if let Some(variable) = self.loop_variable.take() {
            self.facts.imply(first, variable);
        }
        self.bodies.push(Body { kind, first, segment: first, returns: None, returned_below: Vec::new(), gate: first });
    }

    fn leave_body(&mut self, kind: BodyKind) {
        let Some(body) = self.bodies.pop() else { return };
        let Some(returns) = body.returns else { return };
        if kind == BodyKind::Loop {
            self.facts.imply(returns, body.first);
        }
        if self.bodies.is_empty() {
            return;
        }
        let outer = self.returns();
        self.facts.imply(returns, outer);
        if let Some(parent) = self.bodies.last_mut() {
            parent.returned_below.push(returns);
        }
    }
}

/// What an expression itself says about the uniformity of its value.
enum OwnEffect {
    /// Divergent whatever its operands are.
    Divergent,
    /// Uniform whatever its operands are.
    Uniform,
    /// As its operands.
    Operands,
    /// As a variable.
    Variable(Fact),
}

fn own_effect(expr: &Expr, ordinal: u32, program: &Program, resolved: &Resolved) -> OwnEffect {
    match expr {
        Expr::LitU32(_)
        | Expr::LitI32(_)
        | Expr::LitBool(_)
        | Expr::BufLen { .. }
        | Expr::WorkgroupId { .. }
        | Expr::NumWorkgroups { .. } => OwnEffect::Uniform,
        Expr::InvocationId { .. } | Expr::LocalId { .. } | Expr::Atomic { .. } => OwnEffect::Divergent,
        Expr::Var(_) => match resolved.targets[ordinal as usize] {
            // Not declared, which has been reported.
            NO_TARGET => OwnEffect::Uniform,
            variable => OwnEffect::Variable(variable),
        },
        Expr::Load { .. } => match program.buffers.get(resolved.targets[ordinal as usize] as usize) {
            Some(buffer) => match buffer.access {
                BufferAccess::ReadOnly | BufferAccess::Uniform => OwnEffect::Operands,
                BufferAccess::ReadWrite | BufferAccess::Workgroup => OwnEffect::Divergent,
            },
            None => OwnEffect::Uniform,
        },
        Expr::BinOp { .. }
        | Expr::UnOp { .. }
        | Expr::Call { .. }
        | Expr::Select { .. }
        | Expr::Cast { .. }
        | Expr::Extract { .. }
        | Expr::Pack { .. } => OwnEffect::Operands,
        Expr::Collective(collective) => match collective {
            Collective::Broadcast { .. } | Collective::Reduce { .. } | Collective::Ballot { .. } => OwnEffect::Uniform,
            Collective::Shuffle { .. } | Collective::ScanExclusive { .. } | Collective::ScanInclusive { .. } => {
                OwnEffect::Divergent
            }
        },
    }
}

/// The fact of each statement and expression, now that those of variables and segments are known.
fn value_facts(program: &Program, resolved: &Resolved, divergent: &[bool], statements: &[Fact]) -> Vec<bool> {
    let mut uniform = Vec::with_capacity(resolved.types.len());
    let mut operands: Vec<bool> = Vec::new();
    let mut statements = statements.iter();
    for event in Walk::new(program) {
        let ordinal = uniform.len() as u32;
        match event {
            Event::Expr(expr) => {
                let first = operands.len() - expr.operand_count();
                let value = match own_effect(expr, ordinal, program, resolved) {
                    OwnEffect::Divergent => false,
                    OwnEffect::Uniform => true,
                    OwnEffect::Operands => operands[first..].iter().all(|&operand| operand),
                    OwnEffect::Variable(variable) => !divergent[variable as usize],
                };
                operands.truncate(first);
                operands.push(value);
                uniform.push(value);
            }
            Event::Statement(_) => {
                operands.clear();
                uniform.push(statements.next().is_some_and(|&segment| !divergent[segment as usize]));
            }
            Event::EnterBody(_) | Event::LeaveBody(_) => {}
        }
    }
    uniform
}
