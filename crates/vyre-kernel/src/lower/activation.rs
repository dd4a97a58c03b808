//! Programs that are being lowered: the entry, and ops that are being called.

use vyre_ir::{BodyKind, DataType, Event, Node, Traversal, ValidProgram};

use super::Operand;
use crate::kernel::{BlockId, SlotId, ValueId};

/// What is known of a program, however often it is called.
pub(super) struct Facts<'p> {
    pub(super) program: ValidProgram<'p>,
    /// By variable: whether something is assigned to it.
    assigned: Vec<bool>,
    /// Whether there is a `Return`, and whether one stands in a loop.
    pub(super) returns: bool,
    pub(super) returns_in_loop: bool,
}

impl<'p> Facts<'p> {
    pub(super) fn new(program: ValidProgram<'p>) -> Facts<'p> {
        let mut assigned = vec![false; program.variables().len()];
        let (mut returns, mut returns_in_loop) = (false, false);
        let mut loops = 0;
        let mut walk = Traversal::new(program.program());
        while let Some(event) = walk.next() {
            match event {
                Event::Statement(Node::Assign { .. }) => {
                    if let Some(variable) = program.target(walk.ordinal()) {
                        assigned[variable] = true;
                    }
                }
                Event::Statement(Node::Return) => {
                    returns = true;
                    returns_in_loop |= loops > 0;
                }
                Event::EnterBody(BodyKind::Loop) => loops += 1,
                Event::LeaveBody(BodyKind::Loop) => loops -= 1,
                Event::Statement(_) | Event::Expr(_) | Event::EnterBody(_) | Event::LeaveBody(_) => {}
            }
        }
        Facts { program, assigned, returns, returns_in_loop }
    }

    pub(super) fn is_assigned(&self, variable: usize) -> bool {
        self.assigned[variable]
    }

    /// By buffer: the argument that it stands for. Arguments belong to inputs by ascending binding.
    pub(super) fn inputs(&self, arguments: &[Operand]) -> Vec<Option<ValueId>> {
        let buffers = &self.program.program().buffers;
        let mut inputs: Vec<usize> = (0..buffers.len()).filter(|&at| buffers[at].access.is_input()).collect();
        inputs.sort_by_key(|&at| buffers[at].binding);
        let mut by_buffer = vec![None; buffers.len()];
        for (at, argument) in inputs.into_iter().zip(arguments) {
            by_buffer[at] = Some(argument.value);
        }
        by_buffer
    }
}

/// A program that is being lowered.
pub(super) struct Activation<'p> {
    pub(super) facts: std::rc::Rc<Facts<'p>>,
    pub(super) walk: Traversal<'p>,
    pub(super) role: Role,
    /// By variable.
    pub(super) variables: Vec<Option<Binding>>,
    /// By buffer, for an op that is being called.
    pub(super) inputs: Vec<Option<ValueId>>,
    /// Values that wait to be operands.
    pub(super) operands: Vec<Operand>,
    /// Bodies that will be entered next, last first.
    pub(super) pending: Vec<Body>,
    /// Bodies that have been entered, outermost first.
    pub(super) open: Vec<Body>,
}

/// Where a variable is.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    Value(ValueId),
    Slot(SlotId),
}

/// What a program is lowered as.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Entry,
    Callee {
        /// What was last stored to the output.
        output: SlotId,
        output_type: DataType,
        /// Whether the op has returned, where it returns from within a loop.
        returned: Option<SlotId>,
        /// The block that the call stands in.
        caller_block: BlockId,
    },
}

/// A body of a statement.
#[derive(Clone, Copy)]
pub(super) struct Body {
    pub(super) block: BlockId,
    /// The block that the statement stands in.
    pub(super) outer: BlockId,
    pub(super) is_loop: bool,
    /// Whether an op that is being called returns from within.
    pub(super) returns: bool,
}

impl Body {
    pub(super) fn plain(block: BlockId) -> Body {
        Body { block, outer: block, is_loop: false, returns: false }
    }

    pub(super) fn of_loop(block: BlockId) -> Body {
        Body { is_loop: true, ..Body::plain(block) }
    }
}

impl<'p> Activation<'p> {
    pub(super) fn new(facts: std::rc::Rc<Facts<'p>>, role: Role) -> Activation<'p> {
        Activation {
            walk: Traversal::new(facts.program.program()),
            role,
            variables: vec![None; facts.program.variables().len()],
            inputs: Vec::new(),
            operands: Vec::new(),
            pending: Vec::new(),
            open: Vec::new(),
            facts,
        }
    }
}
