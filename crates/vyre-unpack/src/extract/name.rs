//! Names of entries as places below a directory.

use std::borrow::Cow;
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

use super::refusal::Refusal;

/// The longest part of a name: what Linux, macOS and Windows take.
const LONGEST_PART: usize = 255;
/// The longest path, and the longest target of a symbolic link: one less than what Linux takes, for its last byte.
pub(super) const LONGEST_PATH: usize = 4095;
/// The most directories one inside the other.
pub(super) const DEEPEST: usize = 128;

/// A place below the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The parts of the path with `/` between them, none of them empty, `.` or `..`; empty for the directory itself.
    pub(super) path: Vec<u8>,
    /// How long the path of the archive's own directory is: 0 for the outermost one.
    pub(super) root: usize,
}

impl Place {
    /// The place of an entry: what is in an archive inside the archive is in a directory with the name of that archive and
    /// `!` at its end.
    pub(super) fn new(names: &[Vec<u8>], system: System) -> Result<Place, Refusal> {
        let Some((own, around)) = names.split_last() else { return Err(Refusal::EmptyName) };
        let mut path = Vec::with_capacity(names.iter().map(|name| name.len() + 2).sum::<usize>().min(LONGEST_PATH));
        for name in around {
            let before = path.len();
            append(&mut path, name, system)?;
            if path.len() == before {
                return Err(Refusal::EmptyName);
            }
            path.push(b'!');
        }
        let root = path.len();
        append(&mut path, own, system)?;
        let place = Place { path, root };
        place.check()?;
        Ok(place)
    }

    /// The same with something at the end of the name.
    pub(super) fn with_suffix(mut self, suffix: &[u8]) -> Result<Place, Refusal> {
        self.path.extend_from_slice(suffix);
        self.check()?;
        Ok(self)
    }

    /// Whether this is the directory of the archive itself.
    pub(super) fn is_root(&self) -> bool {
        self.path.len() == self.root
    }

    /// The path of the directory that it is in, and its name there.
    pub(super) fn split(&self) -> (&[u8], &[u8]) {
        split(&self.path)
    }

    fn check(&self) -> Result<(), Refusal> {
        let is_long = |part: &[u8]| part.len() > LONGEST_PART;
        let mut parts = self.path.split(|&byte| byte == b'/');
        let deep = self.path.iter().filter(|&&byte| byte == b'/').count() >= DEEPEST;
        if self.path.len() > LONGEST_PATH || deep || parts.any(is_long) { Err(Refusal::NameTooLong) } else { Ok(()) }
    }
}

/// The directory of a path, and the name there.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&[], path),
    }
}

/// Whose names they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    /// Names are bytes, `/` separates them.
    Unix,
    /// `\` separates too, `:` is no part of names, and some names are devices.
    Windows,
}

impl System {
    /// That of this machine.
    pub(super) const HERE: System = if cfg!(windows) { System::Windows } else { System::Unix };
}

/// Whether a name begins at a root, a drive or a server. What would on Windows is hostile everywhere.
pub(super) fn is_absolute(name: &[u8]) -> bool {
    matches!(name, [b'/' | b'\\', ..]) || matches!(name, [drive, b':', ..] if drive.is_ascii_alphabetic())
}

/// Appends the parts of a name to a path. `.` and empty parts are left out, as all tools do.
fn append(path: &mut Vec<u8>, name: &[u8], system: System) -> Result<(), Refusal> {
    if name.is_empty() {
        return Err(Refusal::EmptyName);
    }
    if name.contains(&0) {
        return Err(Refusal::NulInName);
    }
    if name.len() > LONGEST_PATH {
        return Err(Refusal::NameTooLong);
    }
    if is_absolute(name) {
        return Err(Refusal::AbsolutePath);
    }
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    // Whoever copies the tree to Windows must be safe too.
    if name.split(is_separator).any(|part| part == b"..") {
        return Err(Refusal::PathTraversal);
    }
    for part in name.split(|byte| *byte == b'/' || (system == System::Windows && *byte == b'\\')) {
        if part.is_empty() || part == b"." {
            continue;
        }
        if system == System::Windows && !is_windows_name(part) {
            return Err(Refusal::UnsupportedName);
        }
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(part);
    }
    Ok(())
}

