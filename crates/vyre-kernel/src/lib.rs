//! The kernel form of vyre programs: flat, typed, with everything spelled out.
//!
//! [`lower`] turns a [`ValidProgram`](vyre_ir::ValidProgram) into a [`Kernel`], in which calls are inlined, names are
//! values or slots, and nothing is left to the machine.

mod kernel;
mod lower;
mod op;
mod opt;
mod print;
mod table;
mod verify;

pub use kernel::{Block, BlockId, BufferId, Kernel, Slot, SlotId, Statement, Value, ValueId, element_type};
pub use lower::{LowerError, lower, lower_specialized};
pub use op::{Binary, Collective, Compare, Effect, Id, Logic, Op, Type, Unary};
pub use opt::{Pass, PassError, PassRun, Pipeline, UnknownPass, passes};
pub use table::{Key, Table};
pub use verify::{Fault, MAX_BLOCK_DEPTH, VerifyError, verify};
