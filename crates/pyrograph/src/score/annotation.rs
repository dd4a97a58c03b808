//! Annotations of sources.
//!
//! | Suites | Positive | Negative | Line |
//! |---|---|---|---|
//! | Semgrep | `ruleid: X, Y`, `todoruleid: X` | `ok: X`, `todook: X` | the next line |
//! | CodeQL | `NOT OK`, `BAD` | `OK`, `GOOD` | its own line; alone on a line: the next line of code |
//! | CodeQL, inline expectations | `$ Alert`, `$ Alert[js/x]`, `$ MISSING: Alert` | `$ SPURIOUS: Alert` | its own line |
//! | corpus of this project | `sink: X NAME` | `ok: X` | its own line |
//!
//! `// source: NAME` names the line of a source. Comments begin with `//`, `#`, `/*`, `{/*` or `<!--`. `ok:` after code concerns
//! its own line, `ok:` alone on a line the next one. A file with inline expectations has no other positives: its remaining
//! `NOT OK` and `BAD` are prose.

use crate::knowledge::ThreatModel;
use crate::lines::LineIndex;

/// Annotations of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Lines with an expectation, in order.
    pub expectations: Vec<Annotation>,
    /// Names of sources with their lines, in order of lines.
    pub sources: Vec<(String, u32)>,
}

/// An expectation about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Line, from 1.
    pub line: u32,
    /// A finding is expected; otherwise one would be wrong.
    pub is_positive: bool,
    /// Rule that the annotation names. None: the rules of the folder.
    pub rule: Option<String>,
    /// Name of the expected source.
    pub source: Option<String>,
    /// A finding counts if any line of its sink is the line; otherwise only the first line of the sink counts.
    pub spans_lines: bool,
}

/// Markers of comments.
const MARKERS: [&str; 4] = ["//", "/*", "<!--", "#"];

/// Length of the longest line that is searched for annotations. Minified lines have none.
const MAX_LINE: usize = 10_000;

/// Keywords of Semgrep: keyword, positive. `deepruleid` and `proruleid` need the commercial engine there.
const SEMGREP: [(&str, bool); 8] = [
    ("ruleid", true),
    ("todoruleid", true),
    ("proruleid", true),
    ("deepruleid", true),
    ("todook", false),
    ("prook", false),
    ("deepok", false),
    ("ok", false),
];

/// Keywords of CodeQL: keyword, positive.
const CODEQL: [(&str, bool); 4] = [("NOT OK", true), ("BAD", true), ("OK", false), ("GOOD", false)];

/// Annotation in a comment, before its line is known.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    /// Semgrep: positive, rules.
    Semgrep(bool, Vec<String>),
    /// CodeQL: positive.
    Codeql(bool),
    /// Inline expectations: positive, rule.
    Inline(Vec<(bool, Option<String>)>),
    /// This project: rule, source.
    Sink(String, Option<String>),
    /// This project: name.
    Source(String),
}

/// A line with its annotations.
struct Line {
    number: u32,
    found: Vec<Found>,
    /// Something stands before the first comment.
    has_code: bool,
    is_blank: bool,
}

/// Reads the annotations of a text.
#[must_use]
pub fn read(text: &str) -> Annotations {
    let index = LineIndex::new(text);
    let lines: Vec<Line> = (1..=index.len()).map(|number| read_line(number, index.text(number))).collect();
    let mut annotations = Annotations::default();
    let inline = |line: &Line| line.found.iter().any(|found| matches!(found, Found::Inline(_)));
    let has_inline = lines.iter().any(inline);
    for (position, line) in lines.iter().enumerate() {
        for found in &line.found {
            add(&mut annotations, &lines, position, found, has_inline);
        }
    }
    annotations.expectations.sort_by(|a, b| (a.line, &a.rule, a.is_positive).cmp(&(b.line, &b.rule, b.is_positive)));
    annotations.expectations.dedup();
    annotations
}

/// Threat models that the first line selects: `// scan: sources=library`.
#[must_use]
pub fn threat_models(text: &str) -> Option<Vec<ThreatModel>> {
    let first = text.trim_start_matches('\u{feff}').lines().next()?.trim_start();
    let comment = MARKERS.iter().find_map(|marker| first.strip_prefix(marker))?;
    let name = comment.trim_start().strip_prefix("scan:")?.trim_start().strip_prefix("sources=")?;
    match name.split(|c: char| !c.is_alphanumeric()).next()? {
        "application" => Some(vec![ThreatModel::Application]),
        "library" => Some(vec![ThreatModel::Library]),
        "both" => Some(vec![ThreatModel::Application, ThreatModel::Library]),
        _ => None,
    }
}

