//! The vyre IR: compute programs with exactly one meaning on every machine.
//!
//! A [`Program`] declares buffers and the size of a workgroup, and holds the statements ([`Node`]) that every
//! invocation runs. Statements contain expressions ([`Expr`]). It is written with the [`build`]er, as [`text`], or read
//! from its binary form ([`wire`]), and means nothing until [`validate()`] has accepted it.
//!
//! # What a program means
//!
//! - Operands are evaluated in the order of their fields, each exactly once; [`Traversal`] visits them in that order.
//! - Arithmetic is on `U32` and total: it wraps, a division by 0 gives 0, a shift counts modulo 32.
//! - A load out of range gives zero, a store out of range does nothing, an atomic out of range does nothing and gives 0.
//! - A loop runs over a range that is evaluated once, so every program ends.
//! - There is no undefined behaviour. A program without races whose result does not depend on the order of its atomics
//!   gives the same bytes on every backend, at every run.
//!
//! # What validity promises
//!
//! A [`ValidProgram`] breaks no [`Rule`]: names resolve, types fit, barriers and collectives are reached by whole
//! workgroups, and sizes are within the limits. A valid program lowers or yields a typed error; it never panics. The
//! rules are documented in `docs/validation.md` and by `vyre explain`.
//!
//! # Hostile input
//!
//! Programs may be as deep as they are large: 100,000 nodes in one chain are legal. Nothing here recurses on a program,
//! destructors included, and no allocation is larger than the input can justify.
//!
//! # Example
//!
//! ```
//! use vyre_ir::build::{ProgramBuilder, invocation_id, local_id};
//! use vyre_ir::{AtomicOp, DataType, OpTable, text, validate, wire};
//!
//! // Counts the printable bytes of a text, and the workgroups that did.
//! let mut p = ProgramBuilder::new([256, 1, 1]);
//! let text_words = p.read("text", DataType::U32);
//! let params = p.uniform("params", DataType::U32);
//! let counts = p.output("counts", DataType::U32);
//! let program = p.entry(|b| {
//!     let i = b.let_("i", invocation_id(0));
//!     let lane = b.let_("lane", local_id(0));
//!     b.if_(i.lt(params.load(0u32)), |b| {
//!         let byte = b.load_byte(&text_words, &i);
//!         b.if_(byte.ge(32u32).and(byte.ne(127u32)), |b| {
//!             b.atomic("before", AtomicOp::Add, &counts, &byte, 1u32);
//!         });
//!     });
//!     b.barrier();
//!     b.if_(lane.eq(0u32), |b| {
//!         b.atomic("groups", AtomicOp::Add, &counts, 127u32, 1u32);
//!     });
//! });
//!
//! let ops = OpTable::default();
//! let valid = validate(&program, &ops).expect("breaks no rule");
//! assert_eq!(valid.program(), &program);
//!
//! let printed = text::print(&program);
//! assert_eq!(text::parse(&printed).expect("parses").program, program);
//! assert_eq!(wire::from_wire(&wire::to_wire(&program)), Ok(program));
//! ```

pub mod build;
mod diagnostic;
mod identity;
mod name;
mod op_table;
mod operator;
pub mod source;
mod specialization;
pub mod spelling;
pub mod text;
mod tree;
pub mod types;
mod validate;
pub mod wire;

pub use diagnostic::{Diagnostic, ProgramLocation, Related};
pub use identity::ProgramIdentity;
pub use name::Name;
pub use op_table::{DuplicateOp, OpDef, OpTable};
pub use operator::{AtomicOp, BinOp, ReduceOp, UnOp};
pub use specialization::{Specialization, SpecializationError};
pub use tree::{BodyKind, BufferDecl, Collective, Event, Expr, Node, Program, Traversal};
pub use types::{BufferAccess, Convention, DataType, OpSignature};
pub use validate::{
    MAX_CALL_DEPTH, MAX_NAME_BYTES, MAX_NESTING_DEPTH, MAX_NODE_COUNT, ParseRuleError, Rule, RuleInfo, ValidProgram,
    Variable, validate,
};
