//! What must hold of any archive, compressed stream and compressed block: the bodies of more fuzz targets.
//!
//! Each function panics where its property is broken.

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use vyre_ops::compression::{CompressedBlock, lz4_block_on_host, zstd_block_on_host};
use vyre_runtime::{Device, ReferenceDevice, RunOptions};
use vyre_unpack::{DecompressError, Entry, EntryKind, Limits, Options, Receiver, Route, Summary, Unpacker};

use crate::compression::check::{Checker, reference};

/// How much the archives of fuzz targets may ask for.
const LIMITS: Limits = Limits { total: 8 << 20, entry: 4 << 20, ratio: 250, entries: 1_000, depth: 6 };
/// The largest archive, and the most output, with which the reference device is asked as well.
const MOST_DEVICE_INPUT: usize = 4 << 10;
const MOST_DEVICE_OUTPUT: u64 = 16 << 10;
/// The most output of a single block.
const MOST_BLOCK_OUTPUT: u32 = 4 << 10;

/// A format whose parser is looked at by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Zip archives.
    Zip,
    /// Tar archives. Checksums of headers are put right before, so that what is behind them is reached.
    Tar,
    /// gzip streams.
    Gzip,
    /// Zstandard frames.
    Zstd,
    /// LZ4 frames. The checksum of the first header is put right before.
    Lz4,
    /// xz streams.
    Xz,
    /// bzip2 streams.
    Bzip2,
    /// Archives of Electron.
    Asar,
}

impl Container {
    /// All of them.
    pub const ALL: [Container; 8] = [
        Container::Zip,
        Container::Tar,
        Container::Gzip,
        Container::Zstd,
        Container::Lz4,
        Container::Xz,
        Container::Bzip2,
        Container::Asar,
    ];

    /// The name of its fuzz target.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Container::Zip => "zip",
            Container::Tar => "tar",
            Container::Gzip => "gzip",
            Container::Zstd => "zstd",
            Container::Lz4 => "lz4",
            Container::Xz => "xz",
            Container::Bzip2 => "bzip2",
            Container::Asar => "asar",
        }
    }

    /// The bytes with a start by which they are taken for this format.
    fn with_start(self, bytes: &[u8]) -> Vec<u8> {
        let start: &[u8] = match self {
            // The parser looks for the directory at the end.
            Container::Zip => b"PK",
            Container::Tar => b"",
            Container::Gzip => &[0x1f, 0x8b, 8],
            Container::Zstd => &[0x28, 0xb5, 0x2f, 0xfd],
            Container::Lz4 => &[0x04, 0x22, 0x4d, 0x18],
            Container::Xz => &[0xfd, b'7', b'z', b'X', b'Z', 0],
            Container::Bzip2 => b"BZh",
            Container::Asar => &[4, 0, 0, 0],
        };
        let mut bytes = bytes.to_vec();
        // Streams may also begin with a skippable frame.
        let is_skippable = bytes.get(1..4) == Some(&[0x2a, 0x4d, 0x18]);
        if !is_skippable && let Some(place) = bytes.get_mut(..start.len()) {
            place.copy_from_slice(start);
        }
        match self {
            Container::Tar => repair_tar(&mut bytes),
            Container::Lz4 => repair_lz4(&mut bytes),
            _ => {}
        }
        bytes
    }
}

