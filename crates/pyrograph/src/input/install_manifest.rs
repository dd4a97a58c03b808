//! What manifests say about an installation: commands, dependencies, and code that builds run.

use std::collections::{BTreeMap, BTreeSet};

use toml::de::{DeTable, DeValue};

use super::json::Json;

/// What an installation of a package adds, by the manifests of a folder. All are names as reports show them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installation {
    /// Packages that are installed too, with their addresses if they are from no registry.
    pub dependencies: BTreeSet<String>,
    /// Commands and plugins.
    pub entry_points: BTreeSet<String>,
    /// Steps of a build that run code, beside scripts.
    pub build_steps: BTreeSet<String>,
    /// Files that a build runs, relative to the folder.
    pub build_files: BTreeSet<String>,
    /// Files that `main` and `exports` name, relative to the folder.
    pub mains: BTreeSet<String>,
    /// npm does not build addons by `binding.gyp`.
    pub is_without_gyp: bool,
}

/// Tables of `package.json` whose packages npm installs with a package of the registry.
const TABLES: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];

impl Installation {
    /// `package.json`.
    pub(crate) fn of_package(json: &Json) -> Installation {
        let mut installation = Installation { is_without_gyp: json.is_false("gypfile"), ..Installation::default() };
        for (name, range) in TABLES.iter().filter_map(|table| json.get(table)).flat_map(Json::entries) {
            installation.dependencies.insert(match range.as_str() {
                Some(range) if is_range(range) => name.clone(),
                Some(address) => format!("{name} {address}"),
                None => name.clone(),
            });
        }
        installation.mains.extend(json.text("main").map(str::to_owned));
        let mut waiting: Vec<&Json> = json.get("exports").into_iter().collect();
        while let Some(value) = waiting.pop() {
            installation.mains.extend(value.as_str().map(str::to_owned));
            waiting.extend(value.entries().iter().map(|(_, value)| value).chain(value.elements()));
        }
        let scoped = json.text("name").unwrap_or_default();
        let own = scoped.rsplit('/').next().unwrap_or(scoped);
        if json.text("bin").is_some() {
            installation.entry_points.insert(format!("bin: {own}"));
        }
        let commands = json.get("bin").map(Json::entries).unwrap_or_default();
        installation.entry_points.extend(commands.iter().map(|(name, _)| format!("bin: {name}")));
        if let Some(folder) = json.get("directories").and_then(|value| value.text("bin")) {
            installation.entry_points.insert(format!("bin: all files of {folder}"));
        }
        installation
    }

    /// Adds what another manifest of the same folder says.
    pub(crate) fn extend(&mut self, other: Installation) {
        self.dependencies.extend(other.dependencies);
        self.entry_points.extend(other.entry_points);
        self.build_steps.extend(other.build_steps);
        self.build_files.extend(other.build_files);
        self.mains.extend(other.mains);
        self.is_without_gyp |= other.is_without_gyp;
    }

    /// Adds a manifest of Python by the name of its file.
    pub(crate) fn read_python(&mut self, name: &str, text: &str) {
        match name {
            "pyproject.toml" => self.project(text),
            "setup.cfg" => self.configuration(text),
            "entry_points.txt" => self.entry_points_of(text),
            "METADATA" => {
                let headers = text.lines().take_while(|line| !line.is_empty());
                let required = headers.filter_map(|line| line.strip_prefix("Requires-Dist:"));
                required.for_each(|line| self.requirement(line));
            }
            _ => {}
        }
    }

    /// A requirement of Python. Optional ones are not installed.
    fn requirement(&mut self, line: &str) {
        self.dependencies.extend(requirement(line));
    }

