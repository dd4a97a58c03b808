//! Destination paths: names of entries as paths below the extraction directory, with the checks against path traversal.

use std::borrow::Cow;
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

use super::refusal::Refusal;

/// Maximum length of a path component on Linux, macOS and Windows.
pub(super) const MAX_COMPONENT_BYTES: usize = 255;
/// Maximum length of a path and of the target of a symbolic link: `PATH_MAX` of Linux without the final zero.
pub(super) const MAX_PATH_BYTES: usize = 4095;
/// Maximum number of components of a path.
pub(super) const MAX_DEPTH: usize = 128;

/// A path below the extraction directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DestinationPath {
    /// Components with `/` between them. No component is empty, `.` or `..`. The path of the extraction directory is empty.
    pub(super) path: Vec<u8>,
    /// Length of the path of the archive's own directory: 0 for the outermost archive.
    pub(super) archive_root: usize,
}

impl DestinationPath {
    /// The path of an entry. Entries of a nested archive are in a directory with the name of that archive and the suffix `!`.
    pub(super) fn new(names: &[Vec<u8>], rules: PathRules) -> Result<DestinationPath, Refusal> {
        let Some((own, around)) = names.split_last() else { return Err(Refusal::EmptyName) };
        let mut path = Vec::with_capacity(names.iter().map(|name| name.len() + 2).sum::<usize>().min(MAX_PATH_BYTES));
        for name in around {
            let before = path.len();
            append(&mut path, name, rules)?;
            if path.len() == before {
                return Err(Refusal::EmptyName);
            }
            path.push(b'!');
        }
        let archive_root = path.len();
        append(&mut path, own, rules)?;
        let path = DestinationPath { path, archive_root };
        path.check()?;
        Ok(path)
    }

    /// Appends a suffix to the name.
    pub(super) fn with_suffix(mut self, suffix: &[u8]) -> Result<DestinationPath, Refusal> {
        self.path.extend_from_slice(suffix);
        self.check()?;
        Ok(self)
    }

    /// True for the directory of the archive itself.
    pub(super) fn is_archive_root(&self) -> bool {
        self.path.len() == self.archive_root
    }

    /// Path of the parent directory, and the name in it.
    pub(super) fn split(&self) -> (&[u8], &[u8]) {
        split(&self.path)
    }

    /// Checks the lengths of the path and its components.
    fn check(&self) -> Result<(), Refusal> {
        let is_long = |component: &[u8]| component.len() > MAX_COMPONENT_BYTES;
        let mut components = self.path.split(|&byte| byte == b'/');
        let is_deep = self.path.iter().filter(|&&byte| byte == b'/').count() >= MAX_DEPTH;
        if self.path.len() > MAX_PATH_BYTES || is_deep || components.any(is_long) {
            Err(Refusal::NameTooLong)
        } else {
            Ok(())
        }
    }
}

/// Splits a path into its directory and its last component.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&[], path),
    }
}

/// Rules for names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathRules {
    /// Names are bytes; `/` is the separator.
    Unix,
    /// `\` is a separator too, `:` is not allowed in names, and some names are devices.
    Windows,
}

impl PathRules {
    /// Rules of this system.
    pub(super) const HERE: PathRules = if cfg!(windows) { PathRules::Windows } else { PathRules::Unix };
}

/// True if a name starts with a root, a drive or a server. The Windows forms are refused on every system.
pub(super) fn is_absolute(name: &[u8]) -> bool {
    matches!(name, [b'/' | b'\\', ..]) || matches!(name, [drive, b':', ..] if drive.is_ascii_alphabetic())
}

/// Appends the components of a name to a path. Empty components and `.` are skipped, as other tools do.
fn append(path: &mut Vec<u8>, name: &[u8], rules: PathRules) -> Result<(), Refusal> {
    if name.is_empty() {
        return Err(Refusal::EmptyName);
    }
    if name.contains(&0) {
        return Err(Refusal::NulInName);
    }
    if name.len() > MAX_PATH_BYTES {
        return Err(Refusal::NameTooLong);
    }
    // A leading `/` is left out, as all installers do. A drive or a server means different things to them.
    let relative = &name[name.iter().take_while(|&&byte| byte == b'/').count()..];
    if is_absolute(relative) || (relative.is_empty() && !name.is_empty()) {
        return Err(Refusal::AbsolutePath);
    }
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    // `\` counts on every system, because the tree may be copied to Windows.
    if name.split(is_separator).any(|component| component == b"..") {
        return Err(Refusal::PathTraversal);
    }
    for component in name.split(|byte| *byte == b'/' || (rules == PathRules::Windows && *byte == b'\\')) {
        if component.is_empty() || component == b"." {
            continue;
        }
        if rules == PathRules::Windows && !is_windows_name(component) {
            return Err(Refusal::UnsupportedName);
        }
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(component);
    }
    Ok(())
}

/// True if Windows supports the name and does not change its meaning.
fn is_windows_name(component: &[u8]) -> bool {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let Ok(text) = std::str::from_utf8(component) else { return false };
    let stem = text.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_port = matches!(stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")), Some(port)
        if port.chars().count() == 1 && port.contains(|c| matches!(c, '0'..='9' | '¹' | '²' | '³')));
    let is_forbidden = |c: char| matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*') || c < ' ';
    !text.contains(is_forbidden) && !text.ends_with(['.', ' ']) && !DEVICES.contains(&&*stem) && !is_port
}

