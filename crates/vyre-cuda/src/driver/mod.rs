//! Driver layer: the loaded driver and owned handles of its objects.
//!
//! | Module | Contents |
//! |---|---|
//! | [`library`] | function table, raw handles, status codes |
//! | [`gpu`] | properties of a GPU |
//! | [`liveness`] | loss of a context and its reason |
//! | [`current`] | the thread's stack of current contexts |
//! | [`streams`], [`pool`] | streams and the memory pool of a context |
//! | [`host_ranges`] | host memory of a context that is registered with the driver |
//! | [`upload_order`] | order between the upload stream and others |
//! | [`teardown`] | destruction of a context |
//! | [`context`] | owned context; makes itself current for a scope |
//! | [`commands`], [`event`], [`memory`], [`module`], [`graph`] | what a thread does with its current context |
//!
//! Each module uses only modules above it in the table.

pub(crate) mod commands;
pub(crate) mod context;
mod current;
pub(crate) mod event;
pub(crate) mod gpu;
pub(crate) mod graph;
mod host_ranges;
pub(crate) mod library;
pub(crate) mod liveness;
pub(crate) mod memory;
pub(crate) mod module;
mod pool;
pub(crate) mod streams;
mod teardown;
mod upload_order;