/// Puts the checksums of headers right.
fn repair_tar(bytes: &mut [u8]) {
    for header in bytes.as_chunks_mut::<512>().0 {
        if &header[257..262] == b"ustar" {
            header[148..156].fill(b' ');
            let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
    }
}

/// Puts the checksum of the header right.
fn repair_lz4(bytes: &mut [u8]) {
    let Some(&flags) = bytes.get(4) else { return };
    let length = 2 + usize::from(flags >> 3 & 1) * 8 + usize::from(flags & 1) * 4;
    let Some(descriptor) = bytes.get(4..4 + length) else { return };
    let sum = (xxhash_rust::xxh32::xxh32(descriptor, 0) >> 8) as u8;
    if let Some(place) = bytes.get_mut(4 + length) {
        *place = sum;
    }
}

/// Any bytes are opened or refused by the parser of this container, and what comes out keeps what [`check_archives`] says.
pub fn check_container(container: Container, bytes: &[u8]) {
    let bytes = container.with_start(bytes);
    let (entries, result) = open(&bytes, false);
    if let (Container::Zip, Ok(summary)) = (container, &result)
        && summary.problem_count == 0
    {
        check_sums(&bytes, &entries);
    }
}

/// Any bytes are opened or refused, with the archives inside. No more is delivered than the limits allow, and a device gives
/// what the host gives.
pub fn check_archives(bytes: &[u8]) {
    let _ = open(bytes, true);
}

type Opened = (Vec<Entry>, Result<Summary, DecompressError>);

/// Opens an archive on the host, and where it is small, on the reference device too.
fn open(bytes: &[u8], nested: bool) -> Opened {
    let bytes = Bytes::copy_from_slice(bytes);
    let options = Options { limits: LIMITS, route: Route::Host, nested, ..Options::default() };
    let mut collected = Collected::default();
    let result = Unpacker::on_host(options.clone()).unpack(b"archive", bytes.clone(), &mut collected);
    let entries = collected.0;
    check_limits(&entries, &result, bytes.len() as u64);
    if let Ok(summary) = &result
        && bytes.len() <= MOST_DEVICE_INPUT
        && summary.output <= MOST_DEVICE_OUTPUT
    {
        let unpacker = Unpacker::on_device(device(), Options { route: Route::Device, ..options });
        let mut collected = Collected::default();
        let on_device = unpacker.unpack(b"archive", bytes, &mut collected);
        let on_device = on_device.unwrap_or_else(|error| panic!("only on a device: {error}"));
        assert_same(&entries, &collected.0);
        let said = |summary: &Summary| {
            let Summary { format, entries, damaged, problems, problem_count, output, layers, .. } = summary.clone();
            (format, entries, damaged, problems, problem_count, output, layers)
        };
        assert_eq!(said(&on_device), said(summary));
    }
    (entries, result)
}

#[derive(Default)]
struct Collected(Vec<Entry>);

impl Receiver for Collected {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        self.0.extend(entries);
        Ok(())
    }
}

/// The device that is slow and right. It is made once.
fn device() -> Arc<dyn Device> {
    static DEVICE: LazyLock<Arc<ReferenceDevice>> = LazyLock::new(|| Arc::new(ReferenceDevice::new()));
    Arc::clone(&*DEVICE) as Arc<dyn Device>
}

