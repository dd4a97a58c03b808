//! Module resolution inside the input.
//!
//! The resolution is written for analysis, not taken from a resolver for execution: it accepts every condition of `exports`,
//! finds the sources of code that is not compiled yet and packages of a monorepo by name, and stays total on hostile manifests.

use std::collections::BTreeMap;

use super::exports::ExportMap;
use super::files::FileTable;
use super::language::name_kind;
use super::language::{Language, NameKind};
use super::package::{directories, join};
use super::{Input, Package};
use crate::coverage::{FileOutcome, SkipReason};
use crate::finding::FileIndex;

/// Module that a specifier stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A file of the input: code, or data such as JSON.
    File(FileIndex),
    /// A module outside of the input: a package with its subpath (`lodash/fp`), or a module of the platform without `node:`
    /// (`fs/promises`).
    Package(String),
    /// Nothing: a missing file, or a URL.
    NotFound,
}

/// Resolves specifiers of modules. Threads may share it.
#[derive(Debug)]
pub struct Resolver<'i> {
    input: &'i Input,
    table: FileTable,
    /// Packages by name.
    packages: BTreeMap<&'i str, &'i Package>,
    /// The input has folders of dependencies that are scanned.
    has_dependencies: bool,
}

/// Length of the longest specifier.
const MAX_SPECIFIER: usize = 4096;

/// Modules of Node.
const BUILTINS: &[&str] = &[
    "_http_agent",
    "_http_client",
    "_http_common",
    "_http_incoming",
    "_http_outgoing",
    "_http_server",
    "_stream_duplex",
    "_stream_passthrough",
    "_stream_readable",
    "_stream_transform",
    "_stream_wrap",
    "_stream_writable",
    "_tls_common",
    "_tls_wrap",
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];
/// Modules of Node with a subpath.
const BUILTIN_SUBPATHS: &[&str] = &[
    "assert/strict",
    "dns/promises",
    "fs/promises",
    "inspector/promises",
    "path/posix",
    "path/win32",
    "readline/promises",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "timers/promises",
    "util/types",
];

impl<'i> Resolver<'i> {
    /// Creates the resolver of an input.
    #[must_use]
    pub fn new(input: &'i Input) -> Resolver<'i> {
        let is_known = |outcome: &FileOutcome| {
            !matches!(
                outcome,
                FileOutcome::Skipped(SkipReason::Dependency | SkipReason::Excluded | SkipReason::Declarations)
            )
        };
        let files = input.coverage.files.iter().zip(0..).filter(|(record, _)| is_known(&record.outcome));
        let table = FileTable::new(files.map(|(record, index)| (record.path.as_str(), index)), &input.links);
        let mut packages: BTreeMap<&str, &Package> = BTreeMap::new();
        for package in &input.packages {
            let Some(name) = package.name.as_deref() else { continue };
            // Of several packages with the same name, the outermost one is no fixture and no bundled dependency.
            let depth = |package: &Package| (package.directory.matches('/').count(), package.directory.clone());
            let known = packages.entry(name).or_insert(package);
            if depth(package) < depth(known) {
                *known = package;
            }
        }
        let has_dependencies = input.sources.iter().any(|source| source.path.contains("node_modules/"));
        Resolver { input, table, packages, has_dependencies }
    }

    /// Resolves a specifier in the file of this path.
    #[must_use]
    pub fn resolve(&self, from: &str, specifier: &str) -> Resolution {
        if specifier.is_empty() || specifier.len() > MAX_SPECIFIER || specifier.contains('\0') {
            return Resolution::NotFound;
        }
        if let Some(builtin) = specifier.strip_prefix("node:") {
            return Resolution::Package(builtin.to_owned());
        }
        if is_builtin(specifier) {
            return Resolution::Package(specifier.to_owned());
        }
        // Loaders of bundlers precede the module: `raw-loader!./a.js`.
        let specifier = specifier.rsplit_once('!').map_or(specifier, |(_, module)| module);
        if let Some(resolution) = self.plain(from, specifier) {
            return resolution;
        }
        // Queries of bundlers follow the module: `./a.js?worker`.
        if let Some((module, _)) = specifier.split_once('?')
            && !module.is_empty()
            && let Some(resolution) = self.plain(from, module)
        {
            return resolution;
        }
        Resolution::NotFound
    }

    /// Resolves a specifier without decorations. None: nothing is found.
    fn plain(&self, from: &str, specifier: &str) -> Option<Resolution> {
        let is_typescript =
            matches!(name_kind(from), NameKind::Code(Language::TypeScript | Language::TypeScriptJsx, _));
        let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        let found = |file: Option<FileIndex>| file.map(Resolution::File);
        if matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../") {
            return found(self.relative(directory, specifier, is_typescript));
        }
        if specifier.starts_with('#') {
            return self.internal(from, specifier, is_typescript);
        }
        if specifier.starts_with('/') {
            return found(self.absolute(from, specifier, is_typescript));
        }
        if specifier.contains("://") || specifier.starts_with("data:") || specifier.starts_with("file:") {
            return None;
        }
        if let Some(package) = specifier.strip_prefix("npm:").or_else(|| specifier.strip_prefix("jsr:")) {
            let (name, subpath) = split_package(package.trim_start_matches('/'))?;
            let name = name.rfind('@').filter(|at| *at > 0).map_or(name, |at| &name[..at]);
            return Some(Resolution::Package(join_package(name, subpath)));
        }
        if let Some(file) = self.mapped(from, specifier, is_typescript) {
            return Some(Resolution::File(file));
        }
        // Bundlers are often configured so that these prefixes stand for the sources.
        if let Some(rest) = specifier.strip_prefix("@/").or_else(|| specifier.strip_prefix("~/")) {
            let source = self.absolute(from, &format!("src/{rest}"), is_typescript);
            return found(source.or_else(|| self.absolute(from, rest, is_typescript)));
        }
        let (name, subpath) = split_package(specifier)?;
        if let Some(file) = self.package(from, name, subpath, is_typescript) {
            return Some(Resolution::File(file));
        }
        Some(Resolution::Package(join_package(name, subpath)))
    }

