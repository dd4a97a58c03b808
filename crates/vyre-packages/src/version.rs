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

/// True if [`compare`] orders a text among all others for which this is true.
pub(crate) fn is_comparable(ecosystem: &Ecosystem, text: &str) -> bool {
    match ecosystem {
        Ecosystem::Python => pep440_rs::Version::from_str(text).is_ok(),
        _ => semantic(text).is_some(),
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
/// Comparisons order versions by the rules of the ecosystem, so that `<2` contains `1.9.0-rc.1`. `^1.2` and `~1.2` are those of the ecosystem. A
/// version with fewer than three numbers stands for all that begin so: `4` and `<=4` contain 4.17.20, and `>4` does not. In Python, missing
/// numbers are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    alternatives: Vec<Vec<Condition>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Compare(Comparator, String),
    /// A condition that the library of an ecosystem understands.
    Own(String),
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

/// Signs of conditions that ecosystems define.
const OWN_SIGNS: [&str; 3] = ["~=", "^", "~"];

impl Range {
    /// Parses a range. An empty text and `*` are the range of all versions.
    pub(crate) fn parse(text: &str) -> Result<Range, PackageError> {
        let alternatives = text.split("||").map(alternative).collect::<Result<_, _>>()?;
        Ok(Range { alternatives })
    }

    /// Checks that the versions of all conditions are those of an ecosystem. Otherwise no version would be in the range.
    pub(crate) fn check(&self, ecosystem: &Ecosystem) -> Result<(), PackageError> {
        for condition in self.alternatives.iter().flatten() {
            let operand = match condition {
                Condition::Compare(_, operand) => operand,
                Condition::Own(text) => text.trim_start_matches(['^', '~', '=']),
            };
            if !is_version(ecosystem, operand) {
                return Err(PackageError::new(format!("`{operand}` is no version of {ecosystem}")));
            }
        }
        Ok(())
    }

    /// True if a version is in the range.
    pub(crate) fn contains(&self, ecosystem: &Ecosystem, version: &str) -> bool {
        self.alternatives.iter().any(|all| all.iter().all(|condition| condition.holds(ecosystem, version)))
    }
}

fn alternative(text: &str) -> Result<Vec<Condition>, PackageError> {
    if let Some((low, high)) = text.split_once(" - ") {
        let ends = [(Comparator::GreaterOrEqual, low), (Comparator::LessOrEqual, high)];
        return ends
            .into_iter()
            .map(|(comparator, end)| Ok(Condition::Compare(comparator, version(end.trim())?)))
            .collect();
    }
    let mut conditions = Vec::new();
    let mut words = text.split([',', ' ']).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let signs = COMPARATORS.iter().map(|(sign, _)| *sign).chain(OWN_SIGNS);
        let sign = signs.filter(|sign| word.starts_with(sign)).max_by_key(|sign| sign.len()).unwrap_or_default();
        // A blank may stand behind the sign.
        let operand = match &word[sign.len()..] {
            "" => words.next().unwrap_or_default(),
            operand => operand,
        };
        if sign.is_empty() && operand == "*" {
            continue;
        }
        let operand = version(operand)?;
        let comparator = COMPARATORS.iter().find(|(text, _)| *text == sign).map(|(_, comparator)| *comparator);
        conditions.push(match comparator {
            Some(comparator) => Condition::Compare(comparator, operand),
            None if sign.is_empty() => Condition::Compare(Comparator::Equal, operand),
            None => Condition::Own(format!("{sign}{operand}")),
        });
    }
    Ok(conditions)
}

/// Checks that a text begins as a version does.
fn version(text: &str) -> Result<String, PackageError> {
    let number = text.strip_prefix(['v', 'V']).unwrap_or(text);
    if number.starts_with(|first: char| first.is_ascii_digit()) {
        return Ok(text.to_owned());
    }
    Err(PackageError::new(match text {
        "" => "a version is missing behind a sign; a range is `>=1.2, <2`, for example".to_owned(),
        text => format!("`{text}` is no version; a range is `>=1.2, <2`, for example"),
    }))
}

impl Condition {
    fn holds(&self, ecosystem: &Ecosystem, version: &str) -> bool {
        match self {
            Condition::Compare(comparator, operand) => comparator.holds(ecosystem, version, operand),
            Condition::Own(text) => own(ecosystem, text, version).unwrap_or(false),
        }
    }
}

impl Comparator {
    /// Compares a version with an operand, which may leave out its last numbers or have `x` or `*` in their place.
    fn holds(self, ecosystem: &Ecosystem, version: &str, operand: &str) -> bool {
        let is_python = *ecosystem == Ecosystem::Python;
        let (known, is_pattern) = known_numbers(operand);
        if is_pattern || !is_python && known.len() < 3 && !operand.contains(['-', '+']) {
            return self.holds_for_beginning(ecosystem, version, &known);
        }
        // PEP 440: an operand without a local part means all local versions.
        let version = match (is_python, operand.contains('+')) {
            (true, false) => version.split('+').next().unwrap_or_default(),
            _ => version,
        };
        match compare(ecosystem, version, operand) {
            None => self == Comparator::NotEqual,
            Some(order) => match self {
                Comparator::Less => order.is_lt(),
                Comparator::LessOrEqual => order.is_le(),
                Comparator::Greater => order.is_gt(),
                Comparator::GreaterOrEqual => order.is_ge(),
                Comparator::Equal => order.is_eq(),
                Comparator::NotEqual => order.is_ne(),
            },
        }
    }

    /// Compares a version with all versions that begin with these numbers.
    fn holds_for_beginning(self, ecosystem: &Ecosystem, version: &str, numbers: &[u64]) -> bool {
        let Some(next) = after(numbers) else {
            return matches!(self, Comparator::Equal | Comparator::GreaterOrEqual | Comparator::LessOrEqual);
        };
        let first = joined(numbers);
        let is_before = compare(ecosystem, version, &first).map(Ordering::is_lt);
        // Versions before the release of the next beginning, such as `5.0.0-rc.1`, belong to it and not to this one.
        let release = version.split(['-', '+']).next().unwrap_or_default();
        let is_after = compare(ecosystem, release, &joined(&next)).map(Ordering::is_ge);
        let (Some(is_before), Some(is_after)) = (is_before, is_after) else { return self == Comparator::NotEqual };
        match self {
            Comparator::Less => is_before,
            Comparator::LessOrEqual => !is_after,
            Comparator::Greater => is_after,
            Comparator::GreaterOrEqual => !is_before,
            Comparator::Equal => !is_before && !is_after,
            Comparator::NotEqual => is_before || is_after,
        }
    }
}

/// True if a text is a version of an ecosystem, or the beginning of one with a wildcard.
fn is_version(ecosystem: &Ecosystem, text: &str) -> bool {
    let (numbers, has_wildcard) = known_numbers(text);
    match ecosystem {
        Ecosystem::Other(_) => true,
        Ecosystem::Python => has_wildcard || pep440_rs::Version::from_str(text).is_ok(),
        _ => has_wildcard && numbers.len() < 3 || semantic(text).is_some(),
    }
}

/// Numbers of a version up to the first `x` or `*`, and true if there is one.
fn known_numbers(operand: &str) -> (Vec<u64>, bool) {
    let numbers = operand.trim_start_matches(['v', 'V']).split(['-', '+']).next().unwrap_or_default();
    let mut known = Vec::new();
    for part in numbers.split('.') {
        match part.parse() {
            Ok(number) => known.push(number),
            Err(_) => return (known, matches!(part, "x" | "X" | "*")),
        }
    }
    (known, false)
}

/// The numbers after all versions that begin with some numbers. None: there are none.
fn after(numbers: &[u64]) -> Option<Vec<u64>> {
    let mut next = numbers.to_vec();
    let last = next.last_mut()?;
    *last = last.checked_add(1)?;
    Some(next)
}

fn joined(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<String>>().join(".")
}

/// True if a version satisfies a requirement in the syntax of its ecosystem. None: one of them is malformed.
fn own(ecosystem: &Ecosystem, text: &str, version: &str) -> Option<bool> {
    match ecosystem {
        Ecosystem::Npm => {
            let version = nodejs_semver::Version::parse(version).ok()?;
            Some(nodejs_semver::Range::parse(text).ok()?.satisfies(&version))
        }
        Ecosystem::Python if text.starts_with("~=") => {
            let version = pep440_rs::Version::from_str(version).ok()?;
            Some(pep440_rs::VersionSpecifiers::from_str(text).ok()?.contains(&version))
        }
        Ecosystem::Python => of_poetry(text, version),
        _ => Some(semver::VersionReq::parse(text).ok()?.matches(&semantic(version)?)),
    }
}

/// `^1.2` of Poetry: up to the next change of the first number that is not 0. `~1.2.3`: up to the next change of the second number.
fn of_poetry(text: &str, version: &str) -> Option<bool> {
    let low = text.trim_start_matches(['^', '~']);
    let (numbers, _) = known_numbers(low);
    let last = numbers.len().checked_sub(1)?;
    let kept = match text.starts_with('^') {
        true => numbers.iter().position(|&number| number != 0).unwrap_or(last),
        false => last.min(1),
    };
    let high = joined(&after(&numbers[..=kept])?);
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
            (Npm, "4", &["4.0.0", "4.17.20"], &["5.0.0", "3.9.9"]),
            (Npm, "<=4", &["4.17.20", "0.1.0"], &["5.0.0"]),
            (Npm, ">1", &["2.0.0"], &["1.0.3", "1.9.9"]),
            (Npm, ">=1.2.x <5.x", &["1.2.0", "4.9.9"], &["1.1.9", "5.0.0"]),
            (Npm, "3 - 4", &["3.0.0", "4.17.20"], &["5.0.0", "2.9.9"]),
            (Npm, "^ 4.17.0", &["4.17.20"], &["5.0.0"]),
            (Npm, "= 4.17.*", &["4.17.20"], &["4.18.0"]),
            (Python, "== 1.*", &["1.0", "1.9"], &["2.0"]),
            (Python, "==1.0", &["1.0", "1.0+cu118"], &["1.0.post1", "1.1"]),
            (Python, "!=1.0", &["1.1"], &["1.0+cu118"]),
            (Python, "~1.2", &["1.2.3"], &["1.3.0", "1.1"]),
            (Cargo, "~1.2", &["1.2.9"], &["1.3.0"]),
            (Cargo, ">= 1.2, != 1.3.0", &["1.2.0", "1.4.0"], &["1.3.0", "1.1.0"]),
            (Go, "<v1.2.0", &["v1.1.9", "v1.2.0-pre"], &["v1.2.0", "v1.10.0"]),
            (Python, "<2.0", &["1.26.18", "2.0rc1"], &["2.0", "2.0.post1"]),
            (Python, "~=1.4", &["1.4", "1.9"], &["2.0", "1.3"]),
            (Python, "^0.2.3", &["0.2.3", "0.2.9"], &["0.3.0", "0.2.2"]),
            (Python, "==1.*", &["1.0", "1.9"], &["2.0"]),
        ] {
            let parsed = Range::parse(range).expect(range);
            assert_eq!(parsed.check(&ecosystem), Ok(()), "{ecosystem} {range}");
            for version in inside {
                assert!(parsed.contains(&ecosystem, version), "{ecosystem} {range}: {version}");
            }
            for version in outside {
                assert!(!parsed.contains(&ecosystem, version), "{ecosystem} {range}: {version}");
            }
        }
        for (ecosystem, range) in [(Npm, "1.2.3.4"), (Npm, ">=1 || <1.2.3.4"), (Cargo, "^1.2.3.4"), (Go, "1.2.3.x.4")] {
            assert!(Range::parse(range).expect(range).check(&ecosystem).is_err(), "{ecosystem} {range}");
        }
        assert_eq!(own(&Python, "^18446744073709551615", "1.2.3"), None);
        for text in ["<", ">= ", "<<1", "!1", "(1)", "<abc", "latest", "^", "1.2 || <abc"] {
            assert!(Range::parse(text).is_err(), "{text}");
        }
    }
}
