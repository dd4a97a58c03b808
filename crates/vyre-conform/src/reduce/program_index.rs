//! Index of a valid program by traversal ordinals.

use std::cmp::Reverse;

use vyre_ir::{BodyKind, DataType, Event, Expr, Node, Program, Traversal, ValidProgram};

/// A valid program with its expressions, statements and variables.
pub(crate) struct ProgramIndex<'p> {
    pub(crate) program: &'p Program,
    pub(crate) valid: ValidProgram<'p>,
    /// Expressions in traversal order.
    pub(crate) exprs: Vec<IndexedExpr<'p>>,
    /// Statements in traversal order.
    pub(crate) statements: Vec<IndexedStatement<'p>>,
    /// Variables by position in [`ValidProgram::variables`].
    pub(crate) variables: Vec<IndexedVariable>,
    /// By ordinal of an expression: the ordinals of its operands, the largest operand first.
    operands: Vec<Vec<u32>>,
}

pub(crate) struct IndexedExpr<'p> {
    pub(crate) ordinal: u32,
    pub(crate) expr: &'p Expr,
    pub(crate) ty: DataType,
    /// Number of expressions in its tree.
    pub(crate) size: u32,
}

pub(crate) struct IndexedStatement<'p> {
    pub(crate) ordinal: u32,
    pub(crate) node: &'p Node,
    /// Number of bodies around it.
    pub(crate) depth: usize,
    /// Ordinal of the loop that a `Break` leaves.
    pub(crate) leaves: Option<u32>,
}

#[derive(Clone, Default)]
pub(crate) struct IndexedVariable {
    /// Number of uses.
    pub(crate) uses: usize,
    pub(crate) is_assigned: bool,
    /// Ordinal of the first assignment in the body that binds it.
    pub(crate) first_assignment: Option<u32>,
    /// Number of the body that binds it.
    body: usize,
}

impl<'p> ProgramIndex<'p> {
    pub(crate) fn new(program: &'p Program, valid: ValidProgram<'p>) -> ProgramIndex<'p> {
        let mut index = ProgramIndex {
            program,
            exprs: Vec::new(),
            statements: Vec::new(),
            variables: vec![IndexedVariable::default(); valid.variables().len()],
            operands: vec![Vec::new(); valid.node_count()],
            valid,
        };
        // Expressions that are not operands so far, with their sizes.
        let mut values: Vec<(u32, u32)> = Vec::new();
        // Numbers of open bodies, and ordinals of open loops.
        let mut bodies = Vec::new();
        let mut body_count = 0;
        let mut loops = Vec::new();
        let mut last_statement = 0;
        let mut traversal = Traversal::new(program);
        while let Some(event) = traversal.next() {
            let ordinal = traversal.ordinal();
            match event {
                Event::Expr(expr) => {
                    let mut operands = values.split_off(values.len() - expr.operand_count());
                    operands.sort_by_key(|&(_, size)| Reverse(size));
                    index.operands[ordinal as usize] = operands.into_iter().map(|(operand, _)| operand).collect();
                    let size = ordinal + 1 - traversal.start();
                    values.push((ordinal, size));
                    index.add_expr(ordinal, expr, size);
                }
                Event::Statement(node) => {
                    values.clear();
                    last_statement = ordinal;
                    let body = bodies.last().copied().unwrap_or(0);
                    index.add_statement(ordinal, node, bodies.len(), body, loops.last().copied());
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
        index
    }

    fn add_expr(&mut self, ordinal: u32, expr: &'p Expr, size: u32) {
        if matches!(expr, Expr::Var(_))
            && let Some(variable) = self.variable_mut(ordinal)
        {
            variable.uses += 1;
        }
        // Every expression of a valid program has a type.
        let ty = self.valid.type_of(ordinal).unwrap_or(DataType::U32);
        self.exprs.push(IndexedExpr { ordinal, expr, ty, size });
    }

    fn add_statement(&mut self, ordinal: u32, node: &'p Node, depth: usize, body: usize, innermost: Option<u32>) {
        let leaves = if matches!(node, Node::Break) { innermost } else { None };
        self.statements.push(IndexedStatement { ordinal, node, depth, leaves });
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

    fn variable_mut(&mut self, ordinal: u32) -> Option<&mut IndexedVariable> {
        self.variables.get_mut(self.valid.target(ordinal)?)
    }

    /// Ordinal of an operand of an expression. The largest one has rank 0.
    pub(crate) fn operand(&self, ordinal: u32, rank: usize) -> Option<u32> {
        self.operands.get(ordinal as usize)?.get(rank).copied()
    }

    /// Candidate to replace an expression: its operand of this rank, or the first subexpression of that operand with the
    /// type of the whole.
    pub(crate) fn replacement(&self, whole: &IndexedExpr<'_>, rank: usize) -> Option<u32> {
        /// Maximum number of subexpressions that are examined.
        const MAX_EXAMINED: usize = 64;
        let mut pending = vec![self.operand(whole.ordinal, rank)?];
        for _ in 0..MAX_EXAMINED {
            let candidate = pending.pop()?;
            if self.valid.type_of(candidate) == Some(whole.ty) {
                return Some(candidate);
            }
            pending.extend(self.operands[candidate as usize].iter().rev());
        }
        None
    }
}
