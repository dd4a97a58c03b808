//! Maps of subpaths: `exports` and `imports` of `package.json`.

use std::collections::BTreeMap;

use super::json::Json;

/// Maximum number of patterns that a map keeps.
const MAX_PATTERNS: usize = 1000;

/// Maximum number of targets that a subpath keeps.
const MAX_TARGETS: usize = 64;

/// Conditions of targets that are used only if there is no other.
const SECONDARY: &[&str] =
    &["browser", "worker", "workerd", "edge-light", "react-native", "deno", "bun", "electron", "electron-renderer"];

/// Conditions of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// For every importing file.
    Any,
    /// For files that import.
    Import,
    /// For files that require.
    Require,
    /// For other platforms.
    Secondary,
}

/// Map of subpaths to targets.
///
/// An analysis does not know which conditions hold, so a subpath has the targets of all conditions, in order of preference.
/// Declarations (`types`) are no targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExportMap {
    exact: BTreeMap<String, Vec<Target>>,
    patterns: Vec<Pattern>,
}

/// A target of a subpath.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) condition: Condition,
    pub(crate) path: String,
}

/// A subpath with `*`, or with `/` at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// Part of the subpath before `*`.
    pub(crate) prefix: String,
    /// Part of the subpath after `*`.
    pub(crate) suffix: String,
    /// Targets with `*`. Empty: the subpath is forbidden.
    pub(crate) targets: Vec<Target>,
}

impl ExportMap {
    /// Reads `exports` or `imports`. Values of wrong types are ignored.
    pub(crate) fn new(value: &Json) -> ExportMap {
        let mut map = ExportMap::default();
        let is_subpath = |key: &str| key.starts_with('.') || key.starts_with('#');
        if !value.entries().iter().any(|(key, _)| is_subpath(key)) {
            map.exact.insert(".".to_owned(), targets(value));
            return map;
        }
        for (key, value) in value.entries().iter().filter(|(key, _)| is_subpath(key)) {
            let mut targets = targets(value);
            let (prefix, suffix) = match key.split_once('*') {
                Some((prefix, suffix)) => (prefix, suffix),
                None if key.ends_with('/') => {
                    for target in &mut targets {
                        target.path.push('*');
                    }
                    (key.as_str(), "")
                }
                None => {
                    map.exact.insert(key.clone(), targets);
                    continue;
                }
            };
            if map.patterns.len() < MAX_PATTERNS {
                map.patterns.push(Pattern { prefix: prefix.to_owned(), suffix: suffix.to_owned(), targets });
            }
        }
        // The longest prefix wins.
        map.patterns.sort_by(|left, right| {
            let key = |pattern: &Pattern| (pattern.prefix.len(), pattern.suffix.len());
            key(right).cmp(&key(left))
        });
        map
    }

    /// Targets of a subpath, such as `.` or `./lib/a.js`, with those of the preferred condition first. None: the map does not
    /// have the subpath. Empty: it is forbidden.
    pub(crate) fn resolve(&self, subpath: &str, preferred: Condition) -> Option<Vec<String>> {
        let (targets, matched) = match self.exact.get(subpath) {
            Some(targets) => (targets, ""),
            None => self.patterns.iter().find_map(|pattern| Some((&pattern.targets, pattern.matched(subpath)?)))?,
        };
        let mut targets: Vec<&Target> = targets.iter().collect();
        targets.sort_by_key(|target| match target.condition {
            Condition::Secondary => 2,
            condition => u8::from(condition != Condition::Any && condition != preferred),
        });
        let path = |target: &Target| {
            if matched.is_empty() { target.path.clone() } else { target.path.replace('*', matched) }
        };
        Some(targets.into_iter().map(path).collect())
    }

    /// True if a subpath with `*` is forbidden.
    pub(crate) fn has_forbidden(&self) -> bool {
        self.patterns.iter().any(|pattern| pattern.targets.is_empty())
    }

