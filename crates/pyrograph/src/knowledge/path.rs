//! API paths of rules and models: alternatives in braces, and patterns.

use std::fmt;

use vyre_dataflow::rules::{Glob, GlobProblem};

/// Maximum number of paths that one text with braces stands for.
const MAX_PATHS: usize = 4096;

/// What a path of a rule or model matches.
#[derive(Clone, Debug)]
pub(crate) enum PathPattern {
    /// One path.
    Exact(String),
    /// A method or member of any value: `*.name`.
    Name(String),
    /// Paths that match a pattern.
    Glob(Glob),
}

/// Problem of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathProblem {
    Empty,
    Braces,
    TooMany,
    Character(char),
    /// The path names a file.
    Relative,
    Glob(GlobProblem),
}

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathProblem::Empty => write!(f, "the path is empty"),
            PathProblem::Braces => {
                write!(f, "braces of a path hold alternatives and do not nest, as in `fs.{{readFile,writeFile}}`")
            }
            PathProblem::TooMany => write!(f, "the path stands for more than {MAX_PATHS} paths"),
            PathProblem::Character(found) => {
                write!(f, "a path has no character `{}`; `fs.readFile:1:0` is one", found.escape_debug())
            }
            PathProblem::Relative => write!(
                f,
                "a path names a value of a package; functions of the scanned files have no names in rules, because the analysis follows their calls"
            ),
            PathProblem::Glob(problem) => problem.fmt(f),
        }
    }
}

/// All texts that a text with alternatives in braces stands for.
pub(crate) fn expand(text: &str) -> Result<Vec<String>, PathProblem> {
    let mut texts = vec![String::new()];
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, group) = rest.split_at(at);
        let Some(group) = group.strip_prefix('{') else { return Err(PathProblem::Braces) };
        let end = group.find(['{', '}']).ok_or(PathProblem::Braces)?;
        if !group[end..].starts_with('}') {
            return Err(PathProblem::Braces);
        }
        let alternatives: Vec<&str> = group[..end].split(',').map(str::trim).collect();
        if texts.len() * alternatives.len() > MAX_PATHS {
            return Err(PathProblem::TooMany);
        }
        let extended =
            texts.iter().flat_map(|text| alternatives.iter().map(move |each| format!("{text}{before}{each}")));
        texts = extended.collect();
        rest = &group[end + 1..];
    }
    texts.iter_mut().for_each(|text| text.push_str(rest));
    Ok(texts)
}

/// Patterns of a text with alternatives.
pub(crate) fn patterns(text: &str) -> Result<Vec<PathPattern>, PathProblem> {
    expand(text)?.into_iter().map(pattern).collect()
}

fn pattern(text: String) -> Result<PathPattern, PathProblem> {
    if text.is_empty() {
        return Err(PathProblem::Empty);
    }
    if let Some(found) = text.chars().find(|c| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '\\')) {
        return Err(PathProblem::Character(found));
    }
    if text.starts_with("./") || text.starts_with("../") || text.starts_with('/') {
        return Err(PathProblem::Relative);
    }
    let is_pattern = |text: &str| text.contains(['*', '?', '[']);
    match text.strip_prefix("*.") {
        Some(name) if !is_pattern(name) && !name.contains(['.', '(', ':']) => Ok(PathPattern::Name(name.to_owned())),
        _ if is_pattern(&text) => Glob::parse(&text).map(PathPattern::Glob).map_err(PathProblem::Glob),
        _ => Ok(PathPattern::Exact(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_alternatives() {
        assert_eq!(expand("a.{b,c}:{0,1}").expect("valid"), ["a.b:0", "a.b:1", "a.c:0", "a.c:1"]);
        assert_eq!(expand("fs{,.promises}.open").expect("valid"), ["fs.open", "fs.promises.open"]);
        for text in ["a{b", "a}b", "a{b{c}}"] {
            assert_eq!(expand(text), Err(PathProblem::Braces), "{text}");
        }
        assert_eq!(expand(&"{a,b}".repeat(13)), Err(PathProblem::TooMany));
    }

    #[test]
    fn patterns_are_told_apart() {
        let kind = |text: &str| match patterns(text).expect(text).remove(0) {
            PathPattern::Exact(_) => "exact",
            PathPattern::Name(_) => "name",
            PathPattern::Glob(_) => "glob",
        };
        assert_eq!(kind("socket.io().on:1:0"), "exact");
        assert_eq!(kind("*.query"), "name");
        assert_eq!(kind("*.fs.readFile"), "glob");
        assert_eq!(kind("lodash.*"), "glob");
        assert!(patterns("a b").is_err());
        assert!(patterns("").is_err());
        for text in ["./shell.run", "../a/shell.run", "/srv/shell.run"] {
            assert!(matches!(patterns(text), Err(PathProblem::Relative)), "{text}");
        }
    }
}
