//! The binary form of a program (`.vir`): lossless, versioned, little endian, one encoding per program.
//!
//! ```text
//! file     = "VIR0" version:u16 buffers workgroup_size:3*number code
//! buffers  = count { name binding access element count flags }
//! code     = statements and expressions in the order of evaluation, then the end of the entry
//! name     = number, how many different names came before its first use; there its length and UTF-8 bytes follow
//! number   = LEB128, at most 5 bytes, no superfluous bytes
//! ```
//!
//! The code is that of a stack machine: an expression takes its operands from the stack and leaves its value there, a
//! statement takes its expressions and must leave the stack empty. Bodies end with `END`. So the reader needs no
//! recursion, and no length in the file is believed before as many bytes have been seen. The codes are listed in
//! `docs/wire-format.md`.

mod code;
mod decode;
mod encode;
mod error;

pub use decode::from_wire;
pub use encode::to_wire;
pub use error::{WireError, WireErrorKind};

/// What every file begins with.
pub const MAGIC: [u8; 4] = *b"VIR0";

/// The version that is written, and the only one that is read.
pub const VERSION: u16 = 1;