fn read_line(number: usize, line: &str) -> Line {
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    let mut found = Vec::new();
    let mut first = None;
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|_| line.len() <= MAX_LINE) {
        let marker = MARKERS.iter().filter_map(|marker| Some((rest.find(marker)?, marker.len()))).min();
        let Some((offset, length)) = marker else { break };
        let start = at + offset;
        at = start + length;
        if !is_comment(line, start) {
            continue;
        }
        first = first.or(Some(start));
        if let Some(annotation) = line.get(at..).and_then(|comment| read_comment(until_marker(comment))) {
            found.push(annotation);
        }
    }
    let before = line.get(..first.unwrap_or(line.len())).unwrap_or(line).trim();
    let has_code = !before.trim_end_matches('{').trim().is_empty();
    Line { number, found, has_code, is_blank: line.trim().is_empty() }
}

/// Reports whether a marker begins a comment: `#` does after white space, `//` not in `http://`.
fn is_comment(line: &str, start: usize) -> bool {
    let (before, marker) = line.split_at(start);
    match before.chars().next_back() {
        None => true,
        Some(last) if marker.starts_with('#') => last.is_whitespace(),
        Some(last) => !(last == ':' && marker.starts_with("//")),
    }
}

/// Text of a comment, up to its end or the next comment on the line.
fn until_marker(comment: &str) -> &str {
    let ends = ["*/", "-->", "//"].iter().filter_map(|end| comment.find(end));
    let end = ends.min().unwrap_or(comment.len());
    comment.get(..end).unwrap_or(comment).trim()
}

fn read_comment(comment: &str) -> Option<Found> {
    if let Some(tags) = comment.strip_prefix('$') {
        return Some(Found::Inline(read_tags(tags))).filter(|found| *found != Found::Inline(Vec::new()));
    }
    for (keyword, is_positive) in CODEQL {
        let rest = comment.strip_prefix(keyword);
        if rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')) {
            return Some(Found::Codeql(is_positive));
        }
    }
    let (keyword, value) = comment.split_once(':')?;
    let (keyword, value) = (keyword.trim_end(), value.trim());
    let mut words = value.split_whitespace();
    match keyword {
        "sink" => Some(Found::Sink(words.next()?.to_owned(), words.next().map(str::to_owned))),
        "source" => Some(Found::Source(words.next()?.to_owned())),
        _ => {
            let (_, is_positive) = SEMGREP.into_iter().find(|(known, _)| *known == keyword)?;
            let rules = value.split(',').filter_map(|rule| rule.split_whitespace().next());
            let rules: Vec<String> = rules.map(str::to_owned).collect();
            (!rules.is_empty()).then_some(Found::Semgrep(is_positive, rules))
        }
    }
}

/// Alerts of inline expectations: `Alert`, `Alert[js/x]`, `MISSING: Alert`, `SPURIOUS: Alert`. Other tags say nothing about a
/// line; a comment with only such tags still marks the file as one with inline expectations.
fn read_tags(tags: &str) -> Vec<(bool, Option<String>)> {
    let mut alerts = Vec::new();
    let mut is_positive = true;
    let mut is_known = false;
    for tag in tags.split_whitespace() {
        match tag {
            "MISSING:" => is_positive = true,
            "SPURIOUS:" => is_positive = false,
            _ => {
                let end = tag.find(['[', '=']).unwrap_or(tag.len());
                let (name, rest) = tag.split_at(end);
                is_known |= matches!(name, "Alert" | "Source" | "Sink" | "RelatedLocation");
                if name == "Alert" {
                    let rule = rest.strip_prefix('[').and_then(|rest| rest.split(']').next());
                    alerts.push((is_positive, rule.map(str::to_owned)));
                }
            }
        }
    }
    // A source or sink alone: no alert, but the form of the file.
    if alerts.is_empty() && is_known { vec![(false, Some(String::new()))] } else { alerts }
}

