//! Guards: tests of a value that make it harmless for some rules on one branch.

use super::RuleMask;
use super::regex_shape::{CharSet, RegexShape};

/// A test as a guard sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestFacts<'f> {
    /// The value is a true value.
    Truthy,
    /// Equality with a constant. The text is that of a text constant.
    EqualsConstant {
        /// Text of the constant. None: another constant.
        text: Option<&'f str>,
    },
    /// Equality with another value.
    EqualsValue,
    /// Comparison by order.
    Ordered,
    /// `typeof value == "..."`.
    TypeIs(&'f str),
    /// `value instanceof C`.
    InstanceOf,
    /// Membership in a collection of constants.
    MemberOfConstants,
    /// Membership in another collection: `set.has(value)`, `key in object`.
    MemberOf,
    /// Key of an object itself: `object.hasOwnProperty(key)`.
    OwnKey,
    /// Match of a regular expression.
    Matches {
        /// Pattern.
        pattern: &'f str,
        /// Flags.
        flags: &'f str,
    },
    /// Method of the value, such as `value.startsWith(prefix)`.
    Method {
        /// Name of the method.
        name: &'f str,
        /// Texts of the arguments that are constant.
        constants: &'f [Option<&'f str>],
    },
}

/// Tests that `[[guard]]` names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum GuardTest {
    /// Equality with a constant, or membership in constants.
    #[default]
    Constant,
    /// Equality with another value.
    Value,
    /// Membership in another collection.
    Member,
    /// Key of an object itself.
    OwnKey,
    /// Truth.
    Truthy,
    /// Type by name.
    Type(Vec<String>),
    /// Inequality with one of these texts.
    Differs(Vec<String>),
    /// Absence of one of these texts.
    Lacks(Vec<String>),
    /// Absence of every character of one of these sets.
    Characters(Vec<CharSet>),
    /// The value starts with a text of one of these forms.
    Starts(Vec<PrefixForm>),
    /// The absolute path of the value starts with a text of one of these forms.
    Inside(Vec<PrefixForm>),
    /// The value stands behind a constant text of one of these forms.
    Prefix(Vec<PrefixForm>),
    /// Method by name, with one of these texts as the first argument. No texts: any argument.
    Method(Vec<String>, Vec<String>),
    /// The value stands behind one of these quotes, and a replacement treats all of these in it.
    Quoted(Vec<String>),
    /// The value becomes a part of a text, in a program that uses none of these names.
    Part(Vec<String>),
    /// The program stores the value to a field with one of these names.
    Field(Vec<String>),
}

/// Forms of texts at the beginning of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PrefixForm {
    /// Scheme, host and the end of the host: `https://example.com/`.
    Url,
    /// Path of the same host: `/users`.
    Path,
    /// Something before `?` or `#`.
    Query,
    /// Relative path of a file: `./`.
    Relative,
    /// A constant folder.
    Folder,
    /// A value that is no constant.
    Any,
}

impl PrefixForm {
    /// Names in rules files.
    pub(crate) const ALL: [(&'static str, PrefixForm); 6] = [
        ("url", PrefixForm::Url),
        ("path", PrefixForm::Path),
        ("query", PrefixForm::Query),
        ("relative", PrefixForm::Relative),
        ("folder", PrefixForm::Folder),
        ("any", PrefixForm::Any),
    ];

    /// Reports whether a constant text has the form.
    fn fits(self, text: &str) -> bool {
        match self {
            PrefixForm::Url => has_host(text),
            PrefixForm::Path => {
                text.strip_prefix('/').is_some_and(|rest| rest.starts_with(|c| !matches!(c, '/' | '\\')))
            }
            PrefixForm::Query => text.contains(['?', '#']),
            PrefixForm::Relative => text.starts_with("./") || text.starts_with("../"),
            PrefixForm::Folder => text.len() > 1 && text.contains(|c: char| c.is_alphanumeric()),
            PrefixForm::Any => false,
        }
    }
}

/// Reports whether a text has a scheme, a host and a character that ends the host.
fn has_host(text: &str) -> bool {
    let Some(slashes) = text.find("//") else { return false };
    let is_scheme = |scheme: &str| {
        scheme.is_empty()
            || scheme.strip_suffix(':').is_some_and(|name| {
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'))
            })
    };
    let after = &text[slashes + 2..];
    is_scheme(&text[..slashes]) && after.find(['/', '?', '#']).is_some_and(|end| end > 0)
}

/// A guard of a rules file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guard {
    pub(crate) test: GuardTest,
    pub(crate) holds: bool,
    pub(crate) rules: RuleMask,
    /// Properties that the test shows, as bits.
    pub(crate) proves: u32,
    /// Properties that other tests of the value must show, as bits.
    pub(crate) needs: u32,
    /// Calls whose result the value must be. Empty: any value.
    pub(crate) of: Vec<String>,
    /// Calls whose result the value must not be.
    pub(crate) except: Vec<String>,
}

