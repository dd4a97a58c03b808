//! Archives of formats that are known but not supported. They are named, so that nobody takes them for ordinary files.

/// Formats by the bytes at an offset.
const FORMATS: [(usize, &[u8], &str); 9] = [
    (0, b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (0, b"MSCF\0\0\0\0", "cabinet file"),
    (0, b"\xed\xab\xee\xdb", "RPM package"),
    (0, b"xar!", "xar archive"),
    (0, b"hsqs", "squashfs image"),
    (0, b"MSWIM\0\0\0", "WIM image"),
    (0, b"!<thin>\n", "thin ar archive"),
    (0x8001, b"CD001", "ISO 9660 image"),
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
