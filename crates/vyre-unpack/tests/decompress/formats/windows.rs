//! Compound files: an installer package of wixl.

use vyre_unpack::ProblemKind;

use super::{assert_limited, bytes, fixture, text};
use crate::collect::{kinds, open, open_clean};

#[test]
fn installer_packages_are_unpacked_with_the_cabinet_in_them() {
    let collected = open_clean("x.msi", fixture("cfb", "msi"));
    let paths = collected.paths();
    for stream in ["!Property", "!_StringData", "[5]SummaryInformation", "p.cab"] {
        assert!(paths.iter().any(|path| path == stream), "{stream} in {paths:?}");
    }
    assert_eq!(bytes(&collected, "p.cab!/F"), text());
}

#[test]
fn damage_of_compound_files_is_reported() {
    let package = fixture("cfb", "msi");
    let mut changed = package.clone();
    // The first sector of the directory.
    changed[48] ^= 0x40;
    let (_, result) = crate::collect::open_with("x.msi", changed, Default::default());
    assert!(result.map_or(true, |summary| !summary.is_clean()));
    let (_, result) = crate::collect::open_with("x.msi", package[..package.len() / 2].to_vec(), Default::default());
    assert!(result.map_or(true, |summary| !summary.is_clean()));
    assert_limited("x.msi", package);
}

/// A cabinet of one folder with one block, and files of these sizes, all from the start of the folder.
fn cabinet(compression: u16, block: &[u8], output: u16, sizes: &[u32]) -> Vec<u8> {
    let mut records = Vec::new();
    for (index, size) in sizes.iter().enumerate() {
        records.extend(size.to_le_bytes());
        records.extend([0; 12]);
        records.extend(format!("{index}\0").bytes());
    }
    let files = 36 + 8;
    let data = files + records.len() as u32;
    let size = data + 8 + block.len() as u32;
    let words = |words: &[u16]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let mut cabinet = b"MSCF\0\0\0\0".to_vec();
    cabinet.extend([size, 0, files, 0].iter().flat_map(|word| word.to_le_bytes()));
    cabinet.extend([3, 1]);
    cabinet.extend(words(&[1, sizes.len() as u16, 0, 0, 0]));
    cabinet.extend(data.to_le_bytes());
    cabinet.extend(words(&[1, compression]));
    cabinet.extend(records);
    cabinet.extend(0u32.to_le_bytes());
    cabinet.extend(words(&[block.len() as u16, output]));
    cabinet.extend(block);
    cabinet
}

/// LZX with a window of 32 KiB.
const LZX: u16 = 3 | 15 << 8;

/// An uncompressed block of LZX: no translation of calls, type 3, 15 bytes; three offsets; the bytes, padded.
#[test]
fn lzx_blocks_are_decoded() {
    let mut block = vec![0x00, 0x30, 0xf0, 0x00];
    block.extend([1u32; 3].iter().flat_map(|offset| offset.to_le_bytes()));
    block.extend(b"console.log(1)\n\0");
    let collected = open_clean("x.cab", cabinet(LZX, &block, 15, &[15]));
    assert_eq!((bytes(&collected, "0"), collected.get("0").method), (&b"console.log(1)\n"[..], "lzx"));
}

#[test]
fn random_lzx_blocks_are_refused() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..3000u32 {
        let length = 16 + random() as usize % 400;
        let mut block: Vec<u8> = (0..length).map(|_| random() as u8).collect();
        // A block type that exists: verbatim, aligned or uncompressed.
        block[1] = ((round % 3 + 1) as u8) << 4 | block[1] & 0x8f;
        let size = 1 + random() as u16 % 0x8000;
        let (collected, _) = open("x.cab", cabinet(LZX, &block, size, &[u32::from(size)]));
        assert!(collected.get("0").bytes.len() <= usize::from(size));
    }
}

/// Files of a cabinet may share bytes; each of them counts.
#[test]
fn overlapping_files_count_towards_the_limits() {
    let cabinet = cabinet(0, &[7; 30_000], 30_000, &[30_000; 2000]);
    let wide = vyre_unpack::Limits::default().with_ratio(100_000);
    let (collected, result) = crate::collect::open_with("x.cab", cabinet.clone(), crate::collect::limited(wide));
    assert_eq!((collected.entries.len(), result.unwrap().damaged), (2000, 0));
    let limits = vyre_unpack::Limits::default().with_total(1 << 20);
    let (collected, result) = crate::collect::open_with("x.cab", cabinet, crate::collect::limited(limits));
    let output: usize = collected.entries.iter().map(|entry| entry.bytes.len()).sum();
    assert!(result.is_err() && output <= 1 << 20, "{output}");
    let last = collected.entries.last().unwrap();
    assert!(matches!(kinds(&last.problems)[..], [ProblemKind::Limit(_)]));
}
