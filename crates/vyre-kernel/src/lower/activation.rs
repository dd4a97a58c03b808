//! Activations: the entry and the calls that lowering inlines.

use vyre_ir::{BodyKind, DataType, Event, Node, Traversal, ValidProgram};

use super::Operand;
use crate::ids::{BlockId, SlotId, ValueId};

/// Facts about a program, which all of its calls share.
pub(super) struct Facts<'p> {
    pub(super) program: ValidProgram<'p>,
    /// True for each variable that is assigned.
    assigned: Vec<bool>,
    /// True if the program has a `Return`.
    pub(super) returns: bool,
    /// True if the program has a `Return` in a loop.
    pub(super) returns_in_loop: bool,
}

impl<'p> Facts<'p> {
    pub(super) fn new(program: ValidProgram<'p>) -> Facts<'p> {
        let mut assigned = vec![false; program.variables().len()];
        let (mut returns, mut returns_in_loop) = (false, false);
        let mut loops = 0;
        let mut traversal = Traversal::new(program.program());
        while let Some(event) = traversal.next() {
            match event {
                Event::Statement(Node::Assign { .. }) => {
                    if let Some(variable) = program.target(traversal.ordinal()) {
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

    /// Argument of each input buffer. Arguments match inputs in the order of their bindings.
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

/// A partially lowered program.
pub(super) struct Activation<'p> {
    pub(super) facts: std::rc::Rc<Facts<'p>>,
    pub(super) traversal: Traversal<'p>,
    pub(super) role: Role,
    /// Binding of each variable.
    pub(super) variables: Vec<Option<Binding>>,
    /// Argument of each buffer of a called op.
    pub(super) inputs: Vec<Option<ValueId>>,
    /// Operand stack.
    pub(super) operands: Vec<Operand>,
    /// Bodies to enter; the last one is entered next.
    pub(super) pending: Vec<Body>,
    /// Open bodies, outermost first.
    pub(super) open: Vec<Body>,
}

/// Storage of a variable.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    Value(ValueId),
    Slot(SlotId),
}

/// Role of a program.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Entry,
    Callee {
        /// Contents of the output buffer.
        output: SlotId,
        output_type: DataType,
        /// Flag that the op has returned, if it has a `Return` in a loop.
        returned: Option<SlotId>,
        /// Block of the call.
        caller_block: BlockId,
    },
}

/// A body of a statement.
#[derive(Clone, Copy)]
pub(super) struct Body {
    pub(super) block: BlockId,
    /// Block of the statement.
    pub(super) outer: BlockId,
    pub(super) is_loop: bool,
    /// True if a called op returns from the body.
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
            traversal: Traversal::new(facts.program.program()),
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
