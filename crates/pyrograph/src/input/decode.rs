//! Texts of files: encodings, and content that is no text.

/// Text of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// Text without byte order mark.
    pub(crate) text: String,
    /// Note about what was replaced.
    pub(crate) note: Option<String>,
}

/// Reasons why bytes are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotText {
    /// Signature of another format: its name.
    Signature(&'static str),
    /// Metadata of a file system that has the name of another file.
    Metadata,
    /// Many NUL bytes.
    Nul,
    /// Many bytes that are no UTF-8.
    Encoding,
}

impl NotText {
    /// Description as the outcome of a file with the name of code.
    pub(crate) fn message(self) -> String {
        match self {
            NotText::Signature(format) => format!("the file has the name of code, but it is {format}"),
            NotText::Metadata => "metadata of a file system".to_owned(),
            NotText::Nul => "the file is not text: it has NUL bytes".to_owned(),
            NotText::Encoding => {
                "the file is not text: it is neither UTF-8 nor UTF-16 with a byte order mark".to_owned()
            }
        }
    }
}

/// Signatures of formats that are no text.
const SIGNATURES: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF binary"),
    (b"\0asm", "a WebAssembly module"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O binary"),
    (b"\xce\xfa\xed\xfe", "a Mach-O binary"),
    (b"\xca\xfe\xba\xbe", "a Mach-O binary or Java class"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\0", "an SQLite database"),
];

/// Share of the bytes that may be NUL, and share that may be invalid: one in so many.
const MIN_BYTES_PER_NUL: usize = 256;
const MIN_BYTES_PER_ERROR: usize = 10;

/// Decodes the bytes of a file: UTF-8, or UTF-16 with a byte order mark.
///
/// The byte order mark is removed, so offsets count from the character after it. Invalid sequences become U+FFFD, if they are
/// few: old files have names in comments in other encodings.
///
/// A mark of UTF-16 before text that is not UTF-16 is a mistake of an editor: such a text is read as what it is.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, NotText> {
    if has_utf16_mark(bytes)
        && let Ok(text) = std::str::from_utf8(&bytes[2..])
        && !text.is_empty()
        && !text.contains('\0')
    {
        let note = Some("a byte order mark of UTF-16 before a text in UTF-8 was removed".to_owned());
        return Ok(Decoded { text: text.to_owned(), note });
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe").filter(|rest| !rest.starts_with(b"\0\0")) {
        return decode_utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return decode_utf16(rest, u16::from_be_bytes);
    }
    if bytes.starts_with(b"\x00\x05\x16\x07") || bytes.starts_with(b"\x00\x05\x16\x00") {
        return Err(NotText::Metadata);
    }
    if let Some((_, format)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return Err(NotText::Signature(format));
    }
    // MZ alone may begin a program; the header of a Windows binary has NUL bytes.
    if bytes.starts_with(b"MZ") && memchr::memchr(0, &bytes[..bytes.len().min(64)]).is_some() {
        return Err(NotText::Signature("a Windows binary"));
    }
    // Packets of 188 bytes: a video with the extension of TypeScript.
    if bytes.len() > 376 && [0, 188, 376].iter().all(|&at| bytes[at] == b'G') && memchr::memchr(0, bytes).is_some() {
        return Err(NotText::Signature("an MPEG transport stream"));
    }
    let nuls = memchr::memchr_iter(0, bytes).count();
    if nuls > 0 && (nuls > bytes.len() / MIN_BYTES_PER_NUL || nuls == bytes.len()) {
        return Err(NotText::Nul);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Decoded { text: text.to_owned(), note: None });
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let mut errors = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            errors += 1;
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    finish(text, errors, bytes.len())
}

/// True if the bytes begin with a byte order mark of UTF-16.
pub(crate) fn has_utf16_mark(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xfe\xff") || bytes.starts_with(b"\xff\xfe") && !bytes[2..].starts_with(b"\0\0")
}

