//! Readers, one for each format.

pub(crate) mod cargo;
pub(crate) mod cyclonedx;
mod cyclonedx_xml;
pub(crate) mod go;
pub(crate) mod npm;
pub(crate) mod pnpm;
pub(crate) mod poetry;
pub(crate) mod purl;
pub(crate) mod spdx;
mod spdx3;
pub(crate) mod uv;
pub(crate) mod yarn;
mod yarn_classic;
