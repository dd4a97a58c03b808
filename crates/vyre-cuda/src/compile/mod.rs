//! Compile layer: from programs to kernels that are loaded into a context.
//!
//! | Module | Contents |
//! |---|---|
//! | [`limits`] | limits and PTX target of a GPU |
//! | [`store`] | machine code in files |
//! | [`link`] | PTX to machine code |
//! | [`image`] | machine code in memory, shared by pipelines |
//! | [`arguments`] | kernel arguments |
//! | [`program`] | compiled programs |

pub(crate) mod arguments;
pub(crate) mod image;
pub(crate) mod limits;
mod link;
pub(crate) mod program;
pub(crate) mod store;