/// Decodes UTF-16 without its byte order mark.
fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Decoded, NotText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut errors = rest.len();
    let mut text = String::with_capacity(bytes.len());
    for character in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        text.push(character.unwrap_or_else(|_| {
            errors += 1;
            char::REPLACEMENT_CHARACTER
        }));
    }
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    let nuls = memchr::memchr_iter(0, text.as_bytes()).count();
    if nuls > text.len() / MIN_BYTES_PER_NUL {
        return Err(NotText::Nul);
    }
    // Code has ASCII characters. A text without any is in another encoding or order than its mark says.
    if pairs.len() > 4 && !text.bytes().any(|byte| byte.is_ascii_graphic()) {
        return Err(NotText::Encoding);
    }
    finish(text, errors, bytes.len())
}

/// Accepts a text with few errors.
fn finish(text: String, errors: usize, len: usize) -> Result<Decoded, NotText> {
    if errors > 1 && errors > len / MIN_BYTES_PER_ERROR {
        return Err(NotText::Encoding);
    }
    let note = match errors {
        0 => None,
        1 => Some("1 invalid character was replaced".to_owned()),
        errors => Some(format!("{errors} invalid characters were replaced")),
    };
    Ok(Decoded { text, note })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes).expect("text").text
    }

    #[test]
    fn encodings_are_decoded() {
        assert_eq!(text(b""), "");
        assert_eq!(text("äb".as_bytes()), "äb");
        assert_eq!(text(b"\xef\xbb\xbf#!x"), "#!x");
        assert_eq!(text(b"\xff\xfea\0\xe4\0"), "aä");
        assert_eq!(text(b"\xfe\xff\0a\xd8\x3d\xde\x00"), "a😀");
        assert_eq!(
            decode(b"\xff\xfea\0b\0c\0d\0\0\xd8"),
            decode("abcd\u{fffd}".as_bytes())
                .map(|decoded| Decoded { note: Some("1 invalid character was replaced".to_owned()), ..decoded })
        );
        let latin = decode(b"// Andr\xe9, Fran\xe7ois and other authors\n").expect("text");
        assert_eq!(latin.text, "// Andr\u{fffd}, Fran\u{fffd}ois and other authors\n");
        assert_eq!(latin.note.as_deref(), Some("2 invalid characters were replaced"));
    }

    #[test]
    fn marks_that_do_not_fit_are_not_believed() {
        for mark in [b"\xff\xfe", b"\xfe\xff"] {
            let stray = decode(&[mark, b"exec(process.argv[2])".as_slice()].concat()).expect("text");
            assert_eq!(stray.text, "exec(process.argv[2])");
            assert!(stray.note.is_some_and(|note| note.contains("byte order mark")));
        }
        let units: Vec<u8> = "exec(process.argv[2])".bytes().flat_map(|byte| [byte, 0]).collect();
        assert_eq!(text(&[b"\xff\xfe", units.as_slice()].concat()), "exec(process.argv[2])");
        let swapped = decode(&[b"\xfe\xff", units.as_slice()].concat());
        assert_eq!(swapped, Err(NotText::Encoding), "the mark says the wrong order");
        assert_eq!(decode(&units), Err(NotText::Nul), "no mark at all");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert_eq!(decode(b"\x7fELF\x02\x01\x01\0"), Err(NotText::Signature("an ELF binary")));
        assert_eq!(decode(b"MZ\x90\0\x03\0"), Err(NotText::Signature("a Windows binary")));
        assert_eq!(decode(b"\0\x05\x16\x07\0\x02"), Err(NotText::Metadata));
        assert_eq!(decode(&[0; 4]), Err(NotText::Nul));
        assert_eq!(decode(b"a\0b\0c\0d\0"), Err(NotText::Nul));
        assert_eq!(decode(&[0xfd; 100]), Err(NotText::Encoding));
        let mut one = vec![b' '; 1000];
        one[500] = 0;
        assert!(decode(&one).is_ok(), "a NUL byte in a string is valid JavaScript");
    }
}
