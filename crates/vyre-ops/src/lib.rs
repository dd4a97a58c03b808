//! The op library.
//!
//! An [`Op`] is a function with a permanent id. It has a version, a signature, one or more programs, a host reference that shares
//! no code with the programs, and [`Law`]s that hold for all inputs. [`ops()`] lists all ops, [`known_op_ids`] lists
//! their ids, [`find`] looks one up, and [`table()`] passes them to the validator, which has no built-in ops.
//!
//! # Calling an op
//!
//! A program calls an op by its id, as an expression. The arguments are the op's inputs in order, and their types must match
//! exactly.
//!
//! ```
//! use vyre_ir::build::{ProgramBuilder, call, invocation_id};
//! use vyre_ir::{DataType, validate};
//! use vyre_ops::Value;
//!
//! let mut p = ProgramBuilder::new([64, 1, 1]);
//! let input = p.read("input", DataType::U32);
//! let out = p.output("out", DataType::U32);
//! let program = p.entry(|b| {
//!     let i = b.let_("i", invocation_id(0));
//!     let rotated = call("primitive.bitwise.rotl", [input.load(&i), 7u32.into()]);
//!     b.store(&out, &i, rotated);
//! });
//! let ops = vyre_ops::table();
//! assert!(validate(&program, &ops).is_ok());
//!
//! let rotl = vyre_ops::find("primitive.bitwise.rotl").expect("is in the library");
//! assert_eq!(rotl.call(&[Value::U32(0x8000_0000), Value::U32(7)]), Ok(Value::U32(0x40)));
//! ```
//!
//! # Layers
//!
//! Layer 1 is `primitive`: functions from one or two words to a word, in the families `bitwise`, `math` and `compare`. All are
//! total, and all are inlined at the call.
//!
//! Layer 2 has the families [`graph`], [`compression`] and [`checksum`]. Their ops work on buffers and consist of one program or several,
//! which [`graph::GraphOps`], [`compression::CompressionOps`] and [`checksum::ChecksumOps`] run on a device. Programs cannot call them.
//!
//! # Adding an op
//!
//! 1. Write the file. A primitive is `src/primitive/<family>/<op>.rs` with a constant `OP`: id, version 1, summary, laws, examples,
//!    program and reference. An op over buffers is `src/graph/<op>.rs`, `src/compression/<op>.rs` or
//!    `src/checksum/<op>.rs`.
//! 2. Add a line with the name of the file to the table in the `mod.rs` beside it.
//!
//! Tests find the op in the registry. They compare its programs with its reference and its examples, and an op over buffers must
//! have cases under `tests/corpus/ops`. Ids are permanent: `UPDATE_GOLDEN=1 cargo test -p vyre-ops` records the id of a new op in
//! `tests/library/ids.txt`. Ids are never reused, and an op whose semantics change gets a new version.

pub mod checksum;
pub mod compression;
mod family;
pub mod graph;
mod law;
mod law_check;
mod op;
mod primitive;
pub mod registry;
mod value;

pub use law::Law;
pub use law_check::LawError;
pub use op::{Example, Op, ProgramVariant, Reference};
pub use registry::{find, known_op_ids, ops, table};
pub use value::{Value, ValueError};
