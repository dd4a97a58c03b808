//! Packages that are scanned, as `benches/fetch-packages` stores them.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tar::Archive;

use crate::error::Error;

/// Package of `benches/scan/packages.tsv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanPackage {
    /// Name of the package.
    pub name: &'static str,
    /// Version of the package.
    pub version: &'static str,
    /// File name.
    pub file: &'static str,
}

impl ScanPackage {
    /// All packages, in the order of the table.
    #[must_use]
    pub fn all() -> Vec<ScanPackage> {
        const TABLE: &str = include_str!("../../scan/packages.tsv");
        TABLE.lines().filter_map(ScanPackage::parse).collect()
    }

    fn parse(line: &'static str) -> Option<ScanPackage> {
        let fields: Vec<&str> = line.split('\t').collect();
        let ["npm", name, version, file, _checksum, _detail] = fields[..] else { return None };
        Some(ScanPackage { name, version, file })
    }

    /// Unpacks the file of the cache below a folder, unless that was done before, and returns the folder of the package.
    ///
    /// # Errors
    ///
    /// The file is missing or damaged, or the folder cannot be written.
    pub fn unpack(&self, folder: &Path) -> Result<PathBuf, Error> {
        let target = folder.join(self.file.trim_end_matches(".tgz"));
        if target.is_dir() {
            return Ok(target);
        }
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let cache = env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from);
        let path = cache.join("vyre/packages").join(self.file);
        let Ok(file) = File::open(&path) else { return Err(Error::MissingPackage { file: self.file.to_owned() }) };
        // A name of its own until the package is complete.
        let part = target.with_extension("part");
        if part.exists() {
            fs::remove_dir_all(&part).map_err(Error::of_file(&part))?;
        }
        fs::create_dir_all(&part).map_err(Error::of_file(&part))?;
        Archive::new(GzDecoder::new(file)).unpack(&part).map_err(Error::of_file(&path))?;
        fs::rename(&part, &target).map_err(Error::of_file(&target))?;
        Ok(target)
    }

    /// Name in reports.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_package() {
        let lines = include_str!("../../scan/packages.tsv").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(ScanPackage::all().len(), lines);
    }
}
