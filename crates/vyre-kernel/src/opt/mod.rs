//! The optimizer: named passes and the pipeline that runs them.
//!
//! A pass is one file. It takes a kernel that keeps the rules of its form and leaves one that does and means the same. No
//! pass relies on another having run before it; the order of the standard pipeline is only the one that pays best.
//!
//! What makes passes safe together: a value is computed once, so a condition that a pass has proved where the value is
//! computed holds wherever it is used. What is *not* safe is to compute something earlier than the program does, if only
//! the place where it stands makes it harmless: an access without a guard, a division. Code motion leaves those alone.

mod batches;
mod bounds;
mod cse;
mod dead_code;
mod effects;
mod fold;
mod interval;
mod licm;
mod pipeline;
mod promote;
mod replace;
mod simplify;
mod strength;
mod unroll;

pub use pipeline::{Pass, PassError, PassPipeline, PassRun, UnknownPass, passes};