/// What tests of a value show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Rules for which the value is harmless.
    pub rules: RuleMask,
    /// Properties of the value, as bits.
    pub properties: u32,
    /// Rules for which it is harmless on conditions: needed properties, number of the guard, rules.
    pub conditional: Vec<(u32, usize, RuleMask)>,
}

/// Adds what the guards say where a test has a result.
pub(crate) fn show(guards: &[Guard], test: &TestFacts<'_>, holds: bool, shown: &mut Shown) {
    let shape = match test {
        TestFacts::Matches { pattern, flags } => RegexShape::of(pattern, flags),
        _ => RegexShape::default(),
    };
    for (number, guard) in guards.iter().enumerate() {
        if guard.holds != holds || !shows(&guard.test, test, holds, &shape) {
            continue;
        }
        shown.properties |= guard.proves;
        if guard.needs == 0 && guard.of.is_empty() && guard.except.is_empty() {
            shown.rules |= guard.rules;
        } else {
            shown.conditional.push((guard.needs, number, guard.rules));
        }
    }
}

/// Rules of guards of beginnings that need a normalised path, if a value is one.
pub(crate) fn sanitised_without_dots(guards: &[Guard], is_result_of: impl Fn(&[String]) -> bool) -> RuleMask {
    let applies =
        |guard: &&Guard| matches!(guard.test, GuardTest::Starts(_)) && !guard.of.is_empty() && is_result_of(&guard.of);
    guards.iter().filter(applies).fold(0, |rules, guard| rules | guard.rules)
}

/// Rules for which a value is harmless that stands behind a quote, if a replacement treats all quotes of this kind in it.
pub(crate) fn sanitised_in_quotes(guards: &[Guard], quote: &str) -> RuleMask {
    let applies =
        |guard: &&Guard| matches!(&guard.test, GuardTest::Quoted(quotes) if quotes.iter().any(|each| each == quote));
    guards.iter().filter(applies).fold(0, |rules, guard| rules | guard.rules)
}

/// Rules for which a value is harmless as a part of a text.
pub(crate) fn sanitised_as_part(guards: &[Guard], is_used: impl Fn(&str) -> bool) -> RuleMask {
    let applies =
        |guard: &&Guard| matches!(&guard.test, GuardTest::Part(names) if !names.iter().any(|name| is_used(name)));
    guards.iter().filter(applies).fold(0, |rules, guard| rules | guard.rules)
}

/// Rules for which a value in a field with this name is harmless.
pub(crate) fn sanitised_in_field(guards: &[Guard], field: &str) -> RuleMask {
    let applies =
        |guard: &&Guard| matches!(&guard.test, GuardTest::Field(names) if names.iter().any(|name| name == field));
    guards.iter().filter(applies).fold(0, |rules, guard| rules | guard.rules)
}

/// Rules for which a value behind a constant text is harmless.
pub(crate) fn sanitised_behind(guards: &[Guard], prefix: &str) -> RuleMask {
    let applies = |guard: &&Guard| match &guard.test {
        GuardTest::Prefix(forms) => forms.iter().any(|form| form.fits(prefix)),
        _ => false,
    };
    guards.iter().filter(applies).fold(0, |rules, guard| rules | guard.rules)
}

/// Rules for which a text is harmless after every match of a regular expression was removed or replaced.
pub(crate) fn sanitised_by_replacement(guards: &[Guard], pattern: &str, flags: &str) -> RuleMask {
    if !flags.contains('g') {
        return 0;
    }
    let shape = RegexShape::of(pattern, flags);
    // What is left of a removed text of different characters can join to the same text: `..././` without `../`.
    let is_run = |text: &str| text.chars().all(|character| text.starts_with(character));
    let applies = |guard: &&Guard| match &guard.test {
        GuardTest::Characters(sets) => sets.iter().any(|&set| shape.absent.contains(set)),
        GuardTest::Lacks(texts) => shape.texts.iter().any(|text| is_run(text) && texts.contains(text)),
        _ => false,
    };
    guards.iter().filter(applies).fold(0, |rules, guard| rules | guard.rules)
}

