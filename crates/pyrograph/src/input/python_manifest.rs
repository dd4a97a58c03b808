//! Manifests of Python packages: `pyproject.toml`, `setup.cfg`, `setup.py`, requirements, and the metadata of wheels.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::package::Package;
use super::{Language, SourceFile};
use crate::knowledge::ThreatModel;

/// Names of packages whose modules have another name.
const MODULES: [(&str, &str); 14] = [
    ("beautifulsoup4", "bs4"),
    ("djangorestframework", "rest_framework"),
    ("mysql_connector_python", "mysql"),
    ("mysqlclient", "MySQLdb"),
    ("pillow", "PIL"),
    ("psycopg2_binary", "psycopg2"),
    ("psycopg_binary", "psycopg"),
    ("pycrypto", "Crypto"),
    ("pycryptodome", "Crypto"),
    ("pycryptodomex", "Cryptodome"),
    ("pyjwt", "jwt"),
    ("python_ldap", "ldap"),
    ("pyyaml", "yaml"),
    ("scikit_learn", "sklearn"),
];

/// Content of the manifests of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PythonManifest {
    name: Option<String>,
    version: Option<String>,
    /// Others install the package.
    is_package: bool,
    /// The package has commands.
    has_programs: bool,
    dependencies: BTreeMap<String, String>,
}

/// True for names of manifests.
pub(crate) fn is_manifest(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "pyproject.toml" | "setup.cfg" | "PKG-INFO" | "Pipfile" => true,
        "METADATA" | "entry_points.txt" => folder.ends_with(".dist-info") || folder.ends_with(".egg-info"),
        name => name.starts_with("requirements") && name.ends_with(".txt"),
    }
}

/// Manifests of all folders: paths with texts, and `setup.py` among the sources.
pub(crate) fn manifests<'t>(
    texts: impl Iterator<Item = (&'t str, &'t str)>,
    sources: &[SourceFile],
) -> BTreeMap<String, PythonManifest> {
    let mut manifests: BTreeMap<String, PythonManifest> = BTreeMap::new();
    for (path, text) in texts {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_metadata = folder.ends_with(".dist-info") || folder.ends_with(".egg-info");
        let folder = match is_metadata {
            true => folder.rsplit_once('/').map_or("", |(outer, _)| outer),
            false => folder,
        };
        manifests.entry(folder.to_owned()).or_default().read(name, text);
    }
    for source in sources.iter().filter(|source| source.language == Language::Python) {
        let (folder, name) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
        if name == "setup.py" {
            manifests.entry(folder.to_owned()).or_default().setup(&source.text);
        }
    }
    manifests
}

/// Adds what manifests of Python say to the packages, which stay in order of their folders.
pub(crate) fn add(packages: &mut Vec<Package>, manifests: BTreeMap<String, PythonManifest>) {
    for (directory, manifest) in manifests {
        let mut models = Vec::new();
        if manifest.has_programs {
            models.push(ThreatModel::Application);
        }
        if manifest.is_package {
            models.push(ThreatModel::Library);
        }
        match packages.binary_search_by(|package| package.directory.cmp(&directory)) {
            Ok(known) => {
                let package = &mut packages[known];
                package.models.extend(models);
                package.models.sort_unstable();
                package.models.dedup();
                package.dependencies.extend(manifest.dependencies);
            }
            Err(position) => {
                let package = Package {
                    directory,
                    name: manifest.name,
                    version: manifest.version,
                    dependencies: manifest.dependencies,
                    models,
                    ..Package::default()
                };
                packages.insert(position, package);
            }
        }
    }
}

impl PythonManifest {
    /// Adds the content of a file.
    fn read(&mut self, name: &str, text: &str) {
        match name {
            "pyproject.toml" => self.project(text),
            "Pipfile" => {
                if let Ok(table) = DeTable::parse(text) {
                    self.table_of_dependencies(table.get_ref().get("packages").map(|value| value.get_ref()));
                }
            }
            "setup.cfg" => self.configuration(text),
            "entry_points.txt" => self.has_programs |= has_scripts(text),
            "PKG-INFO" | "METADATA" => self.metadata(text),
            _ => text.lines().for_each(|line| self.requirement(line)),
        }
    }

