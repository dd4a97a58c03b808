//! Code and scripts that the installation of a package runs.

use std::collections::BTreeSet;

use crate::capability::{Capability, CapabilityKind};
use crate::finding::{FileIndex, Location};
use crate::flow::Span;
use crate::input::{Input, Language, Package, files_of_command, join};
use crate::program::Program;

/// Scripts of `package.json` that npm runs when it installs a package from an archive.
const SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];

/// Extensions of files with machine code.
const NATIVE: [&str; 6] = ["node", "so", "dll", "dylib", "pyd", "wasm"];

/// Capabilities that manifests and files without code give.
pub(super) fn of_files(input: &Input) -> Vec<Capability> {
    let mut capabilities = Vec::new();
    let mut add = |kind, name: String, location| {
        capabilities.push(Capability { kind, name, is_at_install: kind == CapabilityKind::InstallScript, location });
    };
    for package in packages(input) {
        let manifest = file_in(input, package, "package.json");
        for (script, command) in scripts(package) {
            let location = manifest.map_or(Location { file: 0, span: Span::default() }, |file| Location {
                file,
                span: script_span(input, file, script),
            });
            add(CapabilityKind::InstallScript, format!("{script}: {command}"), location);
        }
        let has_own = package.scripts.contains_key("install") || package.scripts.contains_key("preinstall");
        if let Some(file) = file_in(input, package, "binding.gyp").filter(|_| manifest.is_some() && !has_own) {
            let location = Location { file, span: Span::default() };
            add(CapabilityKind::InstallScript, "install: node-gyp rebuild (binding.gyp)".to_owned(), location);
        }
    }
    for (index, file) in input.coverage.files.iter().enumerate() {
        let location = Location { file: index as FileIndex, span: Span::default() };
        if is_dependency(&file.path) || file.link.is_some() {
            continue;
        }
        if is_setup(&file.path) {
            add(CapabilityKind::InstallScript, "setup.py".to_owned(), location);
        }
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let is_versioned = name.contains(".so.");
        if is_versioned || extension.is_some_and(|extension| NATIVE.contains(&extension.as_str())) {
            add(CapabilityKind::NativeCode, name.to_owned(), location);
        }
    }
    capabilities
}

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
    for package in packages(input) {
        for run in scripts(package).flat_map(|(_, command)| files_of_command(command)) {
            let Some(path) = join(&package.directory, run) else { continue };
            let ends = ["", ".js", ".cjs", ".mjs", "/index.js"].map(|end| format!("{path}{end}"));
            let found = ends.iter().find_map(|path| file(input, path));
            files.extend(found);
        }
    }
    files
}

/// Packages outside of folders of dependencies.
fn packages(input: &Input) -> impl Iterator<Item = &Package> {
    input.packages.iter().filter(|package| !is_dependency(&format!("{}/", package.directory)))
}

/// Scripts of a package that its installation runs, with their commands.
fn scripts(package: &Package) -> impl Iterator<Item = (&'static str, &str)> {
    SCRIPTS.into_iter().filter_map(|script| Some((script, package.scripts.get(script)?.as_str())))
}

fn file_in(input: &Input, package: &Package, name: &str) -> Option<FileIndex> {
    file(input, &join(&package.directory, name)?)
}

/// File by its path.
fn file(input: &Input, path: &str) -> Option<FileIndex> {
    let files = &input.coverage.files;
    files.binary_search_by(|file| file.path.as_bytes().cmp(path.as_bytes())).ok().map(|position| position as FileIndex)
}

/// True for the script that installs a source archive of Python: at the top, or in the only folder there.
fn is_setup(path: &str) -> bool {
    let path = path.rsplit("!/").next().unwrap_or(path);
    let mut parts = path.split('/');
    parts.next_back() == Some("setup.py") && parts.count() <= 1
}

fn is_dependency(path: &str) -> bool {
    crate::input::is_in_dependencies(path)
}

/// Place of a script in the text of a manifest.
fn script_span(input: &Input, file: FileIndex, script: &str) -> Span {
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