    /// `pyproject.toml`.
    fn project(&mut self, text: &str) {
        let Ok(table) = DeTable::parse(text) else { return };
        let table = table.get_ref();
        let value = |keys: &[&str]| -> Option<&DeValue<'_>> {
            let (first, rest) = keys.split_first()?;
            let first = table.get(*first).map(|value| value.get_ref());
            rest.iter().fold(first, |value, key| value?.get(*key).map(|value| value.get_ref()))
        };
        texts(value(&["project", "dependencies"])).for_each(|line| self.requirement(line));
        for (name, value) in entries(value(&["tool", "poetry", "dependencies"])).filter(|(name, _)| name != "python") {
            let address = ["git", "url", "path"].iter().find_map(|key| value.get(*key)?.get_ref().as_str());
            self.dependencies
                .insert(address.map_or_else(|| normal(&name), |address| format!("{} {address}", normal(&name))));
        }
        for keys in [["project", "scripts"], ["project", "gui-scripts"]] {
            let scripts = entries(value(&keys)).map(|(name, target)| shown(keys[1], &name, target.as_str()));
            self.entry_points.extend(scripts);
        }
        for (group, points) in entries(value(&["project", "entry-points"])) {
            let points = entries(Some(points)).map(|(name, target)| shown(&group, &name, target.as_str()));
            self.entry_points.extend(points);
        }
        if let Some(backend) = value(&["build-system", "build-backend"]).and_then(DeValue::as_str) {
            self.build_steps.insert(format!("build-backend: {backend}"));
            let file = backend.split(':').next().unwrap_or(backend).replace('.', "/");
            for folder in texts(value(&["build-system", "backend-path"])) {
                self.build_steps.insert(format!("backend-path: {folder}"));
                self.build_files.insert(format!("{folder}/{file}.py"));
                self.build_files.insert(format!("{folder}/{file}/__init__.py"));
            }
        }
        let required = texts(value(&["build-system", "requires"])).filter_map(requirement);
        self.build_steps.extend(required.map(|name| format!("build-requires: {name}")));
        for (hook, settings) in entries(value(&["tool", "hatch", "build", "hooks"])) {
            let path = settings.get("path").and_then(|path| path.get_ref().as_str());
            self.build_steps.insert(format!("hatch hook: {hook}"));
            if hook == "custom" {
                self.build_files.insert(path.unwrap_or("hatch_build.py").to_owned());
            }
        }
        let poetry = value(&["tool", "poetry", "build"]);
        let script = poetry.and_then(|build| build.as_str().or_else(|| build.get("script")?.get_ref().as_str()));
        if let Some(script) = script {
            self.build_steps.insert(format!("poetry build: {script}"));
            self.build_files.insert(script.to_owned());
        }
        for (name, target) in entries(value(&["tool", "setuptools", "cmdclass"])) {
            self.build_steps.insert(shown("cmdclass", &name, target.as_str()));
        }
    }

    /// `setup.cfg`: sections with keys, whose values may go on in indented lines.
    fn configuration(&mut self, text: &str) {
        let (mut section, mut key) = (String::new(), String::new());
        for line in text.lines() {
            let is_continued = line.starts_with([' ', '\t']);
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
                continue;
            }
            if let Some(name) = trimmed.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                (section, key) = (name.to_owned(), String::new());
                continue;
            }
            let value = match trimmed.split_once('=') {
                Some((name, value)) if !is_continued => {
                    name.trim().clone_into(&mut key);
                    value.trim()
                }
                _ => trimmed,
            };
            match (section.as_str(), key.as_str()) {
                ("options", "install_requires") => self.requirement(value),
                ("options", "setup_requires") => {
                    self.build_steps.extend(requirement(value).map(|name| format!("build-requires: {name}")));
                }
                ("options", "cmdclass") if !value.is_empty() => {
                    self.build_steps.insert(format!("cmdclass: {value}"));
                }
                ("options.entry_points", group) if is_continued => {
                    let (name, target) = value.split_once('=').unwrap_or((value, ""));
                    self.entry_points.insert(shown(group, name.trim(), Some(target.trim())));
                }
                _ => {}
            }
        }
    }

    /// `entry_points.txt`: groups with names and targets.
    fn entry_points_of(&mut self, text: &str) {
        let mut group = "";
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])) {
            match line.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                Some(name) => group = name,
                None => {
                    let (name, target) = line.split_once('=').unwrap_or((line, ""));
                    self.entry_points.insert(shown(group, name.trim(), Some(target.trim())));
                }
            }
        }
    }
}

/// An entry point with its target.
fn shown(group: &str, name: &str, target: Option<&str>) -> String {
    match target.filter(|target| !target.is_empty()) {
        Some(target) => format!("{group}: {name} = {target}"),
        None => format!("{group}: {name}"),
    }
}

/// True for a range of versions or a tag of a registry. Others are addresses, files or other packages.
fn is_range(range: &str) -> bool {
    !range.contains([':', '/']) && !range.starts_with('.')
}

