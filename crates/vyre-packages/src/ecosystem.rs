//! Ecosystems of packages.

use std::fmt;

/// Ecosystem of a package: whose names and versions it has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Ecosystem {
    /// Packages of npm, yarn and pnpm.
    Npm,
    /// Crates of Cargo.
    Cargo,
    /// Packages of Python.
    Python,
    /// Modules of Go.
    Go,
    /// Another ecosystem, by its type in package URLs. Empty if it is not known.
    Other(String),
}

impl Ecosystem {
    /// The ecosystem that OSV's format names so. A suffix, as in `Debian:12`, is ignored.
    #[must_use]
    pub fn from_osv(name: &str) -> Ecosystem {
        match &*name.split(':').next().unwrap_or_default().to_lowercase() {
            "npm" => Ecosystem::Npm,
            "crates.io" => Ecosystem::Cargo,
            "pypi" => Ecosystem::Python,
            "go" => Ecosystem::Go,
            "rubygems" => Ecosystem::Other("gem".to_owned()),
            "packagist" => Ecosystem::Other("composer".to_owned()),
            "conancenter" => Ecosystem::Other("conan".to_owned()),
            "swifturl" => Ecosystem::Other("swift".to_owned()),
            other => Ecosystem::Other(other.to_owned()),
        }
    }

    /// The ecosystem with this type in package URLs.
    #[must_use]
    pub fn from_purl_type(name: &str) -> Ecosystem {
        match name {
            "npm" => Ecosystem::Npm,
            "cargo" => Ecosystem::Cargo,
            "pypi" => Ecosystem::Python,
            "golang" => Ecosystem::Go,
            other => Ecosystem::Other(other.to_owned()),
        }
    }

    /// Name in the form in which names of packages are compared.
    #[must_use]
    pub fn normalized(&self, name: &str) -> String {
        match self {
            // PEP 503: runs of `-`, `_` and `.` are one hyphen.
            Ecosystem::Python => {
                let mut normal = String::with_capacity(name.len());
                for part in name.split(['-', '_', '.']).filter(|part| !part.is_empty()) {
                    if !normal.is_empty() {
                        normal.push('-');
                    }
                    normal.push_str(&part.to_lowercase());
                }
                normal
            }
            _ => name.to_owned(),
        }
    }
}

impl fmt::Display for Ecosystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ecosystem::Npm => "npm",
            Ecosystem::Cargo => "cargo",
            Ecosystem::Python => "pypi",
            Ecosystem::Go => "golang",
            Ecosystem::Other(name) => name,
        })
    }
}
