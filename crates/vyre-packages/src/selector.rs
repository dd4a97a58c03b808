//! Selection of packages by name and version range.

use crate::error::PackageError;
use crate::graph::Package;
use crate::version::Range;

/// Packages with a name, and with a version in a range: `lodash@<4.17.21`, `@scope/name`, `urllib3@>=1.26, <2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    name: String,
    range: Range,
}

impl Selector {
    /// Parses `name` or `name@range`.
    ///
    /// # Errors
    ///
    /// Fails without a name, or if the range is malformed.
    pub fn parse(text: &str) -> Result<Selector, PackageError> {
        let text = text.trim();
        // The name of a scoped package begins with an `@`.
        let start = usize::from(text.starts_with('@'));
        let (name, range) = match text[start..].find('@') {
            Some(at) => (&text[..start + at], &text[start + at + 1..]),
            None => (text, ""),
        };
        if name.len() <= start {
            return Err(PackageError::new(format!("`{text}` has no name of a package")));
        }
        if text.len() > name.len() && range.trim().is_empty() {
            return Err(PackageError::new(format!("`{text}` has no version range behind `@`")));
        }
        Ok(Selector { name: name.to_owned(), range: Range::parse(range)? })
    }

    /// Name of the packages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks that the range is one of the ecosystem of a package, if the package has the name.
    ///
    /// # Errors
    ///
    /// Fails if a version of the range is none of the ecosystem, such as `1.2.3.4` of npm.
    pub fn check(&self, package: &Package) -> Result<(), PackageError> {
        if self.has_name_of(package) { self.range.check(&package.ecosystem) } else { Ok(()) }
    }

    fn has_name_of(&self, package: &Package) -> bool {
        let ecosystem = &package.ecosystem;
        ecosystem.normalized(&package.name) == ecosystem.normalized(&self.name)
    }

    /// True if the selector matches a package. A package without a version is in the range of all versions only.
    #[must_use]
    pub fn matches(&self, package: &Package) -> bool {
        self.has_name_of(package) && self.range.contains(&package.ecosystem, &package.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ecosystem::Ecosystem;

    fn package(ecosystem: Ecosystem, name: &str, version: &str) -> Package {
        let (id, name, version) = (format!("{name}@{version}"), name.to_owned(), version.to_owned());
        Package { id, name, version, ecosystem, is_root: false }
    }

    #[test]
    fn selectors_match_names_and_versions() {
        let lodash = package(Ecosystem::Npm, "lodash", "4.17.20");
        let scoped = package(Ecosystem::Npm, "@a/b", "1.0.0");
        let python = package(Ecosystem::Python, "Foo_Bar", "1.0");
        let matches = |text: &str, package: &Package| Selector::parse(text).expect(text).matches(package);
        assert!(matches("lodash@<4.17.21", &lodash) && matches("lodash", &lodash));
        assert!(!matches("lodash@>=4.17.21", &lodash) && !matches("lodash.merge", &lodash));
        assert!(matches("@a/b@1.0.0", &scoped) && matches("@a/b", &scoped) && !matches("b", &scoped));
        assert!(matches("foo.bar@<2", &python));
        for text in ["", "@", "@1", "a@", "a@<", "@a/b@"] {
            let selector = Selector::parse(text);
            // `@1` is the name of a scope.
            assert!(selector.is_err() || text == "@1", "{text}");
        }
    }
}
