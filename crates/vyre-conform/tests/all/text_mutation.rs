//! Mutation tests of the text format: the parser and the formatter accept or reject any text, and the formatter preserves
//! programs and comments.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use vyre_conform::arbitrary::{arb_plausible_program, arb_program, config};
use vyre_conform::corpus;
use vyre_ir::text::{format, parse, print};

/// Tokens and fragments that an edit may insert.
const TOKENS: [&str; 65] = [
    "let",
    "if",
    "else",
    "else if",
    "for",
    "in",
    "return",
    "break",
    "barrier",
    "entry",
    "buffer",
    "workgroup_size",
    "as",
    "true",
    "u32",
    "vec2u32",
    "output",
    "expected",
    "expected:",
    "min",
    "len",
    "atomic_add",
    "workgroup_atomic_add",
    "invocation_id",
    "mut",
    "while",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "{}",
    "()",
    ",",
    ";",
    ":",
    "@",
    ".",
    "..",
    "=",
    "==",
    "!",
    "<",
    "<<",
    "&",
    "&&",
    "-",
    "~",
    "/",
    "//",
    "0",
    "7i32",
    "-7i32",
    "0x1f",
    "0b1_0",
    "4294967296",
    "1.5",
    "`",
    "``",
    "`a b`",
    "\\",
    "\u{e4}",
    "\u{feff}",
    "\0",
];

/// Separators between tokens that do not change the program.
const SPACES: [&str; 10] =
    [" ", "\n", "\n\n", "\n\n\n", "\t", "\r\n", " // note\n", "\n// line\n", "\n\n    // apart  \n\n", " //\n"];

/// A change of a text.
#[derive(Clone, Debug)]
enum Edit {
    Delete { at: Index, count: usize },
    Duplicate { at: Index, count: usize },
    Insert { at: Index, text: String },
    Move { from: Index, count: usize, to: Index },
}

fn arb_edit() -> impl Strategy<Value = Edit> {
    let at = any::<Index>;
    prop_oneof![
        3 => (at(), 1..4usize).prop_map(|(at, count)| Edit::Delete { at, count }),
        2 => (at(), 1..30usize).prop_map(|(at, count)| Edit::Duplicate { at, count }),
        3 => (at(), select(&TOKENS)).prop_map(|(at, token)| Edit::Insert { at, text: format!(" {token} ") }),
        3 => (at(), select(&TOKENS)).prop_map(|(at, token)| Edit::Insert { at, text: token.to_owned() }),
        1 => (at(), any::<char>()).prop_map(|(at, character)| Edit::Insert { at, text: character.into() }),
        2 => (at(), select(&SPACES)).prop_map(|(at, space)| Edit::Insert { at, text: space.to_owned() }),
        1 => (at(), 1..30usize, at()).prop_map(|(from, count, to)| Edit::Move { from, count, to }),
    ]
}

/// Applies an edit to the characters of a text.
fn apply(edit: &Edit, text: &mut Vec<char>) {
    let place = |at: &Index, text: &[char]| at.index(text.len() + 1);
    match edit {
        Edit::Delete { at, count } => {
            let start = place(at, text);
            text.drain(start..(start + count).min(text.len()));
        }
        Edit::Duplicate { at, count } => {
            let start = place(at, text);
            let copy = text[start..(start + count).min(text.len())].to_vec();
            text.splice(start..start, copy);
        }
        Edit::Insert { at, text: inserted } => {
            let start = place(at, text);
            text.splice(start..start, inserted.chars());
        }
        Edit::Move { from, count, to } => {
            let start = place(from, text);
            let moved: Vec<char> = text.drain(start..(start + count).min(text.len())).collect();
            let to = place(to, text);
            text.splice(to..to, moved);
        }
    }
}

/// Splits a canonical text at white space between tokens.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped) = (0, false, false);
    for (position, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_quoted,
            '`' => is_quoted = !is_quoted,
            ' ' | '\n' if !is_quoted => {
                words.push(&text[start..position]);
                start = position + 1;
            }
            _ => {}
        }
    }
    words.push(&text[start..]);
    words.retain(|word| !word.is_empty());
    words
}

