//! Encodings that Python files declare: `# -*- coding: latin-1 -*-`.

use super::decode::{Decoded, NotText, decode};

/// Meaning of the encoding of a file for its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// UTF-8.
    Utf8,
    /// Each byte is a character, and ASCII is what it is.
    SingleByte,
    /// ASCII is what it is, outside of characters of several bytes.
    MultiByte,
    /// Anything else, such as `utf-7`: even ASCII may mean something else.
    Other,
}

/// Reasons why a file has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PythonText {
    /// The bytes are no text.
    NotText(NotText),
    /// The file declares an encoding that is not supported.
    Unsupported(String),
}

impl PythonText {
    /// Description as the outcome of a file.
    pub(crate) fn message(&self) -> String {
        match self {
            PythonText::NotText(reason) => reason.message(),
            PythonText::Unsupported(name) => format!("the file declares the encoding {name:?}, which is not supported"),
        }
    }
}

/// Decodes a Python file with the encoding that it declares.
pub(crate) fn decode_python(bytes: &[u8]) -> Result<Decoded, PythonText> {
    let Some(name) = cookie(bytes) else { return decode(bytes).map_err(PythonText::NotText) };
    let is_ascii = bytes.is_ascii();
    match encoding(&name) {
        Encoding::Utf8 => decode(bytes).map_err(PythonText::NotText),
        Encoding::SingleByte | Encoding::MultiByte if is_ascii => decode(bytes).map_err(PythonText::NotText),
        Encoding::SingleByte => {
            let note = Some(format!("the text is in the encoding {name}"));
            Ok(Decoded { text: bytes.iter().map(|&byte| char::from(byte)).collect(), note })
        }
        Encoding::MultiByte | Encoding::Other => Err(PythonText::Unsupported(name)),
    }
}

/// Encoding that a comment in one of the first two lines declares.
fn cookie(bytes: &[u8]) -> Option<String> {
    for line in bytes.split(|&byte| byte == b'\n').take(2) {
        let line = line.trim_ascii_start();
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        if line[0] != b'#' {
            return None;
        }
        let mut rest = line;
        while let Some(at) = memchr::memmem::find(rest, b"coding") {
            rest = &rest[at + 6..];
            let Some(value) = rest.strip_prefix(b":").or(rest.strip_prefix(b"=")) else { continue };
            let value = value.trim_ascii_start();
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            let end = value.iter().position(|byte| !is_name(byte)).unwrap_or(value.len());
            if end > 0 {
                return Some(String::from_utf8_lossy(&value[..end]).to_ascii_lowercase());
            }
        }
    }
    None
}

fn encoding(name: &str) -> Encoding {
    let name = name.replace(['-', '.'], "_");
    if matches!(name.as_str(), "utf_8" | "utf8" | "utf_8_sig" | "u8" | "utf" | "utf8_ucs2" | "utf8_ucs4" | "utf_8_unix")
    {
        return Encoding::Utf8;
    }
    let single = [
        "latin",
        "iso_8859",
        "iso8859",
        "l1",
        "cp125",
        "windows_125",
        "cp85",
        "cp86",
        "cp437",
        "koi8",
        "mac",
        "ascii",
        "us_ascii",
        "tis_620",
    ];
    if single.iter().any(|prefix| name.starts_with(prefix)) {
        return Encoding::SingleByte;
    }
    let multi = ["gb", "big5", "euc", "shift_jis", "sjis", "cp932", "cp936", "cp949", "cp950", "ms936"];
    if multi.iter().any(|prefix| name.starts_with(prefix)) {
        return Encoding::MultiByte;
    }
    Encoding::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_encodings_decide() {
        let text = |bytes: &[u8]| decode_python(bytes).map(|decoded| decoded.text);
        assert_eq!(
            text(b"# -*- coding: latin-1 -*-\nx = '\xe9'\n").as_deref(),
            Ok("# -*- coding: latin-1 -*-\nx = '\u{e9}'\n")
        );
        assert_eq!(text("#!/x\n# coding=utf8\nx = 'é'".as_bytes()).as_deref(), Ok("#!/x\n# coding=utf8\nx = 'é'"));
        assert_eq!(text(b"# coding: gbk\nx = 1").as_deref(), Ok("# coding: gbk\nx = 1"));
        assert!(text(b"# coding: gbk\nx = '\xb0\xa1'").is_err());
        assert_eq!(text(b"x = 1\n# coding: utf-7\n").as_deref(), Ok("x = 1\n# coding: utf-7\n"));
    }

    #[test]
    fn encodings_that_hide_code_are_no_text() {
        for name in ["utf-7", "rot13", "unicode_escape", "utf-16", "hex", "x"] {
            let text = format!("# vim: set fileencoding={name} :\nimport os\n");
            assert_eq!(decode_python(text.as_bytes()), Err(PythonText::Unsupported(name.to_owned())), "{name}");
        }
    }
}
