//! Order of versions, and ranges of them.

use std::cmp::Ordering;
use std::str::FromStr as _;

use crate::ecosystem::Ecosystem;
use crate::error::PackageError;

/// Order of two versions. None: they are equal as texts or not at all, since one of them is no version of the ecosystem.
pub(crate) fn compare(ecosystem: &Ecosystem, one: &str, other: &str) -> Option<Ordering> {
    if one == other {
        return Some(Ordering::Equal);
    }
    match ecosystem {
        Ecosystem::Python => {
            let [one, other] = [one, other].map(pep440_rs::Version::from_str);
            Some(one.ok()?.cmp(&other.ok()?))
        }
        _ => {
            let [one, other] = [one, other].map(semantic);
            // Build metadata do not order versions.
            Some(one?.cmp_precedence(&other?))
        }
    }
}

/// A semantic version, with `v` before it or without, and with zeros for missing parts.
fn semantic(text: &str) -> Option<semver::Version> {
    let text = text.trim().trim_start_matches(['v', 'V', '=']);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let mut parts: Vec<&str> = numbers.split('.').collect();
    if parts.len() < 3 {
        parts.resize(3, "0");
    }
    semver::Version::parse(&format!("{}{rest}", parts.join("."))).ok()
}

/// A range of versions: alternatives separated by `||`, each with comparisons that all hold, such as `>=1.2, <2`.
///
/// Comparisons order versions by the rules of the ecosystem, so that `<2` contains `1.9.0-rc.1`. `^1.2`, `~1.2` and `1.x` are those of the ecosystem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    alternatives: Vec<Vec<Condition>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Compare(Comparator, String),
    /// A condition that the library of an ecosystem understands.
    Own(String),
    /// Both ends are inside: `1.2 - 2.3`.
    Between(String, String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

/// Comparators by their texts. A text stands before its beginnings.
const COMPARATORS: [(&str, Comparator); 7] = [
    ("<=", Comparator::LessOrEqual),
    (">=", Comparator::GreaterOrEqual),
    ("==", Comparator::Equal),
    ("!=", Comparator::NotEqual),
    ("<", Comparator::Less),
    (">", Comparator::Greater),
    ("=", Comparator::Equal),
];

impl Range {
    /// Parses a range. An empty text and `*` are the range of all versions.
    pub(crate) fn parse(text: &str) -> Result<Range, PackageError> {
        let alternatives = text.split("||").map(alternative).collect::<Result<_, _>>()?;
        Ok(Range { alternatives })
    }

    /// True if a version is in the range.
    pub(crate) fn contains(&self, ecosystem: &Ecosystem, version: &str) -> bool {
        self.alternatives.iter().any(|all| all.iter().all(|condition| condition.holds(ecosystem, version)))
    }
}

fn alternative(text: &str) -> Result<Vec<Condition>, PackageError> {
    if let Some((low, high)) = text.split_once(" - ") {
        return Ok(vec![Condition::Between(low.trim().to_owned(), high.trim().to_owned())]);
    }
    let mut conditions = Vec::new();
    let mut words = text.split([',', ' ']).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let comparator = COMPARATORS.iter().find(|(sign, _)| word.starts_with(sign) && !word.starts_with("==="));
        conditions.push(match comparator {
            _ if word == "*" => continue,
            Some((sign, comparator)) => {
                // A blank may stand behind the sign.
                let version = match &word[sign.len()..] {
                    "" => words.next().unwrap_or_default(),
                    version => version,
                };
                if !version.starts_with(|first: char| first.is_ascii_alphanumeric()) {
                    return Err(PackageError::new(format!("`{}` has no version behind `{sign}`", text.trim())));
                }
                if version.contains('*') {
                    Condition::Own(word.to_owned())
                } else {
                    Condition::Compare(*comparator, version.to_owned())
                }
            }
            None if word.starts_with(['^', '~']) || is_pattern(word) => Condition::Own(word.to_owned()),
            None if word.starts_with(|first: char| first.is_ascii_alphanumeric()) => {
                Condition::Compare(Comparator::Equal, word.to_owned())
            }
            None => return Err(PackageError::new(format!("`{word}` is no version range, such as `>=1.2, <2`"))),
        });
    }
    Ok(conditions)
}

/// True for `1.x` and `1.*`.
fn is_pattern(word: &str) -> bool {
    word.split('.').any(|part| matches!(part, "x" | "X" | "*"))
}

