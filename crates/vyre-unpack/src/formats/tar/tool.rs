//! The tar readers whose behaviour is known, and how each of them reads a number field.
//!
//! | Reader | Version that was observed |
//! |---|---|
//! | GNU tar | 1.34 |
//! | bsdtar (libarchive) | 3.6 |
//! | Python `tarfile` (pip) | 3.12 |
//! | npm (node-tar) | 7 |
//! | 7-Zip | 26 |
//! | Go `archive/tar` | 1.19 |
//! | the Rust crate `tar` (cargo) | 0.4 |

use std::fmt;

use super::header::number;

/// A reader of tar archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tool {
    Gnu,
    Bsd,
    Python,
    Npm,
    SevenZip,
    Go,
    Rust,
    /// The tolerant reading of damaged archives, which no other tool has.
    Recovery,
}

impl Tool {
    const ALL: [Tool; 8] =
        [Tool::Gnu, Tool::Bsd, Tool::Python, Tool::Npm, Tool::SevenZip, Tool::Go, Tool::Rust, Tool::Recovery];

    fn name(self) -> &'static str {
        match self {
            Tool::Gnu => "GNU tar",
            Tool::Bsd => "bsdtar",
            Tool::Python => "Python",
            Tool::Npm => "npm",
            Tool::SevenZip => "7-Zip",
            Tool::Go => "Go",
            Tool::Rust => "cargo",
            Tool::Recovery => "a tolerant reader",
        }
    }
}

/// A set of readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tools(u16);

impl Tools {
    /// All readers.
    pub(super) const ALL: Tools = Tools(0xff);

    /// The set of one reader.
    pub(super) fn of(tool: Tool) -> Tools {
        Tools(1 << tool as u16)
    }

    pub(super) fn with(self, other: Tools) -> Tools {
        Tools(self.0 | other.0)
    }

    pub(super) fn without(self, other: Tools) -> Tools {
        Tools(self.0 & !other.0)
    }

    pub(super) fn contains(self, tool: Tool) -> bool {
        self.0 & Tools::of(tool).0 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The readers of the set.
    pub(super) fn iter(self) -> impl Iterator<Item = Tool> {
        Tool::ALL.into_iter().filter(move |&tool| self.contains(tool))
    }
}

/// Enumerates the readers: `GNU tar, bsdtar and Go`. The tolerant reading is named only if it is alone.
impl fmt::Display for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.without(Tools::of(Tool::Recovery));
        let shown = if others.is_empty() { *self } else { others };
        let names: Vec<&str> = shown.iter().map(Tool::name).collect();
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => write!(f, "{} and {last}", rest.join(", ")),
            _ => f.write_str(&names.concat()),
        }
    }
}

/// A number field as one reader sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Value(u64),
    /// The reader rejects the field.
    Bad,
}

/// The value of a number field on which all readers agree: octal digits after spaces and before zeros and spaces, or 8 bytes of
/// big-endian binary. None if they may differ.
pub(super) fn agreed(field: &[u8]) -> Option<u64> {
    if let Some((0x80, rest)) = field.split_first() {
        let (high, low) = rest.split_at(rest.len().saturating_sub(8));
        let value = low.iter().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        return (high.iter().all(|&byte| byte == 0) && i64::try_from(value).is_ok()).then_some(value);
    }
    let digits = field.trim_ascii_start();
    let is_spaced = field[..field.len() - digits.len()].iter().all(|&byte| byte == b' ');
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let is_ended = digits[end..].iter().all(|byte| matches!(byte, b' ' | 0));
    if end == 0 || !is_spaced || !is_ended {
        return None;
    }
    octal(&digits[..end])
}

/// The value of a number field as a reader sees it.
pub(super) fn number_of(tool: Tool, field: &[u8]) -> Number {
    let value = match tool {
        Tool::Gnu => gnu(field),
        Tool::Bsd => bsd(field),
        Tool::Python => python(field),
        Tool::Npm => return npm(field),
        Tool::SevenZip => seven_zip(field),
        Tool::Go => go(field),
        Tool::Rust => rust(field),
        Tool::Recovery => number(field).and_then(|value| u64::try_from(value).ok()),
    };
    value.map_or(Number::Bad, Number::Value)
}

