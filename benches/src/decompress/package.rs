//! Packages of the benchmarks and their files.

use std::env;
use std::fs;
use std::path::PathBuf;

use super::extraction::ArchiveForm;
use crate::error::Error;

/// Kind of package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageKind {
    /// Rust crate: a tar file in a gzip stream.
    Crate,
    /// npm package: a tar file in a gzip stream.
    Npm,
    /// Python wheel: a zip file.
    Wheel,
    /// Java archive: a zip file.
    Jar,
}

/// Package of `benches/packages.tsv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Kind of package.
    pub kind: PackageKind,
    /// Name of the package.
    pub name: &'static str,
    /// Version of the package.
    pub version: &'static str,
    /// File name.
    pub file: &'static str,
    /// True if the package is part of the text of the benchmarks.
    pub is_in_corpus: bool,
}

impl Package {
    /// All packages, in the order of the table.
    #[must_use]
    pub fn all() -> Vec<Package> {
        const TABLE: &str = include_str!("../../packages.tsv");
        TABLE.lines().filter_map(Package::parse).collect()
    }

    fn parse(line: &'static str) -> Option<Package> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [kind, name, version, file, _checksum, detail] = fields[..] else { return None };
        let kind = match kind {
            "crate" => PackageKind::Crate,
            "npm" => PackageKind::Npm,
            "wheel" => PackageKind::Wheel,
            "jar" => PackageKind::Jar,
            _ => return None,
        };
        Some(Package { kind, name, version, file, is_in_corpus: detail == "corpus" })
    }

    /// Path of the file: in the cache of `benches/fetch-packages`, or in that of cargo.
    ///
    /// # Errors
    ///
    /// The file is missing.
    pub fn path(&self) -> Result<PathBuf, Error> {
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let cache = env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from);
        let mut folders = vec![cache.join("vyre/packages")];
        if self.kind == PackageKind::Crate {
            let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
            let registries = fs::read_dir(cargo.join("registry/cache")).into_iter().flatten().flatten();
            folders.extend(registries.map(|registry| registry.path()));
        }
        let found = folders.into_iter().map(|folder| folder.join(self.file)).find(|path| path.is_file());
        found.ok_or_else(|| Error::MissingPackage { file: self.file.to_owned() })
    }

    /// Name in reports.
    #[must_use]
    pub fn title(&self) -> String {
        match self.kind {
            PackageKind::Crate | PackageKind::Npm | PackageKind::Wheel => format!("{} {}", self.name, self.version),
            // The file is contained in a package of another name.
            PackageKind::Jar => self.file.to_owned(),
        }
    }

    /// Form of the file.
    #[must_use]
    pub fn form(&self) -> ArchiveForm {
        match self.kind {
            PackageKind::Crate | PackageKind::Npm => ArchiveForm::TarInGzip,
            PackageKind::Wheel | PackageKind::Jar => ArchiveForm::Zip,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_package() {
        let lines = include_str!("../../packages.tsv").lines().filter(|line| !line.starts_with('#')).count();
        let all = Package::all();
        assert_eq!(all.len(), lines);
        assert_eq!(all.iter().filter(|package| package.is_in_corpus).count(), 18);
        assert!(all.iter().any(|package| package.form() == ArchiveForm::Zip));
    }
}
