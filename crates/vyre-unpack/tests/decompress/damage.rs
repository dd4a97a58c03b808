//! Damaged archives: every byte changed, and truncation at every byte. Nothing panics, intact entries are emitted, and no byte
//! under a checksum is wrong without a problem.

use vyre_unpack::{EntryKind, Options};
use zip::CompressionMethod;

use crate::asar::asar;
use crate::collect::{gzip, noise, open_with, text};
use crate::tar::{member, tar_of};
use crate::zip::{Part, build, zip_of};

/// Files of an archive.
type Files = Vec<(&'static str, Vec<u8>)>;

/// Small archives of all formats, with their files, and true if contents have checksums.
fn archives() -> Vec<(&'static str, Vec<u8>, Files, bool)> {
    let files = vec![("first", text(120)), ("d/second", noise(40, 1)), ("third", Vec::new()), ("fourth", text(30))];
    let mut descriptor = Part::deflated("first", &text(120));
    descriptor.flags = 8;
    descriptor.has_sizes = false;
    descriptor.after = [
        b"PK\x07\x08".to_vec(),
        descriptor.crc32.to_le_bytes().to_vec(),
        (descriptor.data.len() as u32).to_le_bytes().to_vec(),
        120u32.to_le_bytes().to_vec(),
    ]
    .concat();
    let with_descriptor = build(&[descriptor, Part::stored("second", b"second")]);
    let pax =
        [member(b"x", b'x', b"22 path=a/longer/name\n"), member(b"s", b'0', b"data"), member(b"t", b'0', b"more")];
    let json = r#"{"files":{"a":{"size":4,"offset":"0"},"d":{"files":{"b":{"size":4,"offset":"4"}}}}}"#;
    vec![
        ("zip", zip_of(&files, CompressionMethod::Deflated), files.clone(), true),
        ("zip", zip_of(&files, CompressionMethod::Stored), files.clone(), true),
        ("zip", with_descriptor, vec![("first", text(120)), ("second", b"second".to_vec())], true),
        ("tar", tar_of(&files), files.clone(), false),
        ("tar", pax.concat(), vec![("a/longer/name", b"data".to_vec()), ("t", b"more".to_vec())], false),
        ("tgz", gzip(&tar_of(&files)), files, false),
        ("asar", asar(json, b"aaaabbbb"), vec![("a", b"aaaa".to_vec()), ("d/b", b"bbbb".to_vec())], false),
    ]
}

/// Number of files that arrived complete and without a problem. All others must have a problem.
fn check(kind: &str, archive: Vec<u8>, files: &[(&str, Vec<u8>)], has_checksums: bool, what: &str) -> usize {
    let (collected, result) = open_with("x", archive, Options::default());
    let Ok(summary) = result else { return 0 };
    let mut good = 0;
    for entry in collected.entries.iter().filter(|entry| entry.path.names.len() == 1) {
        let name = entry.path.display();
        let known = files.iter().find(|(known, _)| *known == name);
        let is_right = known.is_some_and(|(_, bytes)| entry.bytes[..] == bytes[..]);
        if entry.problems.is_empty() && entry.kind == EntryKind::File {
            good += usize::from(is_right);
            assert!(is_right || !has_checksums || !summary.is_clean(), "{kind} {what}: {name}");
            // Bytes under a checksum are right, whatever else is damaged.
            if has_checksums && let Some((_, bytes)) = known {
                assert!(entry.bytes[..] == bytes[..], "{kind} {what}: {name}");
            }
        }
    }
    good
}

#[test]
fn changed_bytes_are_reported() {
    for (kind, archive, files, has_checksums) in archives() {
        for at in 0..archive.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut changed = archive.clone();
                changed[at] ^= change;
                let what = format!("byte {at} ^ {change:02x}");
                let good = check(kind, changed.clone(), &files, has_checksums, &what);
                // One file and the name of another one may be damaged. In zip archives all others are emitted, marked if the
                // directory is damaged.
                match kind {
                    "tar" => assert!(good + 2 >= files.len(), "{what}: {good}"),
                    "zip" => {
                        let (collected, _) = open_with("x", changed, Options::default());
                        let is_there = |bytes: &[u8]| collected.entries.iter().any(|entry| entry.bytes[..] == *bytes);
                        let lost: Vec<_> = files.iter().filter(|(_, bytes)| !is_there(bytes)).collect();
                        assert!(lost.len() <= 1, "{what}: {lost:?}");
                    }
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn truncation_at_every_byte_is_reported() {
    for (kind, archive, files, has_checksums) in archives() {
        for length in 0..archive.len() {
            check(kind, archive[..length].to_vec(), &files, has_checksums, &format!("cut at {length}"));
            // A truncated archive is never taken for a complete one, except for zeros at the end of tar.
            let (collected, result) = open_with("x", archive[..length].to_vec(), Options::default());
            if let Ok(summary) = result
                && summary.is_clean()
            {
                assert_eq!(kind, "tar", "cut at {length}");
                let rest = &archive[length..];
                let is_member_end = collected.entries.iter().all(|entry| entry.problems.is_empty());
                assert!(is_member_end && (rest.iter().all(|&byte| byte == 0) || length % 512 == 0));
            }
        }
    }
}

#[test]
fn zeros_and_noise_never_panic() {
    for (kind, archive, files, has_checksums) in archives() {
        for start in (0..archive.len()).step_by(7) {
            for length in [3, 30, 200] {
                let end = (start + length).min(archive.len());
                let mut zeroed = archive.clone();
                zeroed[start..end].fill(0);
                check(kind, zeroed, &files, has_checksums, &format!("zeros at {start}"));
                let mut noisy = archive.clone();
                noisy[start..end].copy_from_slice(&noise(end - start, start as u64));
                check(kind, noisy, &files, has_checksums, &format!("noise at {start}"));
                // A part removed.
                let shorter = [&archive[..start], &archive[end..]].concat();
                check(kind, shorter, &files, has_checksums, &format!("{length} fewer at {start}"));
            }
        }
    }
}
