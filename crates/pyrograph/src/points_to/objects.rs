//! Abstract objects of the points-to analysis.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::layout::NodeIndex;
use crate::program::{FunctionIndex, Name, ValueIndex};

/// Number of an object.
pub type ObjectIndex = u32;

/// Number of an API path.
pub type PathIndex = u32;

/// Kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// Object that an instruction allocates.
    Allocation(ValueIndex),
    /// Array that an instruction allocates.
    Array(ValueIndex),
    /// Function.
    Function(FunctionIndex),
    /// Initial object in the field `prototype` of a function.
    Prototype(FunctionIndex),
    /// Object that a `new` call makes with a function.
    Instance(ValueIndex, FunctionIndex),
    /// Receiver of methods that nobody in the program calls.
    DefaultInstance(FunctionIndex),
    /// `module` object of a module.
    Module(u32),
    /// Initial exports of a module.
    Exports(u32),
    /// Value of a library, by API path.
    External(PathIndex),
    /// `call`, `apply` or `bind` of a function object.
    FunctionMethod(Name, ObjectIndex),
    /// Function with bound receiver and arguments: the `bind` call, the target.
    Bound(ValueIndex, ObjectIndex),
    /// Function of a library that passes one of its arguments on: node that gets it, position of the argument.
    Resolver(NodeIndex, u32),
    /// Function with a callback parameter, called without it: the target.
    Promisified(ObjectIndex),
    /// Function that calls others one after the other: the call that made it, and whether the last one is called first.
    Composed(ValueIndex, bool),
    /// Result of an unknown function of a package that gets functions of the program: the call.
    Wrapped(ValueIndex),
    /// Array of all arguments of a function.
    Arguments(FunctionIndex),
    /// Array of the rest parameter of a function.
    Rest(FunctionIndex),
    /// Object of the named arguments of a function that are no parameters.
    Keywords(FunctionIndex),
    /// Iterator of a generator function.
    Iterator(FunctionIndex),
    /// Object that a library function makes: number.
    Part(u32),
}

/// Table of objects.
#[derive(Debug, Default)]
pub struct Objects {
    kinds: Vec<ObjectKind>,
    numbers: HashMap<ObjectKind, ObjectIndex, FixedState>,
}

impl Objects {
    /// Number of an object.
    pub(super) fn intern(&mut self, kind: ObjectKind) -> (ObjectIndex, bool) {
        if let Some(&number) = self.numbers.get(&kind) {
            return (number, false);
        }
        let number = self.kinds.len() as u32;
        self.kinds.push(kind);
        self.numbers.insert(kind, number);
        (number, true)
    }

    /// Number of an object that may not exist.
    #[must_use]
    pub fn get(&self, kind: ObjectKind) -> Option<ObjectIndex> {
        self.numbers.get(&kind).copied()
    }

    /// Kind of an object.
    #[must_use]
    pub fn kind(&self, object: ObjectIndex) -> ObjectKind {
        self.kinds[object as usize]
    }

    /// Number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// True without objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }
}
