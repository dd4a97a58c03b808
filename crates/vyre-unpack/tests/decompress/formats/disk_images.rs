//! Images of squashfs and ISO 9660, written by mksquashfs and genisoimage.

use vyre_unpack::{EntryKind, ProblemKind};

use super::{assert_limited, bytes, code, fixture, text};
use crate::collect::{kinds, open, open_clean};

#[test]
fn squashfs_images_of_every_compression_are_read() {
    for compression in ["gzip", "xz", "zstd", "lz4"] {
        let collected = open_clean("x.squashfs", fixture("squashfs", compression));
        let mut paths = collected.paths();
        paths.sort_unstable();
        assert_eq!(paths, ["a.txt", "dir", "dir/empty", "dir/index.js", "dir/large", "dir/link"], "{compression}");
        assert_eq!(bytes(&collected, "a.txt"), text());
        // Two blocks and a part of a fragment.
        assert!(bytes(&collected, "dir/large") == &code()[..9000], "{compression}");
        assert_eq!(collected.get("dir/link").kind, EntryKind::Symlink { target: b"../a.txt".to_vec() });
        assert_eq!(collected.get("dir/index.js").mode, Some(0o755));
    }
    let lzo = open_with_result("lzo");
    assert!(lzo.contains("squashfs compression 3 (lzo)"), "{lzo}");
}

/// The error of an image.
fn open_with_result(name: &str) -> String {
    let (_, result) = crate::collect::open_with("x", fixture("squashfs", name), Default::default());
    result.unwrap_err().to_string()
}

#[test]
fn damage_of_squashfs_images_is_reported() {
    let image = fixture("squashfs", "gzip");
    let (_, result) = crate::collect::open_with("x", image[..image.len() / 2].to_vec(), Default::default());
    assert!(result.map_or(true, |summary| !summary.is_clean()));
    let mut changed = image;
    changed[100] ^= 0x55;
    let (_, summary) = open("x", changed);
    assert!(summary.damaged > 0);
    assert_limited("x", fixture("squashfs", "zstd"));
    // A file of one gigabyte without any stored block.
    let (collected, _) = open("x", fixture("squashfs", "bomb"));
    assert!(matches!(kinds(&collected.get("sparse").problems)[..], [ProblemKind::Limit(_)]));
}

#[test]
fn iso_images_are_read_with_long_names() {
    for name in ["both", "rock_ridge"] {
        let collected = open_clean("x.iso", fixture("iso", name));
        let mut paths = collected.paths();
        paths.sort_unstable();
        assert_eq!(paths, ["a.txt", "dir", "dir/empty", "dir/index.js", "dir/large", "dir/link"], "{name}");
        assert_eq!(bytes(&collected, "a.txt"), text());
        assert_eq!(bytes(&collected, "dir/index.js"), b"console.log(1)\n");
        assert_eq!(collected.get("dir/link").kind, EntryKind::Symlink { target: b"../a.txt".to_vec() });
        assert_eq!(collected.get("dir/index.js").mode.map(|mode| mode & 0o111), Some(0o111));
    }
    let collected = open_clean("x.iso", fixture("iso", "joliet"));
    assert_eq!(bytes(&collected, "dir/index.js"), b"console.log(1)\n");
    assert!(collected.get("dir/index.js").mode.is_none());
    let collected = open_clean("x.iso", fixture("iso", "plain"));
    assert_eq!(bytes(&collected, "A.TXT"), text());
    assert_eq!(bytes(&collected, "DIR/INDEX.JS"), b"console.log(1)\n");
}

/// A file that only the tree of Joliet has is seen by Windows and not by Linux.
#[test]
fn files_of_only_one_tree_are_listed() {
    let mut image = fixture("iso", "both");
    let name: Vec<u8> = [10].into_iter().chain("a.txt".encode_utf16().flat_map(u16::to_be_bytes)).collect();
    let place = image.windows(name.len()).position(|window| window == name).expect("the tree of Joliet has the file");
    // The record states the sector of the data 30 bytes before the length of the name, in both byte orders.
    let sector = u32::from_le_bytes(image[place - 30..place - 26].try_into().unwrap()) + 1;
    image[place - 30..place - 26].copy_from_slice(&sector.to_le_bytes());
    let (collected, summary) = open("x.iso", image);
    let found = collected.entries.iter().filter(|entry| entry.path.display() == "a.txt");
    let problems: Vec<_> = found.flat_map(|entry| kinds(&entry.problems)).collect();
    assert!(problems.iter().any(|kind| matches!(kind, ProblemKind::Readings { .. })), "{problems:?}");
    assert!(!summary.is_clean());
}

#[test]
fn damage_of_iso_images_is_reported() {
    let image = fixture("iso", "rock_ridge");
    let (_, summary) = open("x.iso", image[..image.len() - 3000].to_vec());
    assert!(summary.damaged > 0);
    let (_, result) = crate::collect::open_with("x.iso", image[..33_000].to_vec(), Default::default());
    assert!(result.map_or(true, |summary| !summary.is_clean()));
    assert_limited("x.iso", image);
}
