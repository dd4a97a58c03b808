//! Packages that are part of the archives of others: are they there?

use std::collections::BTreeMap;

use super::packages::{Package, PackageResult};
use super::parse::{Lockfile, Origin};

/// Number of bundled packages that were scanned with their owners, and the others with the reasons.
///
/// The lockfile says that a package is bundled. Only the archive of its owner shows whether it contains that package in that version.
pub(crate) fn check_bundled(
    lockfile: &Lockfile,
    packages: &[Package],
    results: &[PackageResult],
) -> (usize, Vec<(Package, String)>) {
    let mut owners: BTreeMap<&str, (&Package, &PackageResult)> = BTreeMap::new();
    for (package, result) in packages.iter().zip(results) {
        owners.extend(package.folders.iter().map(|folder| (folder.as_str(), (package, result))));
    }
    let mut scanned = 0;
    let mut missing = Vec::new();
    for (path, entry) in lockfile.entries.iter().filter(|(_, entry)| entry.origin == Origin::Bundled) {
        let owner = owner(lockfile, path);
        let reason = match owner.and_then(|owner| Some((owner, owners.get(owner)?))) {
            None => "it is bundled, but no package contains it".to_owned(),
            Some((_, (package, PackageResult::NotScanned(_)))) => {
                format!("it is part of {} {}, which was not scanned", package.name, package.version)
            }
            Some((owner, (package, PackageResult::Scanned(report)))) => {
                let inside = path[owner.len()..].trim_start_matches('/');
                let (name, version) = (&package.name, &package.version);
                match report.bundled.get(inside) {
                    Some(found) if *found == entry.version => {
                        scanned += 1;
                        continue;
                    }
                    Some(found) if found.is_empty() => format!("the archive of {name} {version} has no version of it"),
                    Some(found) => format!("the archive of {name} {version} has version {found} of it"),
                    None => format!("it is part of {name} {version}, whose archive does not contain it"),
                }
            }
        };
        let package = Package {
            name: entry.name.clone(),
            version: entry.version.clone(),
            folders: vec![path.clone()],
            is_development: entry.is_development,
            archive: Err(reason.clone()),
            is_verified: false,
        };
        missing.push((package, reason));
    }
    (scanned, missing)
}

/// Folder of the package whose archive must contain a bundled one: the nearest one around it that is not bundled itself.
fn owner<'l>(lockfile: &'l Lockfile, path: &'l str) -> Option<&'l str> {
    let mut inner = path;
    while let Some(at) = inner.rfind("/node_modules/") {
        inner = &inner[..at];
        let entry = lockfile.entries.get(inner)?;
        if entry.origin != Origin::Bundled {
            return Some(inner);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_not_bundled() {
        let text = r#"{"lockfileVersion": 3, "packages": {
            "node_modules/a": {"version": "1.0.0"},
            "node_modules/a/node_modules/b": {"version": "1.0.0", "inBundle": true},
            "node_modules/a/node_modules/b/node_modules/@s/c": {"version": "1.0.0", "inBundle": true}}}"#;
        let lockfile = Lockfile::parse(text).expect("a lockfile");
        assert_eq!(owner(&lockfile, "node_modules/a/node_modules/b"), Some("node_modules/a"));
        assert_eq!(owner(&lockfile, "node_modules/a/node_modules/b/node_modules/@s/c"), Some("node_modules/a"));
        assert_eq!(owner(&lockfile, "node_modules/a"), None);
    }
}
