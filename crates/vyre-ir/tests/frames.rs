//! Code frames: carets under wide characters, windows of long lines, escapes.

use vyre_ir::source::{Frame, LineIndex, Span, visible, visible_prefix};

/// Frame of the first occurrence of `marked`.
fn frame_of(source: &str, marked: &str) -> Frame {
    let start = source.find(marked).expect("the text has the marked part");
    let span = |offset: usize| u32::try_from(offset).expect("a short text");
    LineIndex::new(source).frame(Span { start: span(start), end: span(start + marked.len()) })
}

#[test]
fn carets_stand_under_text_after_wide_characters() {
    // The columns that a terminal uses, counted by hand.
    for (source, marked, padding, width) in [
        ("let x = bad;", "bad", 8, 3),
        ("let \u{6f22}\u{5b57} = bad;", "bad", 11, 3),
        ("let \u{6f22}\u{5b57} = 1;", "\u{6f22}\u{5b57}", 4, 4),
        // A letter with a combining diaeresis takes one column.
        ("let gro\u{308}\u{df}e = bad;", "bad", 12, 3),
        ("let o\u{308} = 1;", "o\u{308}", 4, 1),
        ("// \u{1f600} bad", "bad", 6, 3),
        ("/* \u{ff21}\u{ff22} */ bad", "bad", 11, 3),
        ("\tlet x = bad;", "bad", 9, 3),
        ("let a\u{1b}b = bad;", "bad", 10, 3),
        ("let a\u{200b}b = bad;", "bad", 10, 3),
    ] {
        let frame = frame_of(source, marked);
        assert_eq!((frame.padding, frame.width), (padding, width), "{source:?}");
    }
}

#[test]
fn columns_count_characters_after_wide_characters() {
    let source = "let \u{6f22}\u{5b57} = bad;";
    let offset = source.find("bad").and_then(|offset| u32::try_from(offset).ok()).unwrap_or_default();
    assert_eq!(LineIndex::new(source).location(offset).column, 10);
}

#[test]
fn windows_are_measured_in_columns() {
    let source = format!("{}bad{}", "\u{6f22}".repeat(1000), "\u{5b57}".repeat(1000));
    let frame = frame_of(&source, "bad");
    assert_eq!((frame.padding, frame.width), (63, 3));
    // 30 wide characters before the marked part, 28 after it, and the dots at both ends.
    assert_eq!(frame.text.chars().count(), 30 + 3 + 28 + 6);
}

#[test]
fn marked_parts_are_clamped_to_the_line() {
    let frame = LineIndex::new("a b\nc").frame(Span { start: 2, end: 6 });
    assert_eq!(frame, Frame { line: 1, text: "a b".to_owned(), padding: 2, width: 1 });
    let frame = LineIndex::new("a").frame(Span { start: 9, end: 9 });
    assert_eq!(frame, Frame { line: 1, text: "a".to_owned(), padding: 1, width: 1 });
}

#[test]
fn invisible_characters_are_escaped() {
    assert_eq!(visible("plain \u{e4}"), "plain \u{e4}");
    assert_eq!(visible("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
    assert_eq!(visible("a\u{202e}b"), "a\\u{202e}b");
    assert_eq!(visible_prefix("abcdef", 3), "abc...");
    assert_eq!(visible_prefix("abc", 3), "abc");
}

#[test]
fn characters_without_width_do_not_extend_a_frame() {
    let accents = "\u{300}".repeat(100_000);
    for source in [format!("bad{accents}"), format!("{accents}bad"), format!("{accents}bad{accents}"), accents.clone()]
    {
        let marked = if source.contains("bad") { "bad" } else { &accents };
        let frame = frame_of(&source, marked);
        // Four bytes for each of 120 columns, and the dots at both ends.
        assert!(frame.text.len() <= 4 * 120 + 6, "{} bytes", frame.text.len());
        assert!(frame.text.contains(marked) || marked != "bad");
        assert!(frame.text.starts_with("...") || frame.text.ends_with("..."));
        assert!(frame.to_string().len() < 1000);
    }
    let wide = format!("{}bad", "\u{1f600}".repeat(30));
    assert_eq!(frame_of(&wide, "bad").text, wide);
}
