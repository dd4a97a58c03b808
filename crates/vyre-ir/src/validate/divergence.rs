//! Divergence analysis (uniformity analysis): finds the values and the control flow that all invocations of a workgroup
//! share.
//!
//! The analysis builds an implication graph of facts, "this variable is divergent" or "control flow is divergent here",
//! and propagates divergence over the graph with a worklist. A fact changes at most once, so the analysis takes linear
//! time, loops included. It follows the uniformity analysis of WGSL in its results: values and control flow depend on
//! each other.
//!
//! Control flow has one fact for each *segment*: a maximal run of statements of one body that the same invocations
//! reach. A segment ends after each statement that contains a `Return`.

use super::hooks::{Convergence, DivergenceCause, DivergentUse};
use super::resolution::NO_TARGET;
use crate::diagnostic::ProgramLocation;
use crate::{BodyKind, BufferAccess, Collective, Expr, Node, Program};

/// Result of the analysis: uniformity of each statement, expression and variable.
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

/// Index of a fact of the form "this is divergent".
type Fact = u32;

/// The fact `cause` implies the fact `effect`.
#[derive(Clone, Copy)]
struct Implication {
    cause: Fact,
    effect: Fact,
}

/// Graph of facts and implications.
struct FactGraph {
    count: u32,
    /// Facts that hold unconditionally.
    roots: Vec<Fact>,
    implications: Vec<Implication>,
}

/// Facts that hold.
struct Propagation {
    /// Indexed by fact.
    holds: Vec<bool>,
    /// The implication that derived each fact that is not a root, in the order of derivation.
    derivations: Vec<Implication>,
}

impl FactGraph {
    fn add(&mut self) -> Fact {
        self.count += 1;
        self.count - 1
    }

    fn imply(&mut self, cause: Fact, effect: Fact) {
        self.implications.push(Implication { cause, effect });
    }

    /// Propagates the roots over the implications.
    fn propagate(&self) -> Propagation {
        let count = self.count as usize;
        // Effects in compressed sparse row form: those of cause c are effects[starts[c]..starts[c + 1]].
        let mut starts = vec![0; count + 1];
        for &Implication { cause, effect: _ } in &self.implications {
            starts[cause as usize + 1] += 1;
        }
        for cause in 0..count {
            starts[cause + 1] += starts[cause];
        }
        let mut next = starts.clone();
        let mut effects = vec![0; self.implications.len()];
        for &Implication { cause, effect } in &self.implications {
            effects[next[cause as usize]] = effect;
            next[cause as usize] += 1;
        }
        let mut holds = vec![false; count];
        let mut derivations = Vec::new();
        let mut pending = Vec::new();
        for &root in &self.roots {
            if !std::mem::replace(&mut holds[root as usize], true) {
                pending.push(root);
            }
        }
        while let Some(cause) = pending.pop() {
            for &effect in &effects[starts[cause as usize]..starts[cause as usize + 1]] {
                if !std::mem::replace(&mut holds[effect as usize], true) {
                    derivations.push(Implication { cause, effect });
                    pending.push(effect);
                }
            }
        }
        Propagation { holds, derivations }
    }
}

/// A fact that holds where invocations diverge, and the statement or expression that makes them diverge.
struct DivergencePoint {
    fact: Fact,
    cause: DivergenceCause,
}

/// Finds the nearest point at which invocations diverge, for diagnostics.
struct Explanation<'b> {
    analysis: &'b DivergenceAnalysis<'b>,
    derivations: &'b [Implication],
    /// Cause of each fact, computed at the first query.
    causes: Vec<Option<DivergenceCause>>,
}

