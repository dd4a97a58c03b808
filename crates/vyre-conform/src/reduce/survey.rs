//! What the reducer must know of a valid program, by the ordinals of a walk.

use std::cmp::Reverse;

use vyre_ir::{BodyKind, DataType, Event, Expr, Node, Program, Traversal, ValidProgram};

/// A valid program and what stands where in it.
pub(super) struct Survey<'p> {
    pub(super) program: &'p Program,
    pub(super) valid: ValidProgram<'p>,
    /// In the order of the walk.
    pub(super) exprs: Vec<FoundExpr<'p>>,
    /// In the order of the walk.
    pub(super) statements: Vec<FoundStatement<'p>>,
    /// By position in [`ValidProgram::variables`].
    pub(super) variables: Vec<FoundVariable>,
    /// The ordinals of the operands of each expression, by its ordinal; the largest operand first.
    operands: Vec<Vec<u32>>,
}

pub(super) struct FoundExpr<'p> {
    pub(super) ordinal: u32,
    pub(super) expr: &'p Expr,
    pub(super) ty: DataType,
    /// How many expressions it consists of.
    pub(super) size: u32,
}

pub(super) struct FoundStatement<'p> {
    pub(super) ordinal: u32,
    pub(super) node: &'p Node,
    /// How many bodies it stands in.
    pub(super) depth: usize,
    /// The loop that a `Break` leaves.
    pub(super) leaves: Option<u32>,
}

#[derive(Clone, Default)]
pub(super) struct FoundVariable {
    /// How many expressions use it.
    pub(super) uses: usize,
    pub(super) is_assigned: bool,
    /// The ordinal of the first assignment in the body that binds it.
    pub(super) first_assignment: Option<u32>,
    /// The body that binds it, as a number.
    body: usize,
}

impl<'p> Survey<'p> {
    pub(super) fn new(program: &'p Program, valid: ValidProgram<'p>) -> Survey<'p> {
        let mut survey = Survey {
            program,
            exprs: Vec::new(),
            statements: Vec::new(),
            variables: vec![FoundVariable::default(); valid.variables().len()],
            operands: vec![Vec::new(); valid.node_count()],
            valid,
        };
        // The expressions that no other has used yet, with their sizes.
        let mut values: Vec<(u32, u32)> = Vec::new();
        // The bodies that are open, as numbers, and the loops that are open, by ordinal.
        let mut bodies = Vec::new();
        let mut body_count = 0;
        let mut loops = Vec::new();
        let mut last_statement = 0;
        let mut walk = Traversal::new(program);
        while let Some(event) = walk.next() {
            let ordinal = walk.ordinal();
            match event {
                Event::Expr(expr) => {
                    let mut operands = values.split_off(values.len() - expr.operand_count());
                    operands.sort_by_key(|&(_, size)| Reverse(size));
                    survey.operands[ordinal as usize] = operands.into_iter().map(|(operand, _)| operand).collect();
                    let size = ordinal + 1 - walk.start();
                    values.push((ordinal, size));
                    survey.add_expr(ordinal, expr, size);
                }
                Event::Statement(node) => {
                    values.clear();
                    last_statement = ordinal;
                    let body = bodies.last().copied().unwrap_or(0);
                    survey.add_statement(ordinal, node, bodies.len(), body, loops.last().copied());
                }
                Event::EnterBody(kind) => {
                    if kind == BodyKind::Loop {
                        loops.push(last_statement);
                    }
                    body_count += 1;
                    bodies.push(body_count);
                }
                Event::LeaveBody(kind) => {
                    if kind == BodyKind::Loop {
                        loops.pop();
                    }
                    bodies.pop();
                }
            }
        }
        survey
    }

    fn add_expr(&mut self, ordinal: u32, expr: &'p Expr, size: u32) {
        if matches!(expr, Expr::Var(_))
            && let Some(variable) = self.variable_mut(ordinal)
        {
            variable.uses += 1;
        }
        // Every expression of a valid program has a type.
        let ty = self.valid.type_of(ordinal).unwrap_or(DataType::U32);
        self.exprs.push(FoundExpr { ordinal, expr, ty, size });
    }

    fn add_statement(&mut self, ordinal: u32, node: &'p Node, depth: usize, body: usize, innermost: Option<u32>) {
        let leaves = if matches!(node, Node::Break) { innermost } else { None };
        self.statements.push(FoundStatement { ordinal, node, depth, leaves });
        match (node, self.variable_mut(ordinal)) {
            (Node::Let { .. } | Node::Loop { .. }, Some(variable)) => variable.body = body,
            (Node::Assign { .. }, Some(variable)) => {
                variable.is_assigned = true;
                if variable.body == body {
                    variable.first_assignment.get_or_insert(ordinal);
                }
            }
            _ => {}
        }
    }

    fn variable_mut(&mut self, ordinal: u32) -> Option<&mut FoundVariable> {
        self.variables.get_mut(self.valid.target(ordinal)?)
    }

    /// The ordinal of an operand of an expression; the largest has rank 0.
    pub(super) fn operand(&self, ordinal: u32, rank: usize) -> Option<u32> {
        self.operands.get(ordinal as usize)?.get(rank).copied()
    }

    /// What could stand in the place of an expression: its operand of this rank, or the first expression below that
    /// operand which has the type of the whole.
    pub(super) fn replacement(&self, whole: &FoundExpr<'_>, rank: usize) -> Option<u32> {
        /// How many expressions of other types are looked through.
        const REACH: usize = 64;
        let mut pending = vec![self.operand(whole.ordinal, rank)?];
        for _ in 0..REACH {
            let candidate = pending.pop()?;
            if self.valid.type_of(candidate) == Some(whole.ty) {
                return Some(candidate);
            }
            pending.extend(self.operands[candidate as usize].iter().rev());
        }
        None
    }
}
