//! Module resolution inside the input.
//!
//! The resolution is written for analysis, not taken from a resolver for execution: it accepts every condition of `exports`,
//! finds the sources of code that is not compiled yet and packages of a monorepo by name, and stays total on hostile manifests.

use std::collections::BTreeMap;

use super::exports::Condition;
use super::files::FileTable;
use super::language::{Language, ModuleKind, NameKind, name_kind};
use super::package::{Manifest, directories, join};
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
    /// A folder of the input that is a package without a file of its own.
    Folder(String),
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

/// File that imports.
#[derive(Clone, Copy)]
struct Importer<'p> {
    path: &'p str,
    is_typescript: bool,
    /// Conditions of `exports` that hold.
    condition: Condition,
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
                FileOutcome::Skipped(
                    SkipReason::Dependency | SkipReason::Excluded | SkipReason::Declarations | SkipReason::Link
                )
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
        let importer = self.importer(from);
        if let Some(resolution) = self.plain(importer, specifier) {
            return resolution;
        }
        // Queries of bundlers follow the module: `./a.js?worker`.
        if let Some((module, _)) = specifier.split_once('?')
            && !module.is_empty()
            && let Some(resolution) = self.plain(importer, module)
        {
            return resolution;
        }
        Resolution::NotFound
    }

    /// What the path of a file says about its imports.
    fn importer<'p>(&self, path: &'p str) -> Importer<'p> {
        let kind = name_kind(path);
        let is_typescript = matches!(kind, NameKind::Code(Language::TypeScript | Language::TypeScriptJsx, _));
        let is_module = match kind {
            NameKind::Code(_, ModuleKind::Module) | NameKind::Markup { .. } => true,
            NameKind::Code(_, ModuleKind::CommonJs) => false,
            _ => {
                let mut manifests =
                    directories(path).take(MAX_FOLDERS).filter_map(|folder| self.input.manifests.get(folder));
                // TypeScript and JSX are compiled, and their imports are those of ES modules.
                is_typescript || path.ends_with(".jsx") || manifests.next().is_some_and(Manifest::is_module)
            }
        };
        Importer { path, is_typescript, condition: if is_module { Condition::Import } else { Condition::Require } }
    }

    /// Resolves a specifier without decorations. None: nothing is found.
    fn plain(&self, importer: Importer<'_>, specifier: &str) -> Option<Resolution> {
        let directory = importer.path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let found = |file: Option<FileIndex>| file.map(Resolution::File);
        if matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../") {
            return found(self.relative(importer, directory, specifier));
        }
        if specifier.starts_with('#') {
            return self.internal(importer, specifier);
        }
        if specifier.starts_with('/') {
            return found(self.absolute(importer, specifier));
        }
        if specifier.contains("://") || specifier.starts_with("data:") || specifier.starts_with("file:") {
            return None;
        }
        if let Some(package) = specifier.strip_prefix("npm:").or_else(|| specifier.strip_prefix("jsr:")) {
            let (name, subpath) = split_package(package.trim_start_matches('/'))?;
            let name = name.rfind('@').filter(|at| *at > 0).map_or(name, |at| &name[..at]);
            return Some(Resolution::Package(join_package(name, subpath)));
        }
        if let Some(file) = self.mapped(importer, specifier) {
            return Some(Resolution::File(file));
        }
        // Bundlers are often configured so that these prefixes stand for the sources.
        if let Some(rest) = specifier.strip_prefix("@/").or_else(|| specifier.strip_prefix("~/")) {
            let source = self.absolute(importer, &format!("src/{rest}"));
            return found(source.or_else(|| self.absolute(importer, rest)));
        }
        let (name, subpath) = split_package(specifier)?;
        if let Some(file) = self.package(importer, name, subpath) {
            return Some(Resolution::File(file));
        }
        Some(Resolution::Package(join_package(name, subpath)))
    }

    /// Resolves a path that is relative to a folder.
    fn relative(&self, importer: Importer<'_>, directory: &str, specifier: &str) -> Option<FileIndex> {
        let path = join(directory, specifier)?;
        let manifests = &self.input.manifests;
        if matches!(specifier, "." | "..") || specifier.ends_with('/') {
            // A folder, even if there is a file of this name.
            let index = self.table.directory(&path, manifests, importer.is_typescript);
            return index.or_else(|| self.table.module(&path, manifests, importer.is_typescript));
        }
        self.table.module(&path, manifests, importer.is_typescript)
    }

    /// Resolves a path that starts with `/`: from the top of the package, or of the input.
    fn absolute(&self, importer: Importer<'_>, specifier: &str) -> Option<FileIndex> {
        let tops = directories(importer.path).filter(|directory| {
            directory.is_empty() || directory.ends_with('!') || self.input.package_in(directory).is_some()
        });
        let manifests = &self.input.manifests;
        tops.take(MAX_FOLDERS)
            .find_map(|top| self.table.module(&join(top, specifier)?, manifests, importer.is_typescript))
    }

    /// Resolves a specifier that starts with `#` by `imports` of the manifest around the file.
    fn internal(&self, importer: Importer<'_>, specifier: &str) -> Option<Resolution> {
        let around = directories(importer.path).take(MAX_FOLDERS);
        let mut maps = around.filter_map(|directory| Some((directory, self.input.manifests.get(directory)?)));
        let (directory, targets) = maps.find_map(|(directory, manifest)| {
            Some((directory, manifest.imports.as_ref()?.resolve(specifier, importer.condition)?))
        })?;
        if let Some(file) = self.target(importer, directory, &targets) {
            return Some(Resolution::File(file));
        }
        // A target may be a package. It is resolved without maps, so maps cannot form cycles.
        let target = targets.iter().find(|target| !target.starts_with('.') && !target.starts_with('#'))?;
        let target = target.strip_prefix("node:").unwrap_or(target);
        let (name, subpath) = split_package(target)?;
        let file = self.package(importer, name, subpath).map(Resolution::File);
        file.or_else(|| Some(Resolution::Package(join_package(name, subpath))))
    }

    /// Resolves a specifier by the path map of TypeScript that is nearest to the file.
    fn mapped(&self, importer: Importer<'_>, specifier: &str) -> Option<FileIndex> {
        if self.input.path_maps.is_empty() {
            return None;
        }
        let map =
            directories(importer.path).take(MAX_FOLDERS).find_map(|directory| self.input.path_maps.get(directory))?;
        let manifests = &self.input.manifests;
        map.candidates(specifier).iter().find_map(|path| self.table.module(path, manifests, importer.is_typescript))
    }

    /// Resolves a module of a package that the input has.
    fn package(&self, importer: Importer<'_>, name: &str, subpath: &str) -> Option<FileIndex> {
        let own = directories(importer.path).take(MAX_FOLDERS).find_map(|directory| {
            let manifest = self.input.manifests.get(directory)?;
            (manifest.name() == Some(name)).then_some(directory)
        });
        if let Some(file) = own.and_then(|directory| self.inside(importer, directory, subpath)) {
            return Some(file);
        }
        if self.has_dependencies {
            for directory in directories(importer.path).take(MAX_FOLDERS) {
                if directory.ends_with("node_modules") {
                    continue;
                }
                let installed = join(directory, &format!("node_modules/{name}"))?;
                if let Some(file) = self.inside(importer, &installed, subpath) {
                    return Some(file);
                }
            }
        }
        let package = self.packages.get(name)?;
        self.inside(importer, &package.directory, subpath)
    }

    /// Resolves a subpath of a package. Empty: the package itself.
    fn inside(&self, importer: Importer<'_>, directory: &str, subpath: &str) -> Option<FileIndex> {
        let manifests = &self.input.manifests;
        let exports = manifests.get(directory).and_then(|manifest| manifest.exports.as_ref());
        let key = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
        if let Some(targets) = exports.and_then(|exports| exports.resolve(&key, importer.condition))
            && let Some(file) = self.target(importer, directory, &targets)
        {
            return Some(file);
        }
        if subpath.is_empty() {
            let file = self.table.directory(directory, manifests, importer.is_typescript);
            // Otherwise the package is not compiled, and its entries are those of the sources.
            return file.or_else(|| self.input.package_in(directory)?.entries.first().copied());
        }
        let file = self.table.module(&join(directory, subpath)?, manifests, importer.is_typescript);
        file.or_else(|| self.table.source_of(directory, subpath))
    }

    /// The first target of a map that the input has.
    fn target(&self, importer: Importer<'_>, directory: &str, targets: &[String]) -> Option<FileIndex> {
        let relative = targets.iter().filter(|target| target.starts_with('.'));
        let file =
            relative.clone().find_map(|target| self.table.file(&join(directory, target)?, importer.is_typescript));
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
