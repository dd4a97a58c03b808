//! Names of packages: `npm:NAME@VERSION` and `pypi:NAME==VERSION`.

use std::fmt;
use std::path::Path;

use anyhow::bail;

use crate::output::visible;

/// Longest name or version. Registries allow 214 characters for names.
const MAX_CHARS: usize = 214;

/// A registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registry {
    Npm,
    Pypi,
}

/// A package of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) registry: Registry,
    pub(crate) name: String,
    /// None: the latest version.
    pub(crate) version: Option<String>,
}

impl Spec {
    /// Reads a path. None: it does not begin with the name of a registry, or is a file or folder.
    pub(crate) fn of_path(path: &Path) -> anyhow::Result<Option<Spec>> {
        let Some(text) = path.to_str() else { return Ok(None) };
        let (registry, rest) = match (text.strip_prefix("npm:"), text.strip_prefix("pypi:")) {
            (Some(rest), _) => (Registry::Npm, rest),
            (None, Some(rest)) => (Registry::Pypi, rest),
            (None, None) => return Ok(None),
        };
        if path.exists() {
            return Ok(None);
        }
        Spec::new(registry, rest).map(Some)
    }

    /// Reads a name with or without a version.
    fn new(registry: Registry, text: &str) -> anyhow::Result<Spec> {
        let (name, version) = match registry {
            // The first character of a name with a scope is `@`.
            Registry::Npm => match text.get(1..).and_then(|rest| rest.find('@')) {
                Some(at) => (&text[..at + 1], Some(&text[at + 2..])),
                None => (text, None),
            },
            Registry::Pypi => match text.split_once("==") {
                Some((name, version)) => (name, Some(version)),
                None => (text, None),
            },
        };
        let (form, separator) = match registry {
            Registry::Npm => ("npm:NAME@VERSION", '@'),
            Registry::Pypi => ("pypi:NAME==VERSION", '='),
        };
        if !is_name(registry, name) {
            let hint = match registry {
                Registry::Npm if name.contains("==") => "; npm separates the version by `@`",
                Registry::Pypi if name.contains('@') => "; PyPI separates the version by `==`",
                _ => "",
            };
            bail!("`{}` is no name of a package; the form is {form}{hint}", visible(name));
        }
        if let Some(version) = version.filter(|version| !is_version(registry, version)) {
            let version = visible(version);
            bail!("`{version}` behind `{separator}` is no version; the form is {form}, with one version and no range");
        }
        Ok(Spec { registry, name: name.to_owned(), version: version.map(str::to_owned) })
    }

    /// A package of npm with its version, checked.
    pub(crate) fn npm(name: &str, version: &str) -> anyhow::Result<Spec> {
        Spec::new(Registry::Npm, &format!("{name}@{version}"))
    }

    /// Argument for npm or pip. It begins with a letter, a digit or `@`, so that it is no option.
    pub(crate) fn argument(&self) -> String {
        match (self.registry, &self.version) {
            (_, None) => self.name.clone(),
            (Registry::Npm, Some(version)) => format!("{}@{version}", self.name),
            (Registry::Pypi, Some(version)) => format!("{}=={version}", self.name),
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registry = match self.registry {
            Registry::Npm => "npm",
            Registry::Pypi => "pypi",
        };
        write!(f, "{registry}:{}", self.argument())
    }
}

/// True for names that a registry can have. No other text reaches npm or pip.
fn is_name(registry: Registry, name: &str) -> bool {
    match registry {
        Registry::Npm => match name.strip_prefix('@') {
            Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| is_word(scope) && is_word(name)),
            None => is_word(name),
        },
        Registry::Pypi => is_word(name) && name.ends_with(|end: char| end.is_ascii_alphanumeric()),
    }
}

fn is_word(text: &str) -> bool {
    let is_inner = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-' | '~');
    text.len() <= MAX_CHARS
        && !is_file_name(text)
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(is_inner)
}

/// True for names that npm or pip take for those of archives, and read from disk.
fn is_file_name(text: &str) -> bool {
    const SUFFIXES: [&str; 12] = ["tgz", "tar", "gz", "zip", "whl", "bz2", "tbz", "xz", "txz", "tlz", "lz", "lzma"];
    let suffix = text.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    SUFFIXES.iter().any(|known| suffix.eq_ignore_ascii_case(known))
}

/// True for one version, or a tag of npm such as `latest`. `2` and `2.x` are ranges of npm.
fn is_version(registry: Registry, text: &str) -> bool {
    if is_file_name(text) {
        return false;
    }
    if registry == Registry::Npm {
        let core = text.split(['-', '+']).next().unwrap_or_default();
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_exact = core.split('.').count() == 3 && core.split('.').all(is_number);
        let rest = text.trim_start_matches(['v', 'V']);
        let is_tag = rest.starts_with(|first: char| first.is_ascii_alphabetic()) && !rest.eq_ignore_ascii_case("x");
        if !is_exact && (!is_tag || text.contains('.')) {
            return false;
        }
    }
    let is_inner =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-' | '+' | '!');
    text.len() <= MAX_CHARS
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(is_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(text: &str) -> Option<String> {
        Spec::of_path(Path::new(text)).ok().flatten().map(|spec| spec.argument())
    }

    #[test]
    fn names_have_versions_and_scopes() {
        for (text, expected) in [
            ("npm:ms@2.1.3", "ms@2.1.3"),
            ("npm:ms", "ms"),
            ("npm:ms@latest", "ms@latest"),
            ("npm:next@canary-15", "next@canary-15"),
            ("npm:@babel/core@7.0.0-beta.1+x", "@babel/core@7.0.0-beta.1+x"),
            ("npm:@babel/core", "@babel/core"),
            ("pypi:six==1.16.0", "six==1.16.0"),
            ("pypi:ruamel.yaml==1!2.0.post1", "ruamel.yaml==1!2.0.post1"),
        ] {
            assert_eq!(argument(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(argument("package.tgz"), None);
    }

    #[test]
    fn options_paths_and_ranges_are_refused() {
        for text in [
            "npm:",
            "npm:--registry=x",
            "npm:-g",
            "npm:../x",
            "npm:a/b",
            "npm:a b",
            "npm:a;b",
            "npm:$(a)",
            "npm:https://x",
            "npm:ms@",
            "npm:ms@^2",
            "npm:ms@>=1",
            "npm:ms@npm:other",
            "npm:ms@file:x",
            "npm:@a",
            "npm:@/b",
            "npm:@-a/b",
            "npm:ms==1",
            "pypi:six@1",
            "pypi:six>=1",
            "pypi:six==",
            "pypi:six==-1",
            "pypi:six[x]",
            "pypi:-r",
            "pypi:six.",
            "npm:loc.tgz",
            "npm:ms@1.tgz",
            "npm:ms@2",
            "npm:ms@2.x",
            "npm:ms@x",
            "npm:ms@v2",
            "npm:ms@x.1",
            "pypi:evil.zip",
            "pypi:evil==1.ZIP",
            "pypi:evil==1.tar.gz",
        ] {
            assert!(Spec::of_path(Path::new(text)).is_err(), "{text}");
        }
    }
}