/// Digits as an octal number; none without digits.
fn octal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &digit| match digit {
        b'0'..=b'7' => value.checked_mul(8)?.checked_add(u64::from(digit - b'0')),
        _ => None,
    })
}

/// The octal digits at the start, and the rest.
fn octal_prefix(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|byte| !matches!(byte, b'0'..=b'7')).unwrap_or(text.len()))
}

/// The part before the first zero byte.
fn before_nul(field: &[u8]) -> &[u8] {
    &field[..memchr::memchr(0, field).unwrap_or(field.len())]
}

/// Big-endian binary after a first byte; none beyond 63 bits.
fn binary(rest: &[u8]) -> Option<u64> {
    let value = rest.iter().try_fold(0u64, |value, &byte| value.checked_mul(256)?.checked_add(u64::from(byte)))?;
    i64::try_from(value).is_ok().then_some(value)
}

/// One zero byte and white space precede the digits; white space or a zero byte follows them.
fn gnu(field: &[u8]) -> Option<u64> {
    let text = field.strip_prefix(b"\0").unwrap_or(field).trim_ascii_start();
    let (digits, rest) = octal_prefix(text);
    match (digits, text.split_first()) {
        ([], Some((0x80, rest))) => binary(rest),
        // An old notation.
        ([], Some((b'+', rest))) => base64(rest),
        ([], Some((0, _))) => Some(0),
        ([], _) => None,
        (digits, _) => {
            let is_ended = rest.first().is_none_or(|byte| *byte == 0 || byte.is_ascii_whitespace());
            octal(digits).filter(|_| is_ended)
        }
    }
}

/// Digits to the base 64.
fn base64(text: &[u8]) -> Option<u64> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0u64;
    for byte in text {
        let Some(digit) = memchr::memchr(*byte, DIGITS) else { break };
        value = value.checked_mul(64)?.checked_add(digit as u64)?;
    }
    Some(value)
}

/// A field that starts with a zero byte is zero. Otherwise only spaces and zero bytes may surround the digits.
fn bsd(field: &[u8]) -> Option<u64> {
    match field.split_first()? {
        (0, _) => Some(0),
        (0x80, rest) => binary(rest),
        (first, _) if first & 0x80 != 0 => None,
        _ => {
            let text = &field[field.iter().take_while(|&&byte| byte == b' ').count()..];
            let (digits, rest) = octal_prefix(text);
            let is_ended = rest.iter().all(|byte| matches!(byte, b' ' | 0));
            if digits.is_empty() { Some(0).filter(|_| is_ended) } else { octal(digits).filter(|_| is_ended) }
        }
    }
}

/// `int(text, 8)` of the text before the first zero byte.
fn python(field: &[u8]) -> Option<u64> {
    if let Some((0x80, rest)) = field.split_first() {
        return binary(rest);
    }
    let text = before_nul(field).trim_ascii();
    if text.is_empty() {
        return Some(0);
    }
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let text = text.strip_prefix(b"0o").or(text.strip_prefix(b"0O")).unwrap_or(text);
    let digits: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'_').collect();
    octal(&digits)
}

/// `parseInt(text, 8)` of the text before the first zero byte. What is no number counts as zero.
fn npm(field: &[u8]) -> Number {
    match field.split_first() {
        Some((0x80, rest)) => binary(rest).map_or(Number::Bad, Number::Value),
        Some((first, _)) if first & 0x80 != 0 => Number::Bad,
        _ => {
            let text = before_nul(field).trim_ascii();
            let text = text.strip_prefix(b"+").unwrap_or(text);
            Number::Value(octal(octal_prefix(text).0).unwrap_or(0))
        }
    }
}

