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
    let known = || FORMATS.iter().find(starts).map(|(_, _, name)| *name);
    rar(bytes).or_else(known).or_else(|| trailer().then_some("Apple disk image"))
}

/// Description of a RAR archive that is encrypted or split, by its main header.
///
/// Version 4 has the flags of the main header at byte 10. Version 5 has a checksum of 4 bytes, the size, type and flags of the
/// header, the size of an extra area, and the flags of the archive, all but the first in 7 bits for each byte.
fn rar(bytes: &[u8]) -> Option<&'static str> {
    let (is_encrypted, is_part) = if bytes.starts_with(b"Rar!\x1a\x07\x00") && bytes.get(9) == Some(&0x73) {
        let flags = *bytes.get(10)?;
        (flags & 0x80 != 0, flags & 1 != 0)
    } else {
        let header = bytes.strip_prefix(b"Rar!\x1a\x07\x01\x00")?.get(4..)?;
        let mut numbers = header.iter().copied().scan(0u64, |pending, byte| {
            *pending = *pending << 7 | u64::from(byte & 0x7f);
            let number = (byte & 0x80 == 0).then(|| std::mem::take(pending));
            Some(number)
        });
        let mut number = || numbers.find_map(|number| number);
        let (_, kind, flags) = (number()?, number()?, number()?);
        let _ = (flags & 1 != 0).then(&mut number);
        (kind == 4, kind == 1 && number()? & 1 != 0)
    };
    match (is_encrypted, is_part) {
        (true, _) => Some("encrypted RAR archive"),
        (false, true) => Some("part of a RAR archive that was split"),
        (false, false) => None,
    }
}
