//! Formats of dependency graphs, and their recognition.

use crate::error::PackageError;
use crate::formats;
use crate::graph::DependencyGraph;

/// A format of lock files or SBOMs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `package-lock.json` and `npm-shrinkwrap.json` of npm, versions 1 to 3.
    PackageLock,
    /// `yarn.lock` of Yarn 1, and of Yarn 2 and later.
    YarnLock,
    /// `pnpm-lock.yaml`, versions 5 to 9.
    PnpmLock,
    /// `Cargo.lock`.
    CargoLock,
    /// `poetry.lock`.
    PoetryLock,
    /// `uv.lock`.
    UvLock,
    /// Output of `go mod graph`.
    GoModGraph,
    /// CycloneDX as JSON or XML.
    CycloneDx,
    /// SPDX 2 as JSON or as tags and values, and SPDX 3 as JSON-LD.
    Spdx,
}

/// Number of first bytes that [`Format::detect`] looks at.
const HEAD: usize = 16 << 10;

impl Format {
    /// All formats.
    pub const ALL: [Format; 9] = [
        Format::PackageLock,
        Format::YarnLock,
        Format::PnpmLock,
        Format::CargoLock,
        Format::PoetryLock,
        Format::UvLock,
        Format::GoModGraph,
        Format::CycloneDx,
        Format::Spdx,
    ];

    /// Name for arguments and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::PackageLock => "package-lock",
            Format::YarnLock => "yarn-lock",
            Format::PnpmLock => "pnpm-lock",
            Format::CargoLock => "cargo-lock",
            Format::PoetryLock => "poetry-lock",
            Format::UvLock => "uv-lock",
            Format::GoModGraph => "go-mod-graph",
            Format::CycloneDx => "cyclonedx",
            Format::Spdx => "spdx",
        }
    }

    /// Name of the manifest beside a lock file of this format: it says what the project itself depends on, or what for.
    #[must_use]
    pub fn manifest(self) -> Option<&'static str> {
        match self {
            Format::PackageLock | Format::YarnLock => Some("package.json"),
            Format::CargoLock => Some("Cargo.toml"),
            Format::PoetryLock => Some("pyproject.toml"),
            _ => None,
        }
    }

    /// Recognises a format by the name of a file, without its folder, and its first bytes. None: it is another file.
    #[must_use]
    pub fn detect(file_name: &str, head: &[u8]) -> Option<Format> {
        match file_name {
            "package-lock.json" | "npm-shrinkwrap.json" | ".package-lock.json" => return Some(Format::PackageLock),
            "yarn.lock" => return Some(Format::YarnLock),
            "pnpm-lock.yaml" => return Some(Format::PnpmLock),
            "Cargo.lock" => return Some(Format::CargoLock),
            "poetry.lock" => return Some(Format::PoetryLock),
            "uv.lock" => return Some(Format::UvLock),
            _ => {}
        }
        let head = String::from_utf8_lossy(&head[..head.len().min(HEAD)]);
        let head = head.trim_start_matches('\u{feff}').trim_start();
        if head.starts_with('{') {
            return if has_key(head, "lockfileVersion") {
                Some(Format::PackageLock)
            } else if has_key(head, "bomFormat") {
                Some(Format::CycloneDx)
            } else if has_key(head, "spdxVersion") || has_key(head, "@context") && head.contains("spdx.org/rdf/3") {
                Some(Format::Spdx)
            } else {
                None
            };
        }
        if head.starts_with('<') && head.contains("<bom") && head.contains("cyclonedx.org/schema/bom") {
            return Some(Format::CycloneDx);
        }
        if head.starts_with("SPDXVersion:") {
            return Some(Format::Spdx);
        }
        if head.starts_with("# yarn lockfile v1")
            || head.contains("\n# yarn lockfile v1")
            || head.starts_with("__metadata:")
        {
            return Some(Format::YarnLock);
        }
        if head.starts_with("lockfileVersion:") {
            return Some(Format::PnpmLock);
        }
        is_go_mod_graph(head).then_some(Format::GoModGraph)
    }
}

/// True if the first bytes of a JSON object seem to have this key.
fn has_key(head: &str, key: &str) -> bool {
    let quoted = format!("\"{key}\"");
    head.match_indices(&quoted).any(|(at, _)| head[at + quoted.len()..].trim_start().starts_with(':'))
}

/// True if every whole line has the form `module module@version`, at least one of them.
fn is_go_mod_graph(head: &str) -> bool {
    let whole = head.rfind('\n').map_or(head, |end| &head[..end]);
    let is_required = |module: &str| {
        module.split_once("@v").is_some_and(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_line = |line: &str| {
        let mut words = line.split_whitespace();
        matches!((words.next(), words.next(), words.next()), (Some(_), Some(module), None) if is_required(module) || module.contains('@') && module.starts_with("go@") || module.starts_with("toolchain@"))
    };
    let mut lines = whole.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(is_line)
}

/// Reads the text of a lock file or SBOM. `manifest` is the text of the file that [`Format::manifest`] names.
///
/// # Errors
///
/// Fails if the text is not of this format.
pub fn read(format: Format, text: &str, manifest: Option<&str>) -> Result<DependencyGraph, PackageError> {
    let text = text.trim_start_matches('\u{feff}');
    match format {
        Format::PackageLock => formats::npm::read(text, manifest),
        Format::YarnLock => formats::yarn::read(text, manifest),
        Format::PnpmLock => formats::pnpm::read(text),
        Format::CargoLock => formats::cargo::read(text, manifest),
        Format::PoetryLock => formats::poetry::read(text, manifest),
        Format::UvLock => formats::uv::read(text),
        Format::GoModGraph => formats::go::read(text),
        Format::CycloneDx => formats::cyclonedx::read(text),
        Format::Spdx => formats::spdx::read(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised_by_content() {
        for (text, format) in [
            ("{\n \"name\": \"a\", \"lockfileVersion\": 3", Some(Format::PackageLock)),
            ("{\"bomFormat\" : \"CycloneDX\"", Some(Format::CycloneDx)),
            ("{\"spdxVersion\": \"SPDX-2.3\"", Some(Format::Spdx)),
            ("{\"@context\": \"https://spdx.org/rdf/3.0.1/spdx-context.jsonld\"", Some(Format::Spdx)),
            ("<?xml version=\"1.0\"?>\n<bom xmlns=\"http://cyclonedx.org/schema/bom/1.5\">", Some(Format::CycloneDx)),
            ("<?xml version=\"1.0\"?>\n<graphml/>", None),
            ("SPDXVersion: SPDX-2.3\n", Some(Format::Spdx)),
            ("# THIS IS AN AUTOGENERATED FILE\n# yarn lockfile v1\n", Some(Format::YarnLock)),
            ("__metadata:\n  version: 6\n", Some(Format::YarnLock)),
            ("lockfileVersion: '9.0'\n", Some(Format::PnpmLock)),
            ("example.com/m golang.org/x/text@v0.3.0\na@v1.0.0 b@v1.2.0\nc", Some(Format::GoModGraph)),
            ("{\"nodes\": [], \"links\": []}", None),
            ("1 2\n2 3\n", None),
            ("from,to\na,b\n", None),
            ("alice bob@example\n", None),
            ("", None),
        ] {
            assert_eq!(Format::detect("file", text.as_bytes()), format, "{text}");
        }
    }
}
