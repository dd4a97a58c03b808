//! URI references of paths, as SARIF logs have them.

/// URIs of the files of a report.
pub(crate) struct Uris<'r> {
    /// Folder that the paths of the report are relative to, with `/` at its end, or empty.
    folder: &'r str,
}

impl<'r> Uris<'r> {
    pub(crate) fn new(folder: &'r str) -> Uris<'r> {
        Uris { folder }
    }

    /// URI of a path of the report. Code scanners look for it from the top of a repository, where scans usually run.
    pub(crate) fn of(&self, path: &str) -> String {
        match path {
            "." | "" if self.folder.is_empty() => ".".to_owned(),
            "." | "" => encoded(self.folder),
            _ if path.starts_with('/') => encoded(path),
            _ => encoded(&format!("{}{path}", self.folder)),
        }
    }
}

/// Relative URI reference of a path: percent-encodes what RFC 3986 reserves. `!`, which follows names of archives, stays.
/// Absolute paths get the scheme `file`.
fn encoded(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~!@+,=".contains(&byte);
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            _ if is_plain(byte) => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Path of a relative URI reference. None: it is not UTF-8, or has a scheme.
#[must_use]
pub fn decoded(uri: &str) -> Option<String> {
    if uri.contains(':') {
        return None;
    }
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_percent_encoded() {
        assert_eq!(encoded("src/main.js"), "src/main.js");
        assert_eq!(encoded("a.tgz!/package/@x/b c#d:\u{e4}.js"), "a.tgz!/package/@x/b%20c%23d%3A%C3%A4.js");
        assert_eq!(encoded("/tmp/a\\b%.js"), "file:///tmp/a%5Cb%25.js");
    }

    #[test]
    fn uris_are_decoded() {
        let path = "a.tgz!/package/@x/b c#d\u{e4}%41.js";
        assert_eq!(decoded(&encoded(path)).as_deref(), Some(path));
        assert_eq!(decoded("50%/%4"), Some("50%/%4".to_owned()));
        assert_eq!(decoded("file:///tmp/a.js"), None);
        assert_eq!(decoded("%ff"), None);
    }

    #[test]
    fn uris_begin_at_the_current_folder() {
        let uris = Uris::new("my src/");
        assert_eq!(uris.of("lib.zip!/a.js"), "my%20src/lib.zip!/a.js");
        assert_eq!(uris.of("."), "my%20src/");
        assert_eq!(uris.of("/tmp/a.js"), "file:///tmp/a.js");
        assert_eq!(Uris::new("").of("."), ".");
    }
}
