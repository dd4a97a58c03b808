//! RPM packages of rpmbuild.

use vyre_unpack::{EntryKind, ProblemKind};

use super::{assert_limited, bytes, fixture};
use crate::collect::{kinds, open, open_clean};

#[test]
fn scripts_and_payload_are_unpacked() {
    for (compression, suffix) in [("gzip", "gz"), ("zstd", "zst"), ("xz", "xz")] {
        let collected = open_clean("tool.rpm", fixture("rpm", compression));
        assert_eq!(bytes(&collected, "scripts/postinstall"), b"echo installed");
        let payload = format!("payload.cpio.{suffix}");
        assert!(collected.get(&payload).is_opened, "{compression}");
        assert_eq!(bytes(&collected, &format!("{payload}!/./usr/bin/tool")), b"#!/bin/sh\n");
        let link = collected.get(&format!("{payload}!/./usr/bin/link"));
        assert_eq!(link.kind, EntryKind::Symlink { target: b"tool".to_vec() });
    }
}

#[test]
fn a_changed_payload_is_reported() {
    let mut package = fixture("rpm", "gzip");
    let last = package.len() - 30;
    package[last] ^= 1;
    let (collected, _) = open("tool.rpm", package.clone());
    let problems = kinds(&collected.get("payload.cpio.gz").problems);
    assert!(matches!(problems[..], [ProblemKind::Checksum { what: "start of the SHA-256", .. }]), "{problems:?}");
    package.truncate(200);
    let (_, result) = crate::collect::open_with("tool.rpm", package, Default::default());
    assert!(result.is_err());
    assert_limited("tool.rpm", fixture("rpm", "gzip"));
}

/// A header with these tags: type, count and data of each.
fn header(tags: &[(u32, u32, u32, Vec<u8>)]) -> Vec<u8> {
    let (mut index, mut data) = (Vec::new(), Vec::new());
    for (tag, kind, count, bytes) in tags {
        index.extend([*tag, *kind, data.len() as u32, *count].iter().flat_map(|number| number.to_be_bytes()));
        data.extend(bytes);
    }
    let mut header = b"\x8e\xad\xe8\x01\0\0\0\0".to_vec();
    header.extend((tags.len() as u32).to_be_bytes());
    header.extend((data.len() as u32).to_be_bytes());
    [header, index, data].concat()
}

/// Packages with a file over 4 GiB have a payload without names and sizes; the main header has them.
#[test]
fn a_payload_without_names_takes_them_from_the_header() {
    let sizes: Vec<u8> = [3u64, 0, 5].iter().flat_map(|size| size.to_be_bytes()).collect();
    let modes: Vec<u8> = [0o100_600u16, 0o040_755, 0o100_644].iter().flat_map(|mode| mode.to_be_bytes()).collect();
    let indexes = [0u32, 0, 1].iter().flat_map(|index| index.to_be_bytes()).collect();
    let main = header(&[
        (1117, 8, 3, b"a\0d\0b\0".to_vec()),
        (1118, 8, 2, b"/\0/d/\0".to_vec()),
        (1116, 4, 3, indexes),
        (1030, 3, 3, modes),
        (5008, 5, 3, sizes),
    ]);
    let payload = b"07070X00000000\0\0abc\0".to_vec();
    let payload = [payload, b"07070X00000001\0\0".to_vec(), b"07070X00000002\0\0world\0\0\0".to_vec()].concat();
    let package = |payload: &[u8]| {
        let lead = [&b"\xed\xab\xee\xdb"[..], &[0; 92]].concat();
        let payload = crate::collect::gzip(payload);
        let signature = header(&[]);
        assert_eq!((lead.len() + signature.len()) % 8, 0);
        [lead, signature, main.clone(), payload].concat()
    };
    let collected = open_clean("x.rpm", package(&payload));
    assert_eq!(collected.files(), [("./a".to_owned(), b"abc".to_vec()), ("./d/b".to_owned(), b"world".to_vec())]);
    assert_eq!((collected.get("./a").mode, &collected.get("./d").kind), (Some(0o600), &EntryKind::Directory));
    let (collected, _) = open("x.rpm", package(&payload[..payload.len() - 5]));
    assert!(matches!(kinds(&collected.get("./d/b").problems)[..], [ProblemKind::Size { expected: 5, found: 3 }]));
}