impl<'b> Explanation<'b> {
    fn new(analysis: &'b DivergenceAnalysis<'b>, derivations: &'b [Implication]) -> Explanation<'b> {
        Explanation { analysis, derivations, causes: Vec::new() }
    }

    fn of(&mut self, segment: Fact) -> Option<DivergenceCause> {
        if self.causes.is_empty() {
            self.causes = vec![None; self.analysis.facts.count as usize];
            for point in &self.analysis.divergence_points {
                self.causes[point.fact as usize] = Some(point.cause);
            }
            for &Implication { cause, effect } in self.derivations {
                self.causes[effect as usize] = self.causes[effect as usize].or(self.causes[cause as usize]);
            }
        }
        self.causes[segment as usize]
    }
}

/// Dependence of the value of an expression on variables.
#[derive(Clone, Copy)]
struct Dependence {
    /// True if the value is divergent for all values of the variables.
    divergent: bool,
    /// Start of its variables in `DivergenceAnalysis::variables`; they end where those of the next operand begin.
    from: usize,
    ordinal: u32,
}

/// An open body.
struct Body {
    kind: BodyKind,
    /// First segment of the body.
    first: Fact,
    /// Current segment.
    segment: Fact,
    /// Fact that some invocations have returned in this body and others have not; `None` before the first `Return`.
    returns: Option<Fact>,
    /// `returns` of the bodies of the last statement, which end the segment.
    returned_below: Vec<Fact>,
    /// Fact that control flow in the bodies of the last statement is divergent.
    gate: Fact,
}

/// A barrier or collective and the segment that contains it.
#[derive(Clone, Copy)]
struct ConvergencePoint {
    ordinal: u32,
    segment: Fact,
}

/// The analysis. It is fed with the events of one traversal.
pub(super) struct DivergenceAnalysis<'p> {
    program: &'p Program,
    facts: FactGraph,
    /// Fact of each variable.
    variable_facts: Vec<Fact>,
    bodies: Vec<Body>,
    operands: Vec<Dependence>,
    /// Variables that the operands depend on.
    variables: Vec<Fact>,
    /// Collectives in the expressions of the next statement.
    pending_collectives: Vec<u32>,
    collectives: Vec<ConvergencePoint>,
    barriers: Vec<ConvergencePoint>,
    broadcast_lanes: Vec<u32>,
    /// Transfer function of each statement and expression, by ordinal.
    effects: Vec<Effect>,
    divergence_points: Vec<DivergencePoint>,
}

