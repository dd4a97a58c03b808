//! The kernel form of vyre programs: flat, typed, with everything spelled out.
//!
//! [`lower`] turns a [`ValidProgram`](vyre_ir::ValidProgram) into a [`Kernel`], which compiled backends translate word for
//! word. Calls are inlined, names are values or slots, effects stand in order, and nothing is left to the machine:
//! accesses have guards, divisors are never 0, amounts of shifts are below 32. A [`PassPipeline`] of named passes makes a
//! kernel better without changing what it means. [`verify`] checks the rules of the form, and printing a kernel shows it.
//!
//! # Promises
//!
//! - A valid program lowers or yields a [`LowerError`]; nothing panics, and nothing recurses on expressions. Blocks nest
//!   at most [`MAX_BLOCK_DEPTH`] deep.
//! - Lowering and every pass take time in proportion to the program.
//! - A kernel gives the same bytes as the program on the reference interpreter, before and after every pass, for all
//!   programs whose result does not depend on races or on the order of atomics. Where a program has a race, a pass may
//!   change which of the possible values is seen.
//!
//! The page `docs/kernel.md` explains the form and the passes.
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
//! # Ok::<(), text::ParseError>(())
//! ```

mod kernel;
mod lower;
mod op;
mod opt;
mod print;
mod table;
mod uniformity;
mod usage;
mod verify;

pub use kernel::{Block, BlockId, BufferId, Kernel, Slot, SlotId, Statement, Value, ValueId, element_type};
pub use lower::{LowerError, lower, lower_specialized};
pub use op::{Binary, Collective, Compare, Effect, Id, Logic, Op, Type, Unary};
pub use opt::{Pass, PassError, PassPipeline, PassRun, UnknownPass, passes};
pub use table::{Key, Table};
pub use uniformity::Uniformity;
pub use usage::{BufferUse, Usage};
pub use verify::{Fault, MAX_BLOCK_DEPTH, VerifyError, verify};
