//! Packages: manifests (`package.json`), entry points, programs and threat models.

use std::collections::{BTreeMap, BTreeSet};

use super::SourceFile;
use super::exports::{Condition, ExportMap};
use super::files::FileTable;
use super::install_manifest::Installation;
use super::json::Json;
use crate::finding::FileIndex;
use crate::knowledge::ThreatModel;

/// A package of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    /// Folder of the manifest, as in paths of files, without `/` at the end. Empty: the scanned path.
    pub directory: String,
    /// Name.
    pub name: Option<String>,
    /// Version.
    pub version: Option<String>,
    /// Files that `main`, `module`, `browser` and `exports` name, or the `index` file, in order.
    pub entries: Vec<FileIndex>,
    /// Files that `bin` names, in order.
    pub bins: Vec<FileIndex>,
    /// Versions of dependencies by name, those for development included.
    pub dependencies: BTreeMap<String, String>,
    /// Scripts by name.
    pub scripts: BTreeMap<String, String>,
    /// Files with the extension `.js` are ES modules.
    pub is_module: bool,
    /// Threat models that the manifest implies. Empty: it does not say.
    pub models: Vec<ThreatModel>,
    /// What an installation of the package adds.
    pub installation: Installation,
}

/// Content of a manifest. Values of wrong types count as missing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifest {
    name: Option<String>,
    version: Option<String>,
    main: Option<String>,
    module: Option<String>,
    browser: Option<String>,
    /// Sources of a package that is used without compilation: `source`, `svelte`, `jsnext:main`, `esnext`.
    other_mains: Vec<String>,
    pub(crate) exports: Option<ExportMap>,
    pub(crate) imports: Option<ExportMap>,
    bins: Vec<String>,
    bin_directory: Option<String>,
    scripts: BTreeMap<String, String>,
    is_module: bool,
    dependencies: BTreeMap<String, String>,
    installation: Installation,
}

impl Manifest {
    /// Parses the text of a manifest.
    pub(crate) fn parse(text: &str) -> Result<Manifest, String> {
        let json = Json::parse(text)?;
        if !matches!(json, Json::Object(_)) {
            return Err("it is not an object".to_owned());
        }
        let text = |key: &str| json.text(key).filter(|value| !value.is_empty()).map(str::to_owned);
        let map = |key: &str| {
            json.get(key).filter(|value| !matches!(value, Json::Null | Json::False | Json::Other)).map(ExportMap::new)
        };
        let mut bins: Vec<String> = text("bin").into_iter().collect();
        if let Some(bin) = json.get("bin") {
            bins.extend(texts(bin).into_values());
        }
        let mut dependencies = BTreeMap::new();
        for key in ["devDependencies", "optionalDependencies", "peerDependencies", "dependencies"] {
            dependencies.extend(json.get(key).map(texts).unwrap_or_default());
        }
        Ok(Manifest {
            name: text("name"),
            version: text("version"),
            main: text("main"),
            module: text("module"),
            browser: text("browser"),
            other_mains: ["jsnext:main", "esnext", "source", "svelte"].iter().filter_map(|key| text(key)).collect(),
            exports: map("exports"),
            imports: map("imports"),
            bins,
            bin_directory: json.get("directories").and_then(|value| value.text("bin")).map(str::to_owned),
            scripts: json.get("scripts").map(texts).unwrap_or_default(),
            is_module: json.text("type") == Some("module"),
            dependencies,
            installation: Installation::of_package(&json),
        })
    }

    /// True if files with the extension `.js` are ES modules.
    pub(crate) fn is_module(&self) -> bool {
        self.is_module
    }

    /// Name of the package.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Files that a folder stands for as a module, in order of preference.
    pub(crate) fn mains(&self) -> impl Iterator<Item = &str> {
        [&self.main, &self.module, &self.browser].into_iter().flatten().chain(&self.other_mains).map(String::as_str)
    }

    /// Files that are run as programs.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &str> {
        self.bins.iter().map(String::as_str)
    }

    /// Commands of the scripts.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = &str> {
        self.scripts.values().map(String::as_str)
    }

    /// True if the manifest describes a package, and not only the type of the modules of a folder.
    fn is_package(&self) -> bool {
        self.name.is_some()
            || self.exports.is_some()
            || self.mains().next().is_some()
            || !self.bins.is_empty()
            || !self.scripts.is_empty()
            || !self.dependencies.is_empty()
    }
}

/// Texts of an object by key.
fn texts(value: &Json) -> BTreeMap<String, String> {
    let texts = value.entries().iter().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
    texts.collect()
}

/// Packages of all manifests, in order of their folders.
pub(crate) fn packages(
    manifests: &BTreeMap<String, Manifest>,
    sources: &[SourceFile],
    links: &BTreeMap<String, String>,
) -> Vec<Package> {
    let table = FileTable::new(sources.iter().map(|source| (source.path.as_str(), source.file)), links);
    let described = manifests.iter().filter(|(_, manifest)| manifest.is_package());
    described.map(|(directory, manifest)| package(directory, manifest, manifests, sources, &table)).collect()
}

