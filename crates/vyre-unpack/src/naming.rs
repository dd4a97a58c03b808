//! What the content of a compressed stream is called.

/// Endings of names of compressed files, and what they are without the compression.
const ENDINGS: [(&[u8], &[u8]); 14] = [
    (b".gz", b""),
    (b".gzip", b""),
    (b".tgz", b".tar"),
    (b".zst", b""),
    (b".zstd", b""),
    (b".tzst", b".tar"),
    (b".lz4", b""),
    (b".tlz4", b".tar"),
    (b".xz", b""),
    (b".txz", b".tar"),
    (b".bz2", b""),
    (b".bzip2", b""),
    (b".tbz2", b".tar"),
    (b".tbz", b".tar"),
];

/// The name of the content of a compressed file: the one that the stream has if that is a plain file name, else the name of
/// the file without the ending of the compression.
pub(crate) fn content_name(file: &[u8], stored: Option<&[u8]>) -> Vec<u8> {
    if let Some(stored) = stored.filter(|stored| is_plain(stored)) {
        return stored.to_vec();
    }
    let name = file.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    for (ending, instead) in ENDINGS {
        if let Some(start) = name.len().checked_sub(ending.len()).filter(|&start| start > 0)
            && name[start..].eq_ignore_ascii_case(ending)
        {
            return [&name[..start], instead].concat();
        }
    }
    if is_plain(name) { name.to_vec() } else { b"content".to_vec() }
}

/// Whether a name is one of a file and not of a place.
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
    fn endings_are_taken_off() {
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
