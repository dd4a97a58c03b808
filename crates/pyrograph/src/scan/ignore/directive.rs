//! Text of an ignore comment: `vyre-ignore RULE, RULE: reason`.

/// Word that begins an ignore comment.
pub(super) const MARK: &[u8] = b"vyre-ignore";

/// Content of an ignore comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Directive {
    /// Identifiers of rules, in order.
    pub(super) rules: Vec<String>,
    /// Reason. None: there is none.
    pub(super) reason: Option<String>,
}

/// Content of a comment with its delimiters. None: it is no ignore comment.
pub(super) fn parse(comment: &str) -> Option<Directive> {
    let text = comment.strip_suffix("*/").unwrap_or(comment);
    let text = text.trim_start_matches(['/', '*', '#', '!']).trim();
    let rest = text.strip_prefix(std::str::from_utf8(MARK).ok()?)?;
    // Other words may begin with the mark.
    if rest.starts_with(|next: char| next != ':' && !next.is_whitespace()) {
        return None;
    }
    let (rules, reason) = rest.split_once(':').unwrap_or((rest, ""));
    let rules = rules.split(|c: char| c == ',' || c.is_whitespace()).filter(|id| !id.is_empty());
    // Lines of a block comment may begin with a star.
    let words = reason.split_whitespace().filter(|word| *word != "*");
    let reason = words.collect::<Vec<_>>().join(" ");
    Some(Directive { rules: rules.map(str::to_owned).collect(), reason: (!reason.is_empty()).then_some(reason) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_rules_and_a_reason() {
        let full = |rules: &[&str], reason: &str| {
            Some(Directive {
                rules: rules.iter().map(|&rule| rule.to_owned()).collect(),
                reason: (!reason.is_empty()).then(|| reason.to_owned()),
            })
        };
        assert_eq!(parse("// vyre-ignore ssrf: hosts: are fixed"), full(&["ssrf"], "hosts: are fixed"));
        assert_eq!(parse("#vyre-ignore ssrf, xss:  a\tb "), full(&["ssrf", "xss"], "a b"));
        assert_eq!(parse("/** vyre-ignore xss:\n * it is\n * escaped\n */"), full(&["xss"], "it is escaped"));
        assert_eq!(parse("// vyre-ignore xss"), full(&["xss"], ""));
        assert_eq!(parse("// vyre-ignore xss: "), full(&["xss"], ""));
        assert_eq!(parse("// vyre-ignore: no rule"), full(&[], "no rule"));
        assert_eq!(parse("// vyre-ignored: x"), None);
        assert_eq!(parse("// see vyre-ignore xss: x"), None);
    }
}
