//! Builder of programs: an embedded DSL whose Rust code reads like pseudo-code.
//!
//! [`ProgramBuilder`] declares buffers and returns handles; [`Body`] appends statements. Values are [`Expr`]s, built
//! from handles ([`Buffer`], [`Var`]), numbers and operators. The builder makes names unique, so a helper function may
//! bind `index` at every call.
//!
//! ```
//! use vyre_ir::build::{ProgramBuilder, invocation_id};
//! use vyre_ir::{DataType, OpTable, validate};
//!
//! let mut p = ProgramBuilder::new([64, 1, 1]);
//! let input = p.read("input", DataType::U32);
//! let out = p.output("out", DataType::U32);
//! let program = p.entry(|b| {
//!     let i = b.let_("i", invocation_id(0));
//!     b.if_(i.lt(out.len()), |b| {
//!         let sum = b.let_("sum", 0u32);
//!         b.for_("k", 0u32, &i, |b, k| {
//!             b.assign(&sum, &sum + input.load(k));
//!         });
//!         b.store(&out, &i, &sum / 2u32);
//!     });
//! });
//! assert!(validate(&program, &OpTable::default()).is_ok());
//! ```

mod body;
mod bytes;
mod constructors;
mod operators;

pub use body::{Body, Var};
pub use constructors::{
    ballot, broadcast, call, invocation_id, local_id, num_workgroups, pack, reduce, scan_exclusive, scan_inclusive,
    select, shuffle, workgroup_id,
};

use std::collections::{HashMap, HashSet};

use crate::{BufferAccess, BufferDecl, DataType, Expr, Name, Program};

/// Builder of a program: first the buffers, then the entry.
#[derive(Debug)]
pub struct ProgramBuilder {
    buffers: Vec<BufferDecl>,
    workgroup_size: [u32; 3],
    buffer_names: UniqueNames,
    /// Used binding slots.
    bindings: HashSet<u32>,
    /// Lower bound of the free binding slots.
    lowest_free: u32,
}

/// A declared buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    name: Name,
}

impl ProgramBuilder {
    /// Starts a program.
    #[must_use]
    pub fn new(workgroup_size: [u32; 3]) -> ProgramBuilder {
        ProgramBuilder {
            buffers: Vec::new(),
            workgroup_size,
            buffer_names: UniqueNames::default(),
            bindings: HashSet::new(),
            lowest_free: 0,
        }
    }

    /// Declares a buffer and makes its name unique.
    pub fn declare(&mut self, mut buffer: BufferDecl) -> Buffer {
        buffer.name = self.buffer_names.unique(buffer.name);
        if buffer.access != BufferAccess::Workgroup {
            self.bindings.insert(buffer.binding);
        }
        let name = buffer.name.clone();
        self.buffers.push(buffer);
        Buffer { name }
    }

    /// Lowest free slot.
    fn free_binding(&mut self) -> u32 {
        while self.bindings.contains(&self.lowest_free) {
            self.lowest_free = self.lowest_free.wrapping_add(1);
        }
        self.lowest_free
    }

    /// Declares a read-only buffer in the lowest free slot.
    pub fn read(&mut self, name: impl Into<Name>, element: DataType) -> Buffer {
        let binding = self.free_binding();
        self.declare(BufferDecl::read(name, binding, element))
    }

    /// Declares a read-write buffer in the lowest free slot.
    pub fn read_write(&mut self, name: impl Into<Name>, element: DataType) -> Buffer {
        let binding = self.free_binding();
        self.declare(BufferDecl::read_write(name, binding, element))
    }

    /// Declares a uniform buffer in the lowest free slot.
    pub fn uniform(&mut self, name: impl Into<Name>, element: DataType) -> Buffer {
        let binding = self.free_binding();
        self.declare(BufferDecl::uniform(name, binding, element))
    }

    /// Declares the output buffer in the lowest free slot: a read-write buffer that is the result if the program is called as an op.
    /// A program has at most one. For the host it is a buffer like those of [`read_write`](ProgramBuilder::read_write).
    pub fn output(&mut self, name: impl Into<Name>, element: DataType) -> Buffer {
        let binding = self.free_binding();
        self.declare(BufferDecl::output(name, binding, element))
    }

    /// Declares a workgroup buffer.
    pub fn workgroup(&mut self, name: impl Into<Name>, count: u32, element: DataType) -> Buffer {
        self.declare(BufferDecl::workgroup(name, count, element))
    }

    /// Builds the entry and returns the program.
    #[must_use]
    pub fn entry(self, build: impl FnOnce(&mut Body<'_>)) -> Program {
        let mut entry = Vec::new();
        build(&mut Body::new(&mut entry, &mut UniqueNames::default()));
        Program { buffers: self.buffers, workgroup_size: self.workgroup_size, entry }
    }
}

impl Buffer {
    /// The name of the buffer in the program.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The element at `index`.
    #[must_use]
    pub fn load(&self, index: impl Into<Expr>) -> Expr {
        Expr::load(&self.name, index)
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> Expr {
        Expr::buf_len(&self.name)
    }
}

/// Generator of unique names: a name that is taken gets a numeric suffix.
#[derive(Debug)]
struct UniqueNames {
    /// Number of requests for each name.
    given: HashMap<Name, u32>,
}

impl Default for UniqueNames {
    /// Creates a generator. It never returns the name that binds nothing.
    fn default() -> UniqueNames {
        UniqueNames { given: HashMap::from([(Name::from(Name::DISCARD), 0)]) }
    }
}

impl UniqueNames {
    fn unique(&mut self, wanted: Name) -> Name {
        let mut candidate = wanted.clone();
        while self.given.contains_key(&candidate) {
            let count = self.given.entry(wanted.clone()).or_insert(0);
            *count += 1;
            candidate = Name::from(format!("{wanted}_{count}"));
        }
        self.given.insert(candidate.clone(), 0);
        candidate
    }
}
