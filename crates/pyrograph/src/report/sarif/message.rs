//! Levels and texts of messages.

use std::borrow::Cow;

use crate::knowledge::Severity;

/// Level of a severity in SARIF.
#[must_use]
pub fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Note => "note",
    }
}

/// Escapes a message of SARIF, where `[text](target)` is a link and `{0}` a placeholder.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['{', '}']) && !text.contains("](") {
        return Cow::Borrowed(text);
    }
    let doubled = text.replace('{', "{{").replace('}', "}}");
    if !text.contains("](") {
        return Cow::Owned(doubled);
    }
    Cow::Owned(doubled.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_escaped() {
        assert_eq!(escaped("a[0] is plain"), "a[0] is plain");
        assert_eq!(escaped("`${x}` reaches f"), "`${{x}}` reaches f");
        assert_eq!(escaped("a](b"), "a\\](b");
    }
}