/// Texts of all comments, sorted.
fn comments(text: &str) -> Vec<&str> {
    let mut comments: Vec<&str> = corpus::comments(text).into_iter().map(|comment| comment.text).collect();
    comments.sort_unstable();
    comments
}

/// Checks the properties of any text. Returns true if it is a program.
fn withstand(text: &str) -> Result<bool, TestCaseError> {
    let formatted = match (parse(text), format(text)) {
        (Ok(parsed), Ok(formatted)) => {
            let again = parse(&formatted).map_err(|error| TestCaseError::fail(format!("{error}\n{formatted}")))?;
            prop_assert_eq!(&again.program, &parsed.program, "formatting changed the program");
            formatted
        }
        (Err(errors), Err(same)) => {
            prop_assert_eq!(&errors, &same);
            for error in &errors {
                let (start, end) = (error.span.start as usize, error.span.end as usize);
                prop_assert!(text.get(start..end).is_some(), "no text at {:?}", error.span);
                prop_assert!(!error.to_string().is_empty());
            }
            return Ok(false);
        }
        (parsed, formatted) => {
            return Err(TestCaseError::fail(format!("{:?} but {formatted:?}", parsed.map(|parsed| parsed.program))));
        }
    };
    prop_assert_eq!(comments(&formatted), comments(text), "formatting lost or made comments\n{}", formatted);
    let twice = format(&formatted).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&twice, &formatted, "formatting is not idempotent");
    Ok(true)
}

proptest! {
    #![proptest_config(config(1024))]

    #[test]
    fn changed_texts_are_parsed_or_refused(
        program in prop_oneof![arb_program(), arb_plausible_program()],
        edits in vec(arb_edit(), 0..6),
    ) {
        let mut text: Vec<char> = print(&program).chars().collect();
        for edit in &edits {
            apply(edit, &mut text);
            withstand(&String::from_iter(&text))?;
        }
    }

    #[test]
    fn space_and_comments_between_words_change_nothing(
        program in prop_oneof![arb_program(), arb_plausible_program()],
        spaces in vec(select(&SPACES), 1..60),
    ) {
        let text = print(&program);
        let mut spaced = String::new();
        for (word, space) in words(&text).into_iter().zip(spaces.iter().cycle()) {
            spaced.push_str(word);
            spaced.push_str(space);
        }
        prop_assert!(withstand(&spaced)?, "{}", spaced);
        prop_assert_eq!(parse(&spaced).ok().map(|parsed| parsed.program), Some(program));
    }

    /// With few, distinct comments, so that a minimal failure is easy to read.
    #[test]
    fn single_comments_survive(
        program in prop_oneof![arb_program(), arb_plausible_program()],
        places in vec((any::<Index>(), any::<bool>()), 1..5),
    ) {
        let text = print(&program);
        let mut words: Vec<String> = words(&text).into_iter().map(str::to_owned).collect();
        for (number, (at, own_line)) in places.into_iter().enumerate() {
            let before = if own_line { "\n" } else { "" };
            words.insert(at.index(words.len() + 1), format!("{before}// note {number}\n"));
        }
        let commented = words.join(" ");
        prop_assert!(withstand(&commented)?, "{}", commented);
        prop_assert_eq!(parse(&commented).ok().map(|parsed| parsed.program), Some(program));
    }

    #[test]
    fn any_tokens_are_parsed_or_refused(tokens in vec(select(&TOKENS), 0..30), separator in select(&SPACES)) {
        let body = tokens.join(separator);
        withstand(&body)?;
        withstand(&format!("workgroup_size 1; entry {{ {body} }}"))?;
        withstand(&format!("workgroup_size 1; entry {{ let x = {body}; }}"))?;
    }

    #[test]
    fn any_characters_are_parsed_or_refused(characters in vec(any::<char>(), 0..40)) {
        let body = String::from_iter(characters);
        withstand(&body)?;
        withstand(&format!("workgroup_size 1; entry {{ let `{body}` = {body}; }}"))?;
    }
}
