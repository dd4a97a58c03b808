//! Path maps of TypeScript: `paths` and `baseUrl` of `tsconfig.json` and `jsconfig.json`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::json::Json;
use super::package::join;

/// Number of configurations that one may extend in a chain.
const MAX_EXTENDS: usize = 16;
/// Maximum number of targets of an entry.
const MAX_TARGETS: usize = 16;
/// Maximum number of entries of `paths` that are kept.
const MAX_PATHS: usize = 1000;

/// Maximum number of entries of all maps together.
const MAX_ENTRIES: usize = 100_000;

/// Path map of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathMap {
    /// Folder of specifiers without dots.
    base: Option<String>,
    /// Prefix and suffix around `*` (none: exact), and targets as paths of the input.
    paths: Vec<(String, Option<String>, Vec<String>)>,
}

impl PathMap {
    /// Paths of the input that a specifier may stand for, in order of preference.
    pub(crate) fn candidates(&self, specifier: &str) -> Vec<String> {
        let mut best: Option<(usize, Vec<String>)> = None;
        for (prefix, suffix, targets) in &self.paths {
            let matched = match suffix {
                None if specifier == prefix => Some(""),
                None => None,
                Some(suffix) => {
                    specifier.strip_prefix(prefix.as_str()).and_then(|rest| rest.strip_suffix(suffix.as_str()))
                }
            };
            let rank = if suffix.is_none() { usize::MAX } else { prefix.len() };
            if let Some(matched) = matched
                && best.as_ref().is_none_or(|(length, _)| rank > *length)
            {
                best = Some((rank, targets.iter().map(|target| target.replacen('*', matched, 1)).collect()));
            }
        }
        let mut candidates = best.map(|(_, targets)| targets).unwrap_or_default();
        candidates.extend(self.base.as_ref().and_then(|base| join(base, specifier)));
        candidates
    }
}

/// Path maps by folder. Configurations without a map are left out.
pub(crate) fn path_maps(configs: &BTreeMap<String, Arc<str>>) -> BTreeMap<String, PathMap> {
    let mut parsed = BTreeMap::new();
    for (path, text) in configs {
        if let Ok(json) = Json::parse_with_comments(text) {
            parsed.insert(path.as_str(), json);
        }
    }
    let mut maps = BTreeMap::new();
    let mut entries = 0;
    for path in parsed.keys() {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        // A `tsconfig.json` comes after a `jsconfig.json`, and replaces it.
        if matches!(name, "tsconfig.json" | "jsconfig.json") {
            let map = path_map(path, &parsed);
            entries += map.paths.len();
            if map != PathMap::default() && entries <= MAX_ENTRIES {
                maps.insert(directory.to_owned(), map);
            }
        }
    }
    maps
}

/// Path map of a configuration and those that it extends. The nearest value of each option counts.
fn path_map(path: &str, parsed: &BTreeMap<&str, Json>) -> PathMap {
    let mut map = PathMap::default();
    let mut has_paths = false;
    let mut next = Some(path.to_owned());
    for _ in 0..MAX_EXTENDS {
        let Some(path) = next.take() else { break };
        let Some(json) = parsed.get(path.as_str()) else { break };
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let options = json.get("compilerOptions");
        let base = options.and_then(|options| options.text("baseUrl")).and_then(|base| join(directory, base));
        if let Some(paths) = options.and_then(|options| options.get("paths"))
            && !has_paths
        {
            has_paths = true;
            let base = base.as_deref().or(map.base.as_deref()).unwrap_or(directory);
            for (key, value) in paths.entries().iter().take(MAX_PATHS) {
                let targets = value
                    .elements()
                    .iter()
                    .take(MAX_TARGETS)
                    .filter_map(|target| join(base, target.as_str()?))
                    .collect();
                let (prefix, suffix) = match key.split_once('*') {
                    Some((prefix, suffix)) => (prefix, Some(suffix.to_owned())),
                    None => (key.as_str(), None),
                };
                map.paths.push((prefix.to_owned(), suffix, targets));
            }
        }
        map.base = map.base.or(base);
        let extends = json.get("extends");
        let extended = extends.and_then(|value| value.as_str().or_else(|| value.elements().last()?.as_str()));
        next = extended.filter(|target| target.starts_with('.')).and_then(|target| {
            let target = join(directory, target)?;
            let with_extension = format!("{target}.json");
            [target, with_extension].into_iter().find(|target| parsed.contains_key(target.as_str()))
        });
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_their_configuration() {
        let configs = BTreeMap::from([
            (
                "tsconfig.base.json".to_owned(),
                Arc::from(
                    r#"{"compilerOptions": {"paths": {"@lib/*": ["libs/*/src"],
                "exact": ["x.ts"], "@lib/special/*": ["s/*"],}}} // end"#,
                ),
            ),
            (
                "app/tsconfig.json".to_owned(),
                Arc::from(r#"{"extends": "../tsconfig.base", "compilerOptions": {"baseUrl": "src"}}"#),
            ),
            ("loop/tsconfig.json".to_owned(), Arc::from(r#"{"extends": "./tsconfig.json"}"#)),
            ("bad/tsconfig.json".to_owned(), Arc::from("{")),
        ]);
        let maps = path_maps(&configs);
        assert_eq!(maps.len(), 1);
        let map = &maps["app"];
        assert_eq!(map.base.as_deref(), Some("app/src"));
        assert_eq!(map.candidates("exact").len(), 2);
        assert_eq!(map.candidates("@lib/special/a")[0].rsplit('/').next(), Some("a"));
        assert_eq!(map.candidates("other"), ["app/src/other"]);
    }
}
