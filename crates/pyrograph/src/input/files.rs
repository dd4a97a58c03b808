//! Table of files by path, with the rules of Node and TypeScript about extensions and folders.

use std::collections::{BTreeMap, HashMap};

use super::package::{Manifest, join};
use crate::finding::FileIndex;

/// Extensions that a specifier may omit, in order of preference.
const EXTENSIONS: &[&str] =
    &[".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue", ".svelte", ".es6", ".node"];
/// The same for importing files in TypeScript.
const TYPESCRIPT_EXTENSIONS: &[&str] =
    &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte", ".es6", ".node"];
/// Extensions of specifiers, and those of the sources that they are compiled from.
const COMPILED: &[(&str, &[&str])] =
    &[(".js", &[".ts", ".tsx", ".jsx"]), (".jsx", &[".tsx"]), (".mjs", &[".mts"]), (".cjs", &[".cts"])];
/// Folders of compiled code, which a repository does not have.
const BUILD_FOLDERS: &[&str] = &["dist", "build", "lib", "out", "es", "esm", "cjs", "umd", "bin"];
/// Number of links that a path may lead through.
const MAX_LINKS: usize = 8;

/// Files by path.
#[derive(Debug, Default)]
pub(crate) struct FileTable {
    files: HashMap<Box<str>, FileIndex, foldhash::fast::RandomState>,
    links: BTreeMap<String, String>,
}

/// What a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkEnd {
    /// A file.
    File(FileIndex),
    /// A folder with files.
    Folder,
    /// Nothing, or a loop of links.
    Nowhere,
}

impl FileTable {
    /// Creates a table. Of several files with the same path, the last one counts, as for extraction.
    pub(crate) fn new<'f>(
        files: impl Iterator<Item = (&'f str, FileIndex)>,
        links: &BTreeMap<String, String>,
    ) -> FileTable {
        FileTable { files: files.map(|(path, file)| (path.into(), file)).collect(), links: links.clone() }
    }

    /// The file of this path, through links.
    pub(crate) fn exact(&self, path: &str) -> Option<FileIndex> {
        if let Some(file) = self.files.get(path) {
            return Some(*file);
        }
        if self.links.is_empty() {
            return None;
        }
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            path = self.follow(&path)?;
            if let Some(file) = self.files.get(path.as_str()) {
                return Some(*file);
            }
        }
        None
    }

    /// What a target of a link is, through other links.
    pub(crate) fn link_end(&self, target: &str, has_folder: &dyn Fn(&str) -> bool) -> LinkEnd {
        let mut path = target.to_owned();
        for _ in 0..MAX_LINKS {
            if let Some(file) = self.files.get(path.as_str()) {
                return LinkEnd::File(*file);
            }
            if has_folder(&path) {
                return LinkEnd::Folder;
            }
            match self.follow(&path) {
                Some(next) => path = next,
                None => return LinkEnd::Nowhere,
            }
        }
        LinkEnd::Nowhere
    }

    /// The path after the innermost link in it.
    fn follow(&self, path: &str) -> Option<String> {
        let mut end = path.len();
        loop {
            if let Some(target) = self.links.get(&path[..end]) {
                let rest = &path[end..];
                let rest = if target.is_empty() { rest.trim_start_matches('/') } else { rest };
                let target = format!("{target}{rest}");
                // Links to folders in themselves make paths longer and longer.
                return Some(target).filter(|target| target.len() <= MAX_PATH);
            }
            end = path[..end].rfind('/')?;
        }
    }

    /// The file of a path that may lack its extension, or have that of the compiled file.
    pub(crate) fn file(&self, path: &str, is_typescript: bool) -> Option<FileIndex> {
        if let Some(file) = self.exact(path) {
            return Some(file);
        }
        for (compiled, sources) in COMPILED {
            if let Some(stem) = path.strip_suffix(compiled)
                && let Some(file) = self.first(stem, sources)
            {
                return Some(file);
            }
        }
        self.first(path, if is_typescript { TYPESCRIPT_EXTENSIONS } else { EXTENSIONS })
    }

    /// The first file with one of the extensions.
    fn first(&self, stem: &str, extensions: &[&str]) -> Option<FileIndex> {
        let mut path = String::with_capacity(stem.len() + 8);
        extensions.iter().find_map(|extension| {
            path.clear();
            path.push_str(stem);
            path.push_str(extension);
            self.exact(&path)
        })
    }

    /// The `index` file of a folder.
    pub(crate) fn index(&self, directory: &str, is_typescript: bool) -> Option<FileIndex> {
        let path = if directory.is_empty() { "index".to_owned() } else { format!("{directory}/index") };
        self.first(&path, if is_typescript { TYPESCRIPT_EXTENSIONS } else { EXTENSIONS })
    }

    /// The module of a path: a file, or a folder with a manifest or an `index` file.
    pub(crate) fn module(
        &self,
        path: &str,
        manifests: &BTreeMap<String, Manifest>,
        is_typescript: bool,
    ) -> Option<FileIndex> {
        if !path.is_empty()
            && let Some(file) = self.file(path, is_typescript)
        {
            return Some(file);
        }
        self.directory(path, manifests, is_typescript)
    }

    /// The module of a folder. The target of `main` is a file, or a folder with an `index` file; its own manifest does not
    /// matter, so manifests cannot form cycles.
    pub(crate) fn directory(
        &self,
        directory: &str,
        manifests: &BTreeMap<String, Manifest>,
        is_typescript: bool,
    ) -> Option<FileIndex> {
        if let Some(manifest) = manifests.get(directory)
            && let Some(file) = manifest.mains().find_map(|main| {
                let path = join(directory, main)?;
                self.file(&path, is_typescript).or_else(|| self.index(&path, is_typescript))
            })
        {
            return Some(file);
        }
        self.index(directory, is_typescript)
    }

    /// The source of a compiled file that the input does not have: `dist/a.js` is compiled from `src/a.ts`.
    pub(crate) fn source_of(&self, directory: &str, target: &str) -> Option<FileIndex> {
        let target = target.strip_prefix("./").unwrap_or(target);
        let mut rest = target;
        while let Some((first, inner)) = rest.split_once('/')
            && BUILD_FOLDERS.contains(&first)
        {
            rest = inner;
            let file = join(directory, &format!("src/{inner}")).and_then(|path| self.file(&path, true));
            if file.is_some() {
                return file;
            }
        }
        None
    }
}

/// Length of the longest path that links may lead to.
const MAX_PATH: usize = 16 << 10;
