//! Patterns of `--include` and `--exclude`, and folders of dependencies.
//!
//! A pattern is a glob: `*` and `?` match within a name, `**` matches any number of folders, `[ab]` and `{a,b}` are
//! alternatives. A pattern matches a path, if it matches the last names of it (`*.test.js`, `test/data`), or those of a folder
//! around it (`test`, `src/vendor/`). A pattern that starts with `/` matches from the beginning of the scanned path. Archives
//! count as folders: `lib.zip/src/*.js`.

use std::sync::atomic::{AtomicBool, Ordering};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::InputError;
use crate::coverage::SkipReason;
use crate::scan::ScanOptions;

/// Names of folders of dependencies.
const DEPENDENCY_FOLDERS: &[&str] = &["node_modules", "site-packages", "bower_components", "jspm_packages"];
/// Names of folders of version control systems.
const VERSION_CONTROL_FOLDERS: &[&str] = &[".git", ".hg", ".svn"];

/// Selection of paths.
pub(crate) struct Filter {
    include: Option<Patterns>,
    exclude: Option<Patterns>,
    dependencies: bool,
}

/// Patterns of one option.
struct Patterns {
    /// Two globs for each pattern: the path itself, and paths below it.
    set: GlobSet,
    texts: Vec<String>,
    /// Which patterns matched a path.
    has_matched: Vec<AtomicBool>,
}

impl Patterns {
    /// True if a pattern matches the path.
    fn is_match(&self, path: &str) -> bool {
        let matches = self.set.matches(path);
        for &glob in &matches {
            if let Some(flag) = self.has_matched.get(glob / 2) {
                flag.store(true, Ordering::Relaxed);
            }
        }
        !matches.is_empty()
    }
}

impl Filter {
    /// Compiles the patterns of the options.
    pub(crate) fn new(options: &ScanOptions) -> Result<Filter, InputError> {
        Ok(Filter {
            include: compile(&options.include)?,
            exclude: compile(&options.exclude)?,
            dependencies: options.dependencies || options.with_dependencies,
        })
    }

    /// Reason to skip a path that is relative to the scanned one.
    pub(crate) fn skips(&self, path: &str) -> Option<SkipReason> {
        self.skips_manifest(path)
            .or_else(|| self.include.as_ref().filter(|set| !set.is_match(&plain(path))).map(|_| SkipReason::Excluded))
    }

    /// Warnings about patterns that matched no path.
    pub(crate) fn unmatched(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (option, patterns) in [("--include", &self.include), ("--exclude", &self.exclude)] {
            let Some(patterns) = patterns else { continue };
            for (text, flag) in patterns.texts.iter().zip(&patterns.has_matched) {
                if !flag.load(Ordering::Relaxed) {
                    warnings.push(format!("the pattern `{text}` of {option} matches no path"));
                }
            }
        }
        warnings
    }

    /// Reason to skip a manifest or an archive. Patterns of `--include` concern neither: manifests say how included files
    /// belong together, and archives have included files inside.
    pub(crate) fn skips_manifest(&self, path: &str) -> Option<SkipReason> {
        if let Some(include) = &self.include {
            include.is_match(&plain(path));
        }
        if self.exclude.as_ref().is_some_and(|set| set.is_match(&plain(path))) {
            return Some(SkipReason::Excluded);
        }
        let mut folders = path.split('/');
        folders.next_back();
        for folder in folders {
            if !self.dependencies && DEPENDENCY_FOLDERS.contains(&folder) {
                return Some(SkipReason::Dependency);
            }
            if VERSION_CONTROL_FOLDERS.contains(&folder) {
                return Some(SkipReason::NotCode);
            }
        }
        None
    }
}

/// True for the name of a folder whose files are not read.
pub(crate) fn is_skipped_folder(name: &str, reads_dependencies: bool) -> bool {
    VERSION_CONTROL_FOLDERS.contains(&name) || !reads_dependencies && DEPENDENCY_FOLDERS.contains(&name)
}

