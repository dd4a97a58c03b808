//! Resolution of Python modules inside the input.
//!
//! Roots of absolute imports are the folders around the importing file that are no packages themselves, `src` folders, and the
//! folders of other packages of the input. So sources, wheels and archives with a folder around the sources resolve alike.

use std::collections::{BTreeMap, BTreeSet};

use super::package::directories;
use super::{Input, Language, Resolution};
use crate::finding::FileIndex;
use crate::flow::field::STAR;

/// Largest number of folders around a file that are looked at.
const MAX_FOLDERS: usize = 64;

/// Longest name of a module.
const MAX_SPECIFIER: usize = 4096;

/// Modules of the standard library whose names folders often have.
const STANDARD: [&str; 40] = [
    "abc",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "calendar",
    "cgi",
    "code",
    "codecs",
    "collections",
    "copy",
    "datetime",
    "email",
    "functools",
    "glob",
    "html",
    "http",
    "importlib",
    "io",
    "json",
    "logging",
    "math",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "queue",
    "random",
    "re",
    "select",
    "signal",
    "socket",
    "string",
    "subprocess",
    "sys",
    "test",
    "time",
    "types",
    "urllib",
    "xml",
];

/// Specifier of the importing file itself.
const SELF: &str = "%self";

/// Resolves names of Python modules. Threads may share it.
#[derive(Debug)]
pub struct PythonResolver<'i> {
    /// Files by path without the extension. A package is the path of its folder.
    modules: BTreeMap<&'i str, FileIndex>,
    /// Files by path.
    files: BTreeMap<&'i str, FileIndex>,
    /// Folders with modules in them or below them.
    folders: BTreeSet<&'i str>,
    /// Folders that hold modules or packages by name: the first ones, of all roots.
    roots: BTreeMap<&'i str, Vec<&'i str>>,
}

