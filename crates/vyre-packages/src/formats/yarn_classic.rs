//! Text format of Yarn 1: entries with indented fields.

use crate::error::PackageError;
use crate::graph::DependencyKind;

/// An entry: the requirements that it satisfies, and its fields.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// `name@range`, one for each range.
    pub(super) keys: Vec<String>,
    /// Line of the keys.
    pub(super) line: u64,
    pub(super) version: String,
    /// Names and ranges of the packages that it needs.
    pub(super) needs: Vec<(String, String, DependencyKind)>,
}

pub(super) fn parse(text: &str) -> Result<Vec<Entry>, PackageError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut list = None;
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let fail = |what: &str| PackageError::new(format!("line {number}: {what}"));
        let indent = line.len() - line.trim_start_matches(' ').len();
        if indent == 0 {
            let head = trimmed.strip_suffix(':').ok_or_else(|| fail("an entry of Yarn ends in a colon"))?;
            let words = words(head).ok_or_else(|| fail("a quotation mark is missing"))?;
            let keys: Vec<String> = words.into_iter().filter(|key| key != ",").collect();
            entries.push(Entry { keys, line: number, ..Entry::default() });
            list = None;
            continue;
        }
        let entry = entries.last_mut().ok_or_else(|| fail("a field of Yarn stands behind its entry"))?;
        if indent == 2 {
            list = match trimmed {
                "dependencies:" => Some(DependencyKind::Runtime),
                "optionalDependencies:" => Some(DependencyKind::Optional),
                _ => None,
            };
            let words = words(trimmed).ok_or_else(|| fail("a quotation mark is missing"))?;
            if let [name, value] = &words[..]
                && name == "version"
            {
                entry.version.clone_from(value);
            }
        } else if let Some(kind) = list {
            let [name, range] = <[String; 2]>::try_from(words(trimmed).unwrap_or_default())
                .map_err(|_| fail("a dependency of Yarn is a name and a range"))?;
            entry.needs.push((name, range, kind));
        }
    }
    if let Some(entry) = entries.iter().find(|entry| entry.version.is_empty()) {
        return Err(PackageError::new(format!("line {}: the entry has no version; is the file cut?", entry.line)));
    }
    Ok(entries)
}

/// Words of a line, with or without quotation marks. A comma is a word. None: a quotation mark has no second one.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let mut word = String::new();
            let mut letters = rest[1..].char_indices();
            let mut end = None;
            while let Some((at, letter)) = letters.next() {
                match letter {
                    '"' => {
                        end = Some(at + 2);
                        break;
                    }
                    '\\' => word.extend(letters.next().map(|(_, letter)| letter)),
                    letter => word.push(letter),
                }
            }
            words.push(word);
            rest = &rest[end?..];
        } else if first == ',' {
            words.push(",".to_owned());
            rest = &rest[1..];
        } else {
            let end = rest.find([' ', ',']).unwrap_or(rest.len());
            words.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_keys_and_needs() {
        let text = "# yarn lockfile v1\n\n\"@a/b@^1.0.0\", \"@a/b@>=1 <3\":\n  version \"1.2.0\"\n  dependencies:\n    c \"^2\"\n    \"@d/e\" \"*\"\n\nc@^2:\n  version \"2.0.0\"\n  optionalDependencies:\n    f \"1\"\n";
        let entries = parse(text).expect("entries");
        assert_eq!(entries[0].keys, ["@a/b@^1.0.0", "@a/b@>=1 <3"]);
        assert_eq!(entries[0].version, "1.2.0");
        let needs: Vec<(&str, &str)> = entries[0].needs.iter().map(|(name, range, _)| (&**name, &**range)).collect();
        assert_eq!(needs, [("c", "^2"), ("@d/e", "*")]);
        assert_eq!(entries[1].needs, [("f".to_owned(), "1".to_owned(), DependencyKind::Optional)]);
        assert!(parse("a@1\n").is_err() && parse("  version \"1\"\n").is_err());
        assert!(parse("\"a@1:\n").is_err());
        let cut = parse("a@1:\n  version \"1.0.0\"\n\nb@2:\n  resolved \"x\"\n").expect_err("a version is missing");
        assert!(cut.to_string().starts_with("line 4: "), "{cut}");
    }
}
