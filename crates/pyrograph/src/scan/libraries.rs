//! Packages that the code imports and the input does not contain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::flow::Op;
use crate::input::{Language, is_standard};
use crate::knowledge::{Knowledge, LibraryKind};
use crate::program::{ImportTarget, Program};

/// A package that the code imports and the input does not contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LibraryUse {
    /// Name of the package.
    pub package: String,
    /// Functions, classes and other members that the code names, in order. Empty: the code names the package only.
    pub members: Vec<LibraryMember>,
}

/// A member of a package that the input does not contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LibraryMember {
    /// API path, such as `flask.Flask`.
    pub name: String,
    /// Number of places in the code.
    pub uses: u64,
    /// A model or rule describes the member. Otherwise nothing is known of it: arguments flow to results.
    pub is_modelled: bool,
}

/// Packages of a program of a language. Modules of the platform are left out.
pub(super) fn libraries(program: &Program, knowledge: &Knowledge, language: Option<Language>) -> Vec<LibraryUse> {
    let mut packages: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for module in &program.modules {
        let library = |symbol| match module.import(symbol) {
            Some(ImportTarget::Library(path)) => Some(path.as_str()),
            _ => None,
        };
        for instruction in &module.flow.instructions {
            match instruction.op {
                Op::Import(symbol) => {
                    if let Some(path) = library(symbol).filter(|path| !is_platform(path, knowledge, language)) {
                        packages.entry(package_name(path, language).to_owned()).or_default();
                    }
                }
                Op::LoadField(base, name) => {
                    let Op::Import(symbol) = module.flow.instructions[base.index()].op else { continue };
                    let Some(path) = library(symbol).filter(|path| !is_platform(path, knowledge, language)) else {
                        continue;
                    };
                    let members = packages.entry(package_name(path, language).to_owned()).or_default();
                    *members.entry(format!("{path}.{}", module.flow.text(name))).or_default() += 1;
                }
                _ => {}
            }
        }
    }
    let member = |(name, uses): (String, u64)| {
        let is_modelled = knowledge.knows(&name);
        LibraryMember { name, uses, is_modelled }
    };
    let uses = packages
        .into_iter()
        .map(|(package, members)| LibraryUse { package, members: members.into_iter().map(member).collect() });
    uses.collect()
}

/// True for a module of the platform.
fn is_platform(path: &str, knowledge: &Knowledge, language: Option<Language>) -> bool {
    knowledge.library_of(path).is_some_and(|library| library.kind == LibraryKind::Builtin)
        || language == Some(Language::Python) && is_standard(path)
        || path.starts_with("node:")
}

/// Name of the package of a module.
fn package_name(path: &str, language: Option<Language>) -> &str {
    if language == Some(Language::Python) {
        return path.split('.').next().unwrap_or(path);
    }
    let parts = if path.starts_with('@') { 2 } else { 1 };
    path.match_indices('/').nth(parts - 1).map_or(path, |(end, _)| &path[..end])
}