impl<'p> DivergenceAnalysis<'p> {
    pub(super) fn new(program: &'p Program, nodes: usize) -> DivergenceAnalysis<'p> {
        DivergenceAnalysis {
            program,
            facts: FactGraph { count: 0, roots: Vec::new(), implications: Vec::new() },
            variable_facts: Vec::new(),
            bodies: Vec::new(),
            operands: Vec::new(),
            variables: Vec::new(),
            pending_collectives: Vec::new(),
            collectives: Vec::new(),
            barriers: Vec::new(),
            broadcast_lanes: Vec::new(),
            effects: Vec::with_capacity(nodes),
            divergence_points: Vec::new(),
        }
    }

    /// Fact of a variable. Variables must be bound in order and before they are used.
    fn variable(&mut self, variable: u32) -> Fact {
        if variable as usize == self.variable_facts.len() {
            let fact = self.facts.add();
            self.variable_facts.push(fact);
        }
        self.variable_facts[variable as usize]
    }

    /// Transfer function of an expression.
    fn own_effect(&mut self, expr: &Expr, target: u32) -> Effect {
        let count = expr.operand_count() as u32;
        match expr {
            Expr::LitU32(_)
            | Expr::LitI32(_)
            | Expr::LitBool(_)
            | Expr::BufLen { .. }
            | Expr::WorkgroupId { .. }
            | Expr::NumWorkgroups { .. } => Effect::Uniform(count),
            Expr::InvocationId { .. } | Expr::LocalId { .. } | Expr::Atomic { .. } | Expr::WorkgroupAtomic { .. } => {
                Effect::Divergent(count)
            }
            Expr::Var(_) => match target {
                // The name is undeclared, which V006 reports.
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

    /// Propagates divergence. Returns the uniformity of all nodes, and the constructs that require uniformity and do
    /// not have it.
    pub(super) fn finish(self) -> (Uniformity, Vec<DivergentUse>) {
        let Propagation { holds: divergent, derivations } = self.facts.propagate();
        let mut explanation = Explanation::new(&self, &derivations);
        let mut divergent_uses = Vec::new();
        for (requires, points) in [(Convergence::Barrier, &self.barriers), (Convergence::Collective, &self.collectives)]
        {
            for &ConvergencePoint { ordinal, segment } in points {
                if divergent[segment as usize] {
                    let location = ProgramLocation::Node(ordinal);
                    divergent_uses.push(DivergentUse { location, requires, cause: explanation.of(segment) });
                }
            }
        }
        let nodes = node_uniformity(&self.effects, &divergent);
        for &lane in &self.broadcast_lanes {
            if !nodes[lane as usize] {
                let (location, requires) = (ProgramLocation::Node(lane), Convergence::BroadcastLane);
                divergent_uses.push(DivergentUse { location, requires, cause: None });
            }
        }
        let variables = self.variable_facts.iter().map(|&fact| !divergent[fact as usize]).collect();
        (Uniformity { nodes, variables }, divergent_uses)
    }

    /// Adds an expression and its target.
    pub(super) fn expr(&mut self, expr: &Expr, target: u32) {
        let ordinal = self.effects.len() as u32;
        let operands = self.operands.len() - expr.operand_count();
        let from = self.operands.get(operands).map_or(self.variables.len(), |first| first.from);
        if let Expr::Collective(collective) = expr {
            self.pending_collectives.push(ordinal);
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

    /// Makes the divergence of any pending operand imply `fact`, and removes the operands.
    fn depend(&mut self, fact: Fact) {
        if self.operands.drain(..).any(|operand| operand.divergent) {
            self.facts.roots.push(fact);
        }
        for variable in self.variables.drain(..) {
            self.facts.imply(variable, fact);
        }
    }

    /// Adds a statement and its target.
    pub(super) fn statement(&mut self, node: &Node, target: u32) {
        let ordinal = self.effects.len() as u32;
        self.start_segment();
        let segment = self.bodies.last().map_or(0, |body| body.segment);
        self.effects.push(Effect::Statement(segment));
        self.collectives
            .extend(self.pending_collectives.drain(..).map(|ordinal| ConvergencePoint { ordinal, segment }));
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
                let label = "this condition may differ between invocations";
                self.branch(segment, DivergenceCause { label, location: condition });
            }
            Node::Block(_) => {
                self.gate(segment);
            }
            Node::Loop { .. } => {
                let label = "the bounds of this loop may differ between invocations";
                self.branch(segment, DivergenceCause { label, location: ProgramLocation::Node(ordinal) });
            }
            Node::Return => {
                let diverges = self.exit(segment, "some invocations may end here and others not", ordinal);
                let returns = self.returns();
                self.facts.imply(diverges, returns);
            }
            Node::Break => {
                let diverges = self.exit(segment, "some invocations may leave the loop here and others not", ordinal);
                if let Some(innermost) = self.bodies.iter().rev().find(|body| body.kind == BodyKind::Loop) {
                    self.facts.imply(diverges, innermost.first);
                }
            }
            Node::Barrier => self.barriers.push(ConvergencePoint { ordinal, segment }),
            Node::Store { .. } => self.forget_operands(),
        }
    }

    fn forget_operands(&mut self) {
        self.operands.clear();
        self.variables.clear();
    }

    /// Adds the fact that invocations diverge at a `Break` or `Return` in `segment`.
    fn exit(&mut self, segment: Fact, label: &'static str, ordinal: u32) -> Fact {
        let fact = self.facts.add();
        self.facts.imply(segment, fact);
        let cause = DivergenceCause { label, location: ProgramLocation::Node(ordinal) };
        self.divergence_points.push(DivergencePoint { fact, cause });
        fact
    }

    /// Opens the bodies of a statement whose control flow depends on the pending operands.
    fn branch(&mut self, segment: Fact, cause: DivergenceCause) {
        let gate = self.gate(segment);
        // A separate fact: an explanation must name the branch only if the branch itself diverges.
        let fact = self.facts.add();
        self.depend(fact);
        self.facts.imply(fact, gate);
        self.divergence_points.push(DivergencePoint { fact, cause });
    }

    /// Adds the fact that control flow in the bodies of this statement is divergent.
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

    /// Starts a new segment if the last statement of the body contained a `Return`.
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

    /// Enters a body. The variable of a loop is divergent if control flow in the body is.
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

/// Transfer function of a statement or expression. Numbers are operand counts.
#[derive(Clone, Copy)]
enum Effect {
    /// A value that is divergent for all operands.
    Divergent(u32),
    /// A value that is uniform for all operands.
    Uniform(u32),
    /// A value that is uniform if all operands are.
    Operands(u32),
    /// A value that is uniform if a variable is.
    Variable(Fact),
    /// A statement in a segment.
    Statement(Fact),
}

/// Uniformity of each statement and expression, given the facts of variables and segments.
fn node_uniformity(effects: &[Effect], divergent: &[bool]) -> Vec<bool> {
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
