//! Capabilities that manifests, and files that are not analysed, give.

use xxhash_rust::xxh3::xxh3_64;

use super::install::{file_in, is_setup, packages, script_span, scripts};
use crate::capability::{Capability, CapabilityKind};
use crate::coverage::{FileOutcome, FileRecord};
use crate::finding::{FileIndex, Location};
use crate::flow::Span;
use crate::input::{Input, Package, UnreadKind, has_extension, join};

/// Longest command in names, in bytes.
const MAX_COMMAND: usize = 400;

/// Modules that Python imports at each start.
const START_MODULES: [&str; 2] = ["sitecustomize", "usercustomize"];

/// Extensions of files that manifests name as entries, and Node does not run.
const NO_MODULES: &[&str] =
    &["css", "scss", "sass", "less", "styl", "html", "md", "map", "ts", "mts", "cts", "wasm", "flow"];

/// Beginnings of commands in files of gyp, which run while they are read.
const GYP_COMMANDS: [&str; 4] = ["<!", ">!", "^!", "\"action\""];

/// Capabilities of the manifests and files of the input.
pub(super) fn capabilities(input: &Input) -> Vec<Capability> {
    let mut found = Found { input, capabilities: Vec::new() };
    for (package, bundled) in packages(input) {
        found.package(package, bundled);
    }
    let top = top_folder(input);
    for (index, record) in input.coverage.files.iter().enumerate() {
        if record.link.is_none() {
            found.file(index as FileIndex, record, top);
        }
    }
    found.capabilities
}

/// Folder that all files are in, with `/` at the end. Empty: there is none.
fn top_folder(input: &Input) -> &str {
    let files = &input.coverage.files;
    let Some(end) = files.first().and_then(|file| file.path.find('/')) else { return "" };
    let top = &files[0].path[..=end];
    if files.iter().all(|file| file.path.starts_with(top)) { top } else { "" }
}

struct Found<'i> {
    input: &'i Input,
    capabilities: Vec<Capability>,
}

impl Found<'_> {
    fn add(&mut self, kind: CapabilityKind, name: String, location: Location) {
        let is_at_install = kind == CapabilityKind::InstallScript;
        self.capabilities.push(Capability { kind, name, is_at_install, location });
    }

    /// Scripts, dependencies and commands of a package. Those of a bundled one have its name.
    fn package(&mut self, package: &Package, bundled: Option<&str>) {
        let input = self.input;
        let of = bundled.map_or_else(String::new, |name| format!(" of {name}"));
        let manifest = file_in(input, package, "package.json");
        let python = ["pyproject.toml", "setup.cfg", "setup.py"].iter().find_map(|name| file_in(input, package, name));
        let at = |span| Location { file: manifest.or(python).unwrap_or(0), span };
        for (script, command) in scripts(package) {
            let span = manifest.map_or(Span::default(), |file| script_span(input, file, script));
            self.add(CapabilityKind::InstallScript, format!("{script}{of}: {command}"), at(span));
        }
        let installation = &package.installation;
        let has_own = package.scripts.contains_key("install") || package.scripts.contains_key("preinstall");
        let is_built = manifest.is_some() && !has_own && !installation.is_without_gyp;
        if let Some(file) = file_in(input, package, "binding.gyp").filter(|_| is_built) {
            let location = Location { file, span: Span::default() };
            let name = format!("install{of}: node-gyp rebuild (binding.gyp)");
            self.add(CapabilityKind::InstallScript, name, location);
        }
        for target in &installation.mains {
            let path = join(&package.directory, target);
            let loaded = path.and_then(|path| input.unread.get(&path).and_then(|unread| unread.loaded(&path)));
            if let Some(name) = loaded.filter(|_| !has_extension(target, NO_MODULES)) {
                self.add(CapabilityKind::OtherCode, name, at(Span::default()));
            }
        }
        for (kind, names) in [
            (CapabilityKind::InstallScript, &installation.build_steps),
            (CapabilityKind::Dependency, &installation.dependencies),
            (CapabilityKind::EntryPoint, &installation.entry_points),
        ] {
            for name in names {
                self.add(kind, format!("{name}{of}"), at(Span::default()));
            }
        }
    }

    /// A file that runs without being imported, or that is not analysed. `top` is the folder that all files are in.
    fn file(&mut self, index: FileIndex, record: &FileRecord, top: &str) {
        let location = Location { file: index, span: Span::default() };
        let path = record.path.strip_prefix(top).unwrap_or(&record.path);
        // The folders of data of a wheel have its version in their names.
        let path = path.split_once(".data/").map_or(path, |(_, inside)| inside);
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_setup(&record.path) && !is_in_dependencies(&record.path) {
            self.add(CapabilityKind::InstallScript, "setup.py".to_owned(), location);
        }
        if START_MODULES.iter().any(|module| path_of_module(&record.path, module)) {
            self.add(CapabilityKind::StartCode, name.to_owned(), location);
        }
        if name.ends_with(".pth") {
            self.start_lines(name, record, location);
        }
        if name == "binding.gyp" || name.ends_with(".gypi") {
            self.gyp(name, record, location);
        }
        if let Some((_, script)) = record.path.split_once(".data/scripts/") {
            self.add(CapabilityKind::EntryPoint, format!("scripts: {script}"), location);
        }
        if let Some(unread) = self.input.unread.get(&record.path)
            && matches!(record.outcome, FileOutcome::Skipped(_))
        {
            // npm takes the addresses of dependencies from this file of a package.
            if name == "npm-shrinkwrap.json" {
                self.add(CapabilityKind::Dependency, unread.name(path), location);
            }
            match unread.kind {
                UnreadKind::Native => self.add(CapabilityKind::NativeCode, unread.name(path), location),
                UnreadKind::Script => self.add(CapabilityKind::OtherCode, unread.name(path), location),
                UnreadKind::Data => {}
            }
        }
    }

    /// Lines of a `.pth` file. Python runs those that begin with `import`, and adds the others to the paths of modules.
    fn start_lines(&mut self, name: &str, record: &FileRecord, location: Location) {
        let Some(text) = &record.text else {
            return self.add(CapabilityKind::StartCode, format!("{name}, which was not read"), location);
        };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            self.add(CapabilityKind::StartCode, format!("{name}: {}", bounded(line)), location);
        }
    }

    /// Commands in a file of gyp.
    fn gyp(&mut self, name: &str, record: &FileRecord, location: Location) {
        let Some(text) = &record.text else {
            return self.add(CapabilityKind::InstallScript, format!("{name}, which was not read"), location);
        };
        let text = text.replace('\'', "\"");
        for start in GYP_COMMANDS {
            for (at, _) in text.match_indices(start) {
                let command = text[at..].split(['\n', ']']).next().unwrap_or_default();
                let command = command.trim_end_matches([',', '"', ' ', '\r']);
                self.add(CapabilityKind::InstallScript, format!("{name}: {}", bounded(command)), location);
            }
        }
    }
}

/// A line, or its beginning with a digest of the whole.
fn bounded(line: &str) -> String {
    if line.len() <= MAX_COMMAND {
        return line.to_owned();
    }
    let end = (0..=MAX_COMMAND).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
    format!("{}... ({} bytes, digest {:016x})", &line[..end], line.len(), xxh3_64(line.as_bytes()))
}

/// True for the file of a module of Python.
fn path_of_module(path: &str, module: &str) -> bool {
    path.ends_with(&format!("{module}.py")) && {
        let before = &path[..path.len() - module.len() - 3];
        before.is_empty() || before.ends_with('/')
    }
}

fn is_in_dependencies(path: &str) -> bool {
    crate::input::is_in_dependencies(path)
}
