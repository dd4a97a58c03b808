//! Units of a score: what is scanned at a time, with its sources.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::ScoreError;

/// What a score scans at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnitKind {
    /// Each file alone.
    #[default]
    File,
    /// Each folder at a level below, and each file at or above that level alone.
    Folder,
    /// Everything in one scan.
    All,
}

/// Something that is scanned at a time.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Path relative to the folder of the score.
    pub(super) name: String,
    /// Path for the scanner.
    pub(super) path: PathBuf,
    /// Sources in order of their paths.
    pub(super) files: Vec<SourceFile>,
}

/// A source that may have annotations.
#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    /// Path relative to the folder of the score, with `/`.
    pub(super) name: String,
    /// Path.
    pub(super) path: PathBuf,
    /// Text. Invalid UTF-8 is replaced.
    pub(super) text: String,
}

/// Extensions of sources.
const EXTENSIONS: [&str; 14] =
    ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "html", "htm", "vue", "svelte", "es6", "py"];

/// Length of the longest source that is searched for annotations.
const MAX_BYTES: u64 = 16 << 20;

/// Depth of the deepest folder that is read.
const MAX_DEPTH: usize = 64;

/// Finds the units of a folder, in order of their names.
pub(super) fn find(folder: &Path, kind: UnitKind, depth: usize) -> Result<Vec<Unit>, ScoreError> {
    let paths = sources(folder)?;
    let mut units: Vec<Unit> = Vec::new();
    for path in paths {
        let name = relative(folder, &path);
        let (unit_name, unit_path) = match kind {
            UnitKind::File => (name.clone(), path.clone()),
            UnitKind::All => (".".to_owned(), folder.to_owned()),
            UnitKind::Folder => unit_folder(folder, &name, depth),
        };
        let text = read(&path)?;
        let file = SourceFile { name, path, text };
        match units.last_mut().filter(|unit| unit.path == unit_path) {
            Some(unit) => unit.files.push(file),
            None => units.push(Unit { name: unit_name, path: unit_path, files: vec![file] }),
        }
    }
    Ok(units)
}

/// Unit of a file: its folder at a level, or the file itself if it is not as deep.
fn unit_folder(folder: &Path, name: &str, depth: usize) -> (String, PathBuf) {
    let parts: Vec<&str> = name.split('/').collect();
    let unit = parts.get(..depth.min(parts.len())).unwrap_or_default().join("/");
    let path = folder.join(&unit);
    (unit, path)
}

fn relative(folder: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    let name = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    // A single file has no path relative to itself.
    if name.is_empty() { path.file_name().unwrap_or_default().to_string_lossy().into_owned() } else { name }
}

/// Sources below a folder, sorted so that those of a folder are together. Symbolic links and dependencies are left out.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, ScoreError> {
    if folder.is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let error = |source| ScoreError::Read { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(error)? {
            let entry = entry.map_err(error)?;
            let kind = entry.file_type().map_err(error)?;
            let path = entry.path();
            if kind.is_dir() {
                let is_dependency =
                    matches!(entry.file_name().to_str(), Some("node_modules" | "site-packages" | ".git"));
                if depth < MAX_DEPTH && !is_dependency {
                    folders.push((path, depth + 1));
                }
            } else if kind.is_file() && is_source(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

fn read(path: &Path) -> Result<String, ScoreError> {
    let error = |source| ScoreError::Read { path: path.to_owned(), source };
    if fs::metadata(path).map_err(error)?.len() > MAX_BYTES {
        return Ok(String::new());
    }
    let bytes = fs::read(path).map_err(error)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}
