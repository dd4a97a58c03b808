//! Endpoints of flows: values that a call receives and yields.

/// A value of a call: a root, and steps from it.
///
/// Text form: `argument0`, `arguments`, `arguments2` (from position 2 on), `receiver`, `return`; then steps `.name` (field),
/// `.element`, `.key`, `.value` (of maps), `.content` (any field or element, at any depth), `.parameter0` and `.return`
/// (of a function), `.receiver` (of a function).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint {
    /// Root.
    pub root: Root,
    /// Steps from the root.
    pub steps: Vec<Step>,
}

/// Roots of endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// Argument by position.
    Argument(u32),
    /// Every argument from a position on.
    ArgumentsFrom(u32),
    /// Receiver.
    Receiver,
    /// Result of the call; for `new` the new object.
    Return,
}

/// Steps of endpoints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Field by name.
    Field(String),
    /// Elements of an array, set or iterator.
    Element,
    /// Keys of a map.
    Key,
    /// Values of a map.
    Value,
    /// Everything in the value: fields and elements at any depth.
    Content,
    /// Parameter of a function.
    Parameter(u32),
    /// Result of a function.
    Return,
    /// Receiver of a function.
    Receiver,
}
