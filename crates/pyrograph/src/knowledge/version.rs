//! Version ranges of modelled libraries.

/// A range of versions: alternatives separated by `||`, each of them bounds separated by blanks, such as `>=3 <6 || >=7`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionRange {
    text: String,
    alternatives: Vec<Vec<(Bound, Version)>>,
}

/// Version: major, minor, patch.
type Version = [u32; 3];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    AtLeast,
    Above,
    AtMost,
    Below,
    Equal,
}

impl VersionRange {
    /// Reads a range. None: a bound is not understood.
    #[must_use]
    pub fn parse(text: &str) -> Option<VersionRange> {
        let mut alternatives = Vec::new();
        for alternative in text.split("||") {
            let mut bounds = Vec::new();
            for bound in alternative.split_whitespace() {
                let digits = bound.find(|c: char| c.is_ascii_digit())?;
                let kind = match &bound[..digits] {
                    ">=" => Bound::AtLeast,
                    ">" => Bound::Above,
                    "<=" => Bound::AtMost,
                    "<" => Bound::Below,
                    "=" | "" => Bound::Equal,
                    _ => return None,
                };
                let is_version = bound[digits..].bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
                bounds.push((kind, first_version(&bound[digits..]).filter(|_| is_version)?));
            }
            alternatives.push(bounds);
        }
        Some(VersionRange { text: text.to_owned(), alternatives })
    }

    /// Range as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reports whether a version, or the lowest version of a dependency such as `^4.17.1`, lies in the range. None: the text
    /// has no version, as for tags and addresses.
    #[must_use]
    pub fn contains(&self, version: &str) -> Option<bool> {
        if version.contains([':', '/']) {
            return None;
        }
        let version = first_version(version)?;
        let holds = |&(bound, limit): &(Bound, Version)| match bound {
            Bound::AtLeast => version >= limit,
            Bound::Above => version > limit,
            Bound::AtMost => version <= limit,
            Bound::Below => version < limit,
            Bound::Equal => version == limit,
        };
        Some(self.alternatives.is_empty() || self.alternatives.iter().any(|bounds| bounds.iter().all(holds)))
    }
}

/// First version in a text.
fn first_version(text: &str) -> Option<Version> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let end = text[start..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(text.len(), |end| start + end);
    let mut version = [0; 3];
    for (part, digits) in version.iter_mut().zip(text[start..end].split('.')) {
        *part = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    }
    Some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_dependencies_lie_in_ranges() {
        let range = VersionRange::parse(">=3 <6 || =7.1").expect("valid");
        for (version, expected) in [
            ("4.17.1", Some(true)),
            ("^4", Some(true)),
            ("~2.9.9", Some(false)),
            ("6.0.0-beta.1", Some(false)),
            ("7.1.0", Some(true)),
            ("latest", None),
            ("git+https://example.com/a.git#1.2", None),
            ("99999999999.0", None),
        ] {
            assert_eq!(range.contains(version), expected, "{version}");
        }
        assert_eq!(VersionRange::default().contains("1.0"), Some(true));
        assert_eq!(VersionRange::parse("about 3"), None);
        assert_eq!(VersionRange::parse(">=3.x"), None);
    }
}