    /// Resolves a path that is relative to a folder.
    fn relative(&self, directory: &str, specifier: &str, is_typescript: bool) -> Option<FileIndex> {
        let path = join(directory, specifier)?;
        let manifests = &self.input.manifests;
        if matches!(specifier, "." | "..") || specifier.ends_with('/') {
            // A folder, even if there is a file of this name.
            let index = self.table.directory(&path, manifests, is_typescript);
            return index.or_else(|| self.table.module(&path, manifests, is_typescript));
        }
        self.table.module(&path, manifests, is_typescript)
    }

    /// Resolves a path that starts with `/`: from the top of the package, or of the input.
    fn absolute(&self, from: &str, specifier: &str, is_typescript: bool) -> Option<FileIndex> {
        let tops = directories(from).filter(|directory| {
            directory.is_empty() || directory.ends_with('!') || self.input.package_in(directory).is_some()
        });
        let manifests = &self.input.manifests;
        tops.take(MAX_FOLDERS).find_map(|top| self.table.module(&join(top, specifier)?, manifests, is_typescript))
    }

    /// Resolves a specifier that starts with `#` by `imports` of the manifest around the file.
    fn internal(&self, from: &str, specifier: &str, is_typescript: bool) -> Option<Resolution> {
        let around = directories(from).take(MAX_FOLDERS);
        let mut maps = around.filter_map(|directory| Some((directory, self.input.manifests.get(directory)?)));
        let (directory, targets) =
            maps.find_map(|(directory, manifest)| Some((directory, manifest.imports.as_ref()?.resolve(specifier)?)))?;
        if let Some(file) = self.target(directory, &targets, is_typescript) {
            return Some(Resolution::File(file));
        }
        // A target may be a package. It is resolved without maps, so maps cannot form cycles.
        let target = targets.iter().find(|target| !target.starts_with('.') && !target.starts_with('#'))?;
        let target = target.strip_prefix("node:").unwrap_or(target);
        let (name, subpath) = split_package(target)?;
        let file = self.package(from, name, subpath, is_typescript).map(Resolution::File);
        file.or_else(|| Some(Resolution::Package(join_package(name, subpath))))
    }

    /// Resolves a specifier by the path map of TypeScript that is nearest to the file.
    fn mapped(&self, from: &str, specifier: &str, is_typescript: bool) -> Option<FileIndex> {
        if self.input.path_maps.is_empty() {
            return None;
        }
        let map = directories(from).take(MAX_FOLDERS).find_map(|directory| self.input.path_maps.get(directory))?;
        let manifests = &self.input.manifests;
        map.candidates(specifier).iter().find_map(|path| self.table.module(path, manifests, is_typescript))
    }