fn add(annotations: &mut Annotations, lines: &[Line], position: usize, found: &Found, has_inline: bool) {
    let Some(line) = lines.get(position) else { return };
    let own = line.number;
    let mut push = |line, is_positive, rule: Option<&String>, source: Option<&String>, spans_lines| {
        let (rule, source) = (rule.cloned(), source.cloned());
        annotations.expectations.push(Annotation { line, is_positive, rule, source, spans_lines });
    };
    match found {
        Found::Semgrep(is_positive, rules) => {
            let is_trailing = line.has_code && !is_positive;
            let target = if is_trailing { own } else { line_after_annotations(lines, position) };
            for rule in rules {
                push(target, *is_positive, Some(rule), None, !is_trailing);
            }
        }
        Found::Codeql(is_positive) => {
            if has_inline && *is_positive {
                return;
            }
            let target = if line.has_code { Some(own) } else { next_code(lines, position) };
            if let Some(target) = target {
                push(target, *is_positive, None, None, false);
            }
        }
        Found::Inline(alerts) => {
            for (is_positive, rule) in alerts {
                if rule.as_deref() != Some("") {
                    push(own, *is_positive, rule.as_ref(), None, false);
                }
            }
        }
        Found::Sink(rule, source) => push(own, true, Some(rule), source.as_ref(), false),
        Found::Source(name) => annotations.sources.push((name.clone(), own)),
    }
}

/// First line after a comment that is not itself an annotation alone on its line.
fn line_after_annotations(lines: &[Line], position: usize) -> u32 {
    let after = lines.get(position + 1..).unwrap_or_default().iter();
    let is_target = |line: &&Line| line.has_code || line.found.is_empty();
    let next = after.clone().find(is_target).map(|line| line.number);
    next.unwrap_or_else(|| lines.get(position).map_or(0, |line| line.number.saturating_add(1)))
}

/// Next line of code. None if it has an annotation of its own, which prevails.
fn next_code(lines: &[Line], position: usize) -> Option<u32> {
    let mut after = lines.get(position + 1..)?.iter();
    let line = after.find(|line| line.has_code && !line.is_blank)?;
    let has_own = |found: &Found| matches!(found, Found::Codeql(_) | Found::Inline(_));
    (!line.found.iter().any(has_own)).then_some(line.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expectations as `line+rule` and `line-rule`.
    fn expectations(text: &str) -> Vec<String> {
        let form = |annotation: &Annotation| {
            let sign = if annotation.is_positive { '+' } else { '-' };
            format!("{}{sign}{}", annotation.line, annotation.rule.as_deref().unwrap_or("*"))
        };
        read(text).expectations.iter().map(form).collect()
    }

    #[test]
    fn semgrep_annotations_concern_the_next_line() {
        let text = "// ruleid: a, b\nf()\n// ok: a\n// todoruleid: c\ng()\n  # ok:d\nh()\n/* ruleid: e */\n<!-- todook: f -->\nx";
        assert_eq!(expectations(text), ["2+a", "2+b", "5-a", "5+c", "7-d", "10+e", "10-f"]);
        assert_eq!(expectations("<p>\n {/* ruleid: a */}\n <b/>"), ["3+a"]);
        assert_eq!(expectations("// ruleid: a"), ["2+a"]);
    }

    #[test]
    fn codeql_comments_concern_their_own_line() {
        assert_eq!(expectations("$('#OK'); f('http://OK.com');"), Vec::<String>::new());
        let text = "f('http://x'); // NOT OK - reason\ng(); // OK\n// BAD: prose\n\n// more\nh();\n// GOOD\ni(); // NOT OK\nj(); // OKAY";
        assert_eq!(expectations(text), ["1+*", "2-*", "6+*", "8+*"]);
    }

    #[test]
    fn inline_expectations_replace_other_positives() {
        let text = "// BAD: prose\nf(); // $ Alert\ng(); // $ Alert[js/x] Source=y\nh(); // $ SPURIOUS: Alert\ni(); // $ MISSING: Alert // NOT OK\nj(); // OK\nk(); // NOT OK\n";
        assert_eq!(expectations(text), ["2+*", "3+js/x", "4-*", "5+*", "6-*"]);
        assert_eq!(expectations("a = b; // $ Source\nf(a); // NOT OK"), Vec::<String>::new());
        assert_eq!(expectations("x = `$ {y}`; // $ 5\nf(); // BAD"), ["2+*"]);
    }

    #[test]
    fn annotations_of_this_project_trail() {
        let text = "const a = b; // source: argv\nf(a); // sink: command-injection argv // ok: xss\n";
        assert_eq!(expectations(text), ["2+command-injection", "2-xss"]);
        let annotations = read(text);
        assert_eq!(annotations.sources, [("argv".to_owned(), 1)]);
        assert_eq!(annotations.expectations[0].source.as_deref(), Some("argv"));
    }

    #[test]
    fn the_first_line_selects_the_threat_model() {
        assert_eq!(threat_models("// scan: sources=library\nf()"), Some(vec![ThreatModel::Library]));
        assert_eq!(threat_models("f() // scan: sources=library"), None);
        assert_eq!(threat_models(""), None);
    }
}
