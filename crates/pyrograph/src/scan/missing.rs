//! Imports by relative paths that lead to no code of the scan.

use vyre_ir::spelling::{agreeing, counted};

use crate::coverage::{Coverage, FileOutcome, FileRecord, MissingImport, SkipReason};
use crate::finding::FileIndex;
use crate::flow::field::STAR;
use crate::flow::{FOLDER, Op};
use crate::input::{Input, Language, directories, join};
use crate::program::{ImportTarget, Program};

/// Extensions of files that programs import for tools that bundle them, and of files that are no code of a known language.
const DATA: [&str; 26] = [
    "css", "scss", "sass", "less", "styl", "svg", "png", "jpg", "jpeg", "gif", "webp", "ico", "woff", "woff2", "ttf",
    "eot", "html", "txt", "md", "node", "wasm", "json", "graphql", "yaml", "yml", "glsl",
];

/// Maximum number of imports that a warning names.
const MAX_NAMES: usize = 5;

/// Relative imports of a program without a target, in order of their files.
pub(super) fn missing_imports(input: &Input, program: &Program) -> Vec<MissingImport> {
    let is_python = input.sources.first().is_some_and(|source| source.language == Language::Python);
    let mut missing = Vec::new();
    for module in &program.modules {
        let Some(record) = input.coverage.files.get(module.file as usize) else { continue };
        if input.is_dependency(module.file) {
            continue;
        }
        for (symbol, target) in &module.imports {
            // Imports of types need no code.
            let is_value = || module.flow.instructions.iter().any(|each| each.op == Op::Import(*symbol));
            if *target != ImportTarget::Nothing {
                continue;
            }
            let specifier = module.flow.text(*symbol);
            let path = if is_python { python_path(&record.path, specifier) } else { path(&record.path, specifier) };
            let Some(path) = path.filter(|_| is_value()) else { continue };
            let specifier = specifier.strip_prefix(STAR).unwrap_or(specifier).to_owned();
            match found(input, &path) {
                Found::Nothing => missing.push(MissingImport { file: module.file, specifier, target: None }),
                Found::LeftOut(target) => {
                    missing.push(MissingImport { file: module.file, specifier, target: Some(target) });
                }
                Found::Other => {}
            }
        }
    }
    missing.sort();
    missing.dedup();
    missing
}

/// Warning about imports that lead to no file of the input.
pub(super) fn warning(coverage: &Coverage) -> Option<String> {
    let missing: Vec<&MissingImport> =
        coverage.missing_imports.iter().filter(|import| import.target.is_none()).collect();
    let mut names: Vec<String> = (missing.iter().take(MAX_NAMES))
        .map(|import| {
            let path = coverage.files.get(import.file as usize).map_or("", |file| &file.path);
            format!("{} of {path}", import.specifier)
        })
        .collect();
    match missing.len() {
        0 => return None,
        count if count > MAX_NAMES => names.push(format!("{} more, which --format json lists", count - MAX_NAMES)),
        _ => {}
    }
    let (imports, names) = (counted(missing.len(), "relative import"), names.join(", "));
    let (verb, them) = (agreeing(missing.len(), "leads", "lead"), agreeing(missing.len(), "it", "them"));
    Some(format!("{imports} {verb} to no file of the input, so that flows through {them} are missing: {names}"))
}

/// Path that a relative specifier of JavaScript stands for, as far as it is code.
fn path(importer: &str, specifier: &str) -> Option<String> {
    let specifier = specifier.rsplit_once('!').map_or(specifier, |(_, module)| module);
    let specifier = specifier.split_once('?').map_or(specifier, |(module, _)| module);
    let name = specifier.rsplit('/').next()?;
    let is_data = name.rsplit_once('.').is_some_and(|(_, extension)| DATA.contains(&extension));
    let is_relative = specifier.starts_with("./") || specifier.starts_with("../");
    if !is_relative || is_data || name.is_empty() || specifier.ends_with(FOLDER) {
        return None;
    }
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    // Paths that leave the input are those of the repository around it.
    join(folder, specifier).filter(|path| !path.is_empty())
}

/// Path that a relative name of a Python module stands for.
fn python_path(importer: &str, specifier: &str) -> Option<String> {
    let specifier = specifier.strip_prefix(STAR).unwrap_or(specifier);
    let name = specifier.trim_start_matches('.');
    let dots = specifier.len() - name.len();
    if dots == 0 || name.is_empty() {
        return None;
    }
    let folder = directories(importer).nth(dots - 1)?;
    let name = name.replace('.', "/");
    Some(if folder.is_empty() { name } else { format!("{folder}/{name}") })
}

/// What the input has of a path.
enum Found {
    Nothing,
    /// Code that was not analysed.
    LeftOut(FileIndex),
    /// Declarations, data, or a folder.
    Other,
}

/// Looks for a file or folder of this path, with any extension or that of the sources it is compiled from.
fn found(input: &Input, path: &str) -> Found {
    if input.links.contains_key(path) || directories(path).any(|folder| input.links.contains_key(folder)) {
        return Found::Other;
    }
    let compiled = [".js", ".mjs", ".cjs", ".jsx"].iter().find_map(|extension| path.strip_suffix(extension));
    let is_named = |record: &FileRecord, stem: &str| {
        let rest = record.path.strip_prefix(stem);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with('/'))
    };
    let mut is_other = false;
    for stem in std::iter::once(path).chain(compiled) {
        let files = &input.coverage.files;
        let first = files.partition_point(|file| file.path.as_str() < stem);
        let inside = files.iter().zip(0 as FileIndex..).skip(first).take_while(|(file, _)| file.path.starts_with(stem));
        for (record, index) in inside.filter(|(record, _)| is_named(record, stem)) {
            let rest = &record.path[stem.len()..];
            let is_module = match rest.strip_prefix('/') {
                Some(inner) => !inner.contains('/') && (inner.starts_with("index.") || inner.starts_with("__init__.")),
                None => true,
            };
            if is_module && is_left_out(record) {
                return Found::LeftOut(index);
            }
            is_other = true;
        }
    }
    if is_other { Found::Other } else { Found::Nothing }
}

/// True for code that was not analysed.
fn is_left_out(record: &FileRecord) -> bool {
    matches!(
        record.outcome,
        FileOutcome::Failed(_)
            | FileOutcome::TimedOut
            | FileOutcome::Skipped(SkipReason::Excluded | SkipReason::Dependency)
    )
}
