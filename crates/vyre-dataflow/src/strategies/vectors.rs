//! Vectors of distances in a buffer. The invocations of a workgroup own the components of a vector in turn, so they form SIMD
//! vectors of a CPU.

use std::ops::Range;

use vyre_ir::build::{Body, Buffer as Handle, Var, local_id};

use crate::search::MAX_BUFFER_WORDS;

/// Shape of the distance vectors of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Number of invocations of a workgroup.
    pub(crate) invocations: u32,
    /// Number of components of a vector that each invocation owns. They are `invocations` words apart.
    pub(crate) components_each: u32,
}

impl Shape {
    /// Number of components of a vector.
    pub(crate) fn components(self) -> u32 {
        self.invocations * self.components_each
    }

    /// Index of the first component of an invocation, in the vector with this number.
    pub(super) fn vector(self, b: &mut Body<'_>, first_vector: &Var, number: &Var) -> Var {
        // The mask proves that indices in the vector do not wrap.
        let begin = (first_vector + number * self.components()) & (MAX_BUFFER_WORDS - 1);
        b.let_("vector", begin + local_id(0))
    }

    /// Indices of some components of an invocation. One test checks the last; all are in range if it is.
    pub(super) fn with_indices(
        self,
        b: &mut Body<'_>,
        vectors: &Handle,
        vector: &Var,
        components: Range<u32>,
        body: impl FnOnce(&mut Body<'_>, &[Var]),
    ) {
        let last = b.let_("index", vector + (components.end - 1) * self.invocations);
        b.if_(last.lt(vectors.len()), |b| {
            // In descending order: bounds-check elimination compares each index with those just before it.
            let others =
                (components.start..components.end - 1).rev().map(|at| b.let_("index", vector + at * self.invocations));
            let mut indices: Vec<Var> = [last.clone()].into_iter().chain(others).collect();
            indices.reverse();
            body(b, &indices);
        });
    }
}