/// Case-folded and decomposed (NFKD) form of a path. Names that some file system does not distinguish have the same form.
pub(super) fn folded(path: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(path) {
        Ok(text) if !text.is_ascii() => {
            text.nfkd().flat_map(char::to_lowercase).collect::<String>().nfkd().collect::<String>().into_bytes()
        }
        _ => path.to_ascii_lowercase(),
    }
}

/// Converts bytes to a path. Systems without byte paths replace invalid Unicode; names are checked before.
pub(super) fn as_path(bytes: &[u8]) -> Cow<'_, Path> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        Cow::Borrowed(Path::new(std::ffi::OsStr::from_bytes(bytes)))
    }
    #[cfg(not(unix))]
    {
        Cow::Owned(String::from_utf8_lossy(bytes).into_owned().into())
    }
}

/// Bytes of the target of a symbolic link.
pub(super) fn as_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(names: &[&[u8]], rules: PathRules) -> Result<String, Refusal> {
        let names: Vec<Vec<u8>> = names.iter().map(|name| name.to_vec()).collect();
        DestinationPath::new(&names, rules).map(|path| String::from_utf8_lossy(&path.path).into_owned())
    }

    #[test]
    fn relative_names_are_destination_paths() {
        for (name, path) in [
            ("a", "a"),
            ("a/b.txt", "a/b.txt"),
            ("./a//b/./c/", "a/b/c"),
            ("a..b/...", "a..b/..."),
            ("a\\b", "a\\b"),
            ("ab:c", "ab:c"),
            (".", ""),
            ("./", ""),
            ("con", "con"),
            ("/etc/passwd", "etc/passwd"),
            ("//server/share", "server/share"),
        ] {
            assert_eq!(destination(&[name.as_bytes()], PathRules::Unix), Ok(path.to_owned()), "{name}");
        }
        assert_eq!(
            destination(&[b"lib/in.jar", b"x.zip", b"a/b"], PathRules::Unix),
            Ok("lib/in.jar!/x.zip!/a/b".to_owned())
        );
        assert_eq!(destination(&[b"a\\b/c"], PathRules::Windows), Ok("a/b/c".to_owned()));
    }

    #[test]
    fn unsafe_names_are_refused() {
        for (name, refusal) in [
            (&b""[..], Refusal::EmptyName),
            (b"a\0b", Refusal::NulInName),
            (b"/", Refusal::AbsolutePath),
            (b"/c:/x", Refusal::AbsolutePath),
            (b"\\\\server\\share", Refusal::AbsolutePath),
            (b"\\x", Refusal::AbsolutePath),
            (b"C:\\x", Refusal::AbsolutePath),
            (b"c:x", Refusal::AbsolutePath),
            (b"..", Refusal::PathTraversal),
            (b"../a", Refusal::PathTraversal),
            (b"a/../../b", Refusal::PathTraversal),
            (b"a/..", Refusal::PathTraversal),
            (b"a\\..\\..\\b", Refusal::PathTraversal),
            (b"a/..\\b", Refusal::PathTraversal),
            (&[b'n'; 256], Refusal::NameTooLong),
            (&b"ab/".repeat(1400), Refusal::NameTooLong),
            (&b"a/".repeat(129), Refusal::NameTooLong),
        ] {
            for rules in [PathRules::Unix, PathRules::Windows] {
                let shown = String::from_utf8_lossy(name);
                assert_eq!(destination(&[name], rules), Err(refusal), "{shown}");
                assert_eq!(destination(&[b"in.zip", name], rules), Err(refusal), "{shown}");
                assert_eq!(destination(&[name, b"a"], rules), Err(refusal), "{shown}");
            }
        }
        assert_eq!(destination(&[b".", b"a"], PathRules::Unix), Err(Refusal::EmptyName));
        assert!(destination(&[&[b'n'; 255]], PathRules::Unix).is_ok());
        assert!(destination(&[&b"a/".repeat(128)], PathRules::Unix).is_ok());
    }

    #[test]
    fn reserved_windows_names_are_refused() {
        for name in ["nul", "NUL.txt", "a/Con", "com1", "LPT¹.x", "ab:c", "a.", "a ", "a?", "a\u{1}"] {
            assert_eq!(destination(&[name.as_bytes()], PathRules::Windows), Err(Refusal::UnsupportedName), "{name}");
            assert!(destination(&[name.as_bytes()], PathRules::Unix).is_ok(), "{name}");
        }
        assert_eq!(destination(&[b"a\xff"], PathRules::Windows), Err(Refusal::UnsupportedName));
        for name in ["null", "com", "com10", "console", "a.b"] {
            assert!(destination(&[name.as_bytes()], PathRules::Windows).is_ok(), "{name}");
        }
    }

    #[test]
    fn folding_unifies_indistinguishable_names() {
        for (one, other) in [("README", "readme"), ("\u{e9}", "e\u{301}"), ("\u{c9}", "e\u{301}"), ("\u{212a}", "k")] {
            assert_eq!(folded(one.as_bytes()), folded(other.as_bytes()), "{one} {other}");
        }
        assert_ne!(folded(b"a"), folded(b"b"));
    }
}
