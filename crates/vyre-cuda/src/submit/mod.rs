//! Submit layer: execution of command lists.
//!
//! | Module | Contents |
//! |---|---|
//! | [`events`] | pool of events |
//! | [`timestamps`] | times that the device takes |
//! | [`cancel`] | words that end kernels early |
//! | [`in_flight`] | programs that a loss of the context may be due to |
//! | [`grid`] | grid sizes of launches |
//! | [`segment`] | sizes, costs and keys of commands |
//! | [`programs`] | programs of a command list, loaded |
//! | [`graph_cache`] | graphs of repeated commands |
//! | [`queue`] | state of a context that all submissions share |
//! | [`submission`] | batches of commands, their order and their end |
//! | [`encode`] | commands into streams and graphs |
//! | [`run`] | a whole run |

mod cancel;
mod encode;
mod events;
mod graph_cache;
mod grid;
mod in_flight;
mod programs;
pub(crate) mod queue;
pub(crate) mod run;
mod segment;
mod submission;
mod timestamps;
