//! Wire format (`.vir`): the lossless, versioned, little-endian, canonical binary encoding of a program.
//!
//! ```text
//! file     = "VIR0" version:u16 buffers workgroup_size:3*number code
//! buffers  = count { name binding access element count flags }
//! code     = statements and expressions in evaluation order, then the end of the entry
//! name     = index in the order of first use; at the first use its length and UTF-8 bytes follow
//! number   = LEB128 of at most 5 bytes, shortest encoding
//! ```
//!
//! The code is the postfix code of a stack machine: an expression pops its operands and pushes its value; a statement
//! pops its expressions and must leave the stack empty. A body ends with `END`. The decoder does not recurse, and it
//! checks every length against the remaining bytes before it allocates. `docs/wire-format.md` lists the codes.

mod decode;
mod encode;
mod error;

pub(crate) use decode::decode;
pub use decode::{from_wire, from_wire_within};
pub(crate) use encode::encode;
pub use encode::to_wire;
pub use error::{WireError, WireErrorKind};

/// First bytes of every file.
pub const MAGIC: [u8; 4] = *b"VIR0";

/// Version of the format. The decoder accepts no other version.
pub const VERSION: u16 = 1;