    /// `pyproject.toml`, in the standard form or that of Poetry.
    fn project(&mut self, text: &str) {
        let Ok(table) = DeTable::parse(text) else { return };
        let table = table.get_ref();
        let project = table.get("project").map(|value| value.get_ref());
        let poetry = table.get("tool").and_then(|tool| member(tool.get_ref(), "poetry"));
        for part in [project, poetry].into_iter().flatten() {
            self.is_package |= member(part, "name").is_some();
            self.set_name(member(part, "name").and_then(DeValue::as_str));
            self.set_version(member(part, "version").and_then(DeValue::as_str));
            self.has_programs |= ["scripts", "gui-scripts"].iter().any(|key| member(part, key).is_some());
            match member(part, "dependencies") {
                Some(DeValue::Array(list)) => {
                    let lines = list.iter().filter_map(|value| value.get_ref().as_str());
                    lines.for_each(|line| self.requirement(line));
                }
                other => self.table_of_dependencies(other),
            }
        }
    }

    /// Dependencies with names as keys, and versions or tables with versions.
    fn table_of_dependencies(&mut self, value: Option<&DeValue<'_>>) {
        let Some(DeValue::Table(table)) = value else { return };
        for (name, value) in table {
            let value = value.get_ref();
            let version = value.as_str().or_else(|| member(value, "version").and_then(DeValue::as_str));
            self.dependency(name.get_ref(), version.unwrap_or_default());
        }
    }

    /// `setup.cfg`: sections with keys, whose values may go on in indented lines.
    fn configuration(&mut self, text: &str) {
        let (mut section, mut key) = ("", "");
        for line in text.lines() {
            let is_continued = line.starts_with([' ', '\t']);
            let trimmed = line.trim();
            if trimmed.starts_with(['#', ';']) || trimmed.is_empty() {
                continue;
            }
            if let Some(name) = trimmed.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                (section, key) = (name, "");
                continue;
            }
            let value = match trimmed.split_once('=') {
                Some((name, value)) if !is_continued => {
                    key = name.trim();
                    value.trim()
                }
                _ => trimmed,
            };
            match (section, key) {
                ("metadata", "name") => {
                    self.is_package = true;
                    self.set_name(Some(value));
                }
                ("metadata", "version") => self.set_version(Some(value)),
                ("options", "install_requires") => self.requirement(value),
                ("options", "scripts") | ("options.entry_points", "console_scripts" | "gui_scripts") => {
                    self.has_programs = true;
                }
                _ => {}
            }
        }
    }

    /// Metadata of wheels and source archives: headers before an empty line.
    fn metadata(&mut self, text: &str) {
        self.is_package = true;
        for line in text.lines().take_while(|line| !line.is_empty()) {
            match line.split_once(':') {
                Some(("Name", value)) => self.set_name(Some(value.trim())),
                Some(("Version", value)) => self.set_version(Some(value.trim())),
                Some(("Requires-Dist", value)) => self.requirement(value),
                _ => {}
            }
        }
    }

    /// `setup.py`, as far as its text tells.
    fn setup(&mut self, text: &str) {
        if !text.contains("setup(") {
            return;
        }
        self.is_package = true;
        self.has_programs |= has_scripts(text) || text.contains("scripts=") || text.contains("scripts =");
        let Some((_, rest)) = text.split_once("install_requires") else { return };
        let list = rest.trim_start_matches([' ', '=', '\n']);
        let Some(list) = list.strip_prefix('[').and_then(|list| list.split_once(']')) else { return };
        for part in list.0.split(['"', '\'']).skip(1).step_by(2) {
            self.requirement(part);
        }
    }

    /// A requirement, such as `Flask[async]>=2.0,<4 ; python_version > "3.8"`.
    fn requirement(&mut self, line: &str) {
        let line = line.split([';', '#']).next().unwrap_or_default().trim();
        if line.starts_with(['-', '.', '/']) || line.contains("://") {
            return;
        }
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let end = line.find(|letter| !is_name(letter)).unwrap_or(line.len());
        let (name, mut rest) = line.split_at(end);
        if let Some((_, after)) = rest.trim_start().strip_prefix('[').and_then(|extras| extras.split_once(']')) {
            rest = after;
        }
        self.dependency(name, rest.trim().trim_matches(['(', ')']));
    }

    fn dependency(&mut self, name: &str, version: &str) {
        if name.is_empty() {
            return;
        }
        let name = name.to_ascii_lowercase().replace(['-', '.'], "_");
        let module = MODULES.iter().find(|(package, _)| *package == name).map_or(name.as_str(), |(_, module)| module);
        // Upper bounds and exclusions say nothing about the version in use.
        let lowest = version.split(',').map(str::trim).find(|bound| !bound.starts_with(['<', '!']));
        let version = lowest.unwrap_or_default().trim_start_matches(['=', '>', '~', '^', ' ']);
        self.dependencies.entry(module.to_owned()).or_insert_with(|| version.to_owned());
    }

    fn set_name(&mut self, name: Option<&str>) {
        if self.name.is_none() {
            self.name = name.map(str::to_owned);
        }
    }

    fn set_version(&mut self, version: Option<&str>) {
        if self.version.is_none() {
            self.version = version.map(str::to_owned);
        }
    }
}

