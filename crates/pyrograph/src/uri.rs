//! URI references of paths, as SARIF logs have them.

/// URIs of the files of a report.
#[derive(Clone, Copy, Debug)]
pub struct Uris<'r> {
    /// Folder that the paths of the report are relative to, with `/` at its end, or empty.
    folder: &'r str,
}

impl<'r> Uris<'r> {
    /// URIs of paths that are relative to a folder, which is empty or has `/` at its end.
    #[must_use]
    pub fn new(folder: &'r str) -> Uris<'r> {
        Uris { folder }
    }

    /// URI of a path of the report, with `/` as separator. Code scanners look for it from the top of a repository, where scans usually
    /// run. A path that is a URL stays one.
    #[must_use]
    pub fn of(&self, path: &str) -> String {
        match path {
            "." | "" if self.folder.is_empty() => ".".to_owned(),
            "." | "" => encoded(self.folder),
            _ if path.starts_with('/') => encoded(path),
            _ if is_on_drive(path) => encoded(&format!("/{path}")).replacen("%3A", ":", 1),
            _ if is_url(path) => encoded_url(path),
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

/// True for a URL: a scheme of at least two characters, and `://`.
fn is_url(path: &str) -> bool {
    let Some((scheme, _)) = path.split_once("://") else { return false };
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    scheme.len() > 1 && scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.bytes().all(is_scheme)
}

/// True for an absolute path of Windows, such as `C:/a.js`.
fn is_on_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [drive, b':', b'/', rest @ ..] if drive.is_ascii_alphabetic() && !rest.starts_with(b"/"))
}

/// URL with percent-encoded characters where RFC 3986 allows none of them. Encoded ones stay.
fn encoded_url(url: &str) -> String {
    let is_code = |rest: &[u8]| rest.get(1..3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let bytes = url.as_bytes();
    let mut uri = String::with_capacity(url.len());
    for (position, &byte) in bytes.iter().enumerate() {
        match byte {
            b'%' if is_code(&bytes[position..]) => uri.push('%'),
            // A scheme-specific part has at most one `#`, and brackets only around an address.
            _ if byte.is_ascii_alphanumeric() || b"-._~:/?@!$&'()*+,;=".contains(&byte) => uri.push(char::from(byte)),
            b'#' if !bytes[..position].contains(&b'#') => uri.push('#'),
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
    fn urls_stay_urls() {
        let uris = Uris::new("src/");
        assert_eq!(uris.of("https://cdn.example/a b.js?v=1#top"), "https://cdn.example/a%20b.js?v=1#top");
        assert_eq!(uris.of("webpack://app/./src/%41\u{e4}%.js#a#b"), "webpack://app/./src/%41%C3%A4%25.js#a%23b");
        assert_eq!(uris.of("C:/a b.js"), "file:///C:/a%20b.js");
        assert_eq!(uris.of("a://b"), "src/a%3A//b");
        assert_eq!(uris.of("1a://b"), "src/1a%3A//b");
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