/// Name of a requirement of Python, with its address if it has one. None: it is optional, or no requirement.
fn requirement(line: &str) -> Option<String> {
    let (line, marker) = line.split_once(';').unwrap_or((line, ""));
    let line = line.trim();
    if marker.contains("extra") || line.is_empty() || line.starts_with(['#', '-']) {
        return None;
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let end = line.find(|letter| !is_name(letter)).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    Some(match rest.split_once('@') {
        Some((_, address)) => format!("{} {}", normal(name), address.trim()),
        None if line.contains("://") => line.to_owned(),
        None => normal(name),
    })
}

/// Name of a package of Python in its one form (PEP 503).
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

fn texts<'v>(value: Option<&'v DeValue<'_>>) -> impl Iterator<Item = &'v str> {
    let list = match value {
        Some(DeValue::Array(list)) => Some(list),
        _ => None,
    };
    list.into_iter().flat_map(|list| list.iter()).filter_map(|value| value.get_ref().as_str())
}

fn entries<'v, 't>(value: Option<&'v DeValue<'t>>) -> impl Iterator<Item = (String, &'v DeValue<'t>)> {
    let table = match value {
        Some(DeValue::Table(table)) => Some(table),
        _ => None,
    };
    let pairs = table.into_iter().flat_map(|table| table.iter());
    pairs.map(|(name, value)| (name.get_ref().to_string(), value.get_ref()))
}

/// Installations of the manifests of Python by folder. Those in the metadata of a wheel concern the folder around it.
pub(crate) fn of_python<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> BTreeMap<String, Installation> {
    let mut installations: BTreeMap<String, Installation> = BTreeMap::new();
    for (path, text) in texts {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_metadata = folder.ends_with(".dist-info") || folder.ends_with(".egg-info");
        let folder = if is_metadata { folder.rsplit_once('/').map_or("", |(outer, _)| outer) } else { folder };
        installations.entry(folder.to_owned()).or_default().read_python(name, text);
    }
    installations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(set: &BTreeSet<String>) -> Vec<&str> {
        set.iter().map(String::as_str).collect()
    }

    #[test]
    fn npm_installs_dependencies_and_commands() {
        let text = r#"{"name": "@s/a", "bin": {"a": "a.js", "b": "b.js"}, "gypfile": false,
            "dependencies": {"x": "^1.0.0", "y": "https://example.com/y.tgz", "z": "user/z"},
            "optionalDependencies": {"o": "*"}, "devDependencies": {"d": "1"}}"#;
        let found = Installation::of_package(&Json::parse(text).expect("JSON"));
        assert_eq!(list(&found.dependencies), ["o", "x", "y https://example.com/y.tgz", "z user/z"]);
        assert_eq!(list(&found.entry_points), ["bin: a", "bin: b"]);
        assert!(found.is_without_gyp);
        let found = Installation::of_package(&Json::parse(r#"{"name": "@s/a", "bin": "x"}"#).expect("JSON"));
        assert_eq!(list(&found.entry_points), ["bin: a"]);
    }

    #[test]
    fn builds_of_python_run_code() {
        let text = "[build-system]\nrequires = [\"hatchling>=1\"]\nbuild-backend = \"own.backend\"\nbackend-path = [\"tools\"]\n\
                    [project]\ndependencies = [\"Flask[a]>=2\", \"x @ https://a/b\"]\n[project.scripts]\nrun = \"a:main\"\n\
                    [project.entry-points.pytest11]\np = \"a.p\"\n[tool.hatch.build.hooks.custom]\n";
        let mut found = Installation::default();
        found.read_python("pyproject.toml", text);
        assert_eq!(list(&found.dependencies), ["flask", "x https://a/b"]);
        assert_eq!(list(&found.entry_points), ["pytest11: p = a.p", "scripts: run = a:main"]);
        assert_eq!(
            list(&found.build_steps),
            ["backend-path: tools", "build-backend: own.backend", "build-requires: hatchling", "hatch hook: custom"]
        );
        assert_eq!(
            list(&found.build_files),
            ["hatch_build.py", "tools/own/backend.py", "tools/own/backend/__init__.py"]
        );
        let mut found = Installation::default();
        found.read_python(
            "METADATA",
            "Name: a\nRequires-Dist: b>1\nRequires-Dist: c; extra == 'x'\n\nRequires-Dist: d\n",
        );
        found.read_python("entry_points.txt", "[console_scripts]\nrun = a:main\n");
        assert_eq!(
            (list(&found.dependencies), list(&found.entry_points)),
            (vec!["b"], vec!["console_scripts: run = a:main"])
        );
    }
}