/// Member of a table.
fn member<'v, 't>(value: &'v DeValue<'t>, key: &str) -> Option<&'v DeValue<'t>> {
    match value {
        DeValue::Table(table) => table.get(key).map(|value| value.get_ref()),
        _ => None,
    }
}

/// True if a text names scripts in the form of entry points.
fn has_scripts(text: &str) -> bool {
    text.contains("console_scripts") || text.contains("gui_scripts")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(name: &str, text: &str) -> PythonManifest {
        let mut all = manifests(std::iter::once((name, text)), &[]);
        all.remove("").unwrap_or_default()
    }

    #[test]
    fn projects_have_scripts_and_dependencies() {
        let text = "[project]\nname = \"a\"\nversion = \"1\"\n\
                    dependencies = [\"Flask[async]>=2.3,<4\", \"PyYAML\", \"x @ https://a/b\"]\n[project.scripts]\na = \"a:main\"\n";
        let project = manifest("pyproject.toml", text);
        assert!(project.is_package && project.has_programs);
        let dependencies: Vec<(&str, &str)> =
            project.dependencies.iter().map(|(name, version)| (name.as_str(), version.as_str())).collect();
        assert_eq!(dependencies, [("flask", "2.3"), ("yaml", "")]);
        let text = "[tool.poetry]\nname = \"a\"\n[tool.poetry.dependencies]\npython = \"^3.9\"\ndjango = {version = \"^4.2\"}\n";
        let project = manifest("pyproject.toml", text);
        assert!(project.is_package && !project.has_programs);
        assert_eq!(project.dependencies.get("django").map(String::as_str), Some("4.2"));
        assert_eq!(manifest("pyproject.toml", "["), PythonManifest::default());
    }

    #[test]
    fn other_manifests_say_the_same() {
        let text = "[metadata]\nname = a\n[options]\ninstall_requires =\n    flask>=3\n[options.entry_points]\n\
                    console_scripts =\n    a = a:main\n";
        let known = manifest("setup.cfg", text);
        assert!(known.is_package && known.has_programs);
        assert_eq!(known.dependencies.get("flask").map(String::as_str), Some("3"));
        let known = manifest("a-1.dist-info/METADATA", "Name: a\nRequires-Dist: requests (>=2.0)\n\nName: b\n");
        assert_eq!((known.name.as_deref(), known.is_package), (Some("a"), true));
        assert_eq!(known.dependencies.get("requests").map(String::as_str), Some("2.0"));
        assert!(manifest("a-1.dist-info/entry_points.txt", "[console_scripts]\na = a:main\n").has_programs);
        let known = manifest("requirements.txt", "# a\n-r other.txt\nsqlalchemy == 1.4.2 # b\n");
        assert!(!known.is_package && known.dependencies.get("sqlalchemy").map(String::as_str) == Some("1.4.2"));
    }
}
