//! Archives of formats that are known but not supported. They are named, so that nobody takes them for ordinary files.

/// Formats by the bytes at an offset.
const FORMATS: [(usize, &[u8], &str); 4] = [
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (0, b"xar!", "xar archive"),
    (0, b"MSWIM\0\0\0", "WIM image"),
    (0, b"!<thin>\n", "thin ar archive"),
];
/// Size of the trailer of an Apple disk image.
const DISK_IMAGE_TRAILER_BYTES: usize = 512;

/// Name of the unsupported format of these bytes.
pub(crate) fn foreign_format(bytes: &[u8]) -> Option<&'static str> {
    let starts =
        |(offset, magic, _): &&(usize, &[u8], &str)| bytes.get(*offset..).is_some_and(|at| at.starts_with(magic));
    let trailer =
        || bytes.len().checked_sub(DISK_IMAGE_TRAILER_BYTES).is_some_and(|at| bytes[at..].starts_with(b"koly"));
    FORMATS.iter().find(starts).map(|(_, _, name)| *name).or_else(|| trailer().then_some("Apple disk image"))
}
