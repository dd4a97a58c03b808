//! Numbering of nodes: values, formal nodes of functions, cells, and nodes that the analysis adds.

use crate::flow::Op;
use crate::program::{FunctionIndex, Program, ValueIndex};

/// Number of a node of the constraint graph.
pub type NodeIndex = u32;

/// Largest number of parameters that are told apart.
const MAX_PARAMETERS: u32 = 64;

/// Formal nodes of a function that are not parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formal {
    /// Receiver.
    Receiver = 0,
    /// Result.
    Return = 1,
    /// Exception.
    Throw = 2,
    /// Yielded elements.
    Yield = 3,
    /// Array of all arguments.
    Arguments = 4,
}

/// Number of [`Formal`] nodes.
const FORMALS: u32 = 5;

/// Numbering of nodes.
#[derive(Debug)]
pub struct Layout {
    /// First formal node of each function, and the end.
    formals: Vec<NodeIndex>,
    /// First cell.
    cells: NodeIndex,
    /// Number of nodes.
    pub(super) end: NodeIndex,
    /// Position of the rest parameter of each function.
    pub(super) rest: Vec<Option<u32>>,
    /// Functions that use `arguments`.
    pub(super) uses_arguments: Vec<bool>,
    /// Functions with an object of named arguments.
    pub(super) has_keywords: Vec<bool>,
}

impl Layout {
    /// Numbers the nodes of a program.
    #[must_use]
    pub fn new(program: &Program) -> Layout {
        let count = program.function_count as usize;
        let mut parameters = vec![0_u32; count];
        let mut rest = vec![None; count];
        let mut uses_arguments = vec![false; count];
        let mut has_keywords = vec![false; count];
        for module in &program.modules {
            for (number, function) in module.flow.functions.iter().enumerate() {
                parameters[module.functions as usize + number] = (function.parameters.len() as u32).min(MAX_PARAMETERS);
            }
            for instruction in &module.flow.instructions {
                let function = module.function(instruction.function) as usize;
                match instruction.op {
                    Op::Parameter(position) if position < MAX_PARAMETERS => {
                        parameters[function] = parameters[function].max(position + 1);
                    }
                    Op::RestParameter(position) => rest[function] = Some(position),
                    Op::Arguments => uses_arguments[function] = true,
                    Op::KeywordParameters => has_keywords[function] = true,
                    _ => {}
                }
            }
        }
        let mut formals = Vec::with_capacity(count + 1);
        let mut next = program.value_count;
        for parameters in parameters {
            formals.push(next);
            next += FORMALS + parameters;
        }
        formals.push(next);
        let cells = next;
        Layout { formals, cells, end: cells + program.cell_count, rest, uses_arguments, has_keywords }
    }

    /// Node of a formal.
    #[must_use]
    pub fn formal(&self, function: FunctionIndex, formal: Formal) -> NodeIndex {
        self.formals[function as usize] + formal as u32
    }

    /// Node of a parameter.
    #[must_use]
    pub fn parameter(&self, function: FunctionIndex, position: u32) -> Option<NodeIndex> {
        let node = self.formals[function as usize].checked_add(FORMALS)?.checked_add(position)?;
        (node < self.formals[function as usize + 1]).then_some(node)
    }

    /// Number of parameters.
    #[must_use]
    pub fn parameters(&self, function: FunctionIndex) -> u32 {
        self.formals[function as usize + 1] - self.formals[function as usize] - FORMALS
    }

    /// True if an argument at a position may be a parameter: parameters behind the rest of the positions have names only.
    #[must_use]
    pub fn has_position(&self, function: FunctionIndex, position: u32) -> bool {
        self.rest[function as usize].is_none_or(|rest| position < rest)
    }

    /// True for functions with an object of named arguments.
    #[must_use]
    pub fn has_keywords(&self, function: FunctionIndex) -> bool {
        self.has_keywords[function as usize]
    }

    /// Node of a value.
    #[must_use]
    pub fn value(value: ValueIndex) -> NodeIndex {
        value
    }

    /// Node of a cell.
    #[must_use]
    pub fn cell(&self, cell: u32) -> NodeIndex {
        self.cells + cell
    }

    /// Function and position of a formal node. Positions below 0 are [`Formal`] nodes.
    #[must_use]
    pub fn formal_of(&self, node: NodeIndex) -> Option<(FunctionIndex, i64)> {
        if node < *self.formals.first()? || node >= self.cells {
            return None;
        }
        let function = self.formals.partition_point(|&first| first <= node) - 1;
        Some((function as u32, i64::from(node - self.formals[function]) - i64::from(FORMALS)))
    }
}
