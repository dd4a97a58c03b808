//! Package URLs: `pkg:npm/%40scope/name@1.0.0`.

use crate::ecosystem::Ecosystem;

/// Ecosystem, name and version of a package URL. None: it is no package URL.
pub(crate) fn parse(purl: &str) -> Option<(Ecosystem, String, String)> {
    let rest = purl.strip_prefix("pkg:")?.trim_start_matches('/');
    let rest = rest.split(['?', '#']).next()?;
    let (kind, path) = rest.split_once('/')?;
    let (path, version) = path.rsplit_once('@').unwrap_or((path, ""));
    let name = decode(path.trim_matches('/'));
    // Groups of Maven are separated from names by a colon everywhere else.
    let name = if kind.eq_ignore_ascii_case("maven") { name.replacen('/', ":", 1) } else { name };
    Some((Ecosystem::from_purl_type(&kind.to_ascii_lowercase()), name, decode(version)))
}

/// Decodes `%40` and the like. Invalid escapes stay.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_urls_have_names_and_versions() {
        let parsed = |purl| parse(purl).map(|(ecosystem, name, version)| (ecosystem.to_string(), name, version));
        let some = |kind: &str, name: &str, version: &str| Some((kind.to_owned(), name.to_owned(), version.to_owned()));
        assert_eq!(parsed("pkg:npm/%40scope/a@1.0.0?x=y#z"), some("npm", "@scope/a", "1.0.0"));
        assert_eq!(parsed("pkg:maven/org.a/b@1%2B2"), some("maven", "org.a:b", "1+2"));
        assert_eq!(parsed("pkg:golang/example.com/a/b@v1.0.0"), some("golang", "example.com/a/b", "v1.0.0"));
        assert_eq!(parsed("pkg:pypi/a"), some("pypi", "a", ""));
        assert_eq!(parsed("a@1"), None);
    }
}
