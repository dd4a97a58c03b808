//! URI references of paths.

/// Relative URI reference of a path: percent-encodes what RFC 3986 reserves. `!`, which follows names of archives, stays.
/// Absolute paths get the scheme `file`.
pub(super) fn encoded(path: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_percent_encoded() {
        assert_eq!(encoded("src/main.js"), "src/main.js");
        assert_eq!(encoded("a.tgz!/package/@x/b c#d:\u{e4}.js"), "a.tgz!/package/@x/b%20c%23d%3A%C3%A4.js");
        assert_eq!(encoded("/tmp/a\\b%.js"), "file:///tmp/a%5Cb%25.js");
    }
}