/// Whether Windows has files with this name, and means this name when it reads it.
fn is_windows_name(part: &[u8]) -> bool {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let Ok(text) = std::str::from_utf8(part) else { return false };
    let stem = text.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_port = matches!(stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")), Some(port)
        if port.chars().count() == 1 && port.contains(|c| matches!(c, '0'..='9' | '¹' | '²' | '³')));
    let is_forbidden = |c: char| matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*') || c < ' ';
    !text.contains(is_forbidden) && !text.ends_with(['.', ' ']) && !DEVICES.contains(&&*stem) && !is_port
}

/// A path that is the same for names that some file system takes for the same: without case, and decomposed.
pub(super) fn folded(path: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(path) {
        Ok(text) if !text.is_ascii() => {
            text.nfkd().flat_map(char::to_lowercase).collect::<String>().nfkd().collect::<String>().into_bytes()
        }
        _ => path.to_ascii_lowercase(),
    }
}

/// Bytes as a path of this system. Without bytes in paths, what is no Unicode is replaced; names are checked before.
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

/// The bytes of what a symbolic link says.
pub(super) fn as_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(names: &[&[u8]], system: System) -> Result<String, Refusal> {
        let names: Vec<Vec<u8>> = names.iter().map(|name| name.to_vec()).collect();
        Place::new(&names, system).map(|place| String::from_utf8_lossy(&place.path).into_owned())
    }

    #[test]
    fn names_that_lead_down_are_places() {
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
        ] {
            assert_eq!(place(&[name.as_bytes()], System::Unix), Ok(path.to_owned()), "{name}");
        }
        assert_eq!(place(&[b"lib/in.jar", b"x.zip", b"a/b"], System::Unix), Ok("lib/in.jar!/x.zip!/a/b".to_owned()));
        assert_eq!(place(&[b"a\\b/c"], System::Windows), Ok("a/b/c".to_owned()));
    }

    #[test]
    fn names_that_do_not_are_refused() {
        for (name, refusal) in [
            (&b""[..], Refusal::EmptyName),
            (b"a\0b", Refusal::NulInName),
            (b"/etc/passwd", Refusal::AbsolutePath),
            (b"//server/share", Refusal::AbsolutePath),
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
            for system in [System::Unix, System::Windows] {
                let shown = String::from_utf8_lossy(name);
                assert_eq!(place(&[name], system), Err(refusal), "{shown}");
                assert_eq!(place(&[b"in.zip", name], system), Err(refusal), "{shown}");
                assert_eq!(place(&[name, b"a"], system), Err(refusal), "{shown}");
            }
        }
        assert_eq!(place(&[b".", b"a"], System::Unix), Err(Refusal::EmptyName));
        assert!(place(&[&[b'n'; 255]], System::Unix).is_ok());
        assert!(place(&[&b"a/".repeat(128)], System::Unix).is_ok());
    }

    #[test]
    fn windows_has_names_that_are_none() {
        for name in ["nul", "NUL.txt", "a/Con", "com1", "LPT¹.x", "ab:c", "a.", "a ", "a?", "a\u{1}"] {
            assert_eq!(place(&[name.as_bytes()], System::Windows), Err(Refusal::UnsupportedName), "{name}");
            assert!(place(&[name.as_bytes()], System::Unix).is_ok(), "{name}");
        }
        assert_eq!(place(&[b"a\xff"], System::Windows), Err(Refusal::UnsupportedName));
        for name in ["null", "com", "com10", "console", "a.b"] {
            assert!(place(&[name.as_bytes()], System::Windows).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_file_systems_take_for_the_same_is_the_same() {
        for (one, other) in [("README", "readme"), ("\u{e9}", "e\u{301}"), ("\u{c9}", "e\u{301}"), ("\u{212a}", "k")] {
            assert_eq!(folded(one.as_bytes()), folded(other.as_bytes()), "{one} {other}");
        }
        assert_ne!(folded(b"a"), folded(b"b"));
    }
}
