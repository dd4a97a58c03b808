//! Libraries that models describe.

use super::version::VersionRange;

/// A library that a model describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// Package name, such as `express`, or module of the platform, such as `fs`.
    pub package: String,
    /// Versions that the model describes.
    pub versions: VersionRange,
    /// Kind.
    pub kind: LibraryKind,
}

/// Kinds of libraries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LibraryKind {
    /// Package of a registry.
    #[default]
    Package,
    /// Module of the platform. `node:fs` is the same as `fs`.
    Builtin,
}