/// Reports whether a test with a result shows what a guard asks for.
fn shows(guard: &GuardTest, test: &TestFacts<'_>, holds: bool, shape: &RegexShape) -> bool {
    let has = |texts: &[String], text: &str| texts.iter().any(|each| each == text);
    match (guard, test) {
        // Of a constant that a value does not equal, only its text is of interest: `differs`.
        (GuardTest::Constant, TestFacts::EqualsConstant { .. }) => holds,
        (GuardTest::Constant, TestFacts::MemberOfConstants)
        | (GuardTest::Value, TestFacts::EqualsValue)
        | (GuardTest::Member, TestFacts::MemberOf)
        | (GuardTest::OwnKey, TestFacts::OwnKey)
        | (GuardTest::Truthy, TestFacts::Truthy) => true,
        (GuardTest::Type(types), TestFacts::TypeIs(name)) => has(types, name),
        (GuardTest::Differs(texts), TestFacts::EqualsConstant { text: Some(text) }) => has(texts, text),
        (GuardTest::Differs(texts), TestFacts::Matches { .. }) => shape.texts.iter().any(|text| has(texts, text)),
        (GuardTest::Lacks(texts), TestFacts::Matches { .. }) => {
            !shape.are_whole && shape.texts.iter().any(|text| has(texts, text))
                || shape.segments.iter().any(|text| has(texts, text))
                || texts.iter().any(|text| text.chars().any(|c| shape.absent.contains(CharSet::of(&c.to_string()))))
        }
        (GuardTest::Differs(texts) | GuardTest::Lacks(texts), TestFacts::Method { name, constants }) => {
            is_search(name) && constants.first().is_some_and(|first| first.is_some_and(|text| has(texts, text)))
        }
        (GuardTest::Characters(sets), TestFacts::Matches { .. }) if holds => {
            shape.whole.is_some_and(|whole| sets.iter().any(|&set| whole.is_disjoint(set)))
        }
        (GuardTest::Characters(sets), TestFacts::Matches { .. }) => sets.iter().any(|&set| shape.absent.contains(set)),
        (GuardTest::Starts(forms), TestFacts::Method { name: "startsWith", constants })
        | (GuardTest::Inside(forms), TestFacts::Method { name: "inside", constants }) => {
            match constants.first().copied().flatten() {
                Some(text) => forms.iter().any(|form| form.fits(text)),
                None => forms.contains(&PrefixForm::Any),
            }
        }
        (GuardTest::Starts(forms), TestFacts::Matches { .. }) => shape.prefix.as_ref().is_some_and(|prefix| {
            // `/` and another character than `/` begin a path of the same host.
            let is_path = prefix == "/" && shape.next.is_some_and(|next| next.is_disjoint(CharSet::of("/")));
            forms.iter().any(|form| form.fits(prefix) || *form == PrefixForm::Path && is_path)
        }),
        (GuardTest::Method(methods, texts), TestFacts::Method { name, constants }) => {
            let first = constants.first().copied().flatten();
            has(methods, name) && (texts.is_empty() || first.is_some_and(|text| has(texts, text)))
        }
        _ => false,
    }
}

/// Methods that search a text for another one.
fn is_search(method: &str) -> bool {
    matches!(method, "includes" | "contains" | "indexOf" | "lastIndexOf" | "search")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_need_an_end() {
        for (text, expected) in [
            ("https://example.com/", true),
            ("//example.com/a", true),
            ("https://example.com?q=", true),
            ("https://example.com", false),
            ("https://", false),
            ("https:///", false),
            ("/users/", false),
            ("a b://c/", false),
        ] {
            assert_eq!(has_host(text), expected, "{text}");
        }
        let starts = |pattern: &str| {
            let test = TestFacts::Matches { pattern, flags: "" };
            shows(&GuardTest::Starts(vec![PrefixForm::Path]), &test, true, &RegexShape::of(pattern, ""))
        };
        for pattern in [r"^\/(?!\/|\\)", r"^\/(?![\/\\])", r"^\/[a-z0-9]", r"^\/\w", "^/users"] {
            assert!(starts(pattern), "{pattern}");
        }
        for pattern in [r"^\/", r"^\/[a-z]?", r"^\/(?=\/)", r"^\/.", r"^\/(?!a)", r"\/[a-z]"] {
            assert!(!starts(pattern), "{pattern}");
        }
        assert!(PrefixForm::Path.fits("/users"));
        assert!(!PrefixForm::Path.fits("/"));
        assert!(!PrefixForm::Path.fits("//evil"));
    }
}
