//! Typed indices of the tables of a kernel.

use crate::table::key;

key! {
    /// Index of a value of a kernel, printed as `v7`.
    ValueId, "v"
}
key! {
    /// Index of a slot of a kernel, printed as `s7`.
    SlotId, "s"
}
key! {
    /// Index of a block of a kernel, printed as `b7`.
    BlockId, "b"
}
key! {
    /// Index of a buffer of a kernel, which is its position in the program.
    BufferId, "m"
}
