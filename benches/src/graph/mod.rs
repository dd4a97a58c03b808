//! Graphs: making and turning them, against petgraph and scipy; reading them; ops, against their references.

mod construction;
mod ops;
mod peers;
mod reading;
mod scipy;
mod workload;

pub use construction::{Contender, Task, contenders};
pub use ops::{OpDuel, op_duels};
pub use reading::{Reader, Reading, read_here, readers};
pub use scipy::Scipy;
pub use workload::{EdgeOrder, GraphWorkload};