    /// Resolves a module of a package that the input has.
    fn package(&self, from: &str, name: &str, subpath: &str, is_typescript: bool) -> Option<FileIndex> {
        let own = directories(from).take(MAX_FOLDERS).find_map(|directory| {
            let manifest = self.input.manifests.get(directory)?;
            (manifest.name() == Some(name)).then_some(directory)
        });
        if let Some(file) = own.and_then(|directory| self.inside(directory, subpath, is_typescript)) {
            return Some(file);
        }
        if self.has_dependencies {
            for directory in directories(from).take(MAX_FOLDERS) {
                if directory.ends_with("node_modules") {
                    continue;
                }
                let installed = join(directory, &format!("node_modules/{name}"))?;
                if let Some(file) = self.inside(&installed, subpath, is_typescript) {
                    return Some(file);
                }
            }
        }
        let package = self.packages.get(name)?;
        self.inside(&package.directory, subpath, is_typescript)
    }

    /// Resolves a subpath of a package. Empty: the package itself.
    fn inside(&self, directory: &str, subpath: &str, is_typescript: bool) -> Option<FileIndex> {
        let manifests = &self.input.manifests;
        let exports = manifests.get(directory).and_then(|manifest| manifest.exports.as_ref());
        let key = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
        if let Some(targets) = exports.and_then(|exports: &ExportMap| exports.resolve(&key))
            && let Some(file) = self.target(directory, &targets, is_typescript)
        {
            return Some(file);
        }
        if subpath.is_empty() {
            let file = self.table.directory(directory, manifests, is_typescript);
            // Otherwise the package is not compiled, and its entries are those of the sources.
            return file.or_else(|| self.input.package_in(directory)?.entries.first().copied());
        }
        let file = self.table.module(&join(directory, subpath)?, manifests, is_typescript);
        file.or_else(|| self.table.source_of(directory, subpath))
    }

    /// The first target of a map that the input has.
    fn target(&self, directory: &str, targets: &[String], is_typescript: bool) -> Option<FileIndex> {
        let relative = targets.iter().filter(|target| target.starts_with('.'));
        let file = relative.clone().find_map(|target| self.table.file(&join(directory, target)?, is_typescript));
        file.or_else(|| relative.clone().find_map(|target| self.table.source_of(directory, target)))
    }
}

/// Number of folders around a file in which manifests are looked for.
const MAX_FOLDERS: usize = 64;

/// True for modules of Node without `node:`.
fn is_builtin(specifier: &str) -> bool {
    BUILTINS.binary_search(&specifier).is_ok() || BUILTIN_SUBPATHS.binary_search(&specifier).is_ok()
}

/// Splits a specifier into the name of the package and the subpath in it.
fn split_package(specifier: &str) -> Option<(&str, &str)> {
    let start = match specifier.strip_prefix('@') {
        Some(rest) => rest.find('/').filter(|at| *at > 0 && at + 1 < rest.len())? + 2,
        None => 0,
    };
    let end = specifier[start..].find('/').map_or(specifier.len(), |at| start + at);
    let (name, subpath) = specifier.split_at(end);
    (end > start).then(|| (name, subpath.trim_matches('/')))
}

/// Name of a package with a subpath.
fn join_package(name: &str, subpath: &str) -> String {
    if subpath.is_empty() { name.to_owned() } else { format!("{name}/{subpath}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(BUILTINS.is_sorted());
        assert!(BUILTIN_SUBPATHS.is_sorted());
        assert!(is_builtin("fs") && is_builtin("fs/promises") && !is_builtin("fs-extra"));
    }

    #[test]
    fn specifiers_are_split() {
        assert_eq!(split_package("a"), Some(("a", "")));
        assert_eq!(split_package("a/b/c"), Some(("a", "b/c")));
        assert_eq!(split_package("@s/a/b"), Some(("@s/a", "b")));
        assert_eq!(split_package("@s/a/"), Some(("@s/a", "")));
        for wrong in ["@s", "@/a", "@s/", "@", "/"] {
            assert_eq!(split_package(wrong), None, "{wrong}");
        }
    }
}
