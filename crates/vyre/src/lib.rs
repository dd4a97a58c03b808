//! vyre: compute programs with exactly one meaning on every machine.
//!
//! This crate is the facade of the libraries. Today it offers the language itself, [`ir`]: types, programs, builder, text
//! and binary form, and the validator. Backends that run programs join it here.
//!
//! ```
//! use vyre::ir::build::{ProgramBuilder, invocation_id};
//! use vyre::ir::{DataType, OpTable, text, validate};
//!
//! let mut p = ProgramBuilder::new([64, 1, 1]);
//! let input = p.read("input", DataType::U32);
//! let out = p.output("out", DataType::U32);
//! let program = p.entry(|b| {
//!     let i = b.let_("i", invocation_id(0));
//!     b.store(&out, &i, input.load(&i) * 3u32 + 1u32);
//! });
//!
//! let ops = OpTable::default();
//! assert!(validate(&program, &ops).is_ok());
//! assert!(text::print(&program).contains("out[i] = input[i] * 3 + 1;"));
//! ```

/// The language: types, programs, builder, text and binary form, validator.
///
/// ```
/// use vyre::ir::DataType;
///
/// assert_eq!(DataType::U32.min_bytes(), 4);
/// assert_eq!(DataType::U64.min_bytes(), 8);
/// assert_eq!(DataType::Bytes.min_bytes(), 0);
/// ```
///
/// ```
/// use vyre::ir::{BufferAccess, BufferDecl, DataType};
///
/// let buf = BufferDecl::storage("data", 0, BufferAccess::ReadWrite, DataType::U32);
/// assert_eq!(buf.access, BufferAccess::ReadWrite);
/// ```
///
/// ```
/// use vyre::ir::{DataType, OpSignature};
///
/// let sig = OpSignature { inputs: vec![DataType::U32, DataType::U32], output: DataType::U32 };
/// assert_eq!(sig.min_input_bytes(), 8);
/// ```
pub mod ir {
    pub use vyre_ir::*;
}

/// The code of the README is part of the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
