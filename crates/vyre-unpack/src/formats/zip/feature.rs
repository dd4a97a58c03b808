//! Features of zip entries: compression methods, and flags of what is not supported.

use super::super::{bzip2, deflate64, lzma, ppmd, xz, zstd};
use crate::archive::Method;

/// The compression method of a method id, if it is supported.
pub(super) fn method_of(id: u16) -> Option<Method> {
    match id {
        0 => Some(Method::Stored),
        8 => Some(Method::Deflate),
        9 => Some(Method::Stream(&deflate64::FORMAT)),
        12 => Some(Method::Stream(&bzip2::FORMAT)),
        14 => Some(Method::Stream(&lzma::ZIP_FORMAT)),
        20 | 93 => Some(Method::Stream(&zstd::FORMAT)),
        95 => Some(Method::Stream(&xz::FORMAT)),
        98 => Some(Method::Stream(&ppmd::FORMAT)),
        _ => None,
    }
}

/// Flags of features that are not supported.
pub(super) const UNSUPPORTED_FLAGS: u16 = 1 | 1 << 5 | 1 << 6 | 1 << 13;

/// Unsupported feature of an entry, by its flags and method.
///
/// | Flag bit | Feature |
/// |---|---|
/// | 0 | encryption |
/// | 5 | patched data |
/// | 6 | strong encryption |
/// | 13 | encrypted central directory |
pub(super) fn unsupported_feature(flags: u16, method: u16) -> Option<String> {
    match (flags, method) {
        (flags, _) if flags & (1 | 1 << 6 | 1 << 13) != 0 => Some("encryption".to_owned()),
        (_, 99) => Some("encryption".to_owned()),
        (flags, _) if flags & (1 << 5) != 0 => Some("patches".to_owned()),
        _ => None,
    }
}

/// Name of a method that is not supported: its number, and its name if it has one.
pub(super) fn method_name(method: u16) -> String {
    let name = match method {
        1 => "shrunk",
        2..=5 => "reduced",
        6 => "imploded",
        96 => "JPEG",
        97 => "WavPack",
        _ => return method.to_string(),
    };
    format!("{method} ({name})")
}
