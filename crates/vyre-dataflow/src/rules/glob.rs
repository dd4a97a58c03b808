//! Glob patterns, matched with one retry position for the last `*` (linear in pattern and name for each retry, no recursion).

use std::fmt;

/// Maximum number of characters of a pattern, which bounds the time of a match.
pub(crate) const MAX_PATTERN_CHARS: usize = 4096;

/// A glob pattern, which matches whole names.
///
/// `*` matches any run of characters, `?` one character, `[a-z_]` one character of a set and `[!a-z_]` one character outside
/// it. `\` escapes `*`, `?`, `[`, `]`, `\`, and in sets `!`, `^` and `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    tokens: Vec<Token>,
    /// Literal prefix of all matches.
    prefix: String,
    /// Literal suffix of all matches.
    suffix: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Character(char),
    AnyCharacter,
    AnyRun,
    Set { ranges: Vec<(char, char)>, is_negated: bool },
}

impl Token {
    /// Character that the token matches, if it matches only one.
    fn literal(&self) -> Option<char> {
        if let Token::Character(character) = self { Some(*character) } else { None }
    }

    /// Reports whether the token matches a character.
    fn matches_char(&self, found: char) -> bool {
        match self {
            Token::Character(character) => *character == found,
            Token::AnyCharacter => true,
            Token::AnyRun => false,
            Token::Set { ranges, is_negated } => {
                ranges.iter().any(|&(first, last)| first <= found && found <= last) != *is_negated
            }
        }
    }
}

/// Problem of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GlobProblem {
    /// The pattern is empty.
    Empty,
    /// The pattern is too long.
    TooLong {
        /// Maximum number of characters.
        limit: usize,
    },
    /// `[` without the `]` that ends the set.
    OpenSet,
    /// A set without characters.
    EmptySet,
    /// A range of a set whose first character comes after its last.
    ReversedRange {
        /// The first character.
        first: char,
        /// The last character.
        last: char,
    },
    /// `\` before a character that needs no escape.
    Escape {
        /// The character.
        found: char,
    },
    /// `\` at the end.
    LastEscape,
}

impl fmt::Display for GlobProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GlobProblem::Empty => write!(f, "the pattern is empty; `*` matches every name"),
            GlobProblem::TooLong { limit } => write!(f, "the pattern is longer than {limit} characters"),
            GlobProblem::OpenSet => {
                write!(f, "`[` begins a set that no `]` ends; the character itself is written `\\[`")
            }
            GlobProblem::EmptySet => {
                write!(f, "`[]` is a set without characters; the characters themselves are written `\\[\\]`")
            }
            GlobProblem::ReversedRange { first, last } => {
                write!(f, "the range `{}-{}` of a set goes backwards", first.escape_debug(), last.escape_debug())
            }
            GlobProblem::Escape { found } => write!(
                f,
                "`\\{}` is not known: `\\` stands before `*`, `?`, `[`, `]` and `\\`, and in sets before `!`, `^` and `-`",
                found.escape_debug()
            ),
            GlobProblem::LastEscape => write!(f, "`\\` at the end escapes nothing; the character itself is `\\\\`"),
        }
    }
}

impl Glob {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// The problem of the pattern.
    pub fn parse(pattern: &str) -> Result<Glob, GlobProblem> {
        if pattern.is_empty() {
            return Err(GlobProblem::Empty);
        }
        if pattern.chars().nth(MAX_PATTERN_CHARS).is_some() {
            return Err(GlobProblem::TooLong { limit: MAX_PATTERN_CHARS });
        }
        let mut tokens = Vec::new();
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            tokens.push(match character {
                '*' if tokens.last() == Some(&Token::AnyRun) => continue,
                '*' => Token::AnyRun,
                '?' => Token::AnyCharacter,
                '[' => set(&mut characters)?,
                '\\' => Token::Character(escaped(&mut characters, "*?[]\\")?),
                _ => Token::Character(character),
            });
        }
        let prefix = tokens.iter().map_while(Token::literal).collect();
        let suffix: Vec<char> = tokens.iter().rev().map_while(Token::literal).collect();
        Ok(Glob { tokens, prefix, suffix: suffix.into_iter().rev().collect() })
    }

    /// Text with which every match begins.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Texts that every match contains, in their order.
    pub(crate) fn required_texts(&self) -> impl Iterator<Item = String> {
        let runs = self.tokens.split(|token| token.literal().is_none());
        runs.filter(|run| !run.is_empty()).map(|run| run.iter().filter_map(Token::literal).collect())
    }

    /// Reports whether the whole name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        // This fast path rejects most names.
        if !name.starts_with(&*self.prefix) || !name.ends_with(&*self.suffix) {
            return false;
        }
        let mut rest = name;
        let mut at = 0;
        // Retry position after a mismatch: the run of the last `*` takes one character more.
        let mut retry: Option<(usize, &str)> = None;
        loop {
            let next = rest.chars().next();
            match (self.tokens.get(at), next) {
                (None, None) => return true,
                (Some(Token::AnyRun), _) => {
                    at += 1;
                    retry = Some((at, rest));
                    continue;
                }
                (Some(token), Some(character)) if token.matches_char(character) => {
                    at += 1;
                    rest = &rest[character.len_utf8()..];
                    continue;
                }
                // A longer run cannot help at the end of the name.
                (Some(_), None) => return false,
                (_, Some(_)) => {}
            }
            let Some((after, skipped)) = retry else { return false };
            let mut longer = skipped.chars();
            if longer.next().is_none() {
                return false;
            }
            at = after;
            rest = longer.as_str();
            retry = Some((after, rest));
        }
    }
}

