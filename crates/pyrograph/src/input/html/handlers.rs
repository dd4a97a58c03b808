//! Code in attributes of HTML: handlers of events (`onclick="..."`) and links (`href="javascript:..."`).
//!
//! The code of an attribute becomes a function without a name, so that its `return` does not end the scripts after it. The marks of
//! the function take the places of the name and the quotes of the attribute.

use std::ops::Range;

/// Marks before the code.
const OPEN: &[u8] = b";()=>{";

/// Attributes whose values are addresses.
const ADDRESSES: &[&str] = &["href", "xlink:href", "src", "action", "formaction", "data"];

/// Scheme of addresses that are code.
const SCHEME: &[u8] = b"javascript:";

/// Marks of template languages. Code with them is not complete.
const TEMPLATES: &[&[u8]] = &[b"{{", b"<%", b"{%", b"<?", b"${", b"[["];

/// Range of the code of an attribute. None: its value is no code.
pub(super) fn handler_code(bytes: &[u8], name: &[u8], value: &Range<usize>) -> Option<Range<usize>> {
    let text = &bytes[value.clone()];
    let is_address = || ADDRESSES.iter().any(|address| name.eq_ignore_ascii_case(address.as_bytes()));
    let is_event =
        || name.len() >= 5 && name[..2].eq_ignore_ascii_case(b"on") && name[2..].iter().all(u8::is_ascii_alphanumeric);
    let start = if is_event() {
        value.start
    } else if is_address() {
        let trimmed = text.trim_ascii_start();
        let scheme = trimmed.get(..SCHEME.len()).filter(|scheme| scheme.eq_ignore_ascii_case(SCHEME))?;
        value.end - trimmed.len() + scheme.len()
    } else {
        return None;
    };
    let code = &bytes[start..value.end];
    let is_template = TEMPLATES.iter().any(|mark| memchr::memmem::find(code, mark).is_some());
    (!is_template && !code.trim_ascii().is_empty()).then_some(start..value.end)
}

/// Writes the code of an attribute to the text of the scripts, and returns the range of its function. `first` is the first byte that may
/// be changed. None: the attribute has too little room, which no known name has.
pub(super) fn write_handler(bytes: &[u8], code: Range<usize>, first: usize, output: &mut [u8]) -> Option<Range<usize>> {
    let start = code.start.checked_sub(OPEN.len()).filter(|&start| start >= first)?;
    // A comment at the end of the code ends with the line. Values without quotes have no comments.
    let close: &[u8] = if matches!(bytes.get(code.end), Some(b'"' | b'\'')) { b"\n}" } else { b"}" };
    let end = code.end + close.len();
    if end > output.len() {
        return None;
    }
    output[start..code.start].copy_from_slice(OPEN);
    output[code.end..end].copy_from_slice(close);
    let before = code.start.saturating_sub(SCHEME.len());
    let is_address = bytes[before..code.start].eq_ignore_ascii_case(SCHEME);
    let decoded = decode(&bytes[code.clone()], is_address);
    output[code].copy_from_slice(&decoded);
    Some(start..end)
}

/// Replaces character references and, in addresses, escapes. What they are shorter is made up for by blanks at the end of the word, so
/// that words stay whole and the length stays.
fn decode(code: &[u8], is_address: bool) -> Vec<u8> {
    let mut output = Vec::with_capacity(code.len());
    let mut missing = 0;
    let mut at = 0;
    while let Some(&byte) = code.get(at) {
        let (character, length) = match byte {
            b'&' => reference(&code[at..]).unwrap_or((byte, 1)),
            b'%' if is_address => reference(&code[at..]).unwrap_or((byte, 1)),
            _ => (byte, 1),
        };
        if byte.is_ascii_whitespace() {
            output.resize(output.len() + missing, b' ');
            missing = 0;
        }
        output.push(character);
        missing += length - 1;
        at += length;
    }
    output.resize(code.len(), b' ');
    output
}

/// Character of a reference or escape at the beginning of a text, and its length. Only ASCII characters count.
fn reference(text: &[u8]) -> Option<(u8, usize)> {
    const NAMES: &[(&[u8], u8)] =
        &[(b"&quot;", b'"'), (b"&apos;", b'\''), (b"&amp;", b'&'), (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&nbsp;", b' ')];
    if let Some((name, character)) = NAMES.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*character, name.len()));
    }
    let digits = |text: &[u8], radix: u32| {
        let text = std::str::from_utf8(text).ok()?;
        let character = u8::from_str_radix(text, radix).ok()?;
        (character.is_ascii_graphic() || character == b' ').then_some(character)
    };
    if text[0] == b'%' {
        return Some((digits(text.get(1..3)?, 16)?, 3));
    }
    let end = text.iter().take(10).position(|&byte| byte == b';')?;
    let inner = text.get(..end)?.strip_prefix(b"&#")?;
    let character = match inner.strip_prefix(b"x").or_else(|| inner.strip_prefix(b"X")) {
        Some(hexadecimal) => digits(hexadecimal, 16)?,
        None => digits(inner, 10)?,
    };
    Some((character, end + 1))
}
