//! Mapping of foreign rules and folders to rules of this scanner.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use crate::knowledge::Knowledge;

/// Mapping of foreign rules and folders.
///
/// JSON form: `{"rules": {"js/path-injection": ["path-traversal"]}, "folders": {"CWE-078": ["command-injection"]}}`. Keys of
/// `rules` are identifiers or patterns with `*` and `?`. Keys of `folders` are one or more names of folders, separated by `/`;
/// `CWE-78` and `CWE-078` are equal. An empty list says that nothing corresponds, so that the rule is not scored.
#[derive(Clone, Debug, Default)]
pub struct RuleMap {
    exact: BTreeMap<String, Vec<String>>,
    patterns: Vec<(GlobMatcher, Vec<String>)>,
    /// Names of folders with their rules.
    folders: Vec<(Vec<String>, Vec<String>)>,
}

/// Mistake in a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapError {
    /// The text is not JSON of this form.
    Json(String),
    /// A pattern is not valid.
    Pattern {
        /// The pattern.
        pattern: String,
        /// Description of the mistake.
        message: String,
    },
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapError::Json(message) => write!(f, "the map of rules is not valid: {message}"),
            MapError::Pattern { pattern, message } => write!(f, "the pattern {pattern:?} is not valid: {message}"),
        }
    }
}

impl std::error::Error for MapError {}

/// JSON form of a mapping.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapFields {
    #[serde(default)]
    rules: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    folders: BTreeMap<String, Vec<String>>,
}

impl RuleMap {
    /// Reads the JSON form.
    ///
    /// # Errors
    ///
    /// The text is not JSON of this form, or a pattern is not valid.
    pub fn from_json(text: &str) -> Result<RuleMap, MapError> {
        let fields: MapFields = serde_json::from_str(text).map_err(|error| MapError::Json(error.to_string()))?;
        let mut map = RuleMap::default();
        for (key, rules) in fields.rules {
            if key.contains(['*', '?', '[']) {
                let glob = GlobBuilder::new(&key).build();
                let glob = glob.map_err(|error| MapError::Pattern { pattern: key, message: error.to_string() })?;
                map.patterns.push((glob.compile_matcher(), rules));
            } else {
                map.exact.insert(key, rules);
            }
        }
        let names = |key: &str| key.split('/').filter(|name| !name.is_empty()).map(folder_name).collect();
        map.folders = fields.folders.iter().map(|(key, rules)| (names(key), rules.clone())).collect();
        Ok(map)
    }

    /// Identifiers of rules that the mapping names and this scanner does not have.
    #[must_use]
    pub fn unknown_rules(&self, knowledge: &Knowledge) -> Vec<&str> {
        let lists = self.exact.values().chain(self.patterns.iter().map(|(_, rules)| rules));
        let lists = lists.chain(self.folders.iter().map(|(_, rules)| rules));
        let mut unknown: Vec<&str> = lists.flatten().map(String::as_str).collect();
        unknown.retain(|id| knowledge.rules.iter().all(|rule| rule.id != *id));
        unknown.sort_unstable();
        unknown.dedup();
        unknown
    }

    /// Rules that correspond to a foreign one: by its identifier, by a pattern, by an equal identifier (or its last part, as
    /// in `a.b.command-injection`). None: nothing covers it.
    pub(super) fn rules(&self, foreign: &str, knowledge: &Knowledge) -> Option<Vec<String>> {
        if let Some(rules) = self.exact.get(foreign) {
            return Some(rules.clone());
        }
        if let Some((_, rules)) = self.patterns.iter().find(|(pattern, _)| pattern.is_match(foreign)) {
            return Some(rules.clone());
        }
        let last = foreign.rsplit(['.', '/']).next().unwrap_or(foreign);
        let ids = || knowledge.rules.iter().map(|rule| rule.id.as_str());
        let id = ids().find(|id| *id == foreign).or_else(|| ids().find(|id| *id == last))?;
        Some(vec![id.to_owned()])
    }