/// Reads the character after a `\`.
fn escaped(rest: &mut std::str::Chars<'_>, known: &str) -> Result<char, GlobProblem> {
    match rest.next() {
        Some(found) if known.contains(found) => Ok(found),
        Some(found) => Err(GlobProblem::Escape { found }),
        None => Err(GlobProblem::LastEscape),
    }
}

/// Reads a set after its `[`.
fn set(rest: &mut std::str::Chars<'_>) -> Result<Token, GlobProblem> {
    const KNOWN: &str = "*?[]\\!^-";
    let is_negated = rest.as_str().starts_with(['!', '^']);
    if is_negated {
        rest.next();
    }
    let mut ranges = Vec::new();
    loop {
        let first = match rest.next().ok_or(GlobProblem::OpenSet)? {
            ']' if ranges.is_empty() => return Err(GlobProblem::EmptySet),
            ']' => return Ok(Token::Set { ranges, is_negated }),
            '\\' => escaped(rest, KNOWN)?,
            character => character,
        };
        let mut ahead = rest.clone();
        // A `-` before the end of the set is literal.
        let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), None | Some(']'));
        if !is_range {
            ranges.push((first, first));
            continue;
        }
        rest.next();
        let last = match rest.next().ok_or(GlobProblem::OpenSet)? {
            '\\' => escaped(rest, KNOWN)?,
            character => character,
        };
        if first > last {
            return Err(GlobProblem::ReversedRange { first, last });
        }
        ranges.push((first, last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        Glob::parse(pattern).expect(pattern).matches(name)
    }

    #[test]
    fn whole_names_match() {
        for (pattern, name, expected) in [
            ("read", "read", true),
            ("read", "read_line", false),
            ("read", "pread", false),
            ("read*", "read", true),
            ("read*", "read/line\nmore", true),
            ("*.getParameter", "javax.Request.getParameter", true),
            ("*.getParameter", "getParameter", false),
            ("*.getParameter", "a.getParameterMap", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("*ab", "aab", true),
            ("*aab", "aaaab", true),
            ("a**b", "ab", true),
            ("?", "é", true),
            ("?", "", false),
            ("??", "é", false),
            ("*", "", true),
            ("[a-cx]1", "b1", true),
            ("[a-cx]1", "x1", true),
            ("[a-cx]1", "d1", false),
            ("[!a-c]", "d", true),
            ("[!a-c]", "b", false),
            ("[^a-c]", "b", false),
            ("[a-]", "-", true),
            ("[-a]", "-", true),
            (r"[\]\-\!]", "]", true),
            (r"[a\-z]", "m", false),
            ("[*]", "*", true),
            ("[*]", "a", false),
            (r"operator\*", "operator*", true),
            (r"operator\*", "operator", false),
            (r"\\\?\[\]", r"\?[]", true),
            ("a]", "a]", true),
            ("{closure}", "{closure}", true),
            ("*ä*", "Käse", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn invalid_patterns_are_rejected() {
        for (pattern, expected) in [
            ("", GlobProblem::Empty),
            ("a[", GlobProblem::OpenSet),
            ("a[b-", GlobProblem::OpenSet),
            ("a[!", GlobProblem::OpenSet),
            ("String[]", GlobProblem::EmptySet),
            ("[!]", GlobProblem::EmptySet),
            ("[z-a]", GlobProblem::ReversedRange { first: 'z', last: 'a' }),
            (r"\d+", GlobProblem::Escape { found: 'd' }),
            (r"a\-b", GlobProblem::Escape { found: '-' }),
            (r"[\a]", GlobProblem::Escape { found: 'a' }),
            (r"a\", GlobProblem::LastEscape),
            (r"[a\", GlobProblem::LastEscape),
        ] {
            assert_eq!(Glob::parse(pattern), Err(expected), "{pattern}");
        }
        assert!(Glob::parse(&"é".repeat(MAX_PATTERN_CHARS)).is_ok());
        let long = Glob::parse(&"a".repeat(MAX_PATTERN_CHARS + 1));
        assert_eq!(long, Err(GlobProblem::TooLong { limit: MAX_PATTERN_CHARS }));
    }

    /// Reference implementation of matching, by recursion.
    fn matches_tokens(tokens: &[Token], name: &[char]) -> bool {
        match (tokens.split_first(), name.split_first()) {
            (None, None) => true,
            (Some((Token::AnyRun, rest)), _) => (0..=name.len()).any(|taken| matches_tokens(rest, &name[taken..])),
            (Some((token, rest)), Some((&first, name))) => token.matches_char(first) && matches_tokens(rest, name),
            _ => false,
        }
    }

    #[test]
    fn all_short_patterns_match_as_the_reference() {
        let word = |letters: &[&str], length: u32, number: usize| -> String {
            (0..length).map(|at| letters[number / letters.len().pow(at) % letters.len()]).collect()
        };
        let names: Vec<String> =
            (0..6).flat_map(|length| (0..1 << length).map(move |number| word(&["a", "b"], length, number))).collect();
        for (length, number) in (1..6).flat_map(|length| (0..5_usize.pow(length)).map(move |number| (length, number))) {
            let pattern = word(&["a", "b", "*", "?", "[!a]"], length, number);
            let glob = Glob::parse(&pattern).expect(&pattern);
            for name in &names {
                let characters: Vec<char> = name.chars().collect();
                assert_eq!(glob.matches(name), matches_tokens(&glob.tokens, &characters), "{pattern} {name}");
            }
        }
    }

    #[test]
    fn required_texts() {
        for (pattern, expected) in [
            ("flask.request.*", &["flask.request."][..]),
            ("*.get?arameter", &[".get", "arameter"]),
            ("*[ab]", &[]),
            (r"a\*b*c", &["a*b", "c"]),
        ] {
            assert!(Glob::parse(pattern).expect(pattern).required_texts().eq(expected.iter().copied()), "{pattern}");
        }
    }
}
