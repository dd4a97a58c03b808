//! Selection of entries by the globs of `--include` and `--exclude`.
//!
//! `*` and `?` match within a name, `**` matches any number of directories, `[ab]` and `{a,b}` are alternatives. A glob matches
//! an entry if it matches the last names of its path, or those of a directory around it. A glob that starts with `/` matches from
//! the top of the outermost archive. Nested archives count as directories.

use anyhow::Context as _;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use vyre::engine::decompress::EntryPath;

use crate::output::visible;

/// Selection of entries.
#[derive(Default)]
pub(crate) struct Selection {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl Selection {
    /// Compiles the globs.
    pub(crate) fn new(include: &[String], exclude: &[String]) -> anyhow::Result<Selection> {
        Ok(Selection { include: compile(include)?, exclude: compile(exclude)? })
    }

    /// True if an entry is selected.
    pub(crate) fn contains(&self, path: &EntryPath) -> bool {
        if self.include.is_none() && self.exclude.is_none() {
            return true;
        }
        let path = plain(path);
        self.include.as_ref().is_none_or(|globs| globs.is_match(&path))
            && !self.exclude.as_ref().is_some_and(|globs| globs.is_match(&path))
    }
}

/// The path with archives as directories, without `.` and empty names.
fn plain(path: &EntryPath) -> String {
    let names = path.names.iter().map(|name| String::from_utf8_lossy(name));
    let names = names.collect::<Vec<_>>().join("/").replace('\\', "/");
    let parts: Vec<&str> = names.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts.join("/")
}

/// Compiles globs; none if there are none.
fn compile(globs: &[String]) -> anyhow::Result<Option<GlobSet>> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for text in globs {
        let body = text.strip_prefix("./").unwrap_or(text);
        let (anchor, body) = body.strip_prefix('/').map_or(("**/", body), |body| ("", body));
        let body = body.trim_end_matches('/');
        let body = if body.is_empty() { "**" } else { body };
        // The entry itself, and entries below it.
        for glob in [format!("{anchor}{body}"), format!("{anchor}{body}/**")] {
            let glob = GlobBuilder::new(&glob).literal_separator(true).build();
            set.add(glob.with_context(|| format!("`{}` is no glob", visible(text)))?);
        }
    }
    Ok(Some(set.build().context("the globs are too large")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_selected(include: &[&str], exclude: &[&str], names: &[&str]) -> bool {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let selection = Selection::new(&own(include), &own(exclude)).expect("globs");
        selection.contains(&EntryPath { names: names.iter().map(|name| name.as_bytes().to_vec()).collect() })
    }

    #[test]
    fn globs_match_names_directories_and_nested_archives() {
        for (glob, names, expected) in [
            ("*.js", &["a/b.js"][..], true),
            ("*.js", &["a/b.json"], false),
            ("a", &["./a/b/c"], true),
            ("/b", &["a/b"], false),
            ("/a/*", &["a/b/c"], true),
            ("a/*.js", &["a/b/c.js"], false),
            ("inner.jar", &["lib/inner.jar", "x/y"], true),
            ("inner.jar/x/*", &["lib/inner.jar", "x/y"], true),
            ("{a,b}.txt", &["b.txt"], true),
        ] {
            assert_eq!(is_selected(&[glob], &[], names), expected, "{glob}");
            assert_eq!(is_selected(&[], &[glob], names), !expected, "{glob}");
        }
        assert!(is_selected(&[], &[], &["a"]));
        assert!(!is_selected(&["*.js"], &["test"], &["test/a.js"]));
        assert!(Selection::new(&["[".to_owned()], &[]).is_err());
    }
}
