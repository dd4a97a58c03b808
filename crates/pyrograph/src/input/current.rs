//! Place of the scanned path as seen from the current folder.

use std::path::{Path, PathBuf};

use super::display;
use crate::coverage::Coverage;

/// Folder that the paths of a report are relative to, as seen from the current folder, with `/` at its end.
///
/// It is empty for the current folder, for an archive, for several paths, whose names are part of the paths of the report, and for a
/// folder elsewhere.
#[must_use]
pub fn current_folder(paths: &[PathBuf], coverage: &Coverage) -> String {
    let mut names: Vec<String> = paths.iter().map(|path| display(path)).collect();
    names.dedup();
    let ([name], Some(path)) = (names.as_slice(), paths.first()) else { return String::new() };
    if path.is_dir() {
        return below_current(name);
    }
    if coverage.files.iter().any(|file| file.is_archived) {
        return String::new();
    }
    below_current(name.rsplit_once('/').map_or("", |(outer, _)| outer))
}

/// Folder with `/` at its end, if it is below the current folder; otherwise empty. `name` has `/` as separator.
fn below_current(name: &str) -> String {
    let name = match std::env::current_dir() {
        Ok(current) if name.starts_with('/') => match Path::new(name).strip_prefix(current) {
            Ok(inside) => display(inside),
            Err(_) => return String::new(),
        },
        _ => name.to_owned(),
    };
    // A colon follows the name of a drive.
    if name.is_empty() || name.starts_with('/') || name.split('/').any(|part| part == "..") || name.contains(':') {
        return String::new();
    }
    name + "/"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_below_the_current_one_have_names() {
        for (name, folder) in
            [("src", "src/"), ("src/a", "src/a/"), ("", ""), ("../x", ""), ("a/../../x", ""), ("/", "")]
        {
            assert_eq!(below_current(name), folder, "{name}");
        }
        let current = std::env::current_dir().expect("a folder");
        assert_eq!(below_current(&format!("{}/inner", current.display())), "inner/");
        let paths = [PathBuf::from("src"), PathBuf::from("tests")];
        assert_eq!(current_folder(&paths, &Coverage::default()), "");
        assert_eq!(current_folder(&paths[..1], &Coverage::default()), "src/");
        assert_eq!(current_folder(&[PathBuf::from("src/lib.rs")], &Coverage::default()), "src/");
    }
}
