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

/// True if the name is a single path component without separators or drive letters.
fn is_plain(name: &[u8]) -> bool {
    !name.is_empty()
        && name != b"."
        && name != b".."
        && !name.iter().any(|byte| matches!(byte, b'/' | b'\\' | b':' | 0))
}

#[cfg(test)]
mod tests {
    use super::content_name;

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
