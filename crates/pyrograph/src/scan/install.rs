//! Code and scripts that the installation of a package runs.

use std::collections::BTreeSet;

use crate::finding::FileIndex;
use crate::flow::Span;
use crate::input::{Input, Language, Package, files_of_command, join};
use crate::program::Program;

/// Folder of dependencies.
const FOLDER: &str = "node_modules/";

/// Scripts of `package.json` that npm runs when it installs a package from an archive.
const SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];

/// Modules of a program that the installation runs, with those that they import.
pub(super) fn modules(input: &Input, program: &Program) -> BTreeSet<u32> {
    let files = files(input);
    let is_run = |&(_, file): &(u32, FileIndex)| files.contains(&file);
    let numbered = program.modules.iter().enumerate().map(|(number, module)| (number as u32, module.file));
    let mut waiting: Vec<u32> = numbered.filter(is_run).map(|(number, _)| number).collect();
    let mut found = BTreeSet::new();
    while let Some(number) = waiting.pop() {
        if found.insert(number) {
            let imports = &program.modules[number as usize].imports;
            waiting.extend(imports.iter().flat_map(|(_, target)| target.modules()).copied());
        }
    }
    found
}

/// Files that the installation runs itself.
fn files(input: &Input) -> BTreeSet<FileIndex> {
    let mut files = BTreeSet::new();
    for source in input.sources.iter().filter(|source| source.language == Language::Python) {
        if is_setup(&source.path) {
            files.insert(source.file);
        }
    }
    for (package, _) in packages(input) {
        for run in scripts(package).flat_map(|(_, command)| files_of_command(command)) {
            let Some(path) = join(&package.directory, run) else { continue };
            let ends = ["", ".js", ".cjs", ".mjs", "/index.js"].map(|end| format!("{path}{end}"));
            let found = ends.iter().find_map(|path| file(input, path));
            files.extend(found);
        }
        let built = package.installation.build_files.iter().filter_map(|path| join(&package.directory, path));
        files.extend(built.filter_map(|path| file(input, &path)));
    }
    files
}

/// Packages that npm installs: those at the top, and those that they bundle, with the names of the latter. Manifests in other folders, such
/// as those of examples, are data of their package.
pub(super) fn packages(input: &Input) -> Vec<(&Package, Option<&str>)> {
    let mut installed: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    // Folders come before what they contain.
    for package in &input.packages {
        let directory = package.directory.as_str();
        let (owner, name) = match directory.rfind(FOLDER).filter(|at| is_folder_start(directory, *at)) {
            Some(at) => (directory[..at].trim_end_matches('/'), Some(&directory[at + FOLDER.len()..])),
            None => ("", None),
        };
        let is_installed = match name {
            Some(name) => {
                let is_name = name.split('/').count() == if name.starts_with('@') { 2 } else { 1 };
                is_name && (installed.contains(owner) || !has_package_around(&installed, owner))
            }
            None => !has_package_around(&installed, directory),
        };
        if is_installed {
            installed.insert(directory);
            found.push((package, name));
        }
    }
    found
}

/// True if a name at a position is the name of a folder.
fn is_folder_start(path: &str, at: usize) -> bool {
    at == 0 || path.as_bytes()[at - 1] == b'/'
}

/// True if a folder is inside of a package.
fn has_package_around(installed: &BTreeSet<&str>, directory: &str) -> bool {
    let mut inner = directory;
    while !inner.is_empty() {
        inner = inner.rsplit_once('/').map_or("", |(outer, _)| outer);
        if installed.contains(inner) {
            return true;
        }
    }
    false
}

/// Scripts of a package that its installation runs, with their commands.
pub(super) fn scripts(package: &Package) -> impl Iterator<Item = (&'static str, &str)> {
    SCRIPTS.into_iter().filter_map(|script| Some((script, package.scripts.get(script)?.as_str())))
}

pub(super) fn file_in(input: &Input, package: &Package, name: &str) -> Option<FileIndex> {
    file(input, &join(&package.directory, name)?)
}

/// File by its path.
pub(super) fn file(input: &Input, path: &str) -> Option<FileIndex> {
    let files = &input.coverage.files;
    files.binary_search_by(|file| file.path.as_bytes().cmp(path.as_bytes())).ok().map(|position| position as FileIndex)
}

/// True for the script that installs a source archive of Python: at the top, or in the only folder there.
pub(super) fn is_setup(path: &str) -> bool {
    let path = path.rsplit("!/").next().unwrap_or(path);
    let mut parts = path.split('/');
    parts.next_back() == Some("setup.py") && parts.count() <= 1
}

/// Place of a script in the text of a manifest.
pub(super) fn script_span(input: &Input, file: FileIndex, script: &str) -> Span {
    let text = input.coverage.files.get(file as usize).and_then(|record| record.text.as_deref()).unwrap_or_default();
    let scripts = text.find("\"scripts\"").unwrap_or(0);
    let key = format!("\"{script}\"");
    let Some(at) = text[scripts..].find(&key).map(|at| scripts + at) else { return Span::default() };
    let line = text[at..].lines().next().unwrap_or_default().trim_end();
    match (u32::try_from(at), u32::try_from(at + line.len())) {
        (Ok(start), Ok(end)) => Span::new(start, end),
        _ => Span::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_setup;

    #[test]
    fn setup_is_at_the_top() {
        assert!(is_setup("setup.py") && is_setup("name-1.0/setup.py") && is_setup("a.tgz!/name-1.0/setup.py"));
        assert!(!is_setup("a/b/setup.py") && !is_setup("a/setup.pyc") && !is_setup("my-setup.py"));
    }
}