    /// Targets of all subpaths without `*`.
    pub(crate) fn exact_targets(&self) -> impl Iterator<Item = &str> {
        self.exact.values().flatten().map(|target| target.path.as_str())
    }

    /// Subpaths with `*`.
    pub(crate) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }
}

impl Pattern {
    /// Text that `*` stands for in a subpath.
    fn matched<'s>(&self, subpath: &'s str) -> Option<&'s str> {
        let matched = subpath.strip_prefix(&self.prefix)?.strip_suffix(&self.suffix)?;
        Some(matched).filter(|matched| !matched.is_empty())
    }
}

/// Targets of a value under all conditions, in order of the text.
fn targets(value: &Json) -> Vec<Target> {
    let mut targets = Vec::new();
    collect(value, Condition::Any, &mut targets);
    targets
}

/// Collects targets. The depth is that of the JSON text, which is limited.
fn collect(value: &Json, condition: Condition, targets: &mut Vec<Target>) {
    match value {
        Json::String(path) => {
            let target = Target { condition, path: path.clone() };
            if targets.len() < MAX_TARGETS && !targets.contains(&target) {
                targets.push(target);
            }
        }
        Json::Array(elements) => elements.iter().for_each(|element| collect(element, condition, targets)),
        Json::Object(entries) => {
            for (key, value) in entries {
                let inner = match key.as_str() {
                    key if key == "types" || key.starts_with("types@") => continue,
                    key if SECONDARY.contains(&key) => Condition::Secondary,
                    "import" | "module" | "module-sync" if condition == Condition::Any => Condition::Import,
                    "require" if condition == Condition::Any => Condition::Require,
                    _ => condition,
                };
                collect(value, inner, targets);
            }
        }
        Json::Null | Json::False | Json::Other => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(map: &str, subpath: &str) -> Option<Vec<String>> {
        ExportMap::new(&Json::parse(map).expect("JSON")).resolve(subpath, Condition::Import)
    }

    #[test]
    fn conditions_and_patterns_have_targets() {
        assert_eq!(resolve("\"./a.js\"", "."), Some(vec!["./a.js".to_owned()]));
        let conditions =
            r#"{"types": "./a.d.ts", "browser": "./b.js", "import": {"node": "./m.mjs"}, "default": "./a.js"}"#;
        let expected: Vec<String> = ["./m.mjs", "./a.js", "./b.js"].map(str::to_owned).to_vec();
        assert_eq!(resolve(conditions, "."), Some(expected));
        let dual = ExportMap::new(
            &Json::parse(r#"{"import": "./m.mjs", "require": "./c.cjs", "default": "./d.js"}"#).expect("JSON"),
        );
        let first = |condition| dual.resolve(".", condition).map(|targets| targets[0].clone());
        assert_eq!(first(Condition::Import).as_deref(), Some("./m.mjs"));
        assert_eq!(first(Condition::Require).as_deref(), Some("./c.cjs"));
        let map = r#"{".": "./i.js", "./f/*": "./src/*.js", "./f/x/*": null, "./f/*.css": "./c/*.css", "./old/": "./lib/", "./n": 3}"#;
        assert_eq!(resolve(map, "./f/a/b"), Some(vec!["./src/a/b.js".to_owned()]));
        assert_eq!(resolve(map, "./f/x/b"), Some(Vec::new()));
        assert_eq!(resolve(map, "./f/q.css"), Some(vec!["./c/q.css".to_owned()]));
        assert_eq!(resolve(map, "./old/z.js"), Some(vec!["./lib/z.js".to_owned()]));
        assert_eq!(resolve(map, "./other"), None);
        assert_eq!(resolve(map, "./n"), Some(Vec::new()));
        assert_eq!(resolve(r##"{"#a": "./a.js"}"##, "#a"), Some(vec!["./a.js".to_owned()]));
        assert_eq!(resolve("[3, [\"./a.js\"]]", "."), Some(vec!["./a.js".to_owned()]));
    }
}
