//! Dependency graphs of projects, and the packages of them that advisories name.
//!
//! [`Format::detect`] recognises a lock file or a software bill of materials (SBOM) by its name and first bytes. [`read`] turns its text into a [`DependencyGraph`]:
//! packages, dependencies between them, and the packages of the project itself, which are the roots. [`Selector`] matches packages by name and
//! version range, and [`Advisory`] by the data of an advisory in OSV's format.
//!
//! Text comes from untrusted sources. Nesting is limited, YAML aliases are refused, and no reader recurses into the data.
//!
//! ```
//! use vyre_packages::{Format, Selector, read};
//!
//! let text = r#"{"lockfileVersion": 3, "packages": {
//!     "": {"name": "app", "version": "1.0.0", "dependencies": {"a": "^1.0.0"}},
//!     "node_modules/a": {"version": "1.2.0", "dependencies": {"b": "*"}},
//!     "node_modules/b": {"version": "2.0.0"}}}"#;
//! let format = Format::detect("package-lock.json", text.as_bytes()).expect("a lock file");
//! let graph = read(format, text, None)?;
//! let names: Vec<&str> = graph.packages.iter().map(|package| package.id.as_str()).collect();
//! assert_eq!(names, ["app@1.0.0", "a@1.2.0", "b@2.0.0"]);
//! let selector = Selector::parse("b@<2.1")?;
//! assert!(selector.matches(&graph.packages[2]));
//! # Ok::<(), vyre_packages::PackageError>(())
//! ```

mod advisory;
mod builder;
mod ecosystem;
mod error;
mod format;
mod formats;
mod graph;
mod manifest;
mod selector;
mod tree;
mod version;

pub use advisory::{Advisory, advisories};
pub use ecosystem::Ecosystem;
pub use error::PackageError;
pub use format::{Format, read};
pub use graph::{Dependency, DependencyGraph, DependencyKind, Package};
pub use selector::Selector;
