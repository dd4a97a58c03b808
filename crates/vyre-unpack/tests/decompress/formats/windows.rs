//! Compound files: an installer package of wixl.

use vyre_unpack::ProblemKind;

use super::{assert_limited, bytes, fixture, text};
use crate::collect::{kinds, open_clean};

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

/// Files of a cabinet may share bytes; each of them counts.
#[test]
fn overlapping_files_count_towards_the_limits() {
    let data = [7u8; 30_000];
    let mut records = Vec::new();
    for index in 0..2000u32 {
        records.extend(30_000u32.to_le_bytes());
        records.extend([0; 12]);
        records.extend(format!("{index}\0").bytes());
    }
    let folder = 36u32;
    let files = folder + 8;
    let block = files + records.len() as u32;
    let size = block + 8 + data.len() as u32;
    let mut cabinet = b"MSCF\0\0\0\0".to_vec();
    cabinet.extend([size, 0, files, 0].iter().flat_map(|word| word.to_le_bytes()));
    cabinet.extend([3, 1]);
    cabinet.extend([1u16, 2000, 0, 0, 0].iter().flat_map(|word| word.to_le_bytes()));
    cabinet.extend(block.to_le_bytes());
    cabinet.extend([1u16, 0].iter().flat_map(|word| word.to_le_bytes()));
    cabinet.extend(records);
    cabinet.extend(0u32.to_le_bytes());
    cabinet.extend([30_000u16, 30_000].iter().flat_map(|word| word.to_le_bytes()));
    cabinet.extend(data);
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
