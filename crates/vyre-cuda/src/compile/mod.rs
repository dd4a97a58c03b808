//! Compile layer: from programs to kernels that are loaded into a context.
//!
//! | Module | Contents |
//! |---|---|
//! | [`hash`] | FNV-1a hashes |
//! | [`limits`] | limits and PTX target of a GPU |
//! | [`store`] | machine code in files |
//! | [`link`] | PTX to machine code |
//! | [`image`] | machine code in memory, shared by pipelines |
//! | [`arguments`] | kernel arguments |
//! | [`program`] | compiled programs |

pub(crate) mod arguments;
mod hash;
pub(crate) mod image;
pub(crate) mod limits;
mod link;
pub(crate) mod program;
pub(crate) mod store;
