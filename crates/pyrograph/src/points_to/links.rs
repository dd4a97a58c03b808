//! Resolved calls.

use std::sync::Arc;

use super::layout::NodeIndex;
use super::objects::PathIndex;
use crate::flow::Argument;
use crate::knowledge::ApiModel;
use crate::program::{FunctionIndex, Module, Name, ValueIndex};

/// Argument of a resolved call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActualArgument {
    /// Value.
    One(NodeIndex),
    /// All elements of a value, from this position on.
    Spread(NodeIndex),
    /// Value with a name.
    Named(NodeIndex, Name),
    /// All fields of a value, by their names.
    Keywords(NodeIndex),
    /// Nothing: the parameter has its default value.
    Absent,
}

impl ActualArgument {
    /// Argument of a call instruction.
    #[must_use]
    pub fn new(module: &Module, argument: &Argument) -> ActualArgument {
        let node = module.value(argument.value);
        match (argument.is_spread, argument.name) {
            (false, None) => ActualArgument::One(node),
            (true, None) => ActualArgument::Spread(node),
            (false, Some(name)) => ActualArgument::Named(node, module.name(name)),
            (true, Some(_)) => ActualArgument::Keywords(node),
        }
    }

    /// Node of the value.
    #[must_use]
    pub fn node(self) -> Option<NodeIndex> {
        match self {
            ActualArgument::One(node)
            | ActualArgument::Spread(node)
            | ActualArgument::Named(node, _)
            | ActualArgument::Keywords(node) => Some(node),
            ActualArgument::Absent => None,
        }
    }
}

/// A property that a call defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Call instruction.
    pub call: ValueIndex,
    /// Object that gets the property.
    pub object: NodeIndex,
    /// Name of the property.
    pub name: Name,
    /// Descriptor of the property, or its value.
    pub origin: NodeIndex,
    /// The origin is the value.
    pub is_value: bool,
}

/// A call with a target in the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// Call instruction.
    pub call: ValueIndex,
    /// Target.
    pub function: FunctionIndex,
    /// Receiver.
    pub receiver: Option<NodeIndex>,
    /// Arguments.
    pub arguments: Vec<ActualArgument>,
    /// Node that gets the result. None: nothing does.
    pub result: Option<NodeIndex>,
    /// Node that gets the exception. None: the handler around the call, or the exception of the caller.
    pub error: Option<NodeIndex>,
    /// The call constructs an object: the receiver is the result.
    pub is_new: bool,
}

/// A call of a library function, or of an unknown function.
#[derive(Clone, Debug)]
pub struct LibraryCall {
    /// Call instruction.
    pub call: ValueIndex,
    /// API path. None: a method of an unknown receiver, or nothing is known.
    pub path: Option<PathIndex>,
    /// Model.
    pub model: Option<Arc<ApiModel>>,
    /// Arguments; they differ from those of the instruction for `call`, `apply` and bound functions.
    pub arguments: Vec<ActualArgument>,
    /// Receiver.
    pub receiver: Option<NodeIndex>,
    /// Node that gets the result. It is not the call, if a library function calls this one.
    pub result: NodeIndex,
}

/// Calls by a library function of what the program passes to it: nodes of arguments, receiver and results.
#[derive(Clone, Debug)]
pub struct CallbackSite {
    /// Arguments by position.
    pub arguments: Vec<NodeIndex>,
    /// Receiver. None: the library gives none.
    pub receiver: Option<NodeIndex>,
    /// Results.
    pub result: NodeIndex,
    /// Exceptions. None: they go on in the caller of the library function.
    pub error: Option<NodeIndex>,
    /// Number of parameters, and whether the library calls here functions with this number of parameters, or everything else.
    pub takes: Option<(u32, bool)>,
    /// The library calls other things than plain functions of the program, such as bound functions.
    pub has_wrapped: bool,
}
