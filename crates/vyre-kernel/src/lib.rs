//! Kernels: the low-level IR that compiled backends translate, with structured control flow and typed single-assignment
//! values.
//!
//! [`lower`] translates a [`ValidProgram`](vyre_ir::ValidProgram) to a [`Kernel`]. Calls are inlined, names become
//! values or slots, and all semantics is explicit: accesses have guards, divisors are never 0, and shift amounts are
//! below 32. A [`PassPipeline`] optimizes a kernel. [`verify`] checks the rules of the form, and `Display` prints a
//! kernel.
//!
//! # Guarantees
//!
//! - A valid program lowers or yields a [`LowerError`]; nothing panics, and nothing recurses on expressions. Blocks are
//!   nested at most [`MAX_BLOCK_DEPTH`] deep.
//! - Lowering and every pass take linear time.
//! - A kernel produces the same bytes as the program on the reference interpreter, before and after every pass, for all
//!   programs whose result does not depend on races or on the order of atomics. If a program has a race, a pass may
//!   change the observed value.
//!
//! `docs/kernel.md` describes the form and the passes.
//!
//! ```
//! use vyre_ir::{OpTable, text};
//! use vyre_kernel::{PassPipeline, lower};
//!
//! let source = "workgroup_size 64;
//!     buffer data: read_write u32 @0;
//!     entry { let i = invocation_id.x; if i < len(data) { data[i] = data[i] / 8; } }";
//! let parsed = text::parse(source)?;
//! let ops = OpTable::default();
//! let mut kernel = lower(&parsed.validate(&ops).expect("breaks no rule")).expect("lowers");
//! PassPipeline::standard().run(&mut kernel).expect("passes keep the rules");
//! assert_eq!(
//!     kernel.to_string(),
//!     "kernel 64, 1, 1
//! buffer data: read_write u32 @0
//! entry {
//!     v2 = lt invocation_id.x, len(data)
//!     if v2 {
//!         v7 = load data[invocation_id.x]
//!         v12 = shr v7, 3
//!         store data[invocation_id.x], v12
//!     }
//! }
//! "
//! );
//! # Ok::<(), text::ParseErrors>(())
//! ```

mod ids;
mod kernel;
mod lower;
mod op;
mod opt;
mod print;
mod table;
mod uniformity;
mod usage;
mod verify;

pub use ids::{BlockId, BufferId, SlotId, ValueId};
pub use kernel::{Block, Kernel, Slot, Statement, Value, element_type};
pub use lower::{LowerError, lower, lower_specialized};
pub use op::{Binary, Collective, Compare, Effect, Id, Logic, Op, Type, Unary};
pub use opt::{Pass, PassError, PassPipeline, PassRun, UnknownPass, passes};
pub use table::{Key, Table};
pub use uniformity::Uniformity;
pub use usage::{BufferUse, Usage};
pub use verify::{Fault, MAX_BLOCK_DEPTH, VerifyError, verify};