/// Digits after spaces; a space or a zero byte follows them.
fn seven_zip(field: &[u8]) -> Option<u64> {
    if let Some((0x80, rest)) = field.split_first() {
        return binary(rest);
    }
    let text = &field[field.iter().take_while(|&&byte| byte == b' ').count()..];
    let (digits, rest) = octal_prefix(text);
    let is_ended = rest.first().is_none_or(|byte| matches!(byte, b' ' | 0));
    if digits.is_empty() { Some(0).filter(|_| is_ended) } else { octal(digits).filter(|_| is_ended) }
}

/// Digits between spaces and zero bytes, up to the first zero byte.
fn go(field: &[u8]) -> Option<u64> {
    match field.split_first()? {
        (0x80, rest) => binary(rest),
        (first, _) if first & 0x80 != 0 => None,
        _ => {
            let start = field.iter().position(|byte| !matches!(byte, b' ' | 0)).unwrap_or(field.len());
            let end = field.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(start, |last| last + 1);
            let text = before_nul(&field[start..end]);
            if text.is_empty() { Some(0) } else { octal(text) }
        }
    }
}

/// Digits between white space, up to the first zero byte, or the last 8 bytes.
fn rust(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|first| first & 0x80 != 0) {
        return field.last_chunk().map(|low| u64::from_be_bytes(*low));
    }
    let text = before_nul(field).trim_ascii();
    octal(text.strip_prefix(b"+").unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(field: &[u8]) -> Vec<Option<u64>> {
        let value = |tool| match number_of(tool, field) {
            Number::Value(value) => Some(value),
            Number::Bad => None,
        };
        [Tool::Gnu, Tool::Bsd, Tool::Python, Tool::Npm, Tool::SevenZip, Tool::Go, Tool::Rust].map(value).to_vec()
    }

    /// Values that the tools themselves extracted.
    #[test]
    fn readers_differ_on_unusual_number_fields() {
        let (some, none) = (Some(512), None);
        let zero = Some(0);
        for (field, expected) in [
            (&b"00000001000\0"[..], [some; 7]),
            (b"       1000 ", [some; 7]),
            (b"\x80\0\0\0\0\0\0\0\0\0\x02\0", [some; 7]),
            (b"\0\0\0\0\0\x30\x30\x30\x31\x30\x30\x30", [zero, zero, zero, zero, zero, some, none]),
            (b"\x000000001000\0", [some, zero, zero, zero, zero, some, none]),
            (b"000000 1000\0", [zero, none, none, zero, zero, none, none]),
            (b"00000001000x", [none, none, none, some, none, none, none]),
            (b"0000001000 x", [some, none, none, some, some, none, none]),
            (b"0000001000\0x", [some, none, some, some, some, some, some]),
            (b"+AAAAAAAAIA\0", [some, none, none, zero, none, none, none]),
            (b"+\0\0\0\0\0\0\0\0\0\0\0", [zero, none, none, zero, none, none, none]),
            (b"-0000001000\0", [none, none, none, zero, none, none, none]),
            (b"\t0000001000\0", [some, none, some, some, none, none, some]),
            (b"            ", [none, zero, zero, zero, zero, zero, none]),
            (b"\0\0\0\0\0\0\0\0\0\0\0\0", [zero, zero, zero, zero, zero, zero, none]),
        ] {
            assert_eq!(of(field), expected, "{}", field.escape_ascii());
            let agreed = agreed(field);
            assert!(agreed.is_none_or(|agreed| expected == [Some(agreed); 7]), "{}", field.escape_ascii());
        }
        assert_eq!(agreed(b"00000001000\0"), Some(512));
    }

    #[test]
    fn readers_are_enumerated() {
        let of = |tools: &[Tool]| tools.iter().fold(Tools::default(), |set, &tool| set.with(Tools::of(tool)));
        assert_eq!(of(&[Tool::Go]).to_string(), "Go");
        assert_eq!(of(&[Tool::Recovery, Tool::Go]).to_string(), "Go");
        assert_eq!(of(&[Tool::Gnu, Tool::Go, Tool::Npm]).to_string(), "GNU tar, npm and Go");
        assert_eq!(of(&[Tool::Recovery]).to_string(), "a tolerant reader");
    }
}
