//! Fingerprints of findings, which survive moved lines and changed indentation.

use xxhash_rust::xxh3::Xxh3Default;

/// Name of the fingerprints in SARIF, with a version for changes of their form.
pub const FINGERPRINT_NAME: &str = "sourceAndSink/v2";

/// Name of the tool in SARIF.
pub const TOOL_NAME: &str = "pyrograph";

/// Computes the fingerprint of a finding: 32 hexadecimal digits.
///
/// It depends on the rule, on the path of the file of the sink, on the texts of source and sink without insignificant white space, and
/// on the names of the functions around the sink, from the outside in. It does not depend on positions.
#[must_use]
pub fn fingerprint(rule: &str, path: &str, source_text: &str, sink_text: &str, functions: &[&str]) -> String {
    let mut hasher = Xxh3Default::new();
    let mut part = |text: &str| {
        // The length keeps neighbouring parts apart.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(rule);
    part(path);
    part(&normalise(source_text));
    part(&normalise(sink_text));
    for function in functions {
        part(function);
    }
    format!("{:032x}", hasher.digest128())
}

/// Fingerprint of a further finding that has the fingerprint of another one: equal code in the same function of the same file. `number`
/// counts from 1, in the order of the file.
#[must_use]
pub fn repeated_fingerprint(first: &str, number: usize) -> String {
    fingerprint(first, &number.to_string(), "", "", &[])
}

/// Removes white space, except for one blank between two words.
fn normalise(text: &str) -> String {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    let mut output = String::with_capacity(text.len());
    let mut has_blank = false;
    for character in text.chars() {
        if character.is_whitespace() {
            has_blank = true;
            continue;
        }
        if has_blank && is_word(character) && output.chars().next_back().is_some_and(is_word) {
            output.push(' ');
        }
        has_blank = false;
        output.push(character);
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_matter() {
        let print = |sink: &str| fingerprint("command-injection", "a.js", "req.query.a", sink, &["run", "inner"]);
        assert_eq!(print("exec( cmd,\n\t\tasync () => 1)"), print("exec(cmd, async()=>1)"));
        assert_ne!(print("new Foo"), print("newFoo"));
        assert_ne!(print("exec(a)"), print("exec(b)"));
        assert_eq!(print("x").len(), 32);
        assert_eq!(normalise("  a  b + c\u{a0}d  "), "a b+c d");
    }

    #[test]
    fn parts_are_kept_apart() {
        let all = [
            fingerprint("r", "", "ab", "c", &[]),
            fingerprint("r", "", "a", "bc", &[]),
            fingerprint("r", "", "a", "b", &["c"]),
            fingerprint("ra", "", "", "bc", &[]),
            fingerprint("r", "a", "", "bc", &[]),
            fingerprint("r", "", "a", "b", &["c", ""]),
            repeated_fingerprint("r", 1),
            repeated_fingerprint("r", 2),
        ];
        for (index, print) in all.iter().enumerate() {
            assert!(!all[index + 1..].contains(print), "{index}");
        }
    }

    #[test]
    fn values_are_stable() {
        // Stored results compare fingerprints of different versions, so these must never change.
        assert_eq!(fingerprint("a", "p", "b", "c", &["d"]), fingerprint("a", "p", " b ", "c\n", &["d"]));
        assert_eq!(fingerprint("", "", "", "", &[]), "9a026d96b3c0f0fca057271c9071c99d");
    }
}
