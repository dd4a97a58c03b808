//! Resolved calls.

use std::sync::Arc;

use super::layout::NodeIndex;
use super::objects::PathIndex;
use crate::knowledge::ApiModel;
use crate::program::{FunctionIndex, ValueIndex};

/// Argument of a resolved call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActualArgument {
    /// Value.
    One(NodeIndex),
    /// All elements of a value, from this position on.
    Spread(NodeIndex),
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
}