impl Condition {
    fn holds(&self, ecosystem: &Ecosystem, version: &str) -> bool {
        match self {
            Condition::Compare(comparator, other) => match compare(ecosystem, version, other) {
                None => *comparator == Comparator::NotEqual,
                Some(order) => match comparator {
                    Comparator::Less => order.is_lt(),
                    Comparator::LessOrEqual => order.is_le(),
                    Comparator::Greater => order.is_gt(),
                    Comparator::GreaterOrEqual => order.is_ge(),
                    Comparator::Equal => order.is_eq(),
                    Comparator::NotEqual => order.is_ne(),
                },
            },
            Condition::Between(low, high) => {
                let is_from = compare(ecosystem, version, low).is_some_and(Ordering::is_ge);
                is_from && compare(ecosystem, version, high).is_some_and(Ordering::is_le)
            }
            Condition::Own(text) => own(ecosystem, text, version).unwrap_or(false),
        }
    }
}

/// True if a version satisfies a requirement in the syntax of its ecosystem. None: one of them is malformed.
fn own(ecosystem: &Ecosystem, text: &str, version: &str) -> Option<bool> {
    match ecosystem {
        Ecosystem::Npm => {
            let version = nodejs_semver::Version::parse(version).ok()?;
            Some(nodejs_semver::Range::parse(text).ok()?.satisfies(&version))
        }
        Ecosystem::Python if !text.starts_with('^') => {
            let version = pep440_rs::Version::from_str(version).ok()?;
            // `1.*` is a pattern of equality.
            let text = if text.starts_with(['~', '=', '!', '<', '>']) { text.to_owned() } else { format!("=={text}") };
            Some(pep440_rs::VersionSpecifiers::from_str(&text).ok()?.contains(&version))
        }
        Ecosystem::Python => python_caret(text, version),
        _ => Some(semver::VersionReq::parse(text).ok()?.matches(&semantic(version)?)),
    }
}

/// `^1.2` of Poetry: up to the next change of the first number that is not 0.
fn python_caret(text: &str, version: &str) -> Option<bool> {
    let low = text.trim_start_matches('^');
    let mut parts: Vec<u64> = low.split('.').map_while(|part| part.parse().ok()).collect();
    let first = parts.iter().position(|&part| part != 0).unwrap_or(parts.len().checked_sub(1)?);
    parts.truncate(first + 1);
    *parts.last_mut()? += 1;
    let high = parts.iter().map(u64::to_string).collect::<Vec<String>>().join(".");
    let is_from = compare(&Ecosystem::Python, version, low)?.is_ge();
    Some(is_from && compare(&Ecosystem::Python, version, &high)?.is_lt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_contain_versions() {
        use Ecosystem::{Cargo, Go, Npm, Python};
        for (ecosystem, range, inside, outside) in [
            (Npm, "<4.17.21", &["4.17.20", "0.1.0", "4.17.21-rc.1"][..], &["4.17.21", "5.0.0"][..]),
            (Npm, ">=1.2 <2 || 3.x", &["1.2.0", "1.9.9", "3.4.0", "2.0.0-rc.1"], &["2.0.0", "4.0.0", "1.1.9"]),
            (Npm, "^1.2.3", &["1.2.3", "1.9.0"], &["2.0.0", "1.2.2"]),
            (Npm, "1.2.0 - 1.3.0", &["1.2.0", "1.3.0"], &["1.3.1"]),
            (Npm, "1.2.3", &["1.2.3", "1.2.3+build"], &["1.2.4"]),
            (Npm, "*", &["1.2.3", "not a version"], &[]),
            (Cargo, "~1.2", &["1.2.9"], &["1.3.0"]),
            (Cargo, ">= 1.2, != 1.3.0", &["1.2.0", "1.4.0"], &["1.3.0", "1.1.0"]),
            (Go, "<v1.2.0", &["v1.1.9", "v1.2.0-pre"], &["v1.2.0", "v1.10.0"]),
            (Python, "<2.0", &["1.26.18", "2.0rc1"], &["2.0", "2.0.post1"]),
            (Python, "~=1.4", &["1.4", "1.9"], &["2.0", "1.3"]),
            (Python, "^0.2.3", &["0.2.3", "0.2.9"], &["0.3.0", "0.2.2"]),
            (Python, "==1.*", &["1.0", "1.9"], &["2.0"]),
        ] {
            let parsed = Range::parse(range).expect(range);
            for version in inside {
                assert!(parsed.contains(&ecosystem, version), "{ecosystem} {range}: {version}");
            }
            for version in outside {
                assert!(!parsed.contains(&ecosystem, version), "{ecosystem} {range}: {version}");
            }
        }
        for text in ["<", ">= ", "<<1", "!1", "(1)"] {
            assert!(Range::parse(text).is_err(), "{text}");
        }
    }
}
