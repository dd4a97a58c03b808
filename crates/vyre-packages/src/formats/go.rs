//! Reader of the output of `go mod graph`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::version::compare;

/// Each line is a requirement, `module@version module@version`; the project has no version. A build uses one version of each module, the
/// highest that anything requires, so a module is one package with that version. It has the requirements of all its versions, since any
/// of them can be the reason for a version.
pub(crate) fn read(text: &str) -> Result<DependencyGraph, PackageError> {
    let mut selected: BTreeMap<&str, &str> = BTreeMap::new();
    let mut requirements: Vec<(&str, &str)> = Vec::new();
    let mut order: Vec<&str> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let (Some(from), Some(to), None) = (words.next(), words.next(), words.next()) else {
            return Err(PackageError::new(format!("line {number}: it has not the form `module module@version`")));
        };
        for module in [from, to] {
            let (name, version) = split(module);
            match selected.get(name) {
                None => {
                    order.push(name);
                    selected.insert(name, version);
                }
                Some(old) if compare(&Ecosystem::Go, version, old) == Some(Ordering::Greater) => {
                    selected.insert(name, version);
                }
                Some(_) => {}
            }
        }
        requirements.push((split(from).0, split(to).0));
    }
    let mut builder = Builder::new(Ecosystem::Go);
    for name in order {
        let version = selected.get(name).copied().unwrap_or_default();
        let index = builder.add(name, version, "", version.is_empty())?;
        builder.name(name, index);
    }
    for (from, to) in requirements {
        if let Some(from) = builder.find(from) {
            builder.depend_on_key(from, to, DependencyKind::Runtime);
        }
    }
    builder.finish()
}

fn split(module: &str) -> (&str, &str) {
    module.rsplit_once('@').unwrap_or((module, ""))
}
