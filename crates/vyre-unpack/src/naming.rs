//! Names of the contents of compressed streams.

use crate::formats::stream_suffixes;

/// Name of the content of a compressed file: the name stored in the stream if it is a plain file name, otherwise the file name
/// without the suffix of the compression.
pub(crate) fn content_name(file: &[u8], stored: Option<&[u8]>) -> Vec<u8> {
    if let Some(stored) = stored.filter(|stored| is_plain(stored)) {
        return stored.to_vec();
    }
    let name = file.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    for (suffix, replacement) in stream_suffixes() {
        if let Some(start) = name.len().checked_sub(suffix.len()).filter(|&start| start > 0)
            && name[start..].eq_ignore_ascii_case(suffix)
        {
            return [&name[..start], replacement].concat();
        }
    }
    if is_plain(name) { name.to_vec() } else { b"content".to_vec() }
}

/// Description of a part of a split archive.
pub(crate) const PART: &str = "part of an archive that was split";

/// Suffixes of archives that are split into parts named `.001`, `.002` and so on.
const SPLIT_SUFFIXES: [&str; 12] =
    [".7z", ".zip", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".jar", ".iso", ".cab"];

/// True if the name is that of a part of a split archive: `x.7z.001`, `x.z01`, `x.part2.rar`, `x.r00`.
pub(crate) fn is_part(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match extension.as_bytes() {
        [b'z' | b'r', rest @ ..] if rest.len() == 2 && rest.iter().all(u8::is_ascii_digit) => !stem.is_empty(),
        b"rar" => stem.rsplit_once(".part").is_some_and(|(before, number)| !before.is_empty() && are_digits(number)),
        digits if digits.len() == 3 && are_digits(extension) => {
            SPLIT_SUFFIXES.iter().any(|suffix| stem.len() > suffix.len() && stem.ends_with(suffix))
        }
        _ => false,
    }
}

/// True if the name is a single path component without separators or drive letters.
fn is_plain(name: &[u8]) -> bool {
    !name.is_empty()
        && name != b"."
        && name != b".."
        && !name.iter().any(|byte| matches!(byte, b'/' | b'\\' | b':' | 0))
}

#[cfg(test)]
mod tests {
    use super::{content_name, is_part};

    #[test]
    fn parts_of_split_archives_have_known_names() {
        for name in ["a.7z.001", "d/A.ZIP.012", "a.tar.gz.001", "a.z01", "a.r00", "a.part1.rar", "a.part03.rar"] {
            assert!(is_part(name.as_bytes()), "{name}");
        }
        for name in ["a.7z", "a.001", "a.js.001", "a.rar", "part1.rar", "a.z1", "a.7z.01", ".z01", "", "a.zip.x01"] {
            assert!(!is_part(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn suffixes_of_compression_are_removed() {
        for (file, content) in [
            ("x.txt.gz", "x.txt"),
            ("some/where/x.TGZ", "x.tar"),
            ("x.tar.zst", "x.tar"),
            ("plain", "plain"),
            (".gz", ".gz"),
            ("", "content"),
            ("some/..", "content"),
        ] {
            assert_eq!(content_name(file.as_bytes(), None), content.as_bytes(), "{file}");
        }
        assert_eq!(content_name(b"a.gz", Some(b"real name")), b"real name");
        for stored in ["../b", "/etc/passwd", "..", "", "c:\\d"] {
            assert_eq!(content_name(b"a.gz", Some(stored.as_bytes())), b"a", "{stored}");
        }
    }
}
