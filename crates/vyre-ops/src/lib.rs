//! The op library.
//!
//! An [`Op`] is a function with a permanent id. It has a version, a signature, one or more programs that compute it, a
//! host reference written without them, and [`Law`]s that hold for all inputs. [`ops()`] lists all ops, [`find`] looks
//! one up, and [`table()`] gives them to the validator, which knows no op by itself.
//!
//! # Calling an op
//!
//! A program calls an op by its id, as an expression. The arguments are the op's inputs in order; the types match
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
//! # The layers
//!
//! Layer 1 is `primitive`: functions of one or two words that give a word, in the families `bitwise`, `math` and
//! `compare`. All are total, and all are inlined where they are called.
//!
//! Layer 2 is [`graph`]: ops over graphs, which are made of one program or several and run by [`graph::GraphOps`]. Programs cannot
//! call them.
//!
//! And so is [`compression`]: ops that decompress independent blocks.
//!
//! # Adding an op
//!
//! For a primitive, write `src/primitive/<family>/<op>.rs` with a constant `OP`: id, version 1, signature, laws, program and reference.
//! Name the file in the `mod.rs` beside it, add a line to `src/table.rs`, and pin the op in `tests/library/table.rs`.
//! Ids are never reused, and an op whose meaning changes gets a new version. The tests find the op in the table and
//! compare its programs with its reference.

pub mod compression;
pub mod graph;
mod law;
mod op;
mod primitive;
mod table;
mod value;

pub use law::{Law, LawError};
pub use op::{Op, ProgramVariant, Reference};
pub use table::{find, ops, table};
pub use value::{Value, ValueError};