fn check_limits(entries: &[Entry], result: &Result<Summary, DecompressError>, input: u64) {
    let delivered: u64 = entries.iter().map(|entry| entry.bytes.len() as u64).sum();
    // What is in an archive as it is, is delivered with the archive and by itself, in each layer again.
    let allowed = (LIMITS.total + input) * u64::from(LIMITS.depth);
    assert!(delivered <= allowed, "{delivered} bytes delivered");
    assert!(entries.len() as u64 <= LIMITS.entries, "{} entries delivered", entries.len());
    for entry in entries {
        assert!(entry.bytes.len() as u64 <= LIMITS.entry, "{}", entry.path.display());
        assert!(entry.kind == EntryKind::File || entry.bytes.is_empty(), "{}", entry.path.display());
        if entry.problems.is_empty() && entry.kind == EntryKind::File {
            let length = entry.bytes.len() as u64;
            assert!(entry.size.is_none_or(|size| size == length), "{}: {length}", entry.path.display());
        }
        for problem in &entry.problems {
            assert!(!problem.to_string().contains('\n'), "{problem}");
        }
    }
    match result {
        Ok(summary) => {
            assert!(summary.output <= LIMITS.total + input && summary.layers <= LIMITS.depth, "{summary:?}");
            assert_eq!(summary.entries, entries.len() as u64);
            let damaged = entries.iter().filter(|entry| !entry.problems.is_empty()).count();
            assert_eq!(summary.damaged, damaged as u64);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn assert_same(expected: &[Entry], found: &[Entry]) {
    assert_eq!(expected.len(), found.len());
    for (expected, found) in expected.iter().zip(found) {
        let name = expected.path.display();
        assert_eq!((&expected.path, &expected.kind), (&found.path, &found.kind));
        assert!(expected.bytes == found.bytes, "{name}: other bytes on a device");
        assert_eq!(expected.problems, found.problems, "{name}");
        assert_eq!((expected.size, expected.is_opened), (found.size, found.is_opened), "{name}");
    }
}

/// The checksum of each entry without problems is in a record of the directory.
fn check_sums(archive: &[u8], entries: &[Entry]) {
    let records = archive.windows(20).filter(|bytes| bytes.starts_with(b"PK\x01\x02"));
    let sums: Vec<u32> =
        records.map(|record| u32::from_le_bytes([record[16], record[17], record[18], record[19]])).collect();
    for entry in entries.iter().filter(|entry| entry.problems.is_empty() && entry.kind == EntryKind::File) {
        let sum = crc32fast::hash(&entry.bytes);
        assert!(sums.contains(&sum), "{}: no record has the CRC-32 {sum:08x}", entry.path.display());
    }
}

/// Any bytes behind the first two, which say how much room there is, are an LZ4 block and a block of Zstandard. All programs of
/// the ops say of them what the references say, and the engine decodes in a frame what the references decode. What another
/// decoder of LZ4 accepts, has the same bytes.
pub fn check_blocks(bytes: &[u8]) {
    let Some((&[low, high], block)) = bytes.split_first_chunk() else { return };
    let room = u32::from(u16::from_le_bytes([low, high])) % (MOST_BLOCK_OUTPUT + 1);
    for id in ["compression.lz4", "compression.zstd"] {
        let op = vyre_ops::find(id).expect("is in the library");
        let judged: Vec<_> = [false, true]
            .map(|is_stored| {
                let block = CompressedBlock { bytes: block, room, is_stored };
                (block, reference(op, &block))
            })
            .into();
        let checked = Checker::new(&device(), &RunOptions::default()).check(op, &judged);
        checked.unwrap_or_else(|message| panic!("{id}: {message}"));
    }

    let room = room as usize;
    let (error, expected) = lz4_block_on_host(block, room);
    let mut output = vec![0; room];
    if let Ok(length) = lz4_flex::block::decompress_into(block, &mut output) {
        assert_eq!(error, None, "another decoder accepts it");
        assert!(output[..length] == expected[..], "another decoder gives other bytes");
    }
    check_lz4_in_frame(block);
    check_zstd_in_frame(block);
}

/// The engine decodes a block in an LZ4 frame as the reference does.
fn check_lz4_in_frame(block: &[u8]) {
    const LARGEST: usize = 64 << 10;
    if block.is_empty() || block.len() > LARGEST {
        return;
    }
    let mut frame = vec![0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0];
    repair_lz4(&mut frame);
    frame.extend((block.len() as u32).to_le_bytes());
    frame.extend(block);
    frame.extend([0; 4]);
    let (error, expected) = lz4_block_on_host(block, LARGEST);
    expect_in_frame(&frame, error.is_none(), &expected);
}

/// The engine decodes a stored or repeated block in a frame of Zstandard as the reference does.
fn check_zstd_in_frame(block: &[u8]) {
    const LARGEST: usize = 128 << 10;
    let Some((&[first, second, third], payload)) = block.split_first_chunk() else { return };
    let header = u32::from_le_bytes([first, second, third, 0]);
    let (kind, size) = (header >> 1 & 3, (header >> 3) as usize);
    let length = if kind == 1 { 1 } else { size };
    if kind > 1 || size > LARGEST || payload.len() != length {
        return;
    }
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, first | 1, second, third];
    frame.extend(payload);
    let expected = zstd_block_on_host(block, LARGEST);
    expect_in_frame(&frame, expected.is_ok(), &expected.unwrap_or_default());
}

fn expect_in_frame(frame: &[u8], is_right: bool, expected: &[u8]) {
    let (entries, result) = open(frame, false);
    let is_clean = result.as_ref().is_ok_and(Summary::is_clean);
    assert_eq!(is_clean, is_right, "{result:?}");
    // A frame around another archive is that archive.
    if is_clean && let [Entry { method: "lz4" | "zstd", bytes, .. }] = &entries[..] {
        assert!(bytes[..] == *expected, "other bytes than the reference");
    }
}