impl<'i> PythonResolver<'i> {
    /// Creates the resolver of an input.
    #[must_use]
    pub fn new(input: &'i Input) -> PythonResolver<'i> {
        let mut modules = BTreeMap::new();
        let mut files = BTreeMap::new();
        let mut folders = BTreeSet::new();
        for source in input.sources.iter().filter(|source| source.language == Language::Python) {
            let path = source.path.as_str();
            files.insert(path, source.file);
            folders.extend(directories(path).take(MAX_FOLDERS));
            let stem = path.strip_suffix(".py").or(path.strip_suffix(".pyw")).or(path.strip_suffix(".ipynb"));
            let Some(stem) = stem else { continue };
            let name = match stem.strip_suffix("/__init__") {
                Some(package) => package,
                None if stem == "__init__" => "",
                None => stem,
            };
            modules.insert(name, source.file);
        }
        let mut roots: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for &path in modules.keys().chain(&folders) {
            if path.is_empty() {
                continue;
            }
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            // A folder with `__init__` is a package, whose modules have its name before theirs.
            if !modules.contains_key(folder) || folder.is_empty() {
                let known = roots.entry(name).or_default();
                if known.last() != Some(&folder) {
                    known.push(folder);
                }
            }
        }
        for folders in roots.values_mut() {
            folders.sort_by_key(|folder| (folder.matches('/').count(), *folder));
            folders.dedup();
            folders.truncate(16);
        }
        PythonResolver { modules, files, folders, roots }
    }

    /// Resolves a dotted name in the file of this path. A star before it stands for the public names of the module.
    #[must_use]
    pub fn resolve(&self, from: &str, specifier: &str) -> Resolution {
        let specifier = specifier.strip_prefix(STAR).unwrap_or(specifier);
        if specifier == SELF {
            return self.files.get(from).map_or(Resolution::NotFound, |&file| Resolution::File(file));
        }
        if specifier.is_empty() || specifier.len() > MAX_SPECIFIER || specifier.contains(['/', '\0']) {
            return Resolution::NotFound;
        }
        let name = specifier.trim_start_matches('.');
        let dots = specifier.len() - name.len();
        let path = name.replace('.', "/");
        let first = path.split('/').next().unwrap_or(&path);
        let is_standard = STANDARD.contains(&first);
        if dots > 0 {
            let mut around = directories(from);
            let Some(folder) = around.nth(dots - 1) else { return Resolution::NotFound };
            return self.find(folder, &path).unwrap_or(Resolution::NotFound);
        }
        for folder in directories(from).take(MAX_FOLDERS) {
            // The folder of the file itself is a root of programs, but not of packages.
            if self.modules.contains_key(folder) && !folder.is_empty() {
                continue;
            }
            let with_sources = if folder.is_empty() { "src".to_owned() } else { format!("{folder}/src") };
            for folder in [folder, &with_sources] {
                match self.find(folder, &path) {
                    // A folder without `__init__` does not hide a module of the standard library.
                    Some(Resolution::Folder(_)) if is_standard => {}
                    Some(found) => return found,
                    None => {}
                }
            }
        }
        for folder in self.roots.get(first).into_iter().flatten().filter(|_| !is_standard) {
            if !self.is_visible(folder, from) {
                continue;
            }
            if let Some(found) = self.find(folder, &path) {
                return found;
            }
        }
        Resolution::Package(name.to_owned())
    }

    /// True if a file finds modules in a folder that is not around it. A package finds what it brings along in a folder inside of it
    /// (`package/_vendor`), other packages do not. An archive inside of a package is data of the package, whose modules only find each
    /// other.
    fn is_visible(&self, folder: &str, from: &str) -> bool {
        let is_inside = |folder: &str| from.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let is_data = |around: &&str| {
            around.ends_with('!')
                && around.rsplit_once('/').is_some_and(|(package, _)| self.modules.contains_key(package))
        };
        if std::iter::once(folder).chain(directories(folder)).find(is_data).is_some_and(|archive| !is_inside(archive)) {
            return false;
        }
        let is_package = |around: &&str| !around.is_empty() && self.modules.contains_key(*around);
        let around = directories(folder).skip_while(|around| !is_package(around));
        match around.take_while(is_package).last() {
            Some(package) => is_inside(package),
            None => true,
        }
    }

    /// Module below a folder.
    fn find(&self, folder: &str, path: &str) -> Option<Resolution> {
        let full = match (folder.is_empty(), path.is_empty()) {
            (true, _) => path.to_owned(),
            (false, true) => folder.to_owned(),
            (false, false) => format!("{folder}/{path}"),
        };
        if let Some(&file) = self.modules.get(full.as_str()) {
            return Some(Resolution::File(file));
        }
        // A folder of modules without `__init__` is a package too.
        (!path.is_empty() && self.folders.contains(full.as_str())).then_some(Resolution::Folder(full))
    }

    /// Modules directly inside of a package: names and files. The package is a path without extension.
    pub fn children<'a>(&'a self, package: &str) -> impl Iterator<Item = (&'a str, FileIndex)> + 'a {
        let prefix = if package.is_empty() { String::new() } else { format!("{package}/") };
        let range =
            self.modules.range::<str, _>((std::ops::Bound::Included(prefix.as_str()), std::ops::Bound::Unbounded));
        let prefix_length = prefix.len();
        let end = prefix;
        range.take_while(move |(path, _)| path.starts_with(&end)).filter_map(move |(path, &file)| {
            let name = &path[prefix_length..];
            (!name.is_empty() && !name.contains('/')).then_some((name, file))
        })
    }

    /// Folders directly inside of a package that are packages without `__init__`. An archive, or a folder whose name no import can
    /// say, is none.
    pub fn folders<'a>(&'a self, package: &str) -> impl Iterator<Item = &'a str> + 'a {
        let prefix = if package.is_empty() { String::new() } else { format!("{package}/") };
        let range =
            self.folders.range::<str, _>((std::ops::Bound::Included(prefix.as_str()), std::ops::Bound::Unbounded));
        let prefix_length = prefix.len();
        let end = prefix;
        range.take_while(move |path| path.starts_with(&end)).copied().filter(move |path| {
            let name = &path[prefix_length..];
            let is_name = |character: char| character == '_' || character.is_alphanumeric();
            !name.is_empty() && name.chars().all(is_name) && !self.modules.contains_key(path)
        })
    }

    /// Packages: path without extension, and file.
    pub fn packages(&self) -> impl Iterator<Item = (&'i str, FileIndex)> + '_ {
        self.modules
            .iter()
            .filter(|(path, file)| {
                let init = if path.is_empty() { "__init__.py".to_owned() } else { format!("{path}/__init__.py") };
                self.files.get(init.as_str()) == Some(file)
            })
            .map(|(&path, &file)| (path, file))
    }
}