/// True for a path below a folder of dependencies.
pub(crate) fn is_dependency(path: &str) -> bool {
    let mut folders = path.split('/');
    folders.next_back();
    folders.any(|folder| DEPENDENCY_FOLDERS.contains(&folder))
}

/// Path with archives as folders.
fn plain(path: &str) -> String {
    path.replace("!/", "/")
}

/// Compiles patterns. None: there are none.
fn compile(patterns: &[String]) -> Result<Option<Patterns>, InputError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    let error = |pattern: &str, error: globset::Error| InputError::Pattern {
        pattern: pattern.to_owned(),
        message: error.kind().to_string(),
    };
    for pattern in patterns {
        let body = pattern.strip_prefix("./").unwrap_or(pattern);
        let (anchor, body) = match body.strip_prefix('/') {
            Some(body) => ("", body),
            None => ("**/", body),
        };
        let body = body.trim_end_matches('/');
        let body = if body.is_empty() { "**" } else { body };
        for glob in [format!("{anchor}{body}"), format!("{anchor}{body}/**")] {
            let glob = GlobBuilder::new(&glob).literal_separator(true).build();
            set.add(glob.map_err(|source| error(pattern, source))?);
        }
    }
    let set = set.build().map_err(|source| error(&patterns.join(" "), source))?;
    let has_matched = patterns.iter().map(|_| AtomicBool::new(false)).collect();
    Ok(Some(Patterns { set, texts: patterns.to_vec(), has_matched }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(include: &[&str], exclude: &[&str]) -> Filter {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let options = ScanOptions { include: own(include), exclude: own(exclude), ..ScanOptions::default() };
        Filter::new(&options).expect("patterns")
    }

    #[test]
    fn patterns_match_names_folders_and_whole_paths() {
        for (pattern, path, is_match) in [
            ("*.test.js", "a.test.js", true),
            ("*.test.js", "x/y/a.test.js", true),
            ("test", "test/a.js", true),
            ("test", "x/test/y/a.js", true),
            ("test/", "x/test/a.js", true),
            ("test", "x/tests/a.js", false),
            ("src/*.js", "src/a.js", true),
            ("src/*.js", "x/src/a.js", true),
            ("src/*.js", "src/x/a.js", false),
            ("/src", "src/a.js", true),
            ("/src", "x/src/a.js", false),
            ("src/**/a.js", "src/x/y/a.js", true),
            ("*.{js,ts}", "x/a.ts", true),
            ("lib.zip/src", "x/lib.zip!/src/a.js", true),
            ("*.tgz", "x/lib.tgz!/src/a.js", true),
            ("./src", "src/a.js", true),
            ("/", "src/a.js", true),
        ] {
            let excluded = filter(&[], &[pattern]).skips(path) == Some(SkipReason::Excluded);
            assert_eq!(excluded, is_match, "exclude {pattern} of {path}");
            let included = filter(&[pattern], &[]).skips(path).is_none();
            assert_eq!(included, is_match, "include {pattern} of {path}");
        }
    }

    #[test]
    fn dependencies_are_skipped_below_the_root() {
        let mut filter = filter(&[], &[]);
        assert_eq!(filter.skips("node_modules/a/index.js"), Some(SkipReason::Dependency));
        assert_eq!(filter.skips("x/site-packages/a.py"), Some(SkipReason::Dependency));
        assert_eq!(filter.skips("node_modules"), None, "a file of this name");
        assert_eq!(filter.skips(".git/hooks/x.js"), Some(SkipReason::NotCode));
        filter.dependencies = true;
        assert_eq!(filter.skips("node_modules/a/index.js"), None);
    }

    #[test]
    fn wrong_patterns_are_errors() {
        let options = ScanOptions { exclude: vec!["a[".to_owned()], ..ScanOptions::default() };
        assert!(matches!(Filter::new(&options), Err(InputError::Pattern { .. })));
    }
}
