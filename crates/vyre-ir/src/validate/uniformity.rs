//! Which values and which control flow all invocations of a workgroup share.
//!
//! Facts are nodes of a graph: "this variable is divergent", "from here on control is divergent". An edge says that
//! one fact implies another. What is divergent by itself starts a search over the edges, so each fact flips at most
//! once and the analysis is linear, loops included.
//!
//! Control is divergent or not for a *segment*: a run of statements of one body between two places where invocations
//! can get lost. A new segment begins after every statement that contains a `Return`.

use super::facts::NO_TARGET;
use super::rules::{v010_divergent_barrier, v037_divergent_collective, v046_broadcast_lane};
use crate::diagnostic::{ProgramLocation, Report};
use crate::{BodyKind, BufferAccess, Collective, Expr, Node, Program};

/// The result: one fact for each statement, expression and variable.
#[derive(Clone, Debug)]
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
type Split = (&'static str, ProgramLocation);

/// Finds the nearest place at which invocations have parted, for diagnostics.
struct Explanation<'b> {
    builder: &'b Flow<'b>,
    consequences: &'b [(Fact, Fact)],
    /// For each fact, which split explains it; made when it is first asked for.
    nearest: Vec<Option<Split>>,
}

impl<'b> Explanation<'b> {
    fn new(builder: &'b Flow<'b>, consequences: &'b [(Fact, Fact)]) -> Explanation<'b> {
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
    /// The variables it depends on are `Flow::variables[from..]`, up to the next operand's.
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
pub(super) struct Flow<'p> {
    program: &'p Program,
    facts: Facts,
    /// The fact of each variable.
    variable_facts: Vec<Fact>,
    bodies: Vec<Body>,
    operands: Vec<Dependence>,
    /// Variables of the operands that are waiting.
    variables: Vec<Fact>,
    /// Collectives of the statement that is being read.
    waiting_collectives: Vec<u32>,
    collectives: Vec<(u32, Fact)>,
    barriers: Vec<(u32, Fact)>,
    broadcast_lanes: Vec<u32>,
    /// What each statement and expression says about itself, by ordinal.
    effects: Vec<Effect>,
    /// Facts that say where invocations part, with the place.
    splits: Vec<(Fact, Split)>,
}

impl<'p> Flow<'p> {
    pub(super) fn new(program: &'p Program, nodes: usize) -> Flow<'p> {
        Flow {
            program,
            facts: Facts { count: 0, roots: Vec::new(), implications: Vec::new() },
            variable_facts: Vec::new(),
            bodies: Vec::new(),
            operands: Vec::new(),
            variables: Vec::new(),
            waiting_collectives: Vec::new(),
            collectives: Vec::new(),
            barriers: Vec::new(),
            broadcast_lanes: Vec::new(),
            effects: Vec::with_capacity(nodes),
            splits: Vec::new(),
        }
    }

    /// The fact of a variable; variables are bound in order and before they are used.
    fn variable(&mut self, variable: u32) -> Fact {
        if variable as usize == self.variable_facts.len() {
            let fact = self.facts.add();
            self.variable_facts.push(fact);
        }
        self.variable_facts[variable as usize]
    }

    /// What an expression says about itself.
    fn own_effect(&mut self, expr: &Expr, target: u32) -> Effect {
        let count = expr.operand_count() as u32;
        match expr {
            Expr::LitU32(_)
            | Expr::LitI32(_)
            | Expr::LitBool(_)
            | Expr::BufLen { .. }
            | Expr::WorkgroupId { .. }
            | Expr::NumWorkgroups { .. } => Effect::Uniform(count),
            Expr::InvocationId { .. } | Expr::LocalId { .. } | Expr::Atomic { .. } => Effect::Divergent(count),
            Expr::Var(_) => match target {
                // Not declared, which has been reported.
                NO_TARGET => Effect::Uniform(count),
                variable => Effect::Variable(self.variable(variable)),
            },
            Expr::Load { .. } => match self.program.buffers.get(target as usize).map(|buffer| buffer.access) {
                Some(BufferAccess::ReadOnly | BufferAccess::Uniform) => Effect::Operands(count),
                Some(BufferAccess::ReadWrite | BufferAccess::Workgroup) => Effect::Divergent(count),
                None => Effect::Uniform(count),
            },
            Expr::BinOp { .. }
            | Expr::UnOp { .. }
            | Expr::Call { .. }
            | Expr::Select { .. }
            | Expr::Cast { .. }
            | Expr::Extract { .. }
            | Expr::Pack { .. } => Effect::Operands(count),
            Expr::Collective(collective) => match collective {
                Collective::Broadcast { .. } | Collective::Reduce { .. } | Collective::Ballot { .. } => {
                    Effect::Uniform(count)
                }
                Collective::Shuffle { .. } | Collective::ScanExclusive { .. } | Collective::ScanInclusive { .. } => {
                    Effect::Divergent(count)
                }
            },
        }
    }

    /// Reports barriers, collectives and broadcast lanes that are not uniform.
    pub(super) fn finish(self, report: &mut Report) -> Uniformity {
        let (divergent, consequences) = self.facts.spread();
        let mut explanation = Explanation::new(&self, &consequences);
        for &(ordinal, segment) in &self.barriers {
            if divergent[segment as usize] {
                v010_divergent_barrier::report(report, ProgramLocation::Node(ordinal), explanation.of(segment));
            }
        }
        for &(ordinal, segment) in &self.collectives {
            if divergent[segment as usize] {
                v037_divergent_collective::report(report, ProgramLocation::Node(ordinal), explanation.of(segment));
            }
        }
        let nodes = node_facts(&self.effects, &divergent);
        for &lane in &self.broadcast_lanes {
            if !nodes[lane as usize] {
                v046_broadcast_lane::report(report, ProgramLocation::Node(lane));
            }
        }
        let variables = self.variable_facts.iter().map(|&fact| !divergent[fact as usize]).collect();
        Uniformity { nodes, variables }
    }

    /// Adds an expression and what it refers to.
    pub(super) fn expr(&mut self, expr: &Expr, target: u32) {
        let ordinal = self.effects.len() as u32;
        let operands = self.operands.len() - expr.operand_count();
        let from = self.operands.get(operands).map_or(self.variables.len(), |first| first.from);
        if let Expr::Collective(collective) = expr {
            self.waiting_collectives.push(ordinal);
            if let (Collective::Broadcast { .. }, Some(lane)) = (collective, self.operands.last()) {
                self.broadcast_lanes.push(lane.ordinal);
            }
        }
        let effect = self.own_effect(expr, target);
        let divergent = match effect {
            Effect::Divergent(_) | Effect::Uniform(_) => {
                self.variables.truncate(from);
                matches!(effect, Effect::Divergent(_))
            }
            Effect::Operands(_) => self.operands[operands..].iter().any(|operand| operand.divergent),
            Effect::Variable(variable) => {
                self.variables.push(variable);
                false
            }
            Effect::Statement(_) => false,
        };
        self.effects.push(effect);
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

    /// Adds a statement and what it refers to.
    pub(super) fn statement(&mut self, node: &Node, target: u32) {
        let ordinal = self.effects.len() as u32;
        self.start_segment();
        let segment = self.bodies.last().map_or(0, |body| body.segment);
        self.effects.push(Effect::Statement(segment));
        self.collectives.extend(self.waiting_collectives.drain(..).map(|collective| (collective, segment)));
        match node {
            Node::Let { .. } | Node::Assign { .. } => match target {
                NO_TARGET => self.forget_operands(),
                variable => {
                    let fact = self.variable(variable);
                    self.depend(fact);
                    self.facts.imply(segment, fact);
                }
            },
            Node::If { .. } => {
                // The condition is the last expression before the statement.
                let condition = ProgramLocation::Node(ordinal.saturating_sub(1));
                self.branch(segment, ("this condition may differ between invocations", condition));
            }
            Node::Block(_) => {
                self.gate(segment);
            }
            Node::Loop { .. } => {
                self.branch(
                    segment,
                    ("the bounds of this loop may differ between invocations", ProgramLocation::Node(ordinal)),
                );
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
        self.splits.push((split, (label, ProgramLocation::Node(ordinal))));
        split
    }

    /// Opens the bodies of a statement that takes its way by the values that are waiting.
    fn branch(&mut self, segment: Fact, split: Split) {
        let gate = self.gate(segment);
        // A fact of its own, so that an explanation names the branch only where the branch itself is to blame.
        let parted = self.facts.add();
        self.depend(parted);
        self.facts.imply(parted, gate);
        self.splits.push((parted, split));
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

    /// Begins a body; of a loop with its variable, which diverges with the body.
    pub(super) fn enter_body(&mut self, kind: BodyKind, loop_variable: u32) {
        let first = self.facts.add();
        if let Some(parent) = self.bodies.last() {
            self.facts.imply(parent.gate, first);
        }
        if loop_variable != NO_TARGET {
            let fact = self.variable(loop_variable);
            self.facts.imply(first, fact);
        }
        self.bodies.push(Body { kind, first, segment: first, returns: None, returned_below: Vec::new(), gate: first });
    }

    pub(super) fn leave_body(&mut self, kind: BodyKind) {
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

/// What a statement or expression itself says about its uniformity.
#[derive(Clone, Copy)]
enum Effect {
    /// A value that is divergent whatever its operands are, of which there are so many.
    Divergent(u32),
    /// A value that is uniform whatever its operands are.
    Uniform(u32),
    /// A value that is as its operands.
    Operands(u32),
    /// A value that is as a variable.
    Variable(Fact),
    /// A statement in a segment.
    Statement(Fact),
}

/// The fact of each statement and expression, now that those of variables and segments are known.
fn node_facts(effects: &[Effect], divergent: &[bool]) -> Vec<bool> {
    let mut uniform = Vec::with_capacity(effects.len());
    let mut operands: Vec<bool> = Vec::new();
    for effect in effects {
        let fact = match *effect {
            Effect::Divergent(count) | Effect::Uniform(count) | Effect::Operands(count) => {
                let first = operands.len() - count as usize;
                let as_operands = operands.drain(first..).all(|operand| operand);
                match effect {
                    Effect::Divergent(_) => false,
                    Effect::Uniform(_) => true,
                    _ => as_operands,
                }
            }
            Effect::Variable(variable) => !divergent[variable as usize],
            Effect::Statement(segment) => {
                operands.clear();
                uniform.push(!divergent[segment as usize]);
                continue;
            }
        };
        operands.push(fact);
        uniform.push(fact);
    }
    uniform
}
