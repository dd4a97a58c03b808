//! Dependency graphs.

use crate::ecosystem::Ecosystem;

/// Packages of a project and the dependencies between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyGraph {
    /// Packages. Roots are the packages of the project itself.
    pub packages: Vec<Package>,
    /// Dependencies, in the order of the file.
    pub dependencies: Vec<Dependency>,
    /// What the file does not say, or what was assumed, as sentences for the user.
    pub notes: Vec<String>,
}

/// An installed copy of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Name and version, `name@version`. A further copy of the same version has its place in brackets behind it.
    pub id: String,
    /// Name as the ecosystem spells it.
    pub name: String,
    /// Version. It is empty if the file has none.
    pub version: String,
    /// Ecosystem, by which versions are ordered.
    pub ecosystem: Ecosystem,
    /// True for a package of the project itself.
    pub is_root: bool,
}

/// A package needs another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Index of the package that depends on the other.
    pub from: u32,
    /// Index of the package that it needs.
    pub to: u32,
    /// What it is needed for.
    pub kind: DependencyKind,
}

/// What a dependency is needed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependencyKind {
    /// Running the package.
    #[default]
    Runtime,
    /// Building the package.
    Build,
    /// A part of the package that may be absent.
    Optional,
    /// Developing the package, such as its tests.
    Development,
}

impl DependencyKind {
    /// All kinds.
    pub const ALL: [DependencyKind; 4] =
        [DependencyKind::Runtime, DependencyKind::Build, DependencyKind::Optional, DependencyKind::Development];

    /// Name for arguments and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DependencyKind::Runtime => "runtime",
            DependencyKind::Build => "build",
            DependencyKind::Optional => "optional",
            DependencyKind::Development => "development",
        }
    }
}
