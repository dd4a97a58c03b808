//! Readers, one for each format.

pub(crate) mod cargo;
pub(crate) mod cyclonedx;
pub(crate) mod go;
pub(crate) mod npm;
pub(crate) mod pnpm;
pub(crate) mod poetry;
mod purl;
pub(crate) mod spdx;
pub(crate) mod uv;
pub(crate) mod yarn;
mod yarn_classic;