/// The package of a manifest.
fn package(
    directory: &str,
    manifest: &Manifest,
    manifests: &BTreeMap<String, Manifest>,
    sources: &[SourceFile],
    table: &FileTable,
) -> Package {
    let mut entries: BTreeSet<FileIndex> = BTreeSet::new();
    let file = |target: &str| {
        let path = join(directory, target)?;
        table.file(&path, false).or_else(|| table.index(&path, false)).or_else(|| table.source_of(directory, target))
    };
    let mains = manifest.mains().map(str::to_owned);
    let targets: Vec<String> =
        mains.chain(manifest.exports.iter().flat_map(ExportMap::exact_targets).map(str::to_owned)).collect();
    entries.extend(targets.iter().filter_map(|target| file(target)));
    if let Some(exports) = &manifest.exports {
        pattern_entries(directory, exports, sources, &mut entries);
    }
    let is_named = manifest.exports.is_some() || manifest.mains().next().is_some();
    if entries.is_empty() {
        let usual = ["", "src", "lib"].iter().filter(|folder| folder.is_empty() || is_named);
        let mut paths = usual.filter_map(|folder| join(directory, folder));
        entries.extend(paths.find_map(|path| table.directory(&path, &BTreeMap::new(), false)));
    }
    let mut bins: BTreeSet<FileIndex> = manifest.programs().filter_map(file).collect();
    if let Some(folder) = manifest.bin_directory.as_deref().and_then(|folder| join(directory, folder)) {
        let prefix = if folder.is_empty() { folder } else { folder + "/" };
        let files = with_prefix(sources, &prefix);
        bins.extend(files.filter(|source| !source.path[prefix.len()..].contains('/')).map(|source| source.file));
    }
    let has_programs = !manifest.bins.is_empty() || !bins.is_empty() || manifest.scripts.contains_key("start");
    let has_exports = is_named || table.directory(directory, manifests, false).is_some();
    let mut models = Vec::new();
    if has_programs {
        models.push(ThreatModel::Application);
    }
    if has_exports {
        models.push(ThreatModel::Library);
    }
    Package {
        directory: directory.to_owned(),
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        entries: entries.into_iter().collect(),
        bins: bins.into_iter().collect(),
        dependencies: manifest.dependencies.clone(),
        scripts: manifest.scripts.clone(),
        is_module: manifest.is_module,
        models,
        installation: manifest.installation.clone(),
    }
}

/// Number of pairs of a subpath with `*` and a file that are compared for one package.
const MAX_PATTERN_CHECKS: usize = 10_000_000;

/// Adds the files that subpaths with `*` stand for.
fn pattern_entries(directory: &str, exports: &ExportMap, sources: &[SourceFile], entries: &mut BTreeSet<FileIndex>) {
    let has_forbidden = exports.has_forbidden();
    let mut budget = MAX_PATTERN_CHECKS;
    for pattern in exports.patterns() {
        for target in &pattern.targets {
            let Some((before, after)) = target.path.split_once('*') else { continue };
            let Some(joined) = join(directory, before) else { continue };
            let is_folder = before.is_empty() || before.ends_with('/');
            let prefix = if is_folder && !joined.is_empty() { joined + "/" } else { joined };
            for source in with_prefix(sources, &prefix) {
                if budget == 0 {
                    return;
                }
                budget -= 1;
                // A `*` after the first one stands for the same text, which is rare enough to ignore.
                let Some(matched) =
                    source.path[prefix.len()..].strip_suffix(after.split('*').next_back().unwrap_or(""))
                else {
                    continue;
                };
                if !has_forbidden || entries.contains(&source.file) {
                    entries.insert(source.file);
                    continue;
                }
                budget = budget.saturating_sub(exports.patterns().len());
                let subpath = format!("{}{matched}{}", pattern.prefix, pattern.suffix);
                if exports.resolve(&subpath, Condition::Any).is_some_and(|targets| !targets.is_empty()) {
                    entries.insert(source.file);
                }
            }
        }
    }
}

/// Sources whose paths start with a prefix.
fn with_prefix<'s>(sources: &'s [SourceFile], prefix: &str) -> impl Iterator<Item = &'s SourceFile> {
    let start = sources.partition_point(|source| source.path.as_str() < prefix);
    let prefix = prefix.to_owned();
    sources[start..].iter().take_while(move |source| source.path.starts_with(&prefix))
}

/// Joins a folder and a relative path. None: the path leads out of the input, or out of an archive.
pub(crate) fn join(directory: &str, relative: &str) -> Option<String> {
    let mut path = directory.to_owned();
    for name in relative.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                let start = path.rfind('/').map_or(0, |at| at + 1);
                let last = &path[start..];
                if last.is_empty() || last == ".." || last.ends_with('!') {
                    return None;
                }
                path.truncate(start.saturating_sub(1));
            }
            name => {
                if !path.is_empty() {
                    path.push('/');
                }
                path.push_str(name);
            }
        }
    }
    Some(path)
}

/// Folders around a path, from the inside out. The last one is empty.
pub(crate) fn directories(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| match path.rsplit_once('/') {
        Some((directory, _)) => Some(directory),
        None if path.is_empty() => None,
        None => Some(""),
    })
    .skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_within_the_input() {
        for (directory, relative, joined) in [
            ("", "./a.js", Some("a.js")),
            ("a/b", "../c", Some("a/c")),
            ("a", "..", Some("")),
            ("a", "../..", None),
            ("", "..", None),
            ("x.zip!", "..", None),
            ("x.zip!/a", "../b", Some("x.zip!/b")),
            ("/home", "./x//y/./z/", Some("/home/x/y/z")),
            ("../a", "../b", Some("../b")),
            ("..", "..", None),
        ] {
            assert_eq!(join(directory, relative).as_deref(), joined, "{directory} {relative}");
        }
        assert_eq!(directories("a/b/c.js").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(directories("c.js").collect::<Vec<_>>(), [""]);
        assert_eq!(directories("/a/c.js").collect::<Vec<_>>(), ["/a", ""]);
    }
}