    /// Rules of the folder of a file: those of the longest key, the deepest folder first; otherwise those with the CWE entry
    /// that a folder names.
    pub(super) fn folder_rules(&self, path: &Path, knowledge: &Knowledge) -> Option<Vec<String>> {
        let names = folder_names(path);
        let end_of = |key: &[String]| {
            let starts = (0..=names.len().checked_sub(key.len())?).rev();
            starts.into_iter().find(|&start| names[start..].starts_with(key)).map(|start| start + key.len())
        };
        let matches = self.folders.iter().filter(|(key, _)| !key.is_empty());
        let matches = matches.filter_map(|(key, rules)| Some(((end_of(key)?, key.len()), rules)));
        if let Some((_, rules)) = matches.max_by_key(|(rank, _)| *rank) {
            return Some(rules.clone());
        }
        let cwe = folder_cwe(path)?;
        let rules = knowledge.rules.iter().filter(|rule| rule.cwe.contains(&cwe));
        let rules: Vec<String> = rules.map(|rule| rule.id.clone()).collect();
        (!rules.is_empty()).then_some(rules)
    }
}

/// Number of the CWE entry that the deepest folder with such a name has.
pub(super) fn folder_cwe(path: &Path) -> Option<u32> {
    folder_names(path).iter().rev().find_map(|name| cwe_number(name))
}

/// Names of the folders of a file, in order.
fn folder_names(path: &Path) -> Vec<String> {
    let parent = path.parent().unwrap_or(Path::new(""));
    parent.components().map(|part| folder_name(&part.as_os_str().to_string_lossy())).collect()
}

/// Name of a folder; the number of a CWE entry without leading zeros.
fn folder_name(name: &str) -> String {
    cwe_number(name).map_or_else(|| name.to_owned(), |number| format!("CWE-{number}"))
}

/// Number in `CWE-078`, `cwe_078` and `cwe78`.
fn cwe_number(name: &str) -> Option<u32> {
    let prefix = name.get(..3).filter(|prefix| prefix.eq_ignore_ascii_case("cwe"))?;
    let digits = name.get(prefix.len()..)?.trim_start_matches(['-', '_']);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::tests::knowledge;

    #[test]
    fn identifiers_patterns_and_equal_names_map() {
        let map =
            RuleMap::from_json(r#"{"rules": {"js/x": ["xss"], "js/cmd*": ["command-injection"], "js/none": []}}"#);
        let (map, knowledge) = (map.expect("it is valid"), knowledge());
        let rules = |id| map.rules(id, &knowledge);
        assert_eq!(rules("js/x"), Some(vec!["xss".to_owned()]));
        assert_eq!(rules("js/cmd-line"), Some(vec!["command-injection".to_owned()]));
        assert_eq!(rules("a.b.xss"), Some(vec!["xss".to_owned()]));
        assert_eq!(rules("js/none"), Some(Vec::new()));
        assert_eq!(rules("other"), None);
        assert!(map.unknown_rules(&knowledge).is_empty());
    }

    #[test]
    fn folders_map_by_name_and_by_cwe() {
        let map = RuleMap::from_json(r#"{"folders": {"CWE-79": ["command-injection"], "CWE-079/Stored": ["xss"]}}"#);
        let (map, knowledge) = (map.expect("it is valid"), knowledge());
        let rules = |path: &str| map.folder_rules(Path::new(path), &knowledge).unwrap_or_default();
        assert_eq!(rules("a/CWE-079/x/b.js"), ["command-injection"]);
        assert_eq!(rules("a/CWE-079/Stored/b.js"), ["xss"]);
        assert_eq!(rules("a/CWE-078/b.js"), ["command-injection"]);
        assert!(rules("a/b.js").is_empty());
    }

    #[test]
    fn mistakes_are_errors() {
        assert!(matches!(RuleMap::from_json("{\"rule\": {}}"), Err(MapError::Json(_))));
        assert!(matches!(RuleMap::from_json("{\"rules\": {\"[\": []}}"), Err(MapError::Pattern { .. })));
    }
}
