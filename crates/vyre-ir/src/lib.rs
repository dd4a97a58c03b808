//! The vyre IR: compute programs with one defined result on every device.
//!
//! A [`Program`] declares buffers and the size of a workgroup, and contains the statements ([`Node`]) that every
//! invocation runs. Statements contain expressions ([`Expr`]). The [`build`]er creates programs in Rust, [`text`]
//! parses and prints them, and [`wire`] encodes them in binary. Every consumer requires that [`validate()`] accepts the
//! program.
//!
//! # Semantics
//!
//! - Operands are evaluated in the order of their fields, each exactly once; [`Traversal`] visits them in that order.
//! - Arithmetic is on `U32` and total: it wraps, a division by 0 returns 0, and shift amounts are taken modulo 32.
//! - A load out of range returns zero, a store out of range has no effect, and an atomic out of range has no effect and
//!   returns 0.
//! - A loop runs over a range that is evaluated once, so every program terminates.
//! - There is no undefined behaviour. A program without races whose result does not depend on the order of its atomics
//!   produces the same bytes on every backend, in every run.
//!
//! # Guarantees of validation
//!
//! A [`ValidProgram`] breaks no [`Rule`]: names resolve, types match, barriers and collectives are in uniform control
//! flow, and sizes are within the limits. A valid program lowers or yields a typed error; it never panics.
//! `docs/validation.md` and `vyre explain` document the rules.
//!
//! # Hostile input
//!
//! The depth of a program is bounded only by its size: 100,000 nodes in one chain are legal. Nothing here recurses on a
//! program, destructors included, and the size of every allocation is bounded by the size of the input.
//!
//! # Example
//!
//! ```
//! use vyre_ir::build::{ProgramBuilder, invocation_id, local_id};
//! use vyre_ir::{AtomicOp, DataType, OpTable, text, validate, wire};
//!
//! // Counts the printable bytes of a text by value, and the workgroups.
//! let mut p = ProgramBuilder::new([256, 1, 1]);
//! let text_words = p.read("text", DataType::U32);
//! let params = p.uniform("params", DataType::U32);
//! let counts = p.output("counts", DataType::U32);
//! let program = p.entry(|b| {
//!     let i = b.let_("i", invocation_id(0));
//!     let local = b.let_("local", local_id(0));
//!     b.if_(i.lt(params.load(0u32)), |b| {
//!         let byte = b.load_byte(&text_words, &i);
//!         b.if_(byte.ge(32u32).and(byte.ne(127u32)), |b| {
//!             b.atomic("before", AtomicOp::Add, &counts, &byte, 1u32);
//!         });
//!     });
//!     b.barrier();
//!     b.if_(local.eq(0u32), |b| {
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
pub mod convert;
mod diagnostic;
mod diagnostics;
mod identity;
mod limits;
mod name;
mod op_table;
mod operator;
mod postfix;
pub mod render;
mod size_limits;
pub mod source;
mod specialization;
pub mod spelling;
pub mod text;
mod tree;
pub mod types;
pub mod units;
mod validate;
pub mod wire;

pub use diagnostic::{Diagnostic, ProgramLocation, Related};
pub use diagnostics::Diagnostics;
pub use identity::ProgramIdentity;
pub use limits::{DEFAULT_MAX_CALL_DEPTH, DEFAULT_MAX_NESTING_DEPTH, DEFAULT_MAX_NODE_COUNT, MAX_NAME_BYTES};
pub use name::Name;
pub use op_table::{DuplicateOp, OpSpec, OpTable};
pub use operator::{AtomicOp, AtomicScope, BinOp, ReduceOp, UnOp};
pub use size_limits::SizeLimits;
pub use specialization::{Specialization, SpecializationError};
pub use tree::{BodyKind, BufferDecl, Collective, Event, Expr, Node, Program, Traversal};
pub use types::{BufferAccess, Convention, DataType, OpSignature};
pub use validate::{ParseRuleError, Rule, RuleInfo, ValidProgram, Variable, validate};
